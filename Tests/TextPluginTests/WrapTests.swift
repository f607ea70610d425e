import LabelpipeKit
import Outline
import Testing
import TextPlugin

@Suite struct WrapTests {
    static let line = 40 * 2384.0 / 2048

    func lineCount(_ layer: Layer, _ size: Double = 40) -> Int { Int((layer.frame.height / (size * 2384 / 2048)).rounded()) }

    @Test(arguments: [("none", 1), ("word", 2), ("word-char", 6), ("char", 6)]) func modes(name: String, count: Int) throws {
        // Nothing is drawn as an ellipsis: the rule is to cut.
        let layer = try masked(
            "a Donaudampfschifffahrt",
            ["size": .number(40), "wrapWidth": .number(100), "wrap": .string(name), "overflow": .string("clip")])
        #expect(lineCount(layer) == count, "\(layer.frame)")
        #expect(layer.frame.width <= 100 + 1e-6)
        #expect(try #require(layer.outline).inkBounds.maxX <= 100 + 1e-6)
    }

    /// No hyphen is invented: the letters are as many as before.
    @Test func nothingIsAdded() throws {
        let text = "Donaudampfschifffahrt"
        let whole = try typed(text, "DejaVu Sans", 40) { $0.features = ["-liga"] }
        for width in [1.0, 60, 100, 200] {
            let layer = try typed(text, "DejaVu Sans", 40) {
                $0.wrapWidth = width
                $0.features = ["-liga"]
            }
            #expect(layer.glyphs.count == text.count && abs(layer.area - whole.area) < 0.01)
        }
        let soft = try typed("zero\u{200B}width\u{AD}soft", "DejaVu Sans", 40) { $0.wrapWidth = 120 }
        #expect(soft.glyphs.count == 13 && soft.lines.count == 3)
    }

    @Test func anyWidthEnds() throws {
        let clock = ContinuousClock()
        let time = try clock.measure {
            for width in [0.0, 1] {
                let layer = try typed(String(repeating: "a", count: 200), "DejaVu Sans", 40) { $0.wrapWidth = width }
                #expect(layer.lines.count == 200)
            }
        }
        #expect(time < .seconds(2))
    }

