import Diagnostics
import LabelpipeKit
import Outline

/// Where a value comes from: how much its text may mean.
enum Origin: Sendable {
    /// A document: `$name`, `$$`, expressions, templates.
    case document
    /// A command line or a program: templates and expressions, but no parameters.
    case outside
    /// A table's cell, or metadata: text is text.
    case data
}

/// Reads what is written for a declared parameter.
struct ValueReader {
    /// Where the values are written.
    let scope: Scope
    /// The effect or output that declares the parameter, for help lines: `stroke.outline`.
    let owner: String
    let origin: Origin
    /// A choice passes its word where another parameter's default names it.
    var takesWords = false
    let report: (Diagnostic) -> Void

    init(scope: Scope, owner: String, origin: Origin, takesWords: Bool = false, report: @escaping (Diagnostic) -> Void) {
        (self.scope, self.owner, self.origin, self.takesWords, self.report) = (scope, owner, origin, takesWords, report)
    }

    /// nil: refused and reported. `.some(nil)`: absent.
    func term(_ json: JSONValue, _ declaration: ParameterDeclaration, at pointer: JSONPointer) -> Term?? {
        let reading = Reading(
            declaration: declaration, scope: scope, owner: owner, origin: origin, takesWords: takesWords, report: report)
        guard let result = reading.term(json, declaration.kind, pointer) else { return nil }
        guard let term = result else { return .some(nil) }
        // Not with a conditional operator: its nil would mean "absent".
        guard reading.isInRange(term, json, pointer) else { return nil }
        return .some(.some(term))
    }
}

/// One value being read.
struct Reading {
    let declaration: ParameterDeclaration
    let scope: Scope
    let owner: String
    var origin: Origin
    let takesWords: Bool
    /// Choices that stood for each other on the way here.
    var hops = 0
    var report: (Diagnostic) -> Void

    /// nil: refused. `.some(nil)`: absent.
    typealias Result = Term??

    func fail(
        _ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer, expected: String? = nil, got: String? = nil,
        suggestion: String? = nil, help: String? = nil
    ) -> Result {
        var lines = help.map { [$0] } ?? []
        lines.append(declaration.helpLine(owner: owner))
        report(
            Diagnostic(
                "bad-value", file: scope.document.file, position: json.range.start, pointer: pointer,
                expected: expected ?? (kind == declaration.kind ? declaration.expectation : kind.phrase),
                got: got ?? json.got, help: lines, suggestion: suggestion))
        return nil
    }

    /// Refuses a term that lies out of the declared range, as far as that is known without a picture.
    ///
    /// - Parameter part: the kind of the part of the value that this is.
    func isInRange(_ term: Term, _ json: JSONValue, _ pointer: JSONPointer, part: Kind? = nil) -> Bool {
        for scalar in term.scalars {
            guard let n = scalar.constant, let expected = declaration.objection(to: n, part: part) else { continue }
            let unit = declaration.kind.isLength ? "px" : ""
            let got = json.double == n ? json.got : "\(json.got), which is \(format(n))\(unit)"
            _ = fail(json, declaration.kind, pointer, expected: expected, got: got, suggestion: fraction(json))
            return false
        }
        return true
    }

    func term(_ json: JSONValue, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        if origin == .document, let name = json.string.flatMap(parameterName) {
            return parameter(name, json, kind, pointer)
        }
        if origin != .data, let template = templateText(json) {
            return self.template(template, kind, pointer.appending("template"))
        }
        switch kind {
        case .string:
            guard let text = json.string else { return fail(json, kind, pointer, help: quoted(json)) }
            if origin != .data { warnOfLiterals(in: text, json, pointer) }
            return .value(.string(unescaped(text)))
        case .template:
            guard let text = json.string else { return fail(json, kind, pointer, help: quoted(json)) }
            return origin == .data ? .value(.string(text)) : template(json, .string, pointer)
        case .path:
            guard let text = json.string, !text.isEmpty else { return fail(json, kind, pointer) }
            return path(unescaped(text), beside: scope.folder, json, pointer, got: nil)
        case .boolean:
            guard let flag = json.bool else { return fail(json, kind, pointer, help: truth(json)) }
            return .value(.boolean(flag))
        case .number, .angle, .length, .ownLength, .integer: return scalar(json, kind, pointer)
        case .color:
            guard let text = json.string else { return fail(json, kind, pointer) }
            return color(text, json, pointer).map { $0.map { .value(.color($0)) } }
        case .paint: return paint(json, pointer)
        case .insets: return insets(json, pointer)
        case .point: return pair(json, kind, .number, pointer)
        case .offset:
            // layout.place writes its default offset as 0.
            if json.double == 0 { return .offset(.length(0, .px), .length(0, .px)) }
            return pair(json, kind, .length, pointer)
        case .size: return pair(json, kind, .length, pointer)
        case .anchor: return choice(json, Anchor.allCases.map(\.rawValue), kind, pointer)
        case .choice(let names): return choice(json, names, kind, pointer)
        case .list(let element): return list(json, element, kind, pointer)
        case .numbers: return object(json, .number, kind, pointer)
        case .templates: return object(json, .template, kind, pointer)
        case .either(let kinds): return either(json, kinds, kind, pointer)
        }
    }

    // MARK: Strings that mean something

