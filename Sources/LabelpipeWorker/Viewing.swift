import Diagnostics
import Glibc
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import LabelpipePreview
import LabelpipeSave
import Vips

/// Previews: what flows along edges, and the photo they are drawn on where none is given.
extension PipelineWork {
    package func view(
        _ request: ViewRequest, source: OpenSource?, output: Int32, progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> ViewReply {
        do {
            if request.subject == .sample { return try sample(to: output) }
            return try viewed(request, source, output, progress)
        } catch let findings as Diagnostics {
            throw findings
        } catch {
            throw [Findings.finding(error)]
        }
    }

    private func sample(to output: Int32) throws -> ViewReply {
        let image = try SamplePhoto.image()
        var jpeg = JPEGSaveOptions()
        jpeg.quality = 90
        try Saver.save(image, to: output, .jpeg(jpeg))
        var reply = ViewReply()
        (reply.width, reply.height) = (image.width, image.height)
        return reply
    }

    private func viewed(
        _ request: ViewRequest, _ source: OpenSource?, _ output: Int32, _ progress: (Phase, PictureSize?) -> Void
    ) throws -> ViewReply {
        var run = RunRequest(key: request.key, source: request.source)
        run.name = request.name
        let executor = try self.executor(for: run)
        progress(.header, nil)
        let opened = try source.map { try open($0, .random) }
        let (file, picture) = (opened?.file, opened?.picture)
        let size = file.map { self.size($0.image) }
        progress(.render, size)
        let notes = Notes()
        let layers = try executor.layers(
            job(run, picture, (opened?.image).map(PictureMetadata.init), source, notes, pages: opened))
        progress(.save, size)
        var reply = ViewReply()
        reply.picture = picture.map { PictureSize(width: $0.width, height: $0.height, pages: $0.pageCount) }
        let image: Image
        switch request.subject {
        case .node(let index):
            guard let layer = layers.first(where: { $0.node == index })?.layer else {
                throw Diagnostic("no-layer", message: "nothing comes here for this picture: a \"when\" leaves the node out")
            }
            let view = LayerView(
                layer, room: (request.longest, request.longest), magnifies: request.magnifies)
            let started = Self.now
            image = try view.image()
            reply.nodes = [entry(index, layer, since: started)]
        case .frames, .sample:
            reply.nodes = layers.map { entry($0.node, $0.layer, since: Self.now) }
            reply.warnings = notes.all.map(warning)
            return reply
        case .all:
            guard layers.count <= ContactSheet.mostCells else {
                throw Diagnostic(
                    "too-many-nodes", expected: "a document of at most \(ContactSheet.mostCells) nodes for a sheet",
                    got: "\(layers.count) nodes", help: ["--node ID shows one"])
            }
            let graph = executor.plan.summaries
            let lines = try SheetLines(registry)
            var cells: [ContactSheet.Cell] = []
            for (index, layer) in layers {
                let started = Self.now
                let view = LayerView(layer, room: ContactSheet.room, magnifies: true)
                let picture = try view.image()
                let entry = entry(index, layer, since: started)
                reply.nodes.append(entry)
                cells.append(cell(graph[index], layer, entry, view, picture))
            }
            let heading = executor.plan.title ?? setup.file.name.description
            image = try ContactSheet(heading: heading, cells: cells, write: lines.layer).image()
        }
        (reply.width, reply.height) = (image.width, image.height)
        try Saver.save(image, to: output, .png(PNGSaveOptions()))
        if let told = try file?.finish() { for text in told { notes.add(Note(.warning, "damaged", text)) } }
        reply.warnings = notes.all.map(warning)
        return reply
    }

    private func entry(_ index: Int, _ layer: Layer, since started: Double) -> ViewReply.Node {
        let reach = layer.reach
        return ViewReply.Node(
            index: index, frame: [layer.frame.x, layer.frame.y, layer.frame.width, layer.frame.height],
            reach: [reach.x, reach.y, reach.width, reach.height], milliseconds: Self.now - started)
    }

    private func cell(
        _ node: NodeSummary, _ layer: Layer, _ entry: ViewReply.Node, _ view: LayerView, _ picture: Image
    ) -> ContactSheet.Cell {
        func short(_ value: Double) -> String {
            let tenths = (value * 10).rounded() / 10
            return tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int(tenths))" : "\(tenths)"
        }
        var from = node.inputs.map { "\($0.name) \($0.nodes.map { "\($0 + 1)" }.joined(separator: " "))" }
        if from.isEmpty { from = [node.pointer] }
        var size = "\(short(layer.frame.width)) × \(short(layer.frame.height)) px"
        if view.scale > 1 { size += " (shown ×\(Int(view.scale)))" }
        return ContactSheet.Cell(
            title: "\(node.index + 1)  \(node.effect)" + (node.name.map { "  “\($0)”" } ?? ""),
            facts: ["\(node.kind), \(size), \(short(entry.milliseconds)) ms", from.joined(separator: ", ")], view: picture)
    }

    /// Milliseconds of a clock that only goes forward.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    // MARK: Small copies

    /// Into the last two of the descriptors, of the picture and of its first output. One that cannot be made stays empty: a page
    /// without a picture is no reason to lose the picture.
    func makeThumbnails(_ source: OpenSource?, _ outputs: [Int32], of request: RunRequest) {
        guard outputs.count == request.outputs.count + 2, let first = outputs.first else { return }
        let all = options(all: false, .jpeg)
        if let source {
            try? Thumbnail.make(of: source.descriptor, path: source.path.bytes, options: all, to: outputs[outputs.count - 2])
        }
        var own = all
        own.allowed.formUnion([.jxl, .ppm])
        try? Thumbnail.make(of: first, path: request.outputs[0].path.bytes, options: own, to: outputs[outputs.count - 1])
    }
}

/// The lines of a contact sheet: text as any document writes it.
private struct SheetLines {
    private let pipeline: Pipeline

    private static let document = """
        {
          "labelpipe": 1,
          "parameters": {
            "text": { "type": "string" }, "size": { "type": "length" }, "weight": { "type": "integer" },
            "color": { "type": "color" }, "width": { "type": "length" }
          },
          "output": [
            {
              "effect": "text.mask", "text": "$text", "font": "sans-serif", "size": "$size", "weight": "$weight",
              "wrapWidth": "$width", "maxLines": 1, "wrap": "char", "missingGlyph": "ignore"
            },
            { "effect": "fill.solid", "color": "$color" }
          ]
        }
        """

    init(_ registry: Registry) throws(Diagnostics) {
        pipeline = try Pipeline(bytes: Array(Self.document.utf8), name: "contact sheet", folder: ".", registry: registry)
    }

    func layer(_ text: String, _ style: ContactSheet.Style, width: Double) throws -> Layer {
        let (size, weight, color) =
            switch style {
            case .heading: (20, 700, "#1B1D21")
            case .title: (13, 700, "#1B1D21")
            case .fact: (12, 400, "#5B616B")
            }
        let plan = try pipeline.plan([
            "text": .value(JSONValue(.string(text))), "size": .value(JSONValue(size)), "weight": .value(JSONValue(weight)),
            "color": .value(JSONValue(.string(color))), "width": .value(JSONValue(width)),
        ])
        let job = Executor.Job(base: nil) { _ in throw DrawingError("no-input", "a line has none") }
        return try Executor(plan).run(job)[0].layer
    }
}
