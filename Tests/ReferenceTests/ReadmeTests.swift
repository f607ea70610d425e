import Glibc
import Labelpipe
import LabelpipeEngine
import TestSupport
import Testing

/// What the README says of effects is made from their declarations.
@Suite struct ReadmeTests {
    static let path = beside(#filePath, "../../README.md")
    static let begin = "<!-- effects: made from the declarations, LABELPIPE_RECORD=1 Scripts/test --filter ReadmeTests -->\n"
    static let end = "<!-- /effects -->"

    /// `LABELPIPE_RECORD=1` writes the table anew, and fails.
    @Test func theTableOfEffectsIsUpToDate() throws {
        let text = String(decoding: try readFile(ReadmeTests.path), as: UTF8.self)
        let start = try #require(text.firstRange(of: ReadmeTests.begin)?.upperBound)
        let stop = try #require(text.firstRange(of: ReadmeTests.end)?.lowerBound)
        let table = Catalogue(try Registry.bundled()).markdown()
        let isCurrent = text[start..<stop] == table[...]
        if !isCurrent, getenv("LABELPIPE_RECORD") != nil, let file = fopen(ReadmeTests.path, "w") {
            fputs(String(text[..<start]) + table + String(text[stop...]), file)
            fclose(file)
        }
        #expect(isCurrent, "README.md: the table of effects is stale")
    }
}
