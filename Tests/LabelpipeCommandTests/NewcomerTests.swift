import Glibc
import LabelpipeBatch
import LabelpipeCommand
import LabelpipeWorker
import Testing

/// What people meet in their first hour: every message leads to the mend by itself.
@Suite("A newcomer's mistakes") struct NewcomerTests {
    let folder: BytePath

    init() {
        var template = Array("/tmp/labelpipe-newcomer-XXXXXX".utf8CString)
        folder = BytePath(String(cString: mkdtemp(&template)!))
    }

    private func at(_ name: String) -> String { folder.appending(BytePath(name)).description }

    @discardableResult
    private func write(_ name: String, _ text: String) -> String {
        URLless.write(text, to: BytePath(at(name)))
        return at(name)
    }

    /// A document that draws `label` on nothing.
    private func document(_ label: String, parameters: String = "{}") -> String {
        write(
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
        write("rows.csv", "who\nAnn\nBob\n")
        let path = at("out")
        let run = Transcript("run", file, "--rows", at("rows.csv"), "--output", path, "--dry-run", "--quiet")
        #expect(run.errors.components(of: "warning:") == 1, "\(run.errors)")
        #expect(Transcript("check", file, "--", "x.jpg").output.contains("write { \"template\""))
        #expect(Transcript("preview", file, "-o", at("look.png")).errors.components(of: "warning:") == 1)
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
        write("logo.svg", "<svg/>")
        let logo = Transcript("check", document("{ \"effect\": \"image.load\", \"path\": \"lgoo.svg\" }"))
        #expect(logo.code == 1 && logo.output.contains("error: /outputs/0/node/path: cannot read the file"), "\(logo.output)")
        #expect(logo.output.contains("did you mean \"logo.svg\"?"), "\(logo.output)")
        let file = Transcript("check", document(text("\"text\": \"a\", \"fontFile\": \"brand.ttf\"")))
        #expect(file.code == 1 && file.output.contains("/outputs/0/node/0/fontFile: cannot read the file"), "\(file.output)")
        #expect(Transcript("check", document(text("\"text\": \"a\", \"font\": \"sans-serif\""))).code == 0)
    }

    @Test("a label that draws nothing is told")
    func empty() {
        let run = Transcript("run", "--text", "", "nothing.jpg", "--output", at("out"))
        #expect(run.errors.contains("warning:") && run.errors.contains("the text is empty: nothing is drawn"), "\(run.errors)")
        let check = Transcript("check", document(text("\"text\": \"\\u0001\\u200B\"")))
        #expect(check.code == 1 && check.output.contains("draws nothing"), "\(check.output)")
    }

    @Test("a column that differs from a parameter by case only; others are fine; an empty cell says nothing")
    func rows() {
        let parameters = "{ \"who\": { \"type\": \"string\", \"default\": \"Ann\" } }"
        let file = document(text("\"text\": \"$who\""), parameters: parameters)
        let report = at("report.ndjson")
        func run(_ table: String) -> Transcript {
            Transcript("run", file, "--rows", write("rows.csv", table), "--output", at("out"), "--dry-run", "--report", report)
        }
        let cased = run("Who,note\nBob,x\n")
        #expect(cased.errors.contains("rows.csv:1:1: warning: column \"Who\" sets no parameter"), "\(cased.errors)")
        #expect(cased.errors.contains("did you mean \"who\"?"))
        #expect(!cased.errors.contains("\"note\""))
        let empty = run("who,note\n,x\nBob,\n")
        #expect(!empty.errors.contains("warning"), "\(empty.errors)")
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
        let check = Transcript("check", folder.description)
        #expect(check.code == 3 && check.errors.contains("documents in it: \(file)"), "\(check.errors)")
        let misspelt = Transcript("check", at("docu.json"))
        #expect(misspelt.code == 3 && misspelt.errors.contains("did you mean \"\(file)\"?"), "\(misspelt.errors)")
        mkdir(at("empty"), 0o755)
        #expect(Transcript("check", at("empty")).errors.contains("a document is a .json file"))
        let verify = Transcript("verify", folder.description, folder.description)
        #expect(verify.code == 2 && verify.errors.contains("labelpipe verify IN/NAME OUT/NAME"), "\(verify.errors)")
        let preview = Transcript("preview", file, folder.description)
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
