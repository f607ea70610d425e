import Diagnostics
import LabelpipeKit
import Outline

/// Turns terms into values for one picture.
struct Resolver {
    let measures: Measures
    let missing: Template.Missing
    /// Where a default in px is written, it is this many.
    let scale: Double
    /// Fields that belong to the picture, not to a document.
    let lookup: (String) throws -> FieldValue?
    /// Told where a value is not the one that the document says.
    let report: (Note) -> Void

    init(
        measures: Measures, missing: Template.Missing = .error, scale: Double = 1,
        lookup: @escaping (String) throws -> FieldValue? = { _ in nil }, report: @escaping (Note) -> Void = { _ in }
    ) {
        (self.measures, self.missing, self.scale, self.lookup, self.report) = (measures, missing, scale, lookup, report)
    }

    /// All values of a node, entry or output, and those of them that another picture may change.
    ///
    /// **Errors**: `Diagnostic` for a unit that cannot be measured, a value out of range, a missing field.
    func values(
        _ list: ArgumentList, owner: String, leavingOut left: String? = nil
    ) throws -> (all: [String: Value], varying: [Value]) {
        var values = list.table.constants
        var varying: [Value] = []
        for number in list.written.indices {
            let name = list.table.names[list.written[number].index]
            if name == left { continue }
            if case .value(let value) = list.written[number].term {
                values[name] = value
                continue
            }
            let argument = list.written[number]
            let value = try self.value(argument, list, owner: owner)
            values[name] = value
            if !argument.isConstant { varying.append(value) }
        }
        for index in list.varyingDefaults where list.table.names[index] != left {
            let declaration = list.table.declarations[index]
            guard let term = list.table.defaults[index] else { continue }
            let value = inRange(try defaultValue(term, declaration, list, owner: owner), declaration, owner: owner)
            values[declaration.name] = value
            varying.append(value)
        }
        return (values, varying)
    }

    private func value(_ argument: Argument, _ list: ArgumentList, owner: String) throws -> Value {
        let declaration = list.table.declarations[argument.index]
        do {
            let value = try self.value(argument.term, declaration)
            // What is known at once was checked when it was read.
            if argument.isConstant { return value }
            let held = inRange(value, declaration, owner: owner)
            try check(held, argument, declaration, list, owner: owner)
            return held
        } catch {
            throw finding(error, argument.written, declaration, list, owner: owner)
        }
    }

    /// A length that shrinks with the picture is no mistake where it comes to less than can be drawn: in percent of a picture
    /// of three pixels much does. The least that can be drawn is taken, and told; what `mayVanish` is not drawn then, and its
    /// effect tells that.
    private func inRange(_ value: Value, _ declaration: ParameterDeclaration, owner: String) -> Value {
        guard declaration.kind.isLength, !declaration.mayVanish, case .number(let n) = value,
            let least = declaration.range?.lowerBound, n > 0, n < least
        else { return value }
        report(
            Note(
                .note, "length-too-small",
                "\(owner) \(Quoted.text(declaration.name)) comes to \(format(n))px on this picture: \(format(least))px is taken"))
        return .number(least)
    }

    private func check(
        _ value: Value, _ argument: Argument, _ declaration: ParameterDeclaration, _ list: ArgumentList, owner: String
    ) throws {
        for n in value.numbers {
            guard let expected = declaration.objection(to: n) else { continue }
            if declaration.mayVanish, n >= 0, n < declaration.range?.lowerBound ?? 0 { continue }
            let unit = declaration.kind.isLength ? "px" : ""
            throw Diagnostic(
                "out-of-range", file: list.document.file, position: argument.written.range.start,
                pointer: list.pointer.appending(declaration.name), expected: expected,
                got: "\(argument.written.got), which is \(format(n))\(unit) here", help: [declaration.helpLine(owner: owner)])
        }
    }

    /// A default in a unit without a meaning is the px declared beside it, or takes 16 px to the em.
    private func defaultValue(
        _ term: Term, _ declaration: ParameterDeclaration, _ list: ArgumentList, owner: String
    ) throws -> Value {
        do {
            return try value(term, declaration)
        } catch Calculation.Failure.unmeasurable(let unit) {
            if case .relative(_, let px) = declaration.presence, case .scalar = term { return .number(px * scale) }
            if unit == .em {
                let sixteen = Resolver(
                    measures: Measures(base: measures.base, em: 16 * scale), missing: missing, scale: scale, lookup: lookup,
                    report: report)
                if let value = try? sixteen.value(term, declaration) { return value }
            }
            throw finding(Calculation.Failure.unmeasurable(unit), nil, declaration, list, owner: owner)
        } catch {
            throw finding(error, nil, declaration, list, owner: owner)
        }
    }

