/// A rectangle on the plane. **Units**: px, y down; (x, y) is the top left corner.
public struct Rect: Hashable, Sendable {
    public var x, y, width, height: Double

    /// Nothing at all: united with it, every rectangle is itself.
    public static let null = Rect(x: .infinity, y: .infinity, width: 0, height: 0)
    public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

    @inlinable
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    @inlinable
    public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.init(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }

    @inlinable public var minX: Double { x }
    @inlinable public var minY: Double { y }
    @inlinable public var maxX: Double { x + width }
    @inlinable public var maxY: Double { y + height }
    @inlinable public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

    /// Whether this is `null`, the rectangle of nothing.
    @inlinable public var isNull: Bool { x == .infinity }

    /// Whether no area lies inside; a line or a point is empty without being null.
    @inlinable public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// The smallest rectangle around both. Empty ones count unless they are null.
    @inlinable
    public func union(_ other: Rect) -> Rect {
        if isNull { return other }
        if other.isNull { return self }
        return Rect(
            minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY))
    }

    /// What both share: null where they are apart, empty where they only touch.
    @inlinable
    public func intersection(_ other: Rect) -> Rect {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        return left <= right && top <= bottom && left < .infinity ? Rect(minX: left, minY: top, maxX: right, maxY: bottom) : .null
    }

    /// Whether the two share area.
    @inlinable
    public func intersects(_ other: Rect) -> Bool { !intersection(other).isEmpty }

    /// Smaller by `dx` on the left and on the right, by `dy` above and below (negative: larger); null if nothing stays.
    @inlinable
    public func insetBy(dx: Double, dy: Double) -> Rect {
        let inset = Rect(x: x + dx, y: y + dy, width: width - 2 * dx, height: height - 2 * dy)
        return isNull || inset.width < 0 || inset.height < 0 ? .null : inset
    }

    /// Larger by `distance` on every side (negative: smaller); null if nothing stays.
    @inlinable
    public func grown(by distance: Double) -> Rect { insetBy(dx: -distance, dy: -distance) }

    @inlinable
    public func offset(by vector: Vector) -> Rect { Rect(x: x + vector.dx, y: y + vector.dy, width: width, height: height) }

    /// Whether `point` lies inside; the left and upper edge belong to the rectangle, the right and lower do not.
    @inlinable
    public func contains(_ point: Point) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }

    /// Whether all of `other` lies inside, edges included; nothing (`null`) lies in everything.
    @inlinable
    public func contains(_ other: Rect) -> Bool {
        other.isNull || (other.minX >= minX && other.minY >= minY && other.maxX <= maxX && other.maxY <= maxY)
    }

    /// The whole pixels that the rectangle touches. A millionth of a pixel is rounding noise and touches nothing.
    public var roundedOut: Region {
        if isNull { return .empty }
        let left = Region.whole((minX + 1e-6).rounded(.down))
        let top = Region.whole((minY + 1e-6).rounded(.down))
        let right = Region.whole((maxX - 1e-6).rounded(.up))
        let bottom = Region.whole((maxY - 1e-6).rounded(.up))
        return Region(x: left, y: top, width: max(right - left, 0), height: max(bottom - top, 0))
    }

    /// The bounding box of the transformed rectangle.
    public func applying(_ affine: Affine) -> Rect {
        if isNull { return .null }
        let corners = [
            affine.apply(Point(x: minX, y: minY)), affine.apply(Point(x: maxX, y: minY)),
            affine.apply(Point(x: minX, y: maxY)), affine.apply(Point(x: maxX, y: maxY)),
        ]
        var box = Box()
        for corner in corners { box.add(corner.x, corner.y) }
        return box.rect
    }
}

/// A growing bounding box.
struct Box {
    var minX = Double.infinity
    var minY = Double.infinity
    var maxX = -Double.infinity
    var maxY = -Double.infinity

    @inline(__always)
    mutating func add(_ x: Double, _ y: Double) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x)
        maxY = max(maxY, y)
    }

    /// Whether the two share a point, edges included.
    @inline(__always)
    func touches(_ other: Box) -> Bool {
        minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
    }

    var rect: Rect { minX <= maxX ? Rect(minX: minX, minY: minY, maxX: maxX, maxY: maxY) : .null }
}
