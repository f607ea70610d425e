import Diagnostics
import LabelpipeKit

/// Reads the nodes of a document and of those it uses, and reports all that is wrong with them at once.
///
/// Nothing here calls itself for what lies inside a node: that waits in a list, so that neither a deep document nor
/// documents inside each other use up a thread's stack. The linker connects what was read.
final class Compiler {
    /// What a node written somewhere leads to.
    struct Reference: Sendable {
        enum Target: Sendable {
            /// Index into `drafts`.
            case node(Int)
            /// Index into `slots`: known when that has been read.
            case slot(Int)
            /// Could not be read, which has been reported.
            case broken
        }
        let target: Target
        /// The borders of documents on the way there.
        var crossings: [Crossing] = []

        static let broken = Reference(target: .broken)
        static func node(_ index: Int) -> Reference { Reference(target: .node(index)) }
        static func slot(_ index: Int) -> Reference { Reference(target: .slot(index)) }
    }

    /// The border of a document used as an effect. Inside, lengths are measured by its input.
    enum Crossing: Hashable, Sendable {
        case enter(use: Int)
        case leave(use: Int)
    }

    /// A document in use: as the run's own, or as an effect of another.
    final class Instance {
        let scope: Scope
        /// What its `image.source` is; nil: the run's picture.
        let input: Reference?
        let isEffect: Bool
        /// The files that lead to it, outermost first.
        let ancestry: [SourceFile]
        var names: [String: Reference] = [:]
        var sortedNames: [String] = []
        var usesSource = false

        init(scope: Scope, input: Reference?, isEffect: Bool, ancestry: [SourceFile]) {
            (self.scope, self.input, self.isEffect, self.ancestry) = (scope, input, isEffect, ancestry)
        }

        var document: Document { scope.document }
    }

    /// What is read later, into its slot.
    struct Pending {
        let slot: Int
        let value: JSONValue
        let pointer: JSONPointer
        let instance: Instance
        let name: String?
    }

    struct Slot {
        var reference = Reference.broken
        /// The id in `nodes` that it stands for, and where that is.
        let name: String?
        let document: Document
        let position: SourcePosition
    }

    struct DraftEdge {
        let reference: Reference
        /// Of an entry of a list: its keys, and when it is there.
        var entry: Entry?
    }

    /// What an entry of a list says besides its node.
    final class Entry: Sendable {
        let arguments: ArgumentList?
        /// Left out where this is not so; decided for each picture.
        let condition: Term?
        /// As it is written, `$name`.
        let when: String?

        init(arguments: ArgumentList?, condition: Term?, when: String?) {
            (self.arguments, self.condition, self.when) = (arguments, condition, when)
        }
    }

    struct Draft {
        let facts: EffectFacts
        let arguments: ArgumentList
        /// In the order of the effect's inputs.
        let inputs: [[DraftEdge]]
        let position: SourcePosition
        let name: String?
        /// Something in it was refused.
        let isBroken: Bool

        var pointer: JSONPointer { arguments.pointer }
        var file: String { arguments.document.file }
    }

    /// A document used as an effect.
    struct Use {
        let input: Reference
    }

    let registry: Registry
    let scale: Double
    /// Parameters without a value do not matter yet.
    let allowsOpen: Bool
    var findings = Diagnostics()
    private(set) var drafts: [Draft] = []
    private(set) var slots: [Slot] = []
    private(set) var uses: [Use] = []
    private var pending: [Pending] = []
    private var afterwards: [() -> Void] = []
    private var facts: [String: EffectFacts] = [:]
    private var library: DocumentLibrary
    private var count = 0
    private let choice: EffectFacts

    init(registry: Registry, scale: Double, allowsOpen: Bool, texts: DocumentTexts) {
        library = DocumentLibrary(texts)
        (self.registry, self.scale, self.allowsOpen) = (registry, scale, allowsOpen)
        choice = EffectFacts(EffectKind(Choice.self), owner: "labelpipe", scale: 1)
    }

    // MARK: Reporting

    func report(_ finding: Diagnostic) { findings.append(finding) }

    private func report(
        _ code: String, _ instance: Instance, _ position: SourcePosition, _ pointer: JSONPointer, message: String? = nil,
        expected: String? = nil, got: String? = nil, help: [String] = [], suggestion: String? = nil
    ) {
        report(
            Diagnostic(
                code, file: instance.document.file, position: position, pointer: pointer, message: message,
                expected: expected, got: got, help: help, suggestion: suggestion))
    }

