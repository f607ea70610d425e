import Glibc

/// What a file's own structure says about its being whole, without its pixels being decoded.
///
/// Decoders go by what they need: frames that are cut off, pages whose directory is gone, a mark that should end the file are
/// not missed by them.
///
/// **Cost**: a walk from block to block; a GIF is read once, since its blocks have 255 bytes at most.
struct Wholeness {
    /// Why the picture is not all there.
    var damage: String?
    /// What is wrong with parts that the picture can do without.
    var warnings: [String] = []
    /// Pages of a TIFF, from 0, that libvips' reader does not take as they are.
    var oddPages: Set<Int> = []
    /// Metadata of a PNG stands behind its pixels.
    var hasLateMetadata = false
    /// Frames or pages that stand in the file; nil where that is not known without a decoder.
    var frames: Int?

    init(damage: String? = nil, frames: Int? = nil) { (self.damage, self.frames) = (damage, frames) }

    static let cutOff = "the file ends before its end mark"

    /// - Errors: ``PictureFileError/system(call:errno:)``.
    static func of(_ kind: FileKind, descriptor: Int32, size: Int) throws -> Wholeness {
        let file = Window(descriptor: descriptor, size: size)
        switch kind {
        case .jpeg: return try JPEGMarkers.wholeness(file)
        case .png: return try PNGChunks(file).wholeness
        case .gif: return try GIFBlocks.wholeness(file)
        case .webp: return try RIFFChunks.wholeness(file)
        case .tiff: return try TIFFPages.wholeness(file)
        case .heic, .avif, .jxl: return try MediaBoxes.wholeness(file)
        case .ppm, .svg, .pdf, .openslide, .raw, .unknown: return Wholeness()
        }
    }
}

/// A file read from place to place, by pieces that are kept: neighbours cost one call.
final class Window {
    let size: Int
    private let file: FileBytes
    private var bytes: [UInt8] = []
    private var start = 0

    /// **Units**: bytes of a piece.
    static let piece = 1 << 16

    init(descriptor: Int32, size: Int) { (file, self.size) = (FileBytes(descriptor: descriptor), size) }

    /// nil beyond the end.
    func byte(_ at: Int) throws -> UInt8? {
        if at >= start, at < start + bytes.count { return bytes[at - start] }
        guard at >= 0, at < size else { return nil }
        (start, bytes) = (at, try file.read(at: at, count: min(Self.piece, size - at)))
        return bytes.first
    }

    /// Where a byte stands next; nil: nowhere.
    func place(of wanted: UInt8, from start: Int) throws -> Int? {
        var at = start
        while try byte(at) != nil {
            let offset = at - self.start
            let found = bytes.withUnsafeBytes { bytes -> Int? in
                guard let base = bytes.baseAddress, let found = memchr(base + offset, Int32(wanted), bytes.count - offset) else {
                    return nil
                }
                return UnsafeRawPointer(found) - base
            }
            if let found { return self.start + found }
            at = self.start + bytes.count
        }
        return nil
    }

    /// Bytes of the piece that is kept: none is copied. No more than a piece has; nil where not all of them are in the file.
    func part(_ at: Int, _ count: Int) throws -> ArraySlice<UInt8>? {
        guard at >= 0, count > 0, count <= Self.piece, at <= size - count else { return nil }
        if at < start || at + count > start + bytes.count {
            (start, bytes) = (at, try file.read(at: at, count: min(Self.piece, size - at)))
        }
        let from = at - start
        return from + count <= bytes.count ? bytes[from..<from + count] : nil
    }

    /// nil where not all of them are in the file.
    func read(_ at: Int, _ count: Int) throws -> [UInt8]? {
        guard at >= 0, count >= 0, at <= size - count else { return nil }
        if count > 64 {
            let read = try file.read(at: at, count: count)
            return read.count == count ? read : nil
        }
        var read: [UInt8] = []
        for place in at..<(at + count) {
            guard let byte = try byte(place) else { return nil }
            read.append(byte)
        }
        return read
    }

    func bigEndian(_ at: Int, _ count: Int) throws -> Int? {
        try read(at, count).map { bytes in Int(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    }

    func littleEndian(_ at: Int, _ count: Int) throws -> Int? {
        try read(at, count).map { bytes in Int(clamping: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    }
}
