import Diagnostics
import Glibc
import LabelpipeKit
import Outline
import TestSupport
import Testing
import Vips

/// Text that other programs took for something else.
@Suite struct TextCases {
    private func width(_ letters: String, _ font: String = "DejaVu Sans") throws -> Double {
        try Drawing(chain(text(letters, font, 100), solid("black"))).layer.frame.width
    }

    private func black(_ letters: String, _ size: Double = 100, _ more: String = "") -> String {
        chain(text(letters, "DejaVu Sans", size, more), solid("black"))
    }

    /// Ink as Pango itself draws it, from marked-up text. **Units**: px.
    private func pangosInk(_ markup: String, _ size: Double) throws -> Double {
        try VipsRuntime.start()
        _ = registry
        let mask = try Operation("text").set("text", markup).set("font", "DejaVu Sans \(Int(size))").set("dpi", 72).image()
        return try Sheet(mask).area
    }

    @Test("B20 markup: text is text")
    func b20() throws {
        let letters = "Tom & Jerry <3 \"5>4\" <b>x</b> &amp; &lt;"
        let sheet = try own(black(letters, 100))
        let escaped = "Tom &amp; Jerry &lt;3 \"5&gt;4\" &lt;b&gt;x&lt;/b&gt; &amp;amp; &amp;lt;"
        let pangos = try pangosInk(escaped, 100)
        #expect(abs(sheet.area / pangos - 1) < 0.02, "\(sheet.area) px of ink, Pango draws \(pangos)")
        #expect(near(try width("Tom & Jerry"), 574.9, 0.5))
        // What looks like an element or an entity is its characters, and changes nobody's weight.
        for (whole, parts) in [("<b>", ["<", "b", ">"]), ("&amp;", ["&", "a", "m", "p", ";"]), ("<i>", ["<", "i", ">"])] {
            let sum = try parts.reduce(0) { $0 + (try own(black($1)).area) }
            #expect(abs(try own(black(whole)).area / sum - 1) < 0.002)
        }
    }

    @Test("B20 markup: the program draws it, and a file name with & too")
    func b20Program() throws {
        let program = Program()
        try program.write("Tom & Jerry <3.png", plain(400, 60, [255, 255, 255]), .png(.init()))
        try program.write("job.json", stamping(black("Tom & Jerry <3 &amp;", 30), "\"anchor\": \"center\""))
        let ending = try program.run("run", "job.json", "Tom & Jerry <3.png", "--output", "out")
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(try program.sheet("out/Tom & Jerry <3.png").count { $0[0] < 50 } > 500)
    }

