import Diagnostics
import Glibc
import Labelpipe
import LabelpipeEngine
import LabelpipeWorker
import Testing
import Vips

@Suite("A worker's work leaves nothing behind") struct LeakTests {
    /// Draws a document on a picture some times, in this process: no other test of it starts libvips.
    private func draw(_ work: PipelineWork, _ input: BytePath?, times: Int) throws {
        for _ in 0..<times {
            var name = Array("/tmp/labelpipe-test-XXXXXX".utf8CString)
            let output = mkstemp(&name)
            defer { close(output) }
            unlink(name)
            let source = try input.map { (path) throws(Diagnostics) in try OpenSource.open(path) }
            defer { source?.close() }
            var request = RunRequest(key: 0, source: input.map { .path($0) } ?? .none)
            request.outputs = [RunRequest.Output(index: 0, path: BytePath("a.png"))]
            let reply = try work.run(request, source: source, outputs: [output]) { _, _ in }
            #expect(reply.outputs.first.map { $0.bytes > 0 } == true)
        }
    }

    @Test("no libvips object and no descriptor is left after pictures are done, nor after one that fails")
    func leaks() throws {
        let work = PipelineWork(registry: try Registry.bundled())
        var setup = Setup()
        setup.document = Array(
            #"{"labelpipe":1,"output":[{"effect":"image.canvas","size":[90,60],"color":"red"},{"effect":"layout.place","label":[{"effect":"shape.ellipse","size":[20,20]},{"effect":"fill.solid","color":"blue"},{"effect":"shadow.drop","blur":3}]}]}"#
                .utf8)
        try work.prepare(setup)
        try draw(work, nil, times: 2)
        let folder = BytePath("/proc/self/fd")
        let (objects, descriptors) = (VipsRuntime.liveObjectCount, Built.count(folder))
        try draw(work, nil, times: 20)
        #expect(VipsRuntime.liveObjectCount == objects, "\(VipsRuntime.liveObjects().suffix(10))")
        let damaged = URLless.scratch("\u{89}PNG no picture")
        defer { unlink(damaged.description) }
        for _ in 0..<20 {
            #expect(throws: Diagnostics.self) {
                let source = try OpenSource.open(damaged)
                defer { source.close() }
                _ = try work.probe(ProbeRequest(key: 0, source: .path(damaged)), source: source)
                throw Diagnostics([Diagnostic("not-a-picture")])
            }
        }
        #expect(VipsRuntime.liveObjectCount == objects, "\(VipsRuntime.liveObjects().suffix(10))")
        #expect(Built.count(folder) <= descriptors + 1)
    }
}
