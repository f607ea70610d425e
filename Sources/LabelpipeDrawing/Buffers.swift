import Outline

/// A pixel while it is drawn: red, green, blue, alpha. Premultiplied and sRGB-encoded, unless said otherwise.
package typealias Pixel = SIMD4<Float>

/// Coverage of a region, row by row without gaps; zeros at first.
// Used by one thread at a time while it is filled, and only read afterwards.
final class Mask: @unchecked Sendable {
    let region: Region
    let values: UnsafeMutablePointer<Float>
    var stride: Int { region.width }
    var count: Int { region.width &* region.height }

    init(_ region: Region, value: Float = 0) {
        self.region = region.isEmpty ? .empty : region
        let count = max(self.region.width * self.region.height, 1)
        values = .allocate(capacity: count)
        values.initialize(repeating: value, count: count)
    }

    deinit { values.deallocate() }

    /// A row by its y in the region's plane.
    @inline(__always)
    func row(_ y: Int) -> UnsafeMutablePointer<Float> { values + (y &- region.y) &* stride }
}

/// Pixels of a region, row by row without gaps; transparent at first.
// Used by one thread at a time while it is filled, and only read afterwards.
final class Canvas: @unchecked Sendable {
    let region: Region
    let pixels: UnsafeMutablePointer<Pixel>
    var stride: Int { region.width }
    var count: Int { region.width &* region.height }

    init(_ region: Region) {
        self.region = region.isEmpty ? .empty : region
        let count = max(self.region.width * self.region.height, 1)
        pixels = .allocate(capacity: count)
        pixels.initialize(repeating: .zero, count: count)
    }

    deinit { pixels.deallocate() }

    @inline(__always)
    func row(_ y: Int) -> UnsafeMutablePointer<Pixel> { pixels + (y &- region.y) &* stride }

    var target: Target { Target(region: region, pixels: pixels, stride: stride) }
}

/// Where marks are drawn: somebody's pixels, that hold what lies below already.
struct Target {
    /// What may be drawn on. `pixels` is its top left.
    var region: Region
    var pixels: UnsafeMutablePointer<Pixel>
    var stride: Int

    @inline(__always)
    func row(_ y: Int) -> UnsafeMutablePointer<Pixel> { pixels + (y &- region.y) &* stride }

    /// A part of it.
    func part(_ part: Region) -> Target {
        Target(region: part, pixels: row(part.y) + (part.x &- region.x), stride: stride)
    }
}

extension Pixel {
    /// With the alpha of `other`.
    @inline(__always)
    func alpha(_ alpha: Float) -> Pixel { Pixel(x, y, z, alpha) }
    /// Straight to premultiplied.
    @inline(__always)
    var premultiplied: Pixel { self * Pixel(w, w, w, 1) }
    /// Premultiplied to straight; transparent stays transparent black.
    @inline(__always)
    var straight: Pixel {
        if w <= 0 { return .zero }
        let k = 1 / w
        return self * Pixel(k, k, k, 1)
    }
}

@inline(__always)
func clamped(_ p: Pixel, _ low: Float, _ high: Float) -> Pixel {
    pointwiseMin(pointwiseMax(p, Pixel(repeating: low)), Pixel(repeating: high))
}

/// Whole numbers nearest to values from 0 to 2²²; ties to even.
@inline(__always)
func rounded(_ p: Pixel) -> SIMD4<UInt32> {
    // 2²³ has no bits left for a fraction: the sum is rounded, and its last bits are the number.
    unsafeBitCast(p + Pixel(repeating: 0x1p23), to: SIMD4<UInt32>.self) & SIMD4(repeating: 0x7F_FFFF)
}
