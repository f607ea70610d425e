import Diagnostics
import LabelpipeKit

/// Nodes: an effect with its parameters, or a chain of them.
extension Compiler {
    /// Whatever may stand where a node may stand.
    func read(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?) -> Reference {
        switch value.content {
        case .string(let id): return named(id, value, pointer, instance)
        case .object: return node(value, pointer, instance, name: name, feed: nil, isStep: false)
        case .array(let steps):
            guard let first = steps.first else {
                report(
                    "empty-chain", instance, value.range.start, pointer, expected: "a chain of at least one node",
                    got: "an empty list")
                return .broken
            }
            var current: Reference
            if case .object = first.content {
                current = node(first, pointer.appending(0), instance, name: name, feed: nil, isStep: false)
            } else {
                current = later(first, pointer.appending(0), instance)
            }
            for (index, step) in steps.enumerated().dropFirst() {
                if step.members != nil {
                    current = node(step, pointer.appending(index), instance, name: name, feed: current, isStep: true)
                } else {
                    report(
                        "bad-step", instance, step.range.start, pointer.appending(index),
                        expected: "a node { \"effect\": … }; only the first step may be an id or a chain", got: step.got)
                    current = .broken
                }
            }
            return current
        default:
            report(
                "bad-node", instance, value.range.start, pointer,
                expected: "a node: an id, { \"effect\": … } or a chain [ … ]", got: value.got)
            return .broken
        }
    }

    func node(
        _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?, feed: Reference?, isStep: Bool
    ) -> Reference {
        guard hasRoom(value, pointer, instance) else { return .broken }
        var condition = Condition(holds: true)
        if let when = value["when"] {
            if isStep {
                condition = self.condition(when, pointer.appending("when"), instance)
            } else {
                report(
                    "bad-when", instance, when.range.start, pointer.appending("when"),
                    message: "\"when\" stands on a chain's steps after the first and on a stack's entries",
                    help: ["a step that is left out passes on what reaches it, and nothing reaches this node"])
            }
        }
        guard let effect = value["effect"] else {
            let near = value.members?.first { Suggestions.nearest(to: $0.key, in: ["effect"]) != nil }
            report(
                "missing-key", instance, near?.keyRange.start ?? value.range.start, pointer, message: "missing \"effect\"",
                help: [
                    value["node"] != nil && pointer == JSONPointer.root.appending("output")
                        ? "\"output\" is the node itself; with other keys beside \"node\" write \"outputs\": [ { \"node\": … } ]"
                        : "a node is { \"effect\": ID, … }"
                ], suggestion: near.map { _ in "effect" })
            return .broken
        }
        guard let id = effect.string else {
            report(
                "bad-value", instance, effect.range.start, pointer.appending("effect"), expected: "an effect's id",
                got: effect.got)
            return .broken
        }
        let made =
            id.hasSuffix(Language.documentSuffix)
            ? use(id, effect, value, pointer, instance, feed: feed, isLeftOut: !condition.holds)
            : self.effect(id, effect, value, pointer, instance, name: name, feed: feed, isLeftOut: !condition.holds)
        guard let feed else { return made }
        if !condition.holds { return feed }
        guard let late = condition.late else { return made }
        // Which of the two it is, each picture decides.
        return add(
            Draft(
                facts: choice,
                arguments: ArgumentList(table: choice.table, written: [], document: instance.document, pointer: pointer),
                position: value.range.start, name: nil, isBroken: false),
            inputs: [
                [DraftEdge(reference: feed)],
                [DraftEdge(reference: made, entry: Entry(arguments: nil, condition: late, when: value["when"]?.string))],
            ])
    }

    /// The node of an effect that a plugin has.
    func effect(
        _ id: String, _ effect: JSONValue, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?,
        feed: Reference?, isLeftOut: Bool
    ) -> Reference {
        let known: EffectFacts?
        do {
            known = try facts(id)
        } catch {
            report(
                error.code, instance, effect.range.start, pointer.appending("effect"), message: error.message,
                help: error.help + (error.cause.map { [$0] } ?? []))
            return .broken
        }
        guard let facts = known else {
            let near = nearest(to: id, in: registry.candidates(for: id))
            report(
                "unknown-effect", instance, effect.range.start, pointer.appending("effect"),
                message: "unknown effect \(Quoted.text(id))",
                help: (near == nil ? ["labelpipe effects lists them"] : []) + registry.refusals.map(\.message), suggestion: near)
            // What stands inside it is read as of what was probably meant. Of its own keys nothing is said: it may be another.
            if let near, let facts = try? facts(near) {
                let told = findings
                _ = draft(facts, value, pointer, instance, name: name, feed: feed, isLeftOut: isLeftOut)
                findings = told
            }
            return .broken
        }
        let made = draft(facts, value, pointer, instance, name: name, feed: feed, isLeftOut: isLeftOut)
        guard id == Language.source else { return made }
        instance.usesSource = true
        if let input = instance.input { return input }
        guard !instance.isEffect else {
            report(
                "no-input", instance, value.range.start, pointer,
                message: "\(instance.document.file) draws on an input, and the node that uses it gives none",
                help: ["put a step before that node, or give it \"input\""])
            return .broken
        }
        return made
    }

