import Diagnostics
import LabelpipeKit

/// Turns drafts into a plan: names become edges, rings are found, kinds are checked, nodes are ordered.
///
/// Nothing here recurses over the graph: a chain may be 20 000 nodes long.
struct Linker {
    let compiler: Compiler

    /// Follows names to the node they stand for; nil where that is broken, or a ring of names.
    func resolve(_ reference: Compiler.Reference) -> Int? {
        var reference = reference
        var seen: Set<String> = []
        var trail: [String] = []
        while true {
            switch reference {
            case .node(let index): return index
            case .broken: return nil
            case .named(let instance, let name):
                trail.append(name)
                let key = "\(ObjectIdentifier(instance).hashValue)/\(name)"
                guard seen.insert(key).inserted else {
                    let pointer = JSONPointer(["nodes", name])
                    compiler.report(
                        Diagnostic(
                            "node-ring", file: instance.scope.document.file,
                            position: instance.scope.document.nodesByName[name]?.range.start, pointer: pointer,
                            message: "nodes lead to each other in a ring: \(trail.drop { $0 != name }.joined(separator: " → "))"))
                    return nil
                }
                reference = instance.names[name] ?? .broken
            }
        }
    }

    /// The plan of these outputs; every node is checked, only those that an output needs are kept.
    func plan(
        outputs: [(reference: Compiler.Reference, arguments: [Argument], pointer: JSONPointer)], scope: Scope
    ) -> Plan? {
        let drafts = compiler.drafts
        var edges: [[Int]] = []
        var isLinked = true
        edges.reserveCapacity(drafts.count)
        for draft in drafts {
            var own: [Int] = []
            for (_, inputEdges) in draft.inputs {
                for edge in inputEdges {
                    if let target = resolve(edge.reference) { own.append(target) } else { isLinked = false }
                }
            }
            edges.append(own)
        }
        let roots = outputs.map { resolve($0.reference) }
        guard let order = ordered(edges) else { return nil }
        let (kinds, dependences) = checkKinds(order)
        for (index, root) in roots.enumerated() {
            guard let root else {
                isLinked = false
                continue
            }
            if kinds[root] == .coverage { reportCoverage(at: root, wantedBy: "an output", pointer: outputs[index].pointer) }
        }
        guard isLinked, !compiler.findings.hasErrors else { return nil }
        // Only what is needed, in order.
        var needed = [Bool](repeating: false, count: drafts.count)
        var stack = roots.compactMap { $0 }
        while let index = stack.popLast() {
            if needed[index] { continue }
            needed[index] = true
            stack += edges[index]
        }
        var places = [Int](repeating: -1, count: drafts.count)
        var nodes: [Plan.Node] = []
        for index in order where needed[index] {
            places[index] = nodes.count
            let draft = drafts[index]
            nodes.append(
                Plan.Node(
                    entry: draft.entry, arguments: draft.arguments,
                    inputs: draft.inputs.map { input, all in
                        (
                            input,
                            all.compactMap { edge in
                                resolve(edge.reference).map {
                                    Plan.Edge(node: places[$0], arguments: edge.arguments, condition: edge.condition)
                                }
                            }
                        )
                    },
                    file: draft.file, position: draft.position, pointer: draft.pointer, name: draft.name,
                    condition: draft.condition, kind: kinds[index], dependence: dependences[index]))
        }
        let canvas = nodes.indices.filter { nodes[$0].entry.declaration.id == "image.canvas" }
            .min { nodes[$0].position < nodes[$1].position }
        return Plan(
            nodes: nodes,
            outputs: zip(roots, outputs).compactMap { root, output in
                root.map { Plan.Output(node: places[$0], arguments: output.arguments, pointer: output.pointer) }
            },
            document: scope.document, canvas: canvas, scope: scope,
            takesInput: nodes.contains { $0.entry.declaration.id == "image.source" })
    }

    /// Every node after those it needs; nil, and reported, where nodes need each other.
    private func ordered(_ edges: [[Int]]) -> [Int]? {
        var state = [UInt8](repeating: 0, count: edges.count)
        var order: [Int] = []
        order.reserveCapacity(edges.count)
        var stack: [(node: Int, next: Int)] = []
        for root in edges.indices where state[root] == 0 {
            state[root] = 1
            stack.append((root, 0))
            while let top = stack.last {
                if top.next < edges[top.node].count {
                    stack[stack.count - 1].next += 1
                    let target = edges[top.node][top.next]
                    if state[target] == 0 {
                        state[target] = 1
                        stack.append((target, 0))
                    } else if state[target] == 1 {
                        reportRing(stack.drop { $0.node != target }.map(\.node))
                        return nil
                    }
                } else {
                    state[top.node] = 2
                    order.append(top.node)
                    stack.removeLast()
                }
            }
        }
        return order
    }

