import LabelpipeKit
import Vips

/// Brings a picture into a form that a format can hold, and says what it cannot.
struct Fitting {
    let settings: OutputSettings
    let format: SaveFormat
    private(set) var notes: [Note] = []

    init(settings: OutputSettings, format: SaveFormat) { (self.settings, self.format) = (settings, format) }

    private mutating func warn(_ code: String, _ message: String) { notes.append(Note(.warning, code, message)) }

    /// **Errors**: `VipsError`.
    mutating func image(of picture: Picture) throws -> Image {
        var image = picture.image
        if picture.pageCount > 1, !format.holdsFrames {
            warn(
                "frames-lost",
                "\(format.rawValue) holds one picture: \(picture.pageCount - 1) further frames or pages are left out")
            image = try image.extractArea(PixelBox(left: 0, top: 0, width: image.width, height: picture.storedHeight))
                .removing(["page-height", "n-pages"])
        }
        if picture.orientation != 1, !format.holdsOrientation {
            // Turning needs every pixel at once.
            image = try image.materialised().upright()
            image = try image.editingMetadata { $0.setOrientation(1) }
        }
        image = try converted(image)
        image = try withoutAlpha(image)
        return try narrowed(image)
    }

    /// Colours that the format can hold, or sRGB where the document asks for it.
    private mutating func converted(_ image: Image) throws -> Image {
        if image.interpretation == .cmyk, !format.holdsCMYK || settings.profile == .srgb {
            return try image.iccTransform(to: "srgb", assumed: "cmyk", depth: 8).removing(["icc-profile-data"])
        }
        if settings.profile == .srgb, image.hasProfile {
            return try image.iccTransform(to: "srgb", depth: image.format == .ushort ? 16 : 8).removing(["icc-profile-data"])
        }
        switch image.interpretation {
        case .lab, .labs, .labq, .lch, .xyz, .yxy, .cmc, .scrgb: return format == .tiff ? image : try image.colourspace(.srgb)
        default: return image
        }
    }

    private func withoutAlpha(_ image: Image) throws -> Image {
        guard image.hasAlpha, !format.holdsAlpha else { return image }
        let c = settings.background
        let full = image.fullIntensity
        let background =
            image.bands <= 2
            ? [(0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue) * full] : [c.red * full, c.green * full, c.blue * full]
        if image.bands <= 2, !c.isGrey {
            return try image.colourspace(image.format == .ushort ? .rgb16 : .srgb)
                .flattened(background: [c.red * full, c.green * full, c.blue * full])
        }
        return try image.flattened(background: background)
    }

    private mutating func narrowed(_ image: Image) throws -> Image {
        if image.format == .uchar { return image }
        if format.holdsSixteenBits, image.format == .ushort || format == .tiff { return image }
        if image.format == .ushort { warn("depth-lost", "\(format.rawValue) holds 8 bits: the picture has 16") }
        if image.interpretation == .cmyk { return try image.cast(.uchar, shifting: true) }
        if format.holdsSixteenBits, image.format != .ushort {
            return try image.colourspace(image.bands < 3 ? .grey16 : .rgb16)
        }
        return try image.colourspace(image.bands < 3 ? .bw : .srgb)
    }
}
