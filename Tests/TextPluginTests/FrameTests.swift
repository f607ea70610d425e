import LabelpipeKit
import Outline
import Testing
import TextPlugin

/// The frame, the baseline and the facts of a text. DejaVu Sans: 2048 units to the em, ascent 1901, descent 483.
@Suite struct FrameTests {
    static let ascent = 100 * 1901.0 / 2048
    static let descent = 100 * 483.0 / 2048

    @Test func oneLine() throws {
        let layer = try typed("Hag")
        let width = 100 * (1540 + 1255 + 1300) / 2048.0
        #expect(layer.frame.isNear(Rect(x: 0, y: -Self.ascent, width: width, height: Self.ascent + Self.descent), 1e-6))
        #expect(layer.text?.baseline == .zero && layer.text?.lastBaseline == .zero)
        #expect(layer.text?.direction == .leftToRight)
        #expect(layer.kind == .coverage)
    }

    /// H ink 72.9 high, descenders 20.8 below the baseline, Å 92.8 above.
    @Test(arguments: [("H", -72.9, 0.0), ("gpj", -76.0, 20.8), ("Å", -92.8, 0.0)])
    func ink(text: String, top: Double, bottom: Double) throws {
        let ink = try typed(text).ink
        #expect(abs(ink.minY - top) <= 0.06 && abs(ink.maxY - bottom) <= 0.06, "\(ink)")
    }

    /// Overhangs are no part of the frame, and are not cut.
    @Test func overhangsStay() throws {
        let f = try typed("f", "DejaVu Sans Oblique")
        #expect(abs(f.ink.maxX - f.frame.maxX - 12.6) <= 0.06)
        #expect(try abs(typed("j", "DejaVu Sans Oblique").ink.minX + 11.3) <= 0.06)
        let word = try typed("jÅfgyf", "DejaVu Sans Oblique")
        #expect(word.ink.maxX - word.frame.maxX > 12 && word.ink.minX < -11)
    }

    @Test func capAndXHeight() throws {
        let dejavu = try #require(try typed("x").text)
        #expect(abs(dejavu.capHeight - 72.9) < 0.01 && abs(dejavu.xHeight - 54.69) < 0.01, "measured: its table has none")
        let liberation = try #require(try typed("x", "Liberation Sans").text)
        #expect(abs(liberation.capHeight - 100 * 1409 / 2048) < 0.01 && abs(liberation.xHeight - 100 * 1082 / 2048) < 0.01)
    }

    /// 0.905 + 0.212, without the font's own line gap of 0.033.
    @Test func lineGapDoesNotCount() throws {
        let layer = try typed("one\ntwo", "Liberation Sans")
        #expect(abs(layer.frame.height - 2 * 100 * (1854 + 434) / 2048.0) < 1e-6)
    }

    @Test func linesAreStacked() throws {
        let height = Self.ascent + Self.descent
        let layer = try masked("one\ntwo\nthree", ["lineSpacing": own(7), "lineHeight": .number(1.5)])
        #expect(abs(layer.frame.height - (3 * 1.5 * height + 2 * 7)) < 1e-6)
        #expect(abs(layer.frame.minY + Self.ascent + 0.25 * height) < 1e-6)
        #expect(abs((layer.text?.lastBaseline.y ?? 0) - 2 * (1.5 * height + 7)) < 1e-6)
        #expect(try abs(masked("one\ntwo", ["lineSpacing": em(0.5)]).frame.height - (2 * height + 50)) < 1e-6)
    }

    @Test(arguments: ["a\nb", "a\r\nb", "a\rb", "a\u{2028}b", "a\u{2029}b", "a\u{85}b"]) func breaks(text: String) throws {
        #expect(try abs(typed(text).frame.height - 2 * (Self.ascent + Self.descent)) < 1e-6)
        #expect(try abs(typed(text + "\n").frame.height - 3 * (Self.ascent + Self.descent)) < 1e-6)
    }

