import Diagnostics
import LabelpipeKit

extension Reading {
    /// nil: refused. `.some(nil)`: absent.
    func color(_ text: String, _ json: JSONValue, _ pointer: JSONPointer, depth: Int = 0) -> Color?? {
        let plain = text.trimmed
        func refuse(suggestion: String? = nil, help: String? = nil, got: String? = nil) -> Color?? {
            _ = fail(json, .color, pointer, got: got, suggestion: suggestion, help: help)
            return nil
        }
        if origin == .document, let name = parameterName(plain) {
            switch parameter(name, json, .color, pointer) {
            case nil: return nil
            case .some(nil): return .some(nil)
            case .some(.some(.value(.color(let color)))): return color
            case .some(.some): return refuse(got: "\"$\(name)\", whose template only a picture can fill in")
            }
        }
        for (function, apply) in Reading.colorFunctions where plain.hasPrefix(function + "(") && plain.hasSuffix(")") {
            guard depth < Language.maximumDepth else {
                return refuse(help: "more than \(Language.maximumDepth) brackets inside each other")
            }
            let inner = plain.dropFirst(function.count + 1).dropLast()
            guard let comma = lastComma(in: inner) else {
                return refuse(help: "\(function)(COLOR, 0.9): a color, then a level from 0 to 1")
            }
            switch level(String(inner[inner.index(after: comma)...]), json, pointer) {
            case nil: return refuse(help: "\(function)(COLOR, 0.9): a color, then a level from 0 to 1")
            case .some(nil): return .some(nil)
            case .some(.some(let level)):
                return color(String(inner[..<comma]), json, pointer, depth: depth + 1).map { $0.map { apply($0, level) } }
            }
        }
        if let color = Color(css: plain) { return color }
        if plain.hasPrefix("#") { return refuse(help: "hex colors have 3, 4, 6 or 8 digits: #rgb #rgba #rrggbb #rrggbbaa") }
        return refuse(suggestion: Suggestions.nearest(to: plain, in: Color.named.keys.sorted() + ["transparent"]))
    }

    private static let colorFunctions: [(String, @Sendable (Color, Double) -> Color)] = [
        ("lighten-to", { $0.lightened(to: $1) }), ("darken-to", { $0.darkened(to: $1) }),
    ]

    /// The last comma that is in no bracket.
    private func lastComma(in text: Substring) -> String.Index? {
        var depth = 0
        for index in text.indices.reversed() {
            switch text[index] {
            case ")": depth += 1
            case "(": depth -= 1
            case "," where depth == 0: return index
            default: break
            }
        }
        return nil
    }

    /// A number from 0 to 1, or an expression. nil: refused. `.some(nil)`: absent.
    private func level(_ text: String, _ json: JSONValue, _ pointer: JSONPointer) -> Double?? {
        var reading = self
        reading.report = { _ in }
        switch reading.calculation(JSONValue(.string(text.trimmed)), .number, pointer) {
        case nil: return nil
        case .some(nil): return .some(nil)
        case .some(.some(let c)):
            guard let level = c.constant, (0...1).contains(level) else { return nil }
            return level
        }
    }

    /// A colour, or an object with a gradient's keys.
    func paint(_ json: JSONValue, _ pointer: JSONPointer) -> Result {
        if let text = json.string {
            return color(text, json, pointer).map { $0.map { .value(.paint(.color($0))) } }
        }
        guard let members = json.members else { return fail(json, .paint, pointer) }
        var terms: [String: Term] = [:]
        var isRefused = false
        let known = GradientKeys.all.map(\.declaration)
        let owner = "a gradient's"
        let reader = ValueReader(scope: scope, owner: owner, origin: origin, report: report)
        for member in members where !member.key.hasPrefix("x-") {
            guard let declaration = known.first(where: { $0.name == member.key }) else {
                report(
                    Diagnostic(
                        "unknown-key", file: scope.document.file, position: member.keyRange.start,
                        pointer: pointer.appending(member.key), message: "a gradient has no \(Quoted.text(member.key))",
                        help: ["keys: \(known.map(\.name).joined(separator: " "))"],
                        suggestion: Suggestions.nearest(to: member.key, in: known.map(\.name))))
                isRefused = true
                continue
            }
            switch reader.term(member.value, declaration, at: pointer.appending(member.key)) {
            case nil: isRefused = true
            case .some(nil): break
            case .some(.some(let term)): terms[member.key] = term
            }
        }
        for declaration in known where declaration.isRequired && terms[declaration.name] == nil && !isRefused {
            report(
                Diagnostic(
                    "missing-key", file: scope.document.file, position: json.range.start, pointer: pointer,
                    message: "a gradient needs \(Quoted.text(declaration.name))", help: [declaration.helpLine(owner: owner)]))
            isRefused = true
        }
        return isRefused ? nil : .gradient(terms, pointer)
    }
}
