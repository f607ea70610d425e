import CShim

/// What Clipper does with two inputs.
enum Operation {
    case intersection, union, difference, exclusion

    fileprivate var clipper: lp_clipper_operation {
        switch self {
        case .intersection: LP_CLIPPER_INTERSECTION
        case .union: LP_CLIPPER_UNION
        case .difference: LP_CLIPPER_DIFFERENCE
        case .exclusion: LP_CLIPPER_XOR
        }
    }
}

/// Where an input's contours fill.
enum FillRule {
    case nonZero
    /// Where they wind round once or more in the positive sense: the inside of a raw offset curve.
    case positive

    fileprivate var clipper: lp_clipper_fill {
        switch self {
        case .nonZero: LP_CLIPPER_NON_ZERO
        case .positive: LP_CLIPPER_POSITIVE
        }
    }
}

/// A set of contours, any way round and possibly overlapping, on its way to Clipper.
struct ContourSet {
    private(set) var points = [Int64]()
    private(set) var starts = [0]
    var rule = FillRule.nonZero

    init() {}

    var count: Int { starts.count - 1 }
    var pointCount: Int { points.count / 2 }

    mutating func removeAll() {
        points.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
    }

    mutating func add(_ x: Int64, _ y: Int64) {
        points.append(x)
        points.append(y)
    }

    mutating func endContour() {
        if pointCount > starts[count] { starts.append(pointCount) }
    }

    /// Forgets the vertices since the last contour's end.
    mutating func dropUnended() { points.removeLast(2 * (pointCount - starts[count])) }

    mutating func append(contour index: Int, of polygons: Polygons, grid: Grid) {
        let range = polygons.contour(index)
        guard range.count > 2 else { return }
        polygons.coordinates.withUnsafeBufferPointer { xy in
            for vertex in range {
                points.append(grid.unit(xy[2 * vertex] - grid.x))
                points.append(grid.unit(xy[2 * vertex + 1] - grid.y))
            }
        }
        starts.append(points.count / 2)
    }
}

/// The integer plane that Clipper works on: 65536 units to a device pixel. Fewer would blur the points that tell where a curve's end
/// is heading; more would push wide labels beyond 2^30 units, where Clipper goes over to 128 bits.
struct Grid {
    /// The origin, at a whole px: moving an outline by whole px moves its polygons bit for bit.
    let x, y: Double
    /// Units to the px, a power of two so that no coordinate is rounded twice.
    private(set) var unitsPerPixel: Double

    init(around box: Box, scale: Double) {
        x = ((box.minX + box.maxX) / 2).rounded(.down)
        y = ((box.minY + box.maxY) / 2).rounded(.down)
        var units = 65536.0
        if scale > 1 { while units < 65536 * scale { units *= 2 } } else { while units >= 2 * 65536 * scale { units /= 2 } }
        // 2^45 units across leave room in 64 bits and in a Double's 53.
        let extent = max(box.maxX - box.minX, box.maxY - box.minY)
        while extent * units > 0x1p45 && units > 0x1p-40 { units /= 2 }
        unitsPerPixel = units
    }

    /// The same plane with a sixteenth of the units to the px.
    var coarser: Grid {
        var grid = self
        grid.unitsPerPixel /= 16
        return grid
    }

    @inline(__always)
    func unit(_ offset: Double) -> Int64 { Int64((min(max(offset * unitsPerPixel, -0x1p50), 0x1p50)).rounded()) }
}

/// Combines the sets and adds the result, disjoint and oriented, to `polygons`.
///
/// - Returns: false if Clipper gave up; `polygons` is then as it was.
func runClipper(
    _ operation: Operation, _ subject: ContourSet, _ clip: ContourSet, box: Box, grid: Grid, into polygons: inout Polygons
) -> Bool {
    let wide = box.maxX - box.minX > box.maxY - box.minY
    let points = subject.pointCount + clip.pointCount
    var unitsPerPixel = grid.unitsPerPixel
    let result: ContourSet
    if points > Slabs.mostPoints {
        guard let slabs = Slabs(subject, clip, alongX: wide).combined(operation) else { return false }
        result = slabs
        unitsPerPixel *= Double(Slabs.unitsPerUnit)
    } else {
        guard let whole = clipper(operation, subject, clip, transposed: wide, cleaned: true) else { return false }
        result = whole
    }
    let pixelsPerUnit = 1 / unitsPerPixel
    for contour in 0..<result.count {
        for vertex in result.starts[contour]..<result.starts[contour + 1] {
            polygons.add(
                grid.x + Double(result.points[2 * vertex]) * pixelsPerUnit,
                grid.y + Double(result.points[2 * vertex + 1]) * pixelsPerUnit)
        }
        polygons.endContour()
    }
    return true
}

/// Combines the sets with one run of Clipper. Nil if it gave up.
func clipper(
    _ operation: Operation, _ subject: ContourSet, _ clip: ContourSet, transposed: Bool, cleaned: Bool
) -> ContourSet? {
    let result = withInput(subject) { subject in
        withInput(clip) { clip in lp_clipper_combine(operation.clipper, &subject, &clip, transposed) }
    }
    guard let result else { return nil }
    defer { lp_clipper_free(result) }
    if cleaned && !lp_clipper_clean(result) { return nil }
    return ContourSet(result)
}

extension ContourSet {
    fileprivate init(_ result: OpaquePointer) {
        let vertices = lp_clipper_vertices(result)
        let contours = lp_clipper_contours(result)
        var starts = [Int](repeating: 0, count: contours + 1)
        points = [Int64](unsafeUninitializedCapacity: 2 * vertices) { buffer, count in
            lp_clipper_copy(result, buffer.baseAddress, &starts)
            count = 2 * vertices
        }
        self.starts = starts
    }

    /// Without the vertices that rounding leaves.
    var cleaned: ContourSet? {
        guard let result = withInput(self, { lp_clipper_from(&$0) }) else { return nil }
        defer { lp_clipper_free(result) }
        return lp_clipper_clean(result) ? ContourSet(result) : nil
    }
}

private func withInput<Result>(_ set: ContourSet, _ body: (inout lp_clipper_input) -> Result) -> Result {
    set.points.withUnsafeBufferPointer { points in
        set.starts.withUnsafeBufferPointer { starts in
            var input = lp_clipper_input(
                coordinates: points.baseAddress, starts: starts.baseAddress, contours: set.count, fill: set.rule.clipper)
            return body(&input)
        }
    }
}