    @Test func tabsAdvance() throws {
        let stop = 8 * 100 * 651.0 / 2048
        #expect(try abs(width("\t") - stop) < 1e-6)
        #expect(try abs(width("a\tb") - stop - (width("b"))) < 1e-6)
        #expect(try abs(width("a\t\tb") - 2 * stop - (width("b"))) < 1e-6)
    }

    @Test func emptyTextIsOneLineHigh() throws {
        for text in ["", "\u{200B}"] {
            let layer = try typed(text)
            #expect(layer.marks.isEmpty)
            #expect(layer.frame.isNear(Rect(x: 0, y: -Self.ascent, width: 0, height: Self.ascent + Self.descent), 1e-6))
            #expect(layer.outline?.isEmpty == true && layer.text?.size == 100)
        }
        #expect(try typed("   ").marks.isEmpty)
        #expect(try abs(width("   ") - 3 * 100 * 651 / 2048.0) < 1e-6)
    }

    @Test func letterSpacingStandsBetweenLetters() throws {
        let plain = try masked("HHHH", ["letterSpacing": own(0)]).frame.width
        for spacing in [-10.0, 7, 30] {
            #expect(try abs(masked("HHHH", ["letterSpacing": own(spacing)]).frame.width - plain - 3 * spacing) < 1e-6)
        }
        #expect(try abs(masked("HHHH", ["letterSpacing": em(0.1)]).frame.width - plain - 30) < 1e-6)
        // Ligatures come apart, kerning stays.
        #expect(try abs(masked("office", ["letterSpacing": own(1)]).frame.width - (275.9 + 5)) < 0.06)
        #expect(try abs(masked("AV", ["letterSpacing": own(10)]).frame.width - (130.4 + 10)) < 0.06)
        // The required ligature stays one letter.
        #expect(try abs(masked("لا", ["letterSpacing": own(10)]).frame.width - 57.0) < 0.06)
        #expect(try abs(masked("سلام", ["letterSpacing": own(10)]).frame.width - (205.4 + 20)) < 0.06)
        // Nothing is added where nothing is seen.
        #expect(try abs(masked("H\u{200D}H", ["letterSpacing": own(10)]).frame.width - (plain / 2 + 10)) < 1e-6)
        #expect(try masked("HH", ["letterSpacing": own(-1000)]).frame.width == 0)
    }

    @Test func baselineOffsetMovesTheLettersOnly() throws {
        let (plain, moved) = (try typed("Hg"), try masked("Hg", ["baselineOffset": own(12.5), "underline": .boolean(true)]))
        #expect(moved.frame == plain.frame && moved.text == plain.text)
        #expect(abs(moved.ink.minY - plain.ink.minY - 12.5) < 1e-9)
        #expect(try abs(masked("Hg", ["baselineOffset": em(-0.1)]).ink.minY - plain.ink.minY + 10) < 1e-9)
    }

    @Test(arguments: [
        ("left", 0.0, 0.0), ("right", 0, 1), ("center", 0, 0.5), ("natural", 0, 0), ("justify", 0, 0),
    ])
    func align(name: String, _: Double, share: Double) throws {
        let layer = try masked("MMMM\ni", ["align": .string(name)])
        let (long, short) = (try width("MMMM"), try width("i"))
        #expect(abs((layer.text?.lastBaseline.x ?? 0) - share * (long - short)) < 1e-6)
        #expect(abs(layer.frame.width - long) < 1e-6 && layer.frame.minX == 0)
        // The first line's pen is the origin, wherever it stands in the frame.
        let turned = try masked("i\nMMMM", ["align": .string(name)])
        #expect(abs(turned.frame.minX + share * (long - short)) < 1e-6)
        #expect(turned.text?.baseline == .zero)
    }

