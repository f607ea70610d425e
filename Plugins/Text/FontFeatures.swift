import CText
import LabelpipeKit

/// An OpenType feature as CSS or HarfBuzz write it.
struct FontFeature {
    let value: hb_feature_t

    init?(_ text: String) {
        var feature = hb_feature_t()
        guard hb_feature_from_string(text, Int32(text.utf8.count), &feature) != 0 else { return nil }
        value = feature
    }

    /// What a text is shaped with: the later of two that contradict each other wins.
    static func list(_ settings: TextSettings, hasSpacing: Bool) -> [hb_feature_t] {
        // Optional ligatures would be letters without the room between them; required ones (rlig) stay.
        let own = (hasSpacing ? ["-liga", "-clig"] : []) + (settings.kerning ? [] : ["-kern"])
        return (own + settings.features).compactMap { FontFeature($0)?.value }
    }
}

/// The axes of a variable font, as written in a document.
enum FontAxes {
    static func read(_ value: Value?, problem: (_ expected: String, _ got: String) -> any Error) throws -> [(
        tag: String, value: Double
    )] {
        guard case .object(let axes)? = value else { return [] }
        return try axes.sorted { $0.key < $1.key }.compactMap { tag, value in
            guard tag.utf8.count == 4, tag.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x2C && $0 != 0x3D }) else {
                throw problem("axis tags of four characters, such as \"wght\"", "\"\(tag)\"")
            }
            guard case .number(let number) = value else { return nil }
            return (tag, number)
        }
    }
}
