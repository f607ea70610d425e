import LabelpipeKit
import Outline
import Testing
import TextPlugin

@Suite struct FitTests {
    func fit(_ text: String, _ width: Double?, _ height: Double?, max: Double, wraps: Bool = true, _ more: [String: Value] = [:])
        throws -> Layer
    {
        var written: [String: Value] = ["maximumSize": .number(max)]
        if let width { written["fitWidth"] = .number(width) }
        if let width, wraps { written["wrapWidth"] = .number(width) }
        if let height { written["fitHeight"] = .number(height) }
        return try masked(text, written.merging(more) { $1 })
    }

    func isInside(_ layer: Layer, _ width: Double, _ height: Double) -> Bool {
        let all = layer.frame.union(layer.ink)
        return all.width <= width + 1e-6 && all.height <= height + 1e-6
    }

    @Test func oneLineFillsTheWidth() throws {
        // Linear: the width is a multiple of the size.
        let layer = try masked("Labelpipe", ["fitWidth": .number(300), "maximumSize": .number(400)])
        let size = try #require(layer.text?.size)
        let perPx = try width("Labelpipe") / 100
        #expect(size * 64 == (size * 64).rounded(), "steps of 1/64 px")
        #expect(layer.frame.width <= 300 + 1e-6 && (size + 1 / 64.0) * perPx > 300)
        #expect(layer.lines.count == 1)
    }

    @Test func theSizeIsTheLargest() throws {
        #expect(try masked("Hi", ["fitWidth": .number(400), "fitHeight": .number(100), "size": .number(60)]).text?.size == 60)
        #expect(try fit("Hi", 400, 100, max: 60).text?.size == 60)
        let free = try fit("Hi", 400, 100, max: 400)
        #expect(isInside(free, 400, 100) && (free.text?.size ?? 0) > 80)
        // A smallest size above the given one wins.
        #expect(try masked("Hi", ["fitWidth": .number(400), "size": .number(10), "minimumSize": .number(14)]).text?.size == 14)
    }

    @Test func heightAlone() throws {
        let layer = try masked("one\ntwo", ["fitHeight": .number(100), "maximumSize": .number(400)])
        let size = try #require(layer.text?.size)
        #expect(size == (100 / (2 * 2384.0 / 2048) * 64).rounded(.down) / 64)
    }

    /// Ink counts: an oblique f leaves its advance by 0.126 em.
    @Test func overhangsCount() throws {
        let layer = try masked(
            "f", ["font": .string("DejaVu Sans Oblique"), "fitWidth": .number(100), "maximumSize": .number(1000)])
        #expect(layer.frame.union(layer.ink).width <= 100 + 1e-6)
        #expect(layer.frame.width < 80)
    }

    static let paragraphs = """
        It was a bright cold day in April, and the clocks were striking thirteen.

        The hallway smelt of boiled cabbage and old rag mats.

        At one end of it a coloured poster, too large for indoor display, had been tacked to the wall.
        """

    @Test(arguments: [
        (490.0, 725.0, paragraphs), (1400, 600, "FIVE WORDS IN A TITLE"), (330, 330, "The quick brown fox jumps over it"),
    ])
    func boxes(width: Double, height: Double, text: String) throws {
        let layer = try fit(text, width, height, max: 400)
        let size = try #require(layer.text?.size)
        #expect(isInside(layer, width, height))
        // All of it is there.
        let free = try typed(text.filter { $0 != " " && $0 != "\n" }, "DejaVu Sans", size) { $0.features = ["-kern", "-liga"] }
        #expect(layer.glyphs.count >= free.glyphs.count - text.count(where: { $0 == "f" }))
        let larger = try typed(text, "DejaVu Sans", size + 1) { $0.wrapWidth = width }
        #expect(!isInside(larger, width, height), "size + 1 would not fit")
    }

    /// One letter's case or one px of the box hardly changes the size.
    @Test func nearlyTheSameIsNearlyTheSame() throws {
        let rest = "he quick brown fox jumps over the lazy dog tonight"
        let sizes = try ["T", "t"].flatMap { first in
            try [-1.0, 0, 1].map { try #require(try fit(first + rest, 330 + $0, 330 + $0, max: 400).text?.size) }
        }
        #expect((sizes.max() ?? 0) / (sizes.min() ?? 1) <= 1.03, "\(sizes)")
    }

    @Test func refusal() throws {
        let error = #expect(throws: DrawingError.self) { try fit("Some text", 5, 5, max: 400, ["minimumSize": .number(8)]) }
        #expect(error?.code == "text-does-not-fit" && error?.cause == .picture)
        #expect(error?.message.contains("8.0px") == true)
        #expect(throws: (any Error).self) { try masked("x", ["minimumSize": .number(20), "maximumSize": .number(10)]) }
    }

    /// At the smallest size the overflow rule takes over.
    @Test(arguments: TextOverflow.allCases) func shortened(overflow: TextOverflow) throws {
        let layer = try masked(
            "A title that cannot be made so small",
            [
                "fitWidth": .number(200), "fitHeight": .number(30), "minimumSize": .number(20), "maximumSize": .number(40),
                "overflow": .string(overflow.rawValue),
            ])
        #expect(layer.text?.size == 20 && layer.lines.count == 1)
        #expect(layer.frame.width <= 200 + 1e-6 && layer.frame.height <= 30)
    }

    @Test func shortenedInLines() throws {
        let layer = try masked(
            Self.paragraphs,
            [
                "wrapWidth": .number(300), "fitWidth": .number(250), "fitHeight": .number(100), "minimumSize": .number(18),
                "maximumSize": .number(40),
            ])
        #expect(layer.text?.size == 18 && isInside(layer, 250, 100))
        #expect(layer.lines.count == Int(100 / (18 * 2384.0 / 2048)))
        let few = try masked(
            Self.paragraphs,
            [
                "wrapWidth": .number(300), "fitHeight": .number(100), "minimumSize": .number(18), "maximumSize": .number(40),
                "maxLines": .number(2),
            ])
        #expect(few.lines.count == 2)
    }

    /// A box that not even one letter has room in: cut and faded texts end at it, others end in an ellipsis if that fits.
    @Test func narrowerThanALetter() throws {
        for overflow in ["clip", "fade"] {
            for wrap in [Value.string("word-char"), .string("none")] {
                let layer = try masked(
                    "WWW",
                    [
                        "fitWidth": .number(10), "minimumSize": .number(20), "wrapWidth": .number(10), "wrap": wrap,
                        "overflow": .string(overflow),
                    ])
                #expect(layer.frame.width <= 10 + 1e-6 && layer.ink.maxX <= layer.frame.minX + 10 + 1e-6, "\(overflow)")
            }
        }
        let digraph: [String: Value] = ["minimumSize": .number(20), "wrapWidth": .number(25)]
        #expect(try masked("Ǆ", digraph.merging(["fitWidth": .number(25)]) { $1 }).frame.width <= 25)
        let error = #expect(throws: DrawingError.self) {
            try masked("Ǆ", ["minimumSize": .number(20), "fitWidth": .number(10), "wrapWidth": .number(10)])
        }
        #expect(error?.code == "text-does-not-fit")
    }

