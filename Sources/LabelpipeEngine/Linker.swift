import Diagnostics
import LabelpipeKit

/// Turns drafts into a plan: references become edges, rings are found, kinds are checked, nodes are ordered.
///
/// Nothing here recurses over the graph: a chain may be 20 000 nodes long.
struct Linker {
    /// Between drafts, and at last between the plan's nodes.
    typealias Edge = Plan.Edge

    struct Root {
        let reference: Compiler.Reference
        let arguments: ArgumentList
    }

    let compiler: Compiler
    let drafts: [Compiler.Draft]
    /// Of each draft, each of its inputs.
    private(set) var inputs: [[[Edge]]] = []
    /// The layer that a document used as an effect is measured by; nil: broken.
    private var measures: [Edge?] = []
    /// Something could not be connected.
    private var isBroken = false

    init(_ compiler: Compiler) {
        self.compiler = compiler
        drafts = compiler.drafts
    }

    /// The plan of these outputs; every node is checked, only those that an output needs are kept.
    mutating func plan(roots: [Root], scope: Scope) -> Plan? {
        let slots = Slots(compiler.slots) { reportNameRing($0) }
        func edge(_ reference: Compiler.Reference, _ entry: Compiler.Entry? = nil) -> Edge? {
            let end = slots.follow(reference)
            return end.node.map { Edge(node: $0, crossings: end.crossings, entry: entry) }
        }
        measures = compiler.uses.map { edge($0.input) }
        inputs.reserveCapacity(drafts.count)
        var connections = compiler.takeConnections()
        for index in connections.indices {
            // Where it has 20 000 nodes, a graph is not kept twice.
            var own: [[Compiler.DraftEdge]] = []
            swap(&own, &connections[index])
            inputs.append(
                own.map { edges in
                    edges.compactMap { one in
                        let found = edge(one.reference, one.entry)
                        if found == nil { isBroken = true }
                        return found
                    }
                })
        }
        connections = []
        let outputs = roots.map { edge($0.reference) }
        let order = ordered(from: outputs.compactMap { $0?.node })
        if outputs.contains(where: { $0 == nil }) { isBroken = true }
        let edges = outputs.compactMap { $0 }
        let found = checked(
            order, edges,
            outputs: zip(roots, outputs).compactMap { root, output in output.map { ($0.node, root.arguments) } })
        guard !isBroken, !compiler.findings.hasErrors, edges.count == roots.count else { return nil }
        let components = compiler.components.compactMap { one in edge(one.output).map { (one, $0) } }
        return assembled(order, edges, roots, scope, found.kinds, found.dependences, components)
    }

    /// All checks of the connected graph.
    private func checked(
        _ order: [Int], _ edges: [Edge], outputs: [(node: Int, arguments: ArgumentList)]
    ) -> (kinds: [Kinds], dependences: [Dependence]) {
        var checker = KindChecker(linker: self, order: order)
        checker.check(outputs: outputs)
        var relations = RelationChecker(linker: self, kinds: checker.kinds)
        for index in order { relations.check(index) }
        MeasureChecker(linker: self, order: order, outputs: edges).check()
        return (checker.kinds, checker.dependences)
    }

    /// The nodes that must be there before a node: behind its inputs, and what measures the documents it looks into.
    func needed(by index: Int) -> [Int] {
        var nodes: [Int] = []
        for input in inputs[index].indices {
            for edge in inputs[index][input].indices {
                nodes.append(inputs[index][input][edge].node)
                for case .enter(let use) in inputs[index][input][edge].crossings {
                    if let measure = measures[use] { nodes.append(measure.node) }
                }
            }
        }
        return nodes
    }

