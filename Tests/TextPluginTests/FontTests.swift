import Glibc
import LabelpipeKit
import Outline
import Testing
import TextPlugin

@Suite struct FontTests {
    static let inter = "/usr/share/fonts/truetype/inter-vf/Inter.var.ttf"
    static let dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

    func name(_ list: String, file: String? = nil, weight: Int? = nil) throws -> String {
        try Fonts.resolve(list, fontFile: file, weight: weight, engine: testFonts).face.name
    }

    @Test(arguments: [
        ("DejaVu Sans", "DejaVu Sans"), ("DejaVu Sans Bold", "DejaVu Sans Bold"), ("dejavusans  bold", "DejaVu Sans Bold"),
        ("DejaVu Sans Condensed", "DejaVu Sans Condensed"), ("DejaVu Sans Condensed Bold", "DejaVu Sans Condensed Bold"),
        ("DejaVu Sans Bold Oblique", "DejaVu Sans Bold Oblique"), ("DejaVu Sans Extra-Light", "DejaVu Sans ExtraLight"),
        ("DejaVu Sans extra light", "DejaVu Sans ExtraLight"), ("\"Liberation Serif\" , DejaVu Sans", "Liberation Serif"),
        ("Nope, Liberation Serif Italic", "Liberation Serif Italic"), ("sans-serif", "DejaVu Sans"),
        ("monospace bold", "DejaVu Sans Mono Bold"),
        ("Helvetica", "Liberation Sans"), ("Helvetica Bold", "Liberation Sans Bold"),
    ])
    func lists(list: String, face: String) throws { #expect(try name(list) == face) }

    @Test func weightWinsOverAStyleWord() throws {
        #expect(try name("DejaVu Sans Bold", weight: 400) == "DejaVu Sans")
        #expect(try name("DejaVu Sans", weight: 700) == "DejaVu Sans Bold")
        #expect(try masked("HHHH", ["weight": .number(700)]).frame.width > width("HHHH") + 20)
    }

    @Test func condensedIsNarrower() throws {
        #expect(try abs(width("HHHH", "DejaVu Sans Condensed") / width("HHHH") - 0.9) < 0.001)
    }

    @Test func unknownFamilies() throws {
        let error = #expect(throws: DrawingError.self) { try typed("x", "DejaVu Sanss") }
        #expect(error?.code == "font-missing" && error?.cause == .missing && error?.message.contains("DejaVu Sanss") == true)
        #expect(error?.help == "did you mean \"DejaVu Sans\"?")
        for (list, help) in [
            ("DejaVu Snas Bold", "did you mean \"DejaVu Sans Bold\", or \"DejaVu Sans\" with \"weight\": 700?"),
            ("DejaVuSans-Bold", "did you mean \"DejaVu Sans Bold\", or \"DejaVu Sans\" with \"weight\": 700?"),
            ("DejaVuSans-Oblique", "did you mean \"DejaVu Sans Oblique\"?"),
            ("DejaVu Sans Blod", "did you mean \"DejaVu Sans bold\"?"),
            ("sans-serif Blod", "did you mean \"sans-serif bold\"?"),
            ("DejaVu Sans 700", "\"DejaVu Sans\" is installed: write \"font\": \"DejaVu Sans\" and \"weight\": 700"),
            ("Helvetica 24", "\"Helvetica\" is known: write \"font\": \"Helvetica\" and \"size\": 24"),
            ("Qqqqqq Bold", "\"Qqqqqq\" is not installed; \"sans-serif Bold\", or \"sans-serif\" with \"weight\": 700, is"),
        ] {
            let error = #expect(throws: DrawingError.self) { try typed("x", list) }
            #expect(error?.help == help, "\(list)")
            #expect(error?.parameter == "font")
        }
        // A number is never a size, and not every word is a style.
        #expect(throws: DrawingError.self) { try typed("x", "DejaVu Sans 12") }
        let fancy = #expect(throws: DrawingError.self) { try typed("x", "DejaVu Sans Fancy") }
        #expect(fancy?.help == "\"DejaVu Sans\" is installed, but \"Fancy\" is no style")
        #expect(throws: DrawingError.self) { try typed("x", "") }
        let notes = Notes()
        _ = try typed("x", "Nope, DejaVu Sans", notes: notes)
        #expect(notes.codes == ["font-skipped"] && notes.all[0].weight == .warning && notes.all[0].message.contains("Nope"))
        // What stands behind the one that is used was not needed.
        let quiet = Notes()
        _ = try typed("x", "DejaVu Sans, Nope, sans-serif", notes: quiet)
        #expect(quiet.codes.isEmpty)
    }

    /// What stands by behind the family that is taken, or behind a file, is nobody's loss.
    @Test func onlyWhatWouldHaveComeFirstIsMissed() throws {
        let notes = Notes()
        _ = try typed("x", "DejaVu Sans, Nope, Helvetica", notes: notes)
        _ = try masked("x", ["fontFile": .string(Self.dejavu), "font": .string("Nope, Helvetica")], notes: notes)
        #expect(notes.codes.isEmpty, "\(notes.all)")
        _ = try typed("x", "Nope, Nothing, DejaVu Sans, Neither", notes: notes)
        #expect(notes.codes == ["font-skipped", "font-skipped"])
    }

    @Test func entriesAreExplained() throws {
        let answer = try Fonts.resolve("Nope, Helvetica Bold, sans-serif", fontFile: nil, weight: nil, engine: testFonts)
        #expect(answer.entries.map(\.reason) == [.unknown, .alias, .generic])
        #expect(answer.entries.map(\.family) == [nil, "Liberation Sans", "sans-serif"])
        #expect(answer.face.file.hasSuffix("LiberationSans-Bold.ttf"))
        #expect(try Fonts.families(engine: testFonts).contains("DejaVu Serif"))
        let notes = Notes()
        _ = try typed("x", "Helvetica", notes: notes)
        #expect(notes.codes == ["font-alias"] && notes.all[0].weight == .note)
    }

    // MARK: Files

    @Test(arguments: ["/nope.ttf", "/usr/share/fonts", "/etc/passwd", "/dev/null"]) func unusableFiles(path: String) throws {
        let error = #expect(throws: DrawingError.self) { try masked("x", ["fontFile": .string(path)]) }
        #expect(error?.code == "font-unreadable" && error?.cause == .missing && error?.message.contains(path) == true)
        #expect(error?.parameter == "fontFile" && error?.help?.contains(".ttf") == true)
        if path == "/etc/passwd" { #expect(error?.message.hasSuffix("it is text, not a font") == true) }
    }

    /// A web font is one for browsers: what to do is said.
    @Test func aWebFontIsRefused() throws {
        let path = "/tmp/labelpipe-\(getpid()).woff"
        try MadeFont(Self.dejavu).writeWOFF(to: path)
        defer { unlink(path) }
        let error = #expect(throws: DrawingError.self) { try masked("x", ["fontFile": .string(path)]) }
        #expect(error?.code == "font-unreadable" && error?.cause == .missing && error?.message.contains(path) == true)
        #expect(error?.message.contains("not a TrueType or OpenType font") == true && error?.help?.contains(".ttf") == true)
    }

    /// The file is drawn with, whatever else has its name.
    @Test func aFileWinsOverItsNamesake() throws {
        let answer = try Fonts.resolve("DejaVu Sans", fontFile: Self.inter, weight: nil, engine: testFonts)
        #expect(answer.face.file == Self.inter)
        let own = try masked("Hamburg", ["fontFile": .string(Self.dejavu), "font": .string("sans-serif")])
        #expect(try own.frame == (typed("Hamburg").frame))
        // What the file has not is taken from elsewhere.
        let notes = Notes()
        let mixed = try masked("سلام", ["fontFile": .string(Self.inter)], notes: notes)
        #expect(abs(mixed.frame.width - 205.4) < 0.06)
    }

    @Test func odNamesAndCopies() throws {
        let folder = "/tmp/labelpipe-fonts-\(getpid())"
        mkdir(folder, 0o755)
        let copies = ["\(folder)/My & Font <1>.ttf", "\(folder)/copy.ttf"]
        for copy in copies { symlink(Self.dejavu, copy) }
        defer {
            for copy in copies { unlink(copy) }
            rmdir(folder)
        }
        let areas = try copies.map { try masked("Copy", ["fontFile": .string($0), "font": .string("Liberation Serif")]).area }
        #expect(areas[0] == areas[1])
        #expect(try abs(areas[0] - (typed("Copy").area)) < 1e-6)
    }

    // MARK: Variable fonts

    func varied(_ written: [String: Value], notes: Notes? = nil) throws -> Layer {
        let base: [String: Value] = ["fontFile": .string(Self.inter), "font": .string("sans-serif")]
        return try masked("Hamburg", base.merging(written) { $1 }, notes: notes)
    }

    @Test func axes() throws {
        let (regular, bold) = (try varied([:]), try varied(["axes": .object(["wght": .number(700)])]))
        #expect(bold.area > 1.3 * regular.area)
        #expect(try abs(varied(["weight": .number(700)]).area - bold.area) < 1)
        #expect(try abs(varied(["font": .string("Inter Bold")]).area - bold.area) < 1)
        let between = try varied(["axes": .object(["wght": .number(550)])]).area
        #expect(between > regular.area && between < bold.area)
        #expect(throws: (any Error).self) { try varied(["axes": .object(["weight": .number(700)])]) }
        let notes = Notes()
        _ = try varied(["axes": .object(["wdth": .number(80), "wght": .number(5000)])], notes: notes)
        #expect(notes.codes == ["axis-unknown", "axis-range"])
        #expect(notes.all[0].message.contains("wght"))
    }

    /// Overlapping pieces of variable glyphs are one area: 61.9 right and 189.8 above is inside the t.
    @Test(arguments: [("t", 61.9, 189.8), ("f", 61.9, 218.2), ("k", 61.6, 103.4)]) func overlapsAreUnited(
        text: String, x: Double, y: Double
    ) throws {
        let layer = try masked(text, ["fontFile": .string(Self.inter), "font": .string("sans-serif"), "size": .number(400)])
        let polygons = try #require(layer.outline).polygons()
        #expect(polygons.contourCount == 1)
        let spot = Outline(.rectangle(Rect(x: x - 8, y: -y - 8, width: 16, height: 16)))
        #expect(abs(spot.combined(with: layer.outline ?? .empty, .intersect).polygons().area - 256) < 0.1)
    }

    // MARK: Drawn styles

    @Test func drawnBoldAndItalic() throws {
        let (regular, notes) = (try typed("世", "Droid Sans Fallback"), Notes())
        let bold = try typed("世", "Droid Sans Fallback Bold", notes: notes)
        #expect(notes.codes == ["synthetic-bold"] && bold.frame == regular.frame)
        // Every edge moves out by 1/48 em.
        #expect(bold.ink.isNear(regular.ink.grown(by: 100 / 48.0), 0.3))
        #expect(bold.area > 1.2 * regular.area)
        let slanted = Notes()
        let (upright, italic) = (
            try typed("国", "Droid Sans Fallback"), try typed("国", "Droid Sans Fallback Italic", notes: slanted)
        )
        #expect(slanted.codes == ["synthetic-italic"])
        #expect(abs(italic.ink.width - upright.ink.width - 0.2 * upright.ink.height) < 1)
    }

    // MARK: Missing characters

    @Test func missingGlyphs() throws {
        let notes = Notes()
        _ = try typed("A\u{10FFFD}B\u{10FFFD}", notes: notes)
        #expect(notes.codes == ["missing-glyph"] && notes.all[0].weight == .warning)
        #expect(notes.all[0].message.contains("U+10FFFD (2 characters)"))
        let error = #expect(throws: DrawingError.self) { try masked("A\u{10FFFD}", ["missingGlyph": .string("fail")]) }
        #expect(error?.code == "missing-glyph" && error?.cause == .missing)
        let silent = Notes()
        _ = try masked("A\u{10FFFD}", ["missingGlyph": .string("ignore")], notes: silent)
        #expect(silent.all.isEmpty)
        #expect(
            try Fonts.missing(in: "a\u{10FFFD}é\u{E0FF}\u{10FFFD}", font: "DejaVu Sans", fontFile: nil, engine: testFonts).count
                >= 1)
    }

    @Test func fontsOfOneKind() throws {
        let latin = TextEngine(configuration: fixture("fonts/dejavu-only.conf"))
        let notes = Notes()
        _ = try typed("Welcome to 厦门", notes: notes, engine: latin)
        #expect(notes.codes == ["missing-glyph"] && notes.all[0].message.contains("U+53A6 U+95E8 (2 characters)"))
    }

    @Test func noFonts() throws {
        let none = TextEngine(configuration: fixture("fonts/none.conf"))
        let error = #expect(throws: DrawingError.self) { try typed("x", engine: none) }
        #expect(error?.code == "fonts-none" && error?.cause == .missing)
        // A file of one's own is enough.
        #expect(try typed("x", engine: none) { $0.font.file = Self.dejavu }.frame.width > 50)
    }

    /// Emoji fonts and fonts of icons often have no blank: that is room, not a box.
    @Test func aFontWithoutABlank() throws {
        let notes = Notes()
        let layer = try typed("🌏 🌏", "Noto Color Emoji", notes: notes)
        #expect(layer.glyphs.isEmpty && layer.body?.contents.count == 2)
        #expect(notes.all.isEmpty)
    }

    @Test func fallbacksAreTold() throws {
        let notes = Notes()
        _ = try typed("Ann 世界", "Liberation Sans", notes: notes)
        #expect(notes.codes == ["fallback-font"] && notes.all[0].weight == .warning)
        #expect(notes.all[0].message == "Droid Sans Fallback is used for U+4E16 U+754C")
    }

    @Test func languageChoosesForms() throws {
        // DejaVu has Serbian forms of Cyrillic б.
        let (russian, serbian) = (try typed("б") { $0.font.language = "ru" }, try masked("б", ["language": .string("sr")]))
        #expect(abs(russian.area - serbian.area) > 1)
    }
}
