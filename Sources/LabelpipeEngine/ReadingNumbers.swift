import Diagnostics
import LabelpipeKit

extension Reading {
    func scalar(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        switch calculation(json, kind, pointer) {
        case nil: return nil
        case .some(nil): return .some(nil)
        case .some(.some(let c)):
            if kind == .integer, let n = c.constant, n.rounded() != n { return fail(json, kind, pointer) }
            return kind == .ownLength ? .own(c) : .scalar(c)
        }
    }

    /// A number, an angle, an integer or a length. nil: refused. `.some(nil)`: absent.
    func calculation(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Calculation?? {
        let isLength = kind.isLength
        if let n = json.double {
            let c = isLength ? Calculation.length(n * scope.scale, .px) : .number(n)
            return isFinite(c) ? c : refused(fail(json, kind, pointer))
        }
        guard let text = json.string else { return refused(fail(json, kind, pointer)) }
        if origin == .document, let name = parameterName(text) { return calculation(of: name, json, kind, pointer) }
        var reader = ExpressionReader(text, scale: scope.scale, isAngle: kind == .angle) { name, part in
            try operand(name, part, json, pointer)
        }
        do {
            var operand = try reader.read()
            if isLength { operand = reader.asLength(operand) }
            if operand.isLength != isLength {
                return refused(
                    fail(json, kind, pointer, suggestion: tidied(text, kind), help: "write a plain number, without a unit"))
            }
            let c = operand.calculation
            return isFinite(c) ? c : refused(fail(json, kind, pointer))
        } catch let failure as ExpressionReader.Failure {
            return refused(refuse(failure, json, kind, pointer))
        } catch is ExpressionReader.Absent {
            return .some(nil)
        } catch {
            // Reported where the parameter was looked up.
            return nil
        }
    }

    /// `$name` alone, as a side of insets, an offset or a size.
    private func calculation(of name: String, _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Calculation?? {
        let scalar: Kind = kind.isLength ? .length : kind
        switch parameter(name, json, scalar, pointer) {
        case nil: return nil
        case .some(nil): return .some(nil)
        case .some(.some(.scalar(let c))), .some(.some(.own(let c))): return c
        case .some(.some):
            return refused(fail(json, scalar, pointer, got: "\"$\(name)\", whose template only a picture can fill in"))
        }
    }

    private func refused(_ result: Result) -> Calculation?? { nil }

    private func isFinite(_ c: Calculation) -> Bool { c.constant?.isFinite ?? true }

    private func refuse(
        _ failure: ExpressionReader.Failure, _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer
    ) -> Result {
        var failure = failure
        if let meant = json.string.flatMap({ tidied($0, kind) }) {
            var reader = ExpressionReader(meant, scale: scope.scale, isAngle: kind == .angle) { _, _ in
                throw ExpressionReader.Absent()
            }
            do {
                _ = try reader.read()
                return fail(json, kind, pointer, suggestion: meant)
            } catch let other as ExpressionReader.Failure {
                // What is wrong besides.
                failure = other
            } catch {}
        }
        switch failure {
        case .notAnExpression: return fail(json, kind, pointer, suggestion: word(json))
        case .wrong(let what): return fail(json, kind, pointer, help: "in it: \(what)")
        case .percent(let digits):
            if kind.isLength { return fail(json, kind, pointer, help: "did you mean \(digits)vmin or \(digits)vw?") }
            let plain = kind == .number ? Double(digits).map { format($0 / 100) } : nil
            return fail(json, kind, pointer, suggestion: plain)
        case .unit(let unit, let digits):
            let units = LengthUnit.allCases.map(\.rawValue)
            guard kind.isLength else { return fail(json, kind, pointer, help: "write a plain number, without a unit") }
            return fail(
                json, kind, pointer, suggestion: Suggestions.nearest(to: unit, in: units).map { digits + $0 },
                help: "units: \(units.joined(separator: " "))")
        case .function(let name):
            let near = Suggestions.nearest(to: name, in: ExpressionReader.functions)
            return fail(json, kind, pointer, suggestion: near.map { $0 + "(…)" }, help: "functions: min max clamp calc")
        }
    }

    /// `$name` or `$name.part` inside an expression.
    private func operand(
        _ name: String, _ part: String?, _ json: JSONValue, _ pointer: JSONPointer
    ) throws -> ExpressionReader.Operand {
        guard origin == .document else {
            throw ExpressionReader.Failure.wrong("$\(name): only a document's own values can name its parameters")
        }
        guard let binding = scope.bindings[name] else {
            _ = parameter(name, json, .length, pointer)
            throw ExpressionReader.Reported()
        }
        switch binding.content {
        case .absent: throw ExpressionReader.Absent()
        case .open: throw ExpressionReader.Reported()
        case .chosen(let value): return try operand(chosen: value, name, part, json, pointer)
        case .term(let term, let kind): return try operand(of: term, kind, name, part)
        }
    }

    /// A choice's value, read as an operand.
    private func operand(
        chosen value: JSONValue, _ name: String, _ part: String?, _ json: JSONValue, _ pointer: JSONPointer
    ) throws -> ExpressionReader.Operand {
        if part == nil, let n = value.double { return ExpressionReader.Operand(calculation: .number(n), isLength: false) }
        if part == nil, let text = value.string, hops < Language.maximumDepth {
            var reading = self
            reading.hops += 1
            var reader = ExpressionReader(text, scale: scope.scale, isAngle: false) { name, part in
                try reading.operand(name, part, json, pointer)
            }
            if let operand = try? reader.read() { return operand }
        }
        throw ExpressionReader.Failure.wrong("$\(name), which stands for \(value.got) here, is not a number or length")
    }

    private func operand(
        of term: Term, _ kind: Kind, _ name: String, _ part: String?
    ) throws -> ExpressionReader.Operand {
        func found(_ c: Calculation?, isLength: Bool) throws -> ExpressionReader.Operand {
            guard let c else { throw ExpressionReader.Absent() }
            return ExpressionReader.Operand(calculation: c, isLength: isLength)
        }
        switch (term, part) {
        case (.scalar(let c), nil), (.own(let c), nil): return try found(c, isLength: kind.isLength)
        case (.insets(let top, _, _, _), "top"): return try found(top, isLength: true)
        case (.insets(_, let left, _, _), "left"): return try found(left, isLength: true)
        case (.insets(_, _, let bottom, _), "bottom"): return try found(bottom, isLength: true)
        case (.insets(_, _, _, let right), "right"): return try found(right, isLength: true)
        case (.offset(let x, _), "x"): return try found(x, isLength: true)
        case (.offset(_, let y), "y"): return try found(y, isLength: true)
        case (.size(let x, _), "x"), (.size(let x, _), "width"): return try found(x, isLength: true)
        case (.size(_, let y), "y"), (.size(_, let y), "height"): return try found(y, isLength: true)
        case (.value(.point(let x, _)), "x"): return try found(.number(x), isLength: false)
        case (.value(.point(_, let y)), "y"): return try found(.number(y), isLength: false)
        case (.value(.color(let color)), "alpha"): return try found(.number(color.alpha), isLength: false)
        case (.late, _): throw ExpressionReader.Failure.wrong("$\(name) is filled in by a template, picture by picture")
        case (_, let part?): throw ExpressionReader.Failure.wrong("$\(name) has no \"\(part)\"; it is \(kind.phrase)")
        case (_, nil): throw ExpressionReader.Failure.wrong("$\(name) is \(kind.phrase), not a number or length")
        }
    }
}
