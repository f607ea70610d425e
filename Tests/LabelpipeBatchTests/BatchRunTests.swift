import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeKit
import LabelpipeWorker
import Testing

@Suite("A run over pictures, by a worker that fails on demand") struct BatchRunTests {
    let scratch = Scratch()

    @Test("a file becomes a file of the same name")
    func one() {
        let input = scratch.file("in.jpg")
        let trial = Trial {
            $0.inputs = [input]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done)
        #expect(scratch.read("out/in.jpg") == "PICTURE of something\n")
        #expect(scratch.list("out") == ["in.jpg"])
        #expect(trial.errors.contains("1 done"))
    }

    @Test("a path with a format's extension is a file", arguments: ["marked.jpg", "deep/er/marked.png"])
    func file(output: String) {
        let input = scratch.file("in.jpg")
        let trial = Trial {
            $0.inputs = [input]
            $0.output = scratch.at(output)
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.read(output) != nil)
    }

    @Test(
        "a fault costs one picture, named with signal and phase; the others are done",
        arguments: [
            ("segv-header", "killed by SIGSEGV while reading the header"),
            ("segv-render", "killed by SIGSEGV while building the picture"),
            ("segv-save", "killed by SIGSEGV while computing and saving pixels"),
            ("kill-save", "killed by SIGKILL while computing and saving pixels"),
            ("exit-render", "exited with code 7 while building the picture"),
            ("part-save", "killed by SIGSEGV while computing and saving pixels"),
            ("trap-save", "a trap in"),
            ("fail-render", "the picture is damaged"),
            ("nothing", "nothing was written"),
            ("starve-save", "more memory is needed than the run allows one picture"),
        ])
    func fault(name: String, message: String) {
        for index in 0..<6 { scratch.file("in/\(index).jpg") }
        scratch.file("in/3-\(name).jpg")
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .failures)
        #expect(trial.errors.contains(message), "\(trial.errors)")
        #expect(trial.errors.contains("3-\(name).jpg: error:"))
        #expect(trial.errors.contains("6 done, 1 failed"))
        #expect(scratch.list("out") == (0..<6).map { "\($0).jpg" })
    }

    @Test("a hang ends at its deadline")
    func hang() {
        scratch.file("in/1.jpg")
        scratch.file("in/2-hang-save.jpg")
        scratch.file("in/3.jpg")
        let started = Clock.now
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.timeout = 1
        }
        #expect(trial.exit == .failures)
        #expect(trial.errors.contains("hung while computing and saving pixels"), "\(trial.errors)")
        #expect(Clock.now - started < 10)
        #expect(scratch.list("out") == ["1.jpg", "3.jpg"])
    }

    @Test("an existing output is an error, skipped or replaced, as asked")
    func existing() {
        scratch.file("in/a.jpg", "new")
        scratch.file("in/b.jpg", "new")
        func run(_ existing: RunOptions.Existing) -> Trial {
            scratch.file("out/a.jpg", "old")
            return Trial {
                $0.inputs = [scratch.at("in")]
                $0.output = scratch.at("out")
                $0.existing = existing
            }
        }
        let refused = run(.error)
        #expect(refused.exit == .failures)
        #expect(refused.errors.contains("exists already"))
        // What to do is said once, not for each picture.
        #expect(refused.errors.ranges(of: "--overwrite replaces outputs").count == 1)
        #expect(scratch.read("out/a.jpg") == "old")
        let skipped = run(.skip)
        #expect(skipped.exit == .done)
        #expect(scratch.read("out/a.jpg") == "old")
        #expect(skipped.errors.contains("2 skipped"))
        #expect(run(.overwrite).exit == .done)
        #expect(scratch.read("out/a.jpg") == "new")
        #expect(scratch.list("out") == ["a.jpg", "b.jpg"])
    }

    @Test("an output that is an input is refused, by whatever name it is called")
    func inputIsOutput() {
        let input = scratch.file("in/a.jpg", "precious")
        scratch.folder(scratch.at("linked"))
        scratch.folder(scratch.at("hard"))
        symlink(input.description, scratch.at("linked/a.jpg").description)
        link(input.description, scratch.at("hard/a.jpg").description)
        symlink(scratch.at("in").description, scratch.at("alias").description)
        for folder in ["in", "in/../in/.", "linked", "hard", "alias"] {
            let trial = Trial {
                $0.inputs = [input]
                $0.output = scratch.at(folder)
                $0.existing = .overwrite
            }
            #expect(trial.exit == .usage, "\(folder): \(trial.errors)")
            #expect(trial.errors.contains("is an input"))
            #expect(scratch.read("in/a.jpg") == "precious")
        }
    }

    @Test("two pictures with one output are found before the first is done, both named")
    func collision() {
        let one = scratch.file("1/a.jpg")
        let two = scratch.file("2/a.jpg")
        let trial = Trial {
            $0.inputs = [one, two]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .usage)
        #expect(trial.errors.contains("\(one) and \(two) would both be written"))
        #expect(scratch.list("out") == nil)
    }

    @Test("nothing is written outside the output folder, links included")
    func links() {
        scratch.file("in/sub/a.jpg")
        scratch.file("in/b.jpg")
        scratch.folder(scratch.at("elsewhere"))
        scratch.folder(scratch.at("out"))
        symlink(scratch.at("elsewhere").description, scratch.at("out/sub").description)
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.isRecursive = true
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .failures)
        #expect(trial.errors.contains("outside the output folder"), "\(trial.errors)")
        #expect(scratch.list("elsewhere") == [])
        #expect(scratch.read("out/b.jpg") != nil)
    }

    @Test("a link in the place of an output is replaced, not followed")
    func linkInPlace() {
        scratch.file("in/a.jpg", "new")
        scratch.file("other.txt", "precious")
        scratch.folder(scratch.at("out"))
        symlink(scratch.at("other.txt").description, scratch.at("out/a.jpg").description)
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.existing = .overwrite
        }
        #expect(trial.exit == .done)
        #expect(scratch.read("other.txt") == "precious")
        #expect(scratch.read("out/a.jpg") == "new")
    }

    @Test("folders, FIFOs, missing and empty files fail alone and at once")
    func strange() {
        scratch.file("in/good.jpg")
        scratch.folder(scratch.at("in/folder.jpg"))
        mkfifo(scratch.at("in/fifo.jpg").description, 0o600)
        symlink("nowhere", scratch.at("in/broken.jpg").description)
        scratch.file("in/empty.jpg", "")
        scratch.file("in/.hidden.jpg")
        let trial = Trial {
            $0.inputs = [scratch.at("in"), scratch.at("missing.jpg")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .failures)
        for name in ["folder.jpg", "fifo.jpg", "broken.jpg", "empty.jpg", "missing.jpg"] {
            #expect(trial.errors.contains("\(name): error:"), "\(name) in \(trial.errors)")
        }
        #expect(scratch.list("out") == ["good.jpg"])
        #expect(!trial.errors.contains("hidden"))
    }

    @Test("a folder's files without a picture's name are asked for their kind")
    func doubtful() {
        scratch.file("in/a.jpg")
        scratch.file("in/photo")
        scratch.file("in/notes.txt", "text")
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done)
        #expect(scratch.list("out") == ["a.jpg", "photo"])
        #expect(trial.errors.contains("1 other file ignored"), "\(trial.errors)")
    }

    @Test("--recursive keeps the tree, follows no linked folder and leaves the output folder out")
    func recursive() {
        scratch.file("in/a.jpg")
        scratch.file("in/x/b.jpg")
        scratch.file("in/x/y/c.jpg")
        scratch.file("in/out/old.jpg")
        scratch.file("far/d.jpg")
        symlink(scratch.at("far").description, scratch.at("in/link").description)
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.isRecursive = true
            $0.output = scratch.at("in/out")
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.list("in/out") == ["a.jpg", "old.jpg", "x/b.jpg", "x/y/c.jpg"])
    }

    @Test("names are bytes")
    func bytes() {
        let names: [[UInt8]] = [
            Array("IMG (1)[Q=1].jpg".utf8), Array("-d.png".utf8), [0xFF, 0xFE, 0x20] + Array(".jpg".utf8),
            Array("new\nline.jpg".utf8), Array("ünï.jpg".utf8),
        ]
        for name in names {
            scratch.file("in/x.jpg")
            scratch.write(scratch.at("in").appending(BytePath(name)), Array("PICTURE".utf8))
        }
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        for name in names {
            guard case .success = FileFacts.of(scratch.at("out").appending(BytePath(name))) else {
                Issue.record("\(BytePath(name)) is missing")
                continue
            }
        }
    }

    @Test("the path template's fields come from names, order, dates, metadata; what could leave the folder goes")
    func templates() throws {
        scratch.file("in/IMG_1.JPG", "PICTURE\nexif.Artist=../../etc/AC/DC\n")
        scratch.file("in/IMG_2.JPG", "PICTURE\nexif.Artist=..\n")
        let path = try Template("{date:%Y}/{exif.Artist}/{index:03}-{stem}-{count}.{ext}")
        let document = BatchDocument(takesInput: true, outputs: [.init(pointer: "/outputs/0", path: path)])
        let trial = Trial(document) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.emptyMissingFields = true
        }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.list("out") == ["2023/.._.._etc_AC_DC/001-IMG_1-2.JPG", "2023/002-IMG_2-2.JPG"])
    }

    @Test("a missing field is an error for its picture")
    func missingField() throws {
        scratch.file("in/a.jpg", "PICTURE\nexif.Artist=Ann\n")
        scratch.file("in/b.jpg", "PICTURE\n")
        let document = BatchDocument(
            takesInput: true, outputs: [.init(pointer: "/outputs/0", path: try Template("{exif.Artist}/{name}"))])
        let trial = Trial(document) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .failures)
        #expect(trial.errors.contains("the output path needs {exif.Artist}"), "\(trial.errors)")
        #expect(scratch.list("out") == ["Ann/a.jpg"])
    }

    @Test("several outputs of one picture")
    func severalOutputs() throws {
        scratch.file("in/a.jpg")
        let document = BatchDocument(
            takesInput: true,
            outputs: [
                .init(pointer: "/outputs/0", path: try Template("big/{name}")),
                .init(pointer: "/outputs/1", path: try Template("small/{stem}.png")),
            ])
        let trial = Trial(document) {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .done)
        #expect(scratch.list("out") == ["big/a.jpg", "small/a.png"])
    }

    @Test("a document without an input renders once")
    func noInput() {
        let document = BatchDocument(takesInput: false, outputs: [.init(pointer: "/output")])
        let trial = Trial(document) { $0.output = scratch.at("token.png") }
        #expect(trial.exit == .done, "\(trial.errors)")
        #expect(scratch.read("token.png") == "PICTURE from nothing")
        let refused = Trial(document) {
            $0.inputs = [scratch.file("a.jpg")]
            $0.output = scratch.at("b.png")
        }
        #expect(refused.exit == .usage)
    }

    @Test("wrong use is told before anything is done")
    func usage() {
        let input = scratch.file("in/a.jpg")
        #expect(Trial { $0.inputs = [input] }.exit == .usage)
        #expect(Trial { $0.output = scratch.at("out") }.exit == .usage)
        scratch.folder(scratch.at("none"))
        let nothing = Trial {
            $0.inputs = [scratch.at("none")]
            $0.output = scratch.at("out")
        }
        #expect(nothing.exit == .usage)
        #expect(nothing.errors.contains("no picture was found"))
        let two = Trial {
            $0.inputs = [input, scratch.file("in/b.jpg")]
            $0.output = scratch.at("one.jpg")
        }
        #expect(two.exit == .usage)
        #expect(scratch.list("out") == nil)
    }

    @Test("a document that workers refuse ends the run")
    func refused() {
        scratch.file("in/a.jpg")
        let trial = Trial(text: "refuse") {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .invalid)
        #expect(trial.errors.contains("/output: expected something else"), "\(trial.errors)")
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("workers that cannot start end the run")
    func noStart() {
        scratch.file("in/a.jpg")
        scratch.file("in/b.jpg")
        scratch.file("in/c.jpg")
        scratch.file("in/d.jpg")
        let trial = Trial(text: "die at start") {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .missing)
        #expect(trial.errors.contains("end before they have started"), "\(trial.errors)")
    }

    @Test("a full disk ends the run with one clear error")
    func full() {
        for index in 0..<20 { scratch.file("in/\(index).jpg") }
        scratch.file("in/1-full-save.jpg")
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
        }
        #expect(trial.exit == .unwritable)
        #expect(trial.errors.contains("the disk is full"))
    }

    @Test("the report has a line for each picture and one with totals")
    func report() throws {
        scratch.file("in/a.jpg")
        scratch.file("in/b-fail-save.jpg")
        scratch.file("in/c-warn.jpg")
        let trial = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.report = BytePath("-")
        }
        #expect(trial.exit == .failures)
        let lines = try trial.output.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8), file: "report") }
        #expect(lines.count == 4)
        let failed = try #require(lines.first { $0["status"]?.string == "failed" })
        #expect(failed["input"]?.string == scratch.at("in/b-fail-save.jpg").description)
        #expect(failed["code"]?.string == "damaged")
        #expect(failed["node"]?.string == "/output/1")
        let done = try #require(lines.first { $0["input"]?.string?.hasSuffix("a.jpg") == true })
        #expect(done["status"]?.string == "done")
        #expect(done["bytes"]?.integer == 21)
        #expect(done["mode"]?.string == "copy")
        #expect(done["boxes"]?.compact == "[[1,2,3,4]]")
        #expect(lines[3]["status"]?.string == "totals")
        #expect(lines[3]["done"]?.integer == 2)
        #expect(lines[3]["warnings"]?.integer == 1)
        #expect(lines[3]["exit"]?.integer == 1)
    }

    @Test("--fail-fast and --max-failures leave the rest")
    func limits() {
        for index in 0..<30 { scratch.file("in/\(index + 10)-fail-save.jpg") }
        let fast = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.stopsAtFirst = true
        }
        #expect(fast.exit == .failures)
        #expect(fast.errors.contains("not done"))
        let most = Trial {
            $0.inputs = [scratch.at("in")]
            $0.output = scratch.at("out")
            $0.mostFailures = 3
        }
        #expect(most.exit == .limit)
        let strict = Trial {
            $0.inputs = [scratch.file("warn.jpg")]
            $0.output = scratch.at("out")
            $0.isStrict = true
        }
        #expect(strict.exit == .failures)
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("--dry-run does everything but pixels")
    func dry() {
        let input = scratch.file("in/a.jpg")
        let trial = Trial {
            $0.inputs = [input]
            $0.output = scratch.at("out")
            $0.isDry = true
        }
        #expect(trial.exit == .done)
        #expect(trial.output == "\(input) -> \(scratch.at("out/a.jpg"))  1000x1000  boxes [1,2,3,4]\n")
        #expect(scratch.list("out") == nil)
    }

    @Test("--output - writes one picture to standard output, nothing of one that fails")
    func standardOutput() {
        let trial = Trial {
            $0.inputs = [scratch.file("in/a.jpg")]
            $0.output = BytePath("-")
        }
        #expect(trial.exit == .done)
        #expect(trial.output == "PICTURE of something\n", "\(trial.errors)")
        let failed = Trial {
            $0.inputs = [scratch.file("in/part-save.jpg")]
            $0.output = BytePath("-")
        }
        #expect(failed.exit == .failures)
        #expect(failed.output.isEmpty)
    }
}
