import Glibc
import LabelpipeKit

/// The chunks of a WebP.
///
/// **Source**: the WebP container specification, "Extended file format".
enum WebPFile {
    /// Its picture, or first frame, is a lossless bit stream.
    static func isLossless(_ descriptor: Int32) throws -> Bool {
        let file = FileEdit(source: descriptor)
        var at = 12
        for _ in 0..<64 {
            guard let head = try file.read(at, 8) else { return false }
            let size = head.littleEndian32(4)
            switch String(decoding: head[0..<4], as: UTF8.self) {
            case "VP8L": return true
            case "VP8 ": return false
            // A frame: its own chunks stand behind 16 bytes of place and duration.
            case "ANMF": at += 8 + 16
            default: at += 8 + size + (size & 1)
            }
        }
        return false
    }

    private static let (exifFlag, xmpFlag, alphaFlag): (UInt8, UInt8, UInt8) = (0x08, 0x04, 0x10)

    /// Puts EXIF and XMP into a finished file, in place of what its writer has made up.
    static func put(_ blocks: MetadataBlocks, width: Int, height: Int, to descriptor: Int32) throws {
        let file = FileEdit(output: descriptor)
        guard let head = try file.read(0, 25) else { throw DrawingError("codec", "the WebP that was written is too short") }
        let isExtended = head[12..<16].elementsEqual("VP8X".utf8)
        var chunks: [UInt8] = []
        var flags: UInt8 = 0
        if let exif = blocks.exif {
            chunks += chunk("EXIF", exif)
            flags |= exifFlag
        }
        if let xmp = blocks.xmp {
            chunks += chunk("XMP ", xmp)
            flags |= xmpFlag
        }
        if isExtended {
            try file.truncate(to: endOfPicture(file))
            try file.write([head[20] & ~(exifFlag | xmpFlag) | flags], at: 20)
        } else if !chunks.isEmpty {
            // A plain file: of a lossless one, bit 28 behind its signature says whether there is alpha.
            if head[12..<16].elementsEqual("VP8L".utf8), head[24] & 0x10 != 0 { flags |= alphaFlag }
            func three(_ value: Int) -> [UInt8] { Array([UInt8](littleEndian32: value).prefix(3)) }
            try file.insert(chunk("VP8X", [flags, 0, 0, 0] + three(width - 1) + three(height - 1)), at: 12)
        }
        try file.append(chunks)
        try file.write([UInt8](littleEndian32: try file.size - 8), at: 4)
    }

    /// Gives a finished animation the delays that libvips replaces: it writes 100 ms for up to 10.
    ///
    /// - Returns: whether all are as they should be: the encoder unites frames that look the same.
    static func putDelays(_ delays: [Int], count: Int, to descriptor: Int32) throws -> Bool {
        guard count > 1, delays.count >= count, delays.prefix(count).contains(where: { $0 <= 10 }) else { return true }
        let file = FileEdit(output: descriptor)
        var frames: [Int] = []
        var at = 12
        while let head = try file.read(at, 8) {
            let size = head.littleEndian32(4)
            if head.starts(with: "ANMF".utf8) { frames.append(at) }
            at += 8 + size + (size & 1)
        }
        guard frames.count == count else { return false }
        // Behind place and size of 3 bytes each.
        for (frame, delay) in zip(frames, delays) {
            try file.write(Array([UInt8](littleEndian32: delay).prefix(3)), at: frame + 8 + 12)
        }
        return true
    }

    /// Metadata follows the picture.
    private static func endOfPicture(_ file: FileEdit) throws -> Int {
        var at = 12
        while let head = try file.read(at, 8) {
            let name = String(decoding: head[0..<4], as: UTF8.self)
            if name == "EXIF" || name == "XMP " { return at }
            let size = head.littleEndian32(4)
            at += 8 + size + (size & 1)
        }
        return try file.size
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [UInt8](littleEndian32: data.count) + data + (data.count & 1 == 1 ? [0] : [])
    }
}
