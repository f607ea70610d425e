import Glibc

/// An affine map of the plane: x' = a·x + c·y + tx, y' = b·x + d·y + ty (y down).
public struct Affine: Hashable, Sendable {
    public var a, b, c, d, tx, ty: Double

    public static let identity = Affine(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    @inlinable
    public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    @inlinable
    public static func translation(dx: Double, dy: Double) -> Affine { Affine(a: 1, b: 0, c: 0, d: 1, tx: dx, ty: dy) }

    @inlinable
    public static func translation(_ vector: Vector) -> Affine { translation(dx: vector.dx, dy: vector.dy) }

    @inlinable
    public static func scale(sx: Double, sy: Double) -> Affine { Affine(a: sx, b: 0, c: 0, d: sy, tx: 0, ty: 0) }

    @inlinable
    public static func scale(_ factor: Double) -> Affine { scale(sx: factor, sy: factor) }

    /// A turn about the origin, clockwise on screen. Multiples of 90° have exact 0 and ±1, so nothing is resampled by them.
    public static func rotation(degrees: Double) -> Affine {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        let (sine, cosine): (Double, Double) =
            switch turn < 0 ? turn + 360 : turn {
            case 0, 360: (0, 1)
            case 90: (1, 0)
            case 180: (0, -1)
            case 270: (-1, 0)
            default: (sin(turn * .pi / 180), cos(turn * .pi / 180))
            }
        return Affine(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
    }

    /// A turn about `center`, clockwise on screen.
    public static func rotation(degrees: Double, about center: Point) -> Affine { rotation(degrees: degrees).about(center) }

    /// The same map with `center` in the origin's place.
    @inlinable
    public func about(_ center: Point) -> Affine {
        Affine.translation(dx: -center.x, dy: -center.y).then(self).then(.translation(dx: center.x, dy: center.y))
    }

    /// First this map, then `next`.
    @inlinable
    public func then(_ next: Affine) -> Affine {
        Affine(
            a: a * next.a + b * next.c, b: a * next.b + b * next.d,
            c: c * next.a + d * next.c, d: c * next.b + d * next.d,
            tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
    }

    /// The way back; nil where the map flattens the plane.
    public var inverse: Affine? {
        let determinant = self.determinant
        guard determinant != 0, determinant.isFinite else { return nil }
        if isTranslation { return .translation(dx: -tx, dy: -ty) }
        let (ia, ib, ic, id) = (d / determinant, -b / determinant, -c / determinant, a / determinant)
        return Affine(a: ia, b: ib, c: ic, d: id, tx: -(tx * ia + ty * ic), ty: -(tx * ib + ty * id))
    }

    @inlinable
    public func apply(_ point: Point) -> Point {
        Point(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
    }

    /// A way has no place: the translation does not act on it.
    @inlinable
    public func apply(_ vector: Vector) -> Vector {
        Vector(dx: a * vector.dx + c * vector.dy, dy: b * vector.dx + d * vector.dy)
    }

    @inlinable public var determinant: Double { a * d - b * c }
    @inlinable public var isIdentity: Bool { self == .identity }
    @inlinable public var isTranslation: Bool { a == 1 && b == 0 && c == 0 && d == 1 }
    @inlinable public var isWholeTranslation: Bool { isTranslation && tx == tx.rounded() && ty == ty.rounded() }

    /// Whether every number in it is one.
    public var isFinite: Bool { (a + b + c + d + tx + ty).isFinite }

    /// Whether circles stay circles (turned, scaled and mirrored at most), up to rounding noise.
    public var isSimilarity: Bool {
        let noise = 1e-9 * (abs(a) + abs(b) + abs(c) + abs(d))
        return (abs(a - d) <= noise && abs(b + c) <= noise) || (abs(a + d) <= noise && abs(b - c) <= noise)
    }

    /// The largest factor by which a length grows: the larger singular value.
    public var maximumScale: Double {
        let sum = a * a + b * b + c * c + d * d
        let determinant = self.determinant
        return ((sum + max(sum * sum - 4 * determinant * determinant, 0).squareRoot()) / 2).squareRoot()
    }
}
