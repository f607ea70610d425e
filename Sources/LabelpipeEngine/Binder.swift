import Diagnostics
import LabelpipeKit

/// Gives a document's parameters their values.
struct Binder {
    /// A value from outside the document.
    struct Supply {
        let json: JSONValue
        let pointer: JSONPointer
        /// What wrote it; nil: the command line or a table's row.
        let scope: Scope?
        /// Its text is text: neither `$name` nor a template.
        let isLiteral: Bool
        /// How messages name where it comes from, where no document wrote it.
        var source: String?
    }

    let document: Document
    let scale: Double
    let allowsOpen: Bool
    let report: (Diagnostic) -> Void

    /// All parameters, in order: a default may use those before it.
    func bind(supply: (Document.Declared) -> Supply?, missing: (Document.Declared) -> Void) -> Scope {
        var bindings: [String: Scope.Binding] = [:]
        for parameter in document.parameters {
            let own = Scope(document: document, bindings: bindings, scale: scale)
            if let supply = supply(parameter) {
                if let binding = bound(parameter, supply, own) {
                    if case .absent = binding.content, !parameter.isOptional, parameter.initial != nil {
                        // An absent value counts as not written.
                    } else {
                        bindings[parameter.name] = binding
                        continue
                    }
                } else {
                    continue
                }
            }
            guard let initial = parameter.initial else {
                if allowsOpen { bindings[parameter.name] = Scope.Binding(.open) } else { missing(parameter) }
                continue
            }
            if initial.isNull {
                bindings[parameter.name] = Scope.Binding(.absent)
                continue
            }
            let supply = Supply(json: initial, pointer: parameter.pointer.appending("default"), scope: own, isLiteral: false)
            if let binding = bound(parameter, supply, own) { bindings[parameter.name] = binding }
        }
        return Scope(document: document, bindings: bindings, scale: scale)
    }

    /// nil: refused and reported.
    private func bound(_ parameter: Document.Declared, _ supply: Supply, _ own: Scope) -> Scope.Binding? {
        let writer = supply.scope ?? Scope(document: document, bindings: own.bindings, scale: scale, folder: Paths.workingFolder)
        let report = { (finding: Diagnostic) in
            var finding = finding
            if let source = supply.source {
                finding.file = source
                finding.position = nil
                finding.pointer = nil
            }
            self.report(finding)
        }
        if supply.json.isNull { return Scope.Binding(.absent) }
        if let choices = parameter.choices {
            return chosen(parameter, choices, supply, writer, report)
        }
        let reader = ValueReader(scope: writer, owner: "parameter of \(document.file)", report: report)
        // On the command line a template is a template; in a row it is text.
        switch reader.argument(supply.json, parameter.declaration, at: supply.pointer, literal: supply.isLiteral) {
        case nil: return nil
        case .some(nil): return Scope.Binding(.absent)
        case .some(.some(let argument)): return Scope.Binding(.term(argument.term, parameter.fullKind))
        }
    }

    /// A word, or a list of words, and what they stand for.
    private func chosen(
        _ parameter: Document.Declared, _ choices: [(word: String, value: JSONValue)], _ supply: Supply,
        _ writer: Scope, _ report: (Diagnostic) -> Void
    ) -> Scope.Binding? {
        func refuse(_ json: JSONValue) -> Scope.Binding? {
            report(
                Diagnostic(
                    "bad-value", file: writer.document.file, position: json.range.start, pointer: supply.pointer,
                    expected: parameter.declaration.expectation, got: json.got,
                    help: [parameter.declaration.helpLine(owner: "parameter of \(document.file)")],
                    suggestion: json.string.flatMap { Suggestions.nearest(to: $0, in: choices.map(\.word)) }))
            return nil
        }
        func word(_ json: JSONValue) -> String?? {
            guard let text = json.string else { return json.double != nil ? json.compact : nil }
            if !supply.isLiteral, text.hasPrefix("$"), let binding = writer.bindings[String(text.dropFirst())] {
                switch binding.content {
                case .absent: return .some(nil)
                case .term(.value(.string(let text)), _): return text
                case .term(.scalar(let c), _): return c.constant.map(format)
                default: return binding.word
                }
            }
            return text
        }
        func value(_ json: JSONValue) -> JSONValue?? {
            switch word(json) {
            case nil: return nil
            case .some(nil): return .some(nil)
            case .some(.some(let word)):
                guard let choice = choices.first(where: { $0.word == word }) else { return nil }
                return .some(.some(choice.value))
            }
        }
        if parameter.isList {
            guard let elements = supply.json.elements else { return refuse(supply.json) }
            var values: [JSONValue] = []
            for element in elements {
                guard case .some(.some(let mapped)) = value(element) else { return refuse(element) }
                values.append(mapped)
            }
            return Scope.Binding(.written(JSONValue(.array(values), range: supply.json.range)))
        }
        switch value(supply.json) {
        case nil: return refuse(supply.json)
        case .some(nil): return Scope.Binding(.absent)
        case .some(.some(let mapped)):
            if mapped.isNull { return Scope.Binding(.absent) }
            return Scope.Binding(.written(mapped), word: word(supply.json).flatMap { $0 })
        }
    }
}
