import Glibc

/// How far and with what joints an outline's edge is moved.
struct Growth {
    /// Positive: outwards. **Units**: px.
    let distance: Double
    let join: Join
    /// Ratio of a miter's length to the width of the stroke.
    let miterLimit: Double
    /// Largest error of an arc. **Units**: px.
    let arcTolerance: Double

    /// Largest error of an arc at scale 1. **Units**: device px.
    static let arcTolerance = 0.01
    /// Contours shorter than this are flattening's, not the shape's. **Units**: device px.
    static let smallestPerimeter = 0.25
    /// A vertex that turns by less is the inside of a flattened curve, not a corner. **Units**: radians.
    static let smoothTurn = 0.2

    init(distance: Double, join: Join, miterLimit: Double, scale: Double) {
        self.distance = distance
        self.join = join
        self.miterLimit = max(miterLimit, 1)
        arcTolerance = Growth.arcTolerance / scale
    }
}

extension Polygons {
    /// The shape grown by `growth.distance` (or shrunk: the complement grown), part by part.
    ///
    /// Growing is the Minkowski sum with a disc: the raw offset curve winds round it once or more in the positive sense, and Clipper
    /// finds where. The whole of a long text at once would cost the square of its length; a part at a time does not, and gives the same.
    ///
    /// A stroke's joints stick out on both sides of its line, and a miter may be longer than the shape is thick: the miter in the
    /// counter of a `4` comes out at the top. So each corner that does not join on the growing side has its wedge on the other one:
    /// added to what grows, taken from what shrinks.
    func grown(_ growth: Growth, scale: Double) -> Polygons { withoutNoise(scale: scale).grownExactly(growth, scale: scale) }

    /// Without holes of some hundredths of a pixel that three flattened edges leave open where curves meet in a point, and islands
    /// likewise. Nobody can see them, but everybody could see a disc round them once they are grown.
    private func withoutNoise(scale: Double) -> Polygons {
        var kept = Polygons()
        for index in 0..<contourCount where perimeter(ofContour: index) * scale >= Growth.smallestPerimeter {
            kept.append(contour: index, of: self)
        }
        return kept
    }

    private func perimeter(ofContour index: Int) -> Double {
        let range = contour(index)
        var sum = 0.0
        var previous = point(range.upperBound - 1)
        for vertex in range {
            sum += (point(vertex) - previous).length
            previous = point(vertex)
        }
        return sum
    }

    private func grownExactly(_ growth: Growth, scale: Double) -> Polygons {
        let parts = Parts(of: self)
        var curves = [Polygons]()
        var wedges = Polygons()
        curves.reserveCapacity(parts.count)
        for part in 0..<parts.count {
            var curve = Polygons()
            for contour in parts.contours(part) { appendOffset(ofContour: contour, growth, curve: &curve, wedges: &wedges) }
            curves.append(curve)
        }
        let wedgeIndex = WedgeIndex(wedges)
        var grown = [Polygons]()
        var subject = ContourSet()
        var clip = ContourSet()
        for curve in curves where !curve.isEmpty {
            var box = Box()
            for contour in 0..<curve.contourCount {
                let edge = curve.box(ofContour: contour)
                box.add(edge.minX, edge.minY)
                box.add(edge.maxX, edge.maxY)
            }
            var result = Polygons()
            var grid = Grid(around: box, scale: scale)
            for _ in 0..<3 {
                subject.removeAll()
                clip.removeAll()
                subject.rule = .positive
                for contour in 0..<curve.contourCount { subject.append(contour: contour, of: curve, grid: grid) }
                // A shrinking part loses the wedges of its neighbours too; a growing one may leave them to the union at the end.
                wedgeIndex.visit(box) { clip.append(contour: $0, of: wedges, grid: grid) }
                if runClipper(growth.distance > 0 ? .union : .difference, subject, clip, box: box, grid: grid, into: &result) {
                    break
                }
                grid = grid.coarser
            }
            if !result.isEmpty { grown.append(result) }
        }
        return growth.distance > 0 ? Polygons.union(grown, scale: scale) : Polygons(joining: grown)
    }

    private init(joining shapes: [Polygons]) {
        self.init()
        for shape in shapes { append(shape) }
    }

