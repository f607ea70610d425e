/// Numbers as people read them, the same in every locale.
enum Figures {
    /// Three digits that matter: `1234`, `123`, `12.3`, `1.23`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        if value >= 99.95 { return "\(Int(value.rounded()))" }
        let places = value >= 9.995 ? 1 : 2
        let factor = places == 1 ? 10.0 : 100.0
        let scaled = Int((value * factor).rounded())
        let fraction = String(scaled % Int(factor))
        return "\(scaled / Int(factor)).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }

    /// `0.42 s`, `12 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "?" }
        if seconds < 9.95 { return "\(number(seconds)) s" }
        let whole = Int(seconds.rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
        if whole < 86400 { return "\(whole / 3600) h \(twoDigits(whole / 60 % 60)) min" }
        return "\(whole / 86400) d \(whole / 3600 % 24) h"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// `512 MB`, `1.50 GB`, by powers of 1024.
    static func bytes(_ count: Int) -> String {
        count >= 1 << 30 ? "\(number(Double(count) / Double(1 << 30))) GB" : "\(max(1, count >> 20)) MB"
    }

    /// `1 picture`, `3 pictures`.
    static func count(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
