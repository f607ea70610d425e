import CTIFF
import Glibc

/// How a page of a TIFF is stored, as far as it decides who can read it.
struct PageLayout {
    let width: Int
    let height: Int
    let samples: Int
    /// Bits a sample; 0 where they differ.
    let bits: Int
    let compression: Int
    /// nil: the file does not say it.
    let photometric: Int?
    let isPlanar: Bool
    let isTiled: Bool
    /// Of a tile, or of a strip.
    let tileWidth: Int
    let tileHeight: Int
    private let sampleFormat: Int
    private let hasPalette: Bool

    init(_ entries: [TIFFPages.Entry], _ pages: TIFFPages) throws {
        func values(_ tag: Int) throws -> [Int] { try entries.first { $0.tag == tag }.flatMap { try pages.numbers($0) } ?? [] }
        func first(_ tag: Int, _ fallback: Int) throws -> Int { try values(tag).first ?? fallback }
        width = try first(256, 0)
        height = try first(257, 0)
        samples = try first(277, 1)
        let bits = Set(try values(258))
        self.bits = bits.count > 1 ? 0 : bits.first ?? 1
        compression = try first(259, 1)
        photometric = try values(262).first
        isPlanar = try samples > 1 && first(284, 1) == 2
        isTiled = entries.contains { $0.tag == 322 }
        tileWidth = isTiled ? try first(322, 0) : width
        tileHeight = isTiled ? try first(323, 0) : min(height, max(1, try first(278, height)))
        sampleFormat = try first(339, 1)
        hasPalette = entries.contains { $0.tag == 320 }
    }

    /// JPEG as TIFF 6.0 had it, which nobody writes any more.
    var isOldJPEG: Bool { compression == 6 }
    /// libvips' reader knows neither 12 bits, nor tiles of single channels, nor the old kind of JPEG.
    var needsDecoding: Bool { isOldJPEG || bits == 12 || isPlanar && isTiled }
    /// Something that libvips' reader misses: one of those, or what the samples mean.
    var isOdd: Bool { needsDecoding || photometric == nil }

    /// As libtiff takes it: faxes are written on white.
    var likelyPhotometric: Int {
        if samples >= 3 { return 2 }
        return hasPalette && samples == 1 ? 3 : (2...4).contains(compression) ? 0 : 1
    }

    /// Whether all tiles or strips lie in the file, by their lengths or, where they are not coded, by their sizes.
    func isWhole(_ entries: [TIFFPages.Entry], _ pages: TIFFPages, size: Int) throws -> Bool {
        func values(_ tag: Int) throws -> [Int] { try entries.first { $0.tag == tag }.flatMap { try pages.numbers($0) } ?? [] }
        let (offsets, counts) = (try values(isTiled ? 324 : 273), try values(isTiled ? 325 : 279))
        let rowBytes = (tileWidth * (isPlanar ? 1 : samples) * bits + 7) / 8
        let down = (height + tileHeight - 1) / tileHeight
        return offsets.indices.allSatisfy { index in
            let rows = isTiled ? tileHeight : min(tileHeight, height - index % down * tileHeight)
            let count = compression == 1 ? rowBytes * rows : counts.indices.contains(index) ? counts[index] : size
            return offsets[index] <= size - count
        }
    }

    /// Why it cannot be read all the same.
    var obstacle: String? {
        guard width > 0, height > 0, tileWidth > 0, tileHeight > 0 else { return "it has no size" }
        guard max(width, height, tileWidth, tileHeight) <= 1 << 24, samples <= 64, bits <= 64 else { return "it is too large" }
        // Held decoded, by four bytes a pixel: what scanners of that time made has a tenth of it.
        if isOldJPEG { return width * height > 1 << 25 ? "a JPEG of the old kind of more than 32 megapixels" : nil }
        if !needsDecoding { return nil }
        let isFloat = sampleFormat == 3 && bits == 32
        guard isFloat || sampleFormat == 1 && [8, 12, 16].contains(bits) else {
            return "samples of \(bits) bits in format \(sampleFormat) by single channels"
        }
        if photometric == 3 && bits == 12 { return "a palette of 4096 colours" }
        // Differences of colour may be at half the resolution.
        if photometric == 6 { return "differences of colour in samples of \(bits) bits" }
        // A row of tiles is held decoded.
        return tileHeight * width * samples * max(8, bits) / 8 > 1 << 27 ? "its tiles are too large" : nil
    }
}

/// The pixels of a page, decoded by libtiff.
final class PageDecoder {
    private final class Complaint {
        var text: String?

