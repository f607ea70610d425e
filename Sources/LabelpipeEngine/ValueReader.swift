import Diagnostics
import LabelpipeKit
import Outline

/// Reads what a document writes for a declared parameter.
struct ValueReader {
    /// Where the values are written.
    let scope: Scope
    /// The effect or output that declares the parameter, for help lines: `stroke.outline`.
    let owner: String
    let report: (Diagnostic) -> Void

    /// nil: refused and reported. `.some(nil)`: absent.
    func argument(
        _ json: JSONValue, _ declaration: ParameterDeclaration, at pointer: JSONPointer, literal: Bool = false
    ) -> Argument?? {
        let context = Reading(
            declaration: declaration, pointer: pointer, scope: scope, owner: owner, literal: literal, report: report)
        guard let result = context.term(json, declaration.kind, pointer) else { return nil }
        guard let term = result else { return .some(nil) }
        let argument = Argument(
            declaration: declaration, term: term, written: json, pointer: pointer, file: scope.document.file)
        guard context.inRange(term, json) else { return nil }
        return argument
    }
}

/// One value being read.
private struct Reading {
    let declaration: ParameterDeclaration
    let pointer: JSONPointer
    let scope: Scope
    let owner: String
    /// Text from rows and metadata: no `$name`, no expressions with parameters, no templates.
    let literal: Bool
    let report: (Diagnostic) -> Void

    /// nil: refused. `.some(nil)`: absent.
    typealias Result = Term??

    func fail(
        _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer, got: String? = nil, suggestion: String? = nil,
        help: String? = nil, cause: String? = nil
    ) -> Result {
        var lines = help.map { [$0] } ?? []
        lines.append(declaration.helpLine(owner: owner))
        report(
            Diagnostic(
                "bad-value", file: scope.document.file, position: json.range.start, pointer: pointer,
                expected: kind == declaration.kind ? declaration.expectation : kind.phrase, got: got ?? json.got,
                help: lines, suggestion: suggestion, cause: cause))
        return nil
    }

    /// Refuses a term that lies out of the declared range, as far as that is known without a picture.
    func inRange(_ term: Term, _ json: JSONValue) -> Bool {
        guard let range = declaration.range else { return true }
        for scalar in term.scalars {
            if let n = scalar.constant, !range.contains(n) {
                _ = fail(json, declaration.kind, pointer, got: outOfRangeGot(n, json))
                return false
            }
        }
        return true
    }

    private func outOfRangeGot(_ n: Double, _ json: JSONValue) -> String {
        if json.double == n { return json.got }
        return "\(json.got), which is \(format(n))\(declaration.kind.isLength ? "px" : "")"
    }

