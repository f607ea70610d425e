/// The exact share of every pixel that polygons cover, region by region.
///
/// The plane is divided into cells of 16 rows by 128 columns. Every edge is cut at their borders once and filed in the cell it passes,
/// and for every row of a cell it is known what covers its left border, so that a cell can be drawn by itself. Cells that no edge
/// passes are one value a row. A cell's values depend on nothing but its edges, never on the region that is asked for: a crop of a
/// drawing is bit for bit the drawing of a crop.
///
/// Cover and area of every edge's pieces in every pixel are summed as in FreeType's smooth rasteriser, in Double and without its
/// 1/64 px coordinates and 256 levels.
public struct CoverageRasterizer: Sendable {
    /// Rows of a cell.
    static let bandHeight = 16
    /// Columns of a cell, doubled where a large plane would need more than 4 MB for the left borders of its cells' rows.
    static let narrowestBlock = 128
    static let widestBlock = 8192
    static let manyBorders = 0x1p19
    /// A plane that needs more than 16 MB of them at the widest is not divided: every region is cut out of the polygons anew.
    static let mostBorders = 0x1p21
    /// What is closer to nothing, or to all of a pixel, is rounding noise.
    static let noise = 1e-5

    /// The box of the transformed polygons, clipped. Pixels outside are not covered (outside the clip: not known).
    public let bounds: Region

    /// The cells' plane: around `bounds`, its origin on a border of cells.
    private let originX: Int
    private let originY: Int
    private let blockWidth: Int
    private let blocks: Int
    private let bands: Int

    /// First piece of each cell, bands from the top and in each blocks from the left, and the number of pieces at the end.
    private let cellStarts: [Int32]
    /// x0, y0, x1, y1 of pieces of edges, from the plane's origin.
    private let pieces: [SIMD4<Double>]
    /// What covers the left border of each row of a block: blocks from the left in rows from the top.
    private let borders: [Double]
    private let states: [CellState]

    /// What was given, where the plane is too large to be divided.
    private let undivided: (polygons: Polygons, transform: Affine)?

    private enum CellState: UInt8 {
        case empty, full, mixed
    }

    /// - Parameters:
    ///   - transform: from the polygons' plane to pixels.
    ///   - clip: the only pixels that will be asked for; edges elsewhere cost next to nothing.
    public init(_ polygons: Polygons, transform: Affine = .identity, clip: Region? = nil) {
        var box = Box()
        polygons.coordinates.withUnsafeBufferPointer { xy in
            for vertex in 0..<polygons.pointCount {
                let (x, y) = (xy[2 * vertex], xy[2 * vertex + 1])
                box.add(transform.a * x + transform.c * y + transform.tx, transform.b * x + transform.d * y + transform.ty)
            }
        }
        let outer = box.rect.roundedOut
        let bounds = clip.map { outer.intersection($0) } ?? outer
        self.bounds = bounds
        let height = CoverageRasterizer.bandHeight
        var width = CoverageRasterizer.narrowestBlock
        func count() -> Double { Double(bounds.width / width + 2) * Double(bounds.height + 2 * height) }
        while count() > CoverageRasterizer.manyBorders && width < CoverageRasterizer.widestBlock { width *= 2 }
        guard !bounds.isEmpty, transform.isFinite, count() <= CoverageRasterizer.mostBorders else {
            (originX, originY, blockWidth, blocks, bands) = (0, 0, width, 0, 0)
            (cellStarts, pieces, self.borders, states) = ([0], [], [], [])
            undivided = bounds.isEmpty || !transform.isFinite ? nil : (polygons, transform)
            return
        }
        undivided = nil
        originY = bounds.y.floored(to: height)
        bands = (bounds.maxY - originY + height - 1) / height
        blockWidth = width
        originX = bounds.x.floored(to: width)
        blocks = (bounds.maxX - originX + width - 1) / width

        var cutter = Cutter(blockWidth: width, blocks: blocks, bands: bands)
        // Seen through a mirror, contours run the other way round.
        let map = transform.then(.translation(dx: -Double(originX), dy: -Double(originY)))
        let mirrored = transform.determinant < 0
        polygons.coordinates.withUnsafeBufferPointer { xy in
            for index in 0..<polygons.contourCount {
                let range = polygons.contour(index)
                func mapped(_ vertex: Int) -> Point { map.apply(Point(x: xy[2 * vertex], y: xy[2 * vertex + 1])) }
                var previous = mapped(range.upperBound - 1)
                for vertex in range {
                    let point = mapped(vertex)
                    mirrored ? cutter.cut(point, previous) : cutter.cut(previous, point)
                    previous = point
                }
            }
        }
        (cellStarts, pieces) = cutter.sorted()
        (self.borders, states) = CoverageRasterizer.borders(cellStarts, pieces, cutter.leftOfPlane, blocks: blocks, bands: bands)
    }

