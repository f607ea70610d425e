import Diagnostics
import LabelpipeWorker

/// One job of `labelpipe worker`, as a line of JSON.
///
/// ```json
/// {"key": 17, "pipeline": "watermark.json", "input": "photos/a.jpg", "output": "marked/", "set": {"text": "© Ann"}}
/// ```
///
/// `key` is anything and comes back. `output` is a folder, or a file where the document has one output and the path a format's
/// extension. `set` gives parameters and `{row.…}`: its values are text, never templates. `relative`, `index` and `count` are
/// what templates see.
package struct JobLine {
    var key: JSONValue?
    var pipeline = BytePath("")
    var input: BytePath?
    var output = BytePath("")
    var cells: [(name: String, text: String)] = []
    var overwrites = false
    var relative = BytePath("")
    var index = 1

    static let keys = ["key", "pipeline", "input", "output", "set", "overwrite", "relative", "index"]

    /// **Errors.** What is wrong with the line; its key is kept where it could be read.
    package init(_ line: [UInt8], number: Int) throws(Diagnostics) {
        let message = try JSONValue.parse(line, file: "job \(number)", limits: .message)
        key = message["key"]
        guard let members = message.members else { throw [Self.bad("expected a job (an object), got \(message.got)")] }
        for member in members where !Self.keys.contains(member.key) {
            var finding = Self.bad("unknown key \"\(member.key)\"")
            finding.suggestion = Suggestions.nearest(to: member.key, in: Self.keys)
            throw [finding]
        }
        pipeline = try Self.path("pipeline", message)
        output = try Self.path("output", message)
        if message["input"] != nil { input = try Self.path("input", message) }
        if message["relative"] != nil { relative = try Self.path("relative", message) }
        index = message["index"]?.integer ?? 1
        overwrites = message["overwrite"]?.bool ?? false
        for member in message["set"]?.members ?? [] where !member.value.isNull {
            cells.append((member.key, member.value.string ?? member.value.compact))
        }
    }

    private static func path(_ key: String, _ message: JSONValue) throws(Diagnostics) -> BytePath {
        guard let text = message[key]?.string, !text.isEmpty else {
            throw [bad("expected \"\(key)\", a path, got \(message[key]?.got ?? "none")")]
        }
        return BytePath(reversible: text)
    }

    private static func bad(_ message: String) -> Diagnostic { Diagnostic("bad-job", message: message) }
}
