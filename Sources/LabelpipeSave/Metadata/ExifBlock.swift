import CMetadata
import LabelpipeKit

/// EXIF, edited tag by tag: whatever is not meant stays the bytes it was.
enum ExifBlock {
    private static let orientation = 0x0112
    /// The tags that say whose the picture is: artist and copyright.
    private static let rights: Set<Int> = [0x013B, 0x8298]

    /// Text fields that `set` can write: where they stand. Names and numbers are libexif's.
    private static let texts: [String: TagTree.Directory] = [
        "DocumentName": .primary, "ImageDescription": .primary, "Make": .primary, "Model": .primary, "Software": .primary,
        "DateTime": .primary, "Artist": .primary, "Copyright": .primary, "DateTimeOriginal": .exif,
        "DateTimeDigitized": .exif, "OffsetTime": .exif, "OffsetTimeOriginal": .exif, "OffsetTimeDigitized": .exif,
        "SubsecTime": .exif, "SubSecTimeOriginal": .exif, "SubSecTimeDigitized": .exif, "SpectralSensitivity": .exif,
        "RelatedSoundFile": .exif, "ImageUniqueID": .exif, "CameraOwnerName": .exif, "BodySerialNumber": .exif,
        "LensMake": .exif, "LensModel": .exif, "LensSerialNumber": .exif, "UserComment": .exif,
    ]

    /// - Parameters:
    ///   - block: TIFF structure; nil: none.
    ///   - resized: the output's size as stored, where it is not the source's.
    /// - Returns: nil where nothing is left.
    static func edited(
        _ block: [UInt8]?, keep: OutputKeys.MetadataPolicy, set: [String: String], orientation: Int,
        resized: (width: Int, height: Int)? = nil, notes: inout [Note]
    ) -> [UInt8]? {
        guard var tree = block.map({ TagTree($0) }) ?? TagTree() else {
            notes.append(Note(.warning, "metadata", "the EXIF block cannot be read; it is dropped"))
            return edited(nil, keep: keep, set: set, orientation: orientation, notes: &notes)
        }
        let original = tree
        switch keep {
        case .keep: break
        case .strip: for directory in TagTree.Directory.allCases { tree[directory] = [] }
        case .rights:
            tree[.primary].removeAll { !rights.contains($0.number) }
            for directory in TagTree.Directory.allCases where directory != .primary { tree[directory] = [] }
        case .noLocation: tree[.gps] = []
        }
        for (name, text) in set.sorted(by: { $0.key < $1.key }) where !write(text, to: name, in: &tree) {
            notes.append(Note(.warning, "metadata", "EXIF has no text field \"\(name)\""))
        }
        let old = tree.number(ExifBlock.orientation) ?? 1
        if old != orientation || (orientation != 1 && tree.tag(ExifBlock.orientation) == nil) {
            tree.set(ExifBlock.orientation, short: orientation)
        }
        if let resized {
            for (tag, value) in [(0xA002, resized.width), (0xA003, resized.height)] where tree.tag(tag, .exif) != nil {
                tree.set(tag, long: value, .exif)
            }
            for (tag, value) in [(0x0100, resized.width), (0x0101, resized.height)] where tree.tag(tag) != nil {
                tree.set(tag, long: value)
            }
        }
        if original.hasPreview, keep == .keep || keep == .noLocation {
            notes.append(Note(.note, "jpeg", "EXIF thumbnail dropped"))
        }
        if tree.isEmpty { return nil }
        // A block with nothing to change stays the very bytes; a preview in it shows the picture without its label.
        if tree == original, !tree.hasPreview, let block { return block }
        let bytes = tree.bytes()
        // The place of a maker's note may be far behind; a JPEG's segment ends at 64 KB.
        return bytes.count <= 65527 ? bytes : tree.bytes(keepsPlaces: false)
    }

    /// A picture's resolution, px/mm, as a block says it; nil where it does not.
    static func resolution(_ block: [UInt8]) -> (x: Double, y: Double)? {
        guard let tree = TagTree(block), let x = tree.ratio(0x011A), let y = tree.ratio(0x011B), x > 0, y > 0 else { return nil }
        let perUnit = tree.number(0x0128) == 3 ? 10 : 25.4
        return (x / perUnit, y / perUnit)
    }

    /// The block with a resolution where it says none.
    static func with(resolution: (x: Double, y: Double), _ block: [UInt8]?) -> [UInt8]? {
        guard var tree = block.map({ TagTree($0) }) ?? TagTree(), tree.tag(0x011A) == nil else { return block }
        tree.set(0x011A, rational: resolution.x * 25.4)
        tree.set(0x011B, rational: resolution.y * 25.4)
        tree.set(0x0128, short: 2)
        return tree.bytes()
    }

    /// Whether EXIF has such a text field.
    private static func write(_ text: String, to name: String, in tree: inout TagTree) -> Bool {
        guard let directory = texts[name] else { return false }
        let number = Int(exif_tag_from_name(name).rawValue)
        guard number != 0 else { return false }
        if name == "UserComment" {
            // Eight bytes name the character set; Unicode is UTF-16 in the block's byte order.
            let bytes =
                text.utf8.allSatisfy { $0 < 128 }
                ? Array("ASCII\0\0\0".utf8) + text.utf8
                : Array("UNICODE\0".utf8) + text.utf16.flatMap { tree.encoded(Int($0), 2) }
            tree.set(number, type: 7, count: bytes.count, bytes, directory)
        } else {
            tree.set(number, text: text, directory)
        }
        return true
    }
}
