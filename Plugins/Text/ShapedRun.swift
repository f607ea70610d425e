import CText

/// What a text is shaped with.
struct Shaping {
    let fonts: ChosenFonts
    let features: [hb_feature_t]

    init(_ fonts: ChosenFonts, _ settings: TextSettings) {
        self.fonts = fonts
        features = FontFeature.list(settings, hasSpacing: settings.letterSpacing(settings.size) != 0)
    }

    /// As the font has it.
    init(_ fonts: ChosenFonts) { (self.fonts, features) = (fonts, []) }
}

/// A glyph of a shaped paragraph. em
struct ShapedGlyph {
    /// No font has it, and nothing is drawn.
    static let nothing = UInt32.max

    var id: UInt32
    /// The first byte of what it stands for.
    var cluster: Int
    var advance: Double
    var dx: Double
    /// y down
    var dy: Double
}

/// A part of a paragraph in one face and direction, its glyphs from left to right.
struct ShapedRun {
    let face: Face
    let range: Range<Int>
    /// Embedding level: odd from right to left.
    let level: UInt8
    let script: hb_script_t
    /// HarfBuzz' name of the language.
    let language: OpaquePointer?
    var glyphs: [ShapedGlyph]
    let isTab: Bool

    var isRightToLeft: Bool { level & 1 == 1 }

    /// Where, among the glyphs, what begins at `byte` begins on the page: clusters rise from left to right, or fall.
    func index(of byte: Int) -> Int {
        glyphs.firstIndex(sorted: { isRightToLeft ? $0.cluster < byte : $0.cluster >= byte })
    }
}
