import LabelpipeKit
import Vips

/// A picture's metadata as files carry it: three blocks, each as its own format has it.
struct MetadataBlocks: Equatable {
    /// TIFF structure, without the `Exif` header of a JPEG's segment.
    var exif: [UInt8]?
    /// An XML packet.
    var xmp: [UInt8]?
    /// As libvips carries it: Photoshop resources (a JPEG's APP13) or bare IIM records.
    var iptc: [UInt8]?

    init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        (self.exif, self.xmp, self.iptc) = (exif, xmp, iptc)
    }

    init(_ image: Image) {
        var exif = image.bytes("exif-data")
        if let bytes = exif, bytes.starts(with: MetadataBlocks.exifHeader) {
            exif = Array(bytes.dropFirst(MetadataBlocks.exifHeader.count))
        }
        self.init(exif: exif, xmp: image.bytes("xmp-data"), iptc: image.bytes("iptc-data"))
    }

    static let exifHeader = Array("Exif\0\0".utf8)

    /// What a document asks to stay and to be written. Notes say what could not be kept or written.
    ///
    /// - Parameter orientation: stays under every policy.
    func edited(_ settings: OutputSettings, orientation: Int) -> (blocks: MetadataBlocks, notes: [Note]) {
        switch settings.metadata {
        case .keep where settings.set.isEmpty: return (self, [])
        case .strip where settings.set.isEmpty: return (MetadataBlocks(), [])
        default: return MetadataEditing(settings, orientation: orientation).edited(self)
        }
    }

    /// The image with these blocks in place of its own.
    func attached(to image: Image) throws -> Image {
        try image.editingMetadata { editor in
            // libvips writes the entries it has read over the block: they have to go with it.
            for name in image.fieldNames() where name.hasPrefix("exif-ifd") { editor.remove(name) }
            for (name, block) in [
                ("exif-data", exif.map { MetadataBlocks.exifHeader + $0 }), ("xmp-data", xmp), ("iptc-data", iptc),
            ] {
                if let block { editor.set(name, .bytes(block)) } else { editor.remove(name) }
            }
        }
    }
}
