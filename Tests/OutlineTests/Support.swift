import Glibc
import Outline

/// A generator whose seed is printed, so that a failure can be repeated: SplitMix64.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    /// Seeded from the clock; `name` says which test prints the seed.
    static func fresh(_ name: String) -> Seeded {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let seed = UInt64(now.tv_sec) &* 1_000_000_007 &+ UInt64(now.tv_nsec)
        print("\(name): seed \(seed)")
        return Seeded(seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A shape like a glyph's: bowls with counters, stems, strokes of a pen, which overlap and wind either way.
    mutating func glyph(size: Double) -> Outline {
        var paths = [Path]()
        for _ in 0..<count(1...4) {
            var path = Path()
            let center = Point(x: number(0...size), y: number(0...size))
            switch count(0...3) {
            case 0:
                let outer = number(0.1...0.5) * size
                path = .ellipse(in: Rect(x: center.x - outer, y: center.y - outer * 0.8, width: 2 * outer, height: 1.6 * outer))
                let inner = outer * number(0.2...0.9)
                let counter = Path.ellipse(
                    in: Rect(x: center.x - inner, y: center.y - inner * 0.7, width: 2 * inner, height: 1.4 * inner))
                path.elements += counter.transformed(by: .scale(sx: -1, sy: 1).about(center)).elements
            case 1:
                path = .rectangle(
                    Rect(x: center.x, y: center.y, width: number(0.02...0.2) * size, height: number(0.2...0.8) * size),
                    radius: number(0...1) < 0.5 ? 0 : number(0...0.1) * size)
            case 2:
                // Stars and self-crossing polygons.
                let corners = count(3...9)
                for corner in 0..<corners {
                    let angle = Double(corner * (count(0...3) == 0 ? 2 : 1)) / Double(corners) * 2 * .pi
                    let radius = number(0.05...0.5) * size
                    let point = Point(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
                    corner == 0 ? path.move(to: point) : path.line(to: point)
                }
                path.close()
            default:
                path.move(to: center)
                for _ in 0..<count(2...4) {
                    path.cubic(
                        Point(x: number(0...size), y: number(0...size)), Point(x: number(0...size), y: number(0...size)),
                        to: Point(x: number(0...size), y: number(0...size)))
                }
                path.close()
            }
            if count(0...1) == 0 { path = path.transformed(by: .rotation(degrees: number(0...360), about: center)) }
            paths.append(path)
        }
        return Outline(paths: paths)
    }
}

extension Outline {
    convenience init(polygon points: [(Double, Double)]) {
        var path = Path()
        for (index, (x, y)) in points.enumerated() {
            index == 0 ? path.move(to: Point(x: x, y: y)) : path.line(to: Point(x: x, y: y))
        }
        path.close()
        self.init(path)
    }

    var area: Double { polygons().area }
}

/// Coverage of a region as rows of values.
struct Coverage: Equatable {
    let region: Region
    var values: [Float]

    init(_ polygons: Polygons, transform: Affine = .identity, in region: Region, clip: Region? = nil) {
        self.init(CoverageRasterizer(polygons, transform: transform, clip: clip), in: region)
    }

    init(_ rasterizer: CoverageRasterizer, in region: Region) {
        self.region = region
        var values = [Float](repeating: -1, count: region.width * region.height)
        values.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            rasterizer.coverage(in: region, into: base, rowStride: region.width)
        }
        self.values = values
    }

    subscript(x: Int, y: Int) -> Float { values[(y - region.y) * region.width + x - region.x] }

    var sum: Double { values.reduce(0) { $0 + Double($1) } }

    func crop(_ part: Region) -> [Float] {
        (part.y..<part.maxY).flatMap { y in (part.x..<part.maxX).map { x in self[x, y] } }
    }
}

/// The distance of a point to the nearest edge, by looking at all of them.
func distanceToEdge(_ p: Point, _ polygons: Polygons) -> Double {
    var best = Double.infinity
    for contour in 0..<polygons.contourCount {
        let range = polygons.contour(contour)
        var a = polygons.point(range.upperBound - 1)
        for vertex in range {
            let b = polygons.point(vertex)
            let edge = b - a
            let square = edge.dx * edge.dx + edge.dy * edge.dy
            let along = square > 0 ? min(max(((p.x - a.x) * edge.dx + (p.y - a.y) * edge.dy) / square, 0), 1) : 0
            best = min(best, (p - (a + edge * along)).length)
            a = b
        }
    }
    return best
}

func isNear(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool { abs(a - b) <= tolerance }

extension Polygons {
    /// Without contours of some hundredths of a pixel, which flattening makes and growing does not trust.
    var withoutSpecks: Polygons {
        var (coordinates, starts) = ([Double](), [Int]())
        for index in 0..<contourCount {
            let points = contour(index).map { point($0) }
            let length = zip(points, points.dropFirst() + points.prefix(1)).reduce(0) { $0 + ($1.1 - $1.0).length }
            if length < 0.25 { continue }
            starts.append(coordinates.count / 2)
            for point in points { coordinates += [point.x, point.y] }
        }
        return Polygons(coordinates: coordinates, starts: starts)
    }
}

/// The area of a disc.
func disc(_ radius: Double) -> Double { .pi * radius * radius }
