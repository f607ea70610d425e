import Diagnostics

/// What a worker may be asked for one picture. Each names its picture by a key that comes back with the answer.
package enum Request: Sendable {
    case probe(ProbeRequest)
    case run(RunRequest)
    case view(ViewRequest)
    case compare(CompareRequest)
    case examine(ExamineRequest)

    package var key: Int {
        switch self {
        case .probe(let request): request.key
        case .run(let request): request.key
        case .view(let request): request.key
        case .compare(let request): request.key
        case .examine(let request): request.key
        }
    }
}

/// Which picture: a path, or a descriptor that comes with the request (standard input).
package enum Source: Sendable, Equatable {
    case path(BytePath)
    case descriptor
    /// The document takes no picture.
    case none
}

/// Looks at a file: kind by its magic, identity, header, metadata by name.
package struct ProbeRequest: Sendable {
    package enum Hash: String, Sendable {
        /// Of the first and the last 64 KiB.
        case ends
        case whole
    }

    package var key: Int
    package var source: Source
    /// Metadata fields wanted, as templates name them: `exif.Artist`.
    package var fields: [String] = []
    package var hash: Hash?

    package init(key: Int, source: Source, fields: [String] = [], hash: Hash? = nil) {
        self.key = key
        self.source = source
        self.fields = fields
        self.hash = hash
    }
}

/// Makes one picture's outputs, each into a descriptor that comes with the request, in the order of `outputs`.
package struct RunRequest: Sendable {
    /// One file to be written.
    package struct Output: Sendable {
        /// Which of the document's outputs, from 0.
        package var index: Int
        /// Where it will stand below the output folder: its extension may decide the format.
        package var path: BytePath

        package init(index: Int, path: BytePath) {
            self.index = index
            self.path = path
        }
    }

    package var key: Int
    package var source: Source
    package var outputs: [Output] = []
    /// The name that templates see, for a picture that came as a descriptor.
    package var name: BytePath?
    /// `{relative}`.
    package var relative = BytePath("")
    /// `{index}`, from 1.
    package var index = 1
    /// `{row.…}`, by column.
    package var row: [(name: String, text: String)] = []
    /// Everything but pixels.
    package var isDry = false
    /// What the file has to be still, if it was looked at before.
    package var identity: FileFacts.Identity?
    /// Whether the answer says what the file was, for a journal.
    package var hash: ProbeRequest.Hash?
    /// Whether two more descriptors come: for small copies of the picture and of its first output.
    package var thumbnails = false
    /// The most memory that the picture may be expected to need, **bytes**: one that needs more is given back.
    package var share: Int?
    /// The most memory that the worker may take for it.
    package var cap: Int?

    package init(key: Int, source: Source) {
        self.key = key
        self.source = source
    }
}

extension Request {
    package func write(to writer: inout JSONWriter) {
        writer.object {
            switch self {
            case .probe(let request):
                $0.member("request", "probe")
                $0.member("key", request.key)
                request.source.write(to: &$0)
                if !request.fields.isEmpty { $0.member("fields", request.fields) }
                if let hash = request.hash { $0.member("hash", hash.rawValue) }
            case .run(let request):
                $0.member("request", "run")
                $0.member("key", request.key)
                request.source.write(to: &$0)
                if let name = request.name { $0.member("name", bytes: name.bytes) }
                $0.member("relative", bytes: request.relative.bytes)
                $0.member("index", request.index)
                if !request.row.isEmpty {
                    $0.key("row")
                    $0.array { list in for cell in request.row { list.member(pair: cell.name, cell.text) } }
                }
                $0.key("outputs")
                $0.array { list in
                    for output in request.outputs {
                        list.object {
                            $0.member("index", output.index)
                            $0.member("path", bytes: output.path.bytes)
                        }
                    }
                }
                if request.isDry { $0.member("dry", true) }
                if request.thumbnails { $0.member("thumbnails", true) }
                if let share = request.share { $0.member("share", share) }
                if let cap = request.cap { $0.member("cap", cap) }
                if let hash = request.hash { $0.member("hash", hash.rawValue) }
                if let identity = request.identity {
                    $0.member("device", String(identity.device))
                    $0.member("inode", String(identity.inode))
                }
            case .view(let request): request.write(to: &$0)
            case .compare(let request): request.write(to: &$0)
            case .examine(let request): request.write(to: &$0)
            }
        }
    }

    /// Nil where the message is neither request.
    package init?(_ message: JSONValue) {
        guard let key = message["key"]?.integer else { return nil }
        switch message["request"]?.string {
        case "probe":
            self = .probe(
                ProbeRequest(
                    key: key, source: Source(message), fields: message.texts("fields"),
                    hash: message["hash"]?.string.flatMap(ProbeRequest.Hash.init)))
        case "run":
            var request = RunRequest(key: key, source: Source(message))
            request.name = message.path("name")
            request.relative = message.path("relative") ?? BytePath("")
            request.index = message["index"]?.integer ?? 1
            request.row = message.pairs("row")
            request.outputs =
                message["outputs"]?.elements?.compactMap { output in
                    output["index"]?.integer.map { RunRequest.Output(index: $0, path: output.path("path") ?? BytePath("")) }
                } ?? []
            request.isDry = message["dry"]?.bool ?? false
            request.thumbnails = message["thumbnails"]?.bool ?? false
            request.share = message["share"]?.integer
            request.cap = message["cap"]?.integer
            request.hash = message["hash"]?.string.flatMap(ProbeRequest.Hash.init)
            if let device = message["device"]?.string.flatMap({ UInt64($0) }),
                let inode = message["inode"]?.string.flatMap({ UInt64($0) })
            {
                request.identity = FileFacts.Identity(device: device, inode: inode)
            }
            self = .run(request)
        case "view":
            guard let request = ViewRequest(key: key, message) else { return nil }
            self = .view(request)
        case "compare": self = .compare(CompareRequest(key: key, message))
        case "examine": self = .examine(ExamineRequest(key: key, message))
        default: return nil
        }
    }

    /// How many descriptors come with the request: the source's, if it is one, then one for each output.
    package var descriptorCount: Int {
        switch self {
        case .probe(let request): request.source == .descriptor ? 1 : 0
        case .run(let request):
            (request.source == .descriptor ? 1 : 0) + (request.isDry ? 0 : request.outputs.count)
                + (request.thumbnails ? 2 : 0)
        case .view(let request): (request.source == .descriptor ? 1 : 0) + (request.subject == .frames ? 0 : 1)
        case .compare, .examine: 0
        }
    }
}

extension Source {
    func write(to writer: inout JSONWriter) {
        switch self {
        case .path(let path): writer.member("input", bytes: path.bytes)
        case .descriptor: writer.member("input", true)
        case .none: break
        }
    }

    init(_ message: JSONValue) {
        if let path = message.path("input") {
            self = .path(path)
        } else {
            self = message["input"]?.bool == true ? .descriptor : .none
        }
    }
}
