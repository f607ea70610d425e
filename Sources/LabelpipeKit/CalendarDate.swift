import Glibc

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
        let bytes = Array(text.utf8.prefix(32))
        guard bytes.count >= 4, bytes.prefix(4).allSatisfy(CalendarDate.isDigit) else { return nil }
        var numbers: [Int]
        if bytes.count >= 8, bytes.prefix(8).allSatisfy(CalendarDate.isDigit) {
            let value = CalendarDate.number(bytes.prefix(8))
            numbers = [value / 10000, value / 100 % 100, value % 100]
        } else {
            numbers = CalendarDate.fields(bytes)
        }
        guard (1...9999).contains(numbers[0]) else { return nil }
        numbers += [0, 1, 1, 0, 0, 0].dropFirst(numbers.count)
        guard (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), (0...23).contains(numbers[3]),
            (0...59).contains(numbers[4]), (0...60).contains(numbers[5])
        else { return nil }
        self.init(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
    }

    /// Year, month, day, hour, minute, second as far as they go.
    private static func fields(_ bytes: [UInt8]) -> [Int] {
        var numbers: [Int] = []
        var rest = bytes[...]
        while numbers.count < 6 {
            let digits = rest.prefix(while: isDigit)
            if digits.isEmpty || digits.count > 4 { break }
            numbers.append(number(digits))
            rest = rest.dropFirst(digits.count)
            // Fractions of a second and time zones say nothing about the clock on the wall.
            guard let separator = rest.first else { break }
            let isTime = numbers.count > 3
            guard isTime ? separator == UInt8(ascii: ":") : ":-/.T ".utf8.contains(separator) else { break }
            rest = rest.dropFirst()
        }
        return numbers
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func number(_ digits: some Sequence<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1) - 48 } }

    /// strftime's format, in the C locale whatever the process has.
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
        let length = buffer.withUnsafeMutableBufferPointer { buffer in
            strftime_l(buffer.baseAddress!, buffer.count, format, &parts, CalendarDate.locale)
        }
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The first thing in a format that strftime would print as it stands; nil: there is none.
    ///
    /// **Source**: glibc's manual, "Formatting Calendar Time": flags, a width, `E` or `O`, and a letter.
    static func unknownCode(in format: some StringProtocol) -> String? {
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            var end = format.index(after: percent)
            func skip(_ isPart: (Character) -> Bool) {
                while end < format.endIndex, isPart(format[end]) { end = format.index(after: end) }
            }
            skip { "_-0^#+".contains($0) }
            skip { $0.isASCII && $0.isNumber }
            skip { $0 == "E" || $0 == "O" }
            guard end < format.endIndex, "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%".contains(format[end]) else {
                return String(format[percent...].prefix(through: min(end, format.index(before: format.endIndex))))
            }
            rest = format[format.index(after: end)...]
        }
        return nil
    }

    // Made once, never changed or freed: any thread may read it.
    private nonisolated(unsafe) static let locale = newlocale(1 << LC_TIME, "C", nil)
}
