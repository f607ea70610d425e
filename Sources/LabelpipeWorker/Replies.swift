import Diagnostics

/// What a worker says while and after it works.
package enum Reply: Sendable {
    /// The document is understood; requests may come.
    case ready
    /// A picture has got as far as this.
    case phase(key: Int, PictureSize?, Phase)
    /// A plugin's code is about to run; nil: it is over.
    case inside(PluginPlace?)
    case probed(key: Int, Swift.Result<ProbeReply, Diagnostics>)
    case ran(key: Int, Swift.Result<RunReply, Diagnostics>)
    case viewed(key: Int, Swift.Result<ViewReply, Diagnostics>)
    case compared(key: Int, Swift.Result<CompareReply, Diagnostics>)
    case examined(key: Int, Swift.Result<ExamineReply, Diagnostics>)
    /// The document cannot be used at all.
    case refused(Diagnostics)
}

/// How far a picture has got: what a crash or a hang is reported with, and what has a deadline of its own.
package enum Phase: String, Sendable, CaseIterable {
    /// Opening the file and reading its header.
    case header
    /// Building the picture: fonts, text, outlines, plugins.
    case render
    /// Pixels are computed and written.
    case save

    /// As it stands in a sentence: *killed by SIGSEGV while …*
    package var doing: String {
        switch self {
        case .header: "reading the header"
        case .render: "building the picture"
        case .save: "computing and saving pixels"
        }
    }
}

/// Of a picture as stored.
package struct PictureSize: Sendable, Equatable {
    package var width: Int
    package var height: Int
    /// Frames of an animation or pages of a document.
    package var pages: Int

    package init(width: Int, height: Int, pages: Int = 1) {
        self.width = width
        self.height = height
        self.pages = pages
    }

    package var megapixels: Double { Double(width) * Double(height) * Double(pages) / 1e6 }
}

/// What `probe` found.
package struct ProbeReply: Sendable {
    /// `jpeg`, `png`, …; nil: no picture of a kind that may be read.
    package var format: String?
    package var size: PictureSize?
    /// The metadata that was asked for and is there.
    package var fields: [(name: String, text: String)] = []
    /// What the file was, if a hash was asked for.
    package var source: SourceFacts?
    /// Bytes that a run over this picture is expected to need.
    package var memory: Int?

    package init() {}
}

/// What `run` made.
package struct RunReply: Sendable {
    package struct Output: Sendable {
        package var bytes: Int
        /// `splice`, `reencode`, …: how the file was made.
        package var mode: String?
        /// Upright, of one page; nil: of what is no picture until it is saved.
        package var size: PictureSize?

        package init(bytes: Int, mode: String? = nil, size: PictureSize? = nil) {
            self.bytes = bytes
            self.mode = mode
            self.size = size
        }
    }

    package var size: PictureSize?
    /// Whether it lies on its side as stored.
    package var isTurned = false
    /// What the file was, if a hash was asked for.
    package var source: SourceFacts?
    package var outputs: [Output] = []
    /// Where something was drawn, for each output of the document: x, y, width, height in its upright picture, **px**.
    package var boxes: [[[Int]]] = []
    /// Texts as they were drawn.
    package var texts: [String] = []
    /// The fonts that they were drawn with, each with what its file is; sorted.
    package var fonts: [String] = []
    /// Warnings and notes.
    package var warnings: [Diagnostic] = []
    /// Bytes that a run over this picture is expected to need.
    package var memory: Int?
    package var labels = LabelCounts()

    package init() {}

    /// Those of all outputs.
    package var allBoxes: [[Int]] { Array(boxes.joined()) }

    /// What was told with this weight.
    package func told(_ severity: Diagnostic.Severity) -> [Diagnostic] { warnings.filter { $0.severity == severity } }
}

/// How the cache of drawn labels fared.
package struct LabelCounts: Sendable, Equatable {
    /// Labels of earlier pictures that were used again.
    package var hits = 0
    /// Labels that were drawn.
    package var misses = 0
    /// What one worker keeps of them.
    package var bytes = 0

    package init() {}

    package var isEmpty: Bool { hits == 0 && misses == 0 }
}

extension Reply {
    package func write(to writer: inout JSONWriter) {
        writer.object {
            switch self {
            case .ready: $0.member("reply", "ready")
            case .phase(let key, let size, let phase):
                $0.member("reply", "phase")
                $0.member("key", key)
                $0.member("phase", phase.rawValue)
                size?.write(to: &$0)
            case .inside(let place):
                $0.member("reply", "inside")
                place?.write(to: &$0)
            case .probed(let key, let result):
                $0.member("reply", "probed")
                $0.member("key", key)
                switch result {
                case .success(let reply): reply.write(to: &$0)
                case .failure(let findings): $0.member("findings", findings: findings.all)
                }
            case .ran(let key, let result):
                $0.member("reply", "ran")
                $0.member("key", key)
                switch result {
                case .success(let reply): reply.write(to: &$0)
                case .failure(let findings): $0.member("findings", findings: findings.all)
                }
            case .viewed(let key, let result):
                $0.member("reply", "viewed")
                $0.member("key", key)
                switch result {
                case .success(let reply): reply.write(to: &$0)
                case .failure(let findings): $0.member("findings", findings: findings.all)
                }
            case .compared(let key, let result):
                $0.member("reply", "compared")
                $0.member("key", key)
                switch result {
                case .success(let reply): reply.write(to: &$0)
                case .failure(let findings): $0.member("findings", findings: findings.all)
                }
            case .examined(let key, let result):
                $0.member("reply", "examined")
                $0.member("key", key)
                switch result {
                case .success(let reply): reply.write(to: &$0)
                case .failure(let findings): $0.member("findings", findings: findings.all)
                }
            case .refused(let findings):
                $0.member("reply", "refused")
                $0.member("findings", findings: findings.all)
            }
        }
    }

