import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker
import Vips

/// A pipeline document as the command line names it.
struct DocumentSource {
    let bytes: [UInt8]
    /// As the user named it.
    let name: BytePath
    /// What its paths are relative to.
    let folder: BytePath

    /// The one that comes with the program.
    static let bundled = DocumentSource(
        bytes: BundledPipelines.watermark, name: BytePath("watermark.json"), folder: BytePath("."))

    /// One that stands in no file.
    init(text: String, name: String, folder: BytePath) {
        self.init(bytes: Array(text.utf8), name: BytePath(name), folder: folder)
    }

    private init(bytes: [UInt8], name: BytePath, folder: BytePath) {
        self.bytes = bytes
        self.name = name
        self.folder = folder
    }

    /// Reads a document file; `-` is standard input.
    ///
    /// **Errors.** It cannot be read: code 3.
    init(reading path: BytePath) throws(Stop) {
        let file = path == BytePath("-") ? BytePath("/dev/stdin") : path
        do throws(SmallInput.Failure) {
            bytes = try SmallInput.read(file, limit: JSONLimits.document.maximumBytes)
        } catch {
            let help =
                path.isFolder
                ? Self.documents(in: path)
                : Self.neighbour(of: path) ?? DataFolder.pipelines.flatMap { Self.recipe(path, in: $0) }
            throw Stop(.invalid, "the document \(path) cannot be read: \(error.message)", help: help.map { [$0] } ?? [])
        }
        name = path
        folder = path.folder.isEmpty ? BytePath(".") : path.folder
        let kind = FileKind.identify(head: Array(bytes.prefix(4096)))
        if kind != .unknown {
            throw Stop(
                .invalid, "\(path) is a picture (\(kind.rawValue.uppercased())), no document",
                help: ["the document comes first, and pictures behind it: labelpipe run PIPELINE \(path) --output DIR"])
        }
    }

    /// What a run has to know, its outputs' paths checked too.
    ///
    /// **Errors.** All findings.
    func checked(_ document: BatchDocument) throws(Diagnostics) -> BatchDocument {
        try document.checkPaths(bytes, file: name.description)
        return document
    }

    /// Its outputs that are in each other's way whatever the picture.
    func collisions(_ document: BatchDocument) -> Diagnostics { document.collidingPaths(bytes, file: name.description) }

    /// What of its outputs' paths is worth a warning.
    func doubts(_ document: BatchDocument) -> Diagnostics { document.doubtfulPaths(bytes, file: name.description) }

    /// A file beside it that is called nearly the same.
    private static func neighbour(of path: BytePath) -> String? {
        let folder = path.folder.isEmpty ? BytePath(".") : path.folder
        let names = folder.entries.map(\.description).filter { !$0.hasPrefix(".") }
        return Suggestions.nearest(to: path.name.description, in: names).flatMap { name in
            name == path.name.description
                ? nil : "did you mean \"\(path.folder.isEmpty ? BytePath(name) : path.folder.appending(BytePath(name)))\"?"
        }
    }

    /// The same name where the recipes are.
    private static func recipe(_ path: BytePath, in folder: BytePath) -> String? {
        let recipe = folder.appending(path.name)
        guard case .success(let facts) = FileFacts.of(recipe), facts.kind == .file else { return nil }
        return "did you mean \"\(recipe)\"?"
    }

    /// What a folder in the document's place has of documents.
    private static func documents(in folder: BytePath) -> String {
        let names = folder.entries.filter { $0.ext == BytePath("json") }.map { folder.appending($0).description }.sorted()
        guard !names.isEmpty else {
            return "a document is a .json file, and pictures come behind it: labelpipe run PIPELINE photos/ --output marked/"
        }
        return "documents in it: \(names.prefix(5).joined(separator: " "))\(names.count > 5 ? " …" : "")"
    }

    /// The document, checked.
    ///
    /// **Errors.** All findings.
    func pipeline(_ registry: Registry) throws(Diagnostics) -> Pipeline {
        try Pipeline(bytes: bytes, name: name.description, folder: folder.reversibleText, registry: registry)
    }
}

extension BytePath {
    var isFolder: Bool {
        if case .success(let facts) = FileFacts.of(self) { facts.kind == .folder } else { false }
    }

    /// The names in a folder; none where it cannot be read.
    fileprivate var entries: [BytePath] {
        guard let directory = withCString({ opendir($0) }) else { return [] }
        defer { closedir(directory) }
        var names: [BytePath] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: UInt8.self, capacity: 256) {
                        BytePath(UnsafeBufferPointer(start: $0, count: strlen($0)))
                    }
                })
        }
        return names
    }
}

extension Session {
    /// Reads a table; `-` is standard input.
    ///
    /// **Errors.** It cannot be read, or is no table: code 3.
    func rows(_ path: BytePath, json: Bool) throws(Stop) -> Rows {
        let bytes: [UInt8]
        do throws(SmallInput.Failure) {
            bytes = try SmallInput.read(path == BytePath("-") ? BytePath("/dev/stdin") : path, limit: 1 << 30)
        } catch {
            throw Stop(.invalid, "the rows \(path) cannot be read: \(error.message)")
        }
        do throws(Diagnostics) {
            return try Rows(bytes, file: path)
        } catch {
            throw refusal(error, json: json)
        }
    }
}

/// Documents and lists, by names that are bytes.
enum SmallInput {
    static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// The first bytes of a regular file; nil: it is none, or cannot be read.
    static func head(of path: BytePath) -> [UInt8]? {
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.kind == .file else { return nil }
        var head = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &head, head.count, 0)
        return count < 0 ? nil : Array(head.prefix(count))
    }

    struct Failure: Error {
        let message: String
    }

    /// How long somebody may take to open the other end of a FIFO, **seconds**.
    private static let patience = 3.0

    /// **Errors.** What the system says; more than `limit` bytes; a folder; a FIFO that nobody writes to.
    static func read(_ path: BytePath, limit: Int) throws(Failure) -> [UInt8] {
        // Opening a FIFO would wait for a writer for ever.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        let descriptor = path == BytePath("/dev/stdin") ? dup(0) : path.withCString { open($0, flags) }
        guard descriptor >= 0 else { throw Failure(message: SystemError.last.description) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        if path != BytePath("/dev/stdin") {
            // Shells give lists and tables by pipes (`<(…)`).
            if case .success(let facts) = FileFacts.of(descriptor: descriptor), facts.kind == .fifo {
                bytes = try beginning(ofPipe: descriptor)
            }
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(message: SystemError.last.description)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= limit else { throw Failure(message: "it is larger than \(limit >> 20) MB") }
        }
    }

    /// Waits until somebody has opened the other end, and returns what has come until then.
    private static func beginning(ofPipe descriptor: Int32) throws(Failure) -> [UInt8] {
        let end = Clock.now + patience
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while Clock.now < end {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            // Nothing yet, but somebody is there.
            if count < 0, errno == EAGAIN { return [] }
            if count > 0 { return Array(chunk.prefix(count)) }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&state, 1, 0)
            // Somebody has been there, and has gone.
            if state.revents & Int16(POLLHUP) != 0 { return [] }
            usleep(10_000)
        }
        throw Failure(message: "it is a FIFO, and nobody writes to it")
    }
}
