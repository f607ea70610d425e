import Diagnostics
import LabelpipeKit
import Outline

/// Turns terms into values for one picture.
struct Resolver {
    let measures: Measures
    let missing: Template.Missing
    /// Fields that belong to the picture, not to a document.
    let lookup: (String) throws -> FieldValue?

    init(
        measures: Measures, missing: Template.Missing = .error,
        lookup: @escaping (String) throws -> FieldValue? = { _ in nil }
    ) {
        (self.measures, self.missing, self.lookup) = (measures, missing, lookup)
    }

    /// A value within its declaration's range.
    ///
    /// **Errors**: `Diagnostic` for a unit that cannot be measured, a value out of range, a missing field.
    func value(_ argument: Argument, owner: String) throws -> Value {
        do {
            let value = try self.value(argument.term, argument.declaration)
            if let range = argument.declaration.range, let n = value.numbers.first(where: { !range.contains($0) }) {
                throw Diagnostic(
                    "out-of-range", file: argument.file, position: argument.written?.range.start,
                    pointer: argument.pointer, expected: argument.declaration.expectation,
                    got: "\(format(n))\(argument.declaration.kind.isLength ? "px" : "")"
                        + (argument.written.map { " (\($0.got))" } ?? ""),
                    help: [argument.declaration.helpLine(owner: owner)])
            }
            return value
        } catch let error as Calculation.Unmeasurable {
            if argument.written == nil, let fallback = try fallback(argument) { return fallback }
            throw unmeasurable(error, argument, owner: owner)
        } catch let error as Template.MissingField {
            throw Diagnostic(
                "missing-field", file: argument.file, position: argument.written?.range.start, pointer: argument.pointer,
                message: "no \(error.names.map { "{\($0)}" }.joined(separator: " or "))",
                help: [
                    "give an alternative, {\(error.names.last ?? "field")|\"text\"}, or run with --missing-field empty"
                ])
        }
    }

    private func unmeasurable(_ error: Calculation.Unmeasurable, _ argument: Argument, owner: String) -> Diagnostic {
        let need =
            error.unit == .em
            ? "em is the size of a text, and none is upstream of this node"
            : "\(error.unit.rawValue) is measured by a picture, and there is no image.source or image.canvas"
        return Diagnostic(
            "no-measure", file: argument.file, position: argument.written?.range.start, pointer: argument.pointer,
            message: "\(argument.written?.got ?? argument.declaration.defaultText ?? "a length"): \(need)",
            help: [argument.declaration.helpLine(owner: owner)])
    }

    /// What a default in a unit without a meaning is: the px declared beside it, or 16 px to the em.
    private func fallback(_ argument: Argument) throws -> Value? {
        if case .relative(_, let px) = argument.declaration.presence {
            return argument.declaration.kind == .length ? .number(px) : nil
        }
        let sixteen = Resolver(measures: Measures(base: measures.base, em: 16), missing: missing, lookup: lookup)
        return try? sixteen.value(argument.term, argument.declaration)
    }

    private func value(_ term: Term, _ declaration: ParameterDeclaration) throws -> Value {
        switch term {
        case .value(let value): return value
        case .scalar(let c):
            let n = try c.value(measures)
            return .number(n)
        case .own(let c):
            for unit in c.units where unit != .em && measures.px(per: unit) == nil {
                throw Calculation.Unmeasurable(unit: unit)
            }
            return .length(OwnLength(c, base: measures.base))
        case .insets(let top, let left, let bottom, let right):
            return .insets(
                Insets(
                    top: try top.value(measures), left: try left.value(measures), bottom: try bottom.value(measures),
                    right: try right.value(measures)))
        case .offset(let x, let y): return .offset(Vector(dx: try x.value(measures), dy: try y.value(measures)))
        case .size(let width, let height):
            return .size(PartialSize(width: try width?.value(measures), height: try height?.value(measures)))
        case .list(let terms): return .list(try terms.map { try value($0, declaration) })
        case .object(let terms): return .object(try terms.mapValues { try value($0, declaration) })
        case .gradient(let terms, let pointer):
            var values: [String: Value] = [:]
            for parameter in GradientKeys.all {
                let key = parameter.declaration
                if let term = terms[key.name] ?? Defaults.term(of: key) { values[key.name] = try value(term, key) }
            }
            return .paint(.gradient(try GradientValue(Arguments(values, at: pointer))))
        case .text(let template, let scope): return .string(try filled(template, scope))
        case .late(let template, let scope, let declaration):
            let text = try filled(template, scope)
            var findings: [Diagnostic] = []
            let reader = ValueReader(scope: scope, owner: "a template", report: { findings.append($0) })
            let argument = reader.argument(JSONValue(setting: text, for: declaration.kind), declaration, at: .root, literal: true)
            guard case .some(.some(let argument)) = argument else {
                throw findings.first ?? Diagnostic("bad-value", expected: declaration.expectation, got: Quoted.text(text))
            }
            return try value(argument.term, declaration)
        }
    }

