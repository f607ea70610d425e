import LabelpipeSave
import Vips

/// A picture's metadata as templates name it.
///
/// **Cost**: the blocks are read when a field is first asked for; metadata is a few kilobytes.
package final class PictureMetadata {
    private let image: Image
    private lazy var blocks = MetadataBlocks(image)
    private lazy var exif = blocks.exif.flatMap { ExifFields($0) }

    package init(_ image: Image) { self.image = image }

    /// `exif.Artist`, `iptc.Byline`, `xmp.dc:creator`; nil where the picture has none, or only blanks.
    package func value(_ name: String) -> String? {
        func field(_ family: String) -> String? {
            name.hasPrefix(family) ? String(name.dropFirst(family.count)) : nil
        }
        let text: String?
        if let field = field("exif.") {
            text = exif?.text(field)
        } else if let field = field("iptc.") {
            text = blocks.iptc.flatMap { IPTCBlock.text(field, in: $0) }
        } else if let field = field("xmp.") {
            text = blocks.xmp.flatMap { XMPBlock.text(field, in: $0) }
        } else {
            text = nil
        }
        return text.flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed }
    }
}