    /// Whether no pixel of `region` is covered: certain if true. **Cost**: a look at each cell of the region.
    public func isEmpty(in region: Region) -> Bool {
        let inside = region.intersection(bounds)
        return inside.isEmpty || all(.empty, in: inside)
    }

    /// Whether every pixel of `region` is covered wholly: certain if true. **Cost**: a look at each cell of the region.
    public func isFull(in region: Region) -> Bool {
        !region.isEmpty && bounds.contains(region) && all(.full, in: region)
    }

    private func all(_ state: CellState, in region: Region) -> Bool {
        if let undivided {
            let part = CoverageRasterizer(undivided.polygons, transform: undivided.transform, clip: region)
            return part.undivided == nil
                && (part.bounds.isEmpty ? state == .empty : part.bounds == region && part.all(state, in: region))
        }
        let columns = (region.x - originX) / blockWidth...(region.maxX - 1 - originX) / blockWidth
        for band in (region.y - originY) / CoverageRasterizer.bandHeight...(region.maxY - 1 - originY)
            / CoverageRasterizer.bandHeight
        {
            for block in columns where states[band * blocks + block] != state { return false }
        }
        return true
    }

    /// Writes the coverage of every pixel of `region`.
    ///
    /// - Parameters:
    ///   - target: `region.height` rows of `region.width` values, 0…1.
    ///   - rowStride: values from one row to the next.
    public func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) {
        if region.isEmpty { return }
        if let undivided, !region.intersection(bounds).isEmpty {
            let part = CoverageRasterizer(undivided.polygons, transform: undivided.transform, clip: region)
            if part.undivided == nil {
                part.coverage(in: region, into: target, rowStride: rowStride)
                return
            }
        }
        let inside = undivided == nil ? region.intersection(bounds) : .empty
        if inside != region {
            for row in 0..<region.height { (target + row * rowStride).update(repeating: 0, count: region.width) }
        }
        if inside.isEmpty { return }
        let corner = target + (inside.y - region.y) * rowStride + (inside.x - region.x)
        withUnsafeTemporaryAllocation(of: Double.self, capacity: CoverageRasterizer.bandHeight * blockWidth) { sums in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * CoverageRasterizer.bandHeight) { touched in
                guard let sums = sums.baseAddress, let touched = touched.baseAddress else { return }
                sums.initialize(repeating: 0, count: CoverageRasterizer.bandHeight * blockWidth)
                draw(inside, into: corner, rowStride, Canvas(sums: sums, touched: touched, width: blockWidth))
            }
        }
    }

    private func draw(_ region: Region, into corner: UnsafeMutablePointer<Float>, _ rowStride: Int, _ canvas: Canvas) {
        let height = CoverageRasterizer.bandHeight
        // From the plane's origin.
        let (left, right) = (region.x &- originX, region.maxX &- originX)
        let (top, bottom) = (region.y &- originY, region.maxY &- originY)
        pieces.withUnsafeBufferPointer { pieces in
            borders.withUnsafeBufferPointer { borders in
                for band in top / height...(bottom - 1) / height {
                    let rows = max(top, band * height)..<min(bottom, (band + 1) * height)
                    for block in left / blockWidth...(right - 1) / blockWidth {
                        let cell = band * blocks + block
                        let columns = max(left, block * blockWidth)..<min(right, (block + 1) * blockWidth)
                        let target = corner + (rows.lowerBound &- top) * rowStride + (columns.lowerBound &- left)
                        let filed = Int(cellStarts[cell])..<Int(cellStarts[cell + 1])
                        if filed.isEmpty {
                            for row in rows {
                                let value = CoverageRasterizer.clean(borders[row &* blocks &+ block])
                                (target + (row &- rows.lowerBound) &* rowStride).update(repeating: value, count: columns.count)
                            }
                            continue
                        }
                        canvas.begin()
                        for index in filed {
                            canvas.add(pieces[index], left: Double(block * blockWidth), top: Double(band * height))
                        }
                        for row in rows {
                            canvas.finish(
                                row: row &- band &* height, border: borders[row &* blocks &+ block],
                                columns: columns.lowerBound &- block &* blockWidth..<columns.upperBound &- block &* blockWidth,
                                into: target + (row &- rows.lowerBound) &* rowStride)
                        }
                        canvas.clear()
                    }
                }
            }
        }
    }

    /// Sums what covers the left border of each block's rows, and says which cells are one value.
    private static func borders(
        _ starts: [Int32], _ pieces: [SIMD4<Double>], _ leftOfPlane: [Double], blocks: Int, bands: Int
    ) -> ([Double], [CellState]) {
        var borders = [Double](repeating: 0, count: bands * bandHeight * blocks)
        var states = [CellState](repeating: .mixed, count: bands * blocks)
        var sums = [Double](repeating: 0, count: bandHeight)
        for band in 0..<bands {
            for row in 0..<bandHeight { sums[row] = leftOfPlane[band * bandHeight + row] }
            for block in 0..<blocks {
                var (empty, full) = (true, true)
                for row in 0..<bandHeight {
                    let whole = sums[row].rounded()
                    let border = abs(sums[row] - whole) < 1e-9 ? whole : sums[row]
                    borders[(band * bandHeight + row) * blocks + block] = border
                    empty = empty && border == 0
                    full = full && border == 1
                }
                let cell = band * blocks + block
                if starts[cell] == starts[cell + 1] {
                    states[cell] = empty ? .empty : full ? .full : .mixed
                    continue
                }
                for index in Int(starts[cell])..<Int(starts[cell + 1]) {
                    let piece = pieces[index]
                    let top = Double(band * bandHeight)
                    addCover(from: piece.y - top, to: piece.w - top, rows: &sums, at: 0)
                }
            }
        }
        return (borders, states)
    }

    /// Adds the cover of an edge of one band to the rows it passes: positive upwards.
    @inline(__always)
    fileprivate static func addCover(from y0: Double, to y1: Double, rows: inout [Double], at first: Int) {
        let (top, bottom) = (min(y0, y1), max(y0, y1))
        var row = Int(top)
        while row < bandHeight && Double(row) < bottom {
            let cover = min(bottom, Double(row + 1)) - max(top, Double(row))
            rows[first + row] += y0 > y1 ? cover : -cover
            row += 1
        }
    }

    @inline(__always)
    fileprivate static func clean(_ value: Double) -> Float {
        value < noise ? 0 : value > 1 - noise ? 1 : Float(value)
    }
}