    /// The nearest of many names; not for ever where a document has nothing but mistakes.
    private func nearest(to name: String, in names: [String]) -> String? {
        findings.count < 200 ? Suggestions.nearest(to: name, in: names) : nil
    }

    // MARK: The list of what is to be read

    /// A reference to what will be read by `readAll`; names are looked up at once.
    func later(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String? = nil) -> Reference {
        if name == nil, let id = value.string { return named(id, value, pointer, instance) }
        slots.append(Slot(name: name, document: instance.document, position: value.range.start))
        pending.append(Pending(slot: slots.count - 1, value: value, pointer: pointer, instance: instance, name: name))
        return .slot(slots.count - 1)
    }

    /// All named nodes of a document: before anything that may use them.
    func readNames(_ instance: Instance) {
        for member in instance.document.nodes {
            instance.names[member.key] = later(member.value, JSONPointer(["nodes", member.key]), instance, name: member.key)
        }
        instance.sortedNames = instance.names.keys.sorted()
    }

    /// Reads everything that waits, and what that leads to.
    func readAll() {
        while let next = pending.popLast() {
            slots[next.slot].reference = read(next.value, next.pointer, next.instance, name: next.name)
        }
        for check in afterwards { check() }
        afterwards = []
    }

    // MARK: Nodes

