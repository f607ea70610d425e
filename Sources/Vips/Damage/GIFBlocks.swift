/// A GIF's blocks up to its trailer.
///
/// **Source**: GIF89a, sections 15 to 27.
enum GIFBlocks {
    static func wholeness(_ file: Window) throws -> Wholeness {
        var frames = 0
        guard let width = try file.littleEndian(6, 2), let height = try file.littleEndian(8, 2), let screen = try file.byte(10)
        else { return Wholeness(damage: Wholeness.cutOff) }
        // Some programs write no size of the screen: then it is that of the frames.
        var extent = min(width, height)
        var at = 13 + colours(screen)
        while let introducer = try file.byte(at) {
            switch introducer {
            case 0x3B: return Wholeness(damage: extent == 0 ? "it has no size" : nil, frames: frames)
            // Some programs end a block twice. What the decoder makes of it shows in the number of frames.
            case 0: at += 1
            case 0x21:
                guard let next = try endOfBlocks(file, at + 2) else { return Wholeness(damage: Wholeness.cutOff) }
                at = next
            case 0x2C:
                // Place, size and flags; the colours; the code's size; the data.
                guard let flags = try file.byte(at + 9), let width = try file.littleEndian(at + 5, 2),
                    let height = try file.littleEndian(at + 7, 2), let next = try endOfBlocks(file, at + 11 + colours(flags))
                else {
                    return Wholeness(damage: Wholeness.cutOff)
                }
                frames += 1
                extent = max(extent, min(width, height))
                at = next
            case 0x47 where try frames > 0 && file.read(at, 4) == Array("GIF8".utf8):
                var whole = Wholeness(damage: extent == 0 ? "it has no size" : nil, frames: frames)
                whole.warnings = ["another GIF stands behind the picture: it is left out"]
                return whole
            default: return Wholeness(damage: "no block begins at byte \(at)")
            }
        }
        return Wholeness(damage: Wholeness.cutOff)
    }

    /// Bytes of the table that flags announce.
    private static func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    private static func endOfBlocks(_ file: Window, _ first: Int) throws -> Int? {
        var at = first
        while let count = try file.byte(at) {
            at += 1 + Int(count)
            if count == 0 { return at }
        }
        return nil
    }
}
