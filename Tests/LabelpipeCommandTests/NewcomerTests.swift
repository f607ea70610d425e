import Glibc
import LabelpipeBatch
import LabelpipeCommand
import LabelpipeWorker
import Testing

/// What people meet in their first hour: every message leads to the mend by itself.
@Suite("A newcomer's mistakes") struct NewcomerTests {
    private let desk = Desk()

    /// A document that draws `label` on nothing.
    private func document(_ label: String, parameters: String = "{}") -> String {
        desk.write(
            "doc.json",
            "{ \"labelpipe\": 1, \"parameters\": \(parameters),\n\"outputs\": [ { \"path\": \"{index}.png\", \"node\":\n\(label) } ] }"
        )
    }

    private func text(_ keys: String) -> String {
        "[ { \"effect\": \"text.mask\", \"size\": 20, \(keys) }, { \"effect\": \"fill.solid\" } ]"
    }

    @Test("check and run warn of a text that looks like a parameter; run draws all the same, and tells it once")
    func literals() {
        let file = document(
            text("\"text\": \"by $who\""), parameters: "{ \"who\": { \"type\": \"string\", \"default\": \"Ann\" } }")
        let check = Transcript("check", file)
        #expect(check.code == 1)
        #expect(check.output.hasPrefix("\(file):3:"), "\(check.output)")
        #expect(check.output.contains("write { \"template\": \"by {who}\" }"), "\(check.output)")
        desk.write("rows.csv", "who\nAnn\nBob\n")
        let path = desk.at("out")
        let run = Transcript("run", file, "--rows", desk.at("rows.csv"), "--output", path, "--dry-run", "--quiet")
        #expect(run.errors.components(of: "warning:") == 1, "\(run.errors)")
        #expect(Transcript("check", file, "--", "x.jpg").output.contains("write { \"template\""))
        #expect(Transcript("preview", file, "-o", desk.at("look.png")).errors.components(of: "warning:") == 1)
    }

