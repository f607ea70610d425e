import Diagnostics
import LabelpipeKit
import Vips

/// One picture's drawing. Explicit stack: the graph may be deeper than the thread's.
struct Evaluation {
    let plan: Plan
    let job: Executor.Job
    let memory: Memory
    /// For previews: no layer is let go when it is not needed any more.
    let keepsAll: Bool

    /// A node under a base: the same node may be a label of several pictures.
    struct Place: Hashable {
        let node: Int
        /// Index into `bases`.
        let base: Int
    }

    struct Result {
        let made: Made
        /// Lazy pictures on top of each other.
        let depth: Int

        init(_ made: Made, depth: Int) { (self.made, self.depth) = (made, depth) }
        init(_ layer: Layer, depth: Int) { self.init(Made(layer), depth: depth) }

        var layer: Layer { made.layer }
    }

    private var bases = Bases()
    private var results: [Place: Result] = [:]
    private var order: [Place] = []
    private var outermost: Int?
    /// An empty text has been told of: what comes of it is no news.
    private var hasToldEmptiness = false
    /// How many edges lead to each node.
    private let readers: [Int]

    init(plan: Plan, job: Executor.Job, memory: Memory, keepsAll: Bool) {
        (self.plan, self.job, self.memory, self.keepsAll) = (plan, job, memory, keepsAll)
        readers = keepsAll ? [] : Evaluation.readers(plan)
    }

    private static func readers(_ plan: Plan) -> [Int] {
        var readers = [Int](repeating: 0, count: plan.nodes.count)
        for node in plan.nodes {
            for edges in node.inputs { for edge in edges { readers[edge.node] += 1 } }
        }
        for output in plan.outputs { readers[output.node] += 1 }
        // What measures something is looked at again and again.
        for measure in plan.measures { if let measure { readers[measure.node] += 2 } }
        return readers
    }

    // MARK: Order

    /// Whether a node has been evaluated, under whatever base.
    func hasLayer(of node: Int) -> Bool { results.keys.contains { $0.node == node } }

    mutating func layer(of edge: Plan.Edge) throws -> Layer {
        let base = try base()
        // Behind the borders of documents the base may wait for a layer.
        while true {
            switch bases.index(behind: edge, from: base, plan, results) {
            case .known(let index): return try evaluate(Place(node: edge.node, base: index)).layer
            case .waits(let place): _ = try evaluate(place)
            }
        }
    }

    /// The base outside all labels and documents.
    private mutating func base() throws -> Int {
        if let outermost { return outermost }
        var base = job.base
        if base == nil, let canvas = plan.canvas {
            let frame = try evaluate(Place(node: canvas, base: bases.index(of: nil))).layer.frame
            base = Context.Base(width: frame.width, height: frame.height)
        }
        let index = bases.index(of: base)
        outermost = index
        return index
    }

    private mutating func evaluate(_ wanted: Place) throws -> Result {
        if let known = results[wanted] { return known }
        var stack = [wanted]
        var last: Result?
        while let place = stack.last {
            if let known = results[place] {
                last = known
                stack.removeLast()
                continue
            }
            let missing = try needed(place)
            if missing.isEmpty {
                let result = try apply(place)
                results[place] = result
                if keepsAll { order.append(place) } else { letGo(place) }
                last = result
                stack.removeLast()
            } else {
                stack += missing.reversed()
            }
        }
        guard let last else { preconditionFailure("an evaluated node has a layer") }
        return last
    }

    /// Layers with one reader are not needed once it has read them. Should it read them under another base again, they
    /// are made again.
    private mutating func letGo(_ place: Place) {
        for edges in plan.nodes[place.node].inputs {
            for edge in edges where readers[edge.node] == 1 && edge.crossings.isEmpty {
                results[Place(node: edge.node, base: place.base)] = nil
            }
        }
    }

    /// Where an edge leads to, or the layer that has to be there before that is known.
    private mutating func place(of edge: Plan.Edge, _ input: Int, at place: Place) -> Bases.Found {
        let node = plan.nodes[place.node]
        var base = place.base
        if let measure = node.facts.declaration.inputs[input].measuredBy,
            let index = node.facts.declaration.inputs.firstIndex(where: { $0.name == measure }),
            let measuring = node.inputs[index].first
        {
            switch bases.index(behind: measuring, from: place.base, plan, results) {
            case .waits(let place): return .waits(place)
            case .known(let index):
                let measuring = Place(node: measuring.node, base: index)
                guard let result = results[measuring] else { return .waits(measuring) }
                base = bases.index(of: result.layer, inside: place.base)
            }
        }
        return bases.index(behind: edge, from: base, plan, results)
    }

    /// The inputs that are still to be evaluated.
    private mutating func needed(_ place: Place) throws -> [Place] {
        let node = plan.nodes[place.node]
        var missing: [Place] = []
        for (number, edges) in node.inputs.enumerated() {
            for edge in edges where try holds(edge, at: place) {
                let wanted: Place
                switch self.place(of: edge, number, at: place) {
                case .waits(let place): wanted = place
                case .known(let base): wanted = Place(node: edge.node, base: base)
                }
                if results[wanted] == nil { missing.append(wanted) }
            }
        }
        return missing
    }

