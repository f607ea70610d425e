import LabelpipeKit
import Outline
import Vips

/// One label all over a picture, at i·u + j·v + jitter; one rendering, whole pixels, nothing resampled.
package enum Tiling {
    /// How tiles are repeated. px of the upright page
    package struct Lattice: Hashable, Sendable {
        /// From one tile to the next of its row.
        package var across: (dx: Int, dy: Int) { (acrossX, acrossY) }
        /// From one row to the next.
        package var down: (dx: Int, dy: Int) { (downX, downY) }
        private let acrossX: Int
        private let acrossY: Int
        private let downX: Int
        private let downY: Int
        /// The largest whole move of a tile, either way, on both axes.
        package let jitter: Int
        package let seed: Int

        package init(across: (dx: Int, dy: Int), down: (dx: Int, dy: Int), jitter: Int = 0, seed: Int = 0) {
            (acrossX, acrossY) = across
            (downX, downY) = down
            self.jitter = max(jitter, 0)
            self.seed = seed
        }

        /// The area of a cell; 0: there are none.
        var determinant: Int { acrossX * downY - acrossY * downX }

        /// The move of tile (i, j), uniform in ± jitter.
        package func move(_ i: Int, _ j: Int) -> (dx: Int, dy: Int) {
            if jitter == 0 { return (0, 0) }
            var state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15
            state = Lattice.mixed(state ^ UInt64(bitPattern: Int64(i)))
            state = Lattice.mixed(state ^ UInt64(bitPattern: Int64(j)))
            let choices = UInt64(2 * jitter + 1)
            let dx = Int((state >> 32).multipliedFullWidth(by: choices << 32).high)
            let dy = Int((Lattice.mixed(state) >> 32).multipliedFullWidth(by: choices << 32).high)
            return (dx - jitter, dy - jitter)
        }

        /// **Source**: the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
        private static func mixed(_ value: UInt64) -> UInt64 {
            var z = value &+ 0x9E37_79B9_7F4A_7C15
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// No picture is larger, and no tile of one need be.
    private static let plane = Region(x: -(1 << 24), y: -(1 << 24), width: 1 << 25, height: 1 << 25)

    /// The picture with tiles on it, later rows over earlier ones.
    ///
    /// - Parameter marks: tile (0, 0), where it lies on the upright page.
    /// **Errors**: as for ``Placing``; a lattice without area.
    /// **Cost**: one rendering of the label; blending for each pixel it covers.
    package static func draw(
        _ marks: [Mark], _ lattice: Lattice, opacity: Double = 1, blend: BlendMode = .normal, space: BlendSpace = .srgb,
        onto picture: Picture, cache: LabelCache? = nil, key: String? = nil
    ) throws -> Picture {
        let reach = marks.reach.roundedOut.intersection(Tiling.plane)
        if opacity <= 0 || reach.isEmpty { return picture }
        guard lattice.determinant != 0 else {
            throw DrawingError("tile-period", "the tiles' period vectors have no area between them")
        }
        let (base, encoding) = try Encoding.drawable(picture, forGrey: marks.allSatisfy(\.leavesGrey))
        let label = Placing.label(
            base, encoding, opacity: opacity, blend: blend, space: space, cache, key
        ) { Rendering(marks: marks, clip: reach) }
        if label.box.isEmpty { return picture }
        let orientation = Orientation(base.orientation, storedWidth: base.image.width, storedHeight: base.storedHeight)
        let tiles = Tiles(lattice, orientation, label.box)
        let page = Region(x: 0, y: 0, width: base.image.width, height: base.storedHeight)
        let boxes = (0..<base.pageCount).map {
            PixelBox(left: 0, top: $0 * page.height, width: page.width, height: page.height)
        }
        let image = try base.image.drawing(over: boxes) { pixels in
            let wanted = Region(
                x: pixels.box.left, y: pixels.box.top - pixels.index * page.height, width: pixels.box.width,
                height: pixels.box.height)
            try tiles.each(in: wanted) { place in
                try label.withPixels(in: wanted.offset(dx: -place.dx, dy: -place.dy)) { part, region in
                    let x = region.x + place.dx - wanted.x
                    let y = region.y + place.dy - wanted.y
                    Blending.blend(
                        part, region, onto: pixels.row(y) + x * pixels.bytesPerPixel, rowStride: pixels.rowStride, encoding,
                        blend,
                        space)
                }
            }
        }
        let pattern = Provenance.Pattern(region: label.box, patch: LabelPatch(label, origin: (0, 0))) { limit in
            tiles.moves(in: page, limit: limit)
        }
        let touch = Provenance.Touch(region: page, patch: TilesPatch(label, tiles), pattern: pattern)
        var result = Picture(image, orientation: base.orientation, provenance: Placing.touched(base, blend, space, touch))
        result.drawn = picture.drawn + [orientation.upright(page)]
        return result
    }
}

/// Where tiles lie on a stored page.
struct Tiles: Sendable {
    private let lattice: Tiling.Lattice
    private let orientation: Orientation
    /// Of tile (0, 0), without its jitter; stored coordinates.
    private let box: Region

    init(_ lattice: Tiling.Lattice, _ orientation: Orientation, _ box: Region) {
        (self.lattice, self.orientation, self.box) = (lattice, orientation, box)
    }

    /// The moves of all tiles that touch `region`; nil if there are more than `limit`.
    func moves(in region: Region, limit: Int) -> [(dx: Int, dy: Int)]? {
        struct TooMany: Error {}
        var moves: [(dx: Int, dy: Int)] = []
        do {
            try each(in: region) { move in
                guard moves.count < limit else { throw TooMany() }
                moves.append(move)
            }
        } catch {
            return nil
        }
        return moves
    }

    /// Calls `body` with the move of every tile that touches `region`, rows from the first to the last.
    func each(in region: Region, _ body: ((dx: Int, dy: Int)) throws -> Void) rethrows {
        let u = orientation.stored(dx: lattice.across.dx, dy: lattice.across.dy)
        let v = orientation.stored(dx: lattice.down.dx, dy: lattice.down.dy)
        // Moves that bring the box to the region, and the lattice's numbers of their corners.
        let jitter = lattice.jitter
        let (left, right) = (region.x - box.maxX - jitter, region.maxX - box.x + jitter)
        let (top, bottom) = (region.y - box.maxY - jitter, region.maxY - box.y + jitter)
        let determinant = Double(u.dx * v.dy - u.dy * v.dx)
        var (firstRow, lastRow) = (Double.infinity, -Double.infinity)
        for (x, y) in [(left, top), (right, top), (left, bottom), (right, bottom)] {
            let row = Double(u.dx * y - u.dy * x) / determinant
            (firstRow, lastRow) = (min(firstRow, row), max(lastRow, row))
        }
        for j in Int(firstRow.rounded(.down))...Int(lastRow.rounded(.up)) {
            // i·u + j·v within the box of moves, on each axis that u moves along.
            var (first, last) = (-Double.infinity, Double.infinity)
            for (step, low, high) in [(u.dx, left - j * v.dx, right - j * v.dx), (u.dy, top - j * v.dy, bottom - j * v.dy)] {
                if step == 0 {
                    if low > 0 || high < 0 { (first, last) = (1, 0) }
                    continue
                }
                let (a, b) = (Double(low) / Double(step), Double(high) / Double(step))
                (first, last) = (max(first, min(a, b)), min(last, max(a, b)))
            }
            if first > last { continue }
            for i in Int(first.rounded(.down))...max(Int(first.rounded(.down)), Int(last.rounded(.up))) {
                let moved = lattice.move(i, j)
                let extra = orientation.stored(dx: moved.dx, dy: moved.dy)
                let place = (dx: i * u.dx + j * v.dx + extra.dx, dy: i * u.dy + j * v.dy + extra.dy)
                if box.offset(dx: place.dx, dy: place.dy).intersection(region).isEmpty { continue }
                try body(place)
            }
        }
    }
}

/// All tiles' pixels together, for a saver.
private struct TilesPatch: PatchSource {
    private let label: Label
    private let tiles: Tiles

    init(_ label: Label, _ tiles: Tiles) { (self.label, self.tiles) = (label, tiles) }

    var channels: Int { label.encoding.channels }

    func pixels(in region: Region, into pixels: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        for row in 0..<region.height {
            (pixels + row &* rowStride).update(repeating: 0, count: region.width &* (channels &+ 1))
        }
        try tiles.each(in: region) { place in
            try LabelPatch(label, origin: (place.dx, place.dy)).lay(in: region, over: pixels, rowStride: rowStride)
        }
    }
}
