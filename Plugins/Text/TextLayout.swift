import CText
import LabelpipeKit
import Outline

/// From settings to a layer.
package enum TextLayout {
    /// **Errors**: of fonts, of fitting, and `missing-glyph` where that is to fail.
    /// **Cost**: some 0.15 ms for a short text, after the first.
    package static func layer(
        _ settings: TextSettings, engine: TextEngine, report: (Note) -> Void, uses: (UsedFile) -> Void = { _ in }
    ) throws -> Layer {
        try engine.withFonts(file: settings.font.file) { fonts in
            let fonts = try ChosenFonts(settings.font, fonts)
            let composer = Composer(settings, Shaping(fonts, settings))
            try Reports(composer, fonts).send(report)
            uses(fonts.primary.used)
            for paragraph in composer.paragraphs { for run in paragraph.runs { uses(run.face.used) } }
            let block = try composer.block()
            let layer = try TextMarks(block, composer).layer
            guard block.size < TextMask.smallestSize else { return layer }
            report(
                Note(.warning, "text-too-small", "a text is not drawn: its size comes to \(Float(block.size))px on this picture"))
            return layer.emptied
        }
    }
}

extension Layer {
    /// As an empty text is: nothing, 0 wide and as high as the first line.
    fileprivate var emptied: Layer {
        var layer = self
        layer.marks = []
        layer.outline = .empty
        layer.frame.width = 0
        return layer
    }
}