    func draft(
        _ facts: EffectFacts, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?,
        feed: Reference?, isLeftOut: Bool
    ) -> Reference {
        let keys = checkKeys(facts, value, pointer, instance)
        var isBroken = keys != .good
        var arguments = ArgumentList(table: facts.table, written: [], document: instance.document, pointer: pointer)
        if !read(value, into: &arguments, owner: facts.id, instance, isRequired: !isLeftOut) { isBroken = true }
        if feed != nil, facts.declaration.inputs.isEmpty {
            isBroken = true
            report(
                "no-input", instance, value.range.start, pointer,
                message: "\(facts.id) takes no input: it can only begin a chain",
                help: ["layout.stack and layout.place put one layer on another"])
        }
        var inputs: [[DraftEdge]] = []
        inputs.reserveCapacity(facts.inputNames.count)
        for index in facts.inputNames.indices {
            let feed = index == 0 ? feed : nil
            guard let edges = edges(facts, index, value, pointer, instance, feed: feed, isLeftOut: isLeftOut) else {
                isBroken = true
                inputs.append([])
                continue
            }
            inputs.append(edges)
        }
        return add(
            Draft(
                facts: facts, arguments: arguments, position: value.range.start, name: name, isBroken: isBroken,
                isColoured: keys == .coloured),
            inputs: inputs)
    }

    enum Keys {
        case good, unknown
        /// A mask was given a colour.
        case coloured
    }

    func checkKeys(_ facts: EffectFacts, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Keys {
        var verdict = Keys.good
        let members = value.members ?? []
        for index in members.indices {
            let key = members[index].key
            if key == "effect" || key == "when" || facts.table.index(of: key) != nil || facts.inputNames.contains(key)
                || key.hasPrefix("x-")
            {
                continue
            }
            let member = members[index]
            if case .coverage = facts.declaration.output, let color = Self.color(member) {
                verdict = .coloured
                report(
                    "unknown-key", instance, member.keyRange.start, pointer.appending(key),
                    message: "\(facts.id) has no \(Quoted.text(key)): it gives a mask, and colour is a step of its own",
                    help: ["add \(color) behind it"])
                continue
            }
            if verdict == .good { verdict = .unknown }
            let names = facts.table.names + facts.inputNames
            report(
                "unknown-key", instance, member.keyRange.start, pointer.appending(key),
                message: "\(facts.id) has no \(Quoted.text(key))",
                help: ["\(facts.id): \(names.joined(separator: " "))  (labelpipe describe \(facts.id))"],
                suggestion: nearest(to: key, in: names))
        }
        return verdict
    }

    /// The step that gives the colour which somebody wrote on a mask; nil: it was not about colour.
    private static func color(_ member: JSONValue.Member) -> String? {
        guard Suggestions.nearest(to: member.key, in: ["color"]) != nil else { return nil }
        return "{ \"effect\": \"fill.solid\", \"color\": \(member.value.string.map { Quoted.text($0) } ?? "…") }"
    }

    /// Reads the parameters that an object writes; false where something was refused.
    func read(
        _ value: JSONValue, into list: inout ArgumentList, owner: String, _ instance: Instance, isRequired: Bool = true
    ) -> Bool {
        let reader = ValueReader(scope: instance.scope, owner: owner, origin: .document) { self.report($0) }
        var isGood = true
        for (index, name) in list.table.names.enumerated() {
            var isAbsent = true
            if let json = value[name] {
                switch reader.term(json, list.table.declarations[index], at: list.pointer.appending(name)) {
                case nil:
                    isGood = false
                    isAbsent = false
                case .some(nil): break
                case .some(.some(let term)):
                    // Of a list that is the same for every picture only its place is asked for.
                    let isList = json.elements != nil || json.members != nil
                    let written = isLast && isList && term.isConstant ? JSONValue(.null, range: json.range) : json
                    list.written.append(Argument(index: index, term: term, written: written))
                    isAbsent = false
                }
            }
            if isAbsent, list.table.isRequired[index], isRequired {
                isGood = false
                let declared = list.table.declarations[index]
                report(
                    "missing-key", instance, value.range.start, list.pointer,
                    message: "\(owner) needs \(Quoted.text(declared.name))", help: [declared.helpLine(owner: owner)])
            }
        }
        return isGood
    }
}
