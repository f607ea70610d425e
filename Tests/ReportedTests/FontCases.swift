import Diagnostics
import Glibc
import LabelpipeKit
import TestSupport
import Testing
import Vips

/// Emoji, missing glyphs and missing fonts, as people found them wrong elsewhere.
@Suite struct FontCases {
    /// The spread of a pixel's channels: grey has none.
    private func saturation(_ pixel: [Double]) -> Double { (pixel[0..<3].max() ?? 0) - (pixel[0..<3].min() ?? 0) }

    private func hue(_ pixel: [Double]) -> Int {
        let (r, g, b) = (pixel[0], pixel[1], pixel[2])
        return r >= g && r >= b ? (g >= b ? 0 : 5) : g >= b ? (r >= b ? 1 : 2) : (r >= g ? 4 : 3)
    }

    @Test(
        "B26 emoji-colour: colours stay, letters are filled",
        arguments: [solid("white"), "{ \"effect\": \"fill.gradient\", \"colors\": [\"white\", \"white\"] }"])
    func b26(fill: String) throws {
        let letters = try Drawing(chain(text("OK ", "DejaVu Sans", 40), fill)).layer.frame.width
        let sheet = try written(chain(text("OK 🧩 ❤️", "DejaVu Sans", 40), fill), 260, 80, "#808080", at: (20, 55))
        let border = 20 + Int(letters)
        var hues = [Int: Int]()
        var whites = 0
        for y in 0..<80 {
            for x in 0..<260 {
                if x < border {
                    #expect(saturation(sheet[x, y]) == 0)
                    if sheet[x, y] == [255, 255, 255] { whites += 1 }
                } else if saturation(sheet[x, y]) > 60 {
                    hues[hue(sheet[x, y]), default: 0] += 1
                }
            }
        }
        #expect(hues.values.filter { $0 > 30 }.count >= 2 && whites > 200, "\(hues), \(whites)")
    }

    @Test("B26 emoji-colour: emoji alone, fitted, side by side")
    func b26Alone() throws {
        let fitted = try Drawing(chain(text("😂👍👎🏾", "DejaVu Sans", 400, ", \"fitWidth\": 200, \"fitHeight\": 60"), solid("white")))
        let sheet = try fitted.sheet
        #expect(sheet.width <= 201 && sheet.height <= 61 && sheet.area > 4000)
        let globe = try #require(own(chain(text("🌏", "DejaVu Sans", 40), solid("white"))).ink(above: 128))
        let three = try #require(own(chain(text("🌏🌏🌏", "DejaVu Sans", 40), solid("white"))).ink(above: 128))
        #expect(Double(three[2] - three[0]) >= 2.5 * Double(globe[2] - globe[0]))
    }

    @Test("B26 emoji-colour: a stroke goes round the silhouette, a shadow is cast by it")
    func b26Effects() throws {
        let plain = try written(chain(text("🌏", "DejaVu Sans", 60), solid("white")), 160, 140, "transparent", at: (40, 95))
        let oracle = StrokeOracle(fill: plain)
        let stroked = try written(
            chain(text("🌏", "DejaVu Sans", 60), solid("white"), stroke(6, "red")), 160, 140, "transparent", at: (40, 95))
        // The silhouette is a trace of soft pixels: half a px to either side.
        #expect(oracle.objection(toOutside: stroked.alpha, width: 6) == nil)
        for y in 0..<140 {
            for x in 0..<160 where plain[x, y, 3] == 255 {
                #expect(zip(stroked[x, y], plain[x, y]).allSatisfy { near($0, $1, 1) })
            }
        }
        let cast = try written(
            chain(text("🌏", "DejaVu Sans", 60), solid("white"), shadow("#00ff00", (40, 0), 0, ", \"caster\": \"hide\"")), 200,
            140, "transparent", at: (40, 95))
        #expect(near(cast.area, plain.area, plain.area * 0.01))
    }

    private let stamp = "\"anchor\": \"center\""

    @Test("B28 tofu: a character that no font has is told once a run, with a count; `fail` draws nothing")
    func b28() throws {
        let program = Program()
        for name in ["a.png", "b.png", "c.png"] { try program.write(name, plain(200, 60, [255, 255, 255]), .png(.init())) }
        func label(_ more: String) -> String { chain(text("A\u{10FFFD}B", "DejaVu Sans", 30, more), solid("black")) }
        try program.write("warn.json", stamping(label(""), stamp))
        let warned = try program.run("run", "warn.json", "a.png", "b.png", "c.png", "--output", "warn")
        #expect(warned.code == 0 && program.exists("warn/c.png"))
        let told = warned.errors.split(separator: "\n").filter { $0.contains("U+10FFFD") }
        #expect(told.count == 1 && told[0].contains("1 character"), "\(warned.errors)")
        try program.write("fail.json", stamping(label(", \"missingGlyph\": \"fail\""), stamp))
        let failed = try program.run("run", "fail.json", "a.png", "--output", "fail")
        #expect(failed.code != 0 && failed.errors.contains("U+10FFFD") && !program.exists("fail/a.png"), "\(failed.errors)")
        let strict = try program.run("run", "warn.json", "a.png", "--output", "strict", "--strict")
        #expect(strict.code != 0 && !program.exists("strict/a.png"))
        try program.write("ignore.json", stamping(label(", \"missingGlyph\": \"ignore\""), stamp))
        let ignored = try program.run("run", "ignore.json", "a.png", "--output", "ignore")
        #expect(ignored.code == 0 && !ignored.errors.contains("U+10FFFD"))
    }

