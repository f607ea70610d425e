import Testing
import TextPlugin

/// Numbers that other programs measured with Debian's DejaVu at 100 px; the reports they come from are in the cases' table.
@Suite struct WidthTests {
    @Test(arguments: [
        ("AV", 130.4), ("To", 105.3), ("office", 274.4), ("%", 95.0), ("سلام", 205.4), ("لا", 57.0), ("مرحبا", 231.2),
        ("Tom & Jerry", 574.9), ("50% off", 384.1), ("50 off", 289.1), ("100%", 285.9), ("100", 190.9), ("C:\\new", 343.9),
        ("@", 100.0),
    ])
    func advance(text: String, expected: Double) throws {
        #expect(try abs(width(text) - expected) <= 0.06)
    }

    /// The advances of single letters are what kerning, ligatures and joining change.
    @Test(arguments: [("AV", 136.8), ("To", 122.3), ("سلام", 284.4), ("لا", 100.4), ("مرحبا", 296.7)])
    func sumOfLetters(text: String, expected: Double) throws {
        let sum = try text.unicodeScalars.reduce(0.0) { $0 + (try width(String($1))) }
        #expect(abs(sum - expected) <= 0.06)
    }

    @Test func kerningCanBeTurnedOff() throws {
        #expect(try abs(masked("AV", ["kerning": .boolean(false)]).frame.width - 136.8) <= 0.06)
        #expect(try abs(masked("AV", ["features": .list([.string("-kern")])]).frame.width - 136.8) <= 0.06)
    }

    @Test func featuresTurnLigaturesOff() throws {
        #expect(try abs(masked("office", ["features": .list([.string("-liga")])]).frame.width - 275.9) <= 0.06)
        #expect(throws: (any Error).self) { try masked("office", ["features": .list([.string("liga==")])]) }
    }

    @Test(arguments: [0.5, 16, 100, 5000, 16384]) func advancesScale(size: Double) throws {
        // 633.3398: another program's figure for 100 px, in font units 12970.8/2048.
        let one = try typed("Labelpipe", "DejaVu Sans", size)
        #expect(try abs(one.frame.width / size * 100 - (width("Labelpipe"))) < 1e-6)
        #expect(one.text?.size == size)
    }

    @Test func longTextsStayFast() throws {
        let words = (0..<20_000).map { "word\($0 % 977) " }.joined()
        let clock = ContinuousClock()
        let time = try clock.measure {
            let layer = try typed(words, "DejaVu Sans", 20) {
                $0.wrapWidth = 800
                $0.letterSpacing = { _ in 1.5 }
            }
            #expect(layer.frame.width <= 800)
        }
        #expect(time < .seconds(5), "\(time)")
        #expect(try clock.measure { _ = try typed(words, "DejaVu Sans", 20) { $0.fitWidth = 5000 } } < .seconds(5))
    }
}