    @Test func directionDecidesTheNaturalSide() throws {
        let arabic = try typed("سلام مرحبا\nسلام")
        #expect(arabic.text?.direction == .rightToLeft)
        #expect(try abs((arabic.text?.lastBaseline.x ?? 0) - (width("سلام مرحبا") - 205.4)) < 0.06)
        // The first letter's ink is at the right end.
        let letters = arabic.glyphs
        #expect((letters.first?.box.minX ?? 1) < 1 && arabic.glyphs.count > 5)
        let forced = try masked("abc\nd", ["direction": .string("rtl")])
        #expect(forced.text?.direction == .rightToLeft)
        #expect(try abs((forced.text?.lastBaseline.x ?? 0) - (width("abc") - (width("d")))) < 1e-6)
        #expect(try masked("سلام", ["direction": .string("ltr")]).text?.direction == .leftToRight)
    }

    /// Digits stay in order inside right-to-left text: "50" stands left of the Arabic word that precedes it.
    @Test func mixedDirections() throws {
        let layer = try typed("Sale مرحبا 50")
        let sum = try width("Sale ") + 231.2 + width(" 50")
        #expect(abs(layer.frame.width - sum) < 0.1)
        let digits = try typed("50").glyphs.map(\.box.width)
        let at = layer.glyphs.map { ($0.box.minX, $0.box.width) }.sorted { $0.0 < $1.0 }
        // After the four letters of Sale come the two digits, then the word.
        #expect(at.count == 11 && abs(at[4].1 - digits[0]) < 1e-6 && abs(at[5].0 - at[4].0 - digits[0]) < 1e-6)
    }

    @Test func barsAreWhereTheFontWantsThem() throws {
        let plain = try typed("Hg")
        let under = try masked("H H ", ["underline": .boolean(true)])
        let bar = try #require(under.outline).combined(
            with: Outline(.rectangle(Rect(x: 80, y: 0.5, width: 20, height: 30))), .intersect)
        // Between the letters: 40 units below the baseline, 90 thick.
        #expect(bar.inkBounds.isNear(Rect(x: 80, y: 100 * 40 / 2048.0, width: 20, height: 100 * 90 / 2048.0), 0.01))
        #expect(try abs(under.ink.maxX - (width("H H"))) < 1e-6, "the blank at the end has no line")
        let through = try masked("H H", ["strikethrough": .boolean(true)])
        let middle = try #require(through.outline).combined(
            with: Outline(.rectangle(Rect(x: 80, y: -90, width: 20, height: 90))), .intersect)
        #expect(middle.inkBounds.isNear(Rect(x: 80, y: -100 * 530 / 2048.0, width: 20, height: 100 * 102 / 2048.0), 0.01))
        #expect(plain.ink.maxY < 21 && under.frame.height == plain.frame.height)
    }

    /// Boxes for fills: advances by line boxes.
    @Test func boxes() throws {
        let layer = try typed("Ab\nc")
        let body = try #require(layer.body)
        #expect(body.boxes.text == layer.frame)
        #expect(body.boxes.lines.count == 2 && body.boxes.glyphs.count == 3)
        let line = Self.ascent + Self.descent
        #expect(try body.boxes.lines[1].box.isNear(Rect(x: 0, y: -Self.ascent + line, width: width("c"), height: line), 1e-6))
        #expect(
            try body.boxes.glyphs[1].box.isNear(
                Rect(x: width("A"), y: -Self.ascent, width: width("b"), height: line), 1e-6))
        let parts = body.boxes.glyphs.reduce(0.0) { $0 + $1.outline.polygons().area }
        #expect(abs(parts - layer.area) < 0.01)
    }

    /// NBSP looks like a blank and holds words together.
    @Test func noBreakSpace() throws {
        let layer = try typed("aa\u{A0}bb cc") { $0.wrapWidth = 200 }
        #expect(layer.lines.count == 3, "the two words are too wide together, and are broken as one")
        let wide = try typed("aa\u{A0}bb cc") { $0.wrapWidth = 300 }
        #expect(try wide.lines.count == 2 && abs(wide.lines[0].box.width - (width("aa\u{A0}bb"))) < 1e-6)
    }
}
