import Diagnostics
import LabelpipeKit

/// What users read about effects, made from their declarations.
public struct Catalogue: Sendable {
    let registry: Registry

    public init(_ registry: Registry) { self.registry = registry }

    // MARK: All effects

    /// A line an effect, by family; families that are too many to list have one line.
    public func list() throws(Diagnostic) -> String {
        var text = list(try registry.everything())
        for family in registry.families.map(\.family) {
            text += "\n\(family.name).*  \(family.summary)  (labelpipe effects \(family.name))\n"
        }
        return text
    }

    /// The effects whose ids begin with `family`; nil: none do.
    public func members(of family: String) throws(Diagnostic) -> [Registry.Entry]? {
        if let members = try registry.members(of: family) { return members }
        let members = try registry.everything().filter { $0.declaration.id.hasPrefix(family + ".") }
        return members.isEmpty ? nil : members
    }

    public func list(_ entries: [Registry.Entry]) -> String {
        let width = (entries.map(\.declaration.id.count).max() ?? 0) + 2
        var text = ""
        var family = ""
        for entry in entries {
            let id = entry.declaration.id
            let own = String(id.prefix { $0 != "." })
            if own != family, !family.isEmpty { text += "\n" }
            family = own
            text += id.padded(to: width) + entry.declaration.summary + "\n"
        }
        return text
    }

    /// A JSON object an effect, one a line.
    public func listJSON() throws(Diagnostic) -> String { listJSON(try registry.everything()) }

    public func listJSON(_ entries: [Registry.Entry]) -> String { entries.map { describeJSON($0) }.joined() }

    /// The README's table.
    public func markdown() -> String {
        var text = "| effect | what it does | parameters |\n|---|---|---|\n"
        for entry in registry.all {
            let d = entry.declaration
            let keys =
                d.inputs.map { "*\($0.name)*" }
                + d.parameters.map { parameter in
                    let p = parameter.declaration
                    let note = p.isRequired ? "●" : ""
                    return "\(note)`\(p.name)`" + (p.defaultText.map { " (\($0))" } ?? "")
                }
            text += "| `\(d.id)` | \(d.summary) | \(keys.joined(separator: ", ")) |\n"
        }
        for family in registry.families.map(\.family) {
            text +=
                "| `\(family.name).NAME` | \(family.summary.capitalisedSentence) | `labelpipe effects \(family.name)` lists them |\n"
        }
        return text
    }

    // MARK: One effect

    /// An effect's page; nil for an unknown id.
    ///
    /// - Parameter only: the inputs and parameters wanted; none: all, and an example.
    public func describe(_ id: String, only: [String] = []) throws(Diagnostic) -> String? {
        guard let entry = try registry.find(id) else { return nil }
        let d = entry.declaration
        var text = "\(d.id): \(d.summary)\n"
        if only.isEmpty { text += "\nGives \(d.output.phrase). From \(entry.owner).\n" }
        let inputs = d.inputs.filter { only.isEmpty || only.contains($0.name) }
        if !inputs.isEmpty {
            text += "\nInputs\n"
            for input in inputs {
                text += "  " + input.name.padded(to: 16) + "\(input.phrase): \(input.doc)\n"
                if case .entries(let parameters) = input.form {
                    text += table(parameters.map(\.declaration), indent: "      ")
                }
            }
        }
        let parameters = d.parameters.map(\.declaration).filter { only.isEmpty || only.contains($0.name) }
        if !parameters.isEmpty { text += "\nParameters\n" + table(parameters, indent: "  ") }
        if parameters.contains(where: { $0.kind.isLength }) { text += "\n" + Catalogue.units }
        guard only.isEmpty, let document = try exampleDocument(id) else { return text }
        text += "\nExample, drawn by labelpipe describe \(id) --render FILE\n"
        for line in document.split(separator: "\n") { text += "  \(line)\n" }
        return text
    }

    private static let units = """
        Lengths: a number or "12px" is px; vmin vmax vw vh are percents of the picture's shorter and longer side, width
        and height; em is the text's size; mm cm in pt count by the picture's resolution.

        """

    /// A document that draws an effect's example.
    public func exampleDocument(_ id: String) throws(Diagnostic) -> String? {
        guard let example = try registry.find(id)?.declaration.example else { return nil }
        let lines = example.split(separator: "\n")
        let output = ([String(lines.first ?? "")] + lines.dropFirst().map { "  \($0)" }).joined(separator: "\n")
        return "{\n  \"labelpipe\": 1,\n  \"output\": \(output)\n}\n"
    }

