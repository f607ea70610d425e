import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

/// Tests of flags by the real program: a folder of pictures, and one for outputs.
protocol FlagSuite {
    var scratch: Scratch { get }
}

extension FlagSuite {
    var input: String { scratch.at("in").description }
    var output: String { scratch.at("out").description }

    func run(_ arguments: String..., input: String = "/dev/null") -> Program {
        Program(["run", "--text", "© Ann", "--progress", "none"] + arguments, input: input)
    }

    func pictures(_ names: String...) {
        scratch.folder(scratch.at("in"))
        for (index, name) in names.enumerated() {
            scratch.folder(scratch.at("in/\(name)").folder)
            Samples.picture(scratch.at("in/\(name)"), seed: index + 1)
        }
    }
}

@Suite("Every flag of a run, by the real program") struct FlagTests: FlagSuite {
    let scratch = Scratch()

    @Test("--from: lists by line and by NUL, from a file and from standard input")
    func from() {
        pictures("a.jpg", "b b.png", "-c.jpg")
        scratch.file("list", "\(input)/a.jpg\r\n\n\(input)/b b.png\n\(input)/-c.jpg\n")
        scratch.file("nul", "\(input)/a.jpg\0\(input)/b b.png\0")
        let lines = run("--from", scratch.at("list").description, "-o", output)
        #expect(lines.code == 0, "\(lines.errors)")
        #expect(scratch.list("out") == ["-c.jpg", "a.jpg", "b b.png"])
        let nul = run("-0", "--from", "-", "-o", output + "2", input: scratch.at("nul").description)
        #expect(nul.code == 0, "\(nul.errors)")
        #expect(scratch.list("out2") == ["a.jpg", "b b.png"])
        #expect(run("--from", "/nowhere/list", "-o", output).code == 2)
    }

    @Test("standard input and output, by pipe and by file, whole or nothing")
    func streams() throws {
        pictures("a.jpg")
        let through = Program(["run", "--text", "© Ann", "-", "--output", "-"], input: "\(input)/a.jpg", scratch: scratch)
        #expect(through.code == 0, "\(through.errors)")
        scratch.file("pipe.sh", "cat \"$1\" | \"$2\" run --text Ann - --output - > \"$3\"")
        Samples.tool([
            "sh", scratch.at("pipe.sh").description, "\(input)/a.jpg", Program.path, scratch.at("piped.jpg").description,
        ])
        let direct = run("\(input)/a.jpg", "--set", "x=1", "-o", output)
        #expect(direct.code == 3)
        let verified = Program.run("verify", "\(input)/a.jpg", scratch.at("piped.jpg").description, "--format", "json")
        #expect(verified.code == 0, "\(verified.output)")
        scratch.file("broken.jpg", "\u{FF}nothing")
        let broken = Program(["run", "--text", "x", "-", "-o", "-"], input: scratch.at("broken.jpg").description)
        #expect(broken.code == 1)
        #expect(broken.output.isEmpty)
    }

    @Test("--include, --exclude, --recursive")
    func globs() {
        pictures("a.jpg", "b.png", "sub/c.jpg", "sub/skip/d.jpg")
        #expect(run(input, "-r", "--include", "*.jpg", "--exclude", "sub/skip/**", "-o", output).code == 0)
        #expect(scratch.list("out") == ["a.jpg", "sub/c.jpg"])
    }

    @Test("--keep-times, --quiet, --verbose, --format json")
    func telling() throws {
        pictures("a.jpg")
        let time = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
        _ = scratch.at("in/a.jpg").withCString { utimensat(AT_FDCWD, $0, [time, time], 0) }
        let quiet = run(input, "--quiet", "--keep-times", "-o", output)
        #expect(quiet.code == 0 && quiet.errors.isEmpty && quiet.output.isEmpty, "\(quiet.errors)")
        #expect((try? FileFacts.of(scratch.at("out/a.jpg")).get().modified) == 1_000_000_000 * 1_000_000_000)
        let verbose = run(input, "--verbose", "--overwrite", "-o", output)
        #expect(verbose.errors.contains("a.jpg -> \(output)/a.jpg"), "\(verbose.errors)")
        let json = run(input, "--format", "json", "-o", output)
        #expect(json.code == 1)
        for line in json.errors.split(separator: "\n") {
            let finding = try JSONValue.parse(Array(line.utf8), file: "finding")
            #expect(finding["code"]?.string == "exists")
        }
    }

