import LabelpipeKit
import Splice
import Vips

/// What a saver is told: the document's keys, else what the source has.
struct SaveChoices {
    let settings: OutputSettings
    let source: Saving.Source?
    /// As in `Saving`.
    let isBig: Bool?

    private var isInterlaced: Bool { settings.interlace ?? (source?.image.integer("interlaced") == 1) }

    func options(_ format: SaveFormat, _ image: Image) throws -> SaveOptions {
        switch format {
        case .jpeg:
            var jpeg = JPEGSaveOptions()
            jpeg.quality = settings.quality ?? 90
            jpeg.subsampling = settings.subsampling == "4:2:0" ? .on : .off
            jpeg.isInterlaced = settings.interlace ?? false
            jpeg.optimizesCoding = true
            return .jpeg(jpeg)
        case .png:
            var png = PNGSaveOptions()
            png.isInterlaced = settings.interlace ?? (source?.kind == .png && isInterlaced)
            return .png(png)
        case .webp:
            var webp = WebPSaveOptions()
            webp.quality = settings.quality ?? 90
            webp.isLossless = try settings.lossless ?? sourceIsLossless
            return .webp(webp)
        case .tiff: return .tiff(try tiff(image))
        case .avif, .heic:
            var heif = HEIFSaveOptions()
            heif.quality = settings.quality ?? 90
            heif.isLossless = try settings.lossless ?? sourceIsLossless
            if image.format == .ushort { heif.bitDepth = image.integer("bits-per-sample") == 10 ? 10 : 12 }
            return format == .avif ? .avif(heif) : .heic(heif)
        case .gif:
            var gif = GIFSaveOptions()
            // What the source's own colours can show, they show.
            gif.reusesPalette = source?.kind == .gif
            return .gif(gif)
        case .jxl:
            var jxl = JXLSaveOptions()
            jxl.quality = settings.quality ?? 90
            jxl.isLossless = try settings.lossless ?? sourceIsLossless
            return .jxl(jxl)
        case .ppm: return .ppm
        }
    }

    private var sourceIsLossless: Bool {
        get throws {
            guard let source, source.kind == .webp else { return false }
            return try WebPFile.isLossless(source.descriptor)
        }
    }

    /// What a saver does to a picture that its reader should know.
    func notes(_ format: SaveFormat, _ image: Image) -> [Note] {
        if format == .gif {
            return [Note(.note, "quantised", "a GIF's frames have at most 256 colours each: they are chosen anew")]
        }
        return []
    }

    private func tiff(_ image: Image) throws -> TIFFSaveOptions {
        var tiff = TIFFSaveOptions()
        let file = try source.flatMap { try $0.kind == .tiff ? TIFFFile.ifSound($0.descriptor) : nil }
        tiff.isBig = isBig ?? (file?.isBig == true ? true : nil)
        let own = try source.flatMap { try $0.kind == .tiff ? TIFFFacts(descriptor: $0.descriptor, page: $0.page) : nil }
        if let name = settings.compression ?? own?.compression {
            tiff.compression = TIFFSaveOptions.Compression(rawValue: name) ?? .deflate
        }
        if let quality = settings.quality { tiff.quality = quality }
        if tiff.compression == .webp, settings.compression == nil, settings.quality == nil {
            tiff.isLossless = try file?.isLosslessWebP(page: source?.page ?? 0) ?? false
        }
        // JPEG and WebP in a TIFF hold 8 bits and some numbers of channels only.
        let lossyBands = tiff.compression == .jpeg ? [1, 3, 4] : [3, 4]
        if [.jpeg, .webp].contains(tiff.compression),
            image.format != .uchar || !lossyBands.contains(image.bands)
                || tiff.compression == .webp && image.interpretation == .cmyk
                || tiff.compression == .jpeg && image.bands == 4 && image.interpretation != .cmyk
        {
            tiff.compression = .deflate
        }
        if image.format == .float || image.format == .double { tiff.predictor = .float }
        switch settings.tile {
        case true?: tiff.tile = own?.tile ?? (256, 256)
        case false?: tiff.tile = nil
        case nil: tiff.tile = own?.tile
        }
        tiff.isPyramid = settings.pyramid ?? own?.isPyramid ?? false
        if tiff.isPyramid {
            tiff.tile = tiff.tile ?? (256, 256)
            tiff.usesSubDirectories = own?.usesSubDirectories ?? false
        }
        return tiff
    }
}
