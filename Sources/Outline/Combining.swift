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

    var isEmpty: Bool { starts.count == 1 }
    var count: Int { starts.count - 1 }

    mutating func removeAll() {
        points.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
    }

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

/// Combines the sets with Clipper and adds the result, disjoint and oriented, to `polygons`.
///
/// - Returns: false if Clipper gave up; `polygons` is then as it was.
func runClipper(
    _ operation: Operation, _ subject: ContourSet, _ clip: ContourSet, box: Box, grid: Grid, into polygons: inout Polygons
) -> Bool {
    let wide = box.maxX - box.minX > box.maxY - box.minY
    let result = withInput(subject) { subject in
        withInput(clip) { clip in lp_clipper_combine(operation.clipper, &subject, &clip, wide) }
    }
    guard let result else { return false }
    defer { lp_clipper_free(result) }
    let vertices = lp_clipper_vertices(result)
    let contours = lp_clipper_contours(result)
    guard contours > 0 else { return true }
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * vertices) { xy in
        withUnsafeTemporaryAllocation(of: Int.self, capacity: contours + 1) { starts in
            lp_clipper_copy(result, xy.baseAddress, starts.baseAddress)
            let pixelsPerUnit = 1 / grid.unitsPerPixel
            for contour in 0..<contours {
                for vertex in starts[contour]..<starts[contour + 1] {
                    polygons.add(
                        grid.x + Double(xy[2 * vertex]) * pixelsPerUnit, grid.y + Double(xy[2 * vertex + 1]) * pixelsPerUnit)
                }
                polygons.endContour()
            }
        }
    }
    return true
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
