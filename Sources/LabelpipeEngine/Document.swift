import Diagnostics
import LabelpipeKit
import Synchronization

/// A pipeline document as it was written: parsed, its top level checked, nothing resolved.
final class Document: Sendable {
    /// As the user named it.
    let file: String
    /// The folder that its paths are relative to.
    let folder: String
    let title: String?
    let description: String?
    let parameters: [Declared]
    /// Where each parameter stands in the order, those that were refused included.
    let parameterOrder: [String: Int]
    /// What is wrong with the top level; reported with everything else that is wrong.
    let findings: Diagnostics

    /// **Errors**: what is wrong with the syntax; another version of the language: nothing else would be worth saying then.
    init(bytes: [UInt8], file: String, folder: String) throws(Diagnostics) {
        let root = try JSONValue.parse(bytes, file: file)
        (self.file, self.folder) = (file, folder)
        var found = FindingsOf(file: file)
        guard let members = root.members else {
            throw found.only(
                Diagnostic(
                    "bad-value", position: root.range.start, pointer: .root, expected: "a pipeline document (an object)",
                    got: root.got))
        }
        if let version = root["labelpipe"], version.double != nil, version.integer != Language.version {
            throw found.only(
                Diagnostic(
                    "version", position: version.range.start, pointer: "/labelpipe",
                    expected: "version \(Language.version) of the language, the one that this labelpipe reads",
                    got: "version \(version.compact)"))
        }
        Document.checkTopLevel(root, members, &found)
        title = Document.text("title", of: root, .root, &found)
        description = Document.text("description", of: root, .root, &found)
        text = Mutex(Text(root: root, nodes: Document.nodes(of: root, &found)))
        let declared = Document.members("parameters", of: root, expected: "an object of parameters by name", &found)
        parameterOrder = Dictionary(zip(declared.map(\.key), 0...)) { first, _ in first }
        var parameters: [Declared] = []
        for member in declared {
            if let parameter = Declared(member, &found) { parameters.append(parameter) }
        }
        self.parameters = parameters
        findings = found.all
    }

    /// What it says, until that is let go.
    private struct Text {
        var root: JSONValue
        var nodes: [JSONValue.Member]
    }
    private let text: Mutex<Text>

    var root: JSONValue { text.withLock { $0.root } }
    var nodes: [JSONValue.Member] { text.withLock { $0.nodes } }

    /// Lets the text go: no further plan can be made of it, and nothing of it shown.
    func forgetText() {
        text.withLock { $0 = Text(root: .init(.null, range: $0.root.range), nodes: []) }
    }

    func declares(_ parameter: String) -> Bool { parameterOrder[parameter] != nil }

    /// Whether the parameter that the pointer stands in comes too early to use the other.
    func isTooEarly(_ pointer: JSONPointer, toUse parameter: String) -> Bool {
        let tokens = pointer.tokens
        guard tokens.count > 1, tokens[0] == "parameters", let here = parameterOrder[tokens[1]] else { return false }
        return parameterOrder[parameter].map { $0 >= here } ?? false
    }

    /// Whether `text` may name a node or, behind a dollar sign, a parameter.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy(isNameByte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    static func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// A parameter's name: as a node's, or behind an underscore.
    static func isParameterName(_ text: some StringProtocol) -> Bool {
        isName(text.hasPrefix("_") ? text.dropFirst() : text[...])
    }

    /// A text; nil, and reported, where it is something else.
    static func text(_ key: String, of json: JSONValue, _ pointer: JSONPointer, _ found: inout FindingsOf) -> String? {
        guard let value = json[key] else { return nil }
        if value.string == nil {
            found.add(
                Diagnostic(
                    "bad-value", position: value.range.start, pointer: pointer.appending(key), expected: "text",
                    got: value.got))
        }
        return value.string
    }

    private static func checkTopLevel(_ root: JSONValue, _ members: [JSONValue.Member], _ found: inout FindingsOf) {
        let keys = Language.topLevelKeys
        for member in members where !keys.contains(member.key) && !member.key.hasPrefix("x-") {
            found.add(
                Diagnostic(
                    "unknown-key", position: member.keyRange.start, pointer: JSONPointer.root.appending(member.key),
                    message: "a document has no \(Quoted.text(member.key))",
                    help: ["top-level keys: \(keys.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: member.key, in: keys)))
        }
        let version = root["labelpipe"]
        if version == nil {
            found.add(
                Diagnostic(
                    "missing-key", position: root.range.start, pointer: .root,
                    message: "missing \"labelpipe\": \(Language.version), the version of the language",
                    help: ["begin the document with { \"labelpipe\": \(Language.version), …"]))
        } else if let version, version.double == nil {
            found.add(
                Diagnostic(
                    "version", position: version.range.start, pointer: "/labelpipe",
                    expected: "\(Language.version), the version of the language", got: version.got))
        }
        switch (root.member("output"), root.member("outputs")) {
        case (nil, nil):
            found.add(
                Diagnostic(
                    "missing-key", position: root.range.start, pointer: .root, message: "missing \"output\" (or \"outputs\")",
                    help: ["\"output\": the node that is saved"]))
        case (.some, let outputs?):
            found.add(
                Diagnostic(
                    "both-outputs", position: outputs.keyRange.start, pointer: "/outputs",
                    message: "both \"output\" and \"outputs\"", help: ["keep one of them"]))
        default: break
        }
    }

    /// The members of a top-level object, without those that are nobody's.
    private static func members(
        _ key: String, of root: JSONValue, expected: String, _ found: inout FindingsOf
    ) -> [JSONValue.Member] {
        guard let value = root[key] else { return [] }
        guard let members = value.members else {
            found.add(
                Diagnostic(
                    "bad-value", position: value.range.start, pointer: JSONPointer.root.appending(key), expected: expected,
                    got: value.got))
            return []
        }
        return members.filter { !$0.key.hasPrefix("x-") }
    }

    private static func nodes(of root: JSONValue, _ found: inout FindingsOf) -> [JSONValue.Member] {
        let nodes = members("nodes", of: root, expected: "an object of nodes by id", &found)
        for node in nodes where !isName(node.key) {
            found.add(
                Diagnostic(
                    "bad-name", position: node.keyRange.start, pointer: JSONPointer(["nodes", node.key]),
                    expected: "a node id (a letter, then letters, digits, _ or -)", got: Quoted.text(node.key)))
        }
        return nodes
    }
}

/// Findings of one file.
struct FindingsOf {
    let file: String
    private(set) var all = Diagnostics()

    init(file: String) { self.file = file }

    mutating func add(_ finding: Diagnostic) {
        var finding = finding
        finding.file = file
        all.append(finding)
    }

    func only(_ finding: Diagnostic) -> Diagnostics {
        var copy = FindingsOf(file: file)
        copy.add(finding)
        return copy.all
    }
}

extension JSONPointer {
    init(_ tokens: [String]) { self = tokens.reduce(.root) { $0.appending($1) } }
}