    func term(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        if !literal {
            if let string = json.string, let name = parameterName(string) {
                return parameter(name, json, kind, pointer)
            }
            if let template = json.members, template.count == 1, template[0].key == "template" {
                return self.template(template[0].value, kind, pointer.appending("template"))
            }
        }
        switch kind {
        case .string:
            guard let text = json.string else { return fail(json, kind, pointer) }
            return .value(.string(literal ? text : unescaped(text)))
        case .template:
            guard let text = json.string else { return fail(json, kind, pointer) }
            return literal ? .value(.string(text)) : template(json, .string, pointer)
        case .path:
            guard let text = json.string, !text.isEmpty else { return fail(json, kind, pointer) }
            return .value(.string(Paths.absolute(literal ? text : unescaped(text), in: scope.folder)))
        case .number, .angle, .length, .ownLength: return scalar(json, kind, pointer)
        case .integer:
            switch scalar(json, kind, pointer) {
            case .some(.some(.scalar(let c))):
                if let n = c.constant, n.rounded() != n || abs(n) > 9e15 { return fail(json, kind, pointer) }
                return .scalar(c)
            case let other: return other
            }
        case .boolean:
            guard let flag = json.bool else { return fail(json, kind, pointer) }
            return .value(.boolean(flag))
        case .color:
            guard let text = json.string else { return fail(json, kind, pointer) }
            return color(text, json, pointer).map { $0.map { .value(.color($0)) } }
        case .paint: return paint(json, pointer)
        case .insets: return insets(json, pointer)
        case .point:
            return pair(json, kind, pointer) { json, pointer in calculation(json, .number, pointer) }
                .map { pair in
                    pair.flatMap { a, b in
                        guard let x = a?.constant, let y = b?.constant else { return nil }
                        return .value(.point(x: x, y: y))
                    }
                }
        case .offset:
            if let n = json.double, n == 0 {
                // layout.place writes its default offset as 0.
                return .offset(.length(0, .px), .length(0, .px))
            }
            return pair(json, kind, pointer) { json, pointer in calculation(json, .length, pointer) }
                .map { pair in
                    pair.flatMap { a, b in
                        guard let a, let b else { return nil }
                        return .offset(a, b)
                    }
                }
        case .size:
            return pair(json, kind, pointer) { json, pointer in
                json.isNull ? .some(nil) : calculation(json, .length, pointer)
            }.map { pair in pair.map { .size($0.0, $0.1) } }
        case .anchor: return choice(json, Anchor.allCases.map(\.rawValue), kind, pointer)
        case .choice(let names): return choice(json, names, kind, pointer)
        case .list(let element):
            guard let elements = json.elements else { return fail(json, kind, pointer) }
            var terms: [Term] = []
            var refused = false
            for (index, json) in elements.enumerated() {
                switch term(json, element, pointer.appending(index)) {
                case .some(.some(let term)): terms.append(term)
                case .some(nil):
                    _ = fail(json, element, pointer.appending(index), got: "null")
                    refused = true
                case nil: refused = true
                }
            }
            return refused ? nil : .list(terms)
        case .numbers, .templates:
            guard let members = json.members else { return fail(json, kind, pointer) }
            var terms: [String: Term] = [:]
            var refused = false
            for member in members where !member.key.hasPrefix("x-") {
                let inner: Kind = kind == .numbers ? .number : .template
                switch term(member.value, inner, pointer.appending(member.key)) {
                case .some(.some(let term)): terms[member.key] = term
                case .some(nil): break
                case nil: refused = true
                }
            }
            return refused ? nil : .object(terms)
        case .either(let kinds): return either(json, kinds, kind, pointer)
        }
    }

    // MARK: Strings that mean something

    /// The name, where `text` is exactly `$name`.
    private func parameterName(_ text: String) -> String? {
        guard text.hasPrefix("$") else { return nil }
        let name = text.dropFirst()
        return Document.isParameterName(name) ? String(name) : nil
    }

    private func unescaped(_ text: String) -> String { text.hasPrefix("$$") ? String(text.dropFirst()) : text }

    private func template(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let text = json.string else { return fail(json, .template, pointer) }
        do {
            let template = try Template(text)
            if let constant = template.constant {
                let plain = JSONValue(.string(constant), range: json.range)
                var reading = self
                reading = Reading(
                    declaration: declaration, pointer: self.pointer, scope: scope, owner: owner, literal: true,
                    report: report)
                return reading.term(plain, kind == .template ? .string : kind, pointer)
            }
            var refused = false
            for field in template.fields where !isField(field) {
                report(
                    Diagnostic(
                        "unknown-field", file: scope.document.file, position: json.range.start, pointer: pointer,
                        message: "unknown field {\(field)}", help: [Fields.help],
                        suggestion: Suggestions.nearest(to: field, in: Fields.names + scope.bindings.keys.sorted())))
                refused = true
            }
            if refused { return nil }
            if kind == .string || kind == .template { return .text(template, scope) }
            return .late(template, scope, ParameterDeclaration(declaration.name, kind, .required, range: declaration.range, doc: declaration.doc))
        } catch let error {
            report(
                Diagnostic(
                    "bad-template", file: scope.document.file, position: json.range.start, pointer: pointer,
                    expected: error.expected, got: "\(error.got) at character \(error.offset + 1)",
                    help: ["{{ and }} are braces that are text"]))
            return nil
        }
    }