    /// An error as a finding at the value it is about.
    private func finding(
        _ error: any Error, _ written: JSONValue?, _ declaration: ParameterDeclaration, _ list: ArgumentList, owner: String
    ) -> any Error {
        let pointer = list.pointer.appending(declaration.name)
        let help = declaration.helpLine(owner: owner)
        func finding(
            _ code: String, message: String? = nil, expected: String? = nil, got: String? = nil, help lines: [String] = []
        ) -> Diagnostic {
            Diagnostic(
                code, file: list.document.file, position: written?.range.start, pointer: pointer, message: message,
                expected: expected, got: got, help: lines + [help])
        }
        switch error {
        case Calculation.Failure.unmeasurable(let unit):
            let text = written?.got ?? declaration.defaultText ?? "a length"
            return finding("no-measure", message: "\(text): \(unit.needs)")
        case Calculation.Failure.outOfRange(let n, let range, let parameter):
            let unit = declaration.kind.isLength ? "px" : ""
            let expected = ParameterDeclaration(
                parameter, declaration.kind.isLength ? .length : .number, .required, range: range, doc: "")
            return finding(
                "out-of-range", expected: "\(expected.expectation), as \"\(parameter)\" is declared",
                got: "\(format(n))\(unit) here")
        case let error as Template.MissingField:
            let names = error.names.map { "{\($0)}" }.joined(separator: " or ")
            return Diagnostic(
                "missing-field", file: list.document.file, position: written?.range.start, pointer: pointer,
                message: "no \(names)",
                help: ["give an alternative, {\(error.names.last ?? "field")|\"text\"}, or run with --missing-field empty"])
        case is Template.TooLong:
            return finding("too-long", expected: "at most \(Template.TooLong.limit >> 20) MB of text", got: "more")
        case var error as Diagnostic where error.pointer?.isRoot ?? true:
            // What a template came to was read like any other value.
            error.file = list.document.file
            error.position = written?.range.start
            error.pointer = pointer
            return error
        default: return error
        }
    }

    func value(_ term: Term, _ declaration: ParameterDeclaration) throws -> Value {
        switch term {
        case .value(let value): return value
        case .scalar(let c): return .number(try c.value(measures))
        case .own(let c):
            let units = c.units
            for unit in units where unit != .em && measures.px(per: unit) == nil {
                throw Calculation.Failure.unmeasurable(unit)
            }
            if !units.contains(.em) { _ = try c.value(measures) }
            // Without such a unit it is the same length on every base. What it comes to in em only the text knows: a
            // range declared for a parameter in it ends here.
            return .length(OwnLength(c.withoutLimits, base: units.contains { $0.isOfBase || $0.isOfPaper } ? measures.base : nil))
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
            var values = Resolver.gradient.constants
            for key in Resolver.gradient.declarations {
                if let term = terms[key.name] { values[key.name] = try value(term, key) }
            }
            return .paint(
                .gradient(try GradientValue(Arguments(values, written: Set(terms.keys), at: pointer))))
        case .text(let template, let scope): return .string(try filled(template, scope))
        case .late(let template, let scope, let declaration): return try late(template, scope, declaration)
        }
    }

    /// Fractions and colours: no `--scale` changes them.
    private static let gradient = ParameterTable(GradientKeys.all, scale: 1)

    /// A value of any kind that a template's text says.
    private func late(_ template: Template, _ scope: Scope, _ declaration: ParameterDeclaration) throws -> Value {
        let text = try filled(template, scope)
        var findings: [Diagnostic] = []
        let reader = ValueReader(scope: scope, owner: "a template's", origin: .data) { findings.append($0) }
        let json = JSONValue(setting: text, for: declaration.kind)
        guard case .some(.some(let term)) = reader.term(json, declaration, at: .root) else {
            throw findings.first ?? Diagnostic("bad-value", expected: declaration.expectation, got: Quoted.text(text))
        }
        return try value(term, declaration)
    }

    // MARK: Templates

    /// A template's text; parameters of the document that wrote it win over the picture's fields.
    func filled(_ template: Template, _ scope: Scope) throws -> String {
        try template.filled(missing: missing) { name in
            if let binding = scope.bindings[name] { return try field(binding) }
            let plain = name.hasPrefix("picture.") ? String(name.dropFirst("picture.".count)) : name
            return try lookup(plain)
        }
    }

    /// A parameter as a template shows it; nil where it is absent.
    private func field(_ binding: Scope.Binding) throws -> FieldValue? {
        if let word = binding.words?.string { return .text(word) }
        switch binding.content {
        case .absent, .open: return nil
        case .chosen(let value): return .text(value.string ?? value.compact)
        case .term(let term, _):
            switch term {
            case .value(.string(let text)): return .text(text)
            case .value(.boolean(let flag)): return .text(flag ? "true" : "false")
            case .value(.color(let color)): return .text(color.hex)
            case .scalar(let c):
                let n = try c.value(measures)
                return Int(exactly: n).map { .integer($0) } ?? .text(format(n))
            case .text(let template, let scope), .late(let template, let scope, _): return .text(try filled(template, scope))
            default: return nil
            }
        }
    }

    // MARK: Conditions

    /// Whether a step or entry with this condition stays. A text whose fields are missing is absent.
    func holds(_ condition: Term?) throws -> Bool {
        guard let condition else { return true }
        if let known = condition.isTruthy { return known }
        do {
            switch condition {
            case .late(let template, let scope, let declaration):
                if try filled(template, scope).isEmpty { return false }
                return try late(template, scope, declaration).isTruthy
            default: return try value(condition, ParameterDeclaration("when", .string, .required, doc: "")).isTruthy
            }
        } catch is Template.MissingField {
            return false
        }
    }
}

extension LengthUnit {
    /// What it would be measured by.
    var needs: String {
        self == .em
            ? "em is the size of a text, and none is upstream of this node"
            : "\(rawValue) is measured by a picture, and there is no image.source or image.canvas"
    }
}

extension Value {
    /// The numbers that a range limits.
    var numbers: [Double] {
        switch self {
        case .number(let n): [n]
        case .insets(let i): [i.top, i.left, i.bottom, i.right]
        case .offset(let v): [v.dx, v.dy]
        case .point(let x, let y): [x, y]
        case .size(let s): [s.width, s.height].compactMap { $0 }
        case .list(let all): all.flatMap(\.numbers)
        case .object(let all): all.values.flatMap(\.numbers)
        default: []
        }
    }
}
