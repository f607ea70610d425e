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

extension Color {
    /// Reads a CSS colour; nil for what is none.
    public init?(css text: String) {
        let text = text.trimmed.lowercased()
        if text.hasPrefix("#") {
            self.init(hexDigits: text.dropFirst())
        } else if text.hasSuffix(")"), let open = text.firstIndex(of: "(") {
            self.init(
                function: text[..<open].trimmed,
                arguments: text[text.index(after: open)..<text.index(before: text.endIndex)])
        } else if let value = Color.named[text] {
            self.init(rgb: value)
        } else if text == "transparent" {
            self = .transparent
        } else {
            return nil
        }
    }

    init(rgb: UInt32) {
        self.init(
            red: Double(rgb >> 16 & 255) / 255, green: Double(rgb >> 8 & 255) / 255, blue: Double(rgb & 255) / 255)
    }

    private init?(hexDigits: Substring) {
        let digits = hexDigits.compactMap(\.hexDigitValue)
        guard digits.count == hexDigits.count, [3, 4, 6, 8].contains(digits.count) else { return nil }
        let bytes: [Int]
        if digits.count <= 4 {
            bytes = digits.map { $0 * 17 }
        } else {
            bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        }
        let channels = bytes.map { Double($0) / 255 }
        self.init(red: channels[0], green: channels[1], blue: channels[2], alpha: channels.count == 4 ? channels[3] : 1)
    }

    /// `rgb()` and `hsl()` in the comma form and in the space form with `/ alpha`.
    private init?(function: String, arguments: Substring) {
        guard ["rgb", "rgba", "hsl", "hsla"].contains(function) else { return nil }
        var parts: [String]
        if arguments.contains(",") {
            parts = arguments.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        } else {
            let halves = arguments.split(separator: "/", omittingEmptySubsequences: false)
            guard halves.count <= 2 else { return nil }
            parts = halves[0].split(whereSeparator: \.isWhitespace).map(String.init)
            guard parts.count == 3 else { return nil }
            if halves.count == 2 { parts.append(halves[1].trimmed) }
        }
        guard parts.count == 3 || parts.count == 4 else { return nil }
        func number(_ text: String, percentOf whole: Double, plainOf plain: Double) -> Double? {
            if text.hasSuffix("%") { return Double(text.dropLast()).map { $0 / 100 * whole } }
            return Double(text).map { $0 / plain }
        }
        var alpha = 1.0
        if parts.count == 4 {
            guard let value = number(parts[3], percentOf: 1, plainOf: 1) else { return nil }
            alpha = value
        }
        func unit(_ v: Double) -> Double { min(max(v, 0), 1) }
        if function.hasPrefix("rgb") {
            let channels = parts.prefix(3).compactMap { number($0, percentOf: 1, plainOf: 255) }
            guard channels.count == 3, channels.allSatisfy(\.isFinite), alpha.isFinite else { return nil }
            self.init(red: unit(channels[0]), green: unit(channels[1]), blue: unit(channels[2]), alpha: unit(alpha))
        } else {
            let angle = parts[0].hasSuffix("deg") ? String(parts[0].dropLast(3)) : parts[0]
            guard let hue = Double(angle), hue.isFinite, alpha.isFinite,
                parts[1].hasSuffix("%"), let saturation = Double(parts[1].dropLast()),
                parts[2].hasSuffix("%"), let lightness = Double(parts[2].dropLast())
            else { return nil }
            self.init(
                hue: hue, saturation: unit(saturation / 100), lightness: unit(lightness / 100), alpha: unit(alpha))
        }
    }

    /// **Source**: CSS Color 4, "HSL to sRGB".
    private init(hue: Double, saturation: Double, lightness: Double, alpha: Double) {
        let turn = (hue / 30).truncatingRemainder(dividingBy: 12)
        func channel(_ n: Double) -> Double {
            var k = (n + turn).truncatingRemainder(dividingBy: 12)
            if k < 0 { k += 12 }
            let a = saturation * min(lightness, 1 - lightness)
            return lightness - a * max(-1, min(k - 3, 9 - k, 1))
        }
        self.init(red: channel(0), green: channel(8), blue: channel(4), alpha: alpha)
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    package var trimmed: String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
