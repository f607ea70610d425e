import CShim
import Glibc

/// What became of a TIFF that was to be spliced.
package enum TIFFSpliceOutcome: Sendable, Equatable {
    /// Done. Tiles are those of all pages and levels that have a label; strips count as tiles.
    case spliced(mode: String, touchedTiles: Int, totalTiles: Int, notes: [String])
    /// Nothing was written: decode, draw and encode the picture instead, and say why.
    case unsuitable(reason: String)
}

/// Draws labels into a TIFF by copying the file, appending the tiles they touch and patching their places.
///
/// No directory moves and no other tag changes; smaller versions of a page (SubIFDs, reduced pages) get the label as well, in
/// their size. The old bytes of touched tiles are zeroed, unless another tile shares them.
///
/// - **Errors**: `SpliceError.damaged` for a source that is broken, `SpliceError.invalid` for labels that do not fit its colours,
///   `SpliceError.output` for what the system refuses.
/// - **Cost**: a copy by the kernel and the touched tiles; memory of one tile and of the labelled pages' arrays of offsets.
/// - **Source**: `splice.md` in the design.
package struct TIFFSplicer {
    package struct Options: Sendable {
        /// The largest share of the tiles that may be touched.
        package var limit = 1.0
        /// The most bytes a decoded tile may have.
        package var tileMemory = 256 << 20

        package init() {}
    }

    package let file: TIFFFile
    private let options: Options

    /// - Parameter source: open for reading; stays the caller's.
    package init(_ source: Int32, options: Options = Options()) throws {
        file = try TIFFFile(source)
        self.options = options
    }

    /// A directory that gets a label, and where.
    private struct Task {
        let directory: TIFFFile.Directory
        let name: String
        let patches: [Patch]
        let tiles: [Int]
    }

    /// Writes the picture with the patches drawn to an empty file that is open for reading and writing.
    ///
    /// - Parameter patches: for each page of the main chain that gets a label; reduced versions need none of their own.
    package func splice(_ patches: [Int: [Patch]], to output: Int32) throws -> TIFFSpliceOutcome {
        do {
            return try spliceOrNot(patches, output)
        } catch let obstacle as Unsuitable {
            // It may have turned out after the copy.
            guard ftruncate(output, 0) == 0 else { throw SpliceError.output(errno) }
            return .unsuitable(reason: obstacle.reason)
        }
    }

    private func spliceOrNot(_ patches: [Int: [Patch]], _ output: Int32) throws -> TIFFSpliceOutcome {
        guard patches.keys.allSatisfy(file.pages.indices.contains) else {
            throw SpliceError.invalid("a label for a page that is not there")
        }
        guard patches.values.joined().allSatisfy({ abs($0.x) < 1 << 30 && abs($0.y) < 1 << 30 }) else {
            throw SpliceError.invalid("a patch far outside every picture")
        }
        var notes: [String] = []
        let tasks = try self.tasks(patches, &notes)
        let touched = tasks.reduce(0) { $0 + $1.tiles.count }
        let total = tasks.reduce(0) { $0 + $1.directory.tileCount }
        if Double(touched) > options.limit * Double(total) {
            throw Unsuitable("the label touches \(touched * 100 / max(total, 1))% of the tiles")
        }
        for (number, page) in file.pages.enumerated() {
            for directory in [page] + page.reduced { try checkPlaces(directory, "page \(number)") }
        }
        let patcher = try TIFFPatcher(file, output)
        try patcher.copy()
        // What is dear to compress is compressed quickly; a few tiles may take their time.
        let bytes = tasks.reduce(0) { $0 + $1.tiles.count * $1.directory.tileBytes }
        for task in tasks where !task.tiles.isEmpty { try draw(task, patcher, isFast: bytes > 8 << 20) }
        try patcher.zeroOldTiles(file.pages)
        return .spliced(mode: "splice-tiff", touchedTiles: patcher.touchedTiles, totalTiles: total, notes: notes)
    }

    // MARK: What gets a label

    private func tasks(_ patches: [Int: [Patch]], _ notes: inout [String]) throws -> [Task] {
        var tasks: [Task] = []
        var labelled: (page: TIFFFile.Directory, patches: [Patch])?
        for (number, page) in file.pages.enumerated() {
            let name = "page \(number)"
            if let own = patches[number] {
                labelled = (page, own)
                tasks.append(try task(page, name, own))
                for (index, version) in page.reduced.enumerated() {
                    if version.isMask { continue }
                    guard isVersion(version, of: page) else {
                        throw Unsuitable("\(name) has a SubIFD that is no smaller version of it")
                    }
                    tasks.append(try task(version, "\(name), level \(index + 1)", try scaled(own, page, version)))
                }
            } else if let labelled, !page.isMask, isVersion(page, of: labelled.page),
                page.isReduced || page.width * 3 <= labelled.page.width * 2
            {
                tasks.append(try task(page, name, try scaled(labelled.patches, labelled.page, page)))
            } else if page.isReduced && labelled != nil && !page.isMask {
                notes.append("\(name) is a preview of other proportions: kept, without the label")
            } else if !patches.isEmpty && !page.isMask {
                notes.append("\(name) is kept, without the label")
            }
        }
        return tasks
    }

    /// Whether a directory is a smaller version of another: less of the same proportions and colours.
    private func isVersion(_ small: TIFFFile.Directory, of large: TIFFFile.Directory) -> Bool {
        guard small.width > 0, small.height > 0, small.width < large.width || small.height < large.height,
            small.width <= large.width,
            small.height <= large.height, small.channels == large.channels
        else { return false }
        // The same factor both ways, but for a px of rounding.
        let factor = Double(large.height) / Double(small.height)
        let other = Double(large.width) / Double(small.width)
        return abs(Double(large.width) - factor * Double(small.width)) <= 2 * factor
            || abs(Double(large.height) - other * Double(small.height)) <= 2 * other
    }

    private func scaled(_ patches: [Patch], _ page: TIFFFile.Directory, _ version: TIFFFile.Directory) throws -> [Patch] {
        var scaling = StampScaling(
            width: page.width, height: page.height, smallerWidth: version.width, smallerHeight: version.height)
        return try patches.compactMap { try scaling.scaled($0) }
    }

    private func task(_ directory: TIFFFile.Directory, _ name: String, _ patches: [Patch]) throws -> Task {
        if let reason = directory.obstacle(isFloatLabel: patches.allSatisfy(\.stamp.isFloat)) {
            throw Unsuitable("\(name): \(reason)")
        }
        let visible = patches.filter {
            $0.x < directory.width && $0.y < directory.height && $0.x + $0.width > 0 && $0.y + $0.height > 0
        }
        if visible.isEmpty { return Task(directory: directory, name: name, patches: [], tiles: []) }
        let channels = directory.colourChannels
        guard visible.allSatisfy({ $0.stamp.channels == channels || (channels < 4 && $0.stamp.channels < 4) }) else {
            throw SpliceError.invalid("a label of \(visible[0].stamp.channels) channels on a picture of \(channels)")
        }
        if directory.tileBytes > options.tileMemory {
            throw Unsuitable("\(name): a tile takes \(directory.tileBytes >> 20) MB, \(options.tileMemory >> 20) MB are allowed")
        }
        var tiles: Set<Int> = []
        for patch in visible {
            let left = max(0, patch.x) / directory.tileWidth
            let right = (min(directory.width, patch.x + patch.width) - 1) / directory.tileWidth
            let top = max(0, patch.y) / directory.tileHeight
            let bottom = (min(directory.height, patch.y + patch.height) - 1) / directory.tileHeight
            for y in top...bottom {
                for x in left...right where patch.isVisible(in: directory.area(x, y)) { tiles.insert(y * directory.across + x) }
            }
        }
        var all = tiles.sorted()
        if directory.isPlanar {
            all = (0..<directory.samples).flatMap { plane in all.map { plane * directory.tilesPerPlane + $0 } }
        }
        return Task(directory: directory, name: name, patches: visible, tiles: all)
    }

    /// Every tile lies in the file: a truncated one is not passed on.
    private func checkPlaces(_ directory: TIFFFile.Directory, _ name: String) throws {
        guard let offsets = directory.offsets, let counts = directory.byteCounts else {
            if directory.offsets == nil && directory.byteCounts == nil { return }
            throw Unsuitable("\(name) does not say how long its tiles are")
        }
        guard offsets.count == counts.count else {
            throw Unsuitable("\(name) has \(offsets.count) tiles of \(counts.count) sizes")
        }
        for (offset, count) in zip(try file.numbers(offsets), try file.numbers(counts)) where offset > file.size - count {
            throw SpliceError.damaged("cut off: \(name) has a tile at \(offset)")
        }
    }

    // MARK: Drawing

    private func draw(_ task: Task, _ patcher: TIFFPatcher, isFast: Bool) throws {
        let directory = task.directory
        let offsets = try file.numbers(directory.offsets)
        let counts = try file.numbers(directory.byteCounts)
        guard offsets.count >= directory.tileCount, counts.count >= directory.tileCount else {
            throw SpliceError.damaged("\(task.name) has fewer tiles than it needs")
        }
        if directory.compression == 7 {
            let tables = try directory.entries[347].map { try file.bytes($0.values, $0.count) } ?? []
            for tile in task.tiles {
                guard counts[tile] > 0 else { throw Unsuitable("\(task.name): a JPEG tile that is not there") }
                let bytes = try spliced(try file.bytes(offsets[tile], counts[tile]), tables, task, tile)
                try patcher.replace(directory, tile, with: bytes, offsets: offsets, counts: counts)
            }
        } else {
            let codec = try TIFFCodec(file, directory)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: directory.tileBytes, alignment: 16)
            let before = UnsafeMutableRawBufferPointer.allocate(byteCount: directory.tileBytes, alignment: 16)
            defer {
                buffer.deallocate()
                before.deallocate()
            }
            for tile in task.tiles {
                let rows = directory.rows(of: tile)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(directory.tileBytes / directory.tileHeight * rows)])
                if counts[tile] == 0 {
                    part.initializeMemory(as: UInt8.self, repeating: 0)
                } else {
                    try codec.decode(tile, into: part)
                }
                before.copyMemory(from: UnsafeRawBufferPointer(part))
                let inPlane = tile % directory.tilesPerPlane
                let area = directory.area(inPlane % directory.across, inPlane / directory.across)
                directory.blend(plane: tile / directory.tilesPerPlane).draw(
                    task.patches, part.baseAddress!, stride: directory.tileWidth, x: area.x, y: area.y, width: area.width,
                    height: area.height)
                // A label of the colour that is there, or over alpha that is full, changes nothing.
                if memcmp(part.baseAddress!, before.baseAddress!, part.count) == 0 { continue }
                let bytes = try codec.encode(part, rows: rows, isFast: isFast)
                try patcher.replace(directory, tile, with: bytes, offsets: offsets, counts: counts)
            }
        }
        try patcher.patchArrays(directory)
    }

    /// A JPEG tile with its label: tables and tile are one picture, which the JPEG splicer edits; then the tables come off again.
    private func spliced(_ tile: [UInt8], _ tables: [UInt8], _ task: Task, _ number: Int) throws -> [UInt8] {
        let directory = task.directory
        guard tile.count > 4, tile[0] == 0xFF, tile[1] == 0xD8 else {
            throw SpliceError.damaged("\(task.name): tile \(number) is no JPEG")
        }
        let head = tables.count > 4 ? Array(tables.dropLast(2)) : [0xFF, 0xD8]
        let area = directory.area(number % directory.across, number / directory.across)
        let patches = task.patches.map { Patch(x: $0.x - area.x, y: $0.y - area.y, stamp: $0.stamp) }
        final class Bytes { var all: [UInt8] = [] }
        let collected = Bytes()
        let whole = head + tile[2...]
        do {
            try whole.withUnsafeBytes { bytes in
                var splicer = try JPEGSplicer(bytes)
                splicer.header.colour = directory.photometric == 6 ? .yCbCr : directory.photometric == 2 ? .rgb : .grey
                guard splicer.header.width == directory.tileWidth, splicer.header.height >= area.height,
                    splicer.header.components.count == directory.samples
                else { throw Unsuitable("another size than it says") }
                try splicer.spliceTile(patches, fixed: head.count, to: { collected.all.append(contentsOf: $0) })
            }
        } catch let obstacle as Unsuitable {
            throw Unsuitable("\(task.name), tile \(number): \(obstacle.reason)")
        }
        return [0xFF, 0xD8] + collected.all[head.count...]
    }
}

