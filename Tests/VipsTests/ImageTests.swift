import Testing
import Vips

@Suite struct ImageTests {
    @Test func memoryRoundTrip() throws {
        let bytes = (0..<4 * 3 * 3).map { UInt8($0) }
        let image = try Image.fromMemory(bytes, width: 4, height: 3, bands: 3, format: .uchar, interpretation: .srgb)
        #expect(try image.writeToMemory() == bytes)
        #expect(image.width == 4 && image.height == 3 && image.bands == 3 && !image.hasAlpha)
    }
}