    private func holds(_ edge: Plan.Edge, at place: Place) throws -> Bool {
        guard let condition = edge.condition else { return true }
        // A length in em is nothing where it is no em.
        let resolver = resolver(Measures(base: bases[place.base], em: 16 * plan.scale))
        do {
            return try resolver.holds(condition)
        } catch {
            throw located(error, plan.nodes[place.node])
        }
    }

    private func resolver(_ measures: Measures) -> Resolver {
        Resolver(measures: measures, missing: job.missing, scale: plan.scale, lookup: job.field, report: job.report)
    }

    // MARK: One node

    private typealias Reached = (edge: Int, entry: Compiler.Entry?, result: Result)

    /// The layers that reach a node, by input.
    private mutating func reached(_ place: Place) throws -> [[Reached]] {
        let node = plan.nodes[place.node]
        var all: [[Reached]] = []
        all.reserveCapacity(node.inputs.count)
        for (number, edges) in node.inputs.enumerated() {
            var layers: [Reached] = []
            layers.reserveCapacity(edges.count)
            for (index, edge) in edges.enumerated() where try holds(edge, at: place) {
                guard case .known(let base) = self.place(of: edge, number, at: place),
                    let result = results[Place(node: edge.node, base: base)]
                else { preconditionFailure("all inputs are evaluated") }
                layers.append((index, edge.entry, result))
            }
            all.append(layers)
        }
        return all
    }

    /// The text size that reaches a node: of the first input, or of what is measured by another.
    private func em(_ reached: [[Reached]], _ declaration: EffectDeclaration) -> Double? {
        let input = declaration.inputs.firstIndex { $0.measuredBy != nil } ?? 0
        guard reached.indices.contains(input) else { return nil }
        return reached[input].lazy.compactMap { $0.result.layer.text?.size }.first
    }

    private mutating func apply(_ place: Place) throws -> Result {
        let node = plan.nodes[place.node]
        let reached = try reached(place)
        let resolver = resolver(Measures(base: bases[place.base], em: em(reached, node.facts.declaration)))
        var values: [String: Value]
        var varying: [Value]
        var inputs: [String: [Inputs.Entry]] = [:]
        var identities: [Int]? = []
        do {
            (values, varying) = try resolver.values(node.arguments, owner: node.facts.id)
            if node.facts.declaration.givesText, case .string(let text)? = values[Language.text] {
                job.told(text)
                if text.unicodeScalars.contains("\0") { job.report(Note(.warning, EmptyText.nulCode, EmptyText.nul)) }
                if !text.hasSomethingToDraw {
                    hasToldEmptiness = true
                    let isMeant = job.missing == .empty || node.arguments[Language.text]?.term.foreseesEmptiness == true
                    job.report(Note(isMeant ? .note : .warning, EmptyText.code, EmptyText.message(text)))
                }
            }
            for (number, layers) in reached.enumerated() {
                var entries: [Inputs.Entry] = []
                entries.reserveCapacity(layers.count)
                for (index, entry, result) in layers {
                    var arguments = Arguments([:], at: node.pointer)
                    if let list = entry?.arguments {
                        let own = try resolver.values(list, owner: node.facts.id)
                        varying += own.varying
                        arguments = Arguments(own.all, written: list.names, at: list.pointer)
                    } else if let table = node.facts.entryTables[number] {
                        arguments = Arguments(table.constants, written: [], at: node.pointer)
                    }
                    entries.append(Inputs.Entry(layer: result.layer, arguments: arguments))
                    // What shows pixels of the picture is not known to recur.
                    if let identity = result.layer.identity {
                        identities? += [number, index, identity]
                    } else {
                        identities = nil
                    }
                }
                inputs[node.facts.declaration.inputs[number].name] = entries
            }
        } catch {
            throw located(error, node)
        }
        var depth = 0
        for layers in reached { for layer in layers { depth = max(depth, layer.result.depth) } }
        let key = identities.map { self.key(place, values, varying, inputs: $0) }
        if let key, let known = memory.find(key) {
            known.notes.forEach(job.report)
            known.files.forEach(job.uses)
            if node.facts.declaration.givesText, known.made.layer.marks.isEmpty, !known.notes.isEmpty { hasToldEmptiness = true }
            return Result(known.made, depth: depth)
        }
        let watch = Watch(job)
        do {
            var kinds: [String: LayerKind] = [:]
            for (input, layers) in zip(node.facts.declaration.inputs, reached) {
                kinds[input.name] = layers.first?.result.layer.kind
            }
            let effect = try node.facts.make(
                Arguments(
                    values, written: node.arguments.names, inputs: kinds, at: node.pointer))
            var layer = try effect(
                Inputs(inputs, first: node.facts.declaration.inputs.first?.name ?? ""),
                watch.context(base: bases[place.base]))
            layer.identity = nil
            if node.facts.declaration.givesText, layer.marks.isEmpty, !watch.notes.isEmpty { hasToldEmptiness = true }
            reportFaintLabel(layer, node, inputs, watch)
            try checkPixels(layer, node)
            let census = try counted(layer, node)
            if watch.hasReadBase { memory.markReadsBase(place.node) }
            guard !watch.hasOpenedSource, identities != nil else {
                return try flattened(layer, depth: depth, reached)
            }
            let now = self.key(place, values, varying, inputs: identities ?? [])
            let made = memory.keep(layer, notes: watch.notes, files: watch.files, bytes: census.bytes, for: now)
            return Result(made, depth: depth)
        } catch {
            throw located(error, node)
        }
    }