extension Patch {
    /// Whether any px with alpha above 0 lies in a part of the picture.
    func isVisible(in area: (x: Int, y: Int, width: Int, height: Int)) -> Bool {
        for row in max(0, area.y - y)..<max(max(0, area.y - y), min(height, area.y + area.height - y)) {
            let first = max(0, area.x - x)
            let last = min(width, area.x + area.width - x)
            var at = first
            while at < last {
                let word = stamp.visible[row * stamp.visibleStride + at >> 6] & ~0 << UInt64(at & 63)
                let found = at & ~63 + word.trailingZeroBitCount
                if word != 0 && found < last { return true }
                at = at & ~63 + 64
            }
        }
        return false
    }
}

extension Stamp {
    var isFloat: Bool {
        if case .float = samples { true } else { false }
    }
}

extension TIFFFile.Directory {
    /// Colours a label needs: extra samples that nobody declared count as alpha.
    var colourChannels: Int { photometric == 2 || photometric == 6 ? 3 : photometric == 5 ? 4 : 1 }

    /// Decoded bytes of a tile, of one plane.
    var tileBytes: Int { tileWidth * tileHeight * (isPlanar ? 1 : samples) * (bits / 8) }

    /// The part of the picture that a tile shows.
    func area(_ column: Int, _ row: Int) -> (x: Int, y: Int, width: Int, height: Int) {
        let (x, y) = (column * tileWidth, row * tileHeight)
        return (x, y, min(tileWidth, width - x), min(tileHeight, height - y))
    }

