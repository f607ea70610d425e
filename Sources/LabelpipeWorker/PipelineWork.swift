import CLinux
import Diagnostics
import Glibc
import LabelpipeDrawing
import LabelpipeEngine
import LabelpipeKit
import LabelpipeSave
import Synchronization
import Vips

/// Draws a pipeline document on one picture after another.
package final class PipelineWork: PictureWork {
    let registry: Registry
    private(set) var setup = Setup()
    private var pipeline: Pipeline?
    private var executor: Executor?
    /// Of the row before: rows next to each other often set the same.
    private var rowExecutor: (cells: [String], executor: Executor)?

    package init(registry: Registry) { self.registry = registry }

    package func prepare(_ setup: Setup) throws(Diagnostics) {
        self.setup = setup
        do {
            try VipsRuntime.start(concurrency: 1)
            // For `verify` and `doctor`, which draw nothing.
            guard !setup.document.isEmpty else { return }
            let pipeline = try Pipeline(
                bytes: setup.document, name: setup.file.description, folder: setup.folder.reversibleText, registry: registry,
                texts: DocumentTexts(setup.documents))
            // Parameters that only rows set have no value yet.
            let plan = try pipeline.plan(
                settings, scale: setup.scale, allowsOpen: setup.hasRows, isLast: !setup.keepsText)
            // For a single picture nothing of a large graph is kept: all of it is there while it is drawn anyway.
            isLarge = plan.nodeCount > Self.largeGraph
            let isOnce = !setup.keepsText && setup.count == 1 && isLarge
            let executor = isOnce ? Executor(plan, budget: 0) : Executor(plan)
            // It has been read.
            self.setup.document = []
            try requireCodecs(executor.plan)
            if !executor.plan.isOpen {
                let limit = mostPixels(on: nil)
                try DrawnLayers.mostPixels.withValue(limit) { try executor.rehearse(pixelLimit: limit) }
            }
            self.executor = executor
            self.pipeline = pipeline
            if isLarge { lp_trim() }
        } catch let findings as Diagnostics {
            throw findings
        } catch {
            throw [Findings.finding(error)]
        }
    }

    /// What outputs are written as, where the document alone says it.
    private func requireCodecs(_ plan: Plan) throws {
        for output in 0..<plan.outputCount {
            let path = plan.path(of: output)
            // A field's own text does not end in an extension that counts.
            let name = path.format == nil ? try? path.text(missing: .empty, { _ in .text("field") }) : nil
            try Codecs.require(format: path.format, name: Array((name ?? "").utf8))
        }
    }

    /// **Units**: nodes.
    private static let largeGraph = 2000
    /// What reading and building a large graph leaves behind is given back before the next step takes as much again.
    private var isLarge = false

    /// The default of `--limit-pixels`; a TIFF's pixels are read where they are needed.
    static let mostPixels = 2_000_000_000
    /// The default of `--limit-frames`.
    private static let mostFrames = 10_000

    func options(all: Bool, _ kind: FileKind) -> LoadOptions {
        var options = LoadOptions()
        options.isTolerant = setup.isTolerant
        options.allowed = Set(setup.allowed.compactMap(FileKind.init))
        options.pixelLimit = setup.limitPixels ?? (kind == .tiff ? nil : Self.mostPixels)
        options.pageLimit = setup.limitFrames ?? Self.mostFrames
        options.pages = all ? .all : .first
        return options
    }

    /// Opened with all its pages.
    func open(_ source: OpenSource, _ access: LoadOptions.Access) throws -> OpenedPicture {
        let kind = try FileKind.identify(descriptor: source.descriptor, name: source.path.bytes)
        var options = options(all: true, kind)
        options.access = access
        return try OpenedPicture(descriptor: source.descriptor, path: source.path.bytes, options: options)
    }

    package func probe(_ request: ProbeRequest, source: OpenSource) throws(Diagnostics) -> ProbeReply {
        var reply = ProbeReply()
        do {
            let opened = try open(source, .sequential)
            let file = opened.file
            reply.format = file.kind.rawValue
            reply.size = size(opened)
            if !request.fields.isEmpty {
                let metadata = PictureMetadata(opened.image)
                for field in request.fields {
                    if let text = metadata.value(field) { reply.fields.append((field, text)) }
                }
            }
            reply.memory = MemoryEstimate.bytes(file)
        } catch PictureFileError.notAPicture {
            return reply
        } catch {
            throw [Findings.finding(error)]
        }
        return reply
    }

    package func run(
        _ request: RunRequest, source: OpenSource?, outputs: [Int32], progress: (Phase, PictureSize?) -> Void
    ) throws(Diagnostics) -> RunReply {
        let executor = try self.executor(for: request)
        let before = LabelCache.shared.counts
        var reply = RunReply()
        do {
            progress(.header, nil)
            let opened = try source.map {
                try open($0, executor.plan.readsSourceOnce && !executor.numbersPages ? .sequential : .random)
            }
            let (file, image, picture) = (opened?.file, opened?.image, opened?.picture)
            let metadata = image.map(PictureMetadata.init)
            reply.size = opened.map(size)
            reply.isTurned = picture?.isTurned ?? false
            reply.memory = file.map(MemoryEstimate.bytes)
            if let share = request.share, let need = reply.memory, need > share, !request.isDry {
                throw Diagnostic(MemoryCap.needsMore, got: "\(need)")
            }
            progress(.render, reply.size)
            let notes = Notes()
            var texts: [String] = []
            let told = { (text: String) in if request.isDry, !texts.contains(text) { texts.append(text) } }
            let results = try DrawnLayers.mostPixels.withValue(mostPixels(on: image)) {
                guard executor.numbersPages, let opened, opened.image.pageCount > 1 else {
                    let results = try executor.run(job(request, picture, metadata, source, notes, pages: opened, told: told))
                    reply.boxes = results.map { boxes($0.layer) }
                    return results
                }
                let pages = try (1...opened.image.pageCount).map { number in
                    let page = try opened.page(number)
                    return try executor.run(
                        job(request, page, metadata, source, notes, pages: opened, number: number, told: told))
                }
                // Of several pages those of the first are told.
                reply.boxes = pages[0].map { boxes($0.layer) }
                return try PipelineWork.joined(pages)
            }
            try check(results, limit: mostPixels(on: image))
            reply.texts = texts
            if let source, let file, let note = mismatch(source, file.kind) { notes.add(note) }
            for wanted in request.outputs where results.indices.contains(wanted.index) {
                try Codecs.require(results[wanted.index].settings, name: wanted.path.bytes, source: file?.kind)
            }
            guard !request.isDry else {
                reply.fonts = notes.fonts
                reply.warnings = notes.all.map(warning)
                return reply
            }
            if isLarge { lp_trim() }
            progress(.save, reply.size)
            for (wanted, descriptor) in zip(request.outputs, outputs) {
                guard results.indices.contains(wanted.index) else { continue }
                let result = results[wanted.index]
                let saving = Saving(
                    settings: result.settings, name: wanted.path.bytes, source: opened?.source, isTolerant: setup.isTolerant)
                let further = opened?.further { page, number in
                    let results = try DrawnLayers.mostPixels.withValue(self.mostPixels(on: page.image)) {
                        try executor.run(self.job(request, page, metadata, source, notes, number: number))
                    }
                    try self.check(results, limit: self.mostPixels(on: page.image))
                    return results[wanted.index].layer
                }
                let report = try saving.save(result.layer, further: further, to: descriptor)
                report.notes.forEach(notes.add)
                var status = stat()
                let bytes = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
                let made = result.layer.picture.map { PictureSize(width: $0.width, height: $0.height) }
                reply.outputs.append(RunReply.Output(bytes: bytes, mode: report.mode, size: made))
            }
            let after = LabelCache.shared.counts
            reply.labels.hits = after.hits - before.hits
            reply.labels.misses = after.misses - before.misses
            reply.labels.bytes = after.bytes
            if let told = try file?.finish() { for text in told { notes.add(Note(.warning, "damaged", text)) } }
            reply.fonts = notes.fonts
            reply.warnings = notes.all.map(warning)
            if setup.isStrict, let first = notes.all.first(where: { $0.weight == .warning }) {
                throw Diagnostic(
                    first.code, message: Findings.strict(first.message), help: ["--strict makes warnings fail the picture"])
            }
            if request.thumbnails { makeThumbnails(source, outputs, of: request) }
        } catch let findings as Diagnostics {
            throw findings
        } catch {
            throw [Findings.finding(error)]
        }
        return reply
    }

    /// Pages that were drawn on one by one, as one picture again for each output.
    private static func joined(_ pages: [[Executor.Result]]) throws -> [Executor.Result] {
        try pages[0].indices.map { output in
            let pictures = try pages.map { try $0[output].layer.image() }
            let first = pictures[0]
            guard pictures.allSatisfy({ $0.image.width == first.image.width && $0.image.height == first.image.height }) else {
                throw DrawingError("pages-differ", "the document makes pages of unlike sizes of pages of one size")
            }
            let image = try Image.arrayjoin(pictures.map(\.image)).setting("page-height", to: .integer(first.image.height))
            return Executor.Result(
                layer: Layer(Picture(image, orientation: first.orientation)), settings: pages[0][output].settings)
        }
    }

    /// The drawing of one picture.
    ///
    /// - Parameters:
    ///   - pages: where a document finds single ones; nil: the picture is one.
    ///   - number: of the only page that is drawn on, from 1; nil: all are.
    func job(
        _ request: RunRequest, _ picture: Picture?, _ metadata: PictureMetadata?, _ source: OpenSource?, _ notes: Notes,
        pages: OpenedPicture? = nil, number: Int? = nil, told: @escaping (String) -> Void = { _ in }
    ) -> Executor.Job {
        var job = Executor.Job(
            base: picture.map { Context.Base(width: Double($0.width), height: Double($0.height), resolution: $0.resolution) },
            missing: setup.emptyMissingFields ? .empty : .error, pixelLimit: mostPixels(on: picture?.image),
            field: { self.field($0, request, picture, metadata, source, page: number ?? 1) }, report: { notes.add($0) },
            told: told,
            source: { page in
                guard let picture else { throw DrawingError("no-input", "the document draws on an input, and there is none") }
                if page == nil, number != nil { return picture }
                return try pages?.picture(page: page) ?? picture
            })
        job.uses = { notes.use($0) }
        return job
    }

    /// What a document makes is limited as what it reads: a canvas can be as large as a bomb.
    private func check(_ results: [Executor.Result], limit: Double) throws {
        for result in results {
            let area: Double
            if let image = result.layer.picture?.image {
                area = Double(image.width) * Double(image.height)
            } else {
                let reach = result.layer.reach.rect
                area = max(result.layer.frame.width * result.layer.frame.height, reach.width * reach.height)
            }
            guard area > limit else { continue }
            throw Diagnostic(
                "too-large", message: "the output would have \(Int(min(area, 1e18))) pixels, and the limit is \(Int(limit))",
                help: ["--limit-pixels N"])
        }
    }

    /// `--limit-pixels`, or what the picture has that was let in.
    private func mostPixels(on image: Image?) -> Double {
        max(Double(setup.limitPixels ?? Self.mostPixels), image.map { Double($0.width) * Double($0.height) } ?? 0)
    }

    /// Of pages of unlike sizes, that of the first.
    private func size(_ opened: OpenedPicture) -> PictureSize {
        PictureSize(width: opened.image.width, height: opened.image.pageHeight, pages: opened.pageCount)
    }

    func size(_ image: Image) -> PictureSize {
        PictureSize(width: image.width, height: image.pageHeight, pages: image.pageCount)
    }

    /// What `--set` says.
    private var settings: [String: Pipeline.Setting] {
        Dictionary(setup.settings.map { ($0.name, Pipeline.Setting.written($0.text)) }) { $1 }
    }

    /// The document as the picture's row sets it.
    func executor(for request: RunRequest) throws(Diagnostics) -> Executor {
        guard let executor, let pipeline else { throw [Diagnostic("not-prepared", message: "the worker has no document")] }
        let names = Set(pipeline.parameters.map(\.name))
        let cells = request.row.filter { names.contains($0.name) }
        guard !cells.isEmpty else { return executor }
        let texts = cells.flatMap { [$0.name, $0.text] }
        if let rowExecutor, rowExecutor.cells == texts { return rowExecutor.executor }
        let own = Executor(try pipeline.plan(RowSettings.merged(settings, cells, pipeline), scale: setup.scale))
        rowExecutor = (texts, own)
        return own
    }

    /// Where something was drawn on the picture, upright, as it is saved.
    private func boxes(_ layer: Layer) -> [[Int]] {
        layer.picture?.drawn.map { [$0.x, $0.y, $0.width, $0.height] } ?? []
    }

    /// A name that says another format than the content has.
    private func mismatch(_ source: OpenSource, _ kind: FileKind) -> Note? {
        guard let named = PictureNames.format(of: source.path), named != kind.rawValue,
            Set([named, kind.rawValue]) != ["heic", "avif"]
        else { return nil }
        return Note(.warning, "format-mismatch", "the file is \(kind.rawValue), although its name says \(named)")
    }

    // MARK: Templates

    private func field(
        _ name: String, _ request: RunRequest, _ picture: Picture?, _ metadata: PictureMetadata?, _ source: OpenSource?,
        page: Int
    )
        -> FieldValue?
    {
        switch name {
        case "width": return picture.map { .integer($0.width) }
        case "height": return picture.map { .integer($0.height) }
        case "page": return .integer(page)
        default: break
        }
        if PictureFields.knows(name) {
            let fields = PictureFields(
                path: request.name ?? source?.path ?? BytePath(""), relative: request.relative, index: request.index,
                count: setup.count, date: setup.date, row: request.row)
            return fields.value(name)
        }
        return metadata?.value(name).map { .text($0) }
    }

    // MARK: Errors

    func warning(_ note: Note) -> Diagnostic {
        Diagnostic(note.code, severity: note.weight == .warning ? .warning : .note, message: note.message)
    }
}

/// What was noted while one picture was drawn; each thing once.
final class Notes: Sendable {
    private let noted = Mutex<[Note]>([])
    private let used = Mutex<Set<UsedFile>>([])
    var all: [Note] { noted.withLock { $0 } }
    func use(_ file: UsedFile) { used.withLock { _ = $0.insert(file) } }

    /// The fonts that were drawn with, and what their files are now; sorted.
    var fonts: [String] {
        used.withLock { $0 }.map { file in
            guard case .success(let facts) = FileFacts.of(BytePath(file.path)) else {
                return "\(file.name), \(file.path), missing"
            }
            return "\(file.name), \(file.path), \(facts.size) bytes of \(facts.modified)"
        }.sorted()
    }

    func add(_ note: Note) { noted.withLock { if !$0.contains(note) { $0.append(note) } } }
}
