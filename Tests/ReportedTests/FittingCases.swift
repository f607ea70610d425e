import Diagnostics
import Glibc
import LabelpipeKit
import Outline
import Testing

/// Fitting and wrapping, as people found them wrong elsewhere.
@Suite struct FittingCases {
    private let paragraphs = """
        The label is drawn once for the whole batch and laid on every picture.

        Where nothing was drawn the picture keeps its own pixels, bit for bit.

        The last paragraph must not be missing.
        """

    /// Fitted into a box, as a layer.
    private func fitted(_ words: String, _ width: Double, _ height: Double, _ more: String = ", \"maximumSize\": 400") throws
        -> Layer
    {
        try Drawing(
            chain(
                text(
                    words, "DejaVu Sans", 16, ", \"wrapWidth\": \(width), \"fitWidth\": \(width), \"fitHeight\": \(height)\(more)"
                ),
                solid("black"))
        ).layer
    }

    /// At one size, in as many lines as it needs.
    private func plainly(_ words: String, _ size: Double, _ width: Double) throws -> Layer {
        try Drawing(chain(text(words, "DejaVu Sans", size, ", \"wrapWidth\": \(width)"), solid("black"))).layer
    }

    /// Frame and ink.
    private func extent(_ layer: Layer) throws -> Rect { layer.frame.union(try #require(layer.outline).inkBounds) }

    @Test(
        "B15 autofit: the largest size that fits, and nothing is lost",
        arguments: [
            (490.0, 725.0, 0), (1400, 600, 1), (330, 330, 2), (330, 330, 3), (90, 40, 1), (2000, 60, 0),
        ])
    func b15(width: Double, height: Double, which: Int) throws {
        let words = [
            paragraphs, "FIVE WORDS MAKE A TITLE", "The same sentence in a square box.", "the same sentence in a square box.",
        ][which]
        let layer = try fitted(words, width, height)
        let size = try #require(layer.text?.size)
        let box = try extent(layer)
        #expect(box.width <= width + 1e-6 && box.height <= height + 1e-6)
        // All of it is there: the same ink as at that size with room for everything.
        let whole = try plainly(words, size, width)
        #expect(near(try #require(layer.outline).polygons().area, try #require(whole.outline).polygons().area, 1))
        // One px more would not fit.
        let more = try extent(plainly(words, size + 1, width))
        #expect(size >= 399.9 || more.width > width || more.height > height, "\(size) was not the largest")
    }

    @Test("B15 autofit: small changes have small effects")
    func b15Steady() throws {
        func size(_ words: String, _ width: Double, _ height: Double) throws -> Double {
            try #require(try fitted(words, width, height).text?.size)
        }
        let sentence = "he same sentence in a square box."
        let large = try size("T" + sentence, 330, 330)
        #expect(abs(try size("t" + sentence, 330, 330) / large - 1) <= 0.03)
        for (dx, dy) in [(1.0, 0.0), (-1, 0), (0, 1), (0, -1)] {
            #expect(abs(try size("T" + sentence, 330 + dx, 330 + dy) / large - 1) <= 0.03)
        }
        #expect(try size("T" + sentence, 331, 331) >= large - 1.0 / 64)
        #expect(try fitted("Hi", 400, 100, ", \"maximumSize\": 60").text?.size == 60)
    }

    @Test("B15 autofit: what does not fit at the smallest size is refused")
    func b15Refusal() throws {
        #expect(throws: (any Error).self) { try fitted("Hi there", 5, 5, ", \"minimumSize\": 8") }
        #expect(try fitted("Hi", 5, 5, ", \"minimumSize\": 0.5").text?.size ?? 0 < 8)
    }

    private let compound = "a Donaudampfschifffahrt"

    private func wrapped(_ words: String, _ width: Double, _ mode: String) throws -> Layer {
        try Drawing(chain(text(words, "DejaVu Sans", 40, ", \"wrapWidth\": \(width), \"wrap\": \"\(mode)\""), solid("black")))
            .layer
    }

    /// Lines by the distance of first and last baseline.
    private func lines(_ layer: Layer) throws -> Int {
        let facts = try #require(layer.text)
        let pitch = try Drawing(chain(text("x", "DejaVu Sans", 40), solid("black"))).layer.frame.height
        return Int(((facts.lastBaseline.y - facts.baseline.y) / pitch).rounded()) + 1
    }

    private func area(_ layer: Layer) throws -> Double { try #require(layer.outline).polygons().area }

    @Test("B16 wrap-long-word: each mode does what its name says")
    func b16() throws {
        // Letters of this text neither touch nor join, so ink adds up: nothing is dropped, no hyphen invented.
        let ink = try area(
            Drawing(chain(text(compound, "DejaVu Sans", 40, ", \"features\": [\"liga=0\"]"), solid("black"))).layer)
        for mode in ["word-char", "char"] {
            let layer = try wrapped(compound, 100, mode)
            #expect(try #require(layer.outline).inkBounds.maxX <= 100 + 1e-6)
            #expect(try lines(layer) > 3)
            #expect(abs(try area(layer) / ink - 1) < 0.005, "\(mode)")
        }
        let single = try wrapped(compound, 100, "none")
        #expect(try lines(single) == 1)
        let words = try wrapped(compound, 100, "word")
        #expect(try lines(words) == 2)
    }

    @Test("B16 wrap-long-word: very long words, very narrow boxes", arguments: ["word-char", "char", "word", "none"])
    func b16Extremes(mode: String) throws {
        let endless = String(repeating: "abcdefghij", count: 20)
        for width in [1.0, 100, 333] {
            var begin = timespec()
            clock_gettime(CLOCK_MONOTONIC, &begin)
            let layer = try wrapped(endless, width, mode)
            var end = timespec()
            clock_gettime(CLOCK_MONOTONIC, &end)
            #expect(Double(end.tv_sec - begin.tv_sec) < 20)
            if mode.hasSuffix("char") {
                // Two hundred letters, as many as fit in a line, at least one.
                #expect(try lines(layer) >= Int(200 * 10 / max(width, 10)) / 2)
                if width == 1 { #expect(try lines(layer) == 200) }
            } else {
                #expect(try lines(layer) == 1)
            }
        }
    }

    @Test("B16 wrap-long-word: a zero-width space breaks without a hyphen")
    func b16ZeroWidth() throws {
        let layer = try wrapped("Donau\u{200B}dampf\u{200B}schiff", 150, "word")
        #expect(try lines(layer) == 3)
        let ink = try ["Donau", "dampf", "schiff"].reduce(0) { $0 + (try area(wrapped($1, 1000, "none"))) }
        #expect(abs(try area(layer) / ink - 1) < 0.001)
        // A soft hyphen is one only where it breaks.
        #expect(near(try area(wrapped("Donau\u{AD}dampf", 1000, "word")), try area(wrapped("Donaudampf", 1000, "word")), 0.5))
    }
}
