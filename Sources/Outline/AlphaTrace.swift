extension Polygons {
    /// The edge of a picture's alpha: marching squares between the pixels' centres, sub-pixel exact. Outside, the picture is 0.
    ///
    /// Between two centres the edge is where the coverage of the pixels around says it is: if the second neighbours are empty and full,
    /// two pixels in between that hold p and q of a straight edge's coverage have it at 1 − p + 1 − q from the first one's border, which
    /// is exact for edges along an axis and at 45°. Softer edges are interpolated. A hard edge is found on the pixels' border.
    ///
    /// Where two opposite pixels of four are inside, they hang together if the mean of the four is inside.
    ///
    /// - Parameters:
    ///   - alpha: `height` rows of `width` values, 0…1; anything not above `threshold` (or NaN) is outside.
    ///   - rowStride: values from one row to the next.
    ///   - origin: where the first pixel's top left corner lies on the plane.
    /// - Cost: linear in the pixels; a bit for each of them in memory.
    public static func trace(
        alpha: UnsafePointer<Float>, width: Int, height: Int, rowStride: Int, threshold: Float, origin: Point
    ) -> Polygons {
        guard width > 0, height > 0 else { return .empty }
        var tracer = Tracer(
            picture: .init(alpha: alpha, width: width, height: height, rowStride: rowStride, threshold: threshold), origin: origin
        )
        return tracer.trace()
    }
}

private struct Tracer {
    struct Picture {
        let alpha: UnsafePointer<Float>
        let width: Int
        let height: Int
        let rowStride: Int
        let threshold: Float

        @inline(__always)
        func value(_ x: Int, _ y: Int) -> Float {
            guard x >= 0, y >= 0, x < width, y < height else { return 0 }
            let value = alpha[y &* rowStride &+ x]
            return value > 0 ? min(value, 1) : 0
        }

        @inline(__always)
        func inside(_ x: Int, _ y: Int) -> Bool { value(x, y) > threshold }
    }

    let picture: Picture
    let origin: Point
    /// Pixels whose left border has been traced: the pixel is inside, its left neighbour is not.
    private var traced: [UInt64]
    private let words: Int
    private var line = Straightener()

    init(picture: Picture, origin: Point) {
        self.picture = picture
        self.origin = origin
        words = (picture.width + 63) / 64
        traced = [UInt64](repeating: 0, count: words * picture.height)
    }

    /// Every contour has a pixel whose left border it passes upwards (clockwise round what is inside).
    mutating func trace() -> Polygons {
        var polygons = Polygons()
        for y in 0..<picture.height {
            var before = false
            for x in 0..<picture.width {
                let inside = picture.inside(x, y)
                if inside && !before && traced[y &* words &+ x >> 6] & (1 << UInt64(x & 63)) == 0 {
                    follow(x, y, into: &polygons)
                }
                before = inside
            }
        }
        return polygons
    }

    /// Follows an edge round, the inside on its right hand on screen, from between pixel (x, y) and its left neighbour on.
    private mutating func follow(_ startX: Int, _ startY: Int, into polygons: inout Polygons) {
        // The inside pixel beside the edge and the way to the outside one.
        var (x, y) = (startX, startY)
        var (ox, oy) = (-1, 0)
        repeat {
            if ox == -1 { traced[y &* words &+ x >> 6] |= 1 << UInt64(x & 63) }
            let (px, py) = crossing(x, y, ox, oy)
            line.add(px, py)
            // Forward along the edge: the outside is on the left hand. (−1, 0) outside → up (0, −1).
            let (fx, fy) = (-oy, ox)
            let ahead = picture.inside(x &+ fx, y &+ fy)
            let acrossAhead = picture.inside(x &+ ox &+ fx, y &+ oy &+ fy)
            if acrossAhead && (ahead || joined(x, y, x &+ ox &+ fx, y &+ oy &+ fy)) {
                // The inside goes on to the left: turn left round the outside pixel.
                (x, y) = (x &+ ox &+ fx, y &+ oy &+ fy)
                (ox, oy) = (-fx, -fy)
            } else if ahead {
                (x, y) = (x &+ fx, y &+ fy)
            } else {
                // The inside ends: turn right round the inside pixel.
                (ox, oy) = (fx, fy)
            }
        } while x != startX || y != startY || ox != -1 || oy != 0
        line.finish(into: &polygons)
    }

    /// Whether two inside pixels, diagonal to each other with outside ones beside them, hang together.
    private func joined(_ x0: Int, _ y0: Int, _ x1: Int, _ y1: Int) -> Bool {
        let sum = picture.value(x0, y0) + picture.value(x1, y1) + picture.value(x0, y1) + picture.value(x1, y0)
        return sum > 4 * picture.threshold
    }