extension Int {
    /// The largest multiple of `step` that is not larger.
    fileprivate func floored(to step: Int) -> Int {
        let quotient = self / step
        return (quotient * step > self ? quotient - 1 : quotient) * step
    }
}

/// Cuts edges at the borders of cells.
private struct Cutter {
    let blockWidth: Double
    let blocks: Int
    let bands: Int
    private var cells = [Int32]()
    private var pieces = [SIMD4<Double>]()
    /// What covers the left border of the plane, by rows.
    private(set) var leftOfPlane: [Double]

    init(blockWidth: Int, blocks: Int, bands: Int) {
        leftOfPlane = [Double](repeating: 0, count: bands * CoverageRasterizer.bandHeight)
        self.blockWidth = Double(blockWidth)
        self.blocks = blocks
        self.bands = bands
    }

    /// Files the edge from `p` to `q`. Of what lies left of the plane only the cover counts; what lies right of it covers nothing.
    mutating func cut(_ p: Point, _ q: Point) {
        let height = Double(CoverageRasterizer.bandHeight)
        let down = q.y > p.y
        let (a, b) = down ? (p, q) : (q, p)
        let top = max(a.y, 0)
        let bottom = min(b.y, Double(bands) * height)
        guard top < bottom else { return }
        let slope = (b.x - a.x) / (b.y - a.y)
        var y = top
        var x = top == a.y ? a.x : a.x + (top - a.y) * slope
        for band in Int(top / height)..<bands {
            let nextY = min(bottom, Double(band + 1) * height)
            let nextX = nextY == b.y ? b.x : a.x + (nextY - a.y) * slope
            if nextY > y { cut(x, y, nextX, nextY, down, band) }
            if nextY == bottom { break }
            (x, y) = (nextX, nextY)
        }
    }

