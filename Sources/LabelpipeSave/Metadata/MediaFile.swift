/// The boxes of a HEIF or an AVIF.
///
/// **Source**: ISO/IEC 14496-12, 4.2 and 8.2; ISO/IEC 23008-12, 7.
enum MediaFile {
    /// Whether there is a sequence of pictures beside the still one, which alone is read.
    static func hasMovie(_ descriptor: Int32) throws -> Bool {
        let file = FileEdit(source: descriptor)
        var at = 0
        while let head = try file.read(at, 8) {
            if head[4..<8].elementsEqual("moov".utf8) { return true }
            var size = head.bigEndian32(0)
            if size == 1, let large = try file.read(at + 8, 8) { size = large.bigEndian32(0) << 32 | large.bigEndian32(4) }
            // 0: up to the end.
            guard size >= 8, size < 1 << 56 else { return false }
            at += size
        }
        return false
    }
}
