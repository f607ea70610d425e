import Diagnostics
import LabelpipeKit

/// What was probably meant by a value that cannot be read: written as other programs take it, or as a word.
extension Reading {
    /// A number or length as it is written here, `3 vmin` → `3vmin`, `45°` → `45`, `0,5` → `0.5`; nil: the text is no such thing.
    func tidied(_ text: String, _ kind: Kind) -> String? {
        let plain = text.trimmed
        var digits = String(plain.unicodeScalars.prefix { "+-.,0123456789".unicodeScalars.contains($0) })
        let rest = String(plain.unicodeScalars.dropFirst(digits.unicodeScalars.count)).trimmed.lowercased()
        let unit = Reading.unitWords[rest] ?? rest
        // A comma with three digits behind it may stand for thousands.
        let parts = digits.split(separator: ",", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].count != 3 { digits = parts.joined(separator: ".") }
        if digits.hasSuffix(".") { digits.removeLast() }
        guard let n = cssNumber(digits), unit.allSatisfy({ $0.isASCII && $0.isLetter }) || unit == "%" else { return nil }
        let meant: String
        if kind.isLength || unit == "%" {
            meant = digits + unit
        } else if unit.isEmpty || LengthUnit(rawValue: unit) != nil || unit == "x" {
            meant = digits
        } else if kind == .angle, let degrees = Reading.degrees[unit] {
            // As many places as anybody writes.
            meant = format((n * degrees * 1000).rounded() / 1000)
        } else {
            return nil
        }
        return meant == text ? nil : meant
    }

    private static let unitWords = [
        "pixel": "px", "pixels": "px", "point": "pt", "points": "pt", "inch": "in", "inches": "in", "percent": "%", "°": "deg",
        "º": "deg", "degree": "deg", "degrees": "deg", "×": "x",
    ]
    /// In one of each.
    private static let degrees = ["deg": 1, "grad": 0.9, "turn": 360, "rad": 180 / Double.pi]

    /// The number that a word stands for elsewhere, `bold`.
    func word(_ json: JSONValue) -> String? {
        let letters = json.string?.lowercased().filter { $0 != " " && $0 != "-" }
        return letters.flatMap { declaration.words[$0] }.map { format(Double($0)) }
    }

    /// A percentage where a fraction is declared.
    func fraction(_ json: JSONValue) -> String? {
        guard declaration.range == 0...1, !declaration.kind.isLength, let n = json.double, (10...100).contains(n) else {
            return nil
        }
        return format(n / 100)
    }

    /// How a truth value is written.
    func truth(_ json: JSONValue) -> String? {
        let word = json.string?.lowercased() ?? json.double.map { format($0) }
        let meant: String
        switch word {
        case "true", "yes", "on", "1": meant = "true"
        case "false", "no", "off", "0": meant = "false"
        default: return nil
        }
        return "write \(meant)" + (json.string != nil && origin == .document ? ", without quotes" : "")
    }

    /// A text that was written without quotes.
    func quoted(_ json: JSONValue) -> String? {
        json.double == nil && json.bool == nil ? nil : "write \(Quoted.text(json.compact)), in quotes"
    }

    /// One of what a list is made of.
    func listed(_ json: JSONValue, _ element: Kind, _ pointer: JSONPointer) -> String? {
        if origin == .outside { return "a list is written as JSON: [\"…\", \"…\"]" }
        var reading = self
        reading.report = { _ in }
        guard case .some(.some) = reading.term(json, element, pointer), json.compact.utf8.count < 60 else { return nil }
        return "write [\(Quoted.onOneLine(json.compact))]"
    }
}
