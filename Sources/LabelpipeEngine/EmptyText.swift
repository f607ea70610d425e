import Diagnostics
import LabelpipeKit

/// Texts that draw nothing: often a variable of a script that was empty.
extension String {
    /// Whether some character of it may leave a mark. Blanks make room, which may be meant.
    var hasSomethingToDraw: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate: false
            default: true
            }
        }
    }
}

extension Plan {
    /// Where the document or a setting writes a text that draws nothing.
    var emptyTexts: Diagnostics {
        var found = Diagnostics()
        for node in nodes where node.facts.declaration.givesText {
            guard let argument = node.arguments[Language.text], case .value(.string(let text)) = argument.term,
                !text.hasSomethingToDraw
            else { continue }
            // Whoever uses a document whose own default is empty fills it in.
            if let written = argument.written.string, written.hasPrefix("$"),
                node.arguments.document.parameters.contains(where: { $0.name == written.dropFirst() && $0.initial?.string == "" })
            {
                continue
            }
            found.append(
                Diagnostic(
                    EmptyText.code, severity: .warning, file: node.file, position: argument.written.range.start,
                    pointer: node.pointer.appending(Language.text), message: EmptyText.message(text),
                    help: [
                        "\"when\": \"$name\" on a step of a chain or an entry of a stack leaves it out where a parameter is empty"
                    ]))
        }
        return found
    }
}

extension Term {
    /// Whether one of its templates, or of those of the parameters that they name, writes `|""`.
    var foreseesEmptiness: Bool {
        var rest = templates
        var known: Set<String> = []
        while let (template, scope) = rest.popLast() {
            if template.hasEmptyLiteral { return true }
            for field in template.fields where known.insert(field).inserted {
                if case .term(let term, _)? = scope.bindings[field]?.content { rest += term.templates }
            }
        }
        return false
    }
}

enum EmptyText {
    static let code = "empty-text"

    static func message(_ text: String) -> String {
        text.isEmpty ? "the text is empty: nothing is drawn" : "the text \(Quoted.text(text)) draws nothing"
    }
}
