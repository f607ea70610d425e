import LabelpipeKit

/// Blocks of a GIF that libvips does not read.
///
/// **Source**: GIF89a, 15 to 27; XMP Specification part 3, 1.1.2.
enum GIFExtensions {
    /// Is there an XMP packet in front of the last frame's pixels' end?
    ///
    /// **Cost**: a walk from block to block.
    static func hasXMP(_ descriptor: Int32) throws -> Bool {
        let file = FileEdit(source: descriptor)
        func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
        func endOfBlocks(_ first: Int) throws -> Int? {
            var at = first
            while let count = try file.read(at, 1)?.first {
                at += 1 + Int(count)
                if count == 0 { return at }
            }
            return nil
        }
        guard let screen = try file.read(10, 1)?.first else { return false }
        var at = 13 + colours(screen)
        while let head = try file.read(at, 2) {
            switch head[0] {
            case 0x21:
                if head[1] == 0xFF, let name = try file.read(at + 3, 11), name.elementsEqual("XMP DataXMP".utf8) { return true }
                guard let next = try endOfBlocks(at + 2) else { return false }
                at = next
            case 0x2C:
                guard let flags = try file.read(at + 9, 1)?.first, let next = try endOfBlocks(at + 11 + colours(flags)) else {
                    return false
                }
                at = next
            case 0: at += 1
            default: return false
            }
        }
        return false
    }
}