    /// A template's text; parameters of the document that wrote it win over the picture's fields.
    func filled(_ template: Template, _ scope: Scope) throws -> String {
        try template.filled(missing: missing) { name in
            if let binding = scope.bindings[name] { return try text(binding).map { .text($0) } }
            let plain = name.hasPrefix("picture.") ? String(name.dropFirst("picture.".count)) : name
            return try lookup(plain)
        }
    }

    /// A parameter as a template shows it; nil where it is absent.
    private func text(_ binding: Scope.Binding) throws -> String? {
        if let word = binding.word { return word }
        switch binding.content {
        case .absent, .open: return nil
        case .written(let value): return value.string ?? value.compact
        case .term(let term, _):
            switch term {
            case .value(.string(let text)): return text
            case .value(.boolean(let flag)): return flag ? "true" : "false"
            case .value(.color(let color)): return color.hex
            case .scalar(let c): return format(try c.value(measures))
            case .text(let template, let scope): return try filled(template, scope)
            default: return nil
            }
        }
    }

    /// Whether a step or entry with this condition stays.
    func holds(_ condition: Term?) throws -> Bool {
        guard let condition else { return true }
        if let known = condition.isTruthy { return known }
        switch condition {
        case .text(let template, let scope), .late(let template, let scope, _):
            let text = try? filled(template, scope)
            return !(text ?? "").isEmpty
        default: return true
        }
    }
}

extension Value {
    /// The numbers that a range limits.
    var numbers: [Double] {
        switch self {
        case .number(let n): [n]
        case .insets(let i): [i.top, i.left, i.bottom, i.right]
        case .offset(let v): [v.dx, v.dy]
        case .size(let s): [s.width, s.height].compactMap { $0 }
        case .list(let all): all.flatMap(\.numbers)
        case .object(let all): all.values.flatMap(\.numbers)
        default: []
        }
    }
}

/// Defaults as terms, read once from their declarations.
enum Defaults {
    /// A document without parameters: what a default is written in.
    private static let scope: Scope = {
        let empty = try? Document(
            bytes: Array("{\"labelpipe\":1,\"output\":\"x\"}".utf8), file: "defaults", folder: "/")
        guard let empty else { preconditionFailure("the document of the defaults is well-formed") }
        return Scope(document: empty, bindings: [:], scale: 1)
    }()

    /// nil where there is none. `--scale` multiplies px where they are written, and a default is written by nobody.
    static func term(of declaration: ParameterDeclaration) -> Term? {
        guard let json = declaration.defaultValue else { return nil }
        var findings: [Diagnostic] = []
        let reader = ValueReader(scope: scope, owner: "default", report: { findings.append($0) })
        guard case .some(.some(let argument)) = reader.argument(json, declaration, at: .root) else {
            preconditionFailure("the default of \(declaration.name) is not \(declaration.kind.phrase): \(findings)")
        }
        return argument.term
    }
}

extension JSONValue {
    /// What `--set name=text`, or a cell of a table, writes for a parameter: JSON for lists, objects and numbers, else text.
    package init(setting text: String, for kind: Kind) {
        func parsed() -> JSONValue? { try? JSONValue.parse(Array(text.utf8), file: "") }
        switch kind {
        case .string, .template, .path, .choice, .anchor, .color: self.init(.string(text))
        case .boolean, .number, .integer, .angle, .length, .ownLength:
            self = parsed().flatMap { $0.string == nil ? $0 : nil } ?? JSONValue(.string(text))
        case .paint, .insets, .point, .offset, .size, .list, .numbers, .templates, .either:
            if let first = text.trimmed.first, first == "[" || first == "{" || first.isNumber || first == "-" {
                self = parsed() ?? JSONValue(.string(text))
            } else {
                self.init(.string(text))
            }
        }
    }
}
