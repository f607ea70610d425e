import Glibc
import Vips

/// Small copies of picture files for pages that show many.
package enum Thumbnail {
    /// The longest side. px
    package static let side = 512

    /// Writes a small upright JPEG of the first page.
    ///
    /// **Errors**: `PictureFileError`, `VipsError`. **Cost**: a JPEG is decoded at a fraction of its size.
    package static func make(of source: Int32, path: [UInt8], options: LoadOptions, to descriptor: Int32) throws {
        var options = options
        options.pages = .first
        options.access = .sequential
        var file = try PictureFile(descriptor: source, path: path, options: options)
        let longest = max(file.image.width, file.image.height)
        if file.kind == .jpeg {
            options.jpegShrink = [8, 4, 2].first { longest / $0 >= side } ?? 1
            if options.jpegShrink > 1 { file = try PictureFile(descriptor: source, path: path, options: options) }
        }
        var image = file.image
        let factor = Double(side) / Double(max(image.width, image.height))
        let turn = image.orientation
        if image.hasProfile {
            image = (try? image.iccTransform(to: "srgb", depth: 8)) ?? image
        } else if image.interpretation == .cmyk {
            image = try image.iccTransform(to: "srgb", assumed: "cmyk", depth: 8)
        }
        if image.format != .uchar || image.interpretation != .srgb && image.interpretation != .bw {
            image = try image.colourspace(.srgb)
        }
        if factor < 1 {
            image = image.hasAlpha ? try image.resizedStraight(horizontally: factor) : try image.resized(horizontally: factor)
        }
        if image.hasAlpha { image = try image.flattened(background: Array(repeating: 255, count: max(1, image.bands - 1))) }
        image = try image.materialised()
        if turn != 1 { image = try image.upright() }
        image = try image.removing(image.fieldNames().filter { $0.hasSuffix("-data") || $0.hasPrefix("exif-") })
        var jpeg = JPEGSaveOptions()
        jpeg.quality = 78
        try Saver.save(image.materialised(), to: descriptor, .jpeg(jpeg))
    }
}
