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
}
