import Diagnostics
import LabelpipeKit

/// Reads the word, or the list of words, that a user writes for a parameter with `choices`.
struct Choosing {
    let parameter: Document.Declared
    let choices: [(word: String, value: JSONValue)]
    let declaration: ParameterDeclaration
    let owner: String
    /// What wrote the word.
    let writer: Scope
    let origin: Origin
    let pointer: JSONPointer
    let report: (Diagnostic) -> Void

    private enum Word {
        case word(String)
        case absent, open
    }

    /// nil: refused and reported.
    func binding(of json: JSONValue, in own: Scope) -> Scope.Binding? {
        var json = json
        if origin == .document, let words = binding(named: json)?.words {
            // The words of another choice are written here as they were written there.
            json = JSONValue(words.content, range: json.range)
        }
        guard parameter.isList else {
            switch word(json) {
            case nil: return refuse(json, at: pointer)
            case .absent?: return Scope.Binding(content: .absent, folder: writer.folder)
            case .open?: return Scope.Binding(content: .open, folder: writer.folder)
            case .word(let word)?:
                guard let value = choices.first(where: { $0.word == word })?.value else { return refuse(json, at: pointer) }
                return bound(value, words: JSONValue(.string(word)), in: own)
            }
        }
        guard let elements = json.elements else { return refuse(json, at: pointer) }
        var words: [JSONValue] = []
        var values: [JSONValue] = []
        for (index, element) in elements.enumerated() {
            guard case .word(let word)? = word(element), let value = choices.first(where: { $0.word == word })?.value else {
                return refuse(element, at: pointer.appending(index))
            }
            words.append(JSONValue(.string(word)))
            values.append(value)
        }
        return bound(JSONValue(.array(values), range: json.range), words: JSONValue(.array(words)), in: own)
    }

    private func binding(named json: JSONValue) -> Scope.Binding? {
        guard let text = json.string, text.hasPrefix("$") else { return nil }
        return writer.bindings[String(text.dropFirst())]
    }

    private func word(_ json: JSONValue) -> Word? {
        if origin == .document, let binding = binding(named: json) {
            switch binding.content {
            case .absent: return .absent
            case .open: return .open
            case .term(.value(.string(let text)), _): return .word(text)
            case .term(.scalar(let c), _): return c.constant.map { .word(format($0)) }
            case .term(.value(.boolean(let flag)), _): return .word(flag ? "true" : "false")
            case .chosen: return binding.words?.string.map { .word($0) }
            case .term: return nil
            }
        }
        switch json.content {
        case .string(let text): return .word(origin == .document && text.hasPrefix("$$") ? String(text.dropFirst()) : text)
        case .number, .bool: return .word(json.compact)
        default: return nil
        }
    }

    /// What the word stands for: kept as it is written for `choice`, read at once for other types.
    private func bound(_ value: JSONValue, words: JSONValue, in own: Scope) -> Scope.Binding? {
        if value.isNull { return Scope.Binding(content: .absent, folder: writer.folder) }
        // A value that is another parameter is that one.
        if let text = value.string, text.hasPrefix("$"), var other = own.bindings[String(text.dropFirst())] {
            other.words = words
            return other
        }
        if case .choice = parameter.kind {
            return Scope.Binding(content: .chosen(value), words: words, folder: own.document.folder)
        }
        let reader = ValueReader(scope: own, owner: owner, origin: .document, report: report)
        switch reader.term(value, parameter.valueDeclaration(declaration), at: parameter.pointer.appending("choices")) {
        case nil: return nil
        case .some(nil): return Scope.Binding(content: .absent, folder: writer.folder)
        case .some(.some(let term)):
            var binding = Scope.Binding(term, kind: parameter.valueKind, folder: own.document.folder)
            binding.words = words
            return binding
        }
    }

    private func refuse(_ json: JSONValue, at pointer: JSONPointer) -> Scope.Binding? {
        report(
            Diagnostic(
                "bad-value", file: writer.document.file, position: json.range.start, pointer: pointer,
                expected: Kind.choice(choices.map(\.word)).phrase, got: json.got, help: [declaration.helpLine(owner: owner)],
                suggestion: json.string.flatMap { Suggestions.nearest(to: $0, in: choices.map(\.word)) }))
        return nil
    }
}
