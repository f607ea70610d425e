import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

/// The table "What may never happen", each row made to happen to the real program.
@Suite("What may never happen") struct NeverTests {
    let scratch = Scratch()
    private var input: String { scratch.at("in").description }
    private var output: String { scratch.at("out").description }

    private func pictures(_ count: Int, width: Int = 200) {
        scratch.folder(scratch.at("in"))
        for index in 0..<count { Samples.picture(scratch.at("in/\(100 + index).jpg"), width: width, seed: index + 1) }
    }

    private func run(_ arguments: String..., before: [String] = []) -> Program {
        Program(["run", "--text", "© Ann", "--progress", "none"] + arguments, before: before)
    }

    @Test("corrupt, truncated, empty, mislabelled, a folder, a FIFO, unreadable: each is named, the others are done")
    func badInputs() throws {
        pictures(2)
        let good = try #require(Program.bytes("\(input)/100.jpg"))
        scratch.write(scratch.at("in/truncated.jpg"), Array(good.prefix(good.count / 2)))
        scratch.write(scratch.at("in/corrupt.png"), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])
        scratch.write(scratch.at("in/mislabelled.png"), good)
        scratch.write(scratch.at("in/text.jpg"), Array("#!/bin/sh".utf8))
        scratch.write(scratch.at("in/empty.jpg"), [])
        scratch.folder(scratch.at("in/folder.jpg"))
        mkfifo("\(input)/fifo.jpg", 0o644)
        symlink("loop.jpg", "\(input)/loop.jpg")
        scratch.write(scratch.at("in/unreadable.jpg"), good)
        chmod("\(input)/unreadable.jpg", 0)
        let program = run(input, "-o", output, before: Samples.withoutPowers)
        #expect(program.code == 1)
        for name in [
            "truncated.jpg", "corrupt.png", "text.jpg", "empty.jpg", "folder.jpg", "fifo.jpg", "loop.jpg", "unreadable.jpg",
        ] {
            #expect(program.errors.contains("in/\(name): error: "), "\(name) in \(program.errors)")
        }
        // Content decides, and the name is mentioned.
        #expect(program.errors.contains("the file is jpeg, although its name says png"), "\(program.errors)")
        #expect(scratch.list("out") == ["100.jpg", "101.jpg", "mislabelled.png"])
        #expect(program.seconds < 20)
    }

    @Test("a report or a gallery is written over nothing but its like", arguments: ["--report", "--gallery"])
    func whatIsTold(flag: String) throws {
        pictures(2)
        let picture = "\(input)/100.jpg"
        let before = try #require(Program.bytes(picture))
        symlink(picture, scratch.at("link").description)
        for target in [picture, scratch.at("link").description] {
            let program = run("\(input)/101.jpg", "-o", output, flag, target)
            #expect(program.code == 2)
            #expect(program.errors.contains("no run wrote it") || program.errors.contains("over the input"), "\(program.errors)")
            #expect(Program.bytes(picture) == before)
        }
        for _ in 0..<2 {
            #expect(run("\(input)/101.jpg", "-o", output, "--overwrite", flag, scratch.at("own").description).code == 0)
        }
    }

    @Test("a JPEG that cannot be mapped fails: encoded anew it would lose its tables and what follows it without a word")
    func unmapped() {
        pictures(1)
        let program = run(
            input, "-o", output,
            before: [
                "strace", "-f", "-qq", "-o", "/dev/null", "-P", "\(input)/100.jpg", "-e", "trace=mmap", "-e",
                "inject=mmap:error=EIO",
            ])
        #expect(program.code == 1)
        #expect(program.errors.contains("the file cannot be mapped"), "\(program.errors)")
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test("a rule of fontconfig's that cannot be read once is no other font without a word")
    func unsteadyFonts() {
        pictures(1)
        let rule = scratch.file(
            "conf.d/10.conf",
            "<fontconfig><alias binding=\"same\"><family>sans-serif</family><prefer><family>DejaVu Sans Mono</family></prefer></alias></fontconfig>"
        )
        let all = scratch.file(
            "fonts.conf",
            "<fontconfig><dir>/usr/share/fonts</dir><cachedir>\(scratch.path)/cache</cachedir><include>\(scratch.path)/conf.d</include></fontconfig>"
        )
        func run(_ before: [String]) -> Program {
            Program(
                ["run", "--text", "Ann", input, "-o", output, "--overwrite"], before: before,
                environment: ["FONTCONFIG_FILE=\(all)"])
        }
        #expect(run([]).code == 0)
        let fault = ["-P", rule.description, "-e", "trace=openat", "-e", "inject=openat:error=EIO:when=1"]
        let program = run(["strace", "-f", "-qq", "-o", "/dev/null"] + fault)
        #expect(program.code == 4)
        #expect(program.errors.contains("not the same came of it"), "\(program.errors)")
    }

    @Test("a read-only folder: one clear error, code 5, nothing written")
    func readOnly() {
        pictures(5)
        scratch.folder(scratch.at("out"))
        chmod(output, 0o555)
        let program = run(input, "-o", output, before: Samples.withoutPowers)
        #expect(program.code == 5)
        #expect(program.errors.contains("permission denied"), "\(program.errors)")
        #expect(program.errors.split(separator: "\n").count <= 3, "\(program.errors)")
        #expect(scratch.list("out") == [])
    }

    @Test("a full disk: one clear error, code 5, whole files only, and --resume goes on when there is room")
    func fullDisk() throws {
        pictures(40, width: 2000)
        scratch.folder(scratch.at("small"))
        let target = scratch.at("small").description
        // A file system of 3 MB: mounted here, or in a namespace of its own where that is not allowed.
        let shown = "\(scratch.path)/shown"
        scratch.file(
            "full.sh",
            """
            mount -t tmpfs -o size=3m tmpfs '\(target)' || exit 77
            '\(Program.path)' run --text Ann '\(input)' -o '\(target)/out' --progress none 2>'\(shown).err'
            echo $? > '\(shown).code'
            ls -A '\(target)/out' > '\(shown).list'
            for f in '\(target)/out/'*.jpg; do djpeg "$f" >/dev/null 2>>'\(shown).torn' || echo "$f" >> '\(shown).torn'; done
            mount -o remount,size=60m '\(target)'
            '\(Program.path)' run --text Ann '\(input)' -o '\(target)/out' --resume --progress none 2>>'\(shown).err'
            echo $? >> '\(shown).code'
            ls -A '\(target)/out' | grep -c jpg >> '\(shown).code'
            umount '\(target)'
            """)
        let script = scratch.at("full.sh").description
        // The last one is for a root that is no mount point, as that of chroot.
        let ways = [["unshare", "-m"], ["unshare", "-U", "-r", "-m"], ["unshare", "-m", "--propagation", "unchanged"]]
        guard ways.contains(where: { Child($0 + ["sh", script]).code == 0 }) else {
            Issue.record(
                "a small file system can be mounted neither directly nor in a namespace: the full disk is not tried here")
            return
        }
        let codes = (scratch.read("shown.code") ?? "").split(separator: "\n").map(String.init)
        let errors = scratch.read("shown.err") ?? ""
        #expect(codes == ["5", "0", "40"], "\(codes) \(errors)")
        #expect(errors.contains("error: the disk is full"), "\(errors)")
        #expect(scratch.read("shown.torn") ?? "" == "")
        let names = (scratch.read("shown.list") ?? "").split(separator: "\n")
        #expect(names.allSatisfy { !$0.hasPrefix(".") || $0 == ".labelpipe" }, "\(names)")
    }

    @Test("bombs are refused within seconds and 150 MB, naming the limit", arguments: ["pixels", "interlaced", "svg", "tiff"])
    func bombs(kind: String) {
        scratch.folder(scratch.at("in"))
        var more: [String] = []
        switch kind {
        case "pixels": scratch.write(scratch.at("in/bomb.png"), Samples.bombPNG(width: 700_000, height: 700_000))
        case "interlaced": scratch.write(scratch.at("in/bomb.png"), Samples.bombPNG(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF))
        case "svg":
            scratch.file("in/bomb.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='60000' height='60000'/>")
            more = ["--allow", "svg"]
        default:
            // A TIFF whose directories are a ring.
            scratch.write(scratch.at("in/bomb.tif"), [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0])
        }
        let program = Program(["run", "--text", "x", input, "-o", output + "/", "--progress", "none"] + more)
        #expect(program.code == 1, "\(program.errors)")
        #expect(program.errors.contains("bomb."), "\(program.errors)")
        // The promise is a second on an idle machine.
        #expect(program.seconds < 10)
        #expect(program.peak < 150 << 20, "\(program.peak >> 20) MB")
        #expect(scratch.list("out") ?? [] == [])
    }

    @Test(
        "documents that ask for too much are refused before the first picture, naming the node",
        arguments: [
            (#"{"effect":"shadow.drop","blur":1e308}"#, "/output/2/blur"),
            (#"{"effect":"shadow.drop","blur":1e400}"#, "/output/2/blur"),
            (#"{"effect":"shadow.drop","blur":"NaN"}"#, "/output/2/blur"),
            (#"{"effect":"shadow.drop","offset":[1e300,0]}"#, "/output/2/offset"),
            (#"{"effect":"stroke.outline","width":"calc(1px / 0)"}"#, "/output/2/width"),
        ])
    func documents(step: String, place: String) {
        let document = scratch.file(
            "doc.json",
            #"{"labelpipe":1,"output":[{"effect":"text.mask","text":"a"},{"effect":"fill.solid","color":"red"},\#(step)]}"#)
        let program = Program.run("run", document.description, "-o", scratch.at("out.png").description)
        #expect(program.code == 3, "\(program.errors)")
        #expect(program.errors.contains(place), "\(program.errors)")
        #expect(program.seconds < 10 && program.peak < 150 << 20)
    }

    @Test("nesting 100 000 deep, a huge number, bytes that are no text: the document is refused")
    func hostileJSON() {
        let deep = String(repeating: "[", count: 100_000)
        for text in ["{\"labelpipe\":1,\"output\":\(deep)", "{\"labelpipe\":1e999999999}", "\u{FEFF}{}", "", "null"] {
            let document = scratch.file("doc.json", text)
            let program = Program.run("check", document.description)
            #expect(program.code == 1)
            #expect(program.seconds < 10 && program.peak < 150 << 20)
        }
    }

    @Test("a font that is missing ends the run with code 4; a glyph that no font has is told, and fails under --strict")
    func fonts() {
        pictures(1)
        func document(_ mask: String) -> String {
            scratch.file(
                "doc.json",
                #"{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","label":[{"effect":"text.mask",\#(mask)},{"effect":"fill.solid","color":"red"}]}]}"#
            ).description
        }
        let font = Program.run("run", document(#""text":"a","font":"No Such Font""#), input, "-o", output)
        #expect(font.code == 4)
        #expect(font.errors.contains("No Such Font"), "\(font.errors)")
        let glyph = document(#""text":"a\udbff\udffd","missingGlyph":"warn""#)
        let warned = Program.run("run", glyph, input, "-o", output)
        #expect(warned.code == 0)
        #expect(warned.errors.contains("U+10FFFD"), "\(warned.errors)")
        let strict = Program.run("run", glyph, input, "-o", output, "--overwrite", "--strict")
        #expect(strict.code == 1)
        #expect(strict.errors.contains("U+10FFFD"), "\(strict.errors)")
        let check = Program.run("check", glyph, "--", input)
        #expect(check.code == 1)
        #expect(check.output.contains("U+10FFFD"), "\(check.output)")
    }

    @Test("same inputs, same document: same bytes, whatever --jobs and order")
    func sameBytes() {
        pictures(6)
        #expect(run(input, "-o", output, "--jobs", "1").code == 0)
        #expect(run(input, "-o", output + "2", "--jobs", "4").code == 0)
        for index in 100..<106 {
            let bytes = Program.bytes("\(output)/\(index).jpg")
            #expect(bytes != nil && bytes == Program.bytes("\(output)2/\(index).jpg"))
        }
    }

    @Test("a file changed since it was read under the same name: the new pixels are seen, by the same worker too")
    func changed() throws {
        pictures(2)
        scratch.file(
            "jobs.sh",
            """
            job() { echo '{"pipeline":"watermark.json","input":"in/100.jpg","output":"'$1'"}'; }
            cd '\(scratch.path)'; '\(Program.path)' run --print-pipeline > watermark.json
            { job one/; while [ ! -e one/100.jpg ]; do sleep 0.05; done; cp in/101.jpg in/100.jpg; job two/; } |
                '\(Program.path)' worker --jobs 1 > verdicts
            '\(Program.path)' verify in/101.jpg two/100.jpg --report verdicts --format json > verified
            """)
        Samples.tool(["sh", scratch.at("jobs.sh").description])
        #expect((scratch.read("verdicts") ?? "").split(separator: "\n").count == 2)
        #expect(scratch.read("verified")?.contains("\"found\":[]") == true, "\(scratch.read("verified") ?? "")")
    }

    @Test("a file replaced or cut off while the run goes on is done as one or the other, or fails: never a mixture")
    func rewritten() throws {
        pictures(30)
        let versions = [Program.bytes("\(input)/100.jpg"), Program.bytes("\(input)/101.jpg")].compactMap(\.self)
        for index in 0..<2 { scratch.write(scratch.at("v\(index).jpg"), versions[index]) }
        for index in [110, 115, 120, 125] {
            scratch.write(scratch.at("o\(index).jpg"), Program.bytes("\(input)/\(index).jpg") ?? [])
        }
        scratch.file(
            "swap.sh",
            "cd '\(scratch.path)'; while [ ! -e stop ]; do for v in 0 1; do for i in 110 115 120 125; do "
                + "cp v$v.jpg .t; mv .t in/$i.jpg; done; done; done")
        let swapper = Child(["sh", scratch.at("swap.sh").description])
        let report = scratch.at("report").description
        let program = run(input, "-o", output, "--report", report)
        scratch.file("stop")
        _ = swapper.wait()
        #expect(program.code == 0 || program.code == 1, "\(program.errors)")
        for index in [110, 115, 120, 125] where (scratch.list("out") ?? []).contains("\(index).jpg") {
            let matches = ["v0", "v1", "o\(index)"].filter {
                Program.run("verify", scratch.at("\($0).jpg").description, "\(output)/\(index).jpg", "--report", report).code == 0
            }
            #expect(matches.count == 1, "\(index) is like \(matches)")
        }
        #expect((scratch.list("out") ?? []).count >= 26)
    }
}
