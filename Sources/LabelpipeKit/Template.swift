import Glibc

/// Text with `{fields}`.
///
/// ```
/// © {date:%Y} {exif.Artist|row.owner|"Unknown"}   {index:04}   {{literal braces}}
/// ```
public struct Template: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case field(String, format: String?)
        case literal(String)
    }

    enum Part: Hashable, Sendable {
        case text(String)
        /// The first that is present and not empty.
        case first([Source])
    }

    let parts: [Part]

    public struct SyntaxError: Error, Hashable, Sendable {
        /// What was expected, in words.
        public let expected: String
        public let got: String
        /// Characters before the mistake.
        public let offset: Int
    }

    /// **Errors**: `SyntaxError` for a brace that is not closed, a lone `}`, an empty field.
    public init(_ text: String) throws(SyntaxError) {
        var parts: [Part] = []
        var literal = ""
        let characters = Array(text)
        var i = 0
        while i < characters.count {
            let c = characters[i]
            if c == "{" || c == "}", i + 1 < characters.count, characters[i + 1] == c {
                literal.append(c)
                i += 2
            } else if c == "{" {
                let start = i
                let sources = try Template.sources(characters, &i)
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                guard !sources.isEmpty else {
                    throw SyntaxError(expected: "a field's name between braces", got: "{}", offset: start)
                }
                parts.append(.first(sources))
            } else if c == "}" {
                throw SyntaxError(expected: "}} for a brace that is text", got: "a lone }", offset: i)
            } else {
                literal.append(c)
                i += 1
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    /// A template that is just this text.
    public init(literal text: String) { parts = text.isEmpty ? [] : [.text(text)] }

    private static func sources(_ text: [Character], _ i: inout Int) throws(SyntaxError) -> [Source] {
        let open = i
        i += 1
        var sources: [Source] = []
        var name = ""
        func unclosed() -> SyntaxError {
            SyntaxError(expected: "} at the end of a field", got: "the end of the text", offset: open)
        }
        func finish() throws(SyntaxError) {
            if let field = field(name.trimmed) { sources.append(field) }
            name = ""
        }
        while i < text.count {
            switch text[i] {
            case "}":
                i += 1
                try finish()
                // `{a|b:%Y}`: the format is meant for both.
                if case .field(_, let format?) = sources.last {
                    sources = sources.map { source in
                        if case .field(let name, nil) = source { .field(name, format: format) } else { source }
                    }
                }
                return sources
            case "|":
                i += 1
                if name.trimmed.isEmpty, sources.isEmpty {
                    throw SyntaxError(expected: "a field's name before |", got: "{|", offset: open)
                }
                try finish()
            case "\"" where name.trimmed.isEmpty:
                guard let close = text[(i + 1)...].firstIndex(of: "\"") else { throw unclosed() }
                sources.append(.literal(String(text[(i + 1)..<close])))
                i = close + 1
            case "{":
                throw SyntaxError(expected: "a field's name", got: "{ inside a field", offset: i)
            default:
                name.append(text[i])
                i += 1
            }
        }
        throw unclosed()
    }

    /// A colon starts a format only before `%` or a digit: `xmp.dc:creator` has one in its name.
    private static func field(_ text: String) -> Source? {
        guard !text.isEmpty else { return nil }
        var rest = text[...]
        while let colon = rest.firstIndex(of: ":") {
            let format = text[text.index(after: colon)...]
            if let first = format.first, first == "%" || first.isNumber {
                return .field(String(text[..<colon]), format: String(format))
            }
            rest = format
        }
        return .field(text, format: nil)
    }

    /// The names it asks for, each once, in order.
    public var fields: [String] {
        var names: [String] = []
        for case .first(let sources) in parts {
            for case .field(let name, _) in sources where !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The text, where it has no fields.
    public var constant: String? {
        fields.isEmpty ? try? filled(missing: .empty) { _ in nil } : nil
    }

    /// What happens where no alternative of a field is there.
    public enum Missing: String, CaseIterable, Sendable { case error, empty }

    public struct MissingField: Error, Hashable, Sendable {
        /// The alternatives that were tried.
        public let names: [String]
    }

    /// Fills the fields in.
    ///
    /// - Parameter lookup: a field's value; nil where there is none.
    /// **Errors**: `MissingField`, unless missing fields are to be empty.
    public func filled(
        missing: Missing = .error, _ lookup: (String) throws -> FieldValue?
    ) throws -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .first(let sources):
                var found: String?
                search: for source in sources {
                    switch source {
                    case .literal(let literal):
                        found = literal
                        break search
                    case .field(let name, let format):
                        if let value = try lookup(name)?.text(format) {
                            // There and empty, as `{relative}` of a file named by itself, is not missing; an alternative is better.
                            found = value
                            if !value.isEmpty { break search }
                        }
                    }
                }
                if let found {
                    text += found
                } else if missing == .error {
                    throw MissingField(names: sources.compactMap { if case .field(let n, _) = $0 { n } else { nil } })
                }
            }
        }
        return text
    }
}

/// The value of a template's field.
public enum FieldValue: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case date(CalendarDate)

    /// As a template prints it: `04` pads integers, `%…` formats dates; dates without a format are ISO 8601.
    func text(_ format: String?) -> String {
        switch self {
        case .text(let text):
            if let format, format.hasPrefix("%"), let date = CalendarDate(text) { return date.formatted(format) }
            return text
        case .integer(let n):
            guard let format, let width = Int(format) else { return String(n) }
            let digits = String(abs(n))
            let zeros = String(repeating: format.hasPrefix("0") ? "0" : " ", count: max(0, min(width, 64) - digits.count))
            return (n < 0 ? "-" : "") + zeros + digits
        case .date(let date): return date.formatted(format ?? "%Y-%m-%d")
        }
    }
}