    private func isField(_ name: String) -> Bool { scope.bindings[name] != nil || Fields.isKnown(name) }

    // MARK: Parameters

    private func unknownParameter(_ name: String, _ json: JSONValue, _ pointer: JSONPointer) -> Result {
        let declared = scope.document.parameters.map(\.name)
        report(
            Diagnostic(
                "unknown-parameter", file: scope.document.file, position: json.range.start, pointer: pointer,
                message: "unknown parameter \"$\(name)\"",
                help: [
                    declared.isEmpty
                        ? "the document declares no parameters; a text that begins with $ is written $$"
                        : "parameters: \(declared.joined(separator: " "))"
                ], suggestion: Suggestions.nearest(to: name, in: declared).map { "$" + $0 }))
        return nil
    }

    private func parameter(_ name: String, _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let binding = scope.bindings[name] else {
            // A parameter that could not be read has been reported already; one declared later is not there yet.
            if let declared = scope.document.parameters.first(where: { $0.name == name }) {
                guard pointer.tokens.first == "parameters" else { return nil }
                report(
                    Diagnostic(
                        "unknown-parameter", file: scope.document.file, position: json.range.start, pointer: pointer,
                        message: "\"$\(name)\" is declared after this one",
                        help: ["move \(declared.pointer) before it"]))
                return nil
            }
            return unknownParameter(name, json, pointer)
        }
        switch binding.content {
        case .absent: return .some(nil)
        case .open: return nil
        case .written(let value):
            // The value of a choice is read as what this place wants.
            let reading = Reading(
                declaration: declaration, pointer: self.pointer, scope: scope, owner: owner, literal: literal,
                report: { finding in
                    var finding = finding
                    finding.position = json.range.start
                    finding.pointer = pointer
                    finding.help.append("\"$\(name)\" stands for \(value.got) here")
                    self.report(finding)
                })
            return reading.term(value, kind, pointer)
        case .term(let term, let has):
            if let converted = converted(term, from: has, to: kind) { return .some(converted) }
            return fail(json, kind, pointer, got: "\"$\(name)\", which is \(has.phrase)")
        }
    }

    /// A parameter's value where another kind is wanted; nil where that makes no sense.
    private func converted(_ term: Term, from has: Kind, to wanted: Kind) -> Term? {
        switch (has, wanted) {
        case _ where has == wanted: return term
        case (.string, .template), (.template, .string), (.string, .path), (.path, .string), (.template, .path): return term
        case (.integer, .number), (.integer, .angle), (.number, .angle), (.angle, .number): return term
        case (.integer, .length), (.number, .length), (.integer, .ownLength), (.number, .ownLength):
            guard case .scalar(let c) = term else { return term }
            let px = Calculation.product(c, .length(1, .px))
            return wanted == .length ? .scalar(px) : .own(px)
        case (.length, .ownLength):
            guard case .scalar(let c) = term else { return term }
            return .own(c)
        case (.number, .integer):
            if case .scalar(let c) = term, let n = c.constant, n.rounded() == n { return term }
            return nil
        case (.color, .paint):
            if case .value(.color(let color)) = term { return .value(.paint(.color(color))) }
            return term
        case (.length, .insets), (.number, .insets), (.integer, .insets):
            guard case .scalar(var c) = term else { return term }
            if has != .length { c = .product(c, .length(1, .px)) }
            return .insets(top: c, left: c, bottom: c, right: c)
        case (.offset, .size):
            guard case .offset(let a, let b) = term else { return term }
            return .size(a, b)
        case (.string, .choice), (.string, .anchor), (.string, .color):
            if case .value(.string(let text)) = term {
                let reading = Reading(
                    declaration: declaration, pointer: pointer, scope: scope, owner: owner, literal: true,
                    report: { _ in })
                return reading.term(JSONValue(.string(text)), wanted, pointer).flatMap { $0 }
            }
            return nil
        case (.list(let a), .list(let b)):
            guard case .list(let terms) = term else { return term }
            let all = terms.map { converted($0, from: a, to: b) }
            return all.contains { $0 == nil } ? nil : .list(all.compactMap { $0 })
        case (_, .either(let kinds)):
            for kind in kinds {
                if let term = converted(term, from: has, to: kind) { return term }
            }
            return nil
        default: return nil
        }
    }

