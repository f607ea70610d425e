/// Lines and curves: the shape of a glyph or of an SVG path, filled by the non-zero rule. **Units**: px, y down.
///
/// Every subpath counts as closed. A curve that begins before any `move` begins at (0, 0).
public struct Path: Hashable, Sendable {
    public enum Element: Hashable, Sendable {
        case move(Point)
        case line(Point)
        /// Control point, end.
        case quadratic(Point, Point)
        /// First and second control point, end.
        case cubic(Point, Point, Point)
        case close
    }

    public var elements: [Element]

    public init(elements: [Element] = []) {
        self.elements = elements
    }

    public mutating func move(to point: Point) { elements.append(.move(point)) }
    public mutating func line(to point: Point) { elements.append(.line(point)) }
    public mutating func quadratic(_ control: Point, to end: Point) { elements.append(.quadratic(control, end)) }
    public mutating func cubic(_ first: Point, _ second: Point, to end: Point) { elements.append(.cubic(first, second, end)) }
    public mutating func close() { elements.append(.close) }

    public func transformed(by affine: Affine) -> Path {
        if affine.isIdentity { return self }
        return Path(
            elements: elements.map { element in
                switch element {
                case .move(let point): .move(affine.apply(point))
                case .line(let point): .line(affine.apply(point))
                case .quadratic(let control, let end): .quadratic(affine.apply(control), affine.apply(end))
                case .cubic(let first, let second, let end):
                    .cubic(affine.apply(first), affine.apply(second), affine.apply(end))
                case .close: .close
                }
            })
    }

    /// The tight bounding box: curves reach it, control points may lie outside. A lone `move` has no extent and does not count.
    public var bounds: Rect {
        var box = Box()
        var current = Point.zero
        var start = Point.zero
        for element in elements {
            switch element {
            case .move(let point):
                start = point
                current = point
            case .line(let end):
                box.add(current.x, current.y)
                box.add(end.x, end.y)
                current = end
            case .quadratic(let control, let end):
                box.add(current.x, current.y)
                box.add(end.x, end.y)
                for t in [
                    Path.extremum(current.x, control.x, end.x), Path.extremum(current.y, control.y, end.y),
                ] where t > 0 && t < 1 {
                    let s = 1 - t
                    box.add(
                        s * s * current.x + 2 * s * t * control.x + t * t * end.x,
                        s * s * current.y + 2 * s * t * control.y + t * t * end.y)
                }
                current = end
            case .cubic(let first, let second, let end):
                box.add(current.x, current.y)
                box.add(end.x, end.y)
                let (t0, t1) = Path.extrema(current.x, first.x, second.x, end.x)
                let (t2, t3) = Path.extrema(current.y, first.y, second.y, end.y)
                for t in [t0, t1, t2, t3] where t > 0 && t < 1 {
                    let s = 1 - t
                    let (b0, b1, b2, b3) = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
                    box.add(
                        b0 * current.x + b1 * first.x + b2 * second.x + b3 * end.x,
                        b0 * current.y + b1 * first.y + b2 * second.y + b3 * end.y)
                }
                current = end
            case .close:
                current = start
            }
        }
        return box.rect
    }

    /// Where the quadratic's derivative is 0; outside (0, 1), or NaN, where it never is.
    private static func extremum(_ p0: Double, _ p1: Double, _ p2: Double) -> Double {
        (p0 - p1) / (p0 - 2 * p1 + p2)
    }

    /// Where the cubic's derivative a·t² + 2·b·t + c is 0; outside (0, 1), or NaN, where it never is.
    private static func extrema(_ p0: Double, _ p1: Double, _ p2: Double, _ p3: Double) -> (Double, Double) {
        let a = p3 - 3 * p2 + 3 * p1 - p0
        let b = p2 - 2 * p1 + p0
        let c = p1 - p0
        // The root of the larger sum first: no cancellation, and a = 0 gives the linear equation's answer.
        let root = (b * b - a * c).squareRoot()
        let q = -(b + (b < 0 ? -root : root))
        return (q / a, c / q)
    }
}
