/// Closed polygons, flat: what an outline becomes at the scale it is drawn at. **Units**: px, y down.
///
/// Contours do not overlap or cross. One with a positive shoelace sum (clockwise on screen) is an outer edge, one with a negative sum
/// the edge of a hole, so the non-zero rule fills what is meant and signed areas add up to the area.
public struct Polygons: Sendable, Equatable {
    /// x and y of every vertex in turn.
    public private(set) var coordinates: [Double]
    /// Index of each contour's first vertex, and one past the last vertex of all at the end: one more than there are contours.
    public private(set) var starts: [Int]

    public static let empty = Polygons()

    public init() {
        coordinates = []
        starts = [0]
    }

    /// Takes contours that are disjoint and oriented already. Ones with a coordinate that is not finite are left out.
    ///
    /// - Parameter starts: the first vertex of each contour; with or without the number of vertices at the end.
    public init(coordinates: [Double], starts: [Int]) {
        self.init()
        let count = coordinates.count / 2
        var bounds = starts.filter { $0 >= 0 && $0 < count }
        bounds.append(count)
        reserve(points: count, contours: bounds.count)
        for (first, end) in zip(bounds, bounds.dropFirst()) where end > first {
            for index in first..<end { add(coordinates[2 * index], coordinates[2 * index + 1]) }
            endContour()
        }
    }

    public var isEmpty: Bool { coordinates.isEmpty }
    public var pointCount: Int { coordinates.count / 2 }
    public var contourCount: Int { starts.count - 1 }

    /// The vertices of a contour, as a range of vertex numbers.
    @inlinable
    public func contour(_ index: Int) -> Range<Int> { starts[index]..<starts[index + 1] }

    @inlinable
    public func point(_ index: Int) -> Point { Point(x: coordinates[2 * index], y: coordinates[2 * index + 1]) }

    public var bounds: Rect {
        var box = Box()
        for index in 0..<pointCount { box.add(coordinates[2 * index], coordinates[2 * index + 1]) }
        return box.rect
    }

    /// The filled area: signed sums of outer edges and holes together. **Units**: px².
    public var area: Double {
        var sum = 0.0
        for index in 0..<contourCount { sum += signedArea(ofContour: index) }
        return abs(sum)
    }

    /// Positive for an outer edge, negative for a hole. **Units**: px².
    public func signedArea(ofContour index: Int) -> Double {
        let range = contour(index)
        guard range.count > 2 else { return 0 }
        // About the first vertex, so that a small contour far from the origin keeps its digits.
        let (ox, oy) = (coordinates[2 * range.lowerBound], coordinates[2 * range.lowerBound + 1])
        return coordinates.withUnsafeBufferPointer { xy in
            var sum = 0.0
            var (px, py) = (xy[2 * range.upperBound - 2] - ox, xy[2 * range.upperBound - 1] - oy)
            for vertex in range {
                let (x, y) = (xy[2 * vertex] - ox, xy[2 * vertex + 1] - oy)
                sum += px * y - py * x
                (px, py) = (x, y)
            }
            return sum / 2
        }
    }

    /// The same shape seen through `affine`; a mirroring one turns the contours round so that outer edges stay positive.
    public func transformed(by affine: Affine) -> Polygons {
        if affine.isIdentity { return self }
        var result = Polygons()
        result.reserve(points: pointCount, contours: contourCount)
        let mirrored = affine.determinant < 0
        for index in 0..<contourCount {
            let range = contour(index)
            for step in 0..<range.count {
                let vertex = mirrored ? range.upperBound - 1 - step : range.lowerBound + step
                let (x, y) = (coordinates[2 * vertex], coordinates[2 * vertex + 1])
                result.add(affine.a * x + affine.c * y + affine.tx, affine.b * x + affine.d * y + affine.ty)
            }
            result.endContour()
        }
        return result
    }

    /// Whether `point` lies inside (non-zero winding). **Cost**: linear in the vertices.
    public func contains(_ point: Point) -> Bool {
        var winding = 0
        for index in 0..<contourCount { winding += self.winding(ofContour: index, around: point) }
        return winding != 0
    }

    /// How often a contour goes round `point`.
    func winding(ofContour index: Int, around point: Point) -> Int {
        let range = contour(index)
        return coordinates.withUnsafeBufferPointer { xy in
            var winding = 0
            var (px, py) = (xy[2 * range.upperBound - 2], xy[2 * range.upperBound - 1])
            for vertex in range {
                let (x, y) = (xy[2 * vertex], xy[2 * vertex + 1])
                if (py <= point.y) != (y <= point.y) {
                    let side = (x - px) * (point.y - py) - (y - py) * (point.x - px)
                    if y > py ? side > 0 : side < 0 { winding += y > py ? 1 : -1 }
                }
                (px, py) = (x, y)
            }
            return winding
        }
    }
}

// Building, contour by contour.
extension Polygons {
    /// The farthest coordinate that is drawn. **Units**: px.
    private static let farthest = 0x1p40

    mutating func reserve(points: Int, contours: Int) {
        coordinates.reserveCapacity(2 * points)
        starts.reserveCapacity(contours + 1)
    }

    /// Adds a vertex to the contour that is being built.
    @inline(__always)
    mutating func add(_ x: Double, _ y: Double) {
        coordinates.append(x)
        coordinates.append(y)
    }

    /// Ends the contour that is being built; drops it if it has no area, or lies where sums lose the pixels (or is not a number).
    mutating func endContour() {
        let first = starts[starts.count - 1]
        var sound = pointCount - first > 2
        for index in 2 * first..<coordinates.count where !(abs(coordinates[index]) <= Polygons.farthest) { sound = false }
        if sound {
            starts.append(pointCount)
        } else {
            coordinates.removeLast(coordinates.count - 2 * first)
        }
    }

    mutating func append(_ other: Polygons) {
        let base = pointCount
        coordinates.append(contentsOf: other.coordinates)
        starts.append(contentsOf: other.starts.dropFirst().map { $0 + base })
    }

    mutating func append(contour index: Int, of other: Polygons) {
        let range = other.contour(index)
        coordinates.append(contentsOf: other.coordinates[2 * range.lowerBound..<2 * range.upperBound])
        starts.append(pointCount)
    }

    func box(ofContour index: Int) -> Box {
        var box = Box()
        for vertex in contour(index) { box.add(coordinates[2 * vertex], coordinates[2 * vertex + 1]) }
        return box
    }
}