    @Test(
        "B21 percent-backslash: every character is drawn",
        arguments: [
            ("50% off", 384.1), ("50 off", 289.1), ("100%", 285.9), ("100", 190.9), ("C:\\new", 343.9),
        ])
    func b21(letters: String, wanted: Double) throws { #expect(near(try width(letters), wanted, 0.5)) }

    @Test(
        "B21 percent-backslash: no expansion, no escape, no field",
        arguments: [
            "50% off", "%{pts}", "%w %d %s", "Don't: stop; now", "C:\\new\\table", "${HOME} {name}", "[..] vs [..]", "\\\\",
            "{stem}{ext}", "{{x}}", "#{1}", "$5", "$$x", "%%",
        ])
    func b21Literal(letters: String) throws {
        // Set character by character, without what kerning and ligatures do between them.
        let plainly = ", \"kerning\": false, \"features\": [\"liga=0\", \"clig=0\"]"
        // In a document `$$` at the beginning of a string is one dollar sign, and `$name` a parameter.
        let source = letters.hasPrefix("$") && !letters.hasPrefix("$5") && !letters.hasPrefix("${") ? "$" + letters : letters
        let whole = try Drawing(black(source, 100, plainly)).layer.frame.width
        let sum = try letters.reduce(0) { $0 + (try Drawing(black(String($1), 100, plainly)).layer.frame.width) }
        #expect(near(whole, sum, 0.01), "\(letters): \(whole), its characters \(sum)")
    }

    @Test(
        "B22 at-file: no file is read because of a text", arguments: ["@canary.txt", "@me", " @me", "-", "file:///etc/hostname"])
    func b22(letters: String) throws {
        let program = Program()
        try program.write("canary.txt", "CANARY")
        try program.write("in.png", plain(300, 60, [255, 255, 255]), .png(.init()))
        try program.write("job.json", stamping(black(letters, 30), "\"anchor\": \"center\""))
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        #expect(inotify_add_watch(watch, program.path("canary.txt"), UInt32(IN_OPEN)) >= 0)
        func opened() -> Bool {
            var events = [UInt8](repeating: 0, count: 4096)
            return read(watch, &events, events.count) > 0
        }
        let ending = try program.run("run", "job.json", "in.png", "--output", "out.png")
        #expect(ending.code == 0 && !opened(), "\(ending.errors)")
        // The watch would have seen it.
        _ = try readFile(program.path("canary.txt"))
        #expect(opened())
        try program.write("job.json", stamping(black("CANARY", 30), "\"anchor\": \"center\""))
        #expect(try program.run("run", "job.json", "in.png", "--output", "canary.png").code == 0)
        #expect(try program.sheet("out.png") != program.sheet("canary.png"))
    }

    @Test("B22 at-file: an at sign is as wide as it is, also from the command line")
    func b22Width() throws {
        #expect(near(try width("@"), 100, 0.05))
        let program = Program()
        try program.write("@in.png", plain(300, 60, [255, 255, 255]), .png(.init()))
        let ending = try program.run("run", "--text", "@canary.txt", "@in.png", "--output", "@out")
        #expect(ending.code == 0 && program.exists("@out/@in.png"), "\(ending.errors)")
    }

    @Test("B23 locale-accents: the same pixels in every locale, composed or not")
    func b23() throws {
        let program = Program()
        try program.write("in.png", plain(520, 60, [255, 255, 255]), .png(.init()))
        try program.write("job.json", stamping(black("Approuvé — Non Publié © 2024", 30), "\"anchor\": \"center\""))
        for (index, locale) in ["C", "C.UTF-8", "", "de_DE.ISO-8859-1"].enumerated() {
            let ending = try program.run(
                "run", "job.json", "in.png", "--output", "\(index).png", environment: ["LC_ALL": locale, "LANG": locale])
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(try program.sheet("\(index).png") == program.sheet("0.png"))
        }
        #expect(try program.sheet("0.png").count { $0[0] < 50 } > 500)
        let composed = try own(black("Approuv\u{E9}", 100)).area
        #expect(abs(try own(black("Approuve\u{301}", 100)).area / composed - 1) < 0.02)
        #expect(try own(black("Approuve", 100)).area < composed * 0.995)
        try program.write("bad.json", bytes: Array(stamping(black("x")).utf8).map { $0 == UInt8(ascii: "x") ? 0xE9 : $0 })
        let refused = try program.run("run", "bad.json", "in.png", "--output", "bad.png")
        #expect(refused.code == 3 && refused.errors.contains("UTF-8") && !program.exists("bad.png"), "\(refused.errors)")
    }

    @Test("B24 arabic-bidi: letters join, once", arguments: [("سلام", 205.4), ("لا", 57.0), ("مرحبا", 231.2)])
    func b24(letters: String, wanted: Double) throws {
        #expect(near(try width(letters), wanted, 1))
        let sheet = try own(black(letters))
        #expect(abs(sheet.area / (try pangosInk(letters, 100)) - 1) < 0.02)
        // An effect that looks at each glyph breaks no join.
        let glyphs = try own(
            chain(
                text(letters, "DejaVu Sans", 100),
                "{ \"effect\": \"fill.gradient\", \"box\": \"glyph\", \"colors\": [\"red\", \"blue\"] }"))
        #expect(zip(glyphs.alpha, sheet.alpha).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test("B24 arabic-bidi: the first letter is on the right, digits run to the right")
    func b24Order() throws {
        func canvas(_ letters: String) throws -> Sheet { try written(black(letters), 800, 200, "transparent", at: (50, 130)) }
        // Alef does not join what follows: its ink is that of the isolated letter, at the right end.
        let (alef, beh) = (try width("ا"), try width("ب"))
        #expect(near(try width("اب"), alef + beh, 0.01))
        let pair = try canvas("اب")
        let border = 50 + Int(beh.rounded())
        let right = (border..<800).reduce(0.0) { sum, x in sum + (0..<200).reduce(0) { $0 + pair[x, $1, 3] } } / 255
        #expect(abs(right / (try own(black("ا")).area) - 1) < 0.02)
        // In a line that runs to the right, the number comes before the Arabic word, its digits as always.
        let mixed = try canvas("Sale مرحبا 50")
        let latin = try canvas("Sale 50 ")
        let end = 50 + Int(try width("Sale 50 "))
        for y in 0..<200 { for x in 0..<end { #expect(mixed[x, y, 3] == latin[x, y, 3]) } }
    }

    @Test("B24 arabic-bidi: natural alignment is right")
    func b24Alignment() throws {
        let layer = try Drawing(black("مرحبا\nلا")).layer
        #expect(layer.text?.direction == .rightToLeft)
        let sheet = try own(black("مرحبا\nلا"))
        let half = sheet.height / 2 + 8
        let lower = try #require(sheet.cropped([0, half, sheet.width, sheet.height]).ink(above: 100))
        #expect(lower[0] > sheet.width / 2)
    }
}
