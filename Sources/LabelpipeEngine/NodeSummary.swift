import Diagnostics

/// A node of a plan, for whoever shows plans.
public struct NodeSummary: Sendable {
    /// In the plan's order, from 0: each node stands behind those it needs.
    public let index: Int
    /// `shadow.drop`
    public let effect: String
    /// The id it has in its document.
    public let name: String?
    /// The document that writes it.
    public let file: String
    /// Where in it.
    public let pointer: String
    /// `coverage` or `colour`.
    public let kind: String
    /// What it depends on: any of `size`, `metadata`, `pixels`; nothing: drawn once a run.
    public let dependence: [String]
    /// The nodes that reach each input, by `index`, and the parameter that decides whether they do.
    public let inputs: [(name: String, nodes: [Int], conditions: [String?])]
    /// The parameters that the document writes, as written.
    public let written: [(name: String, value: String)]
}

extension Plan {
    /// The nodes that outputs need.
    public var summaries: [NodeSummary] {
        nodes.indices.map { index in
            let node = nodes[index]
            return NodeSummary(
                index: index, effect: node.facts.id, name: node.name, file: node.file, pointer: node.pointer.description,
                kind: node.kind.rawValue, dependence: node.dependence.names,
                inputs: zip(node.facts.declaration.inputs, node.inputs).compactMap { input, edges in
                    edges.isEmpty ? nil : (input.name, edges.map(\.node), edges.map { $0.entry?.when })
                },
                written: node.arguments.written.map {
                    (node.arguments.declaration($0).name, $0.written.string ?? $0.written.compact)
                })
        }
    }

    /// The nodes that outputs save, in their order.
    public var outputNodes: [Int] { outputs.map(\.node) }

    /// What `node(_:)` takes, for suggestions.
    public var nodeNames: [String] {
        nodes.indices.flatMap { index -> [String] in
            let node = nodes[index]
            guard node.file == document.file else { return [] }
            return [node.pointer.description] + (node.name.map { [$0] } ?? [])
        }
    }
}
