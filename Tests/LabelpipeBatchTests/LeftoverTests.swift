import Diagnostics
import Glibc
import LabelpipeWorker
import Testing

/// What newcomers met: things said too late, not at all, or of something else.
@Suite("What is told, and when") struct LeftoverTests {
    private let scratch = Scratch()

    init() { scratch.folder(scratch.at("in")) }

    private func label(_ steps: String, _ place: String = "") -> String {
        scratch.file(
            "label.json",
            """
            { "labelpipe": 1, "output": [ { "effect": "image.source" }, { "effect": "layout.place", \(place) "label": [ \(steps) ] } ] }
            """
        ).description
    }

    private let red = "{ \"effect\": \"fill.solid\", \"color\": \"red\" }"

    private func run(_ document: String, _ more: String..., input: String = "in") -> Program {
        Program(
            [
                "run", document, scratch.at(input).description, "-o", scratch.at("out").description, "--overwrite", "--progress",
                "none",
            ]
                + more)
    }

    @Test("check finds files that are no pictures, and outputs in each other's way")
    func checked() {
        scratch.file("notes.txt", "no picture\n")
        let logo = label("{ \"effect\": \"image.load\", \"path\": \"notes.txt\" }")
        let check = Program(["check", logo])
        #expect(
            check.code == 1 && check.output.contains("/output/1/label/0/path: \"notes.txt\" is no picture"), "\(check.output)")
        let node = "\"node\": [ { \"effect\": \"shape.ellipse\", \"size\": [9, 9] }, \(red) ]"
        func outputs(_ paths: String...) -> Program {
            let all = paths.map { "{ \($0.isEmpty ? "" : "\"path\": \"\($0)\", ")\(node) }" }.joined(separator: ", ")
            return Program(["check", scratch.file("outputs.json", "{ \"labelpipe\": 1, \"outputs\": [ \(all) ] }").description])
        }
        let same = outputs("a.png", "b.png", "./a.png")
        #expect(
            same.code == 1 && same.output.contains("/outputs/2/path: outputs 0 and 2 would both be written"), "\(same.output)")
        #expect(outputs("{stem}-a.png", "{stem}-b.png").code == 0)
        let absolute = outputs("/var/a.png")
        #expect(absolute.code == 1 && absolute.output.contains("lies below --output"), "\(absolute.output)")
    }

    @Test("a mask as output is to get its fill behind it")
    func mask() {
        let bare = scratch.file(
            "bare.json", "{ \"labelpipe\": 1, \"output\": [ { \"effect\": \"text.mask\", \"text\": \"a\", \"size\": 9 } ] }")
        let check = Program(["check", bare.description])
        #expect(check.code == 1 && check.output.contains("… } behind it"), "\(check.output)")
    }

    @Test("all rows that cannot be used are told of; a misspelt column once, before the first pixel")
    func rows() {
        Samples.picture(scratch.at("a.jpg"))
        let document = scratch.file(
            "rows.json",
            """
            { "labelpipe": 1, "parameters": { "size": { "type": "length", "default": 20 } }, "output": [ { "effect": "image.source" },
              { "effect": "layout.place", "label": [ { "effect": "text.mask", "size": "$size", "text": { "template": "{row.titel}" } },
                \(red) ] } ] }
            """
        ).description
        func table(_ text: String) -> String { scratch.file("rows.csv", text).description }
        let out = scratch.at("out").description
        let misspelt = Program(["run", document, "--rows", table("input,title\na.jpg,A\na.jpg,B\n"), "-o", out])
        #expect(misspelt.code == 3, "\(misspelt.errors)")
        #expect(misspelt.errors.ranges(of: "no column is called \"titel\"").count == 1, "\(misspelt.errors)")
        #expect(misspelt.errors.contains("did you mean \"{row.title}\"?"), "\(misspelt.errors)")
        #expect(access(out, F_OK) != 0)
        let forgiven = Program(
            ["check", document, "--rows", table("input,title\na.jpg,A\n"), "--missing-field", "empty"])
        #expect(forgiven.output.contains("warning: no column is called \"titel\""), "\(forgiven.output)")

        let wrong = Program(
            ["check", document, "--rows", table("input,titel,size\n,A,3\na.jpg,B,huge\na.jpg,C,4\n,D,5\na.jpg,E,-1\n")])
        for line in [2, 3, 5, 6] { #expect(wrong.output.contains("rows.csv:\(line): "), "\(line): \(wrong.output)") }
        let torn = Program(["check", document, "--rows", table("input,titel\na.jpg\na.jpg,B\nx,y,z\n")])
        #expect(torn.output.contains("rows.csv:2:1") || torn.errors.contains("rows.csv:2:1"), "\(torn.output)\(torn.errors)")
        #expect(torn.output.contains("rows.csv:4:1") || torn.errors.contains("rows.csv:4:1"), "\(torn.output)\(torn.errors)")
    }

    @Test("a column is taken for a parameter only where it is nearly called so")
    func columns() {
        let document = scratch.file(
            "token.json",
            """
            { "labelpipe": 1, "parameters": { "text": { "type": "string", "default": "a" }, "frame": { "type": "color", "default": "red" } },
              "outputs": [ { "path": "{index}.png", "node": [ { "effect": "text.mask", "text": "$text", "size": 9 },
                { "effect": "fill.solid", "color": "$frame" } ] } ] }
            """
        ).description
        func check(_ header: String) -> String {
            Program(["check", document, "--rows", scratch.file("t.csv", "text,\(header)\na,b\n").description]).output
        }
        #expect(check("Frame").contains("did you mean \"frame\"?"))
        #expect(check("frmae").contains("did you mean \"frame\"?"))
        for other in ["name", "fame2", "title", "tax", "from"] { #expect(!check(other).contains("did you mean"), "\(other)") }
    }

    @Test("a label that draws nothing fails under --strict, and is told of as something that was not made")
    func faint() {
        Samples.picture(scratch.at("in/a.jpg"))
        let dot = "{ \"effect\": \"shape.rectangle\", \"size\": [40, 20] }"
        for steps in [
            "{ \"effect\": \"text.mask\", \"text\": \"  \", \"size\": 20 }, \(red)",
            "\(dot), \(red), { \"effect\": \"layout.scale\", \"by\": 0.0001 }",
            "\(dot), \(red), { \"effect\": \"layout.clip\", \"to\": [ \(dot), { \"effect\": \"layout.box\", \"size\": [600, 20], \"align\": \"right\" } ] }",
        ] {
            let program = run(label(steps), "--strict")
            #expect(program.code == 1, "\(steps): \(program.errors)")
            #expect(program.errors.contains("nothing is made, because of a warning: "), "\(program.errors)")
            #expect(run(label(steps)).errors.contains("warning: the label draws nothing"), "\(steps)")
        }
        #expect(run(label("\(dot), \(red)"), "--strict").code == 0)
        let nul = run(label("{ \"effect\": \"text.mask\", \"text\": \"a\\u0000b\", \"size\": 20 }, \(red)"), "--strict")
        #expect(nul.code == 1 && nul.errors.contains("U+0000"), "\(nul.errors)")
    }

    @Test("no output folder is made for nothing")
    func folder() {
        scratch.file("in/a.jpg", "no picture")
        let dot = label("{ \"effect\": \"shape.rectangle\", \"size\": [40, 20] }, \(red)")
        #expect(run(dot).code == 1)
        #expect(access(scratch.at("out").description, F_OK) != 0)
        let missing = label("{ \"effect\": \"text.mask\", \"text\": \"a\", \"font\": \"No Such Family\", \"size\": 20 }, \(red)")
        Samples.picture(scratch.at("in/a.jpg"))
        #expect(run(missing).code == 4)
        #expect(access(scratch.at("out").description, F_OK) != 0)
        // What was there stays.
        scratch.folder(scratch.at("out"))
        #expect(run(missing).code == 4)
        #expect(access(scratch.at("out").description, F_OK) == 0)
    }

    @Test("a worker's job whose output exists is told so by the code")
    func exists() {
        Samples.picture(scratch.at("a.png"))
        let dot = label("{ \"effect\": \"shape.rectangle\", \"size\": [40, 20] }, \(red)")
        let job =
            "{\"key\": 1, \"pipeline\": \"\(dot)\", \"input\": \"\(scratch.at("a.png"))\", \"output\": \"\(scratch.at("b.png"))\"}\n"
        let verdicts = Program(["worker", "--jobs", "1", "--ordered"], input: scratch.file("jobs", job + job).description).report
        #expect(verdicts.map { $0["status"]?.string } == ["done", "failed"])
        #expect(verdicts.last?["code"]?.string == "exists", "\(verdicts.map(\.compact))")
    }

    @Test("folders of which one is empty: what is missing, or too much")
    func folders() {
        Samples.picture(scratch.at("in/a.jpg"))
        scratch.folder(scratch.at("empty"))
        let (full, empty) = (scratch.at("in").description, scratch.at("empty").description)
        let extra = Program(["verify", empty, full])
        #expect(
            extra.code == 1 && extra.output.contains("a.jpg: error: there is no \(empty)/a.jpg"), "\(extra.output)\(extra.errors)"
        )
        #expect(extra.output.contains("0 missing, 1 extra"), "\(extra.output)")
        #expect(Program(["verify", full, empty]).output.contains("1 missing, 0 extra"))
        #expect("\(SystemError(EINVAL))" == "invalid argument" && "\(SystemError(EBUSY))".contains("busy"))
        #expect("\(SystemError(9999))" == "error 9999 of the system")
    }

    @Test("in place: what says nothing to the label does not make another of it, and no umask hides the journal")
    func labels() {
        Samples.picture(scratch.at("in/a.png"))
        let document = scratch.file(
            "place.json",
            """
            { "labelpipe": 1, "parameters": { "ink": { "type": "color", "default": "red" } }, "output": [ { "effect": "image.source" },
              { "effect": "layout.place", "label": [ { "effect": "shape.ellipse", "size": [40, 20] },
                { "effect": "fill.solid", "color": "$ink" } ] } ] }
            """
        ).description
        let table = scratch.file("rows.csv", "input,note\nin/a.png,x\n").description
        func inPlace(_ more: [String], before: [String] = []) -> Program {
            Program(["run", document] + more + ["--in-place", "--progress", "none"], before: before)
        }
        let picture = scratch.at("in/a.png").description
        let hidden = inPlace([picture], before: ["/bin/sh", "-c", "umask 0777; exec \"$@\"", "sh"])
        #expect(hidden.code == 0, "\(hidden.errors)")
        guard case .success(let facts) = FileFacts.of(scratch.at("in/.labelpipe/journal-1of1.ndjson")) else {
            Issue.record("there is no journal")
            return
        }
        #expect(facts.mode & 0o600 == 0o600)
        for more in [[picture], [picture, "--set", "ink=red"], ["--rows", table]] {
            let again = inPlace(more + ["--resume"])
            #expect(again.code == 0 && again.errors.contains("1 skipped"), "\(more): \(again.errors)")
        }
        #expect(inPlace([picture, "--resume", "--set", "ink=blue"]).errors.contains("1 done"))
    }
}
