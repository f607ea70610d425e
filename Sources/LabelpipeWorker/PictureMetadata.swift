import LabelpipeKit
import Vips

/// A picture's metadata as templates name it.
package enum PictureMetadata {
    /// `exif.Artist`…; nil where the picture has none, or only blanks.
    ///
    /// **Cost**: reads the whole block; metadata is a few kilobytes.
    package static func value(_ name: String, of image: Image) -> String? {
        guard name.hasPrefix("exif."), let block = image.bytes("exif-data"), let fields = ExifFields(block) else { return nil }
        return fields.text(String(name.dropFirst("exif.".count))).flatMap { $0.isEmpty ? nil : $0 }
    }
}
