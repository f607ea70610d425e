/// A place on the plane. **Units**: px, y down.
public struct Point: Hashable, Sendable {
    public var x, y: Double

    public static let zero = Point(x: 0, y: 0)

    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    @inlinable
    public static func + (point: Point, vector: Vector) -> Point {
        Point(x: point.x + vector.dx, y: point.y + vector.dy)
    }

    @inlinable
    public static func - (point: Point, vector: Vector) -> Point {
        Point(x: point.x - vector.dx, y: point.y - vector.dy)
    }

    /// The way from `other` to `point`.
    @inlinable
    public static func - (point: Point, other: Point) -> Vector {
        Vector(dx: point.x - other.x, dy: point.y - other.y)
    }
}

/// A way on the plane: what translations do not change. **Units**: px, y down.
public struct Vector: Hashable, Sendable {
    public var dx, dy: Double

    public static let zero = Vector(dx: 0, dy: 0)

    @inlinable
    public init(dx: Double, dy: Double) {
        self.dx = dx
        self.dy = dy
    }

    @inlinable
    public var length: Double { (dx * dx + dy * dy).squareRoot() }

    @inlinable
    public static func + (a: Vector, b: Vector) -> Vector { Vector(dx: a.dx + b.dx, dy: a.dy + b.dy) }

    @inlinable
    public static func - (a: Vector, b: Vector) -> Vector { Vector(dx: a.dx - b.dx, dy: a.dy - b.dy) }

    @inlinable
    public static prefix func - (a: Vector) -> Vector { Vector(dx: -a.dx, dy: -a.dy) }

    @inlinable
    public static func * (a: Vector, factor: Double) -> Vector { Vector(dx: a.dx * factor, dy: a.dy * factor) }
}
