import Diagnostics
import LabelpipeDrawing
import LabelpipeKit
import Vips

/// From a layer to a file.
package struct Saving {
    /// The picture that was drawn on.
    package struct Source {
        package let descriptor: Int32
        package let kind: FileKind
        package let image: Image

        package init(descriptor: Int32, kind: FileKind, image: Image) {
            (self.descriptor, self.kind, self.image) = (descriptor, kind, image)
        }
    }

    /// What became of it.
    package struct Report {
        /// `splice-stream`, `splice-coefficients`, `reencode`, `render`…: how the file was made, and why.
        package var mode: String
        package var notes: [Note]
    }

    package let settings: OutputSettings
    /// Its extension may decide the format.
    package let name: [UInt8]
    package let source: Source?
    package let isTolerant: Bool

    package init(settings: OutputSettings, name: [UInt8], source: Source?, isTolerant: Bool) {
        (self.settings, self.name, self.source, self.isTolerant) = (settings, name, source, isTolerant)
    }

    /// Writes the layer to an empty file.
    ///
    /// **Errors**: `VipsError`, `DrawingError` with the cause `missing` for a codec that is not installed.
    package func save(_ layer: Layer, to descriptor: Int32) throws -> Report {
        guard let format = OutputFormat.chosen(settings, name: name, source: source?.kind) else {
            throw DrawingError("no-format", "no format for the output", help: "give its path an extension, .jpg .png .webp .tif …, or write \"format\"")
        }
        guard Saver.exists(format) else {
            throw DrawingError("codec-missing", .missing, "the installed libvips cannot write \(format.rawValue)")
        }
        var notes: [Note] = []
        let picture = try layer.image()
        var image = picture.image
        if picture.orientation != 1, !format.holdsOrientation { image = try image.upright() }
        image = try fitted(image, to: format, &notes)
        try Saver.save(image, to: descriptor, options(format), isTolerant: isTolerant)
        return Report(mode: "reencode", notes: notes)
    }

    /// The image in a form that the format can hold.
    private func fitted(_ image: Image, to format: SaveFormat, _ notes: inout [Note]) throws -> Image {
        var image = image
        if image.interpretation == .cmyk, !format.holdsCMYK { image = try image.colourspace(.srgb) }
        if image.hasAlpha, !format.holdsAlpha {
            let c = settings.background
            let full = image.fullIntensity
            let background =
                image.bands <= 2 ? [(0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue) * full] : [c.red * full, c.green * full, c.blue * full]
            image = try image.flattened(background: background)
        }
        if image.format != .uchar, !format.holdsSixteenBits {
            image = try image.colourspace(image.bands < 3 ? .bw : .srgb)
        }
        return image
    }

    private func options(_ format: SaveFormat) -> SaveOptions {
        switch format {
        case .jpeg:
            var jpeg = JPEGSaveOptions()
            if let quality = settings.quality { jpeg.quality = quality }
            return .jpeg(jpeg)
        case .png: return .png()
        case .webp: return .webp()
        case .tiff: return .tiff()
        case .avif: return .avif()
        case .heic: return .heic()
        case .gif: return .gif()
        case .jxl: return .jxl()
        case .ppm: return .ppm
        }
    }
}