        static func text(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) -> String {
            var text = [CChar](repeating: 0, count: 256)
            if let format, let arguments { vsnprintf(&text, text.count, format, arguments) }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Of libjpeg's warnings, which libtiff passes on as its own, those about pixels that are not as they were.
    static func isDamage(_ warning: String) -> Bool {
        warning.contains("Corrupt JPEG data") || warning.contains("Premature end of JPEG file")
    }

    private let complaint = Complaint()
    private let reading: OpaquePointer
    private let layout: PageLayout

    /// - Parameters:
    ///   - source: stays the caller's, though not where it points to.
    ///   - place: of the page's directory.
    init(_ source: Int32, _ place: Int, _ layout: PageLayout) throws {
        self.layout = layout
        let own = dup(source)
        guard own >= 0, lseek(own, 0, SEEK_SET) == 0, let options = TIFFOpenOptionsAlloc() else {
            throw PictureFileError.system(call: "open", errno: errno)
        }
        defer { TIFFOpenOptionsFree(options) }
        TIFFOpenOptionsSetErrorHandlerExtR(
            options,
            { _, context, _, format, arguments in
                let complaint = Unmanaged<Complaint>.fromOpaque(context!).takeUnretainedValue()
                if complaint.text == nil { complaint.text = Complaint.text(format, arguments) }
                return 1
            }, Unmanaged.passUnretained(complaint).toOpaque())
        TIFFOpenOptionsSetWarningHandlerExtR(
            options,
            { _, context, _, format, arguments in
                let complaint = Unmanaged<Complaint>.fromOpaque(context!).takeUnretainedValue()
                let text = Complaint.text(format, arguments)
                if complaint.text == nil, PageDecoder.isDamage(text) { complaint.text = text }
                return 1
            }, Unmanaged.passUnretained(complaint).toOpaque())
        // m: not mapped. c: strips as they are.
        guard let tiff = TIFFFdOpenExt(own, "source", "rmc", options) else {
            close(own)
            throw VipsError(operation: "tiffload", message: complaint.text ?? "libtiff cannot open it")
        }
        reading = tiff
        guard TIFFSetSubDirectory(reading, UInt64(place)) == 1 else { throw failure }
        // What is wrong with other tags is told by others.
        complaint.text = nil
    }

    deinit { TIFFClose(reading) }

    private var failure: VipsError { VipsError(operation: "tiffload", message: complaint.text ?? "libtiff cannot decode it") }

    /// All rows, some at a time: samples of a pixel side by side, 12 bits as 16, in the byte order that is asked for.
    func rows(isLittleEndian: Bool, _ body: ([UInt8]) throws -> Void) throws {
        if layout.isOldJPEG { return try oldJPEG(body) }
        let sampleBytes = layout.bits == 12 ? 2 : layout.bits / 8
        let pixelBytes = sampleBytes * layout.samples
        let planes = layout.isPlanar ? layout.samples : 1
        let channels = layout.isPlanar ? 1 : layout.samples
        let tileRowBytes = (layout.tileWidth * channels * layout.bits + 7) / 8
        let across = (layout.width + layout.tileWidth - 1) / layout.tileWidth
        let down = (layout.height + layout.tileHeight - 1) / layout.tileHeight
        var coded = [UInt8](repeating: 0, count: tileRowBytes * layout.tileHeight)
        for row in 0..<down {
            let count = min(layout.tileHeight, layout.height - row * layout.tileHeight)
            var out = [UInt8](repeating: 0, count: layout.width * pixelBytes * count)
            for plane in 0..<planes {
                for column in 0..<across {
                    try read((plane * down + row) * across + column, rows: count, into: &coded)
                    let left = column * layout.tileWidth
                    let columns = min(layout.tileWidth, layout.width - left)
                    for y in 0..<count {
                        var at = (y * layout.width + left) * pixelBytes + plane * sampleBytes
                        for sample in 0..<columns * channels {
                            put(coded, y * tileRowBytes, sample, &out, at, isLittleEndian)
                            // Of several channels a tile's samples follow each other; of one they are a pixel apart.
                            at += layout.isPlanar ? pixelBytes : sampleBytes
                        }
                    }
                }
            }
            try body(out)
        }
    }

    private func read(_ tile: Int, rows: Int, into buffer: inout [UInt8]) throws {
        let count = buffer.withUnsafeMutableBytes { bytes in
            layout.isTiled
                ? TIFFReadEncodedTile(reading, UInt32(tile), bytes.baseAddress, tmsize_t(bytes.count))
                : TIFFReadEncodedStrip(reading, UInt32(tile), bytes.baseAddress, tmsize_t(bytes.count))
        }
        let expected = layout.isTiled ? buffer.count : buffer.count / layout.tileHeight * rows
        guard complaint.text == nil, count >= expected else { throw failure }
    }

    /// One sample from a row of a tile, as libtiff decodes it: in this machine's byte order, which is little-endian; 12 bits with
    /// the highest first.
    @inline(__always)
    private func put(
        _ coded: [UInt8], _ start: Int, _ sample: Int, _ out: inout [UInt8], _ at: Int, _ isLittleEndian: Bool
    ) {
        switch layout.bits {
        case 8: out[at] = coded[start + sample]
        case 12:
            let byte = start + sample * 3 / 2
            let value =
                sample & 1 == 0
                ? UInt16(coded[byte]) << 4 | UInt16(coded[byte + 1] >> 4)
                : UInt16(coded[byte] & 15) << 8 | UInt16(coded[byte + 1])
            // 4095 becomes 65535.
            let wide = value << 4 | value >> 8
            out[at + (isLittleEndian ? 0 : 1)] = UInt8(wide & 255)
            out[at + (isLittleEndian ? 1 : 0)] = UInt8(wide >> 8)
        default:
            let bytes = layout.bits / 8
            for byte in 0..<bytes { out[at + byte] = coded[start + sample * bytes + (isLittleEndian ? byte : bytes - 1 - byte)] }
        }
    }

    /// In red, green and blue, as it lies in the file.
    private func oldJPEG(_ body: ([UInt8]) throws -> Void) throws {
        var pixels = [UInt32](repeating: 0, count: layout.width * layout.height)
        var orientation: UInt16 = 1
        _ = labelpipe_tiff_short(reading, UInt32(TIFFTAG_ORIENTATION), &orientation)
        let isDone = TIFFReadRGBAImageOriented(
            reading, UInt32(layout.width), UInt32(layout.height), &pixels, Int32(orientation), 1)
        guard isDone == 1, complaint.text == nil else { throw failure }
        for row in 0..<layout.height {
            try body(
                pixels[row * layout.width..<(row + 1) * layout.width].flatMap { pixel in
                    [UInt8(pixel & 255), UInt8(pixel >> 8 & 255), UInt8(pixel >> 16 & 255)]
                })
        }
    }
}
