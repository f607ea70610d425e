import Diagnostics
import LabelpipeKit

/// Makes a plan of a document: reads nodes, opens documents used as effects, links names, checks every rule of
/// connecting, and reports all that is wrong at once.
final class Compiler {
    /// What a node written somewhere leads to.
    indirect enum Reference {
        case node(Int)
        case named(Instance, String)
        /// Could not be read; already reported.
        case broken
    }

    /// A document in use: as the run's own, or as an effect of another.
    final class Instance {
        let scope: Scope
        /// What its `image.source` is; nil: the run's picture.
        let input: Reference?
        let isEffect: Bool
        var names: [String: Reference] = [:]
        var usesSource = false
        /// The files that lead to it, outermost first.
        let ancestry: [String]

        init(scope: Scope, input: Reference?, isEffect: Bool, ancestry: [String]) {
            (self.scope, self.input, self.isEffect, self.ancestry) = (scope, input, isEffect, ancestry)
        }
    }

    struct DraftEdge {
        let reference: Reference
        let arguments: [Argument]
        let condition: Term?
    }

    struct Draft {
        let entry: Registry.Entry
        var arguments: [Argument]
        var inputs: [(input: Input, edges: [DraftEdge])]
        let file: String
        let position: SourcePosition
        let pointer: JSONPointer
        let name: String?
        let condition: Term?
        /// A document without this key would be complete; already reported.
        let isBroken: Bool
    }

    static let maximumNodes = 100_000
    static let maximumDocuments = 64

    let registry: Registry
    let scale: Double
    /// Parameters without a value do not matter yet.
    let allowsOpen: Bool
    var findings = Diagnostics()
    var drafts: [Draft] = []
    private var documents: [String: Document] = [:]
    private var isFull = false

    init(registry: Registry, scale: Double, allowsOpen: Bool) {
        (self.registry, self.scale, self.allowsOpen) = (registry, scale, allowsOpen)
    }

    // MARK: Reporting

    func report(_ finding: Diagnostic) { findings.append(finding) }

    private func report(
        _ code: String, _ instance: Instance, _ position: SourcePosition, _ pointer: JSONPointer, message: String? = nil,
        expected: String? = nil, got: String? = nil, help: [String] = [], suggestion: String? = nil
    ) {
        report(
            Diagnostic(
                code, file: instance.scope.document.file, position: position, pointer: pointer, message: message,
                expected: expected, got: got, help: help, suggestion: suggestion))
    }

    // MARK: Documents

    /// Reads all named nodes of a document.
    func readNames(_ instance: Instance) {
        for member in instance.scope.document.nodes {
            // Names first: a node may be used before it is read.
            instance.names[member.key] = .broken
        }
        for member in instance.scope.document.nodes {
            let pointer = JSONPointer(["nodes", member.key])
            instance.names[member.key] = read(member.value, pointer, instance, name: member.key)
        }
    }

    /// The node that a document's `output` is, for a document used as an effect.
    private func soleOutput(_ instance: Instance, usedAt position: SourcePosition, _ pointer: JSONPointer, by outer: Instance)
        -> Reference
    {
        let root = instance.scope.document.root
        if let output = root["output"] { return read(output, "/output", instance, name: nil) }
        guard let outputs = root["outputs"]?.elements, outputs.count == 1, let node = outputs[0]["node"] else {
            report(
                "many-outputs", outer, position, pointer,
                message: "a document used as an effect needs exactly one output")
            return .broken
        }
        return read(node, "/outputs/0/node", instance, name: nil)
    }

