import LabelpipeKit
import Splice

/// One TIFF behind another: the pages of both in one chain.
///
/// The second file is copied as it is, and all that counts from its beginning is counted from there.
/// **Source**: TIFF 6.0, section 2; BigTIFF; Exif 2.32, 4.6.3 for the pointers.
struct TIFFJoining {
    private typealias Layout = TIFFTags.Layout

    private let file: FileEdit
    private let layout: Layout
    /// Where the second file begins.
    private let start: Int

    /// Tags whose values are places: of strips, of free space, of tiles.
    private static let places: Set<Int> = [273, 288, 324]
    /// Tags whose values are places of directories: of smaller versions, EXIF's three.
    private static let directories: Set<Int> = [330, 0x8769, 0x8825, 0xA005]
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

    /// Whether a finished file has offsets of 64 bits.
    static func isBig(_ descriptor: Int32) throws -> Bool { try Layout(FileEdit(output: descriptor))?.isBig ?? false }

    /// Whether a file of the pixels of all pages of a source may need such.
    static func needsBig(_ source: Saving.Source) throws -> Bool {
        let pages = try TIFFFile.ifSound(source.descriptor)?.pages ?? []
        return pages.reduce(0) { $0 + Double($1.width) * Double($1.height) * Double($1.samples * max(8, $1.bits) / 8) } > 4e9
    }

    /// **Errors**: `DrawingError`: the disk is full, or the offsets' bits do not suffice.
    static func append(_ second: Int32, to descriptor: Int32) throws {
        let (file, second) = (FileEdit(output: descriptor), FileEdit(output: second))
        guard let layout = try Layout(file), let other = try Layout(second), layout.isBig == other.isBig,
            layout.isBigEndian == other.isBigEndian
        else { throw TIFFTags.broken }
        // Some readers want the values of an array at multiples of their size.
        let end = try second.size
        let start = (try file.size + 15) & ~15
        guard layout.isBig || start + end < 1 << 32 else {
            throw DrawingError("too-large", "the TIFF has no place for its pages behind 4 GB")
        }
        var last = layout.first
        while let directory = try layout.directory(file, last) { last = directory.link }
        for at in stride(from: 0, to: end, by: 1 << 20) {
            guard let block = try second.read(at, min(1 << 20, end - at)) else { throw TIFFTags.broken }
            try file.write(block, at: start + at)
        }
        try TIFFJoining(file: file, layout: layout, start: start).moveChain(start + layout.first)
        guard let head = try file.read(start + layout.first, layout.word) else { throw TIFFTags.broken }
        try file.write(head, at: last)
    }

    private func number(_ at: Int, _ count: Int) throws -> Int {
        guard let bytes = try file.read(at, count) else { throw TIFFTags.broken }
        return bytes.number(0, count, layout.isBigEndian)
    }

    /// Adds the beginning to a number in the file.
    private func move(_ at: Int, _ count: Int) throws {
        let moved = try number(at, count) + start
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: moved >> (8 * $0)) }
        try file.write(layout.isBigEndian ? bytes.reversed() : bytes, at: at)
    }

    /// - Parameter link: where the place of the first directory is written.
    private func moveChain(_ link: Int) throws {
        var link = link
        while try number(link, layout.word) != 0 {
            try move(link, layout.word)
            guard let directory = try layout.directory(file, link) else { throw TIFFTags.broken }
            for index in 0..<directory.count {
                try moveEntry(directory.place + layout.countSize + index * layout.entrySize)
            }
            link = directory.link
        }
    }

    private func moveEntry(_ at: Int) throws {
        let (tag, type) = (try number(at, 2), try number(at + 2, 2))
        let count = try number(at + 4, layout.word)
        let size = type < Self.sizes.count ? Self.sizes[type] : 0
        var values = at + 4 + layout.word
        if count * size > layout.word {
            try move(values, layout.word)
            values = try number(values, layout.word)
        }
        let isDirectory = Self.directories.contains(tag)
        guard isDirectory || Self.places.contains(tag) else { return }
        guard isDirectory ? size == layout.word : size >= 4 else { throw TIFFTags.broken }
        for index in 0..<count {
            if isDirectory { try moveChain(values + index * size) } else { try move(values + index * size, size) }
        }
    }
}
