import LabelpipeKit
import Vips

/// How a picture that is drawn on writes its pixels.
struct Encoding: Sendable {
    enum Model: Sendable, Hashable { case grey, rgb, cmyk }

    let model: Model
    let hasAlpha: Bool
    let format: PixelFormat
    /// The value of a full sample.
    let full: Float
    /// Samples are light itself (scRGB).
    let isLinear: Bool
    /// Colours of labels into the picture's space; nil: they are sRGB there as well.
    let converter: ColorConverter?

    /// Colour channels.
    var channels: Int {
        switch model {
        case .grey: 1
        case .rgb: 3
        case .cmyk: 4
        }
    }
    var bands: Int { channels + (hasAlpha ? 1 : 0) }
    /// Its colours are sRGB's, encoded.
    var isPlainRGB: Bool { model == .rgb && converter == nil && !isLinear }
}

extension Encoding {
    /// A picture that labels can be drawn on: the same one wherever its own format will do, else one that is converted sensibly.
    ///
    /// Grey becomes colour for a coloured label only; Lab and its kin become sRGB.
    /// **Errors**: more bands than a colour has.
    static func drawable(_ picture: Picture, forGrey labelIsGrey: Bool) throws -> (Picture, Encoding) {
        var image = picture.image
        var changed = false
        var kind = image.likelyInterpretation
        let deep = picture.isDeep
        switch image.format {
        case .uchar, .ushort, .float, .char, .short, .uint, .int: break
        case .double:
            image = try image.cast(.float)
            changed = true
        case .complex, .dpcomplex:
            throw DrawingError("picture-format", "a label cannot be drawn on samples of the format \(image.format)")
        }
        if ![.srgb, .rgb16, .bw, .grey16, .cmyk, .scrgb, .rgb, .multiband].contains(kind) {
            image = try image.colourspace(deep ? .rgb16 : .srgb)
            changed = true
            kind = image.likelyInterpretation
        }
        var colours = image.bands - (image.hasAlpha ? 1 : 0)
        if kind == .multiband || kind == .rgb { colours = image.bands > 2 ? 3 : 1 }
        let model: Model
        switch colours {
        case _ where kind == .cmyk: model = .cmyk
        case 1: model = .grey
        case 3: model = .rgb
        default:
            throw DrawingError("picture-bands", "a label cannot be drawn on a picture with \(image.bands) bands")
        }
        guard image.bands <= (model == .grey ? 2 : model == .rgb ? 4 : 5) else {
            throw DrawingError("picture-bands", "a label cannot be drawn on a picture with \(image.bands) bands")
        }
        if model == .grey, !labelIsGrey {
            let colour = try coloured(image, deep: deep)
            return try drawable(
                Picture(colour, orientation: picture.orientation), forGrey: true)
        }
        let hasAlpha = image.bands > (model == .grey ? 1 : model == .rgb ? 3 : 4)
        let encoding = Encoding(
            model: model, hasAlpha: hasAlpha, format: image.format, full: Float(image.fullIntensity), isLinear: kind == .scrgb,
            converter: try converter(image, model, isLinear: kind == .scrgb))
        let drawn = changed ? Picture(image, orientation: picture.orientation) : picture
        return (drawn, encoding)
    }

    /// A grey picture in sRGB, through its profile if it has one that fits.
    private static func coloured(_ image: Image, deep: Bool) throws -> Image {
        if image.format.isMeasured {
            // No space of libvips' has such samples.
            let grey = try image.extractBand(0, count: 1)
            let alpha = image.bands > 1 ? [try image.extractBand(1, count: 1)] : []
            return try Operation("bandjoin").set("in", [grey, grey, grey] + alpha).image().copy(interpretation: .rgb)
                .removing(["icc-profile-data"])
        }
        if image.hasProfile, image.format != .float, let converted = try? image.iccTransform(to: "srgb", depth: deep ? 16 : 8),
            converted.bands >= 3
        {
            return converted
        }
        // A profile for grey does not fit what follows.
        let bare = image.hasProfile ? try image.removing(["icc-profile-data"]) : image
        return try bare.colourspace(deep ? .rgb16 : .srgb)
    }

    private static func converter(_ image: Image, _ model: Model, isLinear: Bool) throws -> ColorConverter? {
        if isLinear { return nil }
        let channels = model == .grey ? 1 : model == .rgb ? 3 : 4
        if let profile = image.profile, let own = ColorConverter(profile: profile, channels: channels) {
            return own.isIdentity ? nil : own
        }
        if model != .cmyk { return nil }
        guard let standard = try standardCMYK.get() else {
            throw DrawingError("cmyk-profile", .missing, "the picture has no CMYK profile, and libvips' own cannot be used")
        }
        return standard
    }

    /// CMYK without a profile: libvips' own default, by which it also shows such pictures.
    private static let standardCMYK = Once<ColorConverter?> {
        ColorConverter(profile: try Operation("profile_load").set("name", "cmyk").run().bytes("profile"), channels: 4)
    }
}

extension Encoding {
    /// A row of premultiplied sRGB as straight colours of the picture, alpha last lane or, for CMYK, in `alphas`.
    func encode(
        _ row: UnsafeMutablePointer<Pixel>, alphas: UnsafeMutablePointer<Float>, opacity: Float, count: Int
    ) {
        for i in 0..<count {
            let p = row[i].straight
            alphas[i] = min(p.w, 1) * opacity
            row[i] = clamped(p, 0, 1)
        }
        if let converter {
            converter.convert(row, count: count)
        } else if model == .grey {
            // Equal channels: any of them.
        } else if isLinear {
            for i in 0..<count where alphas[i] > 0 { row[i] = Transfer.decode(row[i]) }
        }
    }
}