    private func named(_ id: String, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Reference {
        if let known = instance.names[id] { return known }
        let names = instance.sortedNames
        report(
            "unknown-node", instance, value.range.start, pointer, message: "unknown node \(Quoted.text(id))",
            help: [
                names.isEmpty
                    ? "a string is the id of a node in \"nodes\", and there are none"
                    : "nodes: \(names.prefix(20).joined(separator: " "))\(names.count > 20 ? " …" : "")"
            ], suggestion: nearest(to: id, in: names))
        return .broken
    }

    /// Whatever may stand where a node may stand.
    private func read(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?) -> Reference {
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

    private func node(
        _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?, feed: Reference?, isStep: Bool
    ) -> Reference {
        count += 1
        guard count <= Language.maximumNodes else {
            if count == Language.maximumNodes + 1 {
                report(
                    "too-many-nodes", instance, value.range.start, pointer,
                    expected: "at most \(Language.maximumNodes) nodes, those of documents used as effects included",
                    got: "more")
            }
            pending = []
            return .broken
        }
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
                help: ["a node is { \"effect\": ID, … }"], suggestion: near.map { _ in "effect" })
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
                inputs: [
                    [DraftEdge(reference: feed)],
                    [DraftEdge(reference: made, entry: Entry(arguments: nil, condition: late, when: value["when"]?.string))],
                ], position: value.range.start, name: nil, isBroken: false))
    }

    private func add(_ draft: Draft) -> Reference {
        drafts.append(draft)
        return .node(drafts.count - 1)
    }

    private func facts(_ id: String) throws(Diagnostic) -> EffectFacts? {
        if let known = facts[id] { return known }
        guard let entry = try registry.find(id) else { return nil }
        let made = EffectFacts(entry.effect, owner: entry.owner, scale: scale)
        facts[id] = made
        return made
    }

    /// The node of an effect that a plugin has.
    private func effect(
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
            // What else is wrong with it is found by what was probably meant.
            if let near, let facts = try? facts(near) {
                _ = draft(facts, value, pointer, instance, name: name, feed: feed, isLeftOut: isLeftOut)
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

    private func draft(
        _ facts: EffectFacts, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?,
        feed: Reference?, isLeftOut: Bool
    ) -> Reference {
        let declaration = facts.declaration
        var isBroken = !checkKeys(facts, value, pointer, instance)
        var arguments = ArgumentList(table: facts.table, written: [], document: instance.document, pointer: pointer)
        if !read(value, into: &arguments, owner: facts.id, instance, isRequired: !isLeftOut) { isBroken = true }
        if feed != nil, declaration.inputs.isEmpty {
            isBroken = true
            report(
                "no-input", instance, value.range.start, pointer,
                message: "\(facts.id) takes no input: it can only begin a chain",
                help: ["layout.stack and layout.place put one layer on another"])
        }
        var inputs: [[DraftEdge]] = []
        for (index, input) in declaration.inputs.enumerated() {
            let feed = index == 0 ? feed : nil
            guard let edges = edges(of: input, facts, index, value, pointer, instance, feed: feed, isLeftOut: isLeftOut)
            else {
                isBroken = true
                inputs.append([])
                continue
            }
            inputs.append(edges)
        }
        return add(
            Draft(
                facts: facts, arguments: arguments, inputs: inputs, position: value.range.start, name: name,
                isBroken: isBroken))
    }

    private func checkKeys(_ facts: EffectFacts, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Bool {
        let declaration = facts.declaration
        var isGood = true
        for member in value.members ?? [] {
            let key = member.key
            if key == "effect" || key == "when" || key.hasPrefix("x-") || facts.table.index(of: key) != nil
                || declaration.inputs.contains(where: { $0.name == key })
            {
                continue
            }
            isGood = false
            let names = facts.table.declarations.map(\.name) + declaration.inputs.map(\.name)
            report(
                "unknown-key", instance, member.keyRange.start, pointer.appending(key),
                message: "\(facts.id) has no \(Quoted.text(key))",
                help: ["\(facts.id): \(names.joined(separator: " "))  (labelpipe describe \(facts.id))"],
                suggestion: nearest(to: key, in: names))
        }
        return isGood
    }

    /// Reads the parameters that an object writes; false where something was refused.
    func read(
        _ value: JSONValue, into list: inout ArgumentList, owner: String, _ instance: Instance, isRequired: Bool = true
    ) -> Bool {
        let reader = ValueReader(scope: instance.scope, owner: owner, origin: .document) { self.report($0) }
        var isGood = true
        for (index, declared) in list.table.declarations.enumerated() {
            var isAbsent = true
            if let json = value[declared.name] {
                switch reader.term(json, declared, at: list.pointer.appending(declared.name)) {
                case nil:
                    isGood = false
                    isAbsent = false
                case .some(nil): break
                case .some(.some(let term)):
                    list.written.append(Argument(index: index, term: term, written: json))
                    isAbsent = false
                }
            }
            if isAbsent, declared.isRequired, isRequired {
                isGood = false
                report(
                    "missing-key", instance, value.range.start, list.pointer,
                    message: "\(owner) needs \(Quoted.text(declared.name))", help: [declared.helpLine(owner: owner)])
            }
        }
        return isGood
    }

    /// What is connected to an input; nil: refused and reported.
    private func edges(
        of input: Input, _ facts: EffectFacts, _ index: Int, _ value: JSONValue, _ pointer: JSONPointer,
        _ instance: Instance, feed: Reference?, isLeftOut: Bool
    ) -> [DraftEdge]? {
        var edges = feed.map { [DraftEdge(reference: $0)] } ?? []
        guard let json = value[input.name] else {
            if !edges.isEmpty || isLeftOut { return edges }
            if case .optional = input.form { return edges }
            report(
                "missing-input", instance, value.range.start, pointer,
                message: "\(facts.id) needs \(Quoted.text(input.name)): \(input.doc)",
                help: index == 0 ? ["put it behind another node in a chain, or give it \(Quoted.text(input.name))"] : [])
            return nil
        }
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

    private func reportFedTwice(_ name: String, _ json: JSONValue, _ pointer: JSONPointer, _ instance: Instance) {
        report(
            "fed-twice", instance, json.range.start, pointer,
            message: "\(Quoted.text(name)) is the step before in this chain",
            help: ["leave \(Quoted.text(name)) out, or begin the chain with this node"])
    }

    /// An entry of a list input: a node, or an object with a `layer`. nil: left out.
    private func entry(
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

    private struct Condition {
        /// As far as it is known without a picture.
        var holds: Bool
        /// What decides it otherwise.
        var late: Term?
    }

    private func condition(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Condition {
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

    // MARK: Documents as effects

    private func use(
        _ path: String, _ effect: JSONValue, _ value: JSONValue, _ pointer: JSONPointer, _ outer: Instance,
        feed: Reference?, isLeftOut: Bool
    ) -> Reference {
        let at = pointer.appending("effect")
        let file = Paths.join(outer.document.folder, path)
        let opened: DocumentLibrary.Opened
        switch library.open(file) {
        case .success(let found): opened = found
        case .failure(.unreadable(let why)):
            report(
                "cannot-read", outer, effect.range.start, at, message: "cannot read the document \(Quoted.text(file)): \(why)")
            return .broken
        case .failure(.invalid(let wrong)):
            findings.append(wrong)
            return .broken
        }
        let document = opened.document
        findings.append(document.findings)
        let ancestry = outer.ancestry + [opened.source]
        if let first = outer.ancestry.firstIndex(where: { $0.isSame(as: opened.source) }) {
            report(
                "document-ring", outer, effect.range.start, at,
                message: "documents use each other in a ring: "
                    + ancestry[first...].map(\.name).joined(separator: " → "))
            return .broken
        }
        guard ancestry.count <= Language.maximumDocuments else {
            report(
                "too-deep", outer, effect.range.start, at,
                expected: "at most \(Language.maximumDocuments) documents inside each other", got: "more")
            return .broken
        }
        var input = feed
        if let json = value["input"] {
            if feed != nil {
                reportFedTwice("input", json, pointer.appending("input"), outer)
            } else {
                input = later(json, pointer.appending("input"), outer)
            }
        }
        let scope = bind(document, path, value, pointer, outer, isLeftOut: isLeftOut)
        var inner = input
        if let input {
            uses.append(Use(input: input))
            inner?.crossings.insert(.leave(use: uses.count - 1), at: 0)
        }
        let use = uses.count - 1
        let instance = Instance(scope: scope, input: inner, isEffect: true, ancestry: ancestry)
        readNames(instance)
        var output = soleOutput(instance, effect, at, outer)
        if input != nil {
            output.crossings.insert(.enter(use: use), at: 0)
            if !isLeftOut {
                afterwards.append { [self] in
                    guard !instance.usesSource else { return }
                    report(
                        "unused-input", outer, value.range.start, pointer,
                        message: "\(path) takes no input: it has no image.source",
                        help: ["place its result with layout.place, as \"label\""])
                }
            }
        }
        return output
    }

    /// The parameters of a document used as an effect are the node's keys.
    private func bind(
        _ document: Document, _ path: String, _ value: JSONValue, _ pointer: JSONPointer, _ outer: Instance, isLeftOut: Bool
    ) -> Scope {
        let declared = document.parameters.filter { !$0.isInternal }.map(\.name)
        for member in value.members ?? [] {
            let key = member.key
            if ["effect", "when", "input"].contains(key) || key.hasPrefix("x-") || declared.contains(key) { continue }
            // A parameter that was refused has been reported.
            if document.declares(key), !key.hasPrefix("_") { continue }
            report(
                "unknown-key", outer, member.keyRange.start, pointer.appending(key),
                message: "\(path) has no parameter \(Quoted.text(key))",
                help: [declared.isEmpty ? "it declares none" : "parameters: \(declared.joined(separator: " "))"],
                suggestion: nearest(to: key, in: declared))
        }
        let binder = Binder(document: document, scale: scale, allowsOpen: allowsOpen) { self.report($0) }
        return binder.bind { parameter in
            guard !parameter.isInternal, let json = value[parameter.name] else { return nil }
            return Binder.Supply(
                json: json, pointer: pointer.appending(parameter.name), scope: outer.scope, origin: .document)
        } missing: { parameter in
            guard !isLeftOut else { return }
            self.report(
                "missing-key", outer, value.range.start, pointer, message: "\(path) needs \(Quoted.text(parameter.name))",
                help: [parameter.declaration(scale: 1).helpLine(owner: "parameter of \(path):")])
        }
    }

    /// The node that a document's `output` is, for a document used as an effect.
    private func soleOutput(_ instance: Instance, _ effect: JSONValue, _ pointer: JSONPointer, _ outer: Instance) -> Reference {
        let root = instance.document.root
        if let output = root["output"] { return later(output, "/output", instance) }
        guard let outputs = root["outputs"]?.elements, outputs.count == 1, let node = outputs[0]["node"] else {
            // A document without any output has been reported.
            if root["outputs"] != nil {
                report(
                    "many-outputs", outer, effect.range.start, pointer,
                    message: "\(instance.document.file) has several outputs; one used as an effect has exactly one")
            }
            return .broken
        }
        return later(node, "/outputs/0/node", instance)
    }
}

/// Passes on its second input where there is one for this picture, else its first.
struct Choice: Effect {
    static let declaration = EffectDeclaration(
        id: "when", summary: "One layer or the other.",
        inputs: [
            Input("otherwise", .either, doc: "what passes where the step is left out"),
            Input("then", .either, .optional, doc: "what passes else"),
        ],
        output: .sameAsInput, example: "")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.optional("then") ?? inputs["otherwise"] }
}
