/// The file formats that can be written.
public enum SaveFormat: String, Sendable, CaseIterable {
    case jpeg, png, webp, tiff, avif, heic, gif, jxl, ppm

    /// What a file of this format, written by ``Saver``, carries of a picture. What it does not, is lost or converted by
    /// libvips without a word: whoever saves has to say so, or to turn and convert before.
    /// - Source: libvips 8.14; each one is written and read again by `FormatTests`.
    public var abilities: FormatAbilities {
        switch self {
        case .jpeg: [.profile, .orientation, .exif, .xmp, .iptc, .resolution, .cmyk]
        case .png: [.profile, .orientation, .exif, .xmp, .resolution, .alpha, .sixteenBits]
        case .webp: [.profile, .orientation, .exif, .xmp, .alpha, .pages]
        case .tiff:
            [.profile, .orientation, .xmp, .iptc, .resolution, .alpha, .sixteenBits, .float, .cmyk, .pages]
        case .avif, .heic: [.profile, .exif, .xmp, .alpha, .sixteenBits, .pages]
        case .gif: [.alpha, .pages]
        case .jxl: [.profile, .alpha, .sixteenBits, .float]
        case .ppm: [.sixteenBits]
        }
    }
}

/// What a file format can carry.
public struct FormatAbilities: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let profile = FormatAbilities(rawValue: 1 << 0)
    /// EXIF's orientation as a tag. HEIF and JXL turn by other means, which libvips does not write.
    public static let orientation = FormatAbilities(rawValue: 1 << 1)
    /// The field `exif-data`.
    public static let exif = FormatAbilities(rawValue: 1 << 2)
    /// The field `xmp-data`.
    public static let xmp = FormatAbilities(rawValue: 1 << 3)
    /// The field `iptc-data`.
    public static let iptc = FormatAbilities(rawValue: 1 << 4)
    /// Pixels per mm, apart from EXIF.
    public static let resolution = FormatAbilities(rawValue: 1 << 5)
    public static let alpha = FormatAbilities(rawValue: 1 << 6)
    /// More than 8 bits a sample; HEIF has 12 at most.
    public static let sixteenBits = FormatAbilities(rawValue: 1 << 7)
    public static let float = FormatAbilities(rawValue: 1 << 8)
    public static let cmyk = FormatAbilities(rawValue: 1 << 9)
    /// Several pages or frames, told by `page-height`.
    public static let pages = FormatAbilities(rawValue: 1 << 10)
}