    @Test("standard output is one thing at a time; a reader that goes ends the run with code 5")
    func oneOutput() {
        pictures("a.jpg")
        for report in ["-", "/dev/stdout"] {
            let both = run("\(input)/a.jpg", "-o", "-", "--report", report)
            #expect(both.code == 2 && both.output.isEmpty, "\(both.errors)")
        }
        #expect(run("\(input)/a.jpg", "-o", output, "--gallery", "-").code == 2)
        // A pipe without a reader from the start.
        scratch.file("gone.sh", "mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; exec \"$1\" run --text Ann \"$2\" -o out --report - >&4")
        let errors = scratch.at("errors").description
        let gone = Child(
            ["/usr/bin/env", "-C", scratch.path, "sh", "gone.sh", Program.path, "\(input)/a.jpg"], errors: errors)
        #expect(gone.code == 5)
        #expect(scratch.read("errors")?.contains("the report cannot be written: the reader has gone away") == true)
    }

    @Test("a value may stand right behind its letter, switches before it")
    func glued() {
        pictures("a.jpg")
        #expect(run(input, "-qj1", "-o\(output)").code == 0)
        #expect(scratch.list("out") == ["a.jpg"])
        #expect(run(input, "-j0", "-o", output).errors.contains("--jobs: expected a whole number"))
        // A value stays one, whatever it looks like.
        #expect(run(input, "-o", "-j1", "--dry-run").output.contains("-> -j1/a.jpg"))
    }

    @Test(
        "a switch takes no word, --resume one",
        arguments: ["--resume=foo", "--resume=", "--overwrite=no", "--in-place=", "--quiet=1"])
    func words(flag: String) {
        pictures("a.jpg")
        let wrong = run(input, flag, "-o", output)
        #expect(wrong.code == 2, "\(wrong.errors)")
        #expect(wrong.errors.contains(flag.prefix { $0 != "=" }), "\(wrong.errors)")
        #expect(scratch.list("out") == nil)
        // What stands in a value's place is one.
        #expect(run(input, "-o", "--quiet=1", "--dry-run").output.contains("-> --quiet=1/a.jpg"))
    }