    @Test func blanksHangAtALinesEnd() throws {
        let layer = try typed("aaa     bbb", "DejaVu Sans", 40) { $0.wrapWidth = 100 }
        #expect(layer.lines.count == 2)
        #expect(
            try abs(layer.lines[1].box.minX) < 1e-6
                && abs(layer.frame.width - max(width("aaa", "DejaVu Sans", 40), try width("bbb", "DejaVu Sans", 40))) < 1e-6)
    }

    /// A text that is exactly as wide as the limit is not wrapped.
    @Test func theNaturalWidthIsEnough() throws {
        for text in ["office AV To", "سلام مرحبا", "a b c d e f"] {
            let natural = try width(text, "DejaVu Sans", 37.3)
            #expect(try typed(text, "DejaVu Sans", 37.3) { $0.wrapWidth = natural }.lines.count == 1)
            #expect(try typed(text, "DejaVu Sans", 37.3) { $0.wrapWidth = natural - 0.01 }.lines.count == 2)
        }
    }

    @Test func orphans() throws {
        let text = "one two three four five six seven"
        func words(_ orphans: Bool) throws -> [Int] {
            try masked(text, ["size": .number(30), "wrapWidth": .number(260), "orphans": .boolean(orphans)]).lines.map {
                Int($0.box.width.rounded())
            }
        }
        func width(_ text: String) throws -> Int { Int(try typed(text, "DejaVu Sans", 30).frame.width.rounded()) }
        #expect(try words(true) == [width("one two three"), width("four five six"), width("seven")])
        #expect(try words(false) == [width("one two three"), width("four five"), width("six seven")])
    }

    @Test func justify() throws {
        let layer = try typed("The quick brown fox jumps over the lazy dog", "DejaVu Sans", 40) {
            $0.wrapWidth = 300
            $0.align = .justify
        }
        for line in layer.lines.dropLast() { #expect(abs(line.box.width - 300) < 1e-6) }
        #expect((layer.lines.last?.box.width ?? 300) < 299)
        #expect(abs(layer.frame.width - 300) < 1e-6)
    }

    // MARK: Overflow

    /// The longest of all shortened forms that fits, found by trying each.
    func longest(_ text: String, _ overflow: TextOverflow, _ limit: Double, _ size: Double) throws -> Double {
        let letters = Array(text)
        let forms = (0..<letters.count).map { count in
            let before = overflow == .ellipsisStart ? 0 : overflow == .ellipsisMiddle ? (count + 1) / 2 : count
            return String(letters[..<before]) + "…" + String(letters[(letters.count - (count - before))...])
        }
        return try forms.map { try width($0, "DejaVu Sans", size) }.last { $0 <= limit } ?? 0
    }

    @Test(arguments: [TextOverflow.ellipsisEnd, .ellipsisStart, .ellipsisMiddle]) func ellipsis(overflow: TextOverflow) throws {
        for limit in [45.0, 100, 180, 333, 430] {
            let text = "Donaudampfschifffahrt"
            let layer = try masked(
                text,
                [
                    "size": .number(40), "wrapWidth": .number(limit), "wrap": .string("none"),
                    "overflow": .string(overflow.rawValue),
                ])
            #expect(try abs(layer.frame.width - longest(text, overflow, limit, 40)) < 1e-6, "\(limit)")
        }
    }

    @Test func maxLines() throws {
        let text = "The quick brown fox jumps over the lazy dog"
        for count in 1...3 {
            let layer = try masked(text, ["size": .number(40), "wrapWidth": .number(220), "maxLines": .number(Double(count))])
            #expect(layer.lines.count == count && layer.frame.width <= 220)
        }
        #expect(try masked(text, ["size": .number(40), "wrapWidth": .number(220), "maxLines": .number(9)]).lines.count == 5)
        // Lines of the text's own count too, and the ellipsis says that there were more.
        let cut = try masked("one\ntwo\nthree", ["maxLines": .number(2)])
        #expect(try cut.lines.count == 2 && abs(cut.lines[1].box.width - (width("two…"))) < 1e-6)
        let bare = try masked("one\ntwo\nthree", ["maxLines": .number(2), "overflow": .string("clip")])
        #expect(try abs(bare.lines[1].box.width - (width("two"))) < 1e-6)
        let joined = try masked(
            "one\ntwo\nthree", ["maxLines": .number(1), "overflow": .string("ellipsis-middle"), "wrapWidth": .number(330)])
        #expect(joined.lines.count == 1 && joined.frame.width <= 330)
        #expect(try abs(joined.frame.width - longest("one two three", .ellipsisMiddle, 330, 100)) < 1e-6)
    }

    @Test func clipCutsAtTheWidth() throws {
        let layer = try typed("MMMM") {
            $0.wrapWidth = 250
            $0.wrap = .none
            $0.overflow = .clip
        }
        #expect(abs(layer.frame.width - 250) < 1e-6)
        let whole = try #require(try typed("MMMM").outline)
        let cut = whole.combined(with: Outline(.rectangle(Rect(x: -9, y: -200, width: 259, height: 400))), .intersect)
        #expect(abs(layer.area - cut.polygons().area) < 0.01)
        let arabic = try typed("سلام مرحبا") {
            $0.wrapWidth = 250
            $0.wrap = .none
            $0.overflow = .clip
        }
        // Reading begins at the right, so the left is cut.
        #expect(abs(arabic.frame.width - 250) < 1e-6 && arabic.ink.minX >= arabic.frame.minX - 1e-6)
    }

    /// The ramp is twice the line's height wide, at most a quarter of the width.
    @Test(arguments: [(400.0, 100.0), (2000.0, 2 * 2384.0 * 100 / 2048)]) func fade(width: Double, ramp: Double) throws {
        let layer = try typed(String(repeating: "M", count: 40)) {
            $0.wrapWidth = width
            $0.wrap = .none
            $0.overflow = .fade
        }
        #expect(abs(layer.frame.width - width) < 1e-6)
        let found = try #require(layer.body?.fade?.lines.first?.ramp)
        #expect(abs(found.end.x - width) < 1e-6 && abs(found.start.x - (width - ramp)) < 1e-6)
    }

    /// What fits does not fade, and neither does a short line beside a long one.
    @Test func onlyLinesThatAreCutFade() throws {
        func typing(_ text: String) throws -> Fade? {
            try typed(text) {
                $0.wrapWidth = 400
                $0.wrap = .none
                $0.overflow = .fade
            }.body?.fade
        }
        #expect(try typing("M") == nil)
        let lines = try #require(try typing("MMMMMMMMM\nM\nMMMMMMMMM")?.lines)
        #expect(lines.map { $0.ramp != nil } == [true, false, true])
        #expect(lines[0].ramp?.end.x == lines[2].ramp?.end.x)
        // The bands meet where the line boxes do.
        let box = lines[1].bottom - lines[0].bottom
        #expect(box > 100 && lines[2].bottom == .infinity)
        let arabic = try #require(try typing(String(repeating: "سلام ", count: 9))?.lines[0].ramp)
        #expect(arabic.end.x < arabic.start.x)
    }
}
