import Diagnostics
import LabelpipeKit

extension Reading {
    /// The text of `{ "template": "…" }`.
    func templateText(_ json: JSONValue) -> JSONValue? {
        guard let members = json.members, let template = json["template"],
            members.allSatisfy({ $0.key == "template" || $0.key.hasPrefix("x-") })
        else { return nil }
        return template
    }

    /// A template where a value of `kind` is wanted.
    func template(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let text = json.string else { return fail(json, .template, pointer) }
        let template: Template
        do {
            template = try Template(text)
        } catch {
            report(
                Diagnostic(
                    "bad-template", file: scope.document.file, position: json.range.start, pointer: pointer,
                    expected: error.expected, got: "\(error.got) at character \(error.offset + 1)",
                    help: [error.got.hasPrefix("%") ? Fields.formats : "{{ and }} are braces that are text"]))
            return nil
        }
        warnOfDollars(in: text, json, pointer)
        if let constant = template.constant {
            var reading = self
            reading.origin = .data
            let plain = JSONValue(setting: constant, for: kind, range: json.range)
            return reading.term(plain, kind == .template ? .string : kind, pointer)
        }
        guard checkFields(template, json, pointer) else { return nil }
        let kept = scope.keeping(template.fields)
        if kind == .string || kind == .template { return .text(template, kept) }
        return .late(
            template, kept,
            ParameterDeclaration(declaration.name, kind, .required, range: declaration.range, doc: declaration.doc))
    }

    /// Whether all fields are known and have a text.
    private func checkFields(_ template: Template, _ json: JSONValue, _ pointer: JSONPointer) -> Bool {
        var isGood = true
        func refuse(_ message: String, help: String, suggestion: String? = nil) {
            report(
                Diagnostic(
                    "unknown-field", file: scope.document.file, position: json.range.start, pointer: pointer,
                    message: message, help: [help], suggestion: suggestion))
            isGood = false
        }
        var parts = template.lookups
        var depth = 0
        for field in template.fields {
            if let binding = scope.bindings[field] {
                parts += binding.parts
                depth = max(depth, binding.depth)
                if case .term(_, let kind) = binding.content, !kind.hasText {
                    refuse("{\(field)} is \(kind.phrase), which is no text", help: Fields.help)
                }
            } else if scope.document.declares(field), !Fields.isKnown(field) {
                // It was refused, and that was reported; or it comes later.
                if scope.document.isTooEarly(pointer, toUse: field) {
                    refuse(
                        "{\(field)} is not declared before this", help: "a default may use the parameters that stand before it")
                } else {
                    isGood = false
                }
            } else if let (name, format) = Fields.wrongFormat(field, known: { scope.document.declares($0) }) {
                refuse("{\(name)} has no format \(Quoted.text(format))", help: Fields.formats)
            } else if ExifNames.isUnknown(field) {
                report(ExifNames.finding(field, scope.document, json.range.start, pointer))
            } else if !Fields.isKnown(field) {
                refuse(
                    "unknown field {\(field)}", help: Fields.help,
                    suggestion: Suggestions.nearest(to: field, in: Fields.names + scope.bindings.keys.sorted()))
            }
        }
        if parts > Language.maximumParts || depth >= Language.maximumDepth {
            report(
                Diagnostic(
                    "too-deep", file: scope.document.file, position: json.range.start, pointer: pointer,
                    expected:
                        "a template of at most \(Language.maximumParts) values, \(Language.maximumDepth) parameters inside each other",
                    got: "more"))
            return false
        }
        return isGood
    }
}

extension Kind {
    /// Whether a template can show it.
    var hasText: Bool {
        switch self {
        case .string, .template, .number, .integer, .boolean, .length, .ownLength, .color, .anchor, .angle, .path, .choice: true
        case .paint, .insets, .point, .offset, .size, .list, .numbers, .templates: false
        case .either(let kinds): kinds.allSatisfy(\.hasText)
        }
    }
}

extension JSONValue {
    /// What `--set name=text`, or a cell of a table, writes for a parameter: JSON for lists, objects and numbers, else text.
    package init(setting text: String, for kind: Kind, range: SourceRange = .none) {
        func parsed() -> JSONValue? {
            (try? JSONValue.parse(Array(text.utf8), file: "")).map { JSONValue($0.content, range: range) }
        }
        let plain = JSONValue(.string(text), range: range)
        switch kind {
        case .string, .template, .path, .choice, .anchor, .color: self = plain
        case .boolean, .number, .integer, .angle, .length, .ownLength:
            self = parsed().flatMap { $0.bool != nil || $0.double != nil ? $0 : nil } ?? plain
        case .paint, .insets, .point, .offset, .size, .list, .numbers, .templates, .either:
            let first = text.trimmed.utf8.first
            let looksLikeJSON = first.map { "[{-0123456789".utf8.contains($0) } ?? false
            self = (looksLikeJSON || kind.takesBooleans ? parsed() : nil) ?? plain
        }
    }
}

extension Kind {
    fileprivate var takesBooleans: Bool { if case .either(let kinds) = self { kinds.contains(.boolean) } else { false } }
}