    @Test("a font that is not installed and a file that is not there are found by check, each at its place")
    func missing() {
        let font = Transcript("check", document(text("\"text\": \"a\", \"font\": \"DejaVu Sanss\"")))
        #expect(font.code == 1)
        #expect(font.output.contains(":3:") && font.output.contains("/outputs/0/node/0/font: "), "\(font.output)")
        #expect(font.output.contains("did you mean \"DejaVu Sans\"?"), "\(font.output)")
        let skipped = Transcript("check", document(text("\"text\": \"a\", \"font\": \"Nosuchfamily, sans-serif\"")))
        #expect(
            skipped.code == 1
                && skipped.output.contains("warning: /outputs/0/node/0/font: no font is installed for \"Nosuchfamily\""))
        desk.write("logo.svg", "<svg/>")
        let logo = Transcript("check", document("{ \"effect\": \"image.load\", \"path\": \"lgoo.svg\" }"))
        #expect(logo.code == 1 && logo.output.contains("error: /outputs/0/node/path: cannot read the file"), "\(logo.output)")
        #expect(logo.output.contains("did you mean \"logo.svg\"?"), "\(logo.output)")
        let file = Transcript("check", document(text("\"text\": \"a\", \"fontFile\": \"brand.ttf\"")))
        #expect(file.code == 1 && file.output.contains("/outputs/0/node/0/fontFile: cannot read the file"), "\(file.output)")
        #expect(Transcript("check", document(text("\"text\": \"a\", \"font\": \"sans-serif\""))).code == 0)
    }

    @Test("a fontFile that is no font is found at its place, by check and by run before the first picture")
    func fontFiles() {
        desk.write("brand.ttf", "no font")
        let file = document(text("\"text\": \"a\",\n\"fontFile\": \"brand.ttf\""))
        let place =
            "\(file):4:13: error: /outputs/0/node/0/fontFile: cannot use the font file \"\(desk.at("brand.ttf"))\": it is text"
        let check = Transcript("check", file)
        #expect(check.code == 1 && check.output.contains(place), "\(check.output)")
        #expect(check.output.contains("help: fontFile names a TrueType or OpenType font"), "\(check.output)")
        #expect(!check.output.contains("sans-serif"), "\(check.output)")
        let run = Transcript("run", file, "--output", desk.at("out"))
        #expect(run.code == 4 && run.errors.contains(place), "\(run.errors)")
        // What each picture chooses is not known.
        let own = "{ \"file\": { \"type\": \"path\" } }"
        #expect(Transcript("check", document(text("\"text\": \"a\", \"fontFile\": \"$file\""), parameters: own)).code == 0)
    }

    @Test("a font that is not installed is told by run where check tells it")
    func missingInRun() {
        let file = document(text("\"text\": \"a\",\n\"font\": \"Nosuchfamily\""))
        let place = "\(file):4:9: error: /outputs/0/node/0/font: no font is installed for \"Nosuchfamily\""
        #expect(Transcript("check", file).output.contains(place))
        let run = Transcript("run", file, "--output", desk.at("out"))
        #expect(run.code == 4 && run.errors.contains(place), "\(run.errors)")
        let fonts = Transcript("fonts", "check", file)
        #expect(fonts.code == 1 && fonts.output.contains(place), "\(fonts.output)")
    }

    @Test("a NUL in a file's name is refused, wherever it comes from")
    func nul() {
        desk.write("logo.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")
        let load = "{ \"effect\": \"image.load\", \"path\": "
        let written = Transcript("check", document(load + "\"logo.svg\\u0000.png\" }"))
        #expect(written.code == 1, "\(written.output)")
        #expect(
            written.output.contains(":3:35: error: /outputs/0/node/path: expected a path, got \"logo.svg\\u0000.png\" (text)"),
            "\(written.output)")
        #expect(written.output.contains("help: no file's name holds a NUL"), "\(written.output)")
        // A text parameter in a path's place, a row's cell and a template's field.
        let logo = "{ \"logo\": { \"type\": \"string\", \"default\": \"logo.svg\\u0000\" } }"
        let parameter = Transcript("check", document(load + "\"$logo\" }", parameters: logo))
        #expect(
            parameter.output.contains("/outputs/0/node/path: expected a path, got \"$logo\", which is \"logo.svg\\u0000\""),
            "\(parameter.output)")
        let rows = desk.write("rows.json", "[{ \"logo\": \"logo.svg\\u0000.png\" }]")
        let typed = document(load + "\"$logo\" }", parameters: "{ \"logo\": { \"type\": \"path\" } }")
        let cell = Transcript("run", typed, "--rows", rows, "--output", desk.at("out"))
        #expect(cell.code == 3 && cell.errors.contains("logo.svg\\u0000.png"), "\(cell.errors)")
        let field = Transcript(
            "run", document(load + "{ \"template\": \"{row.logo}\" } }"), "--rows", rows, "--output", desk.at("out"))
        #expect(field.code == 1 && field.errors.contains("expected a path, got \"logo.svg\\u0000.png\""), "\(field.errors)")
        let other = Transcript("check", document("{ \"effect\": \"inner.json\\u0000.json\" }"))
        #expect(other.code == 1 && other.output.contains("no file's name holds a NUL"), "\(other.output)")
    }

    @Test("check --quiet says nothing of what is right, and what is wrong")
    func quiet() {
        let right = document(text("\"text\": \"a\", \"font\": \"sans-serif\""))
        for flag in ["-q", "--quiet"] {
            let check = Transcript("check", flag, right)
            #expect(check.code == 0 && check.output.isEmpty && check.errors.isEmpty, "\(check.output)")
        }
        let table = desk.write("rows.csv", "x\n1\n")
        #expect(Transcript("check", "-q", right, "--rows", table).output.isEmpty)
        let wrong = Transcript("check", "-q", document(text("\"text\": \"a\", \"font\": \"Nosuchfamily\"")))
        #expect(wrong.code == 1 && wrong.output.contains("error: ") && !wrong.output.contains("1 output"), "\(wrong.output)")
    }

    @Test("a label that draws nothing is told")
    func empty() {
        let run = Transcript("run", "--text", "", "nothing.jpg", "--output", desk.at("out"))
        #expect(run.errors.contains("warning:") && run.errors.contains("the text is empty: nothing is drawn"), "\(run.errors)")
        let check = Transcript("check", document(text("\"text\": \"\\u0001\\u200B\"")))
        #expect(check.code == 1 && check.output.contains("draws nothing"), "\(check.output)")
    }

    @Test("a column that differs from a parameter by case only; others are fine; an empty cell says nothing")
    func rows() {
        let parameters = "{ \"who\": { \"type\": \"string\", \"default\": \"Ann\" } }"
        let file = document(text("\"text\": \"$who\""), parameters: parameters)
        let report = desk.at("report.ndjson")
        func run(_ table: String) -> Transcript {
            Transcript(
                "run", file, "--rows", desk.write("rows.csv", table), "--output", desk.at("out"), "--dry-run", "--report", report)
        }
        let cased = run("Who,note\nBob,x\n")
        #expect(cased.errors.contains("rows.csv:1:1: warning: column \"Who\" sets no parameter"), "\(cased.errors)")
        #expect(cased.errors.contains("did you mean \"who\"?"))
        #expect(!cased.errors.contains("\"note\""))
        let empty = run("who,note\n,x\nBob,\n,y\n")
        #expect(!empty.errors.contains("warning"), "\(empty.errors)")
        let told = "rows.csv:1:1: note: column \"who\" is empty in 2 rows, first in line 2: the default, \"Ann\", holds there"
        #expect(empty.errors.components(of: told) == 1, "\(empty.errors)")
        #expect(!run("who\nBob\n").errors.contains("is empty in"))
        let plan = empty.output + empty.errors + (URLless.read(BytePath(report)) ?? "")
        #expect(plan.contains("Ann") && plan.contains("Bob"), "\(plan)")
    }

    @Test(
        "surplus operands are wrong use",
        arguments: [
            ["schema", "x"], ["man", "x"], ["graph", "a.json", "b.jpg", "c"], ["worker", "x"], ["schema", "--", "x"],
            ["doctor", "a", "b"], ["effects", "vips", "x"], ["completions", "bash", "x"], ["fonts", "check", "a", "b"],
            ["new", "pipeline", "a", "b"], ["plugins", "check", "a", "b"], ["verify", "a", "b", "c"],
        ])
    func surplus(arguments: [String]) {
        let output = Output()
        let errors = Output()
        var launch = Launch()
        launch.executable = Built.binary
        let command = Command(plugins: { [] }, output: output, errors: errors, launch: launch)
        #expect(command.run(arguments.map { Array($0.utf8) }) == .usage, "\(arguments)")
        #expect(output.collected.isEmpty && !errors.collected.isEmpty)
    }

    @Test("a folder where a document or a picture belongs")
    func folders() {
        let file = document(text("\"text\": \"a\""))
        let check = Transcript("check", desk.folder.description)
        #expect(check.code == 3 && check.errors.contains("documents in it: \(file)"), "\(check.errors)")
        let misspelt = Transcript("check", desk.at("docu.json"))
        #expect(misspelt.code == 3 && misspelt.errors.contains("did you mean \"\(file)\"?"), "\(misspelt.errors)")
        mkdir(desk.at("empty"), 0o755)
        #expect(Transcript("check", desk.at("empty")).errors.contains("a document is a .json file"))
        let verify = Transcript("verify", file, desk.folder.description)
        #expect(verify.code == 2 && verify.errors.contains("labelpipe verify IN/NAME OUT/NAME"), "\(verify.errors)")
        let none = Transcript("verify", desk.folder.description, desk.folder.description)
        #expect(none.code == 2 && none.errors.contains("no picture was found in \(desk.folder)"), "\(none.errors)")
        let preview = Transcript("preview", file, desk.folder.description)
        #expect(preview.code == 2 && preview.errors.contains("--serve shows a page with all of them"), "\(preview.errors)")
    }

    @Test(
        "names from elsewhere, and slips, of effects, parameters and values",
        arguments: [
            ("{ \"effect\": \"text.msak\" }", "text.mask"), ("{ \"effect\": \"gradient\" }", "fill.gradient"),
            ("{ \"effect\": \"shadow\" }", "shadow.drop"), ("{ \"effect\": \"text.mask\", \"fontSize\": 12 }", "size"),
            ("{ \"effect\": \"text.mask\", \"font-family\": \"x\" }", "font"),
            ("{ \"effect\": \"text.mask\", \"maxWidth\": 9 }", "wrapWidth"),
            ("{ \"effect\": \"stroke.outline\", \"strokeWidth\": 9 }", "width"),
            ("{ \"effect\": \"stroke.outline\", \"colour\": \"red\" }", "color"),
            ("{ \"effect\": \"shadow.drop\", \"shadowOffset\": [1, 1] }", "offset"),
            ("{ \"effect\": \"shadow.drop\", \"blurRadius\": 3 }", "blur"),
            ("{ \"effect\": \"layout.place\", \"margin\": 3 }", "insets"),
            ("{ \"effect\": \"layout.place\", \"gravity\": \"center\" }", "anchor"),
            ("{ \"effect\": \"layout.place\", \"alpha\": 0.5 }", "opacity"),
            ("{ \"effect\": \"layout.place\", \"anchor\": \"southeast\" }", "bottom-right"),
            ("{ \"effect\": \"layout.place\", \"anchor\": \"middle\" }", "center"),
            ("{ \"effect\": \"fill.gradient\", \"gradientColors\": [] }", "colors"),
            ("{ \"effect\": \"fill.solid\", \"color\": \"rde\" }", "red"),
            ("{ \"effect\": \"image.load\", \"src\": \"x\" }", "path"),
            ("{ \"effect\": \"layout.rotate\", \"rotation\": 9 }", "angle"),
            ("{ \"effect\": \"text.mask\", \"size\": \"3 vmin\" }", "3vmin"),
            ("{ \"effect\": \"text.mask\", \"size\": \"12 Pixels\" }", "12px"),
            ("{ \"effect\": \"text.mask\", \"weight\": \"bold\" }", "700"),
            ("{ \"effect\": \"text.mask\", \"weight\": \"Semi-Bold\" }", "600"),
            ("{ \"effect\": \"layout.rotate\", \"angle\": \"45°\" }", "45"),
            ("{ \"effect\": \"layout.place\", \"opacity\": \"50%\" }", "0.5"),
            ("{ \"effect\": \"layout.place\", \"opacity\": 50 }", "0.5"),
        ])
    func names(node: String, meant: String) {
        let printed = Transcript("check", document(node)).output
        #expect(printed.contains("did you mean \"\(meant)\"?"), "\(printed)")
    }

    @Test("a mask with a colour on it, and one without a fill, are one mistake each")
    func fills() {
        let colored = Transcript(
            "check",
            document(
                "[ { \"effect\": \"text.mask\", \"text\": \"a\", \"size\": 9, \"color\": \"red\" }, { \"effect\": \"shadow.drop\" } ]"
            ))
        #expect(colored.output.components(of: "error:") == 1, "\(colored.output)")
        #expect(colored.output.contains("add { \"effect\": \"fill.solid\", \"color\": \"red\" } behind it"), "\(colored.output)")
    }
}

extension String {
    /// How often a word stands in it.
    fileprivate func components(of word: String) -> Int { ranges(of: word).count }
}
