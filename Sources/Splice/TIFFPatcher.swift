import CShim
import Glibc

/// Where the tiles of a directory are, and how long.
struct TilePlaces {
    let offsets: [Int]
    let counts: [Int]
}

/// The output of a TIFF splice: a copy that gets tiles appended and numbers patched.
final class TIFFPatcher {
    let file: TIFFFile
    private let output: Int32
    private var end: Int
    /// New place of each touched tile of the directory at work.
    private var moved: [Int: (offset: Int, count: Int)] = [:]
    /// Old places of touched tiles, for all directories; and the touched tiles, by directory.
    private var old: [Int: Int] = [:]
    private(set) var touched: [Int: Set<Int>] = [:]

    /// Tiles with new bytes.
    private(set) var touchedTiles = 0

    init(_ file: TIFFFile, _ output: Int32) throws {
        self.file = file
        self.output = output
        end = file.size
    }

    /// Copies the whole source.
    func copy() throws {
        let failure = copy_shim_file(file.descriptor, output, Int64(file.size))
        guard failure == 0 else { throw SpliceError.output(failure) }
    }

    func write(_ bytes: [UInt8], at position: Int) throws {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                pwrite(output, $0.baseAddress! + done, bytes.count - done, off_t(position + done))
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw SpliceError.output(errno)
            }
            done += written
        }
    }

    /// Appends bytes at an even place.
    private func append(_ bytes: [UInt8]) throws -> Int {
        let place = end + end & 1
        guard file.isBig || place + bytes.count < 1 << 32 else { throw Unsuitable("a classic TIFF has no place behind 4 GB") }
        try write(bytes, at: place)
        end = place + bytes.count
        return place
    }

    /// Puts a tile's new bytes behind everything else.
    func replace(_ directory: TIFFFile.Directory, _ tile: Int, with bytes: [UInt8], _ places: TilePlaces) throws {
        touchedTiles += 1
        moved[tile] = (try append(bytes), bytes.count)
        let (offset, count) = (places.offsets[tile], places.counts[tile])
        if count > 0 { old[offset] = max(old[offset] ?? 0, count) }
        touched[directory.position, default: []].insert(tile)
    }

    /// Writes the new places of the directory's touched tiles.
    func patchArrays(_ directory: TIFFFile.Directory) throws {
        defer { moved = [:] }
        guard let offsets = directory.offsets, let counts = directory.byteCounts else { return }
        try patch(offsets) { $0.offset }
        try patch(counts) { $0.count }
    }

    private func patch(_ entry: TIFFFile.Entry, _ value: ((offset: Int, count: Int)) -> Int) throws {
        guard let width = TIFFFile.width(entry.type) else { throw SpliceError.damaged("tag \(entry.tag) has type \(entry.type)") }
        let largest = moved.values.map(value).max() ?? 0
        if width < 8 && largest >= 1 << (8 * width) { return try widen(entry, value) }
        for (tile, place) in moved { try write(file.encoded(value(place), width: width), at: entry.values + tile * width) }
    }

    /// Writes the whole array anew with larger numbers, and points its entry there: the one entry that changes.
    private func widen(_ entry: TIFFFile.Entry, _ value: ((offset: Int, count: Int)) -> Int) throws {
        let width = file.isBig ? 8 : 4
        var all = try file.numbers(entry)
        for (tile, place) in moved { all[tile] = value(place) }
        let bytes = all.flatMap { file.encoded($0, width: width) }
        let type = file.encoded(width == 8 ? 16 : 4, width: 2)
        let field = entry.position + (file.isBig ? 12 : 8)
        if bytes.count <= width {
            try write(bytes, at: field)
        } else {
            let place = try append(bytes)
            try write(file.encoded(place, width: width), at: field)
        }
        try write(type, at: entry.position + 2)
    }

    /// Overwrites what touched tiles were, so that nobody digs them out. What a tile that stays shares is left.
    func zeroOldTiles(_ pages: [TIFFFile.Directory]) throws {
        if old.isEmpty { return }
        for page in pages {
            for directory in [page] + page.reduced {
                let moved = touched[directory.position] ?? []
                let own = directory.position..<directory.position + directory.size
                old = old.filter { !($0.key..<$0.key + $0.value).overlaps(own) }
                for (tile, offset) in try file.numbers(directory.offsets).enumerated() where !moved.contains(tile) {
                    old[offset] = nil
                }
            }
        }
        for (offset, count) in old { try zero(offset, count) }
    }

    func zero(_ offset: Int, _ count: Int) throws {
        let zeros = [UInt8](repeating: 0, count: min(count, 1 << 16))
        for done in stride(from: 0, to: count, by: 1 << 16) {
            let some = min(zeros.count, count - done)
            try write(some == zeros.count ? zeros : Array(zeros[..<some]), at: offset + done)
        }
    }

    /// Bytes of the output.
    func written(_ position: Int, _ count: Int) throws -> [UInt8] {
        do { return try TIFFFile.bytes(output, position, count) } catch SpliceError.input(let number) {
            throw SpliceError.output(number)
        }
    }
}