    /// Nil where the message is no reply.
    package init?(_ message: JSONValue) {
        let key = message["key"]?.integer ?? 0
        let failure = message["findings"].map { _ in Diagnostics(message.findings("findings")) }
        switch message["reply"]?.string {
        case "ready": self = .ready
        case "phase":
            guard let phase = message["phase"]?.string.flatMap(Phase.init) else { return nil }
            self = .phase(key: key, PictureSize(message), phase)
        case "inside": self = .inside(PluginPlace(message))
        case "probed": self = .probed(key: key, failure.map { .failure($0) } ?? .success(ProbeReply(message)))
        case "ran": self = .ran(key: key, failure.map { .failure($0) } ?? .success(RunReply(message)))
        case "viewed": self = .viewed(key: key, failure.map { .failure($0) } ?? .success(ViewReply(message)))
        case "compared": self = .compared(key: key, failure.map { .failure($0) } ?? .success(CompareReply(message)))
        case "examined": self = .examined(key: key, failure.map { .failure($0) } ?? .success(ExamineReply(message)))
        case "refused": self = .refused(failure ?? [])
        default: return nil
        }
    }
}

extension PictureSize {
    func write(to writer: inout JSONWriter) {
        writer.member("width", width)
        writer.member("height", height)
        writer.member("pages", pages)
    }

    init?(_ message: JSONValue) {
        guard let width = message["width"]?.integer, let height = message["height"]?.integer else { return nil }
        self.init(width: width, height: height, pages: message["pages"]?.integer ?? 1)
    }
}

extension ProbeReply {
    func write(to writer: inout JSONWriter) {
        if let format { writer.member("format", format) }
        size?.write(to: &writer)
        if !fields.isEmpty {
            writer.key("fields")
            writer.array { list in for field in fields { list.member(pair: field.name, field.text) } }
        }
        if let source {
            writer.key("source")
            source.write(to: &writer)
        }
        if let memory { writer.member("memory", memory) }
    }

    init(_ message: JSONValue) {
        format = message["format"]?.string
        size = PictureSize(message)
        fields = message.pairs("fields")
        source = message["source"].flatMap(SourceFacts.init)
        memory = message["memory"]?.integer
    }
}

extension RunReply {
    func write(to writer: inout JSONWriter) {
        size?.write(to: &writer)
        if isTurned { writer.member("turned", true) }
        if let source {
            writer.key("source")
            source.write(to: &writer)
        }
        writer.key("outputs")
        writer.array { list in
            for output in outputs {
                list.object {
                    $0.member("bytes", output.bytes)
                    if let mode = output.mode { $0.member("mode", mode) }
                    output.size?.write(to: &$0)
                }
            }
        }
        writer.key("boxes")
        writer.array { list in
            for output in boxes {
                list.array { for box in output { $0.array { for side in box { $0.number(side) } } } }
            }
        }
        if !texts.isEmpty { writer.member("texts", texts) }
        if !fonts.isEmpty { writer.member("fonts", fonts) }
        if !warnings.isEmpty { writer.member("warnings", findings: warnings) }
        if let memory { writer.member("memory", memory) }
        if !labels.isEmpty {
            writer.key("labels")
            labels.write(to: &writer)
        }
    }

    init(_ message: JSONValue) {
        size = PictureSize(message)
        isTurned = message["turned"]?.bool ?? false
        source = message["source"].flatMap(SourceFacts.init)
        outputs =
            message["outputs"]?.elements?.map {
                Output(bytes: $0["bytes"]?.integer ?? 0, mode: $0["mode"]?.string, size: PictureSize($0))
            } ?? []
        boxes =
            message["boxes"]?.elements?.map { ($0.elements ?? []).map { $0.elements?.compactMap(\.integer) ?? [] } } ?? []
        texts = message.texts("texts")
        fonts = message.texts("fonts")
        warnings = message.findings("warnings")
        memory = message["memory"]?.integer
        labels = message["labels"].map(LabelCounts.init) ?? LabelCounts()
    }
}

extension LabelCounts {
    package func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("hits", hits)
            $0.member("misses", misses)
            $0.member("bytes", bytes)
        }
    }

    init(_ message: JSONValue) {
        hits = message["hits"]?.integer ?? 0
        misses = message["misses"]?.integer ?? 0
        bytes = message["bytes"]?.integer ?? 0
    }
}
