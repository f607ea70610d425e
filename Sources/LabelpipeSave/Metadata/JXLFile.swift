import LabelpipeKit

/// The boxes of a JPEG XL file.
///
/// **Source**: ISO/IEC 18181-2, "File format": signature, file type, code stream, `Exif` (an offset first), `xml `.
enum JXLFile {
    /// Adds EXIF and XMP to a finished file; a bare code stream becomes a file of boxes.
    static func add(_ blocks: MetadataBlocks, to descriptor: Int32) throws {
        var boxes: [UInt8] = []
        if let exif = blocks.exif { boxes += box("Exif", [0, 0, 0, 0] + exif) }
        if let xmp = blocks.xmp { boxes += box("xml ", xmp) }
        if boxes.isEmpty { return }
        let file = FileEdit(output: descriptor)
        if try file.read(0, 2) == [0xFF, 0x0A] {
            let head =
                box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))
                + [UInt8](bigEndian32: 8 + (try file.size)) + Array("jxlc".utf8)
            try file.insert(head, at: 0)
        }
        try file.append(boxes)
    }

    private static func box(_ name: String, _ data: [UInt8]) -> [UInt8] {
        [UInt8](bigEndian32: 8 + data.count) + Array(name.utf8) + data
    }
}