    /// Opens a document that is used as an effect.
    private func open(_ path: String, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> Document? {
        let file = Paths.join(instance.scope.document.folder, path)
        if let known = documents[file] { return known }
        do {
            let bytes = try SmallFile.read(file, limit: JSONLimits.document.maximumBytes)
            let document = try Document(bytes: bytes, file: file, folder: Paths.folder(of: file))
            documents[file] = document
            return document
        } catch let failure as SmallFile.Failure {
            report(
                "cannot-read", instance, value.range.start, pointer.appending("effect"),
                message: "cannot read the document \(Quoted.text(file)): \(failure.message)")
        } catch let found as Diagnostics {
            // Once, however often it is used.
            if documents[file] == nil { findings.append(found) }
        } catch {}
        return nil
    }

    // MARK: Nodes

    /// Whatever may stand where a node may stand.
    func read(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?) -> Reference {
        switch value.content {
        case .string(let id):
            guard instance.names[id] != nil else {
                report(
                    "unknown-node", instance, value.range.start, pointer, message: "unknown node \(Quoted.text(id))",
                    help: [
                        instance.names.isEmpty
                            ? "a string is the id of a node in \"nodes\", and there are none"
                            : "nodes: \(instance.names.keys.sorted().prefix(20).joined(separator: " "))"
                    ], suggestion: Suggestions.nearest(to: id, in: instance.names.keys.sorted()))
                return .broken
            }
            return .named(instance, id)
        case .object: return node(value, pointer, instance, name: name, feed: nil, isStep: false)
        case .array(let steps):
            guard !steps.isEmpty else {
                report(
                    "empty-chain", instance, value.range.start, pointer, expected: "a chain of at least one node",
                    got: "an empty list")
                return .broken
            }
            var current: Reference = .broken
            for (index, step) in steps.enumerated() {
                let pointer = pointer.appending(index)
                if index == 0 {
                    current = read(step, pointer, instance, name: name)
                } else if step.members != nil {
                    current = node(step, pointer, instance, name: name, feed: current, isStep: true)
                } else {
                    report(
                        "bad-step", instance, step.range.start, pointer,
                        expected: "a node { \"effect\": … } (only the first step may be an id)", got: step.got)
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

    /// What `when` says: nil refused; else whether it is known to hold, and what decides it otherwise.
    private func condition(_ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance) -> (holds: Bool, late: Term?)? {
        guard let text = value.string, text.hasPrefix("$"), Document.isParameterName(text.dropFirst()) else {
            report(
                "bad-value", instance, value.range.start, pointer, expected: "a parameter, \"$name\"", got: value.got)
            return nil
        }
        let name = String(text.dropFirst())
        guard let binding = instance.scope.bindings[name] else {
            let declared = instance.scope.document.parameters.map(\.name)
            if !declared.contains(name) {
                report(
                    "unknown-parameter", instance, value.range.start, pointer,
                    message: "unknown parameter \"\(text)\"",
                    help: declared.isEmpty ? [] : ["parameters: \(declared.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: name, in: declared).map { "$" + $0 })
            }
            return nil
        }
        switch binding.content {
        case .absent: return (false, nil)
        case .open: return (true, nil)
        case .written(let value):
            switch value.content {
            case .null: return (false, nil)
            case .bool(let flag): return (flag, nil)
            case .number(let n, _): return (n != 0, nil)
            case .string(let s): return (!s.isEmpty, nil)
            case .array(let all): return (!all.isEmpty, nil)
            case .object: return (true, nil)
            }
        case .term(let term, _):
            if let known = term.isTruthy { return (known, nil) }
            return (true, term)
        }
    }

    private func node(
        _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?, feed: Reference?, isStep: Bool
    ) -> Reference {
        let members = value.members ?? []
        guard drafts.count < Compiler.maximumNodes else {
            if !isFull {
                isFull = true
                report(
                    "too-many-nodes", instance, value.range.start, pointer,
                    expected: "at most \(Compiler.maximumNodes) nodes", got: "more")
            }
            return .broken
        }
        guard let effect = value["effect"] else {
            let keys = members.map(\.key)
            report(
                "missing-key", instance, value.range.start, pointer, message: "missing \"effect\"",
                help: ["a node is { \"effect\": ID, … }"], suggestion: Suggestions.nearest(to: "effect", in: keys))
            return .broken
        }
        guard let id = effect.string else {
            report(
                "bad-value", instance, effect.range.start, pointer.appending("effect"), expected: "an effect's id",
                got: effect.got)
            return .broken
        }
        var left: (holds: Bool, late: Term?) = (true, nil)
        if let when = value["when"] {
            if !isStep {
                report(
                    "bad-when", instance, when.range.start, pointer.appending("when"),
                    message: "\"when\" stands on a chain's steps after the first and on a stack's entries",
                    help: ["a step that is left out passes on what reaches it; a first step has nothing to pass on"])
            } else {
                left = condition(when, pointer.appending("when"), instance) ?? (true, nil)
            }
        }
        let made: Reference
        if id.hasSuffix(".json") {
            made = use(id, value, pointer, instance, feed: feed, isLeftOut: !left.holds)
            if left.late != nil, case .node(let index) = made { return wrapped(index, left.late, feed) }
        } else {
            guard let entry = registry[id] else {
                report(
                    "unknown-effect", instance, effect.range.start, pointer.appending("effect"),
                    message: "unknown effect \(Quoted.text(id))",
                    help: Suggestions.nearest(to: id, in: registry.ids) == nil ? ["labelpipe effects lists them"] : [],
                    suggestion: Suggestions.nearest(to: id, in: registry.ids))
                return left.holds ? .broken : (feed ?? .broken)
            }
            if id == "image.source", let input = instance.input {
                instance.usesSource = true
                made = input
            } else {
                if id == "image.source" {
                    instance.usesSource = true
                    if instance.isEffect {
                        report(
                            "no-input", instance, value.range.start, pointer,
                            message: "\(instance.scope.document.file) draws on an input, and the node that uses it gives none",
                            help: ["put a step before it, or give it \"input\""])
                        return .broken
                    }
                }
                made = draft(
                    entry, value, pointer, instance, name: name, feed: feed, condition: left.late,
                    isLeftOut: !left.holds)
            }
        }
        return left.holds ? made : (feed ?? .broken)
    }

    /// A document used as an effect is left out for some pictures: decided where its result is used.
    private func wrapped(_ index: Int, _ condition: Term?, _ feed: Reference?) -> Reference {
        guard let feed, let entry = registry["layout.stack"] else { return .node(index) }
        let input = entry.declaration.inputs[0]
        let choice = Draft(
            entry: Registry.Entry(effect: Choice.self, declaration: Choice.declaration, owner: entry.owner), arguments: [],
            inputs: [
                (Choice.declaration.inputs[0], [DraftEdge(reference: feed, arguments: [], condition: nil)]),
                (Choice.declaration.inputs[1], [DraftEdge(reference: .node(index), arguments: [], condition: condition)]),
            ],
            file: drafts[index].file, position: drafts[index].position, pointer: drafts[index].pointer, name: nil,
            condition: nil, isBroken: false)
        _ = input
        drafts.append(choice)
        return .node(drafts.count - 1)
    }

    /// The node of an effect that a plugin has.
    private func draft(
        _ entry: Registry.Entry, _ value: JSONValue, _ pointer: JSONPointer, _ instance: Instance, name: String?,
        feed: Reference?, condition: Term?, isLeftOut: Bool
    ) -> Reference {
        let declaration = entry.declaration
        var arguments: [Argument] = []
        var inputs: [(input: Input, edges: [DraftEdge])] = []
        var isBroken = false
        let reader = ValueReader(scope: instance.scope, owner: declaration.id) { self.report($0) }
        let known = declaration.parameters.map(\.declaration)
        let names = known.map(\.name) + declaration.inputs.map(\.name)
        for member in value.members ?? [] {
            let key = member.key
            if key == "effect" || key == "when" || key.hasPrefix("x-") || names.contains(key) { continue }
            isBroken = true
            report(
                "unknown-key", instance, member.keyRange.start, pointer.appending(key),
                message: "\(declaration.id) has no \(Quoted.text(key))",
                help: ["\(declaration.id): \(names.joined(separator: " "))  (labelpipe describe \(declaration.id))"],
                suggestion: Suggestions.nearest(to: key, in: names))
        }
        for declared in known {
            if let json = value[declared.name] {
                switch reader.argument(json, declared, at: pointer.appending(declared.name)) {
                case nil:
                    isBroken = true
                    continue
                case .some(.some(let argument)):
                    arguments.append(argument)
                    continue
                case .some(nil): break
                }
            }
            if let term = Defaults.term(of: declared) {
                arguments.append(
                    Argument(
                        declaration: declared, term: term, written: nil, pointer: pointer.appending(declared.name),
                        file: instance.scope.document.file))
            } else if declared.isRequired, !isLeftOut {
                isBroken = true
                report(
                    "missing-key", instance, value.range.start, pointer,
                    message: "\(declaration.id) needs \(Quoted.text(declared.name))",
                    help: [declared.helpLine(owner: declaration.id)])
            }
        }
        for (index, input) in declaration.inputs.enumerated() {
            var edges: [DraftEdge] = []
            if index == 0, let feed {
                edges.append(DraftEdge(reference: feed, arguments: defaults(of: input, pointer, instance), condition: nil))
            }
            if let json = value[input.name] {
                let pointer = pointer.appending(input.name)
                switch input.form {
                case .one, .optional:
                    if !edges.isEmpty {
                        isBroken = true
                        report(
                            "fed-twice", instance, json.range.start, pointer,
                            message: "\(Quoted.text(input.name)) is the step before in this chain",
                            help: ["take the node out of the chain, or leave \(Quoted.text(input.name)) out"])
                    } else {
                        edges.append(
                            DraftEdge(reference: read(json, pointer, instance, name: nil), arguments: [], condition: nil))
                    }
                case .many, .entries: edges += entries(input, json, pointer, instance, owner: declaration.id)
                }
            } else if edges.isEmpty, !isLeftOut {
                switch input.form {
                case .optional: break
                case .one, .many, .entries:
                    isBroken = true
                    report(
                        "missing-input", instance, value.range.start, pointer,
                        message: "\(declaration.id) needs \(Quoted.text(input.name)): \(input.doc)",
                        help: index == 0 ? ["put it behind another node in a chain, or give it \(Quoted.text(input.name))"] : [])
                }
            }
            inputs.append((input, edges))
        }
        drafts.append(
            Draft(
                entry: entry, arguments: arguments, inputs: inputs, file: instance.scope.document.file,
                position: value.range.start, pointer: pointer, name: name, condition: condition, isBroken: isBroken))
        return .node(drafts.count - 1)
    }

    /// What holds for an entry that is a node and says nothing of itself.
    private func defaults(of input: Input, _ pointer: JSONPointer, _ instance: Instance) -> [Argument] {
        guard case .entries(let parameters) = input.form else { return [] }
        return parameters.map(\.declaration).compactMap { declared in
            Defaults.term(of: declared).map {
                Argument(
                    declaration: declared, term: $0, written: nil, pointer: pointer.appending(declared.name),
                    file: instance.scope.document.file)
            }
        }
    }

    /// The entries of a list input: nodes, or objects with a `layer`.
    private func entries(
        _ input: Input, _ json: JSONValue, _ pointer: JSONPointer, _ instance: Instance, owner: String
    ) -> [DraftEdge] {
        guard let elements = json.elements else {
            report("bad-value", instance, json.range.start, pointer, expected: "a list of nodes", got: json.got)
            return []
        }
        var edges: [DraftEdge] = []
        for (index, element) in elements.enumerated() {
            let pointer = pointer.appending(index)
            guard case .entries(let parameters) = input.form, element["effect"] == nil, let node = element["layer"] else {
                edges.append(
                    DraftEdge(
                        reference: read(element, pointer, instance, name: nil),
                        arguments: defaults(of: input, pointer, instance), condition: nil))
                continue
            }
            let known = parameters.map(\.declaration)
            let names = ["layer", "when"] + known.map(\.name)
            var arguments: [Argument] = []
            let reader = ValueReader(scope: instance.scope, owner: owner) { self.report($0) }
            for member in element.members ?? [] where !names.contains(member.key) && !member.key.hasPrefix("x-") {
                report(
                    "unknown-key", instance, member.keyRange.start, pointer.appending(member.key),
                    message: "an entry of \(owner) has no \(Quoted.text(member.key))",
                    help: ["keys: \(names.joined(separator: " "))"],
                    suggestion: Suggestions.nearest(to: member.key, in: names))
            }
            for declared in known {
                if let json = element[declared.name],
                    case .some(.some(let argument)) = reader.argument(
                        json, declared, at: pointer.appending(declared.name))
                {
                    arguments.append(argument)
                } else if let term = Defaults.term(of: declared) {
                    arguments.append(
                        Argument(
                            declaration: declared, term: term, written: nil, pointer: pointer.appending(declared.name),
                            file: instance.scope.document.file))
                }
            }
            var left: (holds: Bool, late: Term?) = (true, nil)
            if let when = element["when"] {
                left = condition(when, pointer.appending("when"), instance) ?? (true, nil)
            }
            let reference = read(node, pointer.appending("layer"), instance, name: nil)
            if left.holds {
                edges.append(DraftEdge(reference: reference, arguments: arguments, condition: left.late))
            }
        }
        return edges
    }

    /// A document used as an effect.
    private func use(
        _ path: String, _ value: JSONValue, _ pointer: JSONPointer, _ outer: Instance, feed: Reference?, isLeftOut: Bool
    ) -> Reference {
        guard let document = open(path, value["effect"] ?? value, pointer, outer) else { return .broken }
        let ancestry = outer.ancestry + [document.file]
        if outer.ancestry.contains(document.file) {
            let ring = ancestry.drop { $0 != document.file }
            report(
                "document-ring", outer, value.range.start, pointer.appending("effect"),
                message: "documents use each other in a ring: \(ring.joined(separator: " → "))")
            return .broken
        }
        guard ancestry.count <= Compiler.maximumDocuments else {
            report(
                "too-deep", outer, value.range.start, pointer.appending("effect"),
                expected: "at most \(Compiler.maximumDocuments) documents inside each other", got: "more")
            return .broken
        }
        var input = feed
        if let json = value["input"] {
            if feed != nil {
                report(
                    "fed-twice", outer, json.range.start, pointer.appending("input"),
                    message: "\"input\" is the step before in this chain")
            } else {
                input = read(json, pointer.appending("input"), outer, name: nil)
            }
        }
        let declared = document.parameters.filter { !$0.isInternal }.map(\.name)
        for member in value.members ?? [] {
            let key = member.key
            if ["effect", "when", "input"].contains(key) || key.hasPrefix("x-") || declared.contains(key) { continue }
            report(
                "unknown-key", outer, member.keyRange.start, pointer.appending(key),
                message: "\(path) has no parameter \(Quoted.text(key))",
                help: declared.isEmpty ? ["it declares none"] : ["parameters: \(declared.joined(separator: " "))"],
                suggestion: Suggestions.nearest(to: key, in: declared))
        }
        let binder = Binder(document: document, scale: scale, allowsOpen: allowsOpen) { self.report($0) }
        let scope = binder.bind { parameter in
            guard let json = value[parameter.name] else { return nil }
            return Binder.Supply(json: json, pointer: pointer.appending(parameter.name), scope: outer.scope, isLiteral: false)
        } missing: { parameter in
            guard !isLeftOut else { return }
            self.report(
                "missing-key", outer, value.range.start, pointer, message: "\(path) needs \(Quoted.text(parameter.name))",
                help: [parameter.declaration.helpLine(owner: "parameter of \(path)")])
        }
        let inner = Instance(scope: scope, input: input, isEffect: true, ancestry: ancestry)
        readNames(inner)
        let output = soleOutput(inner, usedAt: value.range.start, pointer, by: outer)
        if input != nil, !inner.usesSource, !isLeftOut {
            report(
                "unused-input", outer, value.range.start, pointer, message: "\(path) takes no input: it has no image.source",
                help: ["place its result with layout.place, as \"label\""])
        }
        return output
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
