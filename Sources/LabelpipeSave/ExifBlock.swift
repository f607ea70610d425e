import CMetadata
import Glibc
import LabelpipeKit

/// EXIF, edited by libexif.
enum ExifBlock {
    /// The tags that say whose the picture is.
    private static let rights: Set<ExifTag> = [EXIF_TAG_COPYRIGHT, EXIF_TAG_ARTIST]

    /// - Parameter block: TIFF structure; nil: none.
    /// - Returns: nil where nothing is left.
    static func edited(
        _ block: [UInt8]?, keep: OutputKeys.MetadataPolicy, set: [String: String], orientation: Int, notes: inout [Note]
    ) -> [UInt8]? {
        if block == nil, set.isEmpty { return nil }
        guard let data = exif_data_new() else { return block }
        defer { exif_data_unref(data) }
        // Maker notes stay as they are: only their makers know what they mean.
        exif_data_set_option(data, EXIF_DATA_OPTION_DONT_CHANGE_MAKER_NOTE)
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        if let block {
            let bytes = MetadataBlocks.exifHeader + block
            exif_data_load_data(data, bytes, UInt32(bytes.count))
        } else {
            exif_data_set_byte_order(data, EXIF_BYTE_ORDER_INTEL)
        }
        dropThumbnail(data)
        for ifd in 0..<Int(EXIF_IFD_COUNT.rawValue) {
            guard let content = content(data, ifd) else { continue }
            for entry in entries(content) where !stays(entry.pointee.tag, ifd: ifd, keep) {
                exif_content_remove_entry(content, entry)
            }
        }
        for (name, text) in set.sorted(by: { $0.key < $1.key }) where !write(text, to: name, in: data) {
            notes.append(Note(.warning, "metadata", "EXIF has no text field \"\(name)\""))
        }
        if orientation != 1 { writeOrientation(orientation, in: data) }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt32 = 0
        exif_data_save_data(data, &bytes, &count)
        defer { free(bytes) }
        guard let bytes, count > 6, hasEntries(data) else { return nil }
        return Array(UnsafeBufferPointer(start: bytes + 6, count: Int(count) - 6))
    }

    private static func content(_ data: UnsafeMutablePointer<ExifData>, _ ifd: Int) -> UnsafeMutablePointer<ExifContent>? {
        let all = data.pointee.ifd
        return [all.0, all.1, all.2, all.3, all.4][ifd]
    }

    private static func entries(_ content: UnsafeMutablePointer<ExifContent>) -> [UnsafeMutablePointer<ExifEntry>] {
        (0..<Int(content.pointee.count)).compactMap { content.pointee.entries[$0] }
    }

    private static func hasEntries(_ data: UnsafeMutablePointer<ExifData>) -> Bool {
        (0..<Int(EXIF_IFD_COUNT.rawValue)).contains { content(data, $0).map { $0.pointee.count > 0 } ?? false }
    }

    private static func stays(_ tag: ExifTag, ifd: Int, _ keep: OutputKeys.MetadataPolicy) -> Bool {
        switch keep {
        case .keep: ifd != Int(EXIF_IFD_1.rawValue)
        case .strip: tag == EXIF_TAG_ORIENTATION && ifd == 0
        case .rights: ifd == 0 && (rights.contains(tag) || tag == EXIF_TAG_ORIENTATION)
        case .noLocation: ifd != Int(EXIF_IFD_GPS.rawValue) && ifd != Int(EXIF_IFD_1.rawValue)
        }
    }

    /// It would show the picture without its label.
    private static func dropThumbnail(_ data: UnsafeMutablePointer<ExifData>) {
        free(data.pointee.data)
        data.pointee.data = nil
        data.pointee.size = 0
    }

    private static func entry(
        _ tag: ExifTag, _ format: ExifFormat, components: Int, bytes: [UInt8], in content: UnsafeMutablePointer<ExifContent>
    ) {
        if let old = exif_content_get_entry(content, tag) { exif_content_remove_entry(content, old) }
        guard let entry = exif_entry_new(), let memory = malloc(max(bytes.count, 1)) else { return }
        memcpy(memory, bytes, bytes.count)
        entry.pointee.tag = tag
        entry.pointee.format = format
        entry.pointee.components = UInt(components)
        entry.pointee.data = memory.assumingMemoryBound(to: UInt8.self)
        entry.pointee.size = UInt32(bytes.count)
        exif_content_add_entry(content, entry)
        exif_entry_unref(entry)
    }

    /// Whether EXIF has such a text field.
    private static func write(_ text: String, to name: String, in data: UnsafeMutablePointer<ExifData>) -> Bool {
        let tag = exif_tag_from_name(name)
        guard tag != ExifTag(0) else { return false }
        for ifd in [EXIF_IFD_0, EXIF_IFD_EXIF] {
            let level = exif_tag_get_support_level_in_ifd(tag, ifd, EXIF_DATA_TYPE_COMPRESSED)
            guard level == EXIF_SUPPORT_LEVEL_MANDATORY || level == EXIF_SUPPORT_LEVEL_OPTIONAL,
                let content = content(data, Int(ifd.rawValue))
            else { continue }
            let bytes = Array(text.utf8) + [0]
            if tag == EXIF_TAG_USER_COMMENT {
                let comment = Array("ASCII\0\0\0".utf8) + text.utf8
                entry(tag, EXIF_FORMAT_UNDEFINED, components: comment.count, bytes: comment, in: content)
            } else {
                entry(tag, EXIF_FORMAT_ASCII, components: bytes.count, bytes: bytes, in: content)
            }
            return true
        }
        return false
    }

    private static func writeOrientation(_ orientation: Int, in data: UnsafeMutablePointer<ExifData>) {
        guard let content = content(data, 0) else { return }
        let isIntel = exif_data_get_byte_order(data) == EXIF_BYTE_ORDER_INTEL
        let bytes: [UInt8] = isIntel ? [UInt8(orientation), 0] : [0, UInt8(orientation)]
        entry(EXIF_TAG_ORIENTATION, EXIF_FORMAT_SHORT, components: 1, bytes: bytes, in: content)
    }
}
