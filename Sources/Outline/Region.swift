/// A rectangle of whole pixels. **Units**: px; pixel (x, y) covers [x, x + 1) × [y, y + 1).
public struct Region: Hashable, Sendable {
    public var x, y, width, height: Int

    public static let empty = Region(x: 0, y: 0, width: 0, height: 0)

    @inlinable
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    @inlinable public var maxX: Int { x + width }
    @inlinable public var maxY: Int { y + height }
    @inlinable public var isEmpty: Bool { width <= 0 || height <= 0 }

    @inlinable
    public var rect: Rect { Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }

    /// The pixels in both; the empty region if there are none.
    @inlinable
    public func intersection(_ other: Region) -> Region {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        return left < right && top < bottom ? Region(x: left, y: top, width: right - left, height: bottom - top) : .empty
    }

    /// The smallest region around both; empty ones do not count.
    @inlinable
    public func union(_ other: Region) -> Region {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let left = min(x, other.x)
        let top = min(y, other.y)
        return Region(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    @inlinable
    public func offset(dx: Int, dy: Int) -> Region { Region(x: x + dx, y: y + dy, width: width, height: height) }

    /// Larger by `distance` on every side (negative: smaller); an empty region stays empty.
    @inlinable
    public func grown(by distance: Int) -> Region {
        let grown = Region(x: x - distance, y: y - distance, width: width + 2 * distance, height: height + 2 * distance)
        return isEmpty || grown.isEmpty ? .empty : grown
    }

    @inlinable
    public func contains(x px: Int, y py: Int) -> Bool { px >= x && px < maxX && py >= y && py < maxY }

    /// Whether all pixels of `other` lie inside; the empty region lies in everything.
    @inlinable
    public func contains(_ other: Region) -> Bool {
        other.isEmpty || (other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY)
    }

    /// A whole number as Int, held within ±2^40 so that sums of a few never overflow; NaN is 0.
    static func whole(_ value: Double) -> Int {
        value.isNaN ? 0 : Int(min(max(value, -0x1p40), 0x1p40))
    }
}
