import CShim
import Glibc

/// A PNG's chunks, and the stream of its pixels.
///
/// **Source**: Portable Network Graphics 3, 5.3 to 5.6.
struct PNGChunks {
    private(set) var wholeness = Wholeness()
    private let file: Window
    /// Where the compressed pixels are.
    private var pixels: [Range<Int>] = []
    /// Metadata behind the pixels, where ImageMagick for one writes it, their heads and sums included.
    private var late: [Range<Int>] = []
    private var early: Set<String> = []
    private static let metadata: Set<String> = ["tEXt", "zTXt", "iTXt", "eXIf"]
    /// No more than this is put in front. **Units**: bytes.
    private static let mostMoved = 64 << 20

    /// A sum is made of no more than this. **Units**: bytes.
    private static let mostSummed = 64 << 20

    /// - Errors: ``PictureFileError/system(call:errno:)``.
    init(_ file: Window) throws {
        self.file = file
        var at = 8
        while let count = try file.bigEndian(at, 4), let name = try file.read(at + 4, 4), at + 12 + count <= file.size {
            let text = String(decoding: name, as: UTF8.self)
            if PNGChunks.metadata.contains(text) {
                // A picture has one EXIF.
                if !pixels.isEmpty, text != "eXIf" || !early.contains(text) { late.append(at..<at + 12 + count) }
                early.insert(text)
            }
            if text == "IDAT" {
                pixels.append(at + 8..<at + 8 + count)
            } else if count <= Self.mostSummed, let body = try file.read(at + 4, 4 + count),
                let sum = try file.bigEndian(at + 8 + count, 4),
                crc_shim(0, body, body.count) != sum
            {
                // Metadata that the picture can do without, too: libpng leaves such a part out.
                wholeness.damage = wholeness.damage ?? "the checksum of its part \"\(text)\" is wrong"
            }
            if text == "IEND" {
                wholeness.hasLateMetadata = !late.isEmpty
                if pixels.isEmpty { wholeness.damage = wholeness.damage ?? "it has no pixels" }
                return
            }
            at += 12 + count
        }
        wholeness.damage = wholeness.damage ?? Wholeness.cutOff
    }

    /// The file with all metadata in front of its pixels: libvips' reader comes to what is behind them when it is too late.
    ///
    /// **Cost**: a copy of the file.
    func ordered(_ source: Int32) throws -> TemporaryFile? {
        guard let first = pixels.first.map({ $0.lowerBound - 8 }), late.reduce(0, { $0 + $1.count }) <= PNGChunks.mostMoved
        else { return nil }
        var output = try TemporaryFile()
        do {
            try output.append(0..<first, of: source)
            for range in late { try output.append(range, of: source) }
            var at = first
            for range in late {
                try output.append(at..<range.lowerBound, of: source)
                at = range.upperBound
            }
            try output.append(at..<file.size, of: source)
        } catch {
            close(output.descriptor)
            throw error
        }
        return output
    }

    /// What is wrong with the compressed pixels: libpng stops reading them with the last row, in front of the checksum.
    ///
    /// **Cost**: they are decompressed once more.
    func damageOfPixels() throws -> String? {
        guard let stream = inflate_shim_new() else { return nil }
        defer { inflate_shim_free(stream) }
        for range in pixels {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Window.piece) {
                guard let bytes = try file.read(start, min(Window.piece, range.upperBound - start)) else {
                    return Wholeness.cutOff
                }
                switch inflate_shim_feed(stream, bytes, bytes.count) {
                case 0: continue
                case 1: return nil
                default: return "its pixels do not agree with their checksum"
                }
            }
        }
        return "its compressed pixels end too early"
    }
}
