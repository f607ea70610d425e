import CVips

extension PictureFile {
    /// SVG is text: more than this is no logo.
    static let vectorFileLimit = 16 << 20
    /// **Units**: px of an SVG's canvas, since 110 bytes can ask for any.
    public static let vectorPixelLimit = 100_000_000

    /// The kinds that are opened without being asked for.
    public static let alwaysAllowed: Set<FileKind> = [.jpeg, .png, .webp, .tiff, .gif, .heic, .avif]

    static func loader(for kind: FileKind, options: LoadOptions) throws -> String {
        let loader: (nickname: String, className: String) =
            switch kind {
            case .jpeg: ("jpegload_source", "VipsForeignLoadJpeg")
            case .png: ("pngload_source", "VipsForeignLoadPng")
            case .webp: ("webpload_source", "VipsForeignLoadWebp")
            case .tiff: ("tiffload_source", "VipsForeignLoadTiff")
            case .gif: ("gifload_source", "VipsForeignLoadNsgif")
            case .heic, .avif: ("heifload_source", "VipsForeignLoadHeif")
            case .jxl: ("jxlload_source", "VipsForeignLoadJxl")
            case .ppm: ("ppmload_source", "VipsForeignLoadPpm")
            // From a buffer: by name, it would read the files beside it.
            case .svg: ("svgload_buffer", "VipsForeignLoadSvg")
            case .pdf: ("pdfload_source", "VipsForeignLoadPdf")
            // By name: a slide is several files.
            case .openslide: ("openslideload", "VipsForeignLoadOpenslide")
            case .raw: throw PictureFileError.cameraRaw
            case .unknown: throw PictureFileError.notAPicture
            }
        guard try Operation.describe(loader.nickname) != nil else { throw PictureFileError.noLoader(kind) }
        if !alwaysAllowed.contains(kind) {
            guard options.allowed.contains(kind) else { throw PictureFileError.notAllowed(kind) }
            try VipsRuntime.allow(loader.className)
        }
        return loader.nickname
    }

    static func load(
        _ kind: FileKind, loader: String, descriptor: Int32, path: [UInt8], size: Int, options: LoadOptions
    ) throws -> Image {
        // fail_on: libvips' default is to go on with grey or old pixels after any error.
        var call = Operation(loader).set("fail_on", options.isTolerant ? "none" : "error")
            .set("access", options.access.rawValue)
        switch kind {
        case .svg:
            guard size <= vectorFileLimit else {
                throw PictureFileError.tooLarge(what: "bytes", got: size, limit: vectorFileLimit)
            }
            call = call.set("buffer", try FileBytes(descriptor: descriptor).read(at: 0, count: size))
        case .openslide:
            call = call.set("filename", OperationValue.path(path))
        default:
            call = call.set("source", try Source(descriptor: descriptor))
        }
        switch kind {
        case .tiff, .gif, .webp, .heic, .avif, .pdf:
            switch options.pages {
            case .first: break
            case .only(let page): call = call.set("page", page)
            case .all: call = call.set("n", -1)
            }
        default: break
        }
        if kind == .jpeg, options.jpegShrink > 1 { call = call.set("shrink", options.jpegShrink) }
        if kind == .svg || kind == .pdf { call = call.set("dpi", options.dotsPerInch) }
        let image = try call.image()
        if kind == .svg, image.width * image.height > vectorPixelLimit {
            throw PictureFileError.tooLarge(what: "pixels", got: image.width * image.height, limit: vectorPixelLimit)
        }
        return image
    }
}