    private mutating func cut(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, _ down: Bool, _ band: Int) {
        let first = block(x0)
        let last = block(x1)
        if first == last {
            file(x0, y0, x1, y1, down, band, first)
            return
        }
        let rise = (y1 - y0) / (x1 - x0)
        let step = last > first ? 1 : -1
        var (x, y) = (x0, y0)
        for block in stride(from: first, to: last, by: step) {
            let border = Double(step > 0 ? block + 1 : block) * blockWidth
            let crossing = min(max(y0 + (border - x0) * rise, y), y1)
            file(x, y, border, crossing, down, band, block)
            (x, y) = (border, crossing)
        }
        file(x, y, x1, y1, down, band, last)
    }

    /// -1 left of the plane, `blocks` right of it.
    private func block(_ x: Double) -> Int {
        Int(min(max((x / blockWidth).rounded(.down), -1), Double(blocks)))
    }

    private mutating func file(
        _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, _ down: Bool, _ band: Int, _ block: Int
    ) {
        if y0 >= y1 || block >= blocks { return }
        if block < 0 {
            let first = band * CoverageRasterizer.bandHeight
            let (top, bottom) = (y0 - Double(first), y1 - Double(first))
            CoverageRasterizer.addCover(from: down ? top : bottom, to: down ? bottom : top, rows: &leftOfPlane, at: first)
            return
        }
        cells.append(Int32(band * blocks + block))
        pieces.append(down ? SIMD4(x0, y0, x1, y1) : SIMD4(x1, y1, x0, y0))
    }

    /// First pieces of the cells, and the pieces in their order.
    func sorted() -> ([Int32], [SIMD4<Double>]) {
        var starts = [Int32](repeating: 0, count: blocks * bands + 1)
        for cell in cells { starts[Int(cell) + 1] += 1 }
        for cell in 1..<starts.count { starts[cell] += starts[cell - 1] }
        var next = starts
        var sorted = [SIMD4<Double>](repeating: .zero, count: pieces.count)
        for (cell, piece) in zip(cells, pieces) {
            sorted[Int(next[Int(cell)])] = piece
            next[Int(cell)] += 1
        }
        return (starts, sorted)
    }
}

/// The differences of coverage from pixel to pixel in one cell, and in each row the columns that are not 0.
private struct Canvas {
    let sums: UnsafeMutablePointer<Double>
    let touched: UnsafeMutablePointer<Int32>
    let width: Int

    @inline(__always)
    func begin() {
        for row in 0..<CoverageRasterizer.bandHeight {
            touched[2 &* row] = Int32(truncatingIfNeeded: width)
            touched[2 &* row &+ 1] = -1
        }
    }

