import Diagnostics
import LabelpipeKit
import Synchronization

/// Draws a plan for one picture after another, on one thread.
///
/// Layers are data, so drawing here means making and mapping marks; pixels are made by whoever saves. What does
/// not depend on a picture's pixels is remembered, by effect, resolved values and inputs: the same label for
/// the next picture is the same layer, and what was drawn of it can be used again.
public final class Executor {
    /// One picture to draw on.
    public struct Job {
        /// Opens the picture; called only by documents that have `image.source`.
        public let source: @Sendable (_ page: Int?) throws -> Picture
        /// The upright size and resolution, without decoding; nil where the document takes no input.
        public let base: Context.Base?
        /// A field of a template; nil where there is none.
        public let field: (String) throws -> FieldValue?
        public let missing: Template.Missing
        public let report: @Sendable (Note) -> Void

        public init(
            base: Context.Base?, missing: Template.Missing = .error,
            field: @escaping (String) throws -> FieldValue? = { _ in nil },
            report: @escaping @Sendable (Note) -> Void = { _ in },
            source: @escaping @Sendable (_ page: Int?) throws -> Picture
        ) {
            (self.base, self.missing, self.field, self.report, self.source) = (base, missing, field, report, source)
        }
    }

    /// What an output of the document came to.
    public struct Result: Sendable {
        public let layer: Layer
        public let settings: OutputSettings
    }

    /// An error with the node it happened in.
    public struct Failure: Error {
        /// `/output/1/label/0`, in `file`.
        public let pointer: JSONPointer
        public let file: String
        public let underlying: any Error
    }

    public let plan: Plan
    private var remembered = Memory()

    public init(_ plan: Plan) { self.plan = plan }

    /// **Errors**: `Diagnostic` for a value that is wrong for this picture, `Failure` for what an effect throws.
    public func run(_ job: Job) throws -> [Result] {
        var evaluation = Evaluation(plan: plan, job: job, memory: remembered)
        defer { remembered = evaluation.memory }
        return try plan.outputs.map { output in
            let layer = try evaluation.layer(of: output.node)
            let resolver = Resolver(
                measures: Measures(base: job.base, em: nil), missing: job.missing, lookup: job.field)
            return Result(
                layer: layer,
                settings: OutputSettings(
                    try evaluation.arguments(
                        output.arguments.filter { $0.declaration.name != OutputKeys.path.declaration.name }, resolver,
                        owner: "output key", at: output.pointer)))
        }
    }

    /// The layer that each node gives, in order, for previews; the picture's own base where a node is used under several.
    public func layers(_ job: Job) throws -> [(node: Int, layer: Layer)] {
        var evaluation = Evaluation(plan: plan, job: job, memory: remembered)
        defer { remembered = evaluation.memory }
        for output in plan.outputs { _ = try evaluation.layer(of: output.node) }
        return evaluation.evaluated
    }

    /// How often a layer was found, and made.
    public var cacheCounts: (hits: Int, misses: Int) { (remembered.hits, remembered.misses) }
}

/// Layers that recur, by what made them.
struct Memory {
    struct Key: Hashable {
        let node: Int
        let values: [String: Value]
        let entries: [[[String: Value]]]
        let inputs: [[Int]]
    }

    static let capacity = 256
    private var layers: [Key: Layer] = [:]
    /// Of the whole process: caches of drawn labels outlive an executor.
    private static let next = Atomic<Int>(0)
    var hits = 0
    var misses = 0

    mutating func find(_ key: Key) -> Layer? {
        if let layer = layers[key] {
            hits += 1
            return layer
        }
        return nil
    }

    mutating func keep(_ layer: Layer, for key: Key) -> Layer {
        misses += 1
        if layers.count >= Memory.capacity { layers.removeAll(keepingCapacity: true) }
        var layer = layer
        layer.identity = Memory.next.add(1, ordering: .relaxed).newValue
        layers[key] = layer
        return layer
    }
}

/// One picture's drawing. Explicit stack: the graph may be deeper than the thread's.
private struct Evaluation {
    let plan: Plan
    let job: Executor.Job
    var memory: Memory

    private struct Place: Hashable {
        let node: Int
        /// Index into `bases`.
        let base: Int
    }

    private var bases: [Context.Base?] = []
    private var results: [Place: Layer] = [:]
    private var order: [Place] = []

    init(plan: Plan, job: Executor.Job, memory: Memory) {
        (self.plan, self.job, self.memory) = (plan, job, memory)
    }

    var evaluated: [(node: Int, layer: Layer)] { order.map { ($0.node, results[$0]!) } }

    private mutating func index(of base: Context.Base?) -> Int {
        if let known = bases.firstIndex(of: base) { return known }
        bases.append(base)
        return bases.count - 1
    }

    mutating func layer(of node: Int) throws -> Layer {
        var base = job.base
        if base == nil, let canvas = plan.canvas {
            let frame = try evaluate(canvas, index(of: nil)).frame
            base = Context.Base(width: frame.width, height: frame.height)
        }
        return try evaluate(node, index(of: base))
    }

    private mutating func evaluate(_ node: Int, _ base: Int) throws -> Layer {
        var stack = [Place(node: node, base: base)]
        while let place = stack.last {
            if results[place] != nil {
                stack.removeLast()
                continue
            }
            let missing = try needed(place)
            if missing.isEmpty {
                results[place] = try apply(place)
                order.append(place)
                stack.removeLast()
            } else {
                stack += missing.reversed()
            }
        }
        guard let layer = results[Place(node: node, base: base)] else {
            preconditionFailure("an evaluated node has a layer")
        }
        return layer
    }

