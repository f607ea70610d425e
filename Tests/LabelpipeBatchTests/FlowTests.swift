import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeKit
import LabelpipeWorker
import Testing

@Suite("Resuming, rows, memory, shards, work in place") struct FlowTests {
    let scratch = Scratch()

    private func run(_ text: String = "{}", _ adjust: (inout RunOptions) -> Void = { _ in }) -> Trial {
        Trial(text: text) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            adjust(&$0)
        }
    }

    @Test("--resume does what is missing, changed or done otherwise, and nothing else")
    func resume() {
        for index in 0..<10 { scratch.file("in/\(index).jpg", "PICTURE \(index)") }
        #expect(run().errors.contains("10 done"))
        #expect(run { $0.resume = .ends }.errors.contains("10 skipped"))
        unlink(scratch.at("out/3.jpg").description)
        let missing = run { $0.resume = .ends }
        #expect(missing.errors.contains("1 done, 9 skipped"), "\(missing.errors)")
        scratch.file("in/4.jpg", "PICTURE four")
        let changed = run { $0.resume = .whole }
        #expect(changed.exit == .done)
        #expect(scratch.read("out/4.jpg") == "PICTURE four")
        scratch.file("out/5.jpg", "torn")
        #expect(run { $0.resume = .ends }.exit == .done)
        #expect(scratch.read("out/5.jpg") == "PICTURE 5")
        let otherwise = run("{ \"other\": 1 }") { $0.resume = .ends }
        #expect(otherwise.errors.contains("10 done"), "\(otherwise.errors)")
    }

    @Test("a file that was changed under the same size and time is found by its bytes")
    func hash() {
        let path = scratch.file("in/a.jpg", "PICTURE one")
        #expect(run().exit == .done)
        guard case .success(let facts) = FileFacts.of(path) else { return }
        let descriptor = path.withCString { open($0, O_WRONLY) }
        _ = write(descriptor, "PICTURE two", 11)
        let time = timespec(tv_sec: Int(facts.modified / 1_000_000_000), tv_nsec: Int(facts.modified % 1_000_000_000))
        _ = futimens(descriptor, [time, time])
        close(descriptor)
        #expect(run { $0.resume = .ends }.errors.contains("1 done"))
        #expect(scratch.read("out/a.jpg") == "PICTURE two")
    }

    @Test("lines of the journal that are cut off or rotten count as not there")
    func rotten() {
        for index in 0..<4 { scratch.file("in/\(index).jpg", "PICTURE \(index)") }
        #expect(run { $0.jobs = 1 }.exit == .done)
        let journal = scratch.at("out/.labelpipe/journal-1of1.ndjson")
        let text = scratch.read("out/.labelpipe/journal-1of1.ndjson") ?? ""
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        let broken =
            lines[..<3].joined(separator: "\n") + "\n" + lines[3].replacing(".jpg", with: ".jpx") + "\n" + lines[4].dropLast(7)
        scratch.write(journal, Array(broken.utf8))
        truncate(journal.description, broken.utf8.count)
        let trial = run { $0.resume = .ends }
        #expect(trial.errors.contains("2 done, 2 skipped"), "\(trial.errors)")
        #expect(run { $0.resume = .ends }.errors.contains("4 skipped"))
    }

    @Test("a journal that cannot be read is not taken for an empty one")
    func unreadableJournal() {
        scratch.file("in/a.jpg")
        #expect(run().exit == .done)
        let journal = scratch.at("out/.labelpipe/journal-1of1.ndjson").description
        rename(journal, scratch.at("kept").description)
        symlink("journal-1of1.ndjson", journal)
        let trial = run { $0.resume = .ends }
        #expect(trial.exit == .unwritable)
        #expect(trial.errors.contains("cannot be read"), "\(trial.errors)")
        unlink(journal)
        rename(scratch.at("kept").description, journal)
        #expect(run { $0.resume = .ends }.errors.contains("1 skipped"))
    }

    @Test("a journal that cannot be written ends the run with code 5")
    func noJournal() {
        scratch.file("in/a.jpg")
        scratch.file("out/.labelpipe", "a file in the way")
        #expect(run().exit == .unwritable)
    }

    @Test("rows: one picture a row, beside the table; columns are fields")
    func rows() throws {
        scratch.file("table/a.jpg")
        let far = scratch.file("far/b.jpg")
        let csv = "input,title,note\na.jpg,\"One, \"\"quoted\"\"\",x\n\(far),Two / two,\n"
        let document = BatchDocument(
            takesInput: true, outputs: [.init(pointer: "/outputs/0", path: try Template("{row.title}-{index}.{ext}"))])
        let trial = Trial(document) {
            $0.rows = try? Rows(Array(csv.utf8), file: scratch.at("table/rows.csv"))
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.list("out") == ["One, \"quoted\"-1.jpg", "Two _ two-2.jpg"])
    }

    @Test("rows that lack their picture, or hold what a parameter does not take, end the run before the first pixel")
    func badRows() throws {
        scratch.file("a.jpg")
        var document = BatchDocument(takesInput: true, outputs: [.init(pointer: "/output")])
        document.perRow = { cells throws(Diagnostics) in
            if cells.contains(where: { $0.text == "bad" }) { throw [Diagnostic("bad-value", message: "expected a color")] }
            return BatchDocument(takesInput: true, outputs: [.init(pointer: "/output")])
        }
        func run(_ csv: String) -> Trial {
            Trial(document) {
                $0.rows = try? Rows(Array(csv.utf8), file: scratch.at("rows.csv"))
                $0.output = scratch.at("out")
            }
        }
        let bad = run("input,color\na.jpg,red\na.jpg,bad\n")
        #expect(bad.exit == .invalid)
        #expect(bad.errors.contains("rows.csv:3: expected a color"), "\(bad.errors)")
        #expect(run("name\na.jpg\n").exit == .invalid)
        #expect(scratch.list("out") == nil)
    }

    @Test(
        "tables are read as they are written",
        arguments: [
            ("input,a\nx,1\n", ["x", "1"]), ("input;a\r\nx;1\r\n", ["x", "1"]), ("\u{FEFF}input\ta\nx\t1", ["x", "1"]),
            ("input,a\n\"x\ny\",\"\"\"\"\n", ["x\ny", "\""]), ("[{\"input\":\"x\",\"a\":1}]", ["x", "1"]),
            ("{\"input\":\"x\",\"a\":[1, 2]}\n", ["x", "[1,2]"]), ("{\"input\":\"x\",\"a\":null}", ["x"]),
            ("input,a\nx,\n", ["x", ""]),
        ])
    func tables(text: String, cells: [String]) throws {
        let rows = try Rows(Array(text.utf8), file: BytePath("rows"))
        #expect(rows.rows.count == 1)
        #expect(rows.rows.first?.cells.map(\.text) == cells)
    }

    @Test(
        "broken tables are refused with line and column",
        arguments: ["a,a\n1,2\n", "a,b\n1\n", "a\n\"x", "a\n\"x\"y\n", "", "{\"a\":1", "[1]"])
    func brokenTables(text: String) {
        #expect(throws: Diagnostics.self) { try Rows(Array(text.utf8), file: BytePath("rows")) }
    }

    @Test("--memory lets no more begin than fit, and refuses what never can")
    func memory() {
        for index in 0..<6 { scratch.file("in/slow-save-\(index).jpg") }
        let one = run {
            $0.jobs = 4
            $0.memory = 150 << 20
        }
        #expect(one.exit == .done, "\(one.errors)")
        // One after the other, 200 ms each.
        #expect(one.errors.contains("6 done in 1.") || one.errors.contains("6 done in 2."), "\(one.errors)")
        let none = run {
            $0.memory = 50 << 20
            $0.existing = .overwrite
        }
        #expect(none.exit == .limit)
        #expect(none.errors.contains("needs about 100 MB, and --memory allows 50 MB"))
    }

    @Test("shards divide the list, all of it, once, and keep its numbers")
    func shards() throws {
        for index in 0..<50 { scratch.file("in/\(index).jpg") }
        let document = BatchDocument(
            takesInput: true, outputs: [.init(pointer: "/output", path: try Template("{index:02}-{name}"))])
        var whole: [String] = []
        for index in 1...3 {
            let shard = try Shard("\(index)/3") { _ in nil }
            let trial = Trial(document) {
                $0.inputs = [scratch.at("in")]
                $0.output = scratch.at("out\(index)")
                $0.shard = shard
            }
            #expect(trial.exit == .done)
            let part = scratch.list("out\(index)") ?? []
            #expect((5...30).contains(part.count))
            whole += part
        }
        let trial = Trial(document) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done)
        #expect(whole.sorted() == scratch.list("out"))
    }

    @Test("shards by schedulers' variables")
    func schedulers() throws {
        let slurm = ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_COUNT": "4"]
        let shard = try Shard("auto") { slurm[$0] }
        #expect((shard.index, shard.count, shard.source) == (3, 4, "SLURM_ARRAY_TASK_ID"))
        let kubernetes = try Shard("auto/8") { ["JOB_COMPLETION_INDEX": "0"][$0] }
        #expect((kubernetes.index, kubernetes.count) == (1, 8))
        for text in ["0/3", "4/3", "1/0", "x", "1/2/3", "auto", "auto/0", ""] {
            #expect(throws: Shard.Failure.self) { try Shard(text) { _ in nil } }
        }
    }

    @Test("--in-place keeps mode and link, refuses hard links, and is resumed without drawing twice")
    func inPlace() {
        let real = scratch.file("real/a.jpg", "PICTURE a")
        chmod(real.description, 0o640)
        scratch.folder(scratch.at("in"))
        symlink("../real/a.jpg", scratch.at("in/a.jpg").description)
        scratch.file("in/b.jpg", "PICTURE b")
        link(scratch.at("in/b.jpg").description, scratch.at("other.jpg").description)
        func run(_ adjust: (inout RunOptions) -> Void = { _ in }) -> Trial {
            Trial {
                $0.inputs = [scratch.at("in")]
                $0.isInPlace = true
                adjust(&$0)
            }
        }
        let first = run()
        #expect(first.exit == .failures)
        #expect(first.errors.contains("b.jpg: error: the file has 2 names"), "\(first.errors)")
        var status = stat()
        lstat(scratch.at("in/a.jpg").description, &status)
        #expect(status.st_mode & 0o170000 == 0o120000)
        stat(real.description, &status)
        #expect(status.st_mode & 0o7777 == 0o640)
        let resumed = run {
            $0.resume = .ends
            $0.breaksLinks = true
        }
        #expect(resumed.exit == .done)
        #expect(resumed.errors.contains("1 done, 1 skipped"), "\(resumed.errors)")
        #expect(scratch.list("in") == ["a.jpg", "b.jpg"])
        #expect(scratch.list("real") == ["a.jpg"])
    }

    @Test("work in place is resumed in whatever order folders are named, above, below, one by one, and by a later version")
    func resumedElsewhere() {
        let names = ["a/1.jpg", "a/sub/2.jpg", "b/3.jpg", "b/sub/4.jpg"]
        for name in names { scratch.file("in/\(name)", "PICTURE \(name)") }
        func run(_ inputs: [String], version: String? = nil, text: String = "{}", resume: Bool = true) -> String {
            Trial(text: text, version: version) {
                $0.inputs = inputs.map { scratch.at("in/\($0)") }
                $0.isInPlace = true
                $0.isRecursive = true
                $0.resume = resume ? .ends : nil
            }.errors
        }
        #expect(run(["a", "b/sub/4.jpg", "b/3.jpg"], resume: false).contains("4 done"))
        for inputs in [["b", "a"], ["b"], ["a"], ["a/sub"], [""], names, ["b/sub/4.jpg"]] {
            let told = run(inputs)
            #expect(told.contains(" skipped") && !told.contains(" done"), "\(inputs): \(told)")
        }
        #expect(run([""], version: "later").contains("4 skipped"))
        // Another document is another label, which is what was asked for; afterwards both are there.
        #expect(run([""], text: #"{"x": 1}"#).contains("4 done"))
        #expect(run([""]).contains("4 skipped"))
        #expect(run([""], text: #"{"x": 1}"#).contains("4 skipped"))
    }

    @Test("a label is not drawn twice on copies, behind links, or since words came in another order")
    func markedElsewhere() {
        scratch.file("a/1.jpg", "PICTURE one")
        scratch.file("a/2.jpg", "PICTURE two")
        func run(_ input: String, _ adjust: (inout RunOptions) -> Void = { _ in }) -> String {
            Trial {
                $0.inputs = [scratch.at(input)]
                $0.isInPlace = true
                $0.resume = .ends
                adjust(&$0)
            }.errors
        }
        #expect(run("a").contains("2 done"))
        // Other numbers, other times.
        Samples.tool(["/bin/cp", "-r", scratch.at("a").description, scratch.at("copy").description])
        #expect(run("copy").contains("2 skipped"))
        Samples.tool(["/usr/bin/touch", scratch.at("a/1.jpg").description])
        #expect(run("a").contains("2 skipped"))
        // Something else of that size is none of them.
        scratch.file("a/2.jpg", "PICTURE TWO")
        #expect(run("a").contains("1 done, 1 skipped"))
        scratch.file("real/3.jpg", "PICTURE three")
        scratch.folder(scratch.at("links"))
        symlink("../real/3.jpg", scratch.at("links/3.jpg").description)
        #expect(run("links").contains("1 done"))
        #expect(run("real").contains("1 skipped"))
    }

    @Test("settings and columns mean the same in any order, and where a row's picture is says nothing of its label")
    func orderOfKeys() throws {
        scratch.file("in/1.jpg", "PICTURE one")
        func run(_ rows: String) throws -> String {
            let table = try Rows(Array(rows.utf8), file: scratch.at("in/rows.csv"))
            var document = BatchDocument(takesInput: true, outputs: [.init(pointer: "/output")])
            (document.parameters, document.defaults) = (["a", "b"], ["a": "x"])
            return Trial(document) {
                $0.rows = table
                $0.isInPlace = true
                $0.resume = .ends
            }.errors
        }
        #expect(try run("input,a,b\n1.jpg,x,y\n").contains("1 done"))
        #expect(try run("b,a,input\ny,x,\(scratch.at("in/1.jpg"))\n").contains("1 skipped"))
        // What sets nothing, or what holds without it.
        #expect(try run("input,b,c\n1.jpg,y,other\n").contains("1 skipped"))
        #expect(try run("input,a,b\n1.jpg,x,z\n").contains("1 done"))
    }

    @Test("--keep-times")
    func keepTimes() {
        let input = scratch.file("in/a.jpg")
        let time = timespec(tv_sec: 1_000_000_000, tv_nsec: 5)
        _ = input.withCString { utimensat(AT_FDCWD, $0, [time, time], 0) }
        #expect(run { $0.keepsTimes = true }.exit == .done)
        #expect((try? FileFacts.of(scratch.at("out/a.jpg")).get().modified) == 1_000_000_000_000_000_005)
    }

    @Test("where files cannot be without a name, they have a temporary one")
    func named() {
        for index in 0..<5 { scratch.file("in/\(index).jpg", "PICTURE \(index)") }
        scratch.file("in/5-part-save.jpg")
        func run(_ existing: RunOptions.Existing) -> Trial {
            self.run {
                $0.usesUnnamedFiles = false
                $0.existing = existing
            }
        }
        #expect(run(.error).errors.contains("5 done, 1 failed"))
        #expect(scratch.list("out") == (0..<5).map { "\($0).jpg" })
        #expect(run(.error).errors.contains("6 failed"))
        scratch.file("out/3.jpg", "old")
        #expect(run(.overwrite).errors.contains("5 done, 1 failed"))
        #expect(scratch.read("out/3.jpg") == "PICTURE 3")
        #expect(scratch.list("out") == (0..<5).map { "\($0).jpg" })
    }
}
