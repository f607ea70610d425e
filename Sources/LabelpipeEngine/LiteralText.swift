import Diagnostics
import LabelpipeKit

/// What looks like a parameter or a field where text is text: drawn as it stands, and told, since it was hardly meant so.
extension Reading {
    /// A plain text that a document or a command line writes.
    func warnOfLiterals(in text: String, _ json: JSONValue, _ pointer: JSONPointer) {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "$") }) else { return }
        let bytes = Array(text.utf8)
        var meant = ""
        var first: String?
        var at = 0
        // An escaped dollar sign.
        if origin == .document, text.hasPrefix("$$") { (meant, at) = ("$", 2) }
        func found(_ range: Range<Int>, _ replacement: String) {
            if first == nil { first = String(decoding: bytes[range], as: UTF8.self) }
            meant += replacement
            at = range.upperBound
        }
        while at < bytes.count {
            if bytes[at...].starts(with: "{{".utf8) {
                // Somebody who knows templates wants a brace.
                meant += "{{"
                at += 2
            } else if bytes[at] == UInt8(ascii: "{"), let field = field(bytes, at) {
                found(field, String(decoding: bytes[field], as: UTF8.self))
            } else if origin == .document, let name = dollarName(bytes, at) {
                found(at..<at + 1 + name.utf8.count, "{\(name)}")
            } else {
                let end = bytes[(at + 1)...].firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "$") } ?? bytes.count
                meant += String(decoding: bytes[at..<end], as: UTF8.self)
                at = end
            }
        }
        guard let first else { return }
        let template = origin == .document ? "{ \"template\": \(Quoted.text(meant, limit: 200)) }" : nil
        warn(
            "literal-text", json, pointer,
            first.hasPrefix("{")
                ? "\(Quoted.text(first)) is drawn as it stands: a plain text has no fields"
                : "\(Quoted.text(first)) is drawn as it stands: \"$name\" is a parameter only where it is the whole text",
            help: [
                template.map { "write \($0)" } ?? "the parameter's \"type\" has to be \"template\""
            ]
                + (origin == .document
                    ? ["where it is meant as text: { \"template\": \(Quoted.text(Self.escaped(first))) }"] : []))
    }

    /// `$name` in a template: there it is a text like any other.
    func warnOfDollars(in text: String, _ json: JSONValue, _ pointer: JSONPointer) {
        let bytes = Array(text.utf8)
        for at in bytes.indices {
            guard let name = dollarName(bytes, at) else {
                // A shell's variable between single quotes.
                guard origin == .outside, let name = anyName(bytes, at) else { continue }
                warn(
                    "literal-text", json, pointer,
                    "\"$\(name)\" is drawn as it stands: it is a template, whose fields are {NAME}",
                    help: [Fields.help, "where it is meant as text: {\"$\"}\(name)"])
                return
            }
            warn(
                "literal-text", json, pointer, "\"$\(name)\" is drawn as it stands: in a template a parameter is {\(name)}",
                help: ["where it is meant as text: {\"$\"}\(name)"])
            return
        }
    }

    private func warn(_ code: String, _ json: JSONValue, _ pointer: JSONPointer, _ message: String, help: [String]) {
        report(
            Diagnostic(
                code, severity: .warning, file: scope.document.file, position: json.range.start, pointer: pointer,
                message: message, help: help))
    }

    /// As a template has it as text.
    private static func escaped(_ found: String) -> String {
        found.hasPrefix("{") ? "{" + found + "}" : "{\"$\"}" + found.dropFirst()
    }

    /// The name of a declared parameter behind a dollar sign.
    private func dollarName(_ bytes: [UInt8], _ at: Int) -> String? {
        anyName(bytes, at).flatMap { scope.document.declares($0) ? $0 : nil }
    }

    /// A name behind a dollar sign.
    private func anyName(_ bytes: [UInt8], _ at: Int) -> String? {
        guard bytes[at] == UInt8(ascii: "$") else { return nil }
        let name = String(decoding: bytes[(at + 1)...].prefix { Document.isNameByte($0) }, as: UTF8.self)
        return Document.isParameterName(name) ? name : nil
    }

    /// From a brace to the one that closes it, where a template would have a field there.
    private func field(_ bytes: [UInt8], _ at: Int) -> Range<Int>? {
        guard let close = bytes[at...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let text = String(decoding: bytes[at...close], as: UTF8.self)
        guard let template = try? Template(text), !template.fields.isEmpty else { return nil }
        let isMeant = template.fields.contains { Fields.isKnown($0) || scope.document.declares($0) }
        return isMeant ? at..<close + 1 : nil
    }
}
