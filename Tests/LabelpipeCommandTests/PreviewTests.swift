import Glibc
import LabelpipeBatch
import LabelpipeWorker
import Testing

@Suite("labelpipe preview and graph --format svg") struct PreviewTests {
    let folder: BytePath
    let watermark = URLless.root.appending(BytePath("Pipelines/watermark.json"))

    init() {
        var template = Array("/tmp/labelpipe-test-XXXXXX".utf8CString)
        folder = BytePath(String(cString: mkdtemp(&template)!))
    }

    private func at(_ name: String) -> String { folder.appending(BytePath(name)).description }

    private func write(_ name: String, _ content: [UInt8]) -> String {
        let descriptor = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        _ = Glibc.write(descriptor, content, content.count)
        close(descriptor)
        return at(name)
    }

    private func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 22)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Width and height of a PNG.
    private func size(_ png: [UInt8]?) -> [Int]? {
        guard let png, png.starts(with: [0x89, 0x50, 0x4E, 0x47]), png.count > 24 else { return nil }
        return [16, 20].map { at in png[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The sample photo as a file.
    private func photo(_ name: String) -> String {
        let plain = write("plain.json", Array("{ \"labelpipe\": 1, \"output\": { \"effect\": \"image.source\" } }".utf8))
        let made = Transcript("preview", plain, "--output", at(name), "--quiet")
        #expect(made.code == 0, "\(made.errors)")
        return at(name)
    }

    @Test("the preview is byte for byte what run writes, of every format", arguments: ["a.jpg", "a.png", "a.tif", "a.webp"])
    func same(name: String) throws {
        let input = photo(name)
        let preview = Transcript("preview", watermark.description, input, "--set", "text=© Ann", "-o", at("look-\(name)"))
        #expect(preview.code == 0, "\(preview.errors)")
        let run = Transcript(
            "run", watermark.description, input, "--set", "text=© Ann", "--output", at("out"), "--quiet", "--jobs", "1")
        #expect(run.code == 0, "\(run.errors)")
        let look = try #require(bytes(at("look-\(name)")))
        #expect(look == bytes(at("out/\(name)")))
        #expect(look != bytes(input))
        #expect(preview.errors.contains("drawn at"))
        let piped = Transcript("preview", watermark.description, input, "--set", "text=© Ann", "-o", "-")
        #expect(piped.code == 0 && piped.errors.isEmpty)
    }

    @Test("documents that draw on nothing")
    func canvas() throws {
        let token = URLless.root.appending(BytePath("Pipelines/token.json")).description
        #expect(Transcript("preview", token, "-o", at("token.png")).code == 0)
        #expect(size(bytes(at("token.png"))) == [240, 48])
        let wrong = Transcript("preview", token, "photo.jpg", "-o", at("never.png"))
        #expect(wrong.code == 2 && wrong.errors.contains("the document takes no picture"))
    }

    @Test("a node's layer, by id or pointer, and all of them on a sheet")
    func nodes() throws {
        let arguments = [
            "--set", "text=Ann", "--set", "font=Liberation Sans", "--set", "size=40px", "--set", "maximumWidth=900px",
        ]
        func preview(_ more: String...) -> Transcript {
            Transcript(bytes: (["preview", watermark.description] + arguments + more).map { Array($0.utf8) })
        }
        let line = preview("--node", "line", "-o", at("line.png"))
        #expect(line.code == 0, "\(line.errors)")
        let mask = preview("--node", "/nodes/line/0", "-o", at("mask.png"))
        #expect(mask.errors.contains("frame "), "\(mask.errors)")
        let (one, other) = (try #require(size(bytes(at("line.png")))), try #require(size(bytes(at("mask.png")))))
        // The shadow reaches beyond the letters.
        #expect(one[0] > other[0] && one[1] > other[1])
        let all = preview("--all", "-o", at("all.png"))
        #expect(all.code == 0 && all.errors.contains("6 nodes"), "\(all.errors)")
        #expect(size(bytes(at("all.png")))?.allSatisfy { $0 > 400 } == true)
        let wrong = preview("--node", "lien", "-o", at("never.png"))
        #expect(wrong.code == 2 && wrong.errors.contains("did you mean \"line\"?"))
        #expect(bytes(at("never.png")) == nil)
        #expect(preview("--node", "line", "--all").code == 2)
    }

    @Test("a hostile picture is a verdict and leaves no file, an old preview stays")
    func hostile() throws {
        let whole = try #require(bytes(photo("whole.jpg")))
        let cut = write("cut.jpg", Array(whole.prefix(whole.count / 2)))
        let text = write("text.jpg", Array("no picture".utf8))
        let old = write("old.jpg", Array("old".utf8))
        for input in [cut, text, at("missing.jpg")] {
            let preview = Transcript("preview", watermark.description, input, "-o", old)
            #expect(preview.code == 1, "\(preview.errors)")
            #expect(preview.errors.hasPrefix("\(input): error: "))
            #expect(bytes(old) == Array("old".utf8))
            for subject in [["--all"], ["--node", "line"]] {
                let view = Transcript(
                    bytes: (["preview", watermark.description, input, "-o", at("view.png")] + subject).map { Array($0.utf8) })
                #expect(view.code == 1 && bytes(at("view.png")) == nil, "\(view.errors)")
            }
        }
    }

    @Test("neither picture nor document is written over; wrong use is told")
    func refusals() throws {
        let input = photo("in.jpg")
        let before = bytes(input)
        let over = Transcript("preview", watermark.description, input, "-o", input)
        #expect(over.code == 2 && over.errors.contains("would be written over"))
        // Not by a link either, and not because overwriting was asked for.
        symlink(input, at("link.jpg"))
        link(input, at("hard.jpg"))
        for name in ["link.jpg", "hard.jpg"] {
            #expect(Transcript("preview", watermark.description, input, "-o", at(name), "--overwrite").code == 2)
        }
        #expect(bytes(input) == before)
        let other = photo("other.jpg")
        let theirs = bytes(other)
        let exists = Transcript("preview", watermark.description, input, "-o", other)
        #expect(exists.code == 1 && exists.errors.contains("help: --overwrite"), "\(exists.errors)")
        #expect(bytes(other) == theirs)
        #expect(Transcript("preview", watermark.description, input, "-o", other, "--overwrite").code == 0)
        #expect(bytes(other) != theirs)
        #expect(Transcript("preview").code == 2)
        // A sheet and a layer are PNGs whatever the document's outputs are.
        let sheet = Transcript("preview", watermark.description, input, "--all", "-o", at("sheet.jpg"))
        #expect(sheet.code == 2 && sheet.errors.contains("draw a PNG") && bytes(at("sheet.jpg")) == nil, "\(sheet.errors)")
        #expect(Transcript("preview", watermark.description, "a.jpg", "b.jpg").code == 2)
        let broken = write("broken.json", Array("{ \"labelpipe\": 1, \"output\": [{ \"effect\": \"image.sorce\" }] }".utf8))
        let refused = Transcript("preview", broken, input)
        #expect(refused.code == 3 && refused.errors.contains("did you mean \"image.source\"?"))
        let unwritable = Transcript("preview", watermark.description, input, "-o", "\(input)/x.jpg")
        #expect(unwritable.code == 5, "\(unwritable.errors)")
    }

    @Test("the graph as SVG has frames in px where a worker can tell them")
    func svg() {
        let drawn = Transcript("graph", watermark.description, "--format", "svg", "--set", "text=Ann")
        #expect(drawn.code == 0 && drawn.output.hasPrefix("<svg "))
        #expect(drawn.output.contains("colour 1200 × 800") && drawn.output.contains("spliced"))
        let other = Transcript("graph", watermark.description, "/nowhere.jpg", "--format", "svg")
        // A picture that cannot be read costs the frames alone.
        #expect(other.code == 0 && other.output.hasPrefix("<svg ") && !other.output.contains(" × "))
        #expect(other.errors.contains("no such file"))
    }

    @Test("a run's gallery has small copies of real pictures")
    func gallery() throws {
        let input = photo("p.jpg")
        let run = Transcript("run", watermark.description, input, "--output", at("out"), "--gallery", at("g.html"), "--quiet")
        #expect(run.code == 0, "\(run.errors)")
        let page = String(decoding: try #require(bytes(at("g.html"))), as: UTF8.self)
        #expect(page.contains("\"after\":\"g_files/") && page.contains("\"width\":1200,\"height\":800"))
        #expect(page.hasSuffix("</html>\n"))
        #expect(Transcript("run", watermark.description, input, "--output", "-", "--gallery", at("h.html")).code == 2)
        #expect(
            Transcript("run", watermark.description, input, "--output", at("o"), "--dry-run", "--gallery", at("h.html")).code == 2
        )
    }
}