    /// An effect's inputs and parameters with what they are; nil for an unknown id.
    public func keys(of id: String) throws(Diagnostic) -> [(name: String, doc: String)]? {
        try registry.find(id).map { entry in
            entry.declaration.inputs.map { ($0.name, $0.doc) }
                + entry.declaration.parameters.map { ($0.declaration.name, $0.declaration.doc) }
        }
    }

    /// All effects with what they do.
    public var summaries: [(id: String, summary: String)] {
        ((try? registry.everything()) ?? registry.all).map { ($0.declaration.id, $0.declaration.summary) }
    }

    /// The nearest id.
    public func suggestion(for id: String) -> String? { Suggestions.nearest(to: id, in: registry.candidates(for: id)) }

    private func table(_ parameters: [ParameterDeclaration], indent: String) -> String {
        let width = max((parameters.map(\.name.count).max() ?? 0) + 2, 8)
        var text = ""
        for p in parameters {
            var facts = p.expectation
            if p.isRequired {
                facts += ", required"
            } else if let value = p.defaultText {
                facts += ", default \(value)"
            }
            text += indent + p.name.padded(to: width) + p.doc + "\n"
            text += indent + String(repeating: " ", count: width) + "(\(facts))\n"
        }
        return text
    }

    /// An effect's declaration as one line of JSON.
    public func describeJSON(_ id: String) throws(Diagnostic) -> String? { try registry.find(id).map { describeJSON($0) } }

    private func describeJSON(_ entry: Registry.Entry) -> String {
        let d = entry.declaration
        var writer = JSONWriter()
        writer.object {
            $0.member("effect", d.id)
            $0.member("summary", d.summary)
            $0.member("owner", entry.owner)
            $0.member("output", d.output.word)
            $0.key("inputs")
            $0.array { list in
                for input in d.inputs {
                    list.object {
                        $0.member("name", input.name)
                        $0.member("accepts", input.accepts.rawValue)
                        $0.member("form", input.form.word)
                        $0.member("description", input.doc)
                    }
                }
            }
            $0.key("parameters")
            $0.array { list in
                for parameter in d.parameters { parameter.declaration.write(to: &list) }
            }
            $0.member("example", d.example)
        }
        writer.endLine()
        return writer.text
    }
}

extension ParameterDeclaration {
    package func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("kind", kind.name)
        writer.member("required", isRequired)
        if let value = defaultValue { writer.member("default", value) }
        if let range {
            if range.lowerBound.isFinite { writer.member("minimum", range.lowerBound) }
            if range.upperBound.isFinite { writer.member("maximum", range.upperBound) }
        }
        if let choices = kind.choices { writer.member("choices", choices) }
        writer.member("description", doc)
    }
}

extension Kind {
    /// The words it admits, where it admits nothing else.
    fileprivate var choices: [String]? {
        switch self {
        case .choice(let names): names
        case .anchor: Anchor.allCases.map(\.rawValue)
        default: nil
        }
    }
}

extension EffectDeclaration.Output {
    var word: String {
        switch self {
        case .coverage: "coverage"
        case .colour: "colour"
        case .sameAsInput: "same"
        }
    }

    var phrase: String {
        switch self {
        case .coverage: "coverage (a mask; a fill gives it colour)"
        case .colour: "colour"
        case .sameAsInput: "what its input is"
        }
    }
}

extension Input.Form {
    var word: String {
        switch self {
        case .one: "one"
        case .optional: "optional"
        case .many: "list"
        case .entries: "entries"
        }
    }
}

extension Input {
    var phrase: String {
        let kind = accepts == .either ? "colour or coverage" : accepts.rawValue
        switch form {
        case .one: return kind
        case .optional: return kind + ", optional"
        case .many: return "list of nodes, " + kind
        case .entries: return "list of nodes or { \"layer\": NODE, … }, " + kind
        }
    }
}

extension String {
    /// The first letter large.
    fileprivate var capitalisedSentence: String { prefix(1).uppercased() + dropFirst() }

    func padded(to width: Int) -> String {
        count >= width ? self + " " : self + String(repeating: " ", count: width - count)
    }
}
