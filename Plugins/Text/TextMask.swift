import LabelpipeKit

/// A text, laid out as outlines: where its ink is, not yet what colour it has.
///
/// Glyphs stand at exact sub-pixel positions, unhinted. The pen origin of the first line is the plane's (0, 0); the frame is the advances
/// by the line boxes (ascent + descent of the fonts used, times `lineHeight`, `lineSpacing` between). Text is text: no markup, no
/// escapes, no file names.
///
///     { "effect": "text.mask", "text": "Sale", "font": "DejaVu Sans Bold", "size": 96 }
///
/// **Source**: Unicode Standard Annexes 9, 14 and 29 by Pango; shaping and outlines by HarfBuzz.
/// **See also**: `fill.solid`, `fill.gradient`, `stroke.outline`.
package struct TextMask: Effect {
    package let settings: TextSettings

    package static let declaration = EffectDeclaration(
        id: "text.mask",
        summary: "Text as a mask: unhinted outlines at exact positions, to be filled, stroked and shadowed.",
        output: .coverage,
        givesText: true,
        parameters: [
            text, font, fontFile, size, weight, axes, features, language, direction, align, wrapWidth, wrap, maxLines, overflow,
            fitWidth,
            fitHeight, minimumSize, maximumSize, letterSpacing, lineSpacing, baselineOffset, lineHeight, orphans, kerning,
            underline,
            strikethrough, missingGlyph,
        ],
        example: """
            [ { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 }, { "effect": "fill.solid", "color": "#3B7DD8" } ]
            """)

    // MARK: Parameters

    /// Below it no text is drawn. px
    static let smallestSize = 0.5

    private static let text = Parameter<String>.string("text", doc: "the text; line breaks, tabs and any script")
    private static let font = Parameter<String>.string(
        "font", default: "sans-serif",
        doc: "families, the best first, each with style words if need be: \"Inter Bold, sans-serif\"")
    private static let fontFile = Parameter<String>.path("fontFile", doc: "a TrueType or OpenType file, used before all families")
        .optional
    private static let size = Parameter<Double>.length(
        "size", default: "4vmin", otherwise: 16, range: smallestSize...16384, mayVanish: true,
        doc: "text size: px of one em; the largest one while fitting")
    private static let weight = Parameter<Int>.integer(
        "weight", range: 1...1000, words: FontStyle.numbers, doc: "400 regular, 700 bold; wins over a style word in font"
    ).optional
    private static let axes = Parameter<Value>.value(
        "axes", .numbers, doc: "a variable font's axes by tag: { \"wght\": 650, \"slnt\": -5 }"
    ).optional
    private static let features = Parameter<[String]>.list(
        of: .string("features", doc: "OpenType features: \"smcp\", \"-liga\", \"ss01=1\""), default: [])
    private static let language = Parameter<String>.string(
        "language", doc: "BCP 47 tag, for letter forms and line breaks: \"tr\", \"zh-Hant\""
    ).optional
    private static let direction = Parameter<TextDirection>.choice(
        "direction", default: "auto", doc: "reading direction; auto: that of each paragraph's first letter")
    private static let align = Parameter<TextAlign>.choice(
        "align", default: "natural",
        doc: "how lines of different width stand to each other; natural: at the side where reading begins")
    private static let wrapWidth = Parameter<Double>.length(
        "wrapWidth", range: 0...1_000_000,
        doc: "lines become no wider than this, in px; without it only the text's own breaks count"
    ).optional
    private static let wrap = Parameter<TextWrap>.choice(
        "wrap", default: "word-char",
        doc: "where lines may break; word-char: in a word only if it is wider than a line. Never hyphenates")
    private static let maxLines = Parameter<Int>.integer(
        "maxLines", range: 1...1_000_000, doc: "at most so many lines; the overflow rule ends the last"
    ).optional
    private static let overflow = Parameter<TextOverflow>.choice(
        "overflow", default: "ellipsis-end",
        doc: "what becomes of text that is too much for wrapWidth, maxLines or the box it is fitted to")
    private static let fitWidth = Parameter<Double>.length(
        "fitWidth", range: 0...1_000_000,
        doc: "the text becomes so small, in steps of 1/64 px, that frame and ink are no wider, in px"
    ).optional
    private static let fitHeight = Parameter<Double>.length(
        "fitHeight", range: 0...1_000_000, doc: "as fitWidth, for the height in px"
    ).optional
    private static let minimumSize = Parameter<Double>.length(
        "minimumSize", default: "1px", range: smallestSize...16384, mayVanish: true,
        doc: "the smallest size fitting may choose, in px; below it overflow decides")
    private static let maximumSize = Parameter<Double>.length(
        "maximumSize", range: smallestSize...16384, mayVanish: true,
        doc: "the largest size fitting may choose, in px; without it: size"
    ).optional
    private static let letterSpacing = Parameter<OwnLength>.ownLength(
        "letterSpacing", default: 0, doc: "room added between letters, in px or em; not 0: no optional ligatures")
    private static let lineSpacing = Parameter<OwnLength>.ownLength(
        "lineSpacing", default: 0, doc: "room added between lines, in px or em")
    private static let baselineOffset = Parameter<OwnLength>.ownLength(
        "baselineOffset", default: 0, doc: "moves the letters down within frame and baseline, in px or em")
    private static let lineHeight = Parameter<Double>.number(
        "lineHeight", default: 1, range: 0...100,
        doc: "factor of each line box, half of what it adds above the line and half below")
    private static let orphans = Parameter<Bool>.boolean(
        "orphans", default: true, doc: "false: a paragraph's last line is no single word if another one fits beside it")
    private static let kerning = Parameter<Bool>.boolean("kerning", default: true, doc: "the font's own kerning")
    private static let underline = Parameter<Bool>.boolean(
        "underline", default: false, doc: "a line where the font wants it, part of the mask")
    private static let strikethrough = Parameter<Bool>.boolean(
        "strikethrough", default: false, doc: "as underline, through the letters")
    private static let missingGlyph = Parameter<MissingGlyph>.choice(
        "missingGlyph", default: "warn", doc: "what a character that no font has leads to")

    package init(_ arguments: Arguments) throws {
        let a = arguments
        let axes = try FontAxes.read(a[Self.axes]) { a.problem(Self.axes, expected: $0, got: $1) }
        if let wrong = a[Self.features].first(where: { FontFeature($0) == nil }) {
            throw a.problem(
                Self.features, expected: "OpenType features such as \"smcp\", \"-liga\" or \"ss01=1\"", got: "\"\(wrong)\"")
        }
        if let largest = a[Self.maximumSize], largest < a[Self.minimumSize], a.isWritten(Self.minimumSize) {
            throw a.problem(Self.maximumSize, expected: "at least minimumSize, \(a[Self.minimumSize])px", got: "\(largest)px")
        }
        settings = TextSettings(
            text: a[Self.text],
            font: FontRequest(
                list: a[Self.font], file: a[Self.fontFile], weight: a[Self.weight], axes: axes, language: a[Self.language]),
            size: a[Self.size], features: a[Self.features], direction: a[Self.direction], align: a[Self.align],
            wrapWidth: a[Self.wrapWidth], wrap: a[Self.wrap], maxLines: a[Self.maxLines], overflow: a[Self.overflow],
            fitWidth: a[Self.fitWidth], fitHeight: a[Self.fitHeight], minimumSize: a[Self.minimumSize],
            maximumSize: a[Self.maximumSize] ?? (a.isWritten(Self.minimumSize) ? max(a[Self.size], a[Self.minimumSize]) : nil),
            letterSpacing: a[Self.letterSpacing].px, lineSpacing: a[Self.lineSpacing].px,
            baselineOffset: a[Self.baselineOffset].px, lineHeight: a[Self.lineHeight], orphans: a[Self.orphans],
            kerning: a[Self.kerning], underline: a[Self.underline], strikethrough: a[Self.strikethrough],
            missingGlyph: a[Self.missingGlyph])
    }

    package func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        try TextLayout.layer(settings, engine: .shared, report: context.report, uses: context.uses)
    }
}