    @Test("a NUL in an output's path is refused: it would be another file's name")
    func nul() {
        pictures("a.jpg")
        scratch.file("out/pic", "mine")
        let path = #"{"labelpipe":1,"outputs":[{"node":{"effect":"image.source"},"path":"pic\u0000.jpg"}]}"#
        let written = scratch.file("written.json", path).description
        let run = Program.run("run", written, input, "-o", output, "--overwrite")
        #expect(run.code == 3, "\(run.errors)")
        let check = Program.run("check", written)
        #expect(check.code == 1)
        #expect(check.output.contains("written.json:1:") && check.output.contains("holds a NUL"), "\(check.output)")
        let open = scratch.file(
            "open.json",
            #"{"labelpipe":1,"parameters":{"p":{"type":"string"}},"outputs":[{"node":{"effect":"image.source"},"path":"$p"}]}"#
        ).description
        let rows = scratch.file("rows.json", #"[{"input":"in/a.jpg","p":"pic\u0000.jpg"}]"#).description
        let row = Program.run("run", open, "--rows", rows, "-o", output, "--overwrite")
        #expect(row.code == 1 && row.errors.contains("holds a NUL"), "\(row.errors)")
        let other = scratch.file("other.json", #"[{"input":"in/a.jpg\u0000.png","p":"b.jpg"}]"#).description
        #expect(Program.run("run", open, "--rows", other, "-o", output).code == 1)
        #expect(scratch.list("out") == ["pic"] && scratch.read("out/pic") == "mine")
        #expect(BytePath("a\0b").withCString { strlen($0) } == 0)
    }

    @Test("SOURCE_DATE_EPOCH that is no number is wrong use", arguments: ["abc", "", "-1", "1e9", "99999999999999"])
    func date(text: String) {
        pictures("a.jpg")
        let program = Program(
            ["run", "--text", "{date:%Y}", input, "-o", output], environment: ["SOURCE_DATE_EPOCH=\(text)"])
        #expect(program.code == 2)
        #expect(program.errors.contains("SOURCE_DATE_EPOCH"), "\(program.errors)")
        #expect(scratch.list("out") == nil)
    }

    @Test("--missing-field: an error for the picture, or nothing")
    func missingField() {
        pictures("a.jpg")
        let document = scratch.file(
            "doc.json",
            #"{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","label":[{"effect":"text.mask","text":{"template":"x{exif.Artist}"}},{"effect":"fill.solid","color":"red"}]}]}"#
        ).description
        let missing = Program.run("run", document, input, "-o", output)
        #expect(missing.code == 1)
        #expect(missing.errors.contains("{exif.Artist}"), "\(missing.errors)")
        #expect(Program.run("run", document, input, "-o", output, "--missing-field", "empty").code == 0)
    }

    @Test("--rows: columns are parameters and fields, in CSV, JSON and JSON lines")
    func rows() throws {
        pictures("a.jpg", "b.jpg")
        let document = scratch.file(
            "doc.json",
            #"{"labelpipe":1,"parameters":{"who":{"type":"string"}},"outputs":[{"path":"{row.name}.{ext}","node":[{"effect":"image.source"},{"effect":"layout.place","label":[{"effect":"text.mask","text":"$who"},{"effect":"fill.solid","color":"red"}]}]}]}"#
        ).description
        scratch.file("rows.csv", "input,who,name\nin/a.jpg,Ann,../one\nin/b.jpg,\"<b>Bob & {exif.Artist}\",two\n")
        scratch.file(
            "rows.json",
            #"[{"input":"in/a.jpg","who":"Ann","name":"../one"},{"input":"in/b.jpg","who":"<b>Bob & {exif.Artist}","name":"two"}]"#
        )
        scratch.file(
            "rows.ndjson",
            #"{"input":"in/a.jpg","who":"Ann","name":"../one"}"# + "\n"
                + #"{"input":"in/b.jpg","who":"<b>Bob & {exif.Artist}","name":"two"}"#)
        for kind in ["csv", "json", "ndjson"] {
            let rows = scratch.at("rows.\(kind)").description
            let dry = Program.run("run", document, "--rows", rows, "-o", output, "--dry-run")
            #expect(dry.code == 0, "\(dry.errors)")
            // Text from a row is text: no markup, no template, and in a path no way out.
            #expect(dry.output.contains("\"<b>Bob & {exif.Artist}\""), "\(dry.output)")
            #expect(dry.output.contains("-> \(output)/.._one.jpg"), "\(dry.output)")
            #expect(scratch.list("out") == nil)
            #expect(Program.run("run", document, "--rows", rows, "-o", output + kind).code == 0)
            #expect(scratch.list("out\(kind)") == [".._one.jpg", "two.jpg"])
        }
        let bad = scratch.file("bad.csv", "input,who,name\nin/a.jpg,Ann\n").description
        #expect(Program.run("run", document, "--rows", bad, "-o", output).code == 3)
    }

    @Test("--shard auto says which part by whom; shards together are the whole, byte for byte")
    func shards() {
        pictures("a.jpg", "b.jpg", "c.png", "d.jpg", "e.jpg")
        #expect(run(input, "-o", output, "--jobs", "3").code == 0)
        for index in 0..<2 {
            let part = Program(
                ["run", "--text", "© Ann", input, "-o", output + "2", "--shard", "auto"],
                environment: ["SLURM_ARRAY_TASK_ID=\(index)", "SLURM_ARRAY_TASK_COUNT=2", "SLURM_ARRAY_TASK_MIN=0"])
            #expect(part.code == 0 || part.code == 2, "\(part.errors)")
            #expect(part.errors.contains("part \(index + 1) of 2 (by SLURM_ARRAY_TASK_ID)"), "\(part.errors)")
        }
        for name in ["a.jpg", "b.jpg", "c.png", "d.jpg", "e.jpg"] {
            #expect(Program.bytes("\(output)/\(name)") == Program.bytes("\(output)2/\(name)"), "\(name)")
        }
    }

    @Test("--break-links, --in-place")
    func links() {
        pictures("a.jpg")
        link("\(input)/a.jpg", scratch.at("other.jpg").description)
        let before = Program.bytes("\(input)/a.jpg")
        #expect(run(input, "--in-place").code == 1)
        #expect(Program.bytes("\(input)/a.jpg") == before)
        #expect(run(input, "--in-place", "--break-links").code == 0)
        #expect(Program.bytes("\(input)/a.jpg") != before)
        #expect(Program.bytes(scratch.at("other.jpg").description) == before)
    }
}