    /// Adds cover and area of a piece in every pixel it passes.
    @inline(__always)
    func add(_ piece: SIMD4<Double>, left: Double, top: Double) {
        let down = piece.w > piece.y
        let sign = down ? -1.0 : 1.0
        let x0 = (down ? piece.x : piece.z) - left
        let x1 = (down ? piece.z : piece.x) - left
        let y0 = (down ? piece.y : piece.w) - top
        let y1 = (down ? piece.w : piece.y) - top
        var row = Int(y0)
        if x0 == x1 {
            let column = Int(x0)
            if column >= width { return }
            let rest = x0 - Double(column)
            while row < CoverageRasterizer.bandHeight && Double(row) < y1 {
                let cover = sign * (min(y1, Double(row &+ 1)) - max(y0, Double(row)))
                put(row, column, cover, rest)
                row &+= 1
            }
            return
        }
        let slope = (x1 - x0) / (y1 - y0)
        var x = x0
        while row < CoverageRasterizer.bandHeight && Double(row) < y1 {
            let from = max(y0, Double(row))
            let to = min(y1, Double(row &+ 1))
            let next = to == y1 ? x1 : x0 + (to - y0) * slope
            span(row, min(x, next), max(x, next), sign * (to - from))
            x = next
            row &+= 1
        }
    }

    /// Adds the part of an edge that lies in one row.
    @inline(__always)
    private func span(_ row: Int, _ x0: Double, _ x1: Double, _ cover: Double) {
        let first = Int(max(x0, 0))
        if first >= width { return }
        if x1 <= Double(first &+ 1) {
            put(row, first, cover, (x0 + x1) / 2 - Double(first))
            return
        }
        let coverPerPixel = cover / (x1 - x0)
        var column = first
        var from = x0
        while from < x1 && column < width {
            let to = min(x1, Double(column &+ 1))
            put(row, column, coverPerPixel * (to - from), (from + to) / 2 - Double(column))
            from = to
            column &+= 1
        }
    }

    /// Adds `cover` whose mean place is `rest` of a pixel right of the pixel's left border.
    @inline(__always)
    private func put(_ row: Int, _ column: Int, _ cover: Double, _ rest: Double) {
        let place = sums + (row &* width &+ column)
        let carried = cover * rest
        place[0] += cover - carried
        touched[2 &* row] = min(touched[2 &* row], Int32(truncatingIfNeeded: column))
        if column &+ 1 < width {
            place[1] += carried
            touched[2 &* row &+ 1] = max(touched[2 &* row &+ 1], Int32(truncatingIfNeeded: column &+ 1))
        } else {
            touched[2 &* row &+ 1] = Int32(truncatingIfNeeded: column)
        }
    }

    /// Sums a row from its left border on, and writes the columns that are wanted.
    @inline(__always)
    func finish(row: Int, border: Double, columns: Range<Int>, into target: UnsafeMutablePointer<Float>) {
        let first = Int(touched[2 &* row])
        let last = Int(touched[2 &* row &+ 1])
        let place = sums + row &* width
        var value = border
        var column = columns.lowerBound
        let untouched = min(max(first, column), columns.upperBound)
        if untouched > column {
            (target + (column &- columns.lowerBound)).update(
                repeating: CoverageRasterizer.clean(value), count: untouched &- column)
            column = untouched
        }
        // Columns left of those that are wanted count too.
        var summed = min(first, column)
        while summed < column && summed <= last {
            value += place[summed]
            summed &+= 1
        }
        let end = min(last &+ 1, columns.upperBound)
        while column < end {
            value += place[column]
            target[column &- columns.lowerBound] = CoverageRasterizer.clean(value)
            column &+= 1
        }
        if column < columns.upperBound {
            (target + (column &- columns.lowerBound))
                .update(repeating: CoverageRasterizer.clean(value), count: columns.upperBound &- column)
        }
    }

    /// Makes the touched columns 0 again.
    @inline(__always)
    func clear() {
        for row in 0..<CoverageRasterizer.bandHeight where touched[2 &* row &+ 1] >= 0 {
            let first = Int(touched[2 &* row])
            (sums + (row &* width &+ first)).update(repeating: 0, count: Int(touched[2 &* row &+ 1]) &- first &+ 1)
        }
    }
}
