import Diagnostics
import LabelpipeKit

/// A document with its parameters set: an ordered, checked graph of nodes.
public struct Plan: Sendable {
    /// A connection to another node.
    struct Edge: Sendable {
        var node: Int
        /// The borders of documents that lie between.
        let crossings: [Compiler.Crossing]
        /// What an entry of a list says besides.
        let entry: Compiler.Entry?

        /// Left out where this is not so; decided for each picture.
        var condition: Term? { entry?.condition }
    }

    struct Node: Sendable {
        /// As it was read.
        let draft: Compiler.Draft
        /// In the order of the effect's inputs.
        let inputs: [[Edge]]
        let kind: LayerKind
        let dependence: Dependence

        var facts: EffectFacts { draft.facts }
        var arguments: ArgumentList { draft.arguments }
        var position: SourcePosition { draft.position }
        /// The id it has in its document.
        var name: String? { draft.name }
        var pointer: JSONPointer { draft.pointer }
        var file: String { draft.file }
    }

    struct Output: Sendable {
        let edge: Edge
        let arguments: ArgumentList

        var node: Int { edge.node }
        var pointer: JSONPointer { arguments.pointer }
    }

    /// A node of the document that is another document.
    struct Component: Sendable {
        /// As the node writes it.
        let effect: String
        let document: Document
        /// Of the node.
        let pointer: JSONPointer
        /// What flows out of it.
        let node: Int
    }

    /// Each node after those it needs. Only what an output needs.
    let nodes: [Node]
    let outputs: [Output]
    /// The layers that documents used as effects are measured by, by the number of the use; nil where nothing asks.
    let measures: [Edge?]
    /// In no order.
    let components: [Component]
    let document: Document
    /// The node whose size lengths are measured by where no `place` or `tile` is: the canvas of a document without source.
    let canvas: Int?
    let scope: Scope
    let scale: Double
    /// What is worth a warning, or good to know; sorted by position.
    public internal(set) var findings = Diagnostics()
    /// Whether it is drawn on an input.
    public let takesInput: Bool
    /// Parameters are missing: it can be looked at, and not run.
    public var isOpen: Bool {
        scope.bindings.values.contains { if case .open = $0.content { true } else { false } }
    }

    public var outputCount: Int { outputs.count }
    package var nodeCount: Int { nodes.count }
    public var title: String? { document.title }

    /// Whether the picture's pixels are asked for by one reader only: they can be read from top to bottom then.
    public var readsSourceOnce: Bool {
        let sources = nodes.indices.filter { nodes[$0].facts.id == Language.source }
        guard sources.count <= 1, outputs.count == 1 else { return outputs.count <= 1 && sources.isEmpty }
        var readers = [Int](repeating: 0, count: nodes.count)
        for node in nodes {
            for edges in node.inputs { for edge in edges { readers[edge.node] += 1 } }
        }
        return nodes.indices.allSatisfy { !nodes[$0].dependence.contains(.pixels) || readers[$0] <= 1 }
    }

    /// The fields that the documents' templates ask for, of all outputs' paths and nodes; behind parameters too.
    public var fields: [String] {
        var collector = FieldCollector()
        for index in nodes.indices {
            collector.add(nodes[index].draft.arguments.templates)
            for input in nodes[index].inputs.indices {
                for edge in nodes[index].inputs[input].indices {
                    guard let entry = nodes[index].inputs[input][edge].entry else { continue }
                    collector.add(entry.arguments?.templates ?? [])
                    collector.add(entry.condition?.templates ?? [])
                }
            }
        }
        for output in outputs { collector.add(output.arguments.templates) }
        return collector.fields
    }

