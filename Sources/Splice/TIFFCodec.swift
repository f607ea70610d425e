import CTIFF
import Glibc

/// Decodes tiles of a file and encodes new ones as the file has them, both by libtiff. It never writes to a file: tiles are
/// encoded into a TIFF in memory, and taken from there.
final class TIFFCodec {
    /// Kept while libtiff works: its first complaint.
    private final class Complaint {
        var text: String?

        static func text(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) -> String {
            var text = [CChar](repeating: 0, count: 256)
            if let format, let arguments { vsnprintf(&text, text.count, format, arguments) }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// A file in memory for libtiff's callbacks.
    private final class Memory {
        var bytes: [UInt8] = []
        var position = 0
    }

    private let complaint = Complaint()
    private let reading: OpaquePointer
    private let file: TIFFFile
    private let directory: TIFFFile.Directory
    /// Where the coded tiles are.
    private let offsets: [Int]
    private let counts: [Int]
    private let isBigEndian: Bool

    /// - Parameters:
    ///   - file: whose descriptor stays the caller's, though not where it points to.
    ///   - forCheck: nobody looks at the samples: they stay differences where the file has such.
    init(_ file: TIFFFile, _ directory: TIFFFile.Directory, forCheck: Bool = false) throws {
        (self.file, self.directory) = (file, directory)
        let isChecked = CodedTile.isChecked(directory)
        offsets = isChecked ? try file.numbers(directory.offsets) : []
        counts = isChecked ? try file.numbers(directory.byteCounts) : []
        isBigEndian = file.isBigEndian
        let own = dup(file.descriptor)
        // Not mapped, and no arrays of offsets read before they are asked for: both would be held by the worker. c: strips as
        // they are, not in pieces.
        guard own >= 0, lseek(own, 0, SEEK_SET) == 0, let options = Self.options(complaint),
            let tiff = TIFFFdOpenExt(own, "source", "rmDOc", options)
        else {
            if own >= 0 { close(own) }
            throw SpliceError.damaged("libtiff: \(complaint.text ?? "cannot open it")")
        }
        TIFFOpenOptionsFree(options)
        reading = tiff
        guard TIFFSetSubDirectory(reading, UInt64(directory.position)) == 1 else {
            throw SpliceError.damaged("libtiff: \(complaint.text ?? "no directory")")
        }
        if forCheck, directory.predictor > 1 {
            _ = withVaList([UInt32(PREDICTOR_NONE)]) { TIFFVSetField(reading, UInt32(TIFFTAG_PREDICTOR), $0) }
        }
    }

    deinit { TIFFClose(reading) }

    private static func options(_ complaint: Complaint) -> OpaquePointer? {
        guard let options = TIFFOpenOptionsAlloc() else { return nil }
        let context = Unmanaged.passUnretained(complaint).toOpaque()
        TIFFOpenOptionsSetErrorHandlerExtR(
            options,
            { _, context, module, format, arguments in
                let complaint = Unmanaged<Complaint>.fromOpaque(context!).takeUnretainedValue()
                if complaint.text == nil { complaint.text = Complaint.text(format, arguments) }
                return 1
            }, context)
        // Of JPEGs, libtiff passes libjpeg's words on as warnings, and goes on with grey.
        TIFFOpenOptionsSetWarningHandlerExtR(
            options,
            { _, context, _, format, arguments in
                let complaint = Unmanaged<Complaint>.fromOpaque(context!).takeUnretainedValue()
                let text = Complaint.text(format, arguments)
                let isDamage = text.contains("Corrupt JPEG data") || text.contains("Premature end of JPEG file")
                if complaint.text == nil, isDamage { complaint.text = text }
                return 1
            }, context)
        return options
    }

    /// The samples of one tile, in this machine's byte order. Less than a whole tile for the last strip.
    ///
    /// - Errors: `SpliceError.damaged` with libtiff's words.
    func decode(_ tile: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
        complaint.text = nil
        let count = tmsize_t(buffer.count)
        let done =
            directory.isTiled
            ? TIFFReadEncodedTile(reading, UInt32(tile), buffer.baseAddress, count)
            : TIFFReadEncodedStrip(reading, UInt32(tile), buffer.baseAddress, count)
        guard done == count, complaint.text == nil else {
            throw SpliceError.undecodable("tile \(tile): \(complaint.text ?? "too short")")
        }
        try checkCoded(tile, decoded: UnsafeRawBufferPointer(rebasing: buffer[..<Int(done)]))
    }

    /// Decodes a tile to nowhere.
    ///
    /// - Errors: `SpliceError.undecodable` with libtiff's words.
    func check(_ tile: Int, by buffer: UnsafeMutableRawBufferPointer) throws {
        complaint.text = nil
        let done =
            directory.isTiled
            ? TIFFReadEncodedTile(reading, UInt32(tile), buffer.baseAddress, tmsize_t(buffer.count))
            : TIFFReadEncodedStrip(reading, UInt32(tile), buffer.baseAddress, tmsize_t(buffer.count))
        if done < 0 || complaint.text != nil {
            throw SpliceError.undecodable("tile \(tile): \(complaint.text ?? "cannot be decoded")")
        }
        try checkCoded(tile, decoded: UnsafeRawBufferPointer(rebasing: buffer[..<Int(done)]))
    }

    /// libtiff stops reading with the last row: what is wrong behind it, it does not see.
    private func checkCoded(_ tile: Int, decoded: UnsafeRawBufferPointer) throws {
        guard offsets.indices.contains(tile), counts.indices.contains(tile) else { return }
        let coded = try file.bytes(offsets[tile], counts[tile])
        if let damage = CodedTile.damage(coded, directory.compression, decoded: decoded) {
            throw SpliceError.undecodable("tile \(tile): \(damage)")
        }
    }

    /// A tile's coded bytes.
    ///
    /// - Parameters:
    ///   - rows: how many the samples are.
    ///   - isFast: prefers time to size where the codec has a level.
    func encode(_ samples: UnsafeMutableRawBufferPointer, rows: Int, isFast: Bool) throws -> [UInt8] {
        let memory = Memory()
        complaint.text = nil
        guard let options = Self.options(complaint) else { throw SpliceError.invalid("libtiff has no memory") }
        defer { TIFFOpenOptionsFree(options) }
        let context = Unmanaged.passUnretained(memory).toOpaque()
        let opened = TIFFClientOpenExt(
            "tile", isBigEndian ? "wb" : "wl", context,
            { context, buffer, count in
                let memory = Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue()
                let some = max(0, min(Int(count), memory.bytes.count - memory.position))
                memory.bytes.withUnsafeBytes { _ = memcpy(buffer!, $0.baseAddress! + memory.position, some) }
                memory.position += some
                return tmsize_t(some)
            },
            { context, buffer, count in
                let memory = Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue()
                let end = memory.position + Int(count)
                if end > memory.bytes.count { memory.bytes.append(contentsOf: repeatElement(0, count: end - memory.bytes.count)) }
                memory.bytes.withUnsafeMutableBytes { _ = memcpy($0.baseAddress! + memory.position, buffer!, Int(count)) }
                memory.position = end
                return count
            },
            { context, offset, whence in
                let memory = Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue()
                let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory.position : memory.bytes.count
                memory.position = base + Int(offset)
                return toff_t(memory.position)
            },
            { _ in 0 },
            { context in toff_t(Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue().bytes.count) },
            { _, _, _ in 0 }, { _, _, _ in }, options)
        guard let tiff = opened else { throw SpliceError.invalid("libtiff: \(complaint.text ?? "cannot encode")") }
        defer { TIFFClose(tiff) }
        try describe(tiff, rows: rows, isFast: isFast)
        let start = memory.bytes.count
        let count = tmsize_t(samples.count)
        let done =
            directory.isTiled
            ? TIFFWriteEncodedTile(tiff, 0, samples.baseAddress, count)
            : TIFFWriteEncodedStrip(tiff, 0, samples.baseAddress, count)
        guard done == count, TIFFFlushData(tiff) == 1, complaint.text == nil else {
            throw SpliceError.invalid("libtiff: \(complaint.text ?? "cannot encode")")
        }
        return Array(memory.bytes[start...])
    }

    private func describe(_ tiff: OpaquePointer, rows: Int, isFast: Bool) throws {
        func set(_ tag: Int32, _ value: Int) throws {
            guard withVaList([UInt32(value)], { TIFFVSetField(tiff, UInt32(tag), $0) }) == 1 else {
                throw SpliceError.invalid("libtiff: \(complaint.text ?? "tag \(tag)")")
            }
        }
        let planar = directory.isPlanar
        try set(TIFFTAG_IMAGEWIDTH, directory.tileWidth)
        try set(TIFFTAG_IMAGELENGTH, rows)
        try set(TIFFTAG_BITSPERSAMPLE, directory.bits)
        try set(TIFFTAG_SAMPLESPERPIXEL, planar ? 1 : directory.samples)
        try set(TIFFTAG_SAMPLEFORMAT, directory.sampleFormat)
        try set(TIFFTAG_PLANARCONFIG, 1)
        try set(TIFFTAG_PHOTOMETRIC, Int(PHOTOMETRIC_MINISBLACK))
        try set(TIFFTAG_FILLORDER, directory.fillOrder)
        if directory.isTiled {
            try set(TIFFTAG_TILEWIDTH, directory.tileWidth)
            try set(TIFFTAG_TILELENGTH, directory.tileHeight)
        } else {
            try set(TIFFTAG_ROWSPERSTRIP, rows)
        }
        try set(TIFFTAG_COMPRESSION, directory.compression)
        let hasPredictor = [COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE, COMPRESSION_ZSTD, COMPRESSION_LZMA]
            .contains(Int32(directory.compression))
        if hasPredictor && directory.predictor > 1 { try set(TIFFTAG_PREDICTOR, directory.predictor) }
        switch Int32(directory.compression) {
        case COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE: try set(TIFFTAG_ZIPQUALITY, isFast ? 1 : 6)
        case COMPRESSION_LZMA: try set(TIFFTAG_LZMAPRESET, isFast ? 1 : 6)
        case COMPRESSION_ZSTD: try set(TIFFTAG_ZSTD_LEVEL, isFast ? 1 : 9)
        default: break
        }
    }
}
