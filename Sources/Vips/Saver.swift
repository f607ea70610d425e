import CVips
import Glibc

/// Writes pictures by libvips' savers.
///
/// All metadata fields that a format has room for are written: what shall not be is removed from the picture before.
public enum Saver {
    /// Can this libvips write the format?
    public static func exists(_ format: SaveFormat) -> Bool {
        ((try? Operation.describe(nickname(of: format))) ?? nil) != nil
    }

    /// Calculates the picture and writes it to a descriptor, from its position on. The descriptor stays open; syncing is the
    /// caller's. TIFF also needs it to be readable and seekable.
    /// - Returns: with `isTolerant`, what libvips met on the way and did not take for a failure.
    /// - Errors: ``VipsError``: calculating, coding or writing failed, or libvips' error buffer is not empty afterwards.
    @discardableResult
    public static func save(_ image: Image, to descriptor: Int32, _ options: SaveOptions, isTolerant: Bool = false) throws
        -> [String]
    {
        let nickname = nickname(of: options.format)
        if options.format == .jxl { try VipsRuntime.allow("VipsForeignSaveJxl") }
        let image = try prepared(image, for: options.format)
        let target = try Target(descriptor: descriptor)
        var call = Operation(nickname).set("in", image).set("target", target)
        call = options.arguments(of: call, image: image)
        _ = try call.run()
        let texts = ErrorTexts.take()
        if !texts.isEmpty, !isTolerant {
            throw VipsError(operation: nickname, message: texts.joined(separator: "\n"))
        }
        return texts
    }

    private static func prepared(_ image: Image, for format: SaveFormat) throws -> Image {
        if format == .jxl, image.bands > 4 {
            // libjxl 0.7 ends the process.
            throw VipsError(operation: nickname(of: format), message: "at most 4 bands, got \(image.bands)")
        }
        if format == .png, image.orientation != 1, !image.has("exif-data") {
            // libvips updates the orientation in an EXIF block, but makes one for JPEG and WebP only.
            return try image.setting("exif-data", to: .bytes(exif(orientation: UInt8(image.orientation))))
        }
        return image
    }

    /// The smallest EXIF block: a little-endian TIFF header, one directory, one entry (274, short, 1 value).
    private static func exif(orientation: UInt8) -> [UInt8] {
        Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    }

    static func nickname(of format: SaveFormat) -> String {
        switch format {
        case .avif, .heic: "heifsave_target"
        default: "\(format.rawValue)save_target"
        }
    }
}

extension SaveOptions {
    func arguments(of call: Operation, image: Image) -> Operation {
        switch self {
        case .jpeg(let options):
            return call.set("Q", options.quality).set("subsample_mode", options.subsampling.rawValue)
                .set("interlace", options.isInterlaced).set("optimize_coding", options.optimizesCoding)
                .set("restart_interval", options.restartInterval)
        case .png(let options):
            return call.set("compression", options.compression).set("interlace", options.isInterlaced)
                .set("palette", options.usesPalette).set("dither", options.dither)
                .set("bitdepth", ifPresent: options.bitDepth)
        case .webp(let options):
            return call.set("Q", options.quality).set("lossless", options.isLossless)
                .set("near_lossless", options.isNearLossless).set("alpha_q", options.alphaQuality)
                .set("smart_subsample", options.usesSmartSubsampling).set("effort", options.effort)
        case .tiff(let options):
            // 4 GB less what directories and metadata may need.
            let needsBig = image.width * image.height * image.bytesPerPixel > 4_000_000_000
            return call.set("compression", options.compression.rawValue).set("predictor", options.predictor.rawValue)
                .set("Q", options.quality).set("tile", options.tile != nil || options.isPyramid)
                .set("tile_width", ifPresent: options.tile?.width).set(
                    "tile_height", ifPresent: options.tile?.height ?? options.stripHeight
                )
                .set("pyramid", options.isPyramid).set("subifd", options.usesSubDirectories)
                .set("bigtiff", options.isBig ?? needsBig).set("bitdepth", ifPresent: options.bitDepth)
                .set("premultiply", options.isPremultiplied).set("lossless", options.isLossless)
                .set("resunit", ifPresent: options.resolutionUnit?.rawValue)
        case .avif(let options):
            return options.arguments(of: call.set("compression", "av1"))
        case .heic(let options):
            return options.arguments(of: call.set("compression", "hevc"))
        case .gif(let options):
            return call.set("dither", options.dither).set("effort", options.effort).set("bitdepth", options.bitDepth)
                .set("interframe_maxerror", options.maximumFrameError)
                .set("interpalette_maxerror", options.maximumPaletteError).set("reuse", options.reusesPalette)
        case .jxl(let options):
            return call.set("Q", options.quality).set("lossless", options.isLossless).set("effort", options.effort)
        case .ppm:
            return call
        }
    }
}

extension HEIFSaveOptions {
    fileprivate func arguments(of call: Operation) -> Operation {
        call.set("Q", quality).set("lossless", isLossless).set("subsample_mode", subsampling.rawValue)
            .set("bitdepth", ifPresent: bitDepth).set("effort", effort)
    }
}
