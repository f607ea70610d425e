// The parser's texts and numbers.

extension JSONParser {
    /// Reads a text from its opening quote to behind its closing one.
    mutating func string() throws(Diagnostic) -> String {
        let start = position
        at += 1
        let first = at
        // Most texts have no escape: they are copied at once.
        while at < end {
            let byte = base[at]
            if byte == UInt8(ascii: "\"") {
                let text = String(decoding: UnsafeBufferPointer(start: base + first, count: at - first), as: UTF8.self)
                at += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try stringWithEscapes(from: first, start) }
            try passPlain(byte, start)
        }
        throw unterminated(start)
    }

    private mutating func stringWithEscapes(from first: Int, _ start: SourcePosition) throws(Diagnostic) -> String {
        var text = [UInt8](UnsafeBufferPointer(start: base + first, count: at - first))
        while at < end {
            let byte = base[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text, start)
            } else {
                let from = at
                try passPlain(byte, start)
                text.append(contentsOf: UnsafeBufferPointer(start: base + from, count: at - from))
            }
        }
        throw unterminated(start)
    }

    /// Steps over one character that stands for itself.
    @inline(__always)
    private mutating func passPlain(_ byte: UInt8, _ start: SourcePosition) throws(Diagnostic) {
        if byte >= 0x80 {
            let length = UTF8Sequence.length(base, at: at, end: end)
            guard length > 0 else { throw illFormed() }
            passCharacter(of: length)
        } else if byte >= 0x20 {
            at += 1
        } else {
            throw control(byte, start)
        }
    }

    private mutating func escape(into text: inout [UInt8], _ start: SourcePosition) throws(Diagnostic) {
        guard at + 1 < end else { throw unterminated(start) }
        switch base[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(base[at + 1])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): return try unicodeEscape(into: &text)
        default:
            let shown =
                at + 2 <= end && base[at + 1] > 0x20 && base[at + 1] < 0x7F ? "\"\\\(Unicode.Scalar(base[at + 1]))\"" : "\"\\\""
            throw finding(
                "json-bad-escape", expected: "an escape of JSON, \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX", got: shown,
                help: ["a backslash itself is written \"\\\\\""])
        }
        at += 2
    }

    private mutating func unicodeEscape(into text: inout [UInt8]) throws(Diagnostic) {
        let unit = try codeUnit(at)
        var value = UInt32(unit)
        var length = 6
        if UTF16.isTrailSurrogate(unit) { throw loneSurrogate(unit) }
        if UTF16.isLeadSurrogate(unit) {
            guard at + 7 < end, base[at + 6] == UInt8(ascii: "\\"), base[at + 7] == UInt8(ascii: "u") else {
                throw loneSurrogate(unit)
            }
            let trail = try codeUnit(at + 6)
            guard UTF16.isTrailSurrogate(trail) else { throw loneSurrogate(unit) }
            value = 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF
            length = 12
        }
        if let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) { text.append(contentsOf: encoded) }
        at += length
    }

    /// The four digits of the `\u` at `place`.
    private func codeUnit(_ place: Int) throws(Diagnostic) -> UInt16 {
        var unit: UInt16 = 0
        for i in place + 2..<place + 6 {
            guard i < end, let digit = Character(Unicode.Scalar(base[i])).hexDigitValue else {
                throw finding("json-bad-escape", message: "\"\\u\" without four hexadecimal digits behind it")
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private func loneSurrogate(_ unit: UInt16) -> Diagnostic {
        finding(
            "json-lone-surrogate", message: "\"\\u\(hex(UInt32(unit), digits: 4).dropFirst(2))\" is half of a surrogate pair",
            help: ["write the character itself, or both halves: \"\\uD83D\\uDE00\""])
    }

    private func control(_ byte: UInt8, _ start: SourcePosition) -> Diagnostic {
        let isLineEnd = byte == 0x0A || byte == 0x0D
        let escape: String =
            switch byte {
            case 0x0A: "\\n"
            // One line end in files from Windows.
            case 0x0D: at + 1 < end && base[at + 1] == 0x0A ? "\\n" : "\\r"
            case 0x09: "\\t"
            default: "\\u" + hex(UInt32(byte), digits: 4).dropFirst(2)
            }
        let what =
            isLineEnd
            ? "a line end" : byte == 0x09 ? "a tab" : "the control character U+\(hex(UInt32(byte), digits: 4).dropFirst(2))"
        var help = ["write it as \(escape)"]
        if isLineEnd { help[0] += ", or close the text that begins at \(start.line):\(start.column)" }
        return finding("json-control-character", message: "\(what) within a text", help: help)
    }

    private func illFormed() -> Diagnostic {
        finding(
            "json-encoding", message: "ill-formed UTF-8: the byte \(hex(UInt32(base[at]), digits: 2)) at offset \(at)",
            help: ["save the file as UTF-8"])
    }

    private func unterminated(_ start: SourcePosition) -> Diagnostic {
        finding(
            "json-truncated", expected: "a closing quote", got: "the end of the file",
            help: ["the text begins at \(start.line):\(start.column)"])
    }

    // MARK: Numbers

    /// Reads a number; `at` is at its first character.
    mutating func number() throws(Diagnostic) -> JSONValue.Content {
        let start = at
        let place = position
        let isNegative = base[at] == UInt8(ascii: "-")
        if isNegative { at += 1 }
        let firstDigit = at
        // The digits as a whole number, as long as it is exact.
        var digits: UInt64 = 0
        var kept = 0
        var scale = 0
        readDigits(&digits, &kept)
        if at == firstDigit {
            if word(at, is: "Infinity") || word(at, is: "NaN") {
                throw finding("json-bad-number", at: place, expected: "a finite number", got: textFrom(start))
            }
            throw finding("json-bad-number", at: place, expected: "a digit after \"-\"", got: textFrom(start))
        }
        if base[firstDigit] == UInt8(ascii: "0"), at > firstDigit + 1 {
            throw finding("json-bad-number", at: place, expected: "a number without leading zeros", got: textFrom(start))
        }
        if at < end, base[at] == UInt8(ascii: ".") {
            at += 1
            let fraction = at
            readDigits(&digits, &kept)
            scale = fraction - at
            if at == fraction {
                throw finding("json-bad-number", at: place, expected: "a digit after the decimal point", got: textFrom(start))
            }
        }
        if at < end, base[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            var isMinus = false
            if at < end, base[at] == UInt8(ascii: "+") || base[at] == UInt8(ascii: "-") {
                isMinus = base[at] == UInt8(ascii: "-")
                at += 1
            }
            let first = at
            var exponent = 0
            while at < end, isDigit(base[at]) {
                exponent = min(exponent * 10 + Int(base[at] & 0xF), 1_000_000)
                at += 1
            }
            if at == first {
                throw finding("json-bad-number", at: place, expected: "a digit in the exponent", got: textFrom(start))
            }
            scale += isMinus ? -exponent : exponent
        }
        if at < end, isPartOfNumber(base[at]) {
            throw finding("json-bad-number", at: place, expected: "a number", got: textFrom(start), help: wordHelp(start))
        }
        let text = String(decoding: UnsafeBufferPointer(start: base + start, count: at - start), as: UTF8.self)
        // Both the digits and the power of ten are exact doubles, so one rounding gives the nearest one (Clinger 1990).
        if kept <= 15, scale >= -22, scale <= 22 {
            var number = Double(digits)
            if scale < 0 { number /= Self.powersOfTen[-scale] } else { number *= Self.powersOfTen[scale] }
            return .number(isNegative ? -number : number, text: text)
        }
        guard let number = Double(text), number.isFinite else {
            throw finding(
                "json-number-overflow", at: place, expected: "a number up to \(Double.greatestFiniteMagnitude)",
                got: textFrom(start))
        }
        return .number(number, text: text)
    }

    @inline(__always)
    private mutating func readDigits(_ digits: inout UInt64, _ kept: inout Int) {
        while at < end, isDigit(base[at]) {
            if kept < 16 { digits = digits * 10 + UInt64(base[at] & 0xF) }
            // Leading zeros carry nothing.
            if digits != 0 { kept += 1 }
            at += 1
        }
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
        1e22,
    ]

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Letters, digits, `.`, `+`, `-`, `_`, `%`: what people write on to a number.
    private func isPartOfNumber(_ byte: UInt8) -> Bool {
        isDigit(byte) || 0x61...0x7A ~= byte | 0x20 || [0x2B, 0x2D, 0x2E, 0x5F, 0x25].contains(byte)
    }

    private func word(_ place: Int, is word: String) -> Bool {
        UnsafeBufferPointer(start: base + place, count: end - place).starts(with: word.utf8)
    }

    /// The number as written, to its end.
    private func textFrom(_ start: Int) -> String {
        var behind = start
        while behind < end, isPartOfNumber(base[behind]) { behind += 1 }
        let text = String(decoding: UnsafeBufferPointer(start: base + start, count: behind - start), as: UTF8.self)
        return text.utf8.count <= 40 ? text : text.prefix(40) + "…"
    }

    /// `12px` needs quotes.
    private func wordHelp(_ start: Int) -> [String] {
        // No unit begins with an x, but `0x1F` does.
        let isUnit = 0x61...0x7A ~= base[at] | 0x20 && base[at] | 0x20 != UInt8(ascii: "x")
        return isUnit || base[at] == UInt8(ascii: "%")
            ? ["a value with a unit is a text, \"\(textFrom(start))\""] : []
    }
}
