/// A GIF's blocks up to its trailer, and whether its frames have all their pixels.
///
/// **Source**: GIF89a, sections 15 to 27.
enum GIFBlocks {
    static func wholeness(_ file: Window) throws -> Wholeness {
        var found = Wholeness(frames: 0)
        var frames = 0
        guard let width = try file.littleEndian(6, 2), let height = try file.littleEndian(8, 2), let screen = try file.byte(10)
        else { return Wholeness(damage: Wholeness.cutOff) }
        // Some programs write no size of the screen: then it is that of the frames.
        var extent = min(width, height)
        func ended(_ damage: String? = nil) -> Wholeness {
            found.damage = damage ?? (extent == 0 ? "it has no size" : found.damage)
            found.frames = damage == nil ? frames : nil
            return found
        }
        var at = 13 + colours(screen)
        while let introducer = try file.byte(at) {
            switch introducer {
            case 0x3B: return ended()
            // Some programs end a block twice. What the decoder makes of it shows in the number of frames.
            case 0: at += 1
            case 0x21:
                guard let next = try endOfBlocks(file, at + 2) else { return ended(Wholeness.cutOff) }
                at = next
            case 0x2C:
                // Place, size and flags; the colours; the code's size; the data.
                guard let left = try file.littleEndian(at + 1, 2), let top = try file.littleEndian(at + 3, 2),
                    let across = try file.littleEndian(at + 5, 2), let down = try file.littleEndian(at + 7, 2),
                    let flags = try file.byte(at + 9), let bits = try file.byte(at + 10 + colours(flags))
                else {
                    return ended(Wholeness.cutOff)
                }
                frames += 1
                extent = max(extent, min(across, down))
                if extent == min(width, height), left >= width || top >= height {
                    found.warnings.append("frame \(frames) lies outside the picture")
                }
                var codes = GIFCodes(bits: Int(bits), pixels: across * down)
                guard let next = try endOfBlocks(file, at + 11 + colours(flags), { codes?.read($0) }) else {
                    return ended(Wholeness.cutOff)
                }
                if codes?.isComplete != true, found.damage == nil { found.damage = "frame \(frames) lacks some of its pixels" }
                at = next
            case 0x47 where try frames > 0 && file.read(at, 4) == Array("GIF8".utf8):
                found.warnings.append("another GIF stands behind the picture: it is left out")
                return ended()
            default: return ended("no block begins at byte \(at)")
            }
        }
        return ended(Wholeness.cutOff)
    }

    /// Bytes of the table that flags announce.
    private static func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// nil where the file ends before them.
    private static func endOfBlocks(_ file: Window, _ first: Int, _ body: (ArraySlice<UInt8>) -> Void = { _ in }) throws -> Int? {
        var at = first
        while let count = try file.byte(at) {
            if count == 0 { return at + 1 }
            guard let data = try file.part(at + 1, Int(count)) else { return nil }
            body(data)
            at += 1 + Int(count)
        }
        return nil
    }
}

/// The compressed pixels of a GIF's frame, counted: libvips' decoder takes those that are missing for old ones, and says nothing.
///
/// **Source**: GIF89a, appendix F.
struct GIFCodes {
    /// How many pixels each code of the table stands for.
    private var lengths: [UInt16]
    private let clear: Int
    private var missing: Int
    private var size: Int
    private var previous: Int?
    private var waiting: UInt32 = 0
    private var waitingBits = 0
    /// The end, or a code that stands for nothing.
    private var isOver = false

    /// nil for a size that no decoder takes.
    ///
    /// - Parameter bits: of the smallest codes, as the frame says.
    init?(bits: Int, pixels: Int) {
        guard (1...11).contains(bits) else { return nil }
        clear = 1 << bits
        lengths = Array(repeating: 1, count: clear + 2)
        lengths.reserveCapacity(4096)
        (missing, size) = (pixels, bits + 1)
    }

    /// All pixels were there.
    var isComplete: Bool { missing <= 0 }

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            // What follows the last pixel is nobody's.
            if isOver || missing <= 0 { return }
            waiting |= UInt32(byte) << waitingBits
            waitingBits += 8
            while waitingBits >= size, !isOver {
                let code = Int(waiting & (1 << size - 1))
                waiting >>= size
                waitingBits -= size
                read(code)
            }
        }
    }

    private mutating func read(_ code: Int) {
        if code == clear {
            lengths.removeSubrange((clear + 2)...)
            size = clear.trailingZeroBitCount + 1
            previous = nil
            return
        }
        guard code != clear + 1 else {
            isOver = true
            return
        }
        if let previous {
            let isNew = code == lengths.count
            guard code < lengths.count || isNew && code < 4096 else {
                isOver = true
                return
            }
            if lengths.count < 4096 { lengths.append(lengths[previous] &+ 1) }
        } else if code > clear {
            isOver = true
            return
        }
        missing -= Int(lengths[code])
        if lengths.count == 1 << size, size < 12 { size += 1 }
        previous = code
    }
}
