/// Text of other people's, made fit for one line of a message.
public enum Quoted {
    /// The text in JSON's quotes, its controls escaped; beyond `limit` characters it ends with `…`.
    public static func text(_ text: String, limit: Int = 60) -> String {
        var writer = JSONWriter()
        let scalars = text.unicodeScalars
        // One pass whatever the length: only `limit` scalars are ever looked at.
        if let cut = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex), cut < scalars.endIndex {
            writer.string(String(scalars[..<cut]) + "…")
        } else {
            writer.string(text)
        }
        return onOneLine(writer.text)
    }

    /// The text with everything escaped that could break the line, move the cursor or turn the reading direction.
    public static func onOneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnfit) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar where isUnfit(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Controls of C0 and C1, and those of bidirectional text and of lines.
    private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x61C: true
        default: false
        }
    }
}