    /// The base that the nodes behind an input are measured by; nil: not known before its own layer is.
    private mutating func base(of input: Input, at place: Place) -> Int? {
        guard let measure = input.measuredBy else { return place.base }
        let node = plan.nodes[place.node]
        guard let edge = node.inputs.first(where: { $0.input.name == measure })?.edges.first else { return place.base }
        guard let layer = results[Place(node: edge.node, base: place.base)] else { return nil }
        let resolution = layer.picture?.resolution ?? bases[place.base]?.resolution ?? 72
        return index(of: Context.Base(width: layer.frame.width, height: layer.frame.height, resolution: resolution))
    }

    /// The inputs that are still to be evaluated.
    private mutating func needed(_ place: Place) throws -> [Place] {
        let node = plan.nodes[place.node]
        let resolver = Resolver(measures: Measures(base: nil, em: nil), missing: job.missing, lookup: job.field)
        var missing: [Place] = []
        for (input, edges) in node.inputs {
            guard let base = base(of: input, at: place) else { continue }
            for edge in edges where try resolver.holds(edge.condition) {
                let wanted = Place(node: edge.node, base: base)
                if results[wanted] == nil { missing.append(wanted) }
            }
        }
        return missing
    }

    mutating func arguments(
        _ arguments: [Argument], _ resolver: Resolver, owner: String, at pointer: JSONPointer
    ) throws -> Arguments {
        Arguments(try values(arguments, resolver, owner: owner), at: pointer)
    }

    private func values(_ arguments: [Argument], _ resolver: Resolver, owner: String) throws -> [String: Value] {
        var values: [String: Value] = [:]
        for argument in arguments { values[argument.declaration.name] = try resolver.value(argument, owner: owner) }
        return values
    }

    private mutating func apply(_ place: Place) throws -> Layer {
        let node = plan.nodes[place.node]
        let id = node.entry.declaration.id
        var em: Double?
        var measuredEm: Double?
        var reached: [(input: Input, edges: [(edge: Plan.Edge, layer: Layer)])] = []
        let conditions = Resolver(measures: Measures(base: nil, em: nil), missing: job.missing, lookup: job.field)
        for (input, edges) in node.inputs {
            guard let base = base(of: input, at: place) else { continue }
            var layers: [(edge: Plan.Edge, layer: Layer)] = []
            for edge in edges where try conditions.holds(edge.condition) {
                guard let layer = results[Place(node: edge.node, base: base)] else { continue }
                layers.append((edge, layer))
                if let size = layer.text?.size {
                    if input.measuredBy != nil { measuredEm = measuredEm ?? size }
                    if reached.isEmpty { em = em ?? size }
                }
            }
            reached.append((input, layers))
        }
        let hasMeasured = node.inputs.contains { $0.input.measuredBy != nil }
        let resolver = Resolver(
            measures: Measures(base: bases[place.base], em: hasMeasured ? measuredEm : em), missing: job.missing,
            lookup: job.field)
        if let condition = node.condition, try !resolver.holds(condition), let first = reached.first?.edges.first {
            return first.layer
        }
        let values = try values(node.arguments, resolver, owner: id)
        var inputs: [String: [Inputs.Entry]] = [:]
        var entryValues: [[[String: Value]]] = []
        for (input, layers) in reached {
            var entries: [Inputs.Entry] = []
            var all: [[String: Value]] = []
            for (edge, layer) in layers {
                let values = try self.values(edge.arguments, resolver, owner: id)
                all.append(values)
                entries.append(Inputs.Entry(layer: layer, arguments: Arguments(values, at: node.pointer)))
            }
            inputs[input.name] = entries
            entryValues.append(all)
        }
        // What shows pixels of the picture is not known to recur.
        let identities = reached.map { $0.edges.map(\.layer.identity) }
        var key: Memory.Key?
        if id != "image.source", !identities.contains(where: { $0.contains(nil) }) {
            key = Memory.Key(
                node: place.node, values: values, entries: entryValues,
                inputs: identities.map { $0.compactMap { $0 } })
        }
        if let key, let layer = memory.find(key) { return layer }
        let context = Context(base: bases[place.base], source: job.source, report: job.report)
        do {
            let kinds = reached.compactMap { input, edges in edges.first.map { (input.name, $0.layer.kind) } }
            let effect = try node.entry.effect.init(
                Arguments(
                    values, written: node.arguments.written,
                    inputs: Dictionary(kinds, uniquingKeysWith: { first, _ in first }), at: node.pointer))
            var layer = try effect.apply(
                to: Inputs(inputs, first: node.entry.declaration.inputs.first?.name ?? ""), in: context)
            layer.identity = nil
            return key.map { memory.keep(layer, for: $0) } ?? layer
        } catch var finding as Diagnostic {
            finding.file = finding.file ?? node.file
            let argument = node.arguments.first { $0.pointer == finding.pointer }
            finding.position = finding.position ?? argument?.written?.range.start ?? node.position
            throw finding
        } catch {
            throw Executor.Failure(pointer: node.pointer, file: node.file, underlying: error)
        }
    }
}

extension Executor {
    /// Draws what does not need the picture, at a nominal size, to find out before the first picture that a font or
    /// a file is missing.
    ///
    /// **Errors**: `Failure` with a `DrawingError` whose cause is `missing`; anything else is left to the picture it
    /// happens with.
    public func rehearse() throws {
        let job = Job(base: Context.Base(width: 1200, height: 900), missing: .empty) { _ in
            throw DrawingError("rehearsal", "no picture yet")
        }
        var evaluation = Evaluation(plan: plan, job: job, memory: Memory())
        for index in plan.nodes.indices where !plan.nodes[index].dependence.contains(.pixels) {
            do {
                _ = try evaluation.layer(of: index)
            } catch let failure as Failure {
                if let error = failure.underlying as? DrawingError, error.cause == .missing { throw failure }
            } catch {}
        }
    }
}
