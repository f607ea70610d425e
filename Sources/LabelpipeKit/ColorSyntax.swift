extension Color {
    /// Reads a CSS colour; nil for what is none.
    ///
    /// Hex with 3, 4, 6 or 8 digits, the names, `transparent`, `rgb()` and `hsl()` (also called `rgba()`, `hsla()`) with commas
    /// or with blanks and `/ alpha`. Upper and lower case are the same; channels out of their range are clamped, as CSS says.
    public init?(css text: String) {
        if let hex = Color(hexDigits: text.utf8) {
            self = hex
            return
        }
        let text = text.trimmed.asciiLowercased
        if let hex = Color(hexDigits: text.utf8) {
            self = hex
        } else if text.hasSuffix(")"), let open = text.firstIndex(of: "(") {
            self.init(
                function: String(text[..<open]),
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

    /// `#` and 3, 4, 6 or 8 digits. Nothing is allocated for it: there may be ten thousand in a document.
    private init?(hexDigits text: String.UTF8View) {
        guard text.first == UInt8(ascii: "#") else { return nil }
        var (value, count): (UInt64, Int) = (0, 0)
        for byte in text.dropFirst() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 48
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 87
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - 55
            default: return nil
            }
            count += 1
            if count > 8 { return nil }
            value = value << 4 | UInt64(digit)
        }
        let isShort = count == 3 || count == 4
        guard isShort || count == 6 || count == 8 else { return nil }
        let channels = isShort ? count : count / 2
        func channel(_ index: Int) -> Double {
            let place = UInt64(channels - 1 - index)
            return isShort ? Double((value >> (4 * place) & 15) * 17) / 255 : Double(value >> (8 * place) & 255) / 255
        }
        self.init(red: channel(0), green: channel(1), blue: channel(2), alpha: channels == 4 ? channel(3) : 1)
    }

    /// One argument of a function: a number, a percentage or `none`.
    private struct Component {
        let number: Double
        let isPercent: Bool

        /// `allowsNone`: only the form with blanks knows `none`.
        init?(_ text: String, allowsNone: Bool) {
            if allowsNone, text == "none" {
                (number, isPercent) = (0, false)
                return
            }
            isPercent = text.hasSuffix("%")
            guard let number = cssNumber(isPercent ? text.dropLast() : text[...]) else { return nil }
            self.number = number
        }

        /// From 0 to 1; `plain` is what a bare number is a part of.
        func fraction(of plain: Double) -> Double { min(max(number / (isPercent ? 100 : plain), 0), 1) }
    }

    private init?(function: String, arguments: Substring) {
        guard ["rgb", "rgba", "hsl", "hsla"].contains(function) else { return nil }
        let isLegacy = arguments.contains(",")
        var parts: [String]
        if isLegacy {
            parts = arguments.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        } else {
            let halves = arguments.split(separator: "/", omittingEmptySubsequences: false)
            parts = halves.first?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
            guard halves.count <= 2, parts.count == 3 else { return nil }
            if halves.count == 2 { parts.append(halves[1].trimmed) }
        }
        guard parts.count == 3 || parts.count == 4 else { return nil }
        var alpha = 1.0
        if parts.count == 4 {
            guard let component = Component(parts[3], allowsNone: !isLegacy) else { return nil }
            alpha = component.fraction(of: 1)
        }
        if function.hasPrefix("rgb") {
            let channels = parts.prefix(3).compactMap { Component($0, allowsNone: !isLegacy) }
            guard channels.count == 3 else { return nil }
            // With commas all three are numbers, or all three percentages.
            if isLegacy, Set(channels.map(\.isPercent)).count > 1 { return nil }
            let values = channels.map { $0.fraction(of: 255) }
            self.init(red: values[0], green: values[1], blue: values[2], alpha: alpha)
        } else {
            guard let hue = Color.hue(parts[0], allowsNone: !isLegacy),
                let saturation = Component(parts[1], allowsNone: !isLegacy),
                let lightness = Component(parts[2], allowsNone: !isLegacy)
            else { return nil }
            if isLegacy, !saturation.isPercent || !lightness.isPercent { return nil }
            self.init(
                hue: hue, saturation: saturation.fraction(of: 100), lightness: lightness.fraction(of: 100), alpha: alpha)
        }
    }

    /// Degrees.
    private static func hue(_ text: String, allowsNone: Bool) -> Double? {
        if allowsNone, text == "none" { return 0 }
        for (unit, degrees) in [("deg", 1.0), ("grad", 0.9), ("rad", 180 / Double.pi), ("turn", 360)]
        where text.hasSuffix(unit) {
            // "grad" ends in "rad": the longer one is tried first.
            return cssNumber(text.dropLast(unit.count)).map { $0 * degrees }
        }
        return cssNumber(text)
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
