import Diagnostics
import LabelpipeKit

extension Document {
    /// A parameter that the document declares.
    struct Declared: Sendable {
        let name: String
        let kind: Kind
        let isList: Bool
        /// For a choice: what the user writes, and what it stands for.
        let choices: [(word: String, value: JSONValue)]?
        let initial: JSONValue?
        let range: ClosedRange<Double>?
        let description: String
        let pointer: JSONPointer
        let position: SourcePosition

        /// One that the outside cannot set.
        var isInternal: Bool { name.hasPrefix("_") }
        /// It may have no value at all.
        var isOptional: Bool { initial?.isNull ?? false }
        /// The kind of what is written, lists included.
        var fullKind: Kind {
            let element = choices.map { Kind.choice($0.map(\.word)) } ?? kind
            return isList ? .list(element) : element
        }
        /// The kind of what a choice stands for.
        var valueKind: Kind { isList ? .list(kind) : kind }

        /// - Parameter scale: the range of a length is in px that the document writes.
        func declaration(scale: Double) -> ParameterDeclaration {
            let presence: ParameterDeclaration.Presence =
                initial.map { $0.isNull ? .optional : .defaulted($0) } ?? .required
            let scaled = kind.isLength ? range.map { $0.lowerBound * scale...$0.upperBound * scale } : range
            return ParameterDeclaration(name, fullKind, presence, range: scaled, doc: description)
        }

        func valueDeclaration(_ declaration: ParameterDeclaration) -> ParameterDeclaration {
            ParameterDeclaration(name, valueKind, declaration.presence, range: declaration.range, doc: description)
        }
    }
}

extension Document.Declared {
    static let types: [(name: String, kind: Kind)] = [
        ("string", .string), ("template", .template), ("number", .number), ("integer", .integer), ("boolean", .boolean),
        ("length", .length), ("color", .color), ("paint", .paint), ("insets", .insets), ("point", .point),
        ("offset", .offset), ("size", .size), ("anchor", .anchor), ("angle", .angle), ("path", .path),
        ("choice", .choice([])),
    ]
    static let keys = ["type", "default", "choices", "minimum", "maximum", "title", "description"]
    static let reservedNames = ["effect", "input", "when"]

