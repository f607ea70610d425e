import LabelpipeEngine
import LabelpipeKit
import Testing

/// Every effect's example is a small valid output.
@Suite struct ExampleTests {
    @Test(arguments: registry.ids)
    func exampleDraws(id: String) throws {
        let example = try #require(registry[id]?.declaration.example)
        #expect(example.contains("\"\(id)\""))
        let bitmap = try Run(example, source: plain(64, 48)).bitmap
        #expect(bitmap.width <= 256 && bitmap.height <= 256, "\(id): \(bitmap.width) × \(bitmap.height)")
    }
}
