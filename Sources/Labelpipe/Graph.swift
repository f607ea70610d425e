import Diagnostics
import Glibc
import LabelpipeDrawing
public import LabelpipeEngine
import LabelpipeKit
import LabelpipeSave
import Vips

/// A graph of effects, drawn in this process.
///
/// ```swift
/// let graph = try Graph(marked)
/// try graph.render("photo.jpg", to: "marked.jpg")
/// ```
///
/// One picture at a time on one thread; several graphs may be drawn at once. Batches go through an installed
/// `labelpipe`, which survives what other people's files do to decoders.
public struct Graph: Sendable {
    private let plan: Plan

    /// A graph of bundled effects, checked like a document.
    ///
    /// - Parameters:
    ///   - output: keys of an output: `format`, `quality`, `metadata`…
    ///   - folder: what paths in the graph are relative to.
    /// **Errors**: everything that is wrong with it, each at its JSON pointer: `/outputs/0/node/1/label/0/text`.
    public init(
        _ node: Node, output: KeyValuePairs<String, Node.Setting> = [:], folder: String = ".", registry: Registry? = nil
    ) throws {
        let members =
            [JSONValue.Member(key: "node", value: node.json)]
            + output.map { JSONValue.Member(key: $0.key, value: $0.value.json) }
        let document = JSONValue(
            .object([
                .init(key: "labelpipe", value: 1),
                .init(key: "outputs", value: JSONValue(.array([JSONValue(.object(members))]))),
            ]))
        try self.init(
            Pipeline(
                bytes: Array(document.compact.utf8), name: "graph", folder: folder, registry: registry ?? Registry.bundled()))
    }

    /// A document's first output.
    ///
    /// **Errors**: everything that is wrong with it.
    public init(_ pipeline: Pipeline, _ settings: [String: Pipeline.Setting] = [:]) throws {
        plan = try pipeline.plan(settings)
    }

    /// The order in which it is drawn, as `labelpipe graph` prints it.
    public var description: String { plan.graph(.text) ?? "" }

    // MARK: Drawing

    /// Pixels in memory, row by row without gaps.
    public struct Bitmap: Sendable {
        public let width, height: Int
        /// 3: red, green, blue; 4: and alpha, straight. sRGB, 8 bit.
        public let bands: Int
        public let bytes: [UInt8]
    }

    /// Draws on a file, or on nothing, into a file that is replaced when it is complete.
    ///
    /// **Errors**: the file cannot be read or written, what a node throws.
    public func render(_ input: String? = nil, to output: String) throws {
        let temporary = "\(output).\(getpid()).part"
        let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw DrawingError("unwritable", "\(output): \(String(cString: strerror(errno)))") }
        var isDone = false
        defer {
            close(descriptor)
            if !isDone { unlink(temporary) }
        }
        let drawing = try Drawing(plan, input: input, pages: .all)
        let saving = Saving(
            settings: drawing.result.settings, name: Array(output.utf8), source: drawing.opened?.source, isTolerant: false)
        _ = try saving.save(
            drawing.result.layer, further: drawing.opened?.further { page, _ in try drawing.draw(on: page).layer }, to: descriptor
        )
        _ = try drawing.opened?.file.finish()
        guard fsync(descriptor) == 0, rename(temporary, output) == 0 else {
            throw DrawingError("unwritable", "\(output): \(String(cString: strerror(errno)))")
        }
        isDone = true
    }

    /// Draws on a file, or on nothing, into memory.
    ///
    /// **Errors**: as above.
    public func bitmap(_ input: String? = nil) throws -> Bitmap {
        let drawing = try Drawing(plan, input: input, pages: .first)
        let layer = drawing.result.layer
        let box = layer.frame.roundedOut.union(layer.reach)
        guard !box.isEmpty else { throw DrawingError("empty-picture", "there is nothing to draw") }
        var image = try layer.image(in: box)
        if image.format == .ushort {
            image = try Operation("linear").set("in", image).set("a", [1.0 / 257]).set("b", [0.5]).image().cast(.uchar)
        }
        let bytes = try image.writeToMemory()
        _ = try drawing.opened?.file.finish()
        return Bitmap(width: image.width, height: image.height, bands: image.bands, bytes: bytes)
    }

    /// One picture, opened and drawn on; its pixels are computed when they are asked for.
    private final class Drawing {
        let opened: OpenedPicture?
        let result: Executor.Result
        private let executor: Executor
        private let descriptor: Int32

        init(_ plan: Plan, input: String?, pages: LoadOptions.Pages) throws {
            executor = Executor(plan)
            guard let input else {
                (descriptor, opened) = (-1, nil)
                result = try Drawing.drawn(by: executor, on: nil) { _ in
                    throw DrawingError("no-input", "the graph draws on an input, and there is none")
                }
                return
            }
            let descriptor = open(input, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw DrawingError("unreadable", "\(input): \(String(cString: strerror(errno)))") }
            do {
                var options = LoadOptions()
                options.access = plan.readsSourceOnce ? .sequential : .random
                options.pages = pages
                let opened = try OpenedPicture(descriptor: descriptor, path: Array(input.utf8), options: options)
                self.opened = opened
                result = try Drawing.drawn(by: executor, on: opened.picture) { try opened.picture(page: $0) }
            } catch {
                close(descriptor)
                throw error
            }
            self.descriptor = descriptor
        }

        /// What is drawn on another picture.
        func draw(on picture: Picture) throws -> Executor.Result {
            try Drawing.drawn(by: executor, on: picture) { _ in picture }
        }

        private static func drawn(
            by executor: Executor, on picture: Picture?, source: @escaping @Sendable (Int?) throws -> Picture
        ) throws -> Executor.Result {
            let base = picture.map { Context.Base(width: Double($0.width), height: Double($0.height), resolution: $0.resolution) }
            guard let result = try executor.run(Executor.Job(base: base, source: source)).first else {
                throw DrawingError("no-output", "no output")
            }
            return result
        }

        deinit { if descriptor >= 0 { close(descriptor) } }
    }
}
