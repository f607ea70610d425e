import Glibc

/// Neighbouring tiles of one row of them, drawn together.
struct TileStretch {
    let row: Int
    let columns: Range<Int>
}

// Drawing: the label is asked for in stretches of tiles, top to bottom, so that a label of any size takes the memory of a stretch.
extension TIFFSplicer.Task {
    /// px of the label that are in memory together.
    private static let stretchPx = 1 << 19

    private func area(_ stretch: TileStretch) -> Area {
        let first = directory.area(stretch.columns.lowerBound, stretch.row)
        let last = directory.area(stretch.columns.upperBound - 1, stretch.row)
        return Area(x: first.x, y: first.y, width: last.x + last.width - first.x, height: first.height)
    }

    /// The tiles that sheets lie on.
    ///
    /// - Parameter most: px of a stretch, as far as whole tiles allow.
    func stretches(most: Int) -> [TileStretch] {
        let page = Area(x: 0, y: 0, width: directory.width, height: directory.height)
        let boxes = sheets.map { $0.area.intersection(page) }.filter { !$0.isEmpty }.map { box in
            (
                columns: box.x / directory.tileWidth..<(box.right - 1) / directory.tileWidth + 1,
                rows: box.y / directory.tileHeight..<(box.bottom - 1) / directory.tileHeight + 1
            )
        }
        guard let top = boxes.map(\.rows.lowerBound).min(), let bottom = boxes.map(\.rows.upperBound).max() else { return [] }
        let longest = max(1, most / (directory.tileWidth * directory.tileHeight))
        var stretches: [TileStretch] = []
        for row in top..<bottom {
            var open: Range<Int>?
            func close() {
                guard let range = open else { return }
                for first in stride(from: range.lowerBound, to: range.upperBound, by: min(longest, range.count)) {
                    stretches.append(TileStretch(row: row, columns: first..<min(first + longest, range.upperBound)))
                }
                open = nil
            }
            // Boxes of a row, united where they touch.
            for columns in boxes.filter({ $0.rows.contains(row) }).map(\.columns).sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if let range = open, columns.lowerBound <= range.upperBound {
                    open = range.lowerBound..<max(range.upperBound, columns.upperBound)
                } else {
                    close()
                    open = columns
                }
            }
            close()
        }
        return stretches
    }

    /// Tiles with a px of the label in them.
    func touchedTiles() throws -> Int {
        var count = 0
        for stretch in stretches(most: Self.stretchPx) {
            var left = Set(stretch.columns)
            for band in area(stretch).bands(most: Self.stretchPx) where !left.isEmpty {
                let patches = try sheets.compactMap { try $0.patch(in: band) }
                left = left.filter { column in
                    !patches.contains { $0.isVisible(in: directory.area(column, stretch.row)) }
                }
            }
            count += stretch.columns.count - left.count
        }
        return count * (directory.isPlanar ? directory.samples : 1)
    }

    func draw(_ file: TIFFFile, _ patcher: TIFFPatcher, isFast: Bool) throws {
        let offsets = try file.numbers(directory.offsets)
        let counts = try file.numbers(directory.byteCounts)
        guard offsets.count >= directory.tileCount, counts.count >= directory.tileCount else {
            throw SpliceError.damaged("\(name) has fewer tiles than it needs")
        }
        let places = TilePlaces(offsets: offsets, counts: counts)
        if directory.compression == 7 {
            try drawJPEG(file, patcher, places)
        } else {
            try drawSamples(file, patcher, places, isFast: isFast)
        }
        try patcher.patchArrays(directory)
    }

    // MARK: Tiles of samples

    private func drawSamples(_ file: TIFFFile, _ patcher: TIFFPatcher, _ places: TilePlaces, isFast: Bool) throws {
        let codec = try TIFFCodec(file, directory)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: directory.tileBytes, alignment: 16)
        let before = UnsafeMutableRawBufferPointer.allocate(byteCount: directory.tileBytes, alignment: 16)
        defer {
            buffer.deallocate()
            before.deallocate()
        }
        for stretch in stretches(most: Self.stretchPx) {
            let bands = area(stretch).bands(most: 4 * Self.stretchPx)
            // A tile that is larger than all this is drawn band by band; of others the label is asked for once.
            let shared = bands.count == 1 ? try sheets.compactMap { try $0.patch(in: bands[0]) } : []
            for column in stretch.columns {
                let area = directory.area(column, stretch.row)
                if bands.count == 1, !shared.contains(where: { $0.isVisible(in: area) }) { continue }
                for plane in 0..<(directory.isPlanar ? directory.samples : 1) {
                    let tile = plane * directory.tilesPerPlane + stretch.row * directory.across + column
                    let rows = directory.rows(of: tile)
                    let part = UnsafeMutableRawBufferPointer(
                        rebasing: buffer[..<(directory.tileBytes / directory.tileHeight * rows)])
                    if places.counts[tile] == 0 {
                        part.initializeMemory(as: UInt8.self, repeating: 0)
                    } else {
                        try codec.decode(tile, into: part)
                    }
                    before.copyMemory(from: UnsafeRawBufferPointer(part))
                    let blend = directory.blend(plane: plane)
                    for band in bands {
                        let patches = bands.count == 1 ? shared : try sheets.compactMap { try $0.patch(in: band) }
                        blend.draw(
                            patches, part.baseAddress!, stride: directory.tileWidth, x: area.x, y: area.y, width: area.width,
                            height: area.height)
                    }
                    // A label of the colour that is there, or over alpha that is full, changes nothing.
                    if memcmp(part.baseAddress!, before.baseAddress!, part.count) == 0 { continue }
                    let bytes = try codec.encode(part, rows: rows, isFast: isFast)
                    try patcher.replace(directory, tile, with: bytes, places)
                }
            }
        }
    }

    // MARK: Tiles of JPEG

    private func drawJPEG(_ file: TIFFFile, _ patcher: TIFFPatcher, _ places: TilePlaces) throws {
        let tables = try directory.entries[347].map { try file.bytes($0.values, $0.count) } ?? []
        for stretch in stretches(most: Self.stretchPx) {
            let patches = try sheets.compactMap { try $0.patch(in: area(stretch)) }
            for column in stretch.columns {
                let area = directory.area(column, stretch.row)
                let own = patches.filter { $0.isVisible(in: area) }
                if own.isEmpty { continue }
                let tile = stretch.row * directory.across + column
                guard places.counts[tile] > 0 else { throw Unsuitable("\(name): a JPEG tile that is not there") }
                let source = try file.bytes(places.offsets[tile], places.counts[tile])
                let bytes = try spliced(source, tables, own, tile, area)
                try patcher.replace(directory, tile, with: bytes, places)
            }
        }
    }

    /// A JPEG tile with its label: tables and tile are one picture, which the JPEG splicer edits; then the tables come off again.
    private func spliced(_ tile: [UInt8], _ tables: [UInt8], _ patches: [Patch], _ number: Int, _ area: Area) throws -> [UInt8] {
        guard tile.count > 4, tile[0] == 0xFF, tile[1] == 0xD8 else {
            throw SpliceError.damaged("\(name): tile \(number) is no JPEG")
        }
        let head = tables.count > 4 ? Array(tables.dropLast(2)) : [0xFF, 0xD8]
        let patches = patches.map { Patch(x: $0.x - area.x, y: $0.y - area.y, stamp: $0.stamp) }
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
            throw Unsuitable("\(name), tile \(number): \(obstacle.reason)")
        }
        return [0xFF, 0xD8] + collected.all[head.count...]
    }
}