    /// Boxes down to a fraction of a pixel: what is cut ends at them, what is shortened lies in them or says that nothing does.
    ///
    /// The second seed leads to an "f" whose advance fits and whose hook leans out.
    @Test(arguments: [UInt64.random(in: 0...UInt64.max), 13_605_991_046_674_449_709]) func narrowBoxes(seed: UInt64) throws {
        var random = Seeded(state: seed)
        for _ in 0..<60 {
            let text = String(
                (0..<Int.random(in: 1...9, using: &random)).map { _ in "aWf jÅ.\n".randomElement(using: &random) ?? "a" })
            let width = Double.random(in: 0.2...20, using: &random)
            let overflow = TextOverflow.allCases.randomElement(using: &random) ?? .clip
            let place = "seed \(seed): \(text.debugDescription) in \(width), \(overflow)"
            do {
                let layer = try fit(
                    text, width, nil, max: 40, wraps: Bool.random(using: &random),
                    ["minimumSize": .number(Double.random(in: 0.5...12, using: &random)), "overflow": .string(overflow.rawValue)])
                #expect(layer.frame.width <= width + 1e-6, "\(place): \(layer.frame)")
                let ink = layer.ink
                if ink.isNull { continue }
                // What is cut may lean out where reading begins.
                #expect(ink.maxX <= layer.frame.minX + width + 1e-6, "\(place): \(ink)")
                if overflow.isEllipsisRule { #expect(isInside(layer, width, .infinity), "\(place): \(ink)") }
            } catch let error as DrawingError {
                #expect(error.code == "text-does-not-fit" && overflow.isEllipsisRule, "\(place): \(error)")
            }
        }
    }

    /// On a picture of a few pixels a size in vmin comes to nearly nothing: nothing is drawn, and that is said.
    @Test func belowHalfAPixelNothingIsDrawn() throws {
        let notes = Notes()
        let layer = try masked("Label", ["size": .number(0.04)], notes: notes)
        #expect(layer.marks.isEmpty && layer.frame.width == 0 && layer.frame.height > 0 && layer.text?.size == 0.04)
        #expect(notes.codes == ["text-too-small"] && notes.all[0].weight == .warning)
        #expect(try !masked("Label", ["size": .number(0.5)], notes: notes).marks.isEmpty && notes.all.count == 1)
    }

    @Test func spacingsInEmFollow() throws {
        let layer = try masked(
            "HHHH", ["fitWidth": .number(200), "maximumSize": .number(400), "letterSpacing": em(0.2), "baselineOffset": em(0.1)])
        let size = try #require(layer.text?.size)
        #expect(abs(layer.frame.width - size * (4 * 1540 / 2048.0 + 3 * 0.2)) < 1e-6)
        #expect(abs(layer.ink.maxY - 0.1 * size) < 1e-6)
    }

    /// Laws on random texts: inside the box, and nothing larger is.
    @Test func laws() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(state: seed)
        let letters = Array("abcdefghijklmnopqrstuvwxyz    ABCfgjÅy-.\n")
        for _ in 0..<60 {
            let text = String(
                (0..<Int.random(in: 1...60, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
            let (width, height) = (Double.random(in: 20...600, using: &random), Double.random(in: 20...400, using: &random))
            let font = ["DejaVu Sans", "Liberation Serif Italic", "DejaVu Sans Oblique"].randomElement(using: &random) ?? ""
            let wraps = Bool.random(using: &random)
            let layer = try fit(
                text, width, height, max: 300, wraps: wraps, ["font": .string(font), "minimumSize": .number(0.5)])
            let size = try #require(layer.text?.size)
            #expect(isInside(layer, width, height), "seed \(seed): \(text.debugDescription)")
            guard size < 300 else { continue }
            let larger = try typed(text, font, size + 1 / 64.0) { if wraps { $0.wrapWidth = width } }
            #expect(!isInside(larger, width, height), "seed \(seed): \(text.debugDescription) at \(size) in \(width)×\(height)")
        }
    }
}

extension TextOverflow {
    fileprivate var isEllipsisRule: Bool { self != .clip && self != .fade }
}
