import Diagnostics
import LabelpipeKit
import Outline

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

/// Labels that draw nothing, although they are there.
enum FaintLabel {
    static let code = "draws-nothing"
    static let message = "the label draws nothing: it is blank, too small or too faint to be seen, or cut away"
    /// Less than that of a pixel's area no 8-bit picture shows.
    static let leastArea = 1.0 / 512

    /// - Parameters:
    ///   - before: what it was to be drawn on.
    ///   - after: what came of it.
    static func isOne(_ label: Layer, before: Layer, after: Layer) -> Bool {
        // Without marks and without a text, a step or an entry has been left out, as the document says.
        guard !label.marks.isEmpty || label.text != nil, let base = before.picture, let result = after.picture else {
            return false
        }
        let reach = label.marks.reach
        return base.image === result.image || reach.width * reach.height < leastArea
    }
}

enum EmptyText {
    static let nulCode = "nul-character"
    static let nul = "the text holds U+0000, which is no character that can be drawn: a box may stand for it"

    static let code = "empty-text"

    static func message(_ text: String) -> String {
        text.isEmpty ? "the text is empty: nothing is drawn" : "the text \(Quoted.text(text)) draws nothing"
    }
}
