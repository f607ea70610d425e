/// A colour as designers write it: sRGB, encoded, straight (not premultiplied).
///
/// **Units**: every channel from 0 to 1.
/// **Source**: the syntax is CSS Color Module Level 4's for hex, names, `rgb()` and `hsl()`.
public struct Color: Hashable, Sendable {
    public var red, green, blue, alpha: Double

    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    public static let black = Color(red: 0, green: 0, blue: 0)
    public static let white = Color(red: 1, green: 1, blue: 1)
    public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)

    public var isTransparent: Bool { alpha <= 0 }
    public var isOpaque: Bool { alpha >= 1 }
    /// No channel differs from another by a visible amount: it can be drawn on a grey picture.
    public var isGrey: Bool { abs(red - green) < 1e-9 && abs(green - blue) < 1e-9 }

    /// It can be drawn on a grey picture: without a tone, or not seen at all.
    public var leavesGrey: Bool { isGrey || isTransparent }

    /// Straight channels as a vector, alpha last.
    public var vector: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }

    /// The larger of each colour channel and `level`; alpha stays. AKToken's "lighten".
    public func lightened(to level: Double) -> Color {
        Color(red: max(red, level), green: max(green, level), blue: max(blue, level), alpha: alpha)
    }

    /// The smaller of each colour channel and `level`; alpha stays. AKToken's "darken".
    public func darkened(to level: Double) -> Color {
        Color(red: min(red, level), green: min(green, level), blue: min(blue, level), alpha: alpha)
    }

    /// `#rrggbb`, or `#rrggbbaa` where it is not opaque.
    public var hex: String {
        func byte(_ v: Double) -> String {
            let n = Int((min(max(v, 0), 1) * 255).rounded())
            return (n < 16 ? "0" : "") + String(n, radix: 16)
        }
        return "#" + byte(red) + byte(green) + byte(blue) + (isOpaque ? "" : byte(alpha))
    }
}