    /// Rows that are coded: the last strip has only those of the picture.
    func rows(of tile: Int) -> Int { isTiled ? tileHeight : area(0, tile % tilesPerPlane / across).height }

    /// Why a label cannot be drawn into the samples; `nil` when it can.
    func obstacle(isFloatLabel: Bool) -> String? {
        guard width > 0, height > 0, tileWidth > 0, tileHeight > 0, tileWidth <= 1 << 20, tileHeight <= 1 << 24, samples <= 64
        else {
            return "a size of \(width)×\(height)"
        }
        guard [1, 5, 7, 8, 32773, 32946, 34925, 50000].contains(compression) else { return "compression \(compression)" }
        guard [0, 1, 2, 5, 6].contains(photometric) else { return "photometric interpretation \(photometric)" }
        if photometric == 6 && compression != 7 { return "YCbCr that is not JPEG" }
        if samples < colourChannels { return "\(samples) samples a pixel" }
        let isFloat = sampleFormat == 3 && bits == 32
        guard isFloat || ((sampleFormat == 1 || sampleFormat == 4) && (bits == 8 || bits == 16)) else {
            return "\(bits) bits in sample format \(sampleFormat)"
        }
        if isFloat && !isFloatLabel { return "float samples" }
        if compression == 7 {
            return bits == 8 && !isPlanar && samples == colourChannels && photometric != 5 ? nil : "an odd kind of JPEG tile"
        }
        if isPlanar && alpha != nil && extraSamples.first != 1 { return "straight alpha in a plane of its own" }
        return nil
    }

    private var alpha: Int? { samples > colourChannels ? colourChannels : nil }

    func blend(plane: Int) -> TIFFBlend {
        TIFFBlend(
            samples: bits == 8 ? .u8 : bits == 16 ? .u16 : .float, step: isPlanar ? 1 : samples, channels: colourChannels,
            alpha: alpha, isAssociated: extraSamples.first == 1, isInverted: photometric == 0, plane: isPlanar ? plane : nil)
    }
}
