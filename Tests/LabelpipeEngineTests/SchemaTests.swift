import Diagnostics
import Glibc
import LabelpipeEngine
import Testing

/// The schema of the made-up effects, held against every case of the tables by a validator that others wrote.
@Suite("JSON Schema") struct SchemaTests {
    /// What the tables say of one document.
    private struct Verdict {
        let file: String
        let name: String
        let document: String
        /// Where errors are; empty: it is valid.
        let pointers: [String]
    }

    @Test("what the engine refuses the schema refuses, what it takes the schema takes; else the reason is known")
    func agreement() throws {
        var verdicts: [Verdict] = []
        for file in CaseTests.files {
            for one in try CaseFile.read("\(file).cases").cases { verdicts += Self.verdicts(of: one, in: "\(file).cases") }
        }
        let known = try Exceptions(CaseFile.text(of: CaseFile.folder + "/not-in-schema.txt"))
        let problems = try Self.judge(verdicts)
        var used: Set<String> = []
        for (verdict, problems) in zip(verdicts, problems) {
            let place = "\(verdict.file): \(verdict.name)"
            if verdict.pointers.isEmpty {
                if !problems.isEmpty, !known.holds(place, &used) {
                    Issue.record("\(place): valid, and the schema refuses \(problems)")
                }
            } else {
                for pointer in verdict.pointers where !Self.isRefused(pointer, problems) {
                    if !known.holds("\(place) \(pointer)", &used), !known.holds(place, &used) {
                        Issue.record("\(place) \(pointer): not refused by the schema, which has \(problems)")
                    }
                }
            }
        }
        #expect(verdicts.count { !$0.pointers.isEmpty } > 80 && verdicts.count { $0.pointers.isEmpty } > 80)
        for stale in known.entries.subtracting(used).sorted() {
            Issue.record("not-in-schema.txt: \"\(stale)\" is no exception")
        }
    }

    /// A problem with the value itself, with the one it is a part of, or with a part of it.
    private static func isRefused(_ pointer: String, _ problems: [String]) -> Bool {
        let parent = String(pointer.prefix(upTo: pointer.lastIndex(of: "/") ?? pointer.startIndex))
        return problems.contains { $0 == "no JSON" || $0 == pointer || $0 == parent || $0.hasPrefix(pointer + "/") }
    }

    /// The document of a case, and those beside it, with what is found in each.
    private static func verdicts(of one: CaseFile.Case, in file: String) -> [Verdict] {
        ([("doc.json", one.document)] + one.others).compactMap { name, text in
            guard name.hasSuffix(".json") else { return nil }
            var pointers: [String] = []
            for line in one.expected.split(separator: "\n") where line.hasPrefix(name + ":") {
                guard let match = line.firstMatch(of: /^[^:]*:\d+:\d+: error: (?:(\/[^:]*): )?/) else { continue }
                pointers.append(match.output.1.map(String.init) ?? "")
            }
            // With an error elsewhere nothing is said of this one.
            if pointers.isEmpty, one.expected.contains("error: ") { return nil }
            return Verdict(
                file: file, name: one.name + (name == "doc.json" ? "" : " (\(name))"), document: text, pointers: pointers)
        }
    }

    private static func judge(_ verdicts: [Verdict]) throws -> [[String]] {
        let folder = try Scratch()
        try folder.write(Catalogue(try Registry.madeUp()).schema(), to: "schema.json")
        var lines = JSONWriter()
        for (index, verdict) in verdicts.enumerated() {
            lines.object {
                $0.member("id", index)
                $0.member("document", verdict.document)
            }
            lines.endLine()
        }
        try folder.write(lines.text, to: "cases.ndjson")
        let script = CaseFile.folder + "/../validate.py"
        let command = "cd '\(folder.path)' && /usr/bin/python3 '\(script)' schema.json <cases.ndjson 2>errors"
        guard let pipe = popen(command, "r") else { throw CaseFile.Missing(path: "python3") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
        let status = pclose(pipe)
        let errors = try CaseFile.text(of: folder.path + "/errors")
        try #require(status == 0, "validate.py: \(errors)")
        return try bytes.split(separator: 0x0A).map { line in
            let answer = try JSONValue.parse(Array(line), file: "answer", limits: .document)
            return (answer["problems"]?.elements ?? []).compactMap(\.string)
        }
    }

    /// Cases in which schema and engine differ, each below its reason.
    private struct Exceptions {
        var entries: Set<String> = []

        init(_ text: String) {
            var hasReason = false
            for line in text.split(separator: "\n") {
                if line.hasPrefix("#") {
                    hasReason = true
                } else if hasReason {
                    entries.insert(String(line))
                }
            }
        }

        func holds(_ place: String, _ used: inout Set<String>) -> Bool {
            guard entries.contains(place) else { return false }
            used.insert(place)
            return true
        }
    }
}