/// A date and time as a clock on the wall shows it.
public struct CalendarDate: Hashable, Sendable {
    public var year, month, day, hour, minute, second: Int

    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Seconds since 1970 as the local time zone (`TZ`) shows them.
    public init(secondsSince1970 seconds: Int) {
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        self.init(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec))
    }

    /// EXIF's `2024:05:06 07:08:09`, XMP's and ISO 8601's `2024-05-06T07:08:09+02:00`, IPTC's `20240506`, and their beginnings.
    public init?(_ text: String) {
        var numbers: [Int] = []
        let compact = text.prefix(8)
        if compact.count == 8, compact.allSatisfy(\.isNumber), let value = Int(compact) {
            numbers = [value / 10000, value / 100 % 100, value % 100]
        } else {
            var digits = ""
            scan: for c in text {
                if c.isASCII, c.isNumber {
                    digits.append(c)
                } else {
                    if let n = Int(digits) { numbers.append(n) }
                    digits = ""
                    // Fractions of a second and time zones say nothing about the clock on the wall.
                    if c == "." || c == "Z" || c == "+" || numbers.count == 6 { break scan }
                }
            }
            if numbers.count < 6, let n = Int(digits) { numbers.append(n) }
        }
        guard numbers.count >= 1, (1...9999).contains(numbers[0]), text.prefix(4).allSatisfy(\.isNumber) else { return nil }
        numbers += [1, 1, 0, 0, 0].dropFirst(numbers.count - 1)
        guard (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), (0...23).contains(numbers[3]),
            (0...59).contains(numbers[4]), (0...60).contains(numbers[5])
        else { return nil }
        self.init(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
    }

    /// strftime's format in the C locale.
    public func formatted(_ format: String) -> String {
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        parts.tm_isdst = -1
        // timegm only fills in the week day and the day of the year.
        var calendar = parts
        _ = timegm(&calendar)
        parts.tm_wday = calendar.tm_wday
        parts.tm_yday = calendar.tm_yday
        var buffer = [CChar](repeating: 0, count: 256 + 16 * format.utf8.count)
        let length = buffer.withUnsafeMutableBufferPointer { strftime($0.baseAddress!, $0.count, format, &parts) }
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