    /// Takes the edges away.
    private mutating func assembled(
        _ order: [Int], _ outputs: [Edge], _ roots: [Root], _ scope: Scope, _ kinds: [Kinds], _ dependences: [Dependence],
        _ components: [(Compiler.Component, Edge)]
    ) -> Plan {
        // Only what is needed, in order.
        var isNeeded = [Bool](repeating: false, count: drafts.count)
        var stack = outputs.map(\.node)
        for output in outputs {
            for case .enter(let use) in output.crossings { if let measure = measures[use] { stack.append(measure.node) } }
        }
        while let index = stack.popLast() {
            if isNeeded[index] { continue }
            isNeeded[index] = true
            stack += needed(by: index)
        }
        var places = [Int](repeating: -1, count: drafts.count)
        var nodes: [Plan.Node] = []
        nodes.reserveCapacity(isNeeded.count { $0 })
        func planned(_ edge: Edge) -> Plan.Edge {
            Plan.Edge(node: places[edge.node], crossings: edge.crossings, entry: edge.entry)
        }
        for index in order where isNeeded[index] {
            places[index] = nodes.count
            var connected: [[Edge]] = []
            swap(&connected, &inputs[index])
            for input in connected.indices {
                for edge in connected[input].indices { connected[input][edge].node = places[connected[input][edge].node] }
            }
            nodes.append(
                Plan.Node(
                    draft: drafts[index], inputs: connected, kind: kinds[index].contains(.coverage) ? .coverage : .colour,
                    dependence: dependences[index]))
        }
        // The document's own canvas before that of one it uses, the first of several.
        let canvas = nodes.indices.filter { nodes[$0].facts.id == Language.canvas }.min {
            let (a, b) = (nodes[$0].arguments.document !== scope.document, nodes[$1].arguments.document !== scope.document)
            return a == b ? nodes[$0].position < nodes[$1].position : !a
        }
        return Plan(
            nodes: nodes,
            outputs: zip(outputs, roots).map { Plan.Output(edge: planned($0), arguments: $1.arguments) },
            measures: measures.map { edge in edge.flatMap { isNeeded[$0.node] ? planned($0) : nil } },
            components: components.compactMap { one, edge in
                isNeeded[edge.node]
                    ? Plan.Component(effect: one.effect, document: one.document, pointer: one.pointer, node: places[edge.node])
                    : nil
            },
            document: scope.document, canvas: canvas, scope: scope, scale: compiler.scale,
            takesInput: nodes.contains { $0.facts.id == Language.source })
    }

    // MARK: Order

    /// Every node after those it needs, those of the outputs first. Where nodes need each other, that is reported, and
    /// the order ends the ring somewhere.
    private func ordered(from roots: [Int]) -> [Int] {
        var state = [UInt8](repeating: 0, count: drafts.count)
        var order: [Int] = []
        order.reserveCapacity(drafts.count)
        var stack: [(node: Int, needs: [Int], next: Int)] = []
        func enter(_ node: Int) {
            state[node] = 1
            stack.append((node, needed(by: node), 0))
        }
        for root in roots + Array(drafts.indices) where state[root] == 0 {
            enter(root)
            while let top = stack.last {
                if top.next < top.needs.count {
                    stack[stack.count - 1].next += 1
                    let target = top.needs[top.next]
                    if state[target] == 0 {
                        enter(target)
                    } else if state[target] == 1 {
                        reportRing(stack.drop { $0.node != target }.map(\.node))
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

    /// - Parameter found: each node needs the next, the last one the first.
    private func reportRing(_ found: [Int]) {
        // From the one that stands first in the document.
        let start = found.indices.min { drafts[found[$0]].position < drafts[found[$1]].position } ?? 0
        let ring = Array(found[start...] + found[..<start])
        var names: [String] = []
        for index in ring {
            // A step deep in a chain belongs to the node that its pointer begins with.
            let tokens = drafts[index].pointer.tokens
            let name = tokens.first == "nodes" && tokens.count > 1 ? tokens[1] : "/" + tokens.prefix(2).joined(separator: "/")
            if names.last != name { names.append(name) }
        }
        if names.count > 1, names.first == names.last { names.removeLast() }
        let first = drafts[ring[0]]
        compiler.report(
            Diagnostic(
                "node-ring", file: first.file, position: first.position, pointer: first.pointer,
                message: "nodes need each other in a ring: \((names + [names[0]]).joined(separator: " → "))"))
    }

    private func reportNameRing(_ ring: [Int]) {
        var named = ring.map { compiler.slots[$0] }.filter { $0.name != nil }
        let start = named.indices.min { named[$0].position < named[$1].position } ?? 0
        named = Array(named[start...] + named[..<start])
        guard let first = named.first, let name = first.name else { return }
        let names = named.compactMap(\.name)
        compiler.report(
            Diagnostic(
                "node-ring", file: first.document.file, position: first.position, pointer: JSONPointer(["nodes", name]),
                message: "nodes stand for each other in a ring: \((names + [names[0]]).joined(separator: " → "))"))
    }
}
