import LabelpipeKit
import Vips

/// A picture's metadata as files carry it: three blocks, each as its own format has it.
package struct MetadataBlocks: Equatable, Sendable {
    /// TIFF structure, without the `Exif` header of a JPEG's segment.
    package var exif: [UInt8]?
    /// An XML packet.
    package var xmp: [UInt8]?
    /// Photoshop's resources, headed `Photoshop 3.0` as in a JPEG's segment, or bare IIM records.
    package var iptc: [UInt8]?

    init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        (self.exif, self.xmp, self.iptc) = (exif, xmp, iptc)
    }

    /// What an image carries from its file.
    package init(_ image: Image) {
        exif = image.bytes("exif-data") ?? image.bytes(MetadataBlocks.tiffTags)
        if let bytes = exif, bytes.starts(with: MetadataBlocks.exifHeader) {
            exif = Array(bytes.dropFirst(MetadataBlocks.exifHeader.count))
        }
        xmp = image.bytes("xmp-data")
        iptc = image.bytes("iptc-data")
        if let resources = image.bytes("photoshop-data") { iptc = IPTCBlock.normalised(iptc, resources: resources) }
        if iptc == nil { iptc = PNGText.iptc(of: image) }
    }

    package var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil }

    /// The words for what is there.
    var names: [String] {
        [exif.map { _ in "EXIF" }, xmp.map { _ in "XMP" }, iptc.map { _ in "IPTC" }].compactMap { $0 }
    }

    static let exifHeader = Array("Exif\0\0".utf8)
    /// A field of ours: the tags of a TIFF's own directories, which libvips does not read.
    static let tiffTags = "labelpipe-tiff-tags"

    /// An opened picture with the metadata that libvips left in its file.
    ///
    /// - Parameter page: of a TIFF, from 0: the one that the image is, or begins with.
    /// **Cost**: of a TIFF, its directories are read once more; no pixels.
    static func completed(_ image: Image, kind: FileKind, descriptor: Int32, page: Int = 0) throws -> Image {
        switch kind {
        case .tiff:
            let place = try TIFFTags.place(of: page, descriptor)
            var image = try TIFFTags.hasProportionAlone(descriptor, at: place) ? try withoutResolution(image) : image
            image = try withColours(image)
            guard let tree = try TIFFTags.read(descriptor, at: place) else { return image }
            return try image.setting(tiffTags, to: .bytes(tree.bytes()))
        case .png: return try PNGFile(FileEdit(source: descriptor)).hasProportionAlone ? try withoutResolution(image) : image
        case .webp, .avif, .heic:
            // They have no resolution but EXIF's.
            guard let block = MetadataBlocks(image).exif, let resolution = ExifBlock.resolution(block) else { return image }
            return try image.editingMetadata { $0.setResolution(x: resolution.x, y: resolution.y) }
        default: return image
        }
    }

    /// A field of ours: a picture whose file has floats of grey.
    static let greyFloats = "labelpipe-grey-floats"
    /// A field of ours: such a picture had a profile, which is not one of colours.
    static let greyProfile = "labelpipe-grey-profile"

    /// A TIFF's floats are from 0 to 1. libvips says so of colours (scRGB), and takes grey ones for whole numbers of some size.
    private static func withColours(_ image: Image) throws -> Image {
        guard image.format == .float || image.format == .double, image.bands <= 2,
            [.bw, .grey16, .multiband].contains(image.likelyInterpretation)
        else { return image }
        let floats = image.format == .double ? try image.cast(.float) : image
        let grey = image.bands == 1 ? floats : try floats.extractBand(0)
        let alpha = image.bands == 1 ? [] : [try floats.extractBand(1)]
        return try grey.joiningBands([grey, grey] + alpha).copy(interpretation: .scrgb).editingMetadata { editor in
            editor.remove("icc-profile-data")
            editor.set(greyFloats, .integer(1))
            if image.hasProfile { editor.set(greyProfile, .integer(1)) }
        }
    }

    /// libvips takes a proportion of width and height for pixels a millimetre, of which 1 means none.
    private static func withoutResolution(_ image: Image) throws -> Image {
        try image.editingMetadata { $0.setResolution(x: 1, y: 1) }
    }

    /// The image without any of its own: what is to be written is written by other means.
    static func removed(from image: Image, keepsComments: Bool) throws -> Image {
        let fields = image.fieldNames().filter { name in
            if ["exif-data", "xmp-data", "iptc-data", "photoshop-data", tiffTags, "jpeg-thumbnail-data"].contains(name) {
                return true
            }
            if name.hasPrefix("exif-ifd") { return true }
            if name.hasPrefix("png-comment-") { return !keepsComments || PNGText.isProfile(name) }
            return !keepsComments && ["gif-comment", "image-description"].contains(name)
        }
        return fields.isEmpty ? image : try image.removing(fields)
    }

    /// The image with EXIF and XMP in the fields that libvips' own savers write.
    func attached(to image: Image) throws -> Image {
        try image.editingMetadata { editor in
            if let exif { editor.set("exif-data", .bytes(MetadataBlocks.exifHeader + exif)) }
            if let xmp { editor.set("xmp-data", .bytes(xmp)) }
        }
    }
}
