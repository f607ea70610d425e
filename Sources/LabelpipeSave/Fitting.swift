import LabelpipeKit
import Vips

/// Brings a picture into a form that a format can hold, and says what it cannot.
struct Fitting {
    let settings: OutputSettings
    let format: SaveFormat
    let source: FileKind?
    private(set) var notes: [Note] = []

    init(settings: OutputSettings, format: SaveFormat, source: FileKind?) {
        (self.settings, self.format, self.source) = (settings, format, source)
    }

    private mutating func warn(_ code: String, _ message: String) { notes.append(Note(.warning, code, message)) }

    /// **Errors**: `VipsError`.
    mutating func image(of picture: Picture) throws -> Image {
        var image = try frames(of: picture)
        if picture.orientation != 1, !format.holdsOrientation {
            image = try upright(image, storedHeight: picture.storedHeight)
        }
        image = try converted(image)
        image = try withoutAlpha(image)
        return try narrowed(image)
    }

    private mutating func frames(of picture: Picture) throws -> Image {
        let image = picture.image
        guard picture.pageCount > 1 else { return image }
        let further = picture.pageCount - 1
        if !format.holdsFrames {
            warn("frames-lost", "\(format.rawValue) holds one picture: \(further) further frames or pages are left out")
            return try image.extractArea(PixelBox(left: 0, top: 0, width: image.width, height: picture.storedHeight))
                .removing(["page-height", "n-pages", "delay", "loop"])
        }
        if !format.isAnimated, image.has("delay") {
            warn("timing-lost", "\(format.rawValue) holds pages: the frames' delays are left out")
        } else if format.isAnimated, !image.has("delay") {
            warn("pages-animated", "\(format.rawValue) holds frames: the pages follow each other as an animation")
        }
        return image
    }

    /// Turning needs every pixel at once; each page is turned for itself.
    private func upright(_ image: Image, storedHeight: Int) throws -> Image {
        let memory = try image.materialised()
        let pages = image.height / storedHeight
        guard pages > 1 else { return try memory.upright().editingMetadata { $0.setOrientation(1) } }
        let turned = try (0..<pages).map { page in
            try memory.extractArea(
                PixelBox(left: 0, top: page * storedHeight, width: image.width, height: storedHeight)
            ).removing(["page-height"]).upright()
        }
        return try Image.arrayjoin(turned).editingMetadata { editor in
            editor.setOrientation(1)
            editor.set("page-height", .integer(turned[0].height))
        }
    }

    /// Colours that the format can hold, or sRGB where the document asks for it.
    private mutating func converted(_ image: Image) throws -> Image {
        let depth = image.format == .ushort ? 16 : 8
        if image.interpretation == .cmyk, !format.holdsCMYK || settings.profile == .srgb {
            return try image.iccTransform(to: "srgb", assumed: "cmyk", depth: depth).removing(["icc-profile-data"])
        }
        if settings.profile == .srgb || !format.holdsProfile, image.hasProfile {
            return try image.iccTransform(to: "srgb", depth: depth).removing(["icc-profile-data"])
        }
        switch image.interpretation {
        case .lab, .labs, .labq, .lch, .xyz, .yxy, .cmc, .scrgb: return format == .tiff ? image : try image.colourspace(.srgb)
        default: return image
        }
    }

    private mutating func withoutAlpha(_ image: Image) throws -> Image {
        guard image.hasAlpha, !format.holdsAlpha else { return image }
        notes.append(Note(.note, "alpha-lost", "\(format.rawValue) holds no transparency: the picture lies on the background"))
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
        if format == .tiff || format.mostBits == 16 && image.format == .ushort { return image }
        if image.format.isMeasured {
            warn(
                "depth-lost",
                "\(format.rawValue) holds no samples of the format \(image.format): their largest value becomes white")
            let isDeep = format.mostBits > 8
            let scale = (isDeep ? 65535 : 255) / image.fullIntensity
            return try Operation("linear").set("in", image).set("a", [scale]).set("b", [0.5]).image()
                .cast(isDeep ? .ushort : .uchar)
                .copy(interpretation: image.bands < 3 ? (isDeep ? .grey16 : .bw) : isDeep ? .rgb16 : .srgb)
        }
        if image.format == .ushort {
            // HEIF's own pictures of 10 or 12 bits come as 16.
            let bits = [.avif, .heic].contains(source) ? min(12, image.integer("bits-per-sample") ?? 12) : 16
            if bits > format.mostBits {
                warn("depth-lost", "\(format.rawValue) holds \(format.mostBits) bits: the picture has \(bits)")
            }
            if format.mostBits > 8 { return image }
        }
        if image.interpretation == .cmyk { return try image.cast(.uchar, shifting: true) }
        if format.mostBits > 8, image.format != .ushort {
            return try image.colourspace(image.bands < 3 ? .grey16 : .rgb16)
        }
        return try image.colourspace(image.bands < 3 ? .bw : .srgb)
    }
}
