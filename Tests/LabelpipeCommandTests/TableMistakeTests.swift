import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeCommand
import LabelpipeWorker
import Testing

/// Tables that do not fit their document, and files in each other's place.
@Suite("Mistakes with tables and files") struct TableMistakeTests {
    private let desk = Desk()

    /// A document that writes its parameter `text`, on a picture or on nothing.
    private func document(onPicture: Bool = false, path: String = "{index}.png") -> String {
        let label = "[ { \"effect\": \"text.mask\", \"size\": 20, \"text\": \"$text\" }, { \"effect\": \"fill.solid\" } ]"
        let node =
            onPicture ? "[ { \"effect\": \"image.source\" }, { \"effect\": \"layout.place\", \"label\": \(label) } ]" : label
        return desk.write(
            "doc.json",
            "{ \"labelpipe\": 1, \"parameters\": { \"text\": { \"type\": \"template\", \"default\": \"by me\" } },\n"
                + "\"outputs\": [ { \"path\": \"\(path)\", \"node\": \(node) } ] }")
    }

    private func run(_ document: String, _ table: String, _ more: String = "--dry-run") -> Transcript {
        Transcript("run", document, "--rows", desk.write("list.csv", table), "--output", desk.at("out"), more)
    }

    @Test(
        "a table that says nothing to the document is told at its header, once",
        arguments: [
            ("n,txt\n1,a\n2,b\n", "list.csv:1:3: warning: column \"txt\" sets no parameter", "did you mean \"text\"?"),
            ("n,textt\n1,a\n", "list.csv:1:3: warning: column \"textt\" sets no parameter", "did you mean \"text\"?"),
            (
                "Recipient\na\nb\n", "list.csv:1:1: warning: no column sets a parameter: the table has \"Recipient\"",
                "parameters of the document: text"
            ),
            ("text,Recipient\na,b\n", "list.csv:1:6: note: column \"Recipient\" sets no parameter", "no template asks for it"),
        ])
    func unused(table: String, message: String, help: String) {
        let file = document()
        let printed = run(file, table)
        #expect(printed.errors.ranges(of: message).count == 1 && printed.errors.contains(help), "\(printed.errors)")
        let severity = message.contains("warning") ? "warning" : "note"
        #expect(printed.errors.ranges(of: "\(severity):").count == 1, "\(printed.errors)")
        // With --strict no picture is made with something else than the table says.
        let strict = run(file, table, "--strict")
        #expect(strict.code == (severity == "warning" ? 3 : 0), "\(strict.errors)")
        #expect(strict.errors.contains(message.replacing("warning", with: "error")), "\(strict.errors)")
        for arguments in [
            ["check", file, "--rows", desk.at("list.csv")], ["fonts", "check", file, "--rows", desk.at("list.csv")],
        ] {
            let check = Transcript(bytes: arguments.map { Array($0.utf8) })
            #expect(check.output.contains(message), "\(check.output)")
            #expect(check.code == (severity == "warning" ? 1 : 0), "\(check.output)")
            #expect(check.output.contains("nothing wrong") == (severity == "note" && arguments[0] == "check"), "\(check.output)")
        }
    }

    @Test("columns that fields of rows name are used, whether a row draws them or not")
    func used() {
        let file = desk.write(
            "fields.json",
            """
            { "labelpipe": 1, "outputs": [ { "path": "{row.id}.png", "node": [
              { "effect": "text.mask", "size": 20, "text": { "template": "{row.who}" } }, { "effect": "fill.solid" } ] } ] }
            """)
        let printed = run(file, "id,who\n1,a\n2,b\n")
        #expect(printed.code == 0 && !printed.errors.contains("column"), "\(printed.errors)")
    }

    @Test("a document with a warning is not called right")
    func counted() {
        let file = desk.write(
            "doc.json",
            """
            { "labelpipe": 1, "parameters": { "who": { "type": "string", "default": "Ann" } }, "outputs": [ { "path": "a.png",
              "node": [ { "effect": "text.mask", "size": 20, "text": "by $who" }, { "effect": "fill.solid" } ] } ] }
            """)
        #expect(Transcript("check", file).output.contains(": 1 output, 1 warning\n"))
        let rows = Transcript("check", file, "--rows", desk.write("list.csv", "who\nBob\n"))
        #expect(rows.code == 1 && rows.output.contains("; 1 warning\n"), "\(rows.output)")
    }

    @Test("what is wrong with a row's picture is told at the row; its report has it too")
    func places() {
        let table = desk.write("list.csv", "input,text\nnosuch.jpg,a\nother.jpg,b\n")
        let file = document(onPicture: true)
        let report = desk.at("report.ndjson")
        let run = Transcript("run", file, "--rows", table, "--output", desk.at("out"), "--report", report)
        #expect(run.code == 1)
        #expect(run.errors.contains("\(table):2:1: error: \(desk.at("nosuch.jpg")): cannot be read"), "\(run.errors)")
        #expect(run.errors.contains("paths in a table are beside it, in \(desk.folder)"), "\(run.errors)")
        #expect(URLless.read(BytePath(report))?.contains("\"row\":3") == true)
        let same = self.run(document(path: "same.png"), "text\na\nb\n")
        #expect(same.code == 2 && same.errors.contains("picture 1 (line 2) and picture 2 (line 3) would both"), "\(same.errors)")
        #expect(same.errors.contains("labelpipe run --help has an example"), "\(same.errors)")
        #expect(Transcript("run", "--help").output.contains("\"path\": \"{relative}/{stem}"))
    }

