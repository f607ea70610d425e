import Diagnostics
import LabelpipeKit

/// What is connected to a node, and when it is there.
extension Compiler {
    /// What is connected to an input; nil: refused and reported.
    func edges(
        _ facts: EffectFacts, _ index: Int, _ value: JSONValue, _ pointer: JSONPointer,
        _ instance: Instance, feed: Reference?, isLeftOut: Bool
    ) -> [DraftEdge]? {
        var edges = feed.map { [DraftEdge(reference: $0)] } ?? []
        guard let json = value[facts.inputNames[index]] else {
            if !edges.isEmpty || isLeftOut { return edges }
            let input = facts.declaration.inputs[index]
            if case .optional = input.form { return edges }
            report(
                "missing-input", instance, value.range.start, pointer,
                message: "\(facts.id) needs \(Quoted.text(input.name)): \(input.doc)",
                help: index == 0 ? ["put it behind another node in a chain, or give it \(Quoted.text(input.name))"] : [])
            return nil
        }
        let input = facts.declaration.inputs[index]
        let pointer = pointer.appending(input.name)
        switch input.form {
        case .one, .optional:
            guard edges.isEmpty else {
                reportFedTwice(input.name, json, pointer, instance)
                return nil
            }
            return [DraftEdge(reference: later(json, pointer, instance))]
        case .many, .entries:
            guard let elements = json.elements, !elements.isEmpty else {
                report(
                    "bad-value", instance, json.range.start, pointer, expected: "a list of at least one node",
                    got: json.elements == nil ? json.got : "an empty list")
                return nil
            }
            for (number, element) in elements.enumerated() {
                if let edge = entry(element, facts, index, pointer.appending(number), instance) { edges.append(edge) }
            }
            return edges
        }
    }

    func reportFedTwice(_ name: String, _ json: JSONValue, _ pointer: JSONPointer, _ instance: Instance) {
        report(
            "fed-twice", instance, json.range.start, pointer,
            message: "\(Quoted.text(name)) is the step before in this chain",
            help: ["leave \(Quoted.text(name)) out, or begin the chain with this node"])
    }

    /// An entry of a list input: a node, or an object with a `layer`. nil: left out.
    func entry(
        _ element: JSONValue, _ facts: EffectFacts, _ input: Int, _ pointer: JSONPointer, _ instance: Instance
    ) -> DraftEdge? {
        guard let table = facts.entryTables[input], element["effect"] == nil, let node = element["layer"] else {
            return DraftEdge(reference: later(element, pointer, instance))
        }
        let names = ["layer", "when"] + table.declarations.map(\.name)
        for member in element.members ?? [] where !names.contains(member.key) && !member.key.hasPrefix("x-") {
            report(
                "unknown-key", instance, member.keyRange.start, pointer.appending(member.key),
                message: "an entry of \(facts.id) has no \(Quoted.text(member.key))",
                help: ["keys: \(names.joined(separator: " "))"], suggestion: nearest(to: member.key, in: names))
        }
        var arguments = ArgumentList(table: table, written: [], document: instance.document, pointer: pointer)
        _ = read(element, into: &arguments, owner: facts.id, instance)
        var condition = Condition(holds: true)
        if let when = element["when"] { condition = self.condition(when, pointer.appending("when"), instance) }
        let reference = later(node, pointer.appending("layer"), instance)
        guard condition.holds else { return nil }
        return DraftEdge(
            reference: reference,
            entry: Entry(
                arguments: arguments, condition: condition.late, when: condition.late == nil ? nil : element["when"]?.string))
    }

    // MARK: Conditions

    struct Condition {
        /// As far as it is known without a picture.
        var holds: Bool
        /// What decides it otherwise.
        var late: Term?
    }

    func condition(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Condition {
        guard let text = value.string, text.hasPrefix("$"), Document.isParameterName(text.dropFirst()) else {
            report(
                "bad-value", instance, value.range.start, pointer, expected: "a parameter, \"$name\"", got: value.got)
            return Condition(holds: true)
        }
        let name = String(text.dropFirst())
        guard let binding = instance.scope.bindings[name] else {
            if !instance.document.declares(name) {
                let declared = instance.document.parameters.map(\.name)
                report(
                    "unknown-parameter", instance, value.range.start, pointer,
                    message: "unknown parameter \"\(text)\"",
                    help: [
                        declared.isEmpty
                            ? "the document declares no parameters" : "parameters: \(declared.joined(separator: " "))"
                    ],
                    suggestion: nearest(to: name, in: declared).map { "$" + $0 })
            }
            return Condition(holds: true)
        }
        switch binding.content {
        case .absent: return Condition(holds: false)
        case .open: return Condition(holds: true)
        case .chosen(let value): return Condition(holds: value.isTruthy)
        case .term(let term, _):
            return term.isTruthy.map { Condition(holds: $0) } ?? Condition(holds: true, late: term)
        }
    }
}
