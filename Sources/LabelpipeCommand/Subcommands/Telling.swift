import Diagnostics
import LabelpipeBatch

/// How findings are told.
extension Flag {
    static let format = Flag(
        "format", nil, .choice(["text", "json"]), "findings and figures for people, or one JSON object a line")
}

extension Session {
    /// Writes findings as people or programs read them.
    func tell(_ findings: Diagnostics, json: Bool, to output: Output) {
        output.write(json ? findings.json() : findings.render())
    }

    /// Tells what is worth a warning in a document that can be drawn, once a run; whether there was any.
    @discardableResult
    func warn(_ findings: Diagnostics, _ parsed: Parsed, _ output: Output) -> Bool {
        let told = Diagnostics(findings.all.filter { $0.severity != .note || !parsed.has(.quiet) })
        tell(told, json: parsed.usesJSON, to: output)
        return told.all.contains { $0.severity == .warning }
    }

    /// Tells findings about a document on standard error; the code to stop with.
    func refusal(_ findings: Diagnostics, json: Bool) -> Stop {
        tell(findings, json: json, to: errors)
        return .told(.invalid)
    }
}

extension Parsed {
    var usesJSON: Bool { path(.format).map { $0.description == "json" } ?? false }
}
