import Diagnostics
import LabelpipeKit

/// A document with its parameters set: an ordered, checked graph of nodes.
public struct Plan: Sendable {
    /// A connection to another node, with what a list entry says of it.
    struct Edge: Sendable {
        let node: Int
        let arguments: [Argument]
        /// Left out where this is not so; decided for each picture.
        let condition: Term?
    }

    struct Node: Sendable {
        let entry: Registry.Entry
        let arguments: [Argument]
        /// In the order of the effect's inputs.
        let inputs: [(input: Input, edges: [Edge])]
        let file: String
        let position: SourcePosition
        let pointer: JSONPointer
        /// The id it has in its document.
        let name: String?
        /// The step is left out where this is not so; decided for each picture.
        let condition: Term?
        let kind: LayerKind
        let dependence: Dependence
    }

    struct Output: Sendable {
        let node: Int
        let arguments: [Argument]
        let pointer: JSONPointer
    }

    /// Each node after those it needs. Only what an output needs.
    let nodes: [Node]
    let outputs: [Output]
    let document: Document
    /// The node whose size lengths are measured by where no `place` or `tile` is: the canvas of a document without source.
    let canvas: Int?
    let scope: Scope
    /// Whether it is drawn on an input.
    public let takesInput: Bool

    public var outputCount: Int { outputs.count }

    /// Whether the picture's pixels are asked for by one reader only: they can be read from top to bottom then.
    public var readsSourceOnce: Bool {
        let sources = nodes.indices.filter { nodes[$0].entry.declaration.id == "image.source" }
        guard sources.count <= 1, outputs.count == 1 else { return outputs.count <= 1 && sources.isEmpty }
        var readers = [Int](repeating: 0, count: nodes.count)
        for node in nodes {
            for (_, edges) in node.inputs { for edge in edges { readers[edge.node] += 1 } }
        }
        return nodes.indices.allSatisfy { !nodes[$0].dependence.contains(.pixels) || readers[$0] <= 1 }
    }

    public var title: String? { document.title }

    /// What the documents' templates ask for, of all outputs' paths and nodes.
    public var fields: [String] {
        var fields: [String] = []
        func add(_ term: Term) {
            switch term {
            case .text(let template, _), .late(let template, _, _):
                for field in template.fields where !fields.contains(field) { fields.append(field) }
            case .list(let terms): terms.forEach(add)
            case .object(let terms), .gradient(let terms, _): terms.values.forEach(add)
            default: break
            }
        }
        for node in nodes {
            node.arguments.forEach { add($0.term) }
            if let condition = node.condition { add(condition) }
        }
        for output in outputs { output.arguments.forEach { add($0.term) } }
        return fields
    }

    /// An output's path as a template with its document's parameters filled in as far as they are constant.
    public func path(of output: Int) -> OutputPath { OutputPath(plan: self, output: output) }
}

/// An output's path before the picture's fields are filled in.
public struct OutputPath: Sendable {
    let plan: Plan
    let output: Int

    /// The fields it asks for that are not parameters.
    public var fields: [String] {
        guard case .text(let template, let scope)? = term else { return [] }
        return template.fields.filter { scope.bindings[$0] == nil }
    }

    /// Whether it can be told without looking into a picture.
    public var isKnownWithoutPicture: Bool { fields.allSatisfy(Fields.isKnownWithoutPicture) }

    /// The format that the document writes for it, nil for by extension.
    public var format: String? {
        let argument = plan.outputs[output].arguments.first { $0.declaration.name == "format" }
        if case .value(.string(let format))? = argument?.term { return format }
        return nil
    }

    private var term: Term? { plan.outputs[output].arguments.first { $0.declaration.name == "path" }?.term }

    /// Fills it in.
    ///
    /// **Errors**: `Template.MissingField`.
    public func text(missing: Template.Missing = .error, _ lookup: @escaping (String) throws -> FieldValue?) throws -> String {
        switch term {
        case .text(let template, let scope)?:
            return try Resolver(measures: Measures(base: nil, em: nil), missing: missing, lookup: lookup)
                .filled(template, scope)
        case .value(.string(let text))?: return text
        default: return "{relative}/{name}"
        }
    }
}
