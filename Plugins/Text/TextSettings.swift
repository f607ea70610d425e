import LabelpipeKit

/// What a text is laid out by: the values of `text.mask`, those in em still open. px
package struct TextSettings: Sendable {
    package var text: String
    package var font: String
    package var fontFile: String?
    package var size: Double
    package var weight: Int?
    package var axes: [(tag: String, value: Double)] = []
    package var features: [String] = []
    package var language: String?
    package var direction = TextDirection.auto
    package var align = TextAlign.natural
    package var wrapWidth: Double?
    package var wrap = TextWrap.wordThenCharacter
    package var maxLines: Int?
    package var overflow = TextOverflow.ellipsisEnd
    package var fitWidth: Double?
    package var fitHeight: Double?
    package var minimumSize = 1.0
    package var maximumSize: Double?
    package var letterSpacing: @Sendable (_ em: Double) -> Double = { _ in 0 }
    package var lineSpacing: @Sendable (_ em: Double) -> Double = { _ in 0 }
    package var baselineOffset: @Sendable (_ em: Double) -> Double = { _ in 0 }
    package var lineHeight = 1.0
    package var orphans = true
    package var kerning = true
    package var underline = false
    package var strikethrough = false
    package var missingGlyph = MissingGlyph.warn

    package init(text: String, font: String, size: Double) { (self.text, self.font, self.size) = (text, font, size) }
}

package enum TextDirection: String, CaseIterable, Sendable {
    case auto
    case leftToRight = "ltr"
    case rightToLeft = "rtl"
}

package enum TextAlign: String, CaseIterable, Sendable { case natural, left, center, right, justify }

package enum TextWrap: String, CaseIterable, Sendable {
    case none, word
    case wordThenCharacter = "word-char"
    case character = "char"
}

package enum TextOverflow: String, CaseIterable, Sendable {
    case clip
    case ellipsisStart = "ellipsis-start"
    case ellipsisMiddle = "ellipsis-middle"
    case ellipsisEnd = "ellipsis-end"
    case fade
}

package enum MissingGlyph: String, CaseIterable, Sendable { case warn, fail, ignore }
