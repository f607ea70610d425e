import LabelpipeKit
import Outline
import Testing
import TextPlugin

/// Colour glyphs: Noto Color Emoji has pictures of 136 × 128 px on an advance of 1.245 em.
@Suite struct EmojiTests {
    func pictures(_ layer: Layer) -> [(Picture, Affine)] {
        layer.body?.contents.compactMap { if case .picture(let picture, let affine) = $0 { (picture, affine) } else { nil } }
            ?? []
    }

    @Test func lettersAndEmoji() throws {
        let layer = try typed("OK 🧩 ❤️", "DejaVu Sans", 40)
        #expect(pictures(layer).count == 2 && layer.body?.contents.count == 3)
        #expect(layer.glyphs.count == 2, "a fill by glyph leaves emoji alone")
        let (picture, affine) = try #require(pictures(layer).first)
        #expect(picture.image.hasAlpha && picture.width == 136 && picture.height == 128)
        // Measured at 100 px: 124.77 × 117.43.
        #expect(abs(affine.a * 136 - 0.4 * 124.77) < 0.01 && abs(affine.d * 128 - 0.4 * 117.43) < 0.01)
    }

    @Test(arguments: ["👨‍👩‍👧", "🇩🇪", "👎🏾", "❤️"]) func sequencesHold(text: String) throws {
        let layer = try typed(text)
        #expect(pictures(layer).count == 1 && abs(layer.frame.width - 124.51) < 0.01)
    }

    /// What is text by default stays text: a copyright sign is no emoji.
    @Test func signsAreLetters() throws {
        let notes = Notes()
        let layer = try typed("© 2026 #1 * ™ ❤", notes: notes)
        #expect(pictures(layer).isEmpty && notes.all.isEmpty)
    }

    @Test func emojiStandSideBySide() throws {
        #expect(try abs(width("🌏🌏🌏") - 3 * 124.51) < 0.05)
        let fitted = try typed("😂👍👎🏾", "DejaVu Sans", 400) {
            $0.fitWidth = 200
            $0.fitHeight = 60
        }
        let all = fitted.frame.union(fitted.ink)
        #expect(all.width <= 200 + 1e-6 && all.height <= 60 + 1e-6 && (fitted.text?.size ?? 0) > 40)
    }

    /// A stroke goes round the silhouette: the traced edge of the alpha.
    @Test func silhouette() throws {
        let layer = try typed("🌏")
        let outline = try #require(layer.outline)
        // A globe of 0.97 of the height.
        let share = outline.polygons().area / (124.77 * 117.43)
        #expect(share > 0.6 && share < 0.8, "\(share)")
        #expect(layer.ink.grown(by: 0.01).contains(outline.inkBounds))
        #expect(outline.grown(by: 5).inkBounds.width > outline.inkBounds.width + 9.9)
    }

    @Test func cutEmoji() throws {
        for overflow in [TextOverflow.clip, .fade] {
            let layer = try typed("🌏🌏🌏") {
                $0.wrapWidth = 200
                $0.wrap = .none
                $0.overflow = overflow
            }
            #expect(abs(layer.frame.width - 200) < 1e-6)
            #expect((layer.outline?.inkBounds.maxX ?? 0) <= 200 + 1e-6)
        }
    }
}
