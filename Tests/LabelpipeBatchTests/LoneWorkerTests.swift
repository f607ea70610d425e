import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("One worker for somebody who waits") struct LoneWorkerTests {
    let scratch = Scratch()

    private func worker(timeout: Double? = nil) -> LoneWorker { LoneWorker(Trial.launch, timeout: timeout) }

    private func setup(_ text: String = "{}") -> Setup {
        var setup = Setup()
        setup.document = Array(text.utf8)
        return setup
    }

    /// What was written, or the finding.
    private func run(_ worker: LoneWorker, _ name: String) -> (text: String?, finding: Diagnostic?) {
        let input = scratch.file(name)
        let output = scratch.at("output").withCString { open($0, O_RDWR | O_CREAT | O_TRUNC, 0o644) }
        defer { close(output) }
        var request = RunRequest(key: 0, source: .path(input))
        request.outputs = [RunRequest.Output(index: 0, path: BytePath("a.jpg"))]
        do throws(Diagnostics) {
            _ = try worker.run(request, descriptors: [output])
            return (scratch.read("output"), nil)
        } catch {
            return (nil, error.all.first)
        }
    }

    @Test(
        "a crash or a hang is a verdict on the picture, and the next picture is done",
        arguments: [
            ("segv-render", "crash", "SIGSEGV while building the picture"), ("kill-save", "crash", "SIGKILL while computing"),
            ("exit-header", "crash", "code 7 while reading the header"), ("fail-render", "damaged", "the picture is damaged"),
            ("hang-save", "timeout", "the 2 s of --timeout are over"),
        ])
    func faults(name: String, code: String, message: String) throws {
        let worker = worker(timeout: name.hasPrefix("hang") ? 2 : nil)
        defer { worker.close() }
        try worker.prepare(setup())
        #expect(run(worker, "good.jpg").text == "PICTURE of something\n")
        let (text, finding) = run(worker, "\(name).jpg")
        #expect(text == nil)
        #expect(finding?.code == code)
        #expect(finding?.message.contains(message) == true, "\(finding?.message ?? "")")
        #expect(run(worker, "good.jpg").text == "PICTURE of something\n")
    }

    @Test("a document that cannot be used is refused, and another taken")
    func refused() throws {
        let worker = worker()
        defer { worker.close() }
        let error = #expect(throws: Diagnostics.self) { try worker.prepare(setup("refuse")) }
        #expect(error?.all.first?.pointer?.description == "/output")
        let dead = #expect(throws: Diagnostics.self) { try worker.prepare(setup("die at start")) }
        #expect(dead?.all.first?.code == "crash")
        try worker.prepare(setup())
        #expect(run(worker, "good.jpg").text != nil)
        // Another document in the same process.
        try worker.prepare(setup("{ }"))
        #expect(run(worker, "good.jpg").text != nil)
    }

    @Test("a worker that draws no views says so")
    func noViews() throws {
        let worker = worker()
        defer { worker.close() }
        try worker.prepare(setup())
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let error = #expect(throws: Diagnostics.self) {
            try worker.view(ViewRequest(key: 0, source: .none, .all), descriptors: [null])
        }
        #expect(error?.all.first?.code == "no-view")
    }

    @Test("a file is published whole, in place of an old one whose mode it keeps, or not at all")
    func single() throws {
        let path = scratch.file("page.html", "old")
        chmod(path.description, 0o600)
        let left = try SingleFile(path)
        try left.write(Array("half".utf8))
        #expect(scratch.read("page.html") == "old")
        let whole = try SingleFile(path)
        try whole.write(Array("new".utf8))
        try whole.publish(replacing: true)
        #expect(scratch.read("page.html") == "new")
        var status = stat()
        #expect(stat(path.description, &status) == 0 && status.st_mode & 0o777 == 0o600)
        withExtendedLifetime(left) {}
        #expect(scratch.list("") == ["page.html"])
    }
}