    // MARK: Numbers

    private func scalar(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        switch calculation(json, kind, pointer) {
        case nil: return nil
        case .some(nil): return .some(nil)
        case .some(.some(let c)): return kind == .ownLength ? .own(c) : .scalar(c)
        }
    }

    /// nil: refused. `.some(nil)`: absent.
    private func calculation(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Calculation?? {
        let isLength = kind.isLength
        if let n = json.double {
            return isLength ? .length(n * scope.scale, .px) : .number(n)
        }
        guard let text = json.string else {
            _ = fail(json, kind, pointer)
            return nil
        }
        if let name = parameterName(text), !literal {
            switch parameter(name, json, isLength ? .length : (kind == .integer ? .integer : .number), pointer) {
            case nil: return nil
            case .some(nil): return .some(nil)
            case .some(.some(.scalar(let c))), .some(.some(.own(let c))): return c
            case .some(.some): return nil
            }
        }
        var reader = ExpressionReader(text, scale: scope.scale) { name, part in try operand(name, part, json, pointer) }
        do {
            var operand = try reader.read()
            if isLength { operand = reader.asLength(operand) }
            if operand.isLength != isLength {
                _ = fail(json, kind, pointer, help: "write a plain number")
                return nil
            }
            if let n = operand.calculation.constant, !n.isFinite {
                _ = fail(json, kind, pointer)
                return nil
            }
            return operand.calculation
        } catch let failure as ExpressionReader.Failure {
            let isWord = failure.message.hasPrefix("\"")
            _ = fail(
                json, kind, pointer, suggestion: failure.suggestion,
                help: failure.help ?? (isWord ? nil : "in it: \(failure.message)"))
            return nil
        } catch is ExpressionReader.Absent {
            return .some(nil)
        } catch {
            return nil
        }
    }

    private struct Reported: Error {}

    /// `$name` or `$name.part` inside an expression.
    private func operand(
        _ name: String, _ part: String?, _ json: JSONValue, _ pointer: JSONPointer
    ) throws -> ExpressionReader.Operand {
        guard !literal, let binding = scope.bindings[name] else {
            _ = parameter(name, json, .length, pointer)
            throw Reported()
        }
        guard case .term(let term, let kind) = binding.content else {
            if case .absent = binding.content { throw ExpressionReader.Absent() }
            if case .open = binding.content { throw Reported() }
            if case .written(let value) = binding.content, let n = value.double {
                return ExpressionReader.Operand(calculation: .number(n), isLength: false)
            }
            throw ExpressionReader.Failure(message: "$\(name) is a choice")
        }
        let isLength = kind != .number && kind != .integer && kind != .angle && kind != .point
        func found(_ c: Calculation?) throws -> ExpressionReader.Operand {
            guard let c else { throw ExpressionReader.Absent() }
            return ExpressionReader.Operand(calculation: c, isLength: isLength)
        }
        switch (term, part) {
        case (.scalar(let c), nil): return try found(c)
        case (.insets(let top, _, _, _), "top"): return try found(top)
        case (.insets(_, let left, _, _), "left"): return try found(left)
        case (.insets(_, _, let bottom, _), "bottom"): return try found(bottom)
        case (.insets(_, _, _, let right), "right"): return try found(right)
        case (.offset(let x, _), "x"): return try found(x)
        case (.offset(_, let y), "y"): return try found(y)
        case (.size(let x, _), "x"), (.size(let x, _), "width"): return try found(x)
        case (.size(_, let y), "y"), (.size(_, let y), "height"): return try found(y)
        case (.value(.point(let x, _)), "x"): return try found(.number(x))
        case (.value(.point(_, let y)), "y"): return try found(.number(y))
        case (_, let part?): throw ExpressionReader.Failure(message: "$\(name) has no \"\(part)\"; it is \(kind.phrase)")
        case (_, nil): throw ExpressionReader.Failure(message: "$\(name) is \(kind.phrase), not a number or length")
        }
    }

    private func pair(
        _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer,
        _ read: (JSONValue, JSONPointer) -> Calculation??
    ) -> (Calculation?, Calculation?)?? {
        guard let elements = json.elements, elements.count == 2 else {
            _ = fail(json, kind, pointer)
            return nil
        }
        let a = read(elements[0], pointer.appending(0))
        let b = read(elements[1], pointer.appending(1))
        guard let a, let b else { return nil }
        return .some((a, b))
    }

    // MARK: Colours and paints

    /// nil: refused. `.some(nil)`: absent.
    private func color(_ text: String, _ json: JSONValue, _ pointer: JSONPointer) -> Color?? {
        let plain = text.trimmed
        if let name = parameterName(plain), !literal {
            switch parameter(name, json, .color, pointer) {
            case nil: return nil
            case .some(nil): return .some(nil)
            case .some(.some(.value(.color(let color)))): return color
            case .some(.some): break
            }
        }
        for (function, apply) in Reading.colorFunctions where plain.hasPrefix(function + "(") && plain.hasSuffix(")") {
            let inner = plain.dropFirst(function.count + 1).dropLast()
            guard let comma = inner.lastIndex(of: ","), let level = Double(inner[inner.index(after: comma)...].trimmed),
                (0...1).contains(level)
            else {
                _ = fail(json, .color, pointer, help: "\(function)(COLOR, 0.9): a color, then a level from 0 to 1")
                return nil
            }
            return color(String(inner[..<comma]), json, pointer).map { $0.map { apply($0, level) } }
        }
        if let color = Color(css: plain) { return color }
        let names = Color.named.keys.sorted() + ["transparent"]
        _ = fail(
            json, .color, pointer, suggestion: plain.hasPrefix("#") ? nil : Suggestions.nearest(to: plain, in: names),
            help: plain.hasPrefix("#") ? "hex colors have 3, 4, 6 or 8 digits: #rgb #rgba #rrggbb #rrggbbaa" : nil)
        return nil
    }

    private static let colorFunctions: [(String, @Sendable (Color, Double) -> Color)] = [
        ("lighten-to", { $0.lightened(to: $1) }), ("darken-to", { $0.darkened(to: $1) }),
    ]

    private func paint(_ json: JSONValue, _ pointer: JSONPointer) -> Result {
        if let text = json.string {
            return color(text, json, pointer).map { $0.map { .value(.paint(.color($0))) } }
        }
        guard let members = json.members else { return fail(json, .paint, pointer) }
        var terms: [String: Term] = [:]
        var refused = false
        let known = GradientKeys.all.map(\.declaration)
        let reader = ValueReader(scope: scope, owner: "a gradient paint", report: report)
        for member in members where !member.key.hasPrefix("x-") {
            guard let declaration = known.first(where: { $0.name == member.key }) else {
                report(
                    Diagnostic(
                        "unknown-key", file: scope.document.file, position: member.keyRange.start,
                        pointer: pointer.appending(member.key), message: "unknown key \"\(member.key)\" of a gradient",
                        help: ["keys: \(known.map(\.name).joined(separator: " "))"],
                        suggestion: Suggestions.nearest(to: member.key, in: known.map(\.name))))
                refused = true
                continue
            }
            switch reader.argument(member.value, declaration, at: pointer.appending(member.key)) {
            case nil: refused = true
            case .some(nil): break
            case .some(.some(let argument)): terms[member.key] = argument.term
            }
        }
        for declaration in known where declaration.isRequired && terms[declaration.name] == nil && !refused {
            report(
                Diagnostic(
                    "missing-key", file: scope.document.file, position: json.range.start, pointer: pointer,
                    message: "missing \"\(declaration.name)\"", help: [declaration.helpLine(owner: "a gradient paint")]))
            refused = true
        }
        return refused ? nil : .gradient(terms, pointer)
    }

    // MARK: Compounds

    private func insets(_ json: JSONValue, _ pointer: JSONPointer) -> Result {
        guard let members = json.members else {
            return calculation(json, .length, pointer).map { $0.map { .insets(top: $0, left: $0, bottom: $0, right: $0) } }
        }
        var sides: [String: Calculation] = [:]
        var refused = false
        for member in members where !member.key.hasPrefix("x-") {
            guard ["top", "left", "bottom", "right"].contains(member.key) else {
                report(
                    Diagnostic(
                        "unknown-key", file: scope.document.file, position: member.keyRange.start,
                        pointer: pointer.appending(member.key), message: "unknown side \"\(member.key)\"",
                        help: ["sides: top left bottom right"],
                        suggestion: Suggestions.nearest(to: member.key, in: ["top", "left", "bottom", "right"])))
                refused = true
                continue
            }
            switch calculation(member.value, .length, pointer.appending(member.key)) {
            case nil: refused = true
            case .some(nil): break
            case .some(.some(let c)): sides[member.key] = c
            }
        }
        if refused { return nil }
        let zero = Calculation.length(0, .px)
        return .insets(
            top: sides["top"] ?? zero, left: sides["left"] ?? zero, bottom: sides["bottom"] ?? zero,
            right: sides["right"] ?? zero)
    }

    private func choice(_ json: JSONValue, _ names: [String], _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let text = json.string else { return fail(json, kind, pointer) }
        guard names.contains(text) else {
            return fail(
                json, kind, pointer, suggestion: Suggestions.nearest(to: text, in: names),
                help: kind == .anchor ? "anchors: \(names.joined(separator: " "))" : nil)
        }
        return .value(.string(text))
    }

    private func either(_ json: JSONValue, _ kinds: [Kind], _ kind: Kind, _ pointer: JSONPointer) -> Result {
        for one in kinds {
            var findings: [Diagnostic] = []
            let reading = Reading(
                declaration: declaration, pointer: self.pointer, scope: scope, owner: owner, literal: literal,
                report: { findings.append($0) })
            // A word of a choice is not a badly written length.
            if let result = reading.term(json, one, pointer), findings.isEmpty { return result }
        }
        return fail(json, kind, pointer)
    }
}

extension Kind {
    var isLength: Bool {
        switch self {
        case .length, .ownLength, .insets, .offset, .size: true
        case .list(let kind): kind.isLength
        case .either(let kinds): kinds.contains(where: \.isLength)
        default: false
        }
    }
}

/// A number without a trailing `.0`.
func format(_ n: Double) -> String {
    n == n.rounded() && abs(n) < 1e15 ? String(Int(n)) : String(n)
}

extension ParameterDeclaration {
    /// "a length from 0px to 4096px".
    package var expectation: String {
        guard let range else { return kind.phrase }
        let unit = kind.isLength ? "px" : ""
        if range.upperBound == .infinity { return "\(kind.phrase), at least \(format(range.lowerBound))\(unit)" }
        if range.lowerBound == -.infinity { return "\(kind.phrase), at most \(format(range.upperBound))\(unit)" }
        return "\(kind.phrase) from \(format(range.lowerBound))\(unit) to \(format(range.upperBound))\(unit)"
    }

    /// The default as help lines and tables name it.
    package var defaultText: String? {
        guard let value = defaultValue else { return nil }
        let text = value.string ?? value.compact
        if case .relative(_, let otherwise) = presence { return "\(text), else \(format(otherwise))px" }
        return text
    }

    /// `stroke.outline "width": visible width of the stroke, default 1px  (labelpipe describe stroke.outline)`.
    func helpLine(owner: String) -> String {
        var line = "\(owner) \"\(name)\": \(doc)"
        if let defaultText { line += ", default \(defaultText)" }
        if isRequired { line += ", required" }
        if !owner.contains(" ") { line += "  (labelpipe describe \(owner))" }
        return line
    }
}
