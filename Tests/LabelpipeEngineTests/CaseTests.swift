import Glibc
import LabelpipeEngine
import Testing

/// Documents and, letter for letter, what is said about them. `LABELPIPE_RECORD=1` writes what is said now, and fails.
@Suite struct CaseTests {
    static let files = [
        "nodes", "when", "documents", "parameters", "lengths", "values", "templates", "outputs", "kinds", "measures", "top-level",
        "warnings",
    ]

    @Test(arguments: files)
    func cases(_ name: String) throws {
        let registry = try Registry.madeUp()
        let file = try CaseFile.read("\(name).cases")
        #expect(!file.cases.isEmpty)
        var recorded = ""
        for one in file.cases {
            let printed = try one.run(registry)
            #expect(printed == one.expected, "\(name).cases:\(one.line): \(one.name)\n\(printed)")
            recorded += "# \(one.name)\n" + one.settings.map { "\($0.key) \($0.value)\n" }.joined() + one.document
            recorded += one.others.map { "## \($0.name)\n\($0.text)" }.joined() + "--\n\(printed)\n"
        }
        guard getenv("LABELPIPE_RECORD") != nil, let out = fopen("\(CaseFile.folder)/\(name).cases", "w") else { return }
        recorded.withUTF8 { _ = fwrite($0.baseAddress, 1, $0.count, out) }
        fclose(out)
        Issue.record("\(name).cases was recorded")
    }
}