    private func reportRing(_ ring: [Int]) {
        func label(_ index: Int) -> String {
            compiler.drafts[index].name ?? compiler.drafts[index].pointer.tokens.prefix(2).joined(separator: "/")
        }
        var names: [String] = []
        for index in ring {
            // A step deep in a chain belongs to the node its pointer begins with.
            let tokens = compiler.drafts[index].pointer.tokens
            let name = tokens.first == "nodes" && tokens.count > 1 ? tokens[1] : label(index)
            if names.last != name { names.append(name) }
        }
        if names.count > 1, names.first == names.last { names.removeLast() }
        let first = compiler.drafts[ring[0]]
        // Edges run from a node to what it needs.
        compiler.report(
            Diagnostic(
                "node-ring", file: first.file, position: first.position, pointer: first.pointer,
                message: "nodes need each other in a ring: \((names + [names[0]]).joined(separator: " → "))"))
    }

    private func checkKinds(_ order: [Int]) -> ([LayerKind], [Dependence]) {
        let drafts = compiler.drafts
        var kinds = [LayerKind](repeating: .colour, count: drafts.count)
        var dependences = [Dependence](repeating: [], count: drafts.count)
        for index in order {
            let draft = drafts[index]
            var dependence = draft.arguments.reduce(into: Dependence()) { $0.formUnion($1.term.dependence) }
            var firstKind: LayerKind?
            for (input, edges) in draft.inputs {
                for edge in edges {
                    guard let target = resolve(edge.reference) else { continue }
                    let kind = kinds[target]
                    firstKind = firstKind ?? kind
                    dependence.formUnion(dependences[target])
                    edge.arguments.forEach { dependence.formUnion($0.term.dependence) }
                    if edge.condition != nil { dependence.insert(.metadata) }
                    switch (input.accepts, kind) {
                    case (.colour, .coverage):
                        reportCoverage(
                            at: index, wantedBy: "\(draft.entry.declaration.id)'s \(Quoted.text(input.name))",
                            pointer: draft.pointer)
                    case (.coverage, .colour):
                        compiler.report(
                            Diagnostic(
                                "needs-coverage", file: draft.file, position: draft.position, pointer: draft.pointer,
                                expected:
                                    "coverage (a mask or shape) as \(draft.entry.declaration.id)'s \(Quoted.text(input.name))",
                                got: "colour, from \(drafts[target].entry.declaration.id)",
                                help: ["take the mask before its fill, or add { \"effect\": \"mask.alpha\" } before it"]))
                    default: break
                    }
                }
            }
            if draft.condition != nil { dependence.insert(.metadata) }
            switch draft.entry.declaration.id {
            case "image.source": dependence.insert(.pixels)
            case "layout.place", "layout.tile": dependence.insert(.size)
            default: break
            }
            dependences[index] = dependence
            switch draft.entry.declaration.output {
            case .coverage: kinds[index] = .coverage
            case .colour: kinds[index] = .colour
            case .sameAsInput: kinds[index] = firstKind ?? .colour
            }
            if !draft.isBroken { checkRelations(draft, kinds) }
        }
        return (kinds, dependences)
    }

    private func reportCoverage(at index: Int, wantedBy whom: String, pointer: JSONPointer) {
        let draft = compiler.drafts[index]
        compiler.report(
            Diagnostic(
                "needs-colour", file: draft.file, position: draft.position, pointer: pointer,
                expected: "colour as \(whom)", got: "coverage (a mask that has no colour yet)",
                help: ["add { \"effect\": \"fill.solid\", \"color\": … } before it"]))
    }

    /// Rules between an effect's parameters, tried with a picture of some size.
    private func checkRelations(_ draft: Compiler.Draft, _ kinds: [LayerKind]) {
        let measures = Measures(base: Context.Base(width: 1000, height: 750), em: 16)
        let resolver = Resolver(measures: measures, missing: .empty) { _ in .text("text") }
        var values: [String: Value] = [:]
        for argument in draft.arguments {
            if case .late = argument.term { return }
            do {
                values[argument.declaration.name] = try resolver.value(argument, owner: draft.entry.declaration.id)
            } catch var finding as Diagnostic where finding.code != "out-of-range" && finding.code != "no-measure" {
                finding.file = finding.file ?? draft.file
                finding.position = finding.position ?? draft.position
                compiler.report(finding)
                return
            } catch {
                return
            }
        }
        do {
            var inputs: [String: LayerKind] = [:]
            for (input, edges) in draft.inputs {
                if let first = edges.first { inputs[input.name] = resolve(first.reference).map { kinds[$0] } ?? .colour }
            }
            _ = try draft.entry.effect.init(
                Arguments(values, written: draft.arguments.written, inputs: inputs, at: draft.pointer))
        } catch var finding as Diagnostic {
            finding.file = finding.file ?? draft.file
            let argument = draft.arguments.first { $0.pointer == finding.pointer }
            finding.position = finding.position ?? argument?.written?.range.start ?? draft.position
            compiler.report(finding)
        } catch {
            // What only a picture or a font can decide is decided when there is one.
        }
    }
}
