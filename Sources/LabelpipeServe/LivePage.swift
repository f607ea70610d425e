import CLinux
import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeEngine
import LabelpipeWorker
import Synchronization

/// `labelpipe preview --serve`: a document in an editor, and the picture beside it.
///
/// The server checks the text that the page sends as `check` does, and has a worker draw it as `run` does. The file is read
/// once and written when the page asks for it.
package struct LivePage: Sendable {
    package struct Input: Sendable {
        package let name: String
        package let source: Source
        /// The picture's, where it has no path.
        package let descriptor: Int32?
        /// What stands in for a name then.
        package let standIn: BytePath?

        package init(name: String, source: Source, descriptor: Int32?, standIn: BytePath?) {
            (self.name, self.source, self.descriptor, self.standIn) = (name, source, descriptor, standIn)
        }
    }

    private let setup: Setup
    private let settings: [String: Pipeline.Setting]
    private let registry: Registry
    /// nil: there is no file to be written, for a document from standard input.
    private let file: BytePath?
    private let inputs: [Input]
    private let desk = Desk()

    package init(
        _ setup: Setup, settings: [String: Pipeline.Setting], registry: Registry, file: BytePath?, inputs: [Input]
    ) {
        (self.setup, self.settings, self.registry, self.file, self.inputs) = (setup, settings, registry, file, inputs)
    }

    /// Serves for as long as the process lives; `ready` is told the page's address.
    ///
    /// **Errors.** No port can be had.
    package func serve(_ worker: LoneWorker, ready: (String) -> Void) throws(Stop) -> Never {
        // A browser that closes a connection is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let token = Gate.makeToken()
        // Known when the server listens; a request before that has no port to be right about.
        let port = Atomic<Int>(0)
        let server = HTTPServer { request in
            guard let name = Gate(port: port.load(ordering: .acquiring), token: token).name(of: request) else {
                return HTTPResponse(
                    status: 403, type: "text/plain; charset=utf-8",
                    body: Array("This is not the address that labelpipe preview --serve has printed.\n".utf8))
            }
            return secured(answer(name, request))
        }
        guard server.start() else { throw Stop(.limit, "no port can be had on 127.0.0.1") }
        port.store(server.port, ordering: .releasing)
        ready(Gate(port: server.port, token: token).address)
        withExtendedLifetime(server) { desk.serve(worker) }
    }

    private static let page = ByteTemplate(PackageResources.page_html, marks: ["@STYLE@", "@SCRIPT@"])
        .filled([PackageResources.page_css, PackageResources.page_js])

    private func secured(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' blob: data:; "
                    + "connect-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
        ]
        return response
    }

    private func answer(_ name: String, _ request: HTTPRequest) -> HTTPResponse {
        switch (request.method, name) {
        case ("GET", ""):
            return HTTPResponse(type: "text/html; charset=utf-8", body: Self.page)
        case ("GET", "state"): return state()
        case ("POST", "check"): return check(request.body)
        case ("POST", "picture"): return picture(request)
        case ("POST", "node"): return node(request)
        case ("POST", "save"): return save(request)
        default: return HTTPResponse(status: 404, type: "text/plain; charset=utf-8", body: Array("There is no \(name).\n".utf8))
        }
    }

    private func json(status: UInt32 = 200, _ body: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body(&$0) }
        return HTTPResponse(status: status, type: "application/json; charset=utf-8", body: writer.bytes)
    }

    private func refusal(_ findings: Diagnostics, status: UInt32) -> HTTPResponse {
        json(status: status) {
            $0.key("findings")
            $0.array { list in for finding in findings.all { finding.write(to: &list) } }
        }
    }

    // MARK: The document

    private func state() -> HTTPResponse {
        json {
            $0.member("file", setup.file.description)
            $0.member("document", bytes: setup.document)
            $0.member("digest", Self.digest(setup.document))
            $0.member("canSave", file != nil)
            $0.member("inputs", inputs.map(\.name))
        }
    }

    private func plan(_ text: [UInt8]) throws(Diagnostics) -> Plan {
        try Pipeline(
            bytes: text, name: setup.file.description, folder: setup.folder.reversibleText, registry: registry
        ).plan(settings, scale: setup.scale)
    }

    private func check(_ text: [UInt8]) -> HTTPResponse {
        do throws(Diagnostics) {
            let plan = try plan(text)
            return json {
                $0.key("findings")
                $0.array { list in for finding in plan.findings.all { finding.write(to: &list) } }
                plan.writeControls(to: &$0)
            }
        } catch {
            return refusal(error, status: 200)
        }
    }

    /// Writes the file, if it is still what the page has read.
    private func save(_ request: HTTPRequest) -> HTTPResponse {
        func trouble(_ status: UInt32, _ message: String) -> HTTPResponse {
            json(status: status) { $0.member("message", message) }
        }
        guard let file else { return trouble(403, "the document came from standard input") }
        if request.known != "any" {
            guard let now = Self.read(file), Self.digest(now) == request.known else {
                return trouble(409, "the file was changed by something else")
            }
        }
        do throws(Stop) {
            let target = try SingleFile(file)
            try target.write(request.body)
            try target.publish(replacing: true)
        } catch {
            return trouble(500, error.message)
        }
        return json { $0.member("digest", Self.digest(request.body)) }
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = Digest()
        digest.add(bytes)
        return digest.text()
    }

    private static func read(_ path: BytePath) -> [UInt8]? {
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor)
    }

    // MARK: Pictures

    /// The first output, byte for byte as `run` writes it.
    private func picture(_ request: HTTPRequest) -> HTTPResponse {
        drawn(request) { worker, plan, input, memory throws(Diagnostics) in
            let ext = try Self.ext(plan, input, worker)
            var run = RunRequest(key: 0, source: input?.source ?? .none)
            run.name = input?.standIn
            run.outputs = [RunRequest.Output(index: 0, path: BytePath("preview.\(ext)"))]
            let reply = try worker.run(run, descriptors: (input?.descriptor.map { [$0] } ?? []) + [memory])
            return Drawn(
                type: Self.type(of: ext), boxes: reply.allBoxes, mode: reply.outputs.first?.mode, warnings: reply.warnings)
        }
    }

    /// What flows out of a node.
    private func node(_ request: HTTPRequest) -> HTTPResponse {
        drawn(request) { worker, plan, input, memory throws(Diagnostics) in
            guard let node = request.node, plan.summaries.indices.contains(node) else {
                throw [Diagnostic("no-node", message: "the document has no such node")]
            }
            var view = ViewRequest(key: 0, source: input?.source ?? .none, .node(node))
            view.name = input?.standIn
            (view.longest, view.magnifies) = (1200, true)
            let reply = try worker.view(view, descriptors: (input?.descriptor.map { [$0] } ?? []) + [memory])
            return Drawn(type: "image/png", frame: reply.nodes.first?.frame, warnings: reply.warnings)
        }
    }

    private struct Drawn {
        var type: String
        var frame: [Double]?
        var boxes: [[Int]] = []
        var mode: String?
        var warnings: [Diagnostic]
    }

    private func drawn(
        _ request: HTTPRequest, _ draw: @escaping (LoneWorker, Plan, Input?, Int32) throws(Diagnostics) -> Drawn
    ) -> HTTPResponse {
        let plan: Plan
        do throws(Diagnostics) { plan = try self.plan(request.body) } catch { return refusal(error, status: 422) }
        var input: Input?
        if plan.takesInput {
            let number = request.input ?? 0
            guard inputs.indices.contains(number) else {
                return refusal([Diagnostic("no-input", message: "there is no such picture")], status: 422)
            }
            input = inputs[number]
        }
        var setup = self.setup
        setup.document = request.body
        return desk.ask { worker in
            let memory = lp_memory_file("preview")
            defer { close(memory) }
            let started = Clock.now
            do throws(Diagnostics) {
                try worker.prepare(setup)
                let drawn = try draw(worker, plan, input, memory)
                let milliseconds = Int(((Clock.now - started) * 1000).rounded())
                lseek(memory, 0, SEEK_SET)
                return HTTPResponse(
                    type: drawn.type, headers: [("X-Labelpipe", Self.facts(drawn, milliseconds))], body: Self.read(memory) ?? [])
            } catch {
                return self.refusal(error, status: 422)
            }
        }
    }

    /// What a header can hold: JSON in ASCII.
    private static func facts(_ drawn: Drawn, _ milliseconds: Int) -> String {
        var writer = JSONWriter()
        writer.object {
            $0.member("ms", milliseconds)
            if let mode = drawn.mode { $0.member("mode", mode) }
            if let frame = drawn.frame {
                $0.key("frame")
                $0.array { list in for side in frame { list.number(side) } }
            }
            $0.key("boxes")
            $0.array { list in for box in drawn.boxes.prefix(20) { list.array { for side in box { $0.number(side) } } } }
            // A header has its limits.
            $0.member("warnings", drawn.warnings.prefix(10).map { String($0.message.prefix(300)) })
        }
        var text = ""
        for unit in writer.text.utf16 {
            if unit < 0x80 {
                text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
        }
    }

    private static func ext(_ plan: Plan, _ input: Input?, _ worker: LoneWorker) throws(Diagnostics) -> String {
        try PreviewFormat.ext(of: plan, input?.source ?? .none, standIn: input?.standIn, worker)
    }

    private static func type(of ext: String) -> String {
        switch ext {
        case "jpg": "image/jpeg"
        case "tif": "image/tiff"
        case "ppm": "image/x-portable-pixmap"
        default: "image/\(ext)"
        }
    }
}
