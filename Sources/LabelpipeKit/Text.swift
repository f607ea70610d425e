// Small helpers for reading text.

extension StringProtocol {
    /// Without white space at both ends.
    package var trimmed: String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// A to Z in lower case, everything else as it is.
    package var asciiLowercased: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}

/// A number as CSS writes it, `-1.5`, `.5`, `2e3`; nil for anything else, `0x10`, `inf`, `1.` and what is too large included.
package func cssNumber(_ text: some StringProtocol) -> Double? {
    var rest = Substring(text).utf8
    func digits() -> Bool {
        let start = rest.count
        while let byte = rest.first, (48...57).contains(byte) { rest.removeFirst() }
        return rest.count < start
    }
    func skip(_ bytes: String) -> Bool {
        guard let byte = rest.first, bytes.utf8.contains(byte) else { return false }
        rest.removeFirst()
        return true
    }
    _ = skip("+-")
    let isWhole = digits()
    if skip(".") {
        if !digits() { return nil }
    } else if !isWhole {
        return nil
    }
    if skip("eE") {
        _ = skip("+-")
        if !digits() { return nil }
    }
    guard rest.isEmpty, let number = Double(String(text)), number.isFinite else { return nil }
    return number
}
