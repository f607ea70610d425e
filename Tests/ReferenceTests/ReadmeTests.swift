import Glibc
import Labelpipe
import LabelpipeEngine
import TestSupport
import Testing

/// What pages say of effects is made from their declarations.
@Suite struct ReadmeTests {
    static let begin = "<!-- effects: made from the declarations, LABELPIPE_RECORD=1 Scripts/test --filter ReadmeTests -->\n"
    static let end = "<!-- /effects -->"

    @Test func theTableOfEffectsIsUpToDate() throws {
        try expect(Catalogue(try Registry.bundled()).markdown(), in: "README.md")
    }

    @Test func theGuideToEffectsIsUpToDate() throws {
        try expect(Catalogue(try Registry.bundled()).guide(), in: "Documentation/effects.md")
    }

    /// `LABELPIPE_RECORD=1` writes it anew, and fails.
    private func expect(_ made: String, in page: String) throws {
        let path = beside(#filePath, "../../\(page)")
        let text = String(decoding: try readFile(path), as: UTF8.self)
        let start = try #require(text.firstRange(of: ReadmeTests.begin)?.upperBound)
        let stop = try #require(text.firstRange(of: ReadmeTests.end)?.lowerBound)
        let isCurrent = text[start..<stop] == made[...]
        if !isCurrent, getenv("LABELPIPE_RECORD") != nil, let file = fopen(path, "w") {
            fputs(String(text[..<start]) + made + String(text[stop...]), file)
            fclose(file)
        }
        #expect(isCurrent, "\(page): what it says of effects is stale")
    }
}
