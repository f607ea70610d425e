import LabelpipeKit
import Outline
import Testing
import TextPlugin

/// Text is text: nothing in it is markup, a template, an escape or a file's name.
@Suite struct PlainTextTests {
    @Test(arguments: [
        "Tom & Jerry <3 \"5>4\" <b>x</b> &amp; &lt;", "50% off", "%{pts}", "%w %d %s", "Don't: stop; now", "C:\\new\\table",
        "${HOME} {name}", "[..] vs [..]", "\\\\", "@canary.txt", "@me", "-", "file:///etc/hostname", "{x}", "$5",
    ])
    func everyCharacterIsDrawn(text: String) throws {
        // Without kerning and ligatures the width is the sum of the letters'.
        let whole = try typed(text) { $0.features = ["-kern", "-liga"] }
        let sum = try text.reduce(0.0) { sum, letter in sum + (try width(String(letter))) }
        #expect(abs(whole.frame.width - sum) < 1e-6)
        #expect(whole.glyphs.count == text.count(where: { $0 != " " }))
    }

    @Test func composedAndDecomposedLettersAreTheSame() throws {
        let (nfc, nfd) = (try typed("Approuvé — Non Publié © 2024"), try typed("Approuve\u{301} — Non Publie\u{301} © 2024"))
        #expect(nfc.frame == nfd.frame && abs(nfc.area / nfd.area - 1) < 0.02)
        #expect(nfc.text == nfd.text)
    }

    @Test func controlCharactersDoNoHarm() throws {
        let notes = Notes()
        #expect(try typed("a\0b", notes: notes).frame.width > width("ab"))
        #expect(try typed("a\u{7}b", notes: notes).frame.width > 0)
    }

    /// Whatever is thrown at it: a frame of finite size, lines within the limits, no crash.
    @Test func anythingGoes() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(state: seed)
        let pieces = [
            "a", "fi", "W", "g\u{301}\u{323}", " ", "  ", "\t", "\n", "\r\n", "\u{A0}", "\u{AD}", "\u{200B}", "\u{200D}",
            "\u{200F}",
            "\u{202E}", "\u{2066}", "\u{2069}", "سلام", "לא", "12", "世界", "👨‍👩‍👧", "🇩🇪", "❤️", "\u{FE0F}", "\u{301}", "\u{10FFFD}",
            "\0", "-", "…",
            "\u{2028}", "ก็ำ", "क्षि", "한", "\u{FEFF}",
        ]
        for _ in 0..<400 {
            let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
            let limit = Double.random(in: 0...300, using: &random)
            var settings = try TextMask(arguments(["text": .string(text), "font": .string("DejaVu Sans")])).settings
            settings.size = Double.random(in: 0.5...80, using: &random)
            settings.wrapWidth = Bool.random(using: &random) ? limit : nil
            settings.wrap = TextWrap.allCases.randomElement(using: &random) ?? .word
            settings.overflow = TextOverflow.allCases.randomElement(using: &random) ?? .clip
            settings.align = TextAlign.allCases.randomElement(using: &random) ?? .left
            settings.direction = TextDirection.allCases.randomElement(using: &random) ?? .auto
            settings.maxLines = Bool.random(using: &random) ? Int.random(in: 1...3, using: &random) : nil
            settings.orphans = Bool.random(using: &random)
            settings.underline = Bool.random(using: &random)
            let spacing = Double.random(in: -3...3, using: &random)
            settings.letterSpacing = { _ in spacing }
            // Not below a few px: what narrower than a letter of the smallest size comes to is open.
            if Bool.random(using: &random) { settings.fitWidth = max(limit, 8) }
            let layer: Layer
            do {
                layer = try TextLayout.layer(settings, engine: testFonts) { _ in }
            } catch let error as DrawingError where error.code == "text-does-not-fit" {
                continue
            }
            #expect(layer.frame.width.isFinite && layer.frame.height.isFinite, "seed \(seed): \(text.debugDescription)")
            #expect(layer.frame.width >= 0 && layer.frame.height >= 0)
            if let lines = settings.maxLines { #expect(layer.lines.count <= lines, "seed \(seed): \(text.debugDescription)") }
            if let width = settings.fitWidth {
                #expect(layer.frame.width <= width + 1e-6, "seed \(seed): \(text.debugDescription)")
            }
            _ = layer.outline?.polygons()
        }
    }
}
