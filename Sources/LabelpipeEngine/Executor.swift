import Diagnostics
import LabelpipeKit

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
        /// Told of each text as it is drawn, templates filled in.
        public let told: (String) -> Void
        /// The most pixels of a picture that a node may make.
        let pixelLimit: Double
        /// Told of files that the machine has chosen.
        package var uses: @Sendable (UsedFile) -> Void = { _ in }
        /// Nothing comes of it.
        var isRehearsal = false

        public init(
            base: Context.Base?, missing: Template.Missing = .error, pixelLimit: Double = .infinity,
            field: @escaping (String) throws -> FieldValue? = { _ in nil },
            report: @escaping @Sendable (Note) -> Void = { _ in },
            told: @escaping (String) -> Void = { _ in },
            source: @escaping @Sendable (_ page: Int?) throws -> Picture
        ) {
            (self.base, self.missing, self.field, self.report) = (base, missing, field, report)
            (self.told, self.source, self.pixelLimit) = (told, source, pixelLimit)
        }
    }

    /// What an output of the document came to.
    public struct Result: Sendable {
        public let layer: Layer
        public let settings: OutputSettings

        public init(layer: Layer, settings: OutputSettings) { (self.layer, self.settings) = (layer, settings) }
    }

    /// An error with the node it happened in.
    public struct Failure: Error {
        /// `/output/1/label/0`, in `file`.
        public let pointer: JSONPointer
        public let file: String
        public let position: SourcePosition
        public let underlying: any Error
    }

    public let plan: Plan
    /// Whether a page's number is drawn on it, so that no two pages are drawn alike.
    public let numbersPages: Bool
    private let memory: Memory

    /// - Parameter budget: what the layers that are kept between pictures may hold, in bytes; pixels not counted.
    public init(_ plan: Plan, budget: Int = 32 << 20) {
        self.plan = plan
        numbersPages = plan.fields.contains("page")
        memory = Memory(budget: budget)
    }

    /// **Errors**: `Diagnostic` for a value that is wrong for this picture, `Failure` for what an effect throws.
    public func run(_ job: Job) throws -> [Result] {
        try checkRunnable()
        memory.begin()
        defer { memory.settle() }
        var evaluation = Evaluation(plan: plan, job: job, memory: memory, keepsAll: false)
        return try plan.outputs.map { output in
            let layer = try evaluation.layer(of: output.edge)
            let resolver = Resolver(
                measures: Measures(base: job.base, em: nil), missing: job.missing, scale: plan.scale, lookup: job.field)
            // The path is the supervisor's to fill in: it knows the folders.
            let values = try resolver.values(
                output.arguments, owner: "output key", leavingOut: OutputKeys.path.declaration.name
            ).all
            return Result(layer: layer, settings: OutputSettings(Arguments(values, at: output.pointer)))
        }
    }

    /// The layer that each node gives, in the plan's order, for previews; that under the picture's own base where a node is used under several.
    public func layers(_ job: Job) throws -> [(node: Int, layer: Layer)] {
        try checkRunnable()
        memory.begin()
        defer { memory.settle() }
        var evaluation = Evaluation(plan: plan, job: job, memory: memory, keepsAll: true)
        for output in plan.outputs { _ = try evaluation.layer(of: output.edge) }
        return evaluation.layers()
    }

    /// How often a layer was found, and made.
    public var cacheCounts: (hits: Int, misses: Int) { (memory.hits, memory.misses) }

    /// How many layers are kept, and the bytes they hold.
    public var cacheSize: (count: Int, bytes: Int) { memory.size }

    private func checkRunnable() throws {
        guard plan.isOpen else { return }
        throw Diagnostic(
            "missing-parameter", file: plan.document.file, message: "a parameter has no value: this plan can only be looked at")
    }
}

extension Executor {
    /// Draws what needs something that may not be there and does not need the picture, at a nominal size, to find out before the
    /// first picture that a font or a file is missing.
    ///
    /// **Errors**: `Failure` with a `DrawingError` whose cause is `missing`; anything else is left to the picture it
    /// happens with.
    public func rehearse(pixelLimit: Double = .infinity) throws {
        try checkRunnable()
        var job = Job(base: Context.Base(width: 1200, height: 900), missing: .empty, pixelLimit: pixelLimit) { _ in
            throw DrawingError("rehearsal", "no picture yet")
        }
        job.isRehearsal = true
        var evaluation = Evaluation(plan: plan, job: job, memory: Memory(budget: 1 << 20), keepsAll: false)
        for index in plan.nodes.indices
        where plan.nodes[index].facts.needsInstalled && !plan.nodes[index].dependence.contains(.pixels) {
            do {
                _ = try evaluation.layer(of: Plan.Edge(node: index, crossings: [], entry: nil))
            } catch let failure as Failure {
                if let error = failure.underlying as? DrawingError, error.cause == .missing { throw failure }
            } catch {}
        }
    }

    /// Tries every node, also those behind one that fails, and gives what failed, each node once.
    ///
    /// Outputs come first, so that their nodes are tried under the pictures they are drawn on. What is noted goes to the
    /// job's `report`.
    public func failures(of job: Job) -> [any Error] {
        do {
            try checkRunnable()
        } catch {
            return [error]
        }
        var evaluation = Evaluation(plan: plan, job: job, memory: Memory(budget: 8 << 20), keepsAll: true)
        var failures: [any Error] = []
        var failed: Set<String> = []
        func attempt(_ edge: Plan.Edge) {
            do {
                _ = try evaluation.layer(of: edge)
            } catch {
                let place = (error as? Failure).map { "\($0.file) \($0.pointer)" } ?? "\(error)"
                if failed.insert(place).inserted { failures.append(error) }
            }
        }
        for output in plan.outputs { attempt(output.edge) }
        guard !failures.isEmpty else { return [] }
        for index in plan.nodes.indices where !evaluation.hasLayer(of: index) {
            attempt(Plan.Edge(node: index, crossings: [], entry: nil))
        }
        return failures
    }
}