    /// nil: refused and reported.
    init?(_ member: JSONValue.Member, _ found: inout FindingsOf) {
        let pointer = JSONPointer(["parameters", member.key])
        let json = member.value
        guard Document.Declared.checkName(member, pointer, &found) else { return nil }
        guard let members = json.members else {
            found.add(
                Diagnostic(
                    "bad-value", position: json.range.start, pointer: pointer, expected: "an object with \"type\"",
                    got: json.got, help: ["\"\(member.key)\": { \"type\": \"string\", \"default\": … }"]))
            return nil
        }
        let keys = Document.Declared.keys
        for key in members where !keys.contains(key.key) && !key.key.hasPrefix("x-") {
            found.add(
                Diagnostic(
                    "unknown-key", position: key.keyRange.start, pointer: pointer.appending(key.key),
                    message: "a parameter has no \(Quoted.text(key.key))",
                    help: ["keys of a parameter: \(keys.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: key.key, in: keys)))
        }
        _ = Document.text("title", of: json, pointer, &found)
        description = Document.text("description", of: json, pointer, &found) ?? ""
        guard let type = Document.Declared.type(of: json, pointer, &found) else { return nil }
        (kind, isList) = type
        if json["choices"] != nil {
            guard let choices = Document.Declared.choices(of: json, pointer, &found) else { return nil }
            self.choices = choices
        } else {
            choices = nil
            if case .choice = kind {
                found.add(
                    Diagnostic(
                        "missing-key", position: json.range.start, pointer: pointer, message: "missing \"choices\"",
                        help: ["\"choices\": [\"left\", \"right\"], or { \"word\": value, … }"]))
                return nil
            }
        }
        range = Document.Declared.range(of: json, kind, pointer, &found)
        (name, self.pointer, position) = (member.key, pointer, json.range.start)
        initial = json["default"]
    }

    private static func checkName(_ member: JSONValue.Member, _ pointer: JSONPointer, _ found: inout FindingsOf) -> Bool {
        let name = member.key
        if !Document.isParameterName(name) {
            found.add(
                Diagnostic(
                    "bad-name", position: member.keyRange.start, pointer: pointer,
                    expected: "a parameter name (a letter, then letters, digits, _ or -)", got: Quoted.text(name)))
            return false
        }
        if reservedNames.contains(name) {
            found.add(
                Diagnostic(
                    "bad-name", position: member.keyRange.start, pointer: pointer,
                    message: "a parameter cannot be called \"\(name)\"",
                    help: ["\(reservedNames.joined(separator: ", ")) are keys of nodes"]))
            return false
        }
        return true
    }

    private static func type(
        of json: JSONValue, _ pointer: JSONPointer, _ found: inout FindingsOf
    ) -> (Kind, isList: Bool)? {
        let help = ["types: \(types.map(\.name).joined(separator: " "))"]
        guard let type = json["type"] else {
            found.add(
                Diagnostic("missing-key", position: json.range.start, pointer: pointer, message: "missing \"type\"", help: help))
            return nil
        }
        let word = type.elements?.count == 1 ? type.elements?[0].string : type.string
        if let word, let kind = types.first(where: { $0.name == word })?.kind { return (kind, type.elements != nil) }
        found.add(
            Diagnostic(
                "bad-value", position: type.range.start, pointer: pointer.appending("type"),
                expected: "a type, or a list of one", got: type.got, help: help,
                suggestion: word.flatMap { Suggestions.nearest(to: $0, in: types.map(\.name)) }))
        return nil
    }

    private static func choices(
        of json: JSONValue, _ pointer: JSONPointer, _ found: inout FindingsOf
    ) -> [(word: String, value: JSONValue)]? {
        guard let value = json["choices"] else { return nil }
        if let elements = value.elements {
            let words = elements.compactMap { element -> String? in
                switch element.content {
                case .string(let text): text
                case .number, .bool: element.compact
                default: nil
                }
            }
            if !words.isEmpty, words.count == elements.count { return Array(zip(words, elements)) }
        } else if let members = value.members?.filter({ !$0.key.hasPrefix("x-") }), !members.isEmpty {
            return members.map { ($0.key, $0.value) }
        }
        found.add(
            Diagnostic(
                "bad-value", position: value.range.start, pointer: pointer.appending("choices"),
                expected: "a list of words, or an object of values by word", got: value.got))
        return nil
    }

    private static func range(
        of json: JSONValue, _ kind: Kind, _ pointer: JSONPointer, _ found: inout FindingsOf
    ) -> ClosedRange<Double>? {
        var bounds: [Double?] = []
        for key in ["minimum", "maximum"] {
            let value = json[key]
            bounds.append(value?.double)
            guard let value else { continue }
            if value.double == nil {
                found.add(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: pointer.appending(key),
                        expected: kind.isLength ? "a number, of px" : "a number", got: value.got))
            } else if !kind.isLength, ![.number, .integer, .angle, .point].contains(kind) {
                found.add(
                    Diagnostic(
                        "bad-value", position: value.range.start, pointer: pointer.appending(key),
                        message: "\"\(key)\" says nothing of \(kind.phrase)",
                        help: ["it limits numbers and lengths"]))
                return nil
            }
        }
        guard bounds.contains(where: { $0 != nil }) else { return nil }
        let (low, high) = (bounds[0] ?? -.infinity, bounds[1] ?? .infinity)
        if low <= high { return low...high }
        found.add(
            Diagnostic(
                "bad-value", position: json["maximum"]?.range.start, pointer: pointer.appending("maximum"),
                expected: "a maximum of at least the minimum, \(format(low))", got: format(high)))
        return nil
    }
}
