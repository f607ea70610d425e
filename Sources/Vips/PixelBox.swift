import CVips

/// A rectangle of whole pixels; x to the right, y down.
public struct PixelBox: Hashable, Sendable {
    public var left: Int
    public var top: Int
    public var width: Int
    public var height: Int

    public init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    /// The first column to the right of the box.
    @inlinable public var right: Int { left + width }
    /// The first row below the box.
    @inlinable public var bottom: Int { top + height }
    @inlinable public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// What both boxes cover; empty (width or height 0) where they do not touch.
    @inlinable public func intersection(_ other: PixelBox) -> PixelBox {
        let l = max(left, other.left)
        let t = max(top, other.top)
        return PixelBox(
            left: l, top: t, width: max(0, min(right, other.right) - l), height: max(0, min(bottom, other.bottom) - t))
    }

    /// True where at least one pixel belongs to both.
    @inlinable public func intersects(_ other: PixelBox) -> Bool {
        !isEmpty && !other.isEmpty && left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }

    /// The smallest box that covers both; an empty one adds nothing.
    @inlinable public func union(_ other: PixelBox) -> PixelBox {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let l = min(left, other.left)
        let t = min(top, other.top)
        return PixelBox(left: l, top: t, width: max(right, other.right) - l, height: max(bottom, other.bottom) - t)
    }

    /// True where `other` lies inside; an empty one always does.
    @inlinable public func contains(_ other: PixelBox) -> Bool {
        other.isEmpty || (left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom)
    }

    init(_ rect: VipsRect) {
        self.init(left: Int(rect.left), top: Int(rect.top), width: Int(rect.width), height: Int(rect.height))
    }

    /// Only for boxes inside a picture, whose sides are Int32 in libvips.
    var vips: VipsRect {
        VipsRect(left: Int32(left), top: Int32(top), width: Int32(width), height: Int32(height))
    }
}
