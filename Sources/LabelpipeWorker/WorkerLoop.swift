import CLinux
import Diagnostics
import Glibc

/// A worker's life: setup, then one request after another until the supervisor closes its end.
package struct WorkerLoop {
    let channel: Channel
    let work: any PictureWork

    package init(channel: Channel, work: any PictureWork) {
        self.channel = channel
        self.work = work
    }

    /// Serves until the other end closes. Call on a thread with a big stack: decoders and font code are other people's.
    package func serve() {
        do throws(Channel.Failure) {
            while let message = try receive() {
                switch message {
                case .setup(let setup): guard try prepare(setup) else { return }
                case .request(let request): try answer(request)
                }
            }
        } catch .system(let error) {
            // The supervisor tells it as the last words of this process.
            let words = "the request cannot be received: \(error)\n"
            _ = write(2, words, words.utf8.count)
        } catch {
            // The supervisor has gone: nobody is left to tell.
        }
    }

    private enum Message {
        case setup(Setup)
        case request(Request)
    }

    /// The next message; nil at the end, or where it is none. Of a document of megabytes neither the line nor its JSON outlive
    /// this.
    private func receive() throws(Channel.Failure) -> Message? {
        guard let line = try channel.receive(),
            let message = try? JSONValue.parse(line, file: "request", limits: .message)
        else { return nil }
        if message["request"]?.string == "setup" { return .setup(Setup(message)) }
        return Request(message).map { .request($0) }
    }

    private func prepare(_ setup: Setup) throws(Channel.Failure) -> Bool {
        do throws(Diagnostics) {
            try work.prepare(setup)
        } catch {
            try send(.refused(error))
            return false
        }
        try send(.ready)
        return true
    }

    private func answer(_ request: Request) throws(Channel.Failure) {
        var descriptors = channel.takeDescriptors(request.descriptorCount)
        defer { for descriptor in descriptors { _ = close(descriptor) } }
        guard descriptors.count == request.descriptorCount else { throw .closed }
        switch request {
        case .probe(let request):
            try send(.probed(key: request.key, probe(request, &descriptors)))
        case .run(let request):
            try send(.ran(key: request.key, run(request, &descriptors)))
        case .view(let request):
            try send(.viewed(key: request.key, view(request, &descriptors)))
        case .compare(let request):
            try send(.compared(key: request.key, compare(request)))
        case .examine(let request):
            try send(.examined(key: request.key, Result { () throws(Diagnostics) in try work.examine(request) }))
        }
    }

    private func probe(_ request: ProbeRequest, _ descriptors: inout [Int32]) -> Swift.Result<ProbeReply, Diagnostics> {
        Result { () throws(Diagnostics) in
            guard let source = try open(request.source, name: nil, identity: nil, &descriptors) else { return ProbeReply() }
            defer { source.close() }
            var reply = try work.probe(request, source: source)
            if let hash = request.hash { reply.source = try SourceFacts(source, hash: hash) }
            return reply
        }
    }

    private func run(_ request: RunRequest, _ descriptors: inout [Int32]) -> Swift.Result<RunReply, Diagnostics> {
        Result { () throws(Diagnostics) in
            MemoryCap.set(request.cap)
            tell(request.key, .header, nil)
            let source = try open(request.source, name: request.name, identity: request.identity, &descriptors)
            defer { source?.close() }
            var reply = try work.run(request, source: source, outputs: descriptors) { phase, size in
                tell(request.key, phase, size)
            }
            if let source { reply.source = try SourceFacts(source, hash: request.hash) }
            return reply
        }
    }

    private func view(_ request: ViewRequest, _ descriptors: inout [Int32]) -> Swift.Result<ViewReply, Diagnostics> {
        Result { () throws(Diagnostics) in
            tell(request.key, .header, nil)
            let source = try open(request.source, name: request.name, identity: nil, &descriptors)
            defer { source?.close() }
            return try work.view(request, source: source, output: descriptors.first ?? -1) { phase, size in
                tell(request.key, phase, size)
            }
        }
    }

    private func compare(_ request: CompareRequest) -> Swift.Result<CompareReply, Diagnostics> {
        Result { () throws(Diagnostics) in
            tell(request.key, .header, nil)
            let input = try OpenSource.open(request.input)
            defer { input.close() }
            let output: OpenSource
            do throws(Diagnostics) {
                output = try OpenSource.open(request.output)
            } catch {
                throw error.about(request.output)
            }
            defer { output.close() }
            return try work.compare(request, input, output) { phase, size in tell(request.key, phase, size) }
        }
    }

    private func open(
        _ source: Source, name: BytePath?, identity: FileFacts.Identity?, _ descriptors: inout [Int32]
    ) throws(Diagnostics) -> OpenSource? {
        switch source {
        case .none: return nil
        case .path(let path): return try OpenSource.open(path, expecting: identity)
        case .descriptor:
            let given = descriptors.removeFirst()
            defer { _ = close(given) }
            let file = try Spool.file(of: given)
            do throws(Diagnostics) {
                return try OpenSource.taking(file, path: name ?? BytePath("-"))
            } catch {
                _ = close(file)
                throw error
            }
        }
    }

    /// A lost phase is no reason to fail: the verdict's own send tells whether the supervisor is there.
    private func tell(_ key: Int, _ phase: Phase, _ size: PictureSize?) {
        try? send(.phase(key: key, size, phase))
    }

    private func send(_ reply: Reply) throws(Channel.Failure) {
        var writer = JSONWriter()
        reply.write(to: &writer)
        try channel.send(writer.bytes)
    }
}

extension JSONLimits {
    /// Of one message between supervisor and worker: a document of 16 MB, escaped.
    package static let message = JSONLimits(maximumBytes: 128 << 20, maximumDepth: 64)
}
