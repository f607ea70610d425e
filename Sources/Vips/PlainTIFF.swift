import Glibc

/// A page of a TIFF that libvips' reader does not take, as a file that it takes.
///
/// The pixels are decoded by libtiff and stand as they are behind a copy of the file, with a directory of their own; what else
/// the page's directory says stays: profile, resolution, orientation, metadata.
///
/// **Source**: TIFF 6.0; TIFF Technical Note 2 for the old kind of JPEG.
/// **Cost**: a temporary file of the size of the source and its pixels. In memory: a row of tiles; of the old kind of JPEG, all
/// pixels.
struct PlainTIFF {
    /// Open for reading, and the caller's to close.
    var descriptor: Int32 { output.descriptor }
    /// What is assumed where the file does not say it.
    private(set) var warnings: [String] = []

    private let pages: TIFFPages
    private let entries: [TIFFPages.Entry]
    private var output: TemporaryFile

    /// nil: the page is none that libvips' reader misses something of, or is damaged in a way that it will tell.
    ///
    /// - Parameter page: from 0.
    /// - Errors: ``PictureFileError``, ``VipsError`` with libtiff's words.
    init?(of source: Int32, size: Int, page: Int, pixelLimit: Int?) throws {
        guard let pages = try TIFFPages(Window(descriptor: source, size: size)), let place = try pages.place(of: page),
            let entries = try pages.entries(at: place)?.entries
        else { return nil }
        (self.pages, self.entries) = (pages, entries)
        let layout = try PageLayout(entries, pages)
        guard layout.isOdd else { return nil }
        if let limit = pixelLimit, layout.width * layout.height > limit {
            throw PictureFileError.tooLarge(what: "pixels", got: layout.width * layout.height, limit: limit)
        }
        if let reason = layout.obstacle { throw PictureFileError.unsupported(.tiff, reason) }
        output = try TemporaryFile()
        do {
            try write(source, size, place, layout)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private mutating func write(_ source: Int32, _ size: Int, _ place: Int, _ layout: PageLayout) throws {
        try output.begin(withCopyOf: source, size: size)
        var values: [Int: [Int]] = [:]
        if layout.photometric == nil {
            let meaning = layout.likelyPhotometric
            values[262] = [meaning]
            let words = [0: "black on white", 1: "shades of grey", 2: "red, green and blue", 3: "colours of its palette"]
            warnings.append("it does not say what its samples mean: they are taken for \(words[meaning] ?? "colours")")
        }
        // The directory that is written behind the file must not stand in for pixels that are not there.
        if !layout.needsDecoding, try !layout.isWhole(entries, pages, size: size) {
            throw VipsError(operation: "tiffload", message: "its pixels are cut off")
        }
        if layout.needsDecoding {
            let decoder = try PageDecoder(source, place, layout)
            output.makeEven()
            let start = output.size
            try decoder.rows(isLittleEndian: pages.isLittle) { try output.append($0) }
            let samples = layout.isOldJPEG ? 3 : layout.samples
            let bits = layout.isOldJPEG ? 8 : layout.bits == 12 ? 16 : layout.bits
            let rowBytes = (layout.width * samples * bits + 7) / 8
            let rows = max(1, min(layout.height, (1 << 16) / max(1, rowBytes)))
            let strips = stride(from: 0, to: layout.height, by: rows)
            values[258] = Array(repeating: bits, count: samples)
            values[259] = [1]
            values[273] = strips.map { start + $0 * rowBytes }
            values[277] = [samples]
            values[278] = [rows]
            values[279] = strips.map { min(rows, layout.height - $0) * rowBytes }
            values[284] = [1]
            if layout.isOldJPEG { values[262] = [2] }
        }
        try writeDirectory(values, without: layout.needsDecoding ? PlainTIFF.storage : [])
    }

    /// Tags that say how pixels are coded: predictor, fill order, tiles, tables of JPEG, differences of colour; and smaller versions.
    private static let storage: Set<Int> = [
        266, 288, 289, 292, 293, 317, 322, 323, 324, 325, 330, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531,
        532,
    ]

    /// A directory with the page's entries and others in their place: the file's only one.
    private mutating func writeDirectory(_ values: [Int: [Int]], without dropped: Set<Int>) throws {
        var written: [Int: [UInt8]] = [:]
        let fieldAt = 4 + pages.word
        for entry in entries where !dropped.contains(entry.tag) {
            var bytes = encoded(entry.tag, 2) + encoded(entry.type, 2) + encoded(entry.count, pages.word)
            if entry.width * entry.count <= pages.word {
                bytes += try pages.file.read(entry.values, pages.word) ?? []
            } else {
                bytes += encoded(entry.values, pages.word)
            }
            written[entry.tag] = bytes
        }
        for (tag, numbers) in values {
            // Shorts for what is small by nature, else numbers as wide as places.
            let isShort = ![273, 278, 279].contains(tag)
            let width = isShort ? 2 : pages.word
            let body = numbers.flatMap { encoded($0, width) }
            var bytes = encoded(tag, 2) + encoded(isShort ? 3 : pages.isBig ? 16 : 4, 2) + encoded(numbers.count, pages.word)
            if body.count <= pages.word {
                bytes += body + [UInt8](repeating: 0, count: pages.word - body.count)
            } else {
                output.makeEven()
                bytes += encoded(output.size, pages.word)
                try output.append(body)
            }
            written[tag] = bytes
        }
        let sorted = written.sorted { $0.key < $1.key }.map(\.value)
        guard sorted.allSatisfy({ $0.count == fieldAt + pages.word }) else {
            throw PictureFileError.unsupported(.tiff, "cut off")
        }
        output.makeEven()
        let place = output.size
        try output.append(encoded(sorted.count, pages.isBig ? 8 : 2) + sorted.flatMap { $0 } + encoded(0, pages.word))
        guard pages.isBig || output.size < 1 << 32 else {
            throw PictureFileError.unsupported(.tiff, "its pixels take more than 4 GB when they are decoded")
        }
        try output.write(encoded(place, pages.word), at: pages.first)
    }

    private func encoded(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return pages.isLittle ? bytes : bytes.reversed()
    }
}
