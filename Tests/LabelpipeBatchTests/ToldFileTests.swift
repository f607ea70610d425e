import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("Reports and galleries are written over nothing else") struct ToldFileTests {
    let scratch = Scratch()

    private func run(_ adjust: (inout RunOptions) -> Void) -> Trial {
        Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            adjust(&$0)
        }
    }

    private static let spellings = ["out/a.jpg", "out/../in/.././out//a.jpg", "link/a.jpg", "dangling", "chain"]

    @Test("where an output will lie, by whatever name, nothing else is put", arguments: spellings, [true, false])
    func output(spelling: String, isReport: Bool) {
        scratch.file("in/a.jpg")
        symlink("out", scratch.at("link").description)
        symlink("link/a.jpg", scratch.at("dangling").description)
        symlink(scratch.at("dangling").description, scratch.at("chain").description)
        // The folder of some of them is there already, and no output.
        if spelling != "out/a.jpg" { scratch.folder(scratch.at("out")) }
        let trial = run {
            if isReport { $0.report = scratch.at(spelling) } else { $0.gallery = scratch.at(spelling) }
        }
        #expect(trial.exit == .usage)
        #expect(trial.errors.contains("is where the output of"), "\(trial.errors)")
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("an older report that is a name of an output, an input, or the journal's folder")
    func others() {
        scratch.file("in/a.jpg")
        #expect(run { $0.report = scratch.at("report") }.exit == .done)
        let told = scratch.read("report")
        unlink(scratch.at("out/a.jpg").description)
        link(scratch.at("report").description, scratch.at("out/a.jpg").description)
        let hard = run {
            $0.report = scratch.at("report")
            $0.existing = .overwrite
        }
        #expect(hard.exit == .usage)
        #expect(scratch.read("report") == told)
        // An empty picture is written over as little as a full one.
        scratch.file("in/empty.jpg", "")
        #expect(run { $0.report = scratch.at("in/empty.jpg") }.exit == .usage)
        #expect(run { $0.report = scratch.at("out/.labelpipe/journal-1of1.ndjson") }.exit == .usage)
    }

    @Test("one file is not both")
    func both() {
        scratch.file("in/a.jpg")
        let trial = run {
            $0.report = scratch.at("told")
            $0.gallery = scratch.at("in/../told")
        }
        #expect(trial.exit == .usage)
        #expect(trial.errors.contains("--report and --gallery name one file"), "\(trial.errors)")
    }

    @Test(
        "what looks a little like one is somebody's",
        arguments: [
            "{\"input\":\"a.jpg\",\"status\":\"done\"}\n", "{\"status\":\"open\",\"ms\":3}\n", "{\"labelpipe\":1}", "x",
            "<!doctype html>\n<title>A page of labelpipe</title>\n",
        ], [true, false])
    func likeness(text: String, isReport: Bool) {
        scratch.file("in/a.jpg")
        scratch.file("table", text)
        let trial = run {
            if isReport { $0.report = scratch.at("table") } else { $0.gallery = scratch.at("table") }
        }
        #expect(trial.exit == .usage)
        #expect(trial.errors.contains("no run wrote it as its"), "\(trial.errors)")
        #expect(scratch.read("table") == text)
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("a FIFO is no page, and no report where nobody reads it")
    func pipes() {
        scratch.file("in/a.jpg")
        mkfifo(scratch.at("fifo").description, 0o600)
        let report = run { $0.report = scratch.at("fifo") }
        #expect(report.exit == .unwritable)
        #expect(report.errors.contains("nobody reads it"), "\(report.errors)")
        #expect(run { $0.gallery = scratch.at("fifo") }.exit == .unwritable)
        #expect((try? FileFacts.of(scratch.at("fifo")).get().kind) == .fifo)
        #expect(scratch.list("out") ?? [] == [])
        let reader = open(scratch.at("fifo").description, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(run { $0.report = scratch.at("fifo") }.exit == .done)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &bytes, bytes.count)
        #expect(count > 100)
    }

    @Test("an earlier one gives way, shorter than it was")
    func again() {
        for index in 0..<5 { scratch.file("in/\(index).jpg") }
        #expect(run { $0.report = scratch.at("report") }.exit == .done)
        let first = scratch.read("report") ?? ""
        for index in 1..<5 { unlink(scratch.at("in/\(index).jpg").description) }
        let second = run {
            $0.report = scratch.at("report")
            $0.existing = .overwrite
        }
        #expect(second.exit == .done)
        #expect(first.split(separator: "\n").count == 6)
        #expect(scratch.read("report")?.split(separator: "\n").count == 2)
    }
}