    @Test("B28 tofu: a machine with few fonts, and one with none")
    func b28Machines() throws {
        let program = Program()
        try program.write("in.png", plain(400, 60, [255, 255, 255]), .png(.init()))
        try program.write("job.json", stamping(chain(text("Welcome to 厦门", "DejaVu Sans", 30), solid("black")), stamp))
        let fixtures = packageFolder + "/Tests/Fixtures/fonts/"
        let slim = try program.run(
            "run", "job.json", "in.png", "--output", "slim", environment: ["FONTCONFIG_FILE": fixtures + "dejavu-only.conf"])
        #expect(slim.errors.contains("U+53A6") && slim.errors.contains("U+95E8"), "\(slim.errors)")
        let full = try program.run("run", "job.json", "in.png", "--output", "full")
        #expect(
            full.code == 0 && !full.errors.contains("no font has")
                && full.errors.contains("Droid Sans Fallback is used for U+53A6 U+95E8"), "\(full.errors)")
        let none = try program.run(
            "run", "job.json", "in.png", "--output", "none", environment: ["FONTCONFIG_FILE": fixtures + "none.conf"])
        #expect(none.code == 4 && !program.exists("none/in.png"), "\(none.code) \(none.errors)")
        #expect(none.errors.contains("font"))
    }

    @Test(
        "B29 font-missing: what is not there is an error that names it",
        arguments: ["NoSuchFontXYZ", "/nope.ttf", "/usr/share", "job.json"])
    func b29(font: String) throws {
        let program = Program()
        try program.write("in.png", plain(100, 60, [255, 255, 255]), .png(.init()))
        let key = font == "NoSuchFontXYZ" ? "font" : "fontFile"
        try program.write(
            "job.json",
            stamping(
                chain("{ \"effect\": \"text.mask\", \"text\": \"HHHH\", \"size\": 30, \"\(key)\": \"\(font)\" }", solid("black")),
                stamp))
        let ending = try program.run("run", "job.json", "in.png", "--output", "out.png")
        #expect(ending.code == 4 && !program.exists("out.png"), "\(ending.code) \(ending.errors)")
        #expect(ending.errors.contains(font), "\(ending.errors)")
    }

    @Test("B29 font-missing: family names that end in a style word")
    func b29Styles() throws {
        func width(_ font: String) throws -> Double {
            try Drawing(chain(text("HHHH", font, 100), solid("black"))).layer.frame.width
        }
        let regular = try width("DejaVu Sans")
        for name in ["DejaVu Sans Condensed", "DejaVu Sans Semi-Condensed"] {
            #expect(near(try width(name) / regular, 0.9, 0.002))
        }
        #expect(near(try width("DejaVu Sans Condensed Bold") / (try width("DejaVu Sans Bold")), 0.9, 0.005))
    }

    @Test("B29 font-missing: one font from two paths, and beside its installed namesake")
    func b29Copies() throws {
        let program = Program()
        let file = try #require(Fonts.file(named: "DejaVuSans-Bold.ttf"))
        try program.write("in.png", plain(300, 60, [255, 255, 255]), .png(.init()))
        let names = ["one.ttf", "My & Font <1>.ttf"]
        for name in names { try program.copy(file, as: name) }
        var sheets: [Sheet] = []
        for key in names.map({ "\"fontFile\": \"\($0)\"" }) + ["\"font\": \"DejaVu Sans Bold\""] {
            let mask = "{ \"effect\": \"text.mask\", \"text\": \"HamburgÄ\", \"size\": 30, \(key) }"
            try program.write("job.json", stamping(chain(mask, solid("black")), stamp))
            let ending = try program.run("run", "job.json", "in.png", "--output", "\(sheets.count).png")
            #expect(ending.code == 0 && !ending.errors.contains("warning"), "\(ending.errors)")
            sheets.append(try program.sheet("\(sheets.count).png"))
        }
        #expect(sheets[0] == sheets[1] && sheets[0] == sheets[2])
        #expect(sheets[0].count { $0[0] == 0 } > 500)
    }
}