    /// Adds the raw offset curve of a contour, and the wedges of its corners on the other side.
    private func appendOffset(ofContour index: Int, _ growth: Growth, curve: inout Polygons, wedges: inout Polygons) {
        let range = contour(index)
        let d = growth.distance
        // The angle of an arc's chord; beyond 2^14 of them in a circle nobody sees the difference.
        let step = max(2 * acos(max(1 - growth.arcTolerance / abs(d), 0)), 2 * .pi / 16384)
        let smoothCosine = cos(Growth.smoothTurn)
        // A smooth joint is one point on the arc, so that nothing reaches farther than the distance; its chords fall short by this ratio.
        let shortfall = growth.arcTolerance / 2 / abs(d)
        coordinates.withUnsafeBufferPointer { xy in
            let count = range.count
            let base = range.lowerBound
            func vertex(_ step: Int) -> Point {
                Point(x: xy[2 * (base + step)], y: xy[2 * (base + step) + 1])
            }
            // Unit directions in turn; edges without length have none and are passed over.
            var last = count - 1
            var incoming = Vector.zero
            while last > 0 {
                incoming = (vertex(0) - vertex(last)).unit
                if incoming != .zero { break }
                last -= 1
            }
            if incoming == .zero { return }
            var at = 0
            while at <= last {
                let v = vertex(at)
                var outgoing = Vector.zero
                var next = at + 1
                while outgoing == .zero {
                    if next > last {
                        outgoing = (vertex(0) - v).unit
                        break
                    }
                    outgoing = (vertex(next) - v).unit
                    if outgoing == .zero { next += 1 }
                }
                if outgoing == .zero { break }
                // Outer normals: the shape lies on the left of a positive contour.
                let n1 = Vector(dx: incoming.dy, dy: -incoming.dx)
                let n2 = Vector(dx: outgoing.dy, dy: -outgoing.dx)
                let sine = incoming.dx * outgoing.dy - incoming.dy * outgoing.dx
                let cosine = incoming.dx * outgoing.dx + incoming.dy * outgoing.dy
                // 1 / cos of half the turn: how far a miter reaches, in distances, and the ratio that SVG limits.
                let ratio = cosine > -1 + 1e-12 ? (2 / (1 + cosine)).squareRoot() : .infinity
                let smooth = cosine > smoothCosine
                let middle = ratio.isFinite ? (n1 + n2) * (d / (1 + cosine)) : .zero
                if sine * d < 0 {
                    curve.add(v + n1 * d)
                    curve.add(v)
                    curve.add(v + n2 * d)
                    if growth.join == .miter && !smooth && ratio <= growth.miterLimit {
                        wedges.addWedge(v, v - n1 * d, v - middle, v - n2 * d)
                    }
                } else if smooth && ratio - 1 <= shortfall {
                    curve.add(v + middle * (1 / ratio))
                } else if !smooth && growth.join == .miter && ratio <= growth.miterLimit {
                    curve.add(v + middle)
                } else if smooth || growth.join == .round {
                    let turn = atan2(abs(sine), cosine)
                    let pieces = Int(max((turn / step).rounded(.up), 1))
                    let angle = (d > 0 ? turn : -turn) / Double(pieces)
                    let (c, s) = (cos(angle), sin(angle))
                    var spoke = n1 * d
                    curve.add(v + spoke)
                    for _ in 1..<max(pieces, 1) {
                        spoke = Vector(dx: c * spoke.dx - s * spoke.dy, dy: s * spoke.dx + c * spoke.dy)
                        curve.add(v + spoke)
                    }
                    curve.add(v + n2 * d)
                } else {
                    curve.add(v + n1 * d)
                    curve.add(v + n2 * d)
                }
                incoming = outgoing
                at = next
            }
        }
        curve.endContour()
    }

    @inline(__always)
    private mutating func add(_ point: Point) { add(point.x, point.y) }

    private mutating func addWedge(_ corner: Point, _ first: Point, _ tip: Point, _ second: Point) {
        add(corner)
        add(first)
        add(tip)
        add(second)
        endContour()
    }
}

extension Vector {
    /// The direction; zero where there is none.
    fileprivate var unit: Vector {
        let length = self.length
        return length > 0 ? Vector(dx: dx / length, dy: dy / length) : .zero
    }
}

/// Wedges by their left edge, so that a part finds those near it.
private struct WedgeIndex {
    private let boxes: [Box]
    private let order: [Int]
    private let widest: Double

    init(_ wedges: Polygons) {
        let boxes = (0..<wedges.contourCount).map { wedges.box(ofContour: $0) }
        order = boxes.indices.sorted { boxes[$0].minX < boxes[$1].minX }
        widest = boxes.reduce(0) { max($0, $1.maxX - $1.minX) }
        self.boxes = boxes
    }

    /// Calls `body` with every wedge whose box touches `box`.
    func visit(_ box: Box, _ body: (Int) -> Void) {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if boxes[order[middle]].minX < box.minX - widest { low = middle + 1 } else { high = middle }
        }
        while low < order.count, boxes[order[low]].minX <= box.maxX {
            if boxes[order[low]].touches(box) { body(order[low]) }
            low += 1
        }
    }
}