    /// Where the edge passes between the centres of an inside pixel and the outside one beside it.
    private func crossing(_ x: Int, _ y: Int, _ ox: Int, _ oy: Int) -> (Double, Double) {
        let inner = picture.value(x, y)
        let outer = picture.value(x &+ ox, y &+ oy)
        var way = Double((inner - picture.threshold) / (inner - outer))
        let deeper = picture.value(x &- ox, y &- oy)
        let farther = picture.value(x &+ 2 &* ox, y &+ 2 &* oy)
        if picture.threshold == 0.5 && deeper > 0.9 && farther < 0.1 {
            // From the inner pixel's border farthest from the edge, the pixels are covered this far.
            let covered = Double(inner + outer + farther) - Double(1 - deeper)
            // Never on a centre: a pixel is inside or it is not.
            way = min(max(covered - 0.5, 1e-4), 1 - 1e-4)
        }
        return (
            origin.x + Double(x) + 0.5 + way * Double(ox),
            origin.y + Double(y) + 0.5 + way * Double(oy)
        )
    }
}

/// Leaves out points on straight runs, and gives runs that meet their corner back.
private struct Straightener {
    private typealias Point = (x: Double, y: Double)
    private var points: [Point] = []

    mutating func add(_ x: Double, _ y: Double) {
        if points.count > 1 && Straightener.isStraight(points[points.count - 2], points[points.count - 1], (x, y)) {
            points.removeLast()
        }
        points.append((x, y))
    }

    /// Where the contour began need not be a corner either.
    mutating func finish(into polygons: inout Polygons) {
        var first = 0
        while points.count - first > 3 {
            if Straightener.isStraight(points[points.count - 2], points[points.count - 1], points[first]) {
                points.removeLast()
            } else if Straightener.isStraight(points[points.count - 1], points[first], points[first + 1]) {
                first += 1
            } else {
                break
            }
        }
        for point in Straightener.sharpened(Array(points[first...])) { polygons.add(point.x, point.y) }
        polygons.endContour()
        points.removeAll(keepingCapacity: true)
    }

    /// Shorter runs are no evidence of a straight edge. px
    private static let run = 2.0
    /// How far a corner lies at most from where its runs end, and from what is nearest of its edge: farther off it is round. px
    private static let cut = (runs: 1.6, edge: 0.5)

    /// No pixel's centre lies in a corner, so it is cut off: two straight runs that end near each other go on until they meet.
    private static func sharpened(_ points: [Point]) -> [Point] {
        let count = points.count
        func edge(_ i: Int) -> (from: Point, to: Point) { (points[i % count], points[(i + 1) % count]) }
        let long = (0..<count).filter { i in
            let (a, b) = edge(i)
            return (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) >= run * run
        }
        guard long.count > 1 else { return points }
        var result: [Point] = []
        for (index, first) in long.enumerated() {
            let next = index + 1 < long.count ? long[index + 1] : long[0] + count
            let between = (first + 1...next).map { points[$0 % count] }
            func isCorner(_ corner: Point) -> Bool {
                let squares = between.map { ($0.x - corner.x) * ($0.x - corner.x) + ($0.y - corner.y) * ($0.y - corner.y) }
                return squares.allSatisfy { $0 <= cut.runs * cut.runs } && squares.contains { $0 <= cut.edge * cut.edge + 1e-9 }
            }
            // One point is the corner already; more than four short steps are a curve.
            if (2...5).contains(between.count), let corner = meeting(edge(first), edge(next)), isCorner(corner) {
                result.append(corner)
            } else {
                result += between
            }
        }
        return result
    }

    /// Where two runs meet beyond the end of the one and before the beginning of the other.
    private static func meeting(_ a: (from: Point, to: Point), _ b: (from: Point, to: Point)) -> Point? {
        let (ux, uy) = (a.to.x - a.from.x, a.to.y - a.from.y)
        let (vx, vy) = (b.to.x - b.from.x, b.to.y - b.from.y)
        let cross = ux * vy - uy * vx
        // Nearly one line: there is no corner.
        guard abs(cross) > 0.1 * ((ux * ux + uy * uy) * (vx * vx + vy * vy)).squareRoot() else { return nil }
        let (dx, dy) = (b.from.x - a.from.x, b.from.y - a.from.y)
        let s = (dx * vy - dy * vx) / cross
        let t = (dx * uy - dy * ux) / cross
        return s >= 1 && t <= 0 ? (a.from.x + s * ux, a.from.y + s * uy) : nil
    }

    private static func isStraight(_ a: Point, _ b: Point, _ c: Point) -> Bool {
        let cross = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x)
        let along = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y)
        return abs(cross) <= 1e-9 * along
    }
}
