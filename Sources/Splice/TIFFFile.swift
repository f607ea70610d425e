import Glibc

/// A TIFF's directories, read with a reader of our own: where every value stands is what a patcher has to know.
///
/// - **Source**: TIFF 6.0; BigTIFF; TIFF Technical Note 1 (SubIFDs).
/// - **Cost**: a read a directory; no pixels, no arrays of offsets.
package struct TIFFFile: Sendable {
    /// One entry of a directory.
    struct Entry: Sendable {
        let tag: Int
        let type: Int
        let count: Int
        /// Where the entry begins in the file.
        let position: Int
        /// Where its values begin: in the entry or elsewhere.
        let values: Int
    }

    /// One directory: a page, or a reduced version of one.
    package struct Directory: Sendable {
        /// Where it begins in the file, and its bytes.
        let position: Int
        let size: Int
        let entries: [Int: Entry]
        package internal(set) var width = 0
        package internal(set) var height = 0
        /// Samples a pixel, extra ones included.
        package internal(set) var samples = 1
        /// Bits a sample; 0 when they differ.
        package internal(set) var bits = 1
        /// 1 unsigned, 2 signed, 3 float.
        package internal(set) var sampleFormat = 1
        package internal(set) var photometric = -1
        package internal(set) var compression = 1
        package internal(set) var orientation = 1
        /// Meanings of the samples behind the colours: 0 unknown, 1 associated alpha, 2 straight alpha.
        package internal(set) var extraSamples: [Int] = []
        /// A smaller version of another picture.
        package internal(set) var isReduced = false
        package internal(set) var isMask = false
        var isPlanar = false
        var predictor = 1
        var fillOrder = 1
        var isTiled = false
        /// Size of a tile; of a strip: the picture's width by its rows.
        var tileWidth = 0
        var tileHeight = 0
        /// Directories that belong to it.
        package internal(set) var reduced: [Directory] = []
        /// There are more behind them or below them.
        package internal(set) var hasFurther = false

        var across: Int { (width + tileWidth - 1) / tileWidth }
        var down: Int { (height + tileHeight - 1) / tileHeight }
        var tilesPerPlane: Int { across * down }
        var tileCount: Int { tilesPerPlane * (isPlanar ? samples : 1) }
        var offsets: Entry? { entries[isTiled ? 324 : 273] }
        var byteCounts: Entry? { entries[isTiled ? 325 : 279] }
        /// Colour channels, alpha and other extra samples left out.
        package var channels: Int { samples - extraSamples.count }
    }

    let descriptor: Int32
    package let size: Int
    let isBigEndian: Bool
    package let isBig: Bool
    /// The main chain, in order.
    package private(set) var pages: [Directory] = []

    private static let typeSizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

    /// - Parameter descriptor: open for reading; stays the caller's.
    package init(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw SpliceError.input(errno) }
        size = Int(end)
        let head = try Self.bytes(descriptor, 0, min(16, Int(end)))
        guard head.count >= 8, head[0] == head[1], head[0] == 0x49 || head[0] == 0x4D else {
            throw SpliceError.damaged("no TIFF signature")
        }
        isBigEndian = head[0] == 0x4D
        let bytes = OrderedBytes(bytes: head, isBigEndian: isBigEndian)
        isBig = bytes.u16(2) == 43
        guard isBig || bytes.u16(2) == 42, !isBig || (bytes.u16(4) == 8 && head.count == 16) else {
            throw SpliceError.damaged("no TIFF signature")
        }
        var seen: Set<Int> = []
        var next = (isBig ? bytes.u64(8) : bytes.u32(4)) ?? 0
        while next != 0 {
            guard seen.count < 100_000, seen.insert(next).inserted else { throw SpliceError.damaged("a ring of directories") }
            var (directory, following) = try self.directory(at: next)
            directory.hasFurther = (directory.entries[330]?.count ?? 0) > 64
            for position in try numbers(directory.entries[330], most: 64) {
                guard seen.insert(position).inserted else { throw SpliceError.damaged("a ring of directories") }
                let (version, behind) = try self.directory(at: position)
                directory.reduced.append(version)
                if behind != 0 || version.entries[330] != nil { directory.hasFurther = true }
            }
            pages.append(directory)
            next = following
        }
        guard !pages.isEmpty else { throw SpliceError.damaged("no directory") }
    }

    /// nil for a file that is odd in a way that a decoder may take.
    ///
    /// - Errors: `SpliceError.input`.
    package static func ifSound(_ descriptor: Int32) throws -> TIFFFile? {
        do { return try TIFFFile(descriptor) } catch SpliceError.damaged { return nil }
    }

    /// Whether the pixels of a page are WebP without loss.
    package func isLosslessWebP(page: Int) throws -> Bool {
        guard pages.indices.contains(page), pages[page].compression == 50001,
            let place = try numbers(pages[page].offsets, most: 1).first
        else { return false }
        return try bytes(place, max(0, min(64, size - place))).firstRange(of: Array("VP8L".utf8)) != nil
    }

    /// Some of the file's bytes.
    func bytes(_ position: Int, _ count: Int) throws -> [UInt8] {
        guard position >= 0, count >= 0, position <= size - count else {
            throw SpliceError.damaged("cut off: \(count) bytes at \(position)")
        }
        return try Self.bytes(descriptor, position, count)
    }

    static func bytes(_ descriptor: Int32, _ position: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, count - done, off_t(position + done))
            }
            if got < 0 && errno == EINTR { continue }
            if got < 0 { throw SpliceError.input(errno) }
            if got == 0 { throw SpliceError.damaged("cut off at \(position + done)") }
            done += got
        }
        return bytes
    }

    private func directory(at position: Int) throws -> (Directory, next: Int) {
        let countSize = isBig ? 8 : 2
        let entrySize = isBig ? 20 : 12
        let head = OrderedBytes(bytes: try bytes(position, countSize), isBigEndian: isBigEndian)
        guard let count = isBig ? head.u64(0) : head.u16(0), count <= 65535 else {
            throw SpliceError.damaged("the directory at \(position) is malformed")
        }
        let body = OrderedBytes(
            bytes: try bytes(position + countSize, count * entrySize + (isBig ? 8 : 4)), isBigEndian: isBigEndian)
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let at = index * entrySize
            guard let tag = body.u16(at), let type = body.u16(at + 2), let number = isBig ? body.u64(at + 4) : body.u32(at + 4),
                number <= size
            else { throw SpliceError.damaged("the directory at \(position) is malformed") }
            let bytes = number * (type < Self.typeSizes.count ? Self.typeSizes[type] : 0)
            let inline = position + countSize + at + (isBig ? 12 : 8)
            let isInline = bytes <= (isBig ? 8 : 4)
            let pointer = (isBig ? body.u64(at + 12) : body.u32(at + 8)) ?? size
            guard isInline || pointer <= size - bytes else { throw SpliceError.damaged("cut off: tag \(tag) at \(pointer)") }
            entries[tag] = Entry(
                tag: tag, type: type, count: number, position: position + countSize + at, values: isInline ? inline : pointer)
        }
        var directory = Directory(position: position, size: countSize + body.bytes.count, entries: entries)
        try read(&directory)
        return (directory, (isBig ? body.u64(count * entrySize) : body.u32(count * entrySize)) ?? 0)
    }

    private func read(_ directory: inout Directory) throws {
        func first(_ tag: Int, _ fallback: Int) throws -> Int { try numbers(directory.entries[tag], most: 1).first ?? fallback }
        directory.width = try first(256, 0)
        directory.height = try first(257, 0)
        directory.samples = try first(277, 1)
        let bits = Set(try numbers(directory.entries[258], most: 64))
        directory.bits = bits.count > 1 ? 0 : bits.first ?? 1
        directory.sampleFormat = try first(339, 1)
        directory.photometric = try first(262, -1)
        directory.compression = try first(259, 1)
        directory.orientation = try first(274, 1)
        directory.extraSamples = try numbers(directory.entries[338], most: 64)
        let kind = try first(254, 0)
        directory.isReduced = try kind & 1 != 0 || first(255, 1) == 2
        directory.isMask = kind & 4 != 0
        directory.isPlanar = try first(284, 1) == 2 && directory.samples > 1
        directory.predictor = try first(317, 1)
        directory.fillOrder = try first(266, 1)
        directory.isTiled = directory.entries[322] != nil
        directory.tileWidth = directory.isTiled ? try first(322, 0) : directory.width
        directory.tileHeight =
            directory.isTiled ? try first(323, 0) : min(max(1, try first(278, directory.height)), directory.height)
        // Larger than any picture, small enough for every product of them.
        let largest = max(directory.width, directory.height, directory.tileWidth, directory.tileHeight)
        guard largest <= 1 << 28, directory.samples <= 65535 else {
            throw SpliceError.damaged("the directory at \(directory.position) has a size of \(largest)")
        }
    }

    /// The whole numbers of an entry, the first `most` of them.
    func numbers(_ entry: Entry?, most: Int = .max) throws -> [Int] {
        guard let entry, let width = Self.width(entry.type) else { return [] }
        let count = min(entry.count, most)
        let bytes = OrderedBytes(bytes: try bytes(entry.values, count * width), isBigEndian: isBigEndian)
        return (0..<count).map { index in
            let at = index * width
            return (width == 1 ? Int(bytes.bytes[at]) : width == 2 ? bytes.u16(at) : width == 4 ? bytes.u32(at) : bytes.u64(at))
                ?? 0
        }
    }

    /// Bytes of one whole number of a type.
    static func width(_ type: Int) -> Int? { [1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8][type] }

    /// A number as the file writes them.
    func encoded(_ value: Int, width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }
}
