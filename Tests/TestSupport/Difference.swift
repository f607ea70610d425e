/// Where two pictures that should be the same are not.
///
/// What is seen is compared: colours times alpha. Another processor may round a sum the other way, so a few levels
/// pass; nothing that a change of the drawing does is as small.
public struct Difference: Sendable, CustomStringConvertible {
    /// Levels of 255 that rounding may come to.
    static let tolerance = 2

    public private(set) var sizes: (actual: (width: Int, height: Int), expected: (width: Int, height: Int))
    public private(set) var largest = 0
    /// The pixel with the largest difference.
    public private(set) var worst = (x: 0, y: 0)
    /// Pixels that differ by more than rounding.
    public private(set) var count = 0
    /// Actual and expected RGBA of the worst pixel.
    public private(set) var values: (actual: [UInt8], expected: [UInt8]) = ([], [])
    /// Four times the difference of each channel on black.
    public private(set) var picture: Pixels?

    public init(_ actual: Pixels, _ expected: Pixels) {
        let (a, e) = (actual.rgba, expected.rgba)
        sizes = ((a.width, a.height), (e.width, e.height))
        guard isSameSize else { return }
        var shown = [UInt8](repeating: 255, count: a.samples.count)
        for pixel in 0..<a.width * a.height {
            let (first, second) = (seen(a, pixel), seen(e, pixel))
            var difference = 0
            for band in 0..<4 {
                let d = abs(first[band] - second[band])
                difference = max(difference, d)
                if band < 3 { shown[pixel * 4 + band] = UInt8(min(max(d, abs(first[3] - second[3])) * 4, 255)) }
            }
            if difference > Difference.tolerance { count += 1 }
            if difference > largest {
                largest = difference
                worst = (pixel % a.width, pixel / a.width)
            }
        }
        values = (a[worst.x, worst.y], e[worst.x, worst.y])
        picture = Pixels(width: a.width, height: a.height, bands: 4, samples: shown)
    }

    private var isSameSize: Bool { sizes.actual == sizes.expected }

    public var isNone: Bool { isSameSize && largest <= Difference.tolerance }

    public var description: String {
        if !isSameSize {
            return
                "\(sizes.actual.width) × \(sizes.actual.height) px instead of \(sizes.expected.width) × \(sizes.expected.height)"
        }
        return "\(count) pixels differ, most at (\(worst.x), \(worst.y)): \(values.actual) instead of \(values.expected)"
    }
}

/// Colours times alpha, and alpha; 0 to 255.
@inline(__always)
private func seen(_ picture: Pixels, _ pixel: Int) -> SIMD4<Int> {
    let start = pixel * 4
    let alpha = Int(picture.samples[start + 3])
    func times(_ band: Int) -> Int { (Int(picture.samples[start + band]) * alpha + 127) / 255 }
    return SIMD4(times(0), times(1), times(2), alpha)
}
