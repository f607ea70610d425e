import CText

/// What Pango is asked for: families in order, and a style.
final class FontDescription {
    let pointer: OpaquePointer
    let families: [String]

    init(families: [String], style: FontStyle, axes: [(tag: String, value: Double)]) {
        self.families = families
        pointer = pango_font_description_new()
        pango_font_description_set_family(pointer, families.joined(separator: ","))
        pango_font_description_set_absolute_size(pointer, FontBook.referenceSize * Double(PANGO_SCALE))
        pango_font_description_set_weight(pointer, PangoWeight(UInt32(style.weight ?? 400)))
        pango_font_description_set_style(pointer, style.slant ?? PANGO_STYLE_NORMAL)
        pango_font_description_set_stretch(pointer, style.stretch ?? PANGO_STRETCH_NORMAL)
        if !axes.isEmpty {
            pango_font_description_set_variations(pointer, axes.map { "\($0.tag)=\($0.value)" }.joined(separator: ","))
        }
    }

    deinit { pango_font_description_free(pointer) }
}

/// The words after a family's name: `Bold`, `Extra Light Italic`.
struct FontStyle: Equatable {
    /// 1 to 1000
    var weight: Int?
    var slant: PangoStyle?
    var stretch: PangoStretch?

    init() {}

    /// nil: one of the words is no style. A number never is one.
    init?(words: some Sequence<Substring>) {
        // Hyphens and blanks inside a word do not count: Extra-Light, Extra Light, ExtraLight.
        let parts = words.flatMap { $0.lowercased().split(separator: "-") }
        var index = 0
        while index < parts.count {
            let pair = index + 1 < parts.count ? String(parts[index] + parts[index + 1]) : nil
            if let pair, set(pair) {
                index += 2
            } else if set(String(parts[index])) {
                index += 1
            } else {
                return nil
            }
        }
    }

    private mutating func set(_ word: String) -> Bool {
        if let weight = FontStyle.weights[word] {
            self.weight = weight
        } else if let slant = FontStyle.slants[word] {
            self.slant = slant
        } else if let stretch = FontStyle.stretches[word] {
            self.stretch = stretch
        } else {
            return FontStyle.plain.contains(word)
        }
        return true
    }

    /// All words of style.
    static var words: [String] { [String](weights.keys) + slants.keys + stretches.keys + plain }

    /// Weights by their words.
    static var numbers: [String: Int] { weights.merging(plain.prefix(2).map { ($0, 400) }) { own, _ in own } }

    private static let plain = ["regular", "normal", "roman", "upright"]
    /// What style words stand for.
    private static let weights = [
        "thin": 100, "hairline": 100, "ultralight": 200, "extralight": 200, "light": 300, "semilight": 350, "demilight": 350,
        "book": 380, "medium": 500, "semibold": 600, "demibold": 600, "demi": 600, "bold": 700, "ultrabold": 800,
        "extrabold": 800,
        "heavy": 900, "black": 900, "ultrablack": 1000, "extrablack": 1000, "ultraheavy": 1000,
    ]
    private static let slants = ["italic": PANGO_STYLE_ITALIC, "oblique": PANGO_STYLE_OBLIQUE]
    private static let stretches = [
        "ultracondensed": PANGO_STRETCH_ULTRA_CONDENSED, "extracondensed": PANGO_STRETCH_EXTRA_CONDENSED,
        "condensed": PANGO_STRETCH_CONDENSED, "narrow": PANGO_STRETCH_CONDENSED, "semicondensed": PANGO_STRETCH_SEMI_CONDENSED,
        "semiexpanded": PANGO_STRETCH_SEMI_EXPANDED, "expanded": PANGO_STRETCH_EXPANDED, "wide": PANGO_STRETCH_EXPANDED,
        "extraexpanded": PANGO_STRETCH_EXTRA_EXPANDED, "ultraexpanded": PANGO_STRETCH_ULTRA_EXPANDED,
    ]
}
