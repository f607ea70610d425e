import Diagnostics
import Glibc
import LabelpipeKit

/// A pipeline document as it was written: parsed, its top level checked, nothing resolved.
final class Document: Sendable {
    /// A parameter that the document declares.
    struct Declared: Sendable {
        let name: String
        let kind: Kind
        let isList: Bool
        /// For a choice: what the user writes, and what it stands for.
        let choices: [(word: String, value: JSONValue)]?
        let initial: JSONValue?
        let isOptional: Bool
        let range: ClosedRange<Double>?
        let description: String
        let pointer: JSONPointer
        let position: SourcePosition
        /// One that the outside cannot set.
        var isInternal: Bool { name.hasPrefix("_") }
    }

    /// As the user named it.
    let file: String
    /// The folder that its paths are relative to.
    let folder: String
    let root: JSONValue
    let title: String?
    let description: String?
    let parameters: [Declared]
    let nodes: [JSONValue.Member]
    let nodesByName: [String: JSONValue]

    static let version = 1
    static let topLevel = ["labelpipe", "title", "description", "parameters", "nodes", "output", "outputs"]

    /// **Errors**: what is wrong with the syntax, the version and the top level, all at once.
    init(bytes: [UInt8], file: String, folder: String) throws(Diagnostics) {
        let root = try JSONValue.parse(bytes, file: file)
        self.file = file
        self.folder = folder
        self.root = root
        var findings = Diagnostics()
        func report(_ finding: Diagnostic) {
            var finding = finding
            finding.file = file
            findings.append(finding)
        }
        guard let members = root.members else {
            report(Diagnostic("bad-value", position: root.range.start, pointer: .root, expected: "a pipeline document (an object)", got: root.got))
            throw findings
        }
        for member in members where !Document.topLevel.contains(member.key) && !member.key.hasPrefix("x-") {
            report(
                Diagnostic(
                    "unknown-key", position: member.keyRange.start, pointer: JSONPointer.root.appending(member.key),
                    message: "unknown key \"\(member.key)\"",
                    help: ["top-level keys: \(Document.topLevel.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: member.key, in: Document.topLevel)))
        }
        if let version = root["labelpipe"] {
            if version.integer != Document.version {
                report(
                    Diagnostic(
                        "version", position: version.range.start, pointer: "/labelpipe",
                        expected: "version \(Document.version) of the language, which this labelpipe reads",
                        got: version.got))
            }
        } else {
            report(
                Diagnostic(
                    "missing-key", position: root.range.start, pointer: .root,
                    message: "missing \"labelpipe\": \(Document.version), the version of the language",
                    help: ["begin the document with { \"labelpipe\": \(Document.version), …"]))
        }
        func text(_ key: String) -> String? {
            guard let value = root[key] else { return nil }
            if value.string == nil {
                report(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: JSONPointer.root.appending(key),
                        expected: "text", got: value.got))
            }
            return value.string
        }
        title = text("title")
        description = text("description")
        switch (root.member("output"), root.member("outputs")) {
        case (nil, nil):
            report(
                Diagnostic(
                    "missing-key", position: root.range.start, pointer: .root, message: "missing \"output\" (or \"outputs\")",
                    help: ["\"output\": the node that is saved"]))
        case (.some, let outputs?):
            report(
                Diagnostic(
                    "both-outputs", position: outputs.keyRange.start, pointer: "/outputs",
                    message: "both \"output\" and \"outputs\"", help: ["keep one of them"]))
        default: break
        }
        var nodes: [JSONValue.Member] = []
        if let value = root["nodes"] {
            if let members = value.members {
                nodes = members
            } else {
                report(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: "/nodes",
                        expected: "an object of nodes by id", got: value.got))
            }
        }
        for node in nodes where !Document.isName(node.key) && !node.key.hasPrefix("x-") {
            report(
                Diagnostic(
                    "bad-name", position: node.keyRange.start, pointer: JSONPointer(["nodes", node.key]),
                    expected: "a node id (a letter, then letters, digits, _ or -)", got: Quoted.text(node.key)))
        }
        self.nodes = nodes.filter { !$0.key.hasPrefix("x-") }
        nodesByName = Dictionary(self.nodes.map { ($0.key, $0.value) }) { first, _ in first }
        var parameters: [Declared] = []
        if let value = root["parameters"] {
            if let members = value.members {
                for member in members where !member.key.hasPrefix("x-") {
                    if let one = Document.declared(member, report: report) { parameters.append(one) }
                }
            } else {
                report(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: "/parameters",
                        expected: "an object of parameters by name", got: value.got))
            }
        }
        self.parameters = parameters
        try findings.throwIfErrors()
    }

