import Glibc

extension Path {
    /// Largest distance of a chord from its curve. **Units**: device px.
    static let flatness = 0.02

    /// Largest turn from one chord to the next inside a curve, so that curve and corner can be told apart. **Units**: radians.
    static let largestTurn = 0.12

    /// Adds the subpaths as contours, wound as they are and possibly overlapping.
    ///
    /// - Parameter scale: device px per px.
    func flatten(scale: Double, into polygons: inout Polygons) {
        var current = Point.zero
        var start = Point.zero
        var flattener = Flattener(tolerance: Path.flatness / scale)
        let corners = self.corners
        for (index, element) in elements.enumerated() {
            switch element {
            case .move(let point):
                polygons.endContour()
                polygons.add(point.x, point.y)
                start = point
                current = point
            case .line(let end):
                polygons.continueContour(from: current)
                polygons.add(end.x, end.y)
                current = end
            case .quadratic(let control, let end):
                polygons.continueContour(from: current)
                flattener.cubic(
                    current, current + (control - current) * (2.0 / 3), end + (control - end) * (2.0 / 3), end,
                    corners[index], into: &polygons)
                current = end
            case .cubic(let first, let second, let end):
                polygons.continueContour(from: current)
                flattener.cubic(current, first, second, end, corners[index], into: &polygons)
                current = end
            case .close:
                polygons.endContour()
                current = start
            }
        }
        polygons.endContour()
    }
}

extension Path {
    /// Whether an element begins, and ends, at a corner.
    fileprivate struct Corners {
        var begins = false
        var ends = false
    }

    /// The corners of all elements.
    private var corners: [Corners] {
        var corners = [Corners](repeating: Corners(), count: elements.count)
        /// What has a length in the present subpath, with the directions of its ends.
        var segments: [(element: Int?, first: Vector, last: Vector)] = []
        var current = Point.zero
        var start = Point.zero
        func add(_ element: Int?, _ points: Point...) {
            let steps = zip([current] + points, points).map { $1 - $0 }.filter { $0.length > 0 }
            if let first = steps.first, let last = steps.last { segments.append((element, first, last)) }
            current = points[points.count - 1]
        }
        func close(_ element: Int?) {
            add(element, start)
            var before = segments.last
            for segment in segments {
                if let before, before.last.turn(to: segment.first) > Growth.smoothTurn {
                    if let element = before.element { corners[element].ends = true }
                    if let element = segment.element { corners[element].begins = true }
                }
                before = segment
            }
            segments.removeAll(keepingCapacity: true)
        }
        for (index, element) in elements.enumerated() {
            switch element {
            case .move(let point):
                close(nil)
                (start, current) = (point, point)
            case .line(let end): add(index, end)
            case .quadratic(let control, let end): add(index, control, end)
            case .cubic(let first, let second, let end): add(index, first, second, end)
            case .close: close(index)
            }
        }
        close(nil)
        return corners
    }
}

extension Vector {
    /// **Units**: radians, 0…π.
    fileprivate func turn(to other: Vector) -> Double {
        abs(atan2(dx * other.dy - dy * other.dx, dx * other.dx + dy * other.dy))
    }
}

extension Polygons {
    /// Begins a contour at `point` unless one is under way: after a `close`, or before any `move`.
    fileprivate mutating func continueContour(from point: Point) {
        if starts[starts.count - 1] == pointCount { add(point.x, point.y) }
    }
}

/// Curves into chords.
private struct Flattener {
    let tolerance: Double

    /// More chords than this in one curve are of no use to anybody: 2^14 of 0.02 px error are a circle of a kilometre.
    static let mostChords = 16384.0

    /// How many times a chord is halved because of its turn. A curve's point of return needs no more: it is a corner.
    static let deepest = 7

    /// At a corner a chord's direction differs by less from the curve's: how far a miter reaches hangs on it. **Units**: radians.
    static let cornerTurn = 0.005

    mutating func cubic(
        _ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point, _ corners: Path.Corners, into polygons: inout Polygons
    ) {
        let bend = max((p0 - p1 + (p2 - p1)).length, (p1 - p2 + (p3 - p2)).length)
        // The error of n chords of equal t is at most 6 · bend / 8 n².
        let wanted = (0.75 * bend / tolerance).squareRoot().rounded(.up)
        guard wanted.isFinite else {
            polygons.add(p3.x, p3.y)
            return
        }
        let count = Int(min(max(wanted, 1), Flattener.mostChords))
        let curve = Cubic(p0, p1, p2, p3)
        if wanted <= 0 {
            polygons.add(p3.x, p3.y)
            return
        }
        // A chord turns away from the tangent by half a step. At the ends, where a corner's join depends on the direction, by much less.
        let sliver = 1 / (8 * Double(count))
        var from = 0.0
        for index in 0..<count {
            let to = Double(index + 1) / Double(count)
            if index == 0 {
                for part in parts(of: sliver, curve, from: 0, corners.begins).reversed() {
                    emit(curve, &from, part, into: &polygons)
                }
            }
            if index == count - 1 {
                for part in parts(of: sliver, curve, from: 1, corners.ends) { emit(curve, &from, 1 - part, into: &polygons) }
            }
            if index < count - 1 { emit(curve, &from, to, into: &polygons) }
        }
        polygons.add(p3.x, p3.y)
    }

    /// The sliver, and its halves at a corner, as long as they turn and the grid of Clipper shows their direction.
    private func parts(of sliver: Double, _ curve: Cubic, from end: Double, _ isCorner: Bool) -> [Double] {
        var parts = [sliver]
        var part = sliver
        let towards = 1 - 2 * end
        while isCorner, curve.turn(end, end + towards * part) > Flattener.cornerTurn,
            (curve.point(end + towards * part) - curve.point(end)).length > tolerance / 10, parts.count < 8
        {
            part /= 2
            parts.append(part)
        }
        return parts
    }

    /// Adds the curve's points after `from` up to `to`, halving while the tangent turns too far for one chord.
    private func emit(_ curve: Cubic, _ from: inout Double, _ to: Double, into polygons: inout Polygons) {
        let turn = curve.turn(from, to)
        var pieces = 1
        var depth = 0
        while turn / Double(pieces) > Path.largestTurn && depth < Flattener.deepest {
            pieces *= 2
            depth += 1
        }
        let first = from
        for piece in 1...pieces {
            let point = curve.point(first + (to - first) * Double(piece) / Double(pieces))
            polygons.add(point.x, point.y)
        }
        from = to
    }
}

/// A cubic as a polynomial in t.
private struct Cubic {
    let start, linear, square, cube: Vector

    init(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) {
        start = Vector(dx: p0.x, dy: p0.y)
        linear = (p1 - p0) * 3
        square = (p0 - p1 + (p2 - p1)) * 3
        cube = p3 - p0 - (p2 - p1) * 3
    }

    func point(_ t: Double) -> Point {
        Point(
            x: start.dx + t * (linear.dx + t * (square.dx + t * cube.dx)),
            y: start.dy + t * (linear.dy + t * (square.dy + t * cube.dy)))
    }

    func tangent(_ t: Double) -> Vector { linear + square * (2 * t) + cube * (3 * t * t) }

    /// The angle between the tangents at two places. **Units**: radians, 0…π.
    func turn(_ t0: Double, _ t1: Double) -> Double {
        tangent(t0).turn(to: tangent(t1))
    }
}
