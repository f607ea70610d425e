import LabelpipeKit

/// What a blend mode makes of two straight colours, before alpha comes into play; the fourth lane is not used.
///
/// **Source**: W3C Compositing and Blending Level 1, sections 9 and 10.
package enum BlendFormula {
    /// - Parameters:
    ///   - below: the backdrop's colour, Cb.
    ///   - above: the upper layer's colour, Cs.
    @inline(__always)
    package static func mix(_ mode: BlendMode, below: Pixel, above: Pixel) -> Pixel {
        switch mode {
        case .normal, .plusLighter: above
        case .multiply: below * above
        case .screen: below + above - below * above
        case .overlay: hardLight(below: above, above: below)
        case .darken: pointwiseMin(below, above)
        case .lighten: pointwiseMax(below, above)
        case .colorDodge: map(below, above, dodge)
        case .colorBurn: map(below, above, burn)
        case .hardLight: hardLight(below: below, above: above)
        case .softLight: map(below, above, softLight)
        case .difference: pointwiseMax(below, above) - pointwiseMin(below, above)
        case .exclusion: below + above - 2 * below * above
        case .hue: withLuminosity(withSaturation(above, saturation(below)), luminosity(below))
        case .saturation: withLuminosity(withSaturation(below, saturation(above)), luminosity(below))
        case .color: withLuminosity(above, luminosity(below))
        case .luminosity: withLuminosity(below, luminosity(above))
        }
    }

    @inline(__always)
    private static func map(_ b: Pixel, _ s: Pixel, _ f: (Float, Float) -> Float) -> Pixel {
        Pixel(f(b.x, s.x), f(b.y, s.y), f(b.z, s.z), 0)
    }

    @inline(__always)
    private static func hardLight(below: Pixel, above: Pixel) -> Pixel {
        let twice = above + above
        let screened = below + (twice - 1) - below * (twice - 1)
        return (below * twice).replacing(with: screened, where: above .> 0.5)
    }

    @inline(__always)
    private static func dodge(_ b: Float, _ s: Float) -> Float {
        if b <= 0 { return 0 }
        return s >= 1 ? 1 : min(1, b / (1 - s))
    }

    @inline(__always)
    private static func burn(_ b: Float, _ s: Float) -> Float {
        if b >= 1 { return 1 }
        return s <= 0 ? 0 : 1 - min(1, (1 - b) / s)
    }

    @inline(__always)
    private static func softLight(_ b: Float, _ s: Float) -> Float {
        if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
        let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
        return b + (2 * s - 1) * (d - b)
    }

    // MARK: The non-separable ones

    @inline(__always)
    private static func luminosity(_ c: Pixel) -> Float { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }

    @inline(__always)
    private static func saturation(_ c: Pixel) -> Float { max(c.x, c.y, c.z) - min(c.x, c.y, c.z) }

    /// The colour moved along grey to a luminosity, pulled back into the cube if it left it.
    private static func withLuminosity(_ c: Pixel, _ wanted: Float) -> Pixel {
        var result = c + (wanted - luminosity(c))
        let l = luminosity(result)
        let low = min(result.x, result.y, result.z)
        let high = max(result.x, result.y, result.z)
        if low < 0, l > low { result = Pixel(repeating: l) + (result - l) * (l / (l - low)) }
        if high > 1, high > l { result = Pixel(repeating: l) + (result - l) * ((1 - l) / (high - l)) }
        return result
    }

    /// The colour's channels stretched so that they span `wanted`, the smallest at 0.
    private static func withSaturation(_ c: Pixel, _ wanted: Float) -> Pixel {
        let low = min(c.x, c.y, c.z)
        let span = max(c.x, c.y, c.z) - low
        return span > 0 ? (c - low) * (wanted / span) : .zero
    }
}