    /// The name, where `text` is exactly `$name`.
    func parameterName(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "$") else { return nil }
        let name = text.dropFirst()
        return Document.isParameterName(name) ? String(name) : nil
    }

    private func unescaped(_ text: String) -> String {
        origin == .document && text.hasPrefix("$$") ? String(text.dropFirst()) : text
    }

    /// A file's name. With a NUL it would be another file's: systems read names up to it.
    func path(_ text: String, beside folder: String, _ json: JSONValue, _ pointer: JSONPointer, got: String?) -> Result {
        guard !text.utf8.contains(0) else {
            return fail(json, .path, pointer, got: got, help: "no file's name holds a NUL (\\u0000): leave it out")
        }
        return .value(.string(Paths.absolute(text, in: folder)))
    }

    // MARK: Compounds

    private func list(_ json: JSONValue, _ element: Kind, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let elements = json.elements else { return fail(json, kind, pointer, help: listed(json, element, pointer)) }
        var terms: [Term] = []
        for (index, json) in elements.enumerated() {
            switch term(json, element, pointer.appending(index)) {
            case .some(.some(let term)):
                if isInRange(term, json, pointer.appending(index), part: element) { terms.append(term) }
            case .some(nil): _ = fail(json, element, pointer.appending(index), got: absent(json))
            case nil: break
            }
        }
        return terms.count == elements.count ? .list(terms) : nil
    }

    /// What is told of a value that is not there where it must be.
    func absent(_ json: JSONValue) -> String { json.isNull ? json.got : "\(json.string ?? json.compact), which is absent" }

    private func object(_ json: JSONValue, _ element: Kind, _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let members = json.members else { return fail(json, kind, pointer) }
        var terms: [String: Term] = [:]
        var isRefused = false
        for member in members where !member.key.hasPrefix("x-") {
            switch term(member.value, element, pointer.appending(member.key)) {
            case .some(.some(let term)): terms[member.key] = term
            case .some(nil): break
            case nil: isRefused = true
            }
        }
        return isRefused ? nil : .object(terms)
    }

    private func insets(_ json: JSONValue, _ pointer: JSONPointer) -> Result {
        guard let members = json.members else {
            return calculation(json, .insets, pointer).map { $0.map { .insets(top: $0, left: $0, bottom: $0, right: $0) } }
        }
        let names = ["top", "left", "bottom", "right"]
        var sides: [String: Calculation] = [:]
        var isRefused = false
        for member in members where !member.key.hasPrefix("x-") {
            guard names.contains(member.key) else {
                report(
                    Diagnostic(
                        "unknown-key", file: scope.document.file, position: member.keyRange.start,
                        pointer: pointer.appending(member.key), message: "unknown side \(Quoted.text(member.key))",
                        help: ["sides: \(names.joined(separator: " "))"],
                        suggestion: Suggestions.nearest(to: member.key, in: names)))
                isRefused = true
                continue
            }
            switch calculation(member.value, .length, pointer.appending(member.key)) {
            case nil: isRefused = true
            case .some(nil): break
            case .some(.some(let c)):
                sides[member.key] = c
                if !isInRange(.scalar(c), member.value, pointer.appending(member.key), part: .length) { isRefused = true }
            }
        }
        if isRefused { return nil }
        let zero = Calculation.length(0, .px)
        return .insets(
            top: sides["top"] ?? zero, left: sides["left"] ?? zero, bottom: sides["bottom"] ?? zero,
            right: sides["right"] ?? zero)
    }

    /// A point, an offset or a size.
    private func pair(_ json: JSONValue, _ kind: Kind, _ element: Kind, _ pointer: JSONPointer) -> Result {
        guard let elements = json.elements, elements.count == 2 else { return fail(json, kind, pointer) }
        var sides: [Calculation?] = []
        for (index, json) in elements.enumerated() {
            let pointer = pointer.appending(index)
            switch kind == .size && json.isNull ? .some(nil) : calculation(json, element, pointer) {
            case nil: break
            case .some(nil) where kind != .size: _ = fail(json, element, pointer, got: absent(json))
            case .some(let side):
                if let side, !isInRange(.scalar(side), json, pointer, part: element) { continue }
                sides.append(side)
            }
        }
        guard sides.count == 2 else { return nil }
        switch kind {
        case .size: return .size(sides[0], sides[1])
        case .offset:
            guard let x = sides[0], let y = sides[1] else { return nil }
            return .offset(x, y)
        default:
            // Numbers have no units: they are known at once.
            guard let x = sides[0]?.constant, let y = sides[1]?.constant else { return fail(json, kind, pointer) }
            return .value(.point(x: x, y: y))
        }
    }

    private func choice(_ json: JSONValue, _ names: [String], _ kind: Kind, _ pointer: JSONPointer) -> Result {
        guard let text = json.string, names.contains(text) else {
            return fail(
                json, kind, pointer, suggestion: json.string.flatMap { Suggestions.nearest(to: $0, in: names) },
                help: kind == .anchor ? "anchors: \(names.joined(separator: " "))" : nil)
        }
        return .value(.string(text))
    }

    private func either(_ json: JSONValue, _ kinds: [Kind], _ kind: Kind, _ pointer: JSONPointer) -> Result {
        var hints: [Diagnostic] = []
        for one in kinds {
            var findings: [Diagnostic] = []
            var reading = self
            reading.report = { findings.append($0) }
            if let result = reading.term(json, one, pointer), !findings.contains(where: { $0.severity == .error }) {
                findings.forEach(report)
                return result
            }
            hints += findings.filter { $0.severity == .error }
        }
        // What lies deeper in the value says more than that the whole is none of the kinds.
        if let deeper = hints.first(where: { ($0.pointer?.count ?? 0) > pointer.count }), json.string == nil {
            report(deeper)
            return nil
        }
        let hint = hints.first { $0.suggestion != nil || $0.help.count > 1 }
        return fail(
            json, kind, pointer, suggestion: hint?.suggestion,
            help: hint.flatMap { $0.help.count > 1 ? $0.help[0] : nil })
    }
}
