import CText
import LabelpipeKit
import Outline

/// From settings to a layer.
package enum TextLayout {
    /// **Errors**: of fonts, of fitting, and `missing-glyph` where that is to fail.
    /// **Cost**: some 0.15 ms for a short text, after the first.
    package static func layer(_ settings: TextSettings, engine: TextEngine, report: (Note) -> Void) throws -> Layer {
        try engine.withFonts(file: settings.fontFile) { fonts in
            let (composer, choice) = try composer(settings, fonts)
            try Reports(composer, choice).send(report)
            let block = try composer.block()
            return try TextMarks(block, composer).layer
        }
    }

    static func composer(_ settings: TextSettings, _ fonts: FontBook) throws -> (Composer, FontChoice) {
        let choice = try FontChoice(settings.font, in: fonts)
        var style = choice.style
        if let weight = settings.weight { style.weight = weight }
        let description = FontDescription(families: choice.families, style: style, axes: settings.axes)
        // Never the locale's: the same document draws the same everywhere.
        let language: OpaquePointer = pango_language_from_string(settings.language ?? "en")
        guard let primary = fonts.face(description, language: language) else {
            throw DrawingError("font-missing", .missing, "no face of \"\(settings.font)\" can be loaded")
        }
        if let file = fonts.file, primary.file != file.path {
            throw DrawingError(
                "font-unreadable", .missing, "cannot use the font file \"\(file.path)\": it is not a TrueType or OpenType font",
                help: "convert it to .ttf or .otf")
        }
        let hasSpacing = settings.letterSpacing(settings.size) != 0
        let shaping = Shaping(
            fonts: fonts, font: description, primary: primary, language: language,
            features: FontFeature.list(settings, hasSpacing: hasSpacing))
        return (Composer(settings, shaping), choice)
    }
}
