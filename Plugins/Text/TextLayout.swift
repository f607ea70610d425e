import CText
import LabelpipeKit
import Outline

/// From settings to a layer.
package enum TextLayout {
    /// **Errors**: of fonts, of fitting, and `missing-glyph` where that is to fail.
    /// **Cost**: some 0.15 ms for a short text, after the first.
    package static func layer(_ settings: TextSettings, engine: TextEngine, report: (Note) -> Void) throws -> Layer {
        try engine.withFonts(file: settings.font.file) { fonts in
            let fonts = try ChosenFonts(settings.font, fonts)
            let composer = Composer(settings, Shaping(fonts, settings))
            try Reports(composer, fonts).send(report)
            return try TextMarks(composer.block(), composer).layer
        }
    }
}