    /// Tells of a label that leaves the picture as it was, unless something upstream or the effect itself has said why.
    private mutating func reportFaintLabel(_ layer: Layer, _ node: Plan.Node, _ inputs: [String: [Inputs.Entry]], _ watch: Watch)
    {
        guard let drawsOn = node.facts.declaration.drawsOn?.input, !hasToldEmptiness, watch.notes.isEmpty else { return }
        guard let base = inputs[drawsOn]?.first?.layer,
            let label = inputs.first(where: { $0.key != drawsOn })?.value.first?.layer,
            FaintLabel.isOne(label, before: base, after: layer)
        else { return }
        job.report(Note(.warning, FaintLabel.code, FaintLabel.message))
    }

    private func key(_ place: Place, _ values: [String: Value], _ varying: [Value], inputs: [Int]) -> Memory.Key {
        var files: [FileStamp?] = []
        for declaration in plan.nodes[place.node].facts.table.declarations where declaration.kind == .path {
            if case .string(let path)? = values[declaration.name] { files.append(FileStamp(path)) } else { files.append(nil) }
        }
        return Memory.Key(
            node: place.node, base: memory.readsBase.contains(place.node) ? bases[place.base] : nil, values: varying,
            inputs: inputs, files: files)
    }

    /// Before any pixel of it is made: a picture inside a label can be as large as a bomb, and is cut to the output only afterwards.
    private func checkPixels(_ layer: Layer, _ node: Plan.Node) throws {
        for case .body(let body) in layer.marks {
            for case .picture(let picture, _) in body.contents {
                let area = Double(picture.image.width) * Double(picture.image.height)
                guard area > job.pixelLimit else { continue }
                throw Diagnostic(
                    "too-large", pointer: node.pointer,
                    message: "\(node.facts.id) would make a picture of \(Int(min(area, 1e18))) pixels, and the limit is "
                        + "\(Int(min(job.pixelLimit, 1e18)))",
                    help: ["--limit-pixels N"])
            }
        }
    }

    private func counted(_ layer: Layer, _ node: Plan.Node) throws -> Census {
        let census = Census(layer, limit: Language.maximumMarks)
        guard census.marks <= Language.maximumMarks else {
            throw Diagnostic(
                "too-many-marks", pointer: node.pointer, expected: "a layer of at most \(Language.maximumMarks) marks",
                got: "more")
        }
        return census
    }

    /// Ends a chain of lazy pictures before libvips' own recursion uses up the stack.
    private func flattened(_ layer: Layer, depth: Int, _ reached: [[Reached]]) throws -> Result {
        guard let picture = layer.picture else { return Result(layer, depth: depth) }
        let isNew = !reached.joined().contains { $0.result.layer.picture?.image === picture.image }
        let depth = isNew && !reached.joined().isEmpty ? depth + 1 : depth
        guard depth >= Evaluation.maximumPictureDepth else { return Result(layer, depth: depth) }
        var whole = Picture(
            try picture.image.materialised(), orientation: picture.orientation, provenance: picture.provenance)
        whole.drawn = picture.drawn
        var flat = Layer(whole)
        flat.text = layer.text
        flat.outline = layer.outline
        return Result(flat, depth: 0)
    }

    private static let maximumPictureDepth = 256

    /// An error with its place.
    private func located(_ error: any Error, _ node: Plan.Node) -> any Error {
        guard var finding = error as? Diagnostic else {
            let value = (error as? DrawingError)?.parameter.map { node.pointer.appending($0) }
            let position = node.arguments.position(of: value)
            return Executor.Failure(
                pointer: position == nil ? node.pointer : value ?? node.pointer, file: node.file,
                position: position ?? node.position, underlying: error)
        }
        finding.file = finding.file ?? node.file
        finding.pointer = finding.pointer ?? node.pointer
        finding.position = finding.position ?? node.arguments.position(of: finding.pointer) ?? node.position
        return finding
    }

    /// By node, for previews.
    func layers() -> [(node: Int, layer: Layer)] {
        var found: [Int: Layer] = [:]
        for place in order where found[place.node] == nil || place.base == outermost { found[place.node] = results[place]?.layer }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