    /// The fields without which no picture can be drawn: those that stand without an alternative, behind parameters too. None where a
    /// `when` decides what is drawn.
    ///
    /// - Parameter parameters: what gets its values from elsewhere.
    package func neededFields(settingAside parameters: Set<String>) -> Set<String> {
        var rest: [(Template, Scope)] = []
        for node in nodes {
            if node.facts.id == Choice.declaration.id { return [] }
            rest += node.arguments.templates
            for case let entry? in node.inputs.joined().map(\.entry) {
                if entry.condition != nil { return [] }
                rest += entry.arguments?.templates ?? []
            }
        }
        for output in outputs { rest += output.arguments.templates }
        var needed: Set<String> = []
        var known: Set<String> = []
        while let (template, scope) = rest.popLast() {
            for field in template.needed {
                guard let binding = scope.bindings[field] else {
                    needed.insert(field)
                    continue
                }
                if scope.document === document, parameters.contains(field) || !known.insert(field).inserted { continue }
                if case .term(let term, _) = binding.content { rest += term.templates }
            }
        }
        return needed
    }

    /// A node by its id in the document, or by its pointer; nil where no output needs such a node.
    public func node(_ name: String) -> Int? {
        if name.hasPrefix("/") {
            // Of an alias or a chain the pointer is that of its last step.
            if let exact = nodes.firstIndex(where: { $0.file == document.file && $0.pointer.description == name }) {
                return exact
            }
            return nodes.lastIndex { $0.file == document.file && $0.pointer.parent?.description == name }
        }
        let pointer = JSONPointer(["nodes", name])
        return nodes.firstIndex { $0.file == document.file && $0.pointer == pointer }
            ?? nodes.lastIndex { $0.file == document.file && $0.pointer.parent == pointer && Int($0.pointer.last ?? "") != nil }
    }

    /// The files that its nodes name, logos and fonts, and those of plugins, so that a batch can tell when one has changed.
    package var files: [String] {
        var files: [String] = []
        for node in nodes {
            if let file = node.facts.file, !files.contains(file) { files.append(file) }
            if node.facts.table.paths.isEmpty { continue }
            for argument in node.arguments.written {
                guard case .path = node.arguments.declaration(argument).kind, case .value(.string(let path)) = argument.term
                else {
                    continue
                }
                if !files.contains(path) { files.append(path) }
            }
        }
        return files
    }

    /// An output's path as a template with its document's parameters filled in as far as they are constant.
    public func path(of output: Int) -> OutputPath { OutputPath(plan: self, output: output) }
}

/// Finds the picture's fields that templates need, through the parameters they name.
struct FieldCollector {
    private(set) var fields: [String] = []
    private var known: Set<String> = []

    mutating func add(_ templates: [(Template, Scope)]) {
        var rest = templates
        while let (template, scope) = rest.popLast() {
            for field in template.fields {
                guard let binding = scope.bindings[field] else {
                    if known.insert(field).inserted { fields.append(field) }
                    continue
                }
                if case .term(let term, _) = binding.content { rest += term.templates }
            }
        }
    }
}

/// An output's path before the picture's fields are filled in.
public struct OutputPath: Sendable {
    let plan: Plan
    let output: Int

    /// The fields it asks for that are not parameters.
    public var fields: [String] {
        var collector = FieldCollector()
        if let template { collector.add([template]) }
        return collector.fields
    }

    /// Whether it can be told without looking into a picture.
    public var isKnownWithoutPicture: Bool { fields.allSatisfy(Fields.isKnownWithoutPicture) }

    /// The format that the document writes for it, nil for by extension.
    public var format: String? {
        if case .value(.string(let format))? = arguments["format"]?.term { return format }
        return nil
    }

    private var arguments: ArgumentList { plan.outputs[output].arguments }

    private var term: Term? {
        arguments["path"]?.term ?? arguments.table.index(of: "path").flatMap { arguments.table.defaults[$0] }
    }

    private var template: (Template, Scope)? {
        if case .text(let template, let scope)? = term { (template, scope) } else { nil }
    }

    /// Fills it in.
    ///
    /// **Errors**: `Template.MissingField`.
    public func text(missing: Template.Missing = .error, _ lookup: @escaping (String) throws -> FieldValue?) throws -> String {
        if let (template, scope) = template {
            return try Resolver(measures: Measures(base: nil, em: nil), missing: missing, lookup: lookup).filled(template, scope)
        }
        if case .value(.string(let text))? = term { return text }
        return ""
    }
}
