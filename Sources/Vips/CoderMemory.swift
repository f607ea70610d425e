/// What coders hold in memory at once: whoever admits pictures adds this to what the drawing needs.
///
/// **Source**: peaks of 12 MP pictures with libvips 8.14.1, libjpeg-turbo 2.1, libwebp 1.2, libheif 1.15 (aom, x265, de265),
/// libjxl 0.7, cgif, one thread, rounded up; a test holds them against what this machine needs.
extension PictureFile {
    /// The most memory that decoding needs, beside a strip of pixels. **Units**: bytes.
    public var decoderMemory: Int {
        let page = image.width * image.pageHeight
        let bytesPerSample = image.format.bytesPerSample
        let held: Int =
            switch kind {
            case .jpeg:
                // Coefficients of 16 bits; sampled chroma has half as many in all.
                if !isInterlaced {
                    0
                } else if image.string("jpeg-chroma-subsample") == "4:2:0" {
                    page * image.bands
                } else {
                    page * 2 * image.bands
                }
            case .png: isInterlaced ? page * image.bytesPerPixel : 0
            case .webp: page * 9
            case .gif: page * 6 + size
            case .heic: page * 10 * bytesPerSample
            case .avif: page * 14 * bytesPerSample
            case .jxl: page * 2 * max(3, image.bands) * bytesPerSample
            case .tiff, .ppm, .svg, .pdf, .openslide, .raw, .unknown: 0
            }
        return held + stripMemory(of: image)
    }

    /// Progressive or interlaced: a picture that comes in several passes is held whole.
    public var isInterlaced: Bool { (image.integer("interlaced") ?? 0) != 0 || (image.integer("jpeg-multiscan") ?? 0) != 0 }
}

extension SaveOptions {
    /// The most memory that encoding a picture needs, beside a strip of pixels. **Units**: bytes.
    public func encoderMemory(of image: Image) -> Int {
        let page = image.width * image.pageHeight
        let bytesPerSample = image.format.bytesPerSample
        let held: Int =
            switch self {
            case .jpeg(let options):
                if options.isInterlaced || options.optimizesCoding { page * 2 * image.bands } else { 0 }
            case .png(let options):
                // Interlaced: all rows; with a palette: RGBA, and the indices.
                if options.usesPalette || options.bitDepth != nil {
                    page * 6
                } else {
                    options.isInterlaced ? page * image.bytesPerPixel * 5 / 4 : 0
                }
            case .webp: page * 18
            case .gif: page * 16
            case .tiff(let options):
                // A row of tiles for each size of a pyramid; a strip.
                (options.tile?.height ?? options.stripHeight ?? 128) * image.width * image.bytesPerPixel
                    * (options.isPyramid ? 4 : 2)
            case .avif: page * 34 * bytesPerSample
            case .heic: page * 30 * bytesPerSample
            case .jxl: page * 42
            case .ppm: 0
            }
        return held + stripMemory(of: image)
    }
}

/// libvips' own buffers between a sequential reader and a writer: some hundred rows, and what a process has anyway.
private func stripMemory(of image: Image) -> Int { (8 << 20) + image.width * image.bytesPerPixel * 400 }
