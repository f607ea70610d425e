/// A format with its saver's settings.
public enum SaveOptions: Sendable {
    case jpeg(JPEGSaveOptions = .init())
    case png(PNGSaveOptions = .init())
    case webp(WebPSaveOptions = .init())
    case tiff(TIFFSaveOptions = .init())
    case avif(HEIFSaveOptions = .init())
    case heic(HEIFSaveOptions = .init())
    case gif(GIFSaveOptions = .init())
    case jxl(JXLSaveOptions = .init())
    case ppm

    public var format: SaveFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .tiff: .tiff
        case .avif: .avif
        case .heic: .heic
        case .gif: .gif
        case .jxl: .jxl
        case .ppm: .ppm
        }
    }
}

/// Colour at the resolution of brightness, or at half of it.
public enum ChromaSubsampling: String, Sendable {
    /// 4:4:4.
    case off
    /// 4:2:0.
    case on
    /// 4:2:0 below a quality of 90.
    case auto
}

public struct JPEGSaveOptions: Sendable {
    /// 1 to 100.
    public var quality = 90
    public var subsampling = ChromaSubsampling.off
    /// Progressive. **Cost**: the whole picture's coefficients in memory.
    public var isInterlaced = false
    /// Huffman tables made for this picture. **Cost**: the same memory.
    public var optimizesCoding = false
    /// MCUs between restart markers; 0: none.
    public var restartInterval = 0
    public init() {}
}

public struct PNGSaveOptions: Sendable {
    /// 0 to 9.
    public var compression = 6
    /// **Cost**: the whole picture in memory.
    public var isInterlaced = false
    /// Reduce to this many bits (1, 2, 4: with a palette); nil: the picture's own.
    public var bitDepth: Int?
    /// At most 256 colours, with a palette.
    public var usesPalette = false
    /// 0 (none) to 100.
    public var dither = 1.0
    public init() {}
}

public struct WebPSaveOptions: Sendable {
    /// 0 to 100.
    public var quality = 90
    public var isLossless = false
    public var isNearLossless = false
    /// 0 to 100.
    public var alphaQuality = 100
    public var usesSmartSubsampling = true
    /// 0 (fast) to 6.
    public var effort = 4
    public init() {}
}

public struct TIFFSaveOptions: Sendable {
    /// Of the compression `webp`.
    public var isLossless = false
    public enum Compression: String, Sendable, CaseIterable {
        case none, jpeg, deflate, packbits, ccittfax4, lzw, webp, zstd, jp2k
    }

    public enum Predictor: String, Sendable {
        case none, horizontal, float
    }

    public var compression = Compression.deflate
    public var predictor = Predictor.horizontal
    /// Of JPEG and WebP inside.
    public var quality = 90
    /// nil: strips.
    public var tile: (width: Int, height: Int)?
    /// Smaller versions in the same file; implies tiles.
    public var isPyramid = false
    /// Smaller versions as sub-directories, not as pages.
    public var usesSubDirectories = false
    /// Offsets of 64 bits; nil: where the uncompressed pixels would need them.
    public var isBig: Bool?
    /// 1, 2 or 4; nil: the picture's own.
    public var bitDepth: Int?
    /// Rows of a strip; nil: libvips' own choice.
    public var stripHeight: Int?
    /// Premultiplied alpha is said to be so.
    public var isPremultiplied = false
    /// `cm` or `inch`; nil: the picture's field `resolution-unit`, else cm.
    public var resolutionUnit: ResolutionUnit?

    public enum ResolutionUnit: String, Sendable {
        case cm, inch
    }

    public init() {}
}

public struct HEIFSaveOptions: Sendable {
    /// 1 to 100.
    public var quality = 90
    public var isLossless = false
    public var subsampling = ChromaSubsampling.auto
    /// 8, 10 or 12; nil: 8, or 12 of a 16-bit picture.
    public var bitDepth: Int?
    /// 0 (fast) to 9.
    public var effort = 4
    public init() {}
}

public struct GIFSaveOptions: Sendable {
    /// 0 to 1.
    public var dither = 1.0
    /// 1 (fast) to 10.
    public var effort = 7
    /// 1 to 8: colours of a frame, as a power of 2.
    public var bitDepth = 8
    /// How different a pixel may be before it is written again in the next frame, 0 to 32.
    public var maximumFrameError = 0.0
    /// How different a palette may be before the frame gets its own, 0 to 256.
    public var maximumPaletteError = 3.0
    /// The palette of the source (metadata `gif-palette`) is used again.
    public var reusesPalette = false
    public init() {}
}

public struct JXLSaveOptions: Sendable {
    /// 0 to 100.
    public var quality = 90
    public var isLossless = false
    /// 3 (fast) to 9.
    public var effort = 7
    public init() {}
}