    @Test("a table without the column with the pictures")
    func input() {
        let printed = run(document(onPicture: true), "text,photo\na,x.jpg\n")
        #expect(printed.code == 3, "\(printed.errors)")
        #expect(printed.errors.contains("list.csv:1:6: no column is called \"input\""), "\(printed.errors)")
        #expect(printed.errors.contains("call \"photo\" \"input\""), "\(printed.errors)")
        #expect(printed.errors.contains("the table's columns: \"text\", \"photo\""), "\(printed.errors)")
    }

    @Test("a table that is not UTF-8 is refused at its first bad byte")
    func encoding() throws {
        let bytes = Array("text,n\nAnn,1\nJos".utf8) + [0xE9] + Array(",2\n".utf8)
        do throws(Diagnostics) {
            _ = try Rows(bytes, file: BytePath("list.csv"))
            Issue.record("it was read")
        } catch {
            let told = error.render()
            #expect(told.contains("list.csv:3:4: error: ") && told.contains("0xE9"), "\(told)")
            #expect(told.contains("iconv -f latin1 -t utf-8 list.csv"), "\(told)")
        }
        do throws(Diagnostics) {
            _ = try Rows([0x50, 0x4B, 3, 4, 20, 0, 0xD9], file: BytePath("list.xlsx"))
            Issue.record("it was read")
        } catch {
            let told = error.render()
            #expect(told.contains("a spreadsheet's own file") && told.contains("save it as CSV"), "\(told)")
        }
    }

    @Test("a picture in the document's place, a document in the picture's, and a name that is not there")
    func swapped() {
        let file = document(onPicture: true)
        let photo = desk.write("photo.jpg", "")
        let descriptor = open(photo, O_WRONLY)
        let start: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]
        _ = Glibc.write(descriptor, start, start.count)
        close(descriptor)
        let swapped = Transcript("run", photo, file, "--output", desk.at("out"))
        #expect(swapped.code == 3 && swapped.errors.contains("\(photo) is a picture (JPEG), no document"), "\(swapped.errors)")
        #expect(swapped.errors.contains("the document comes first"), "\(swapped.errors)")
        let twice = Transcript("run", file, file, "--output", desk.at("out"))
        #expect(twice.code == 1 && twice.errors.contains("doc.json: error: this is a document, no picture"), "\(twice.errors)")
        let misspelt = Transcript("run", file, desk.at("phot.jpg"), "--output", desk.at("out"))
        #expect(misspelt.code == 1 && misspelt.errors.contains("did you mean \"\(photo)\"?"), "\(misspelt.errors)")
    }

    @Test("a shell's variable that the shell left alone")
    func dollars() {
        let run = Transcript("run", "--text", "x $owner", "nothing.jpg", "--output", desk.at("out"))
        #expect(run.errors.contains("warning: \"$owner\" is drawn as it stands"), "\(run.errors)")
        #expect(!Transcript("run", "--text", "only $5", "nothing.jpg", "--output", desk.at("out")).errors.contains("warning:"))
    }

    @Test("an extension that is nearly one, and one that a field writes")
    func extensions() {
        let wrong = document(path: "{index}.jepg")
        let check = Transcript("check", wrong)
        #expect(
            check.code == 1 && check.output.contains("/outputs/0/path: \".jepg\" is no format's extension"), "\(check.output)")
        #expect(check.output.contains("did you mean \".jpeg\"?") && check.output.contains(":2:"), "\(check.output)")
        let run = self.run(wrong, "text\na\n")
        #expect(run.errors.contains("warning: /outputs/0/path: \".jepg\""), "\(run.errors)")
        for path in ["{index}.{row.kind}", "{index}.png", "{index}.v2", "{index}"] {
            #expect(!Transcript("check", document(path: path)).output.contains("extension"), "\(path)")
        }
        func written(_ path: String, as format: String) -> Transcript {
            Transcript(
                "check",
                desk.write(
                    "format.json",
                    #"{"labelpipe":1,"outputs":[{"path":"\#(path)","format":"\#(format)","node":{"effect":"image.source"}}]}"#))
        }
        let other = written("{stem}.jpg", as: "webp")
        #expect(other.code == 1 && other.output.contains("a file called \".jpg\" is written as webp"), "\(other.output)")
        #expect(other.output.contains("call it .webp"))
        for (path, format) in [("{stem}.jpg", "jpeg"), ("{stem}.TIF", "tiff"), ("{stem}", "webp")] {
            #expect(written(path, as: format).code == 0, "\(path)")
        }
    }

    @Test("a picture that is there already is not written over in silence")
    func existing() {
        let file = document()
        let there = desk.write("there.png", "mine")
        let preview = Transcript("preview", file, "--output", there)
        #expect(preview.code == 1 && preview.errors.contains("--overwrite replaces it"), "\(preview.errors)")
        let describe = Transcript("describe", "shadow.drop", "--render", there)
        #expect(describe.code == 1 && describe.errors.contains("help: --overwrite replaces it"), "\(describe.errors)")
        #expect(!describe.errors.contains("--resume"))
        #expect(URLless.read(BytePath(there)) == "mine")
    }

    @Test("a font that is not installed, and no other behind it")
    func fallback() {
        let file = desk.write(
            "font.json",
            """
            { "labelpipe": 1, "outputs": [ { "path": "a.png", "node": [
              { "effect": "text.mask", "size": 20, "text": "a", "font": "Nosuchfamily" }, { "effect": "fill.solid" } ] } ] }
            """)
        #expect(Transcript("check", file).output.contains("help: append \", sans-serif\""))
    }
}