    /// Whether `text` may name a node or, behind a dollar sign, a parameter.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-")
        }
    }

    /// A parameter's name: as a node's, or behind an underscore.
    static func isParameterName(_ text: some StringProtocol) -> Bool {
        isName(text.hasPrefix("_") ? text.dropFirst() : text[...])
    }

    private static let kinds: [(String, Kind)] = [
        ("string", .string), ("template", .template), ("number", .number), ("integer", .integer), ("boolean", .boolean),
        ("length", .length), ("color", .color), ("paint", .paint), ("insets", .insets), ("point", .point),
        ("offset", .offset), ("size", .size), ("anchor", .anchor), ("angle", .angle), ("path", .path),
        ("choice", .choice([])),
    ]
    static let parameterKeys = [
        "type", "default", "choices", "minimum", "maximum", "title", "description",
    ]

    private static func declared(_ member: JSONValue.Member, report: (Diagnostic) -> Void) -> Declared? {
        let pointer = JSONPointer(["parameters", member.key])
        let at = member.value.range.start
        if !isParameterName(member.key) {
            report(
                Diagnostic(
                    "bad-name", position: member.keyRange.start, pointer: pointer,
                    expected: "a parameter name (a letter, then letters, digits, _ or -)", got: Quoted.text(member.key)))
            return nil
        }
        if ["effect", "input", "when"].contains(member.key) {
            report(
                Diagnostic(
                    "bad-name", position: member.keyRange.start, pointer: pointer,
                    message: "a parameter cannot be called \"\(member.key)\"",
                    help: ["effect, input and when are keys of every node"]))
            return nil
        }
        guard let members = member.value.members else {
            report(
                Diagnostic(
                    "bad-value", position: at, pointer: pointer, expected: "an object with \"type\"",
                    got: member.value.got, help: ["\"\(member.key)\": { \"type\": \"string\", \"default\": … }"]))
            return nil
        }
        for key in members where !parameterKeys.contains(key.key) && !key.key.hasPrefix("x-") {
            report(
                Diagnostic(
                    "unknown-key", position: key.keyRange.start, pointer: pointer.appending(key.key),
                    message: "unknown key \"\(key.key)\"",
                    help: ["keys of a parameter: \(parameterKeys.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: key.key, in: parameterKeys)))
        }
        for key in ["title", "description"] {
            if let text = member.value[key], text.string == nil {
                report(
                    Diagnostic(
                        "bad-value", position: text.range.start, pointer: pointer.appending(key), expected: "text",
                        got: text.got))
            }
        }
        guard let type = member.value["type"] else {
            report(
                Diagnostic(
                    "missing-key", position: at, pointer: pointer, message: "missing \"type\"",
                    help: ["types: \(kinds.map(\.0).joined(separator: " "))"]))
            return nil
        }
        let isList = type.elements != nil
        let word = isList && type.elements?.count == 1 ? type.elements?[0].string : type.string
        guard let word, let kind = kinds.first(where: { $0.0 == word })?.1 else {
            report(
                Diagnostic(
                    "bad-value", position: type.range.start, pointer: pointer.appending("type"),
                    expected: "a type, or a list of one", got: type.got,
                    help: ["types: \(kinds.map(\.0).joined(separator: " "))"],
                    suggestion: word.flatMap { Suggestions.nearest(to: $0, in: kinds.map(\.0)) }))
            return nil
        }
        var choices: [(word: String, value: JSONValue)]?
        if let value = member.value["choices"] {
            if let elements = value.elements, elements.allSatisfy({ $0.string != nil }), !elements.isEmpty {
                choices = elements.map { ($0.string ?? "", $0) }
            } else if let members = value.members, !members.isEmpty {
                choices = members.map { ($0.key, $0.value) }
            } else {
                report(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: pointer.appending("choices"),
                        expected: "a list of texts, or an object of values by word", got: value.got))
                return nil
            }
        }
        if case .choice = kind, choices == nil {
            report(
                Diagnostic(
                    "missing-key", position: at, pointer: pointer, message: "missing \"choices\"",
                    help: ["\"choices\": [\"left\", \"right\"], or { \"word\": value, … }"]))
            return nil
        }
        func bound(_ key: String) -> Double? {
            guard let value = member.value[key] else { return nil }
            if value.double == nil {
                report(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: pointer.appending(key), expected: "a number",
                        got: value.got))
            }
            return value.double
        }
        let minimum = bound("minimum")
        let maximum = bound("maximum")
        var range: ClosedRange<Double>?
        if minimum != nil || maximum != nil {
            let low = minimum ?? -.infinity
            let high = maximum ?? .infinity
            if low > high {
                report(
                    Diagnostic(
                        "bad-value", position: at, pointer: pointer, expected: "a minimum below the maximum",
                        got: "\(low) and \(high)"))
            } else {
                range = low...high
            }
        }
        let initial = member.value["default"]
        return Declared(
            name: member.key, kind: kind, isList: isList, choices: choices, initial: initial,
            isOptional: initial?.isNull ?? false, range: range, description: member.value["description"]?.string ?? "",
            pointer: pointer, position: at)
    }
}

extension JSONPointer {
    init(_ tokens: [String]) { self = tokens.reduce(.root) { $0.appending($1) } }
}

extension Document.Declared {
    /// The kind of its values, lists included.
    var fullKind: Kind { isList ? .list(elementKind) : elementKind }

    var elementKind: Kind {
        if case .choice = kind { return .choice(choices?.map(\.word) ?? []) }
        return kind
    }

    var declaration: ParameterDeclaration {
        let presence: ParameterDeclaration.Presence =
            initial.map { $0.isNull ? .optional : .defaulted($0) } ?? .required
        return ParameterDeclaration(name, fullKind, presence, range: range, doc: description)
    }
}
