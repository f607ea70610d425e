import LabelpipeKit

/// Which font is asked for.
package struct FontRequest: Sendable {
    /// Families with style words, separated by commas.
    package var list: String
    package var file: String?
    /// 1 to 1000
    package var weight: Int?
    package var axes: [(tag: String, value: Double)] = []
    /// BCP 47
    package var language: String?
}

/// What a text is laid out by: the values of `text.mask`, those in em still open. px
package struct TextSettings: Sendable {
    package typealias OwnLength = @Sendable (_ em: Double) -> Double

    package var text: String
    package var font: FontRequest
    package var size: Double
    package var features: [String]
    package var direction: TextDirection
    package var align: TextAlign
    package var wrapWidth: Double?
    package var wrap: TextWrap
    package var maxLines: Int?
    package var overflow: TextOverflow
    package var fitWidth: Double?
    package var fitHeight: Double?
    package var minimumSize: Double
    package var maximumSize: Double?
    package var letterSpacing: OwnLength
    package var lineSpacing: OwnLength
    package var baselineOffset: OwnLength
    package var lineHeight: Double
    package var orphans: Bool
    package var kerning: Bool
    package var underline: Bool
    package var strikethrough: Bool
    package var missingGlyph: MissingGlyph
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
