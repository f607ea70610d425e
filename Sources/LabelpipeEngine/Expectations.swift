import Diagnostics
import LabelpipeKit

// The words of messages and tables, made from declarations.

/// A number without a trailing `.0`.
func format(_ n: Double) -> String {
    n == n.rounded() && abs(n) < 1e16 ? String(Int(n)) : String(n)
}

extension ParameterDeclaration {
    /// "a length from 0px to 4096px".
    package var expectation: String { expectation(in: range) }

    private func expectation(in range: ClosedRange<Double>?) -> String {
        guard let range else { return kind.phrase }
        let unit = kind.isLength ? "px" : ""
        // "one of a, b from 1 to 2" would not be read as meant: the range belongs to the numbers.
        let phrase: String
        let rest: String
        if case .either(let kinds) = kind, kinds.count > 1 {
            phrase = kinds[0].phrase
            rest = kinds.dropFirst().map { " or \($0.phrase)" }.joined()
        } else {
            (phrase, rest) = (kind.phrase, "")
        }
        if range.upperBound == .infinity { return "\(phrase), at least \(format(range.lowerBound))\(unit)\(rest)" }
        if range.lowerBound == -.infinity { return "\(phrase), at most \(format(range.upperBound))\(unit)\(rest)" }
        return "\(phrase) from \(format(range.lowerBound))\(unit) to \(format(range.upperBound))\(unit)\(rest)"
    }

    /// What should have been there instead of `n`; nil where it is in order.
    ///
    /// - Parameter part: the kind of the part of the value that the number is.
    func objection(to n: Double, part: Kind? = nil) -> String? {
        if let range, !range.contains(n) { return declaration(of: part).expectation }
        return kind.bounds.contains(n) ? nil : declaration(of: part).expectation(in: kind.bounds)
    }

    private func declaration(of part: Kind?) -> ParameterDeclaration {
        part.map { ParameterDeclaration(name, $0, .required, range: range, doc: doc) } ?? self
    }

    /// The default as help lines and tables name it.
    package var defaultText: String? {
        guard let value = defaultValue else { return nil }
        let text = value.string ?? value.compact
        if case .relative(_, let otherwise) = presence { return "\(text), else \(format(otherwise))px" }
        return text
    }

    /// `stroke.outline "width": visible width of the stroke, default 1px  (labelpipe describe stroke.outline)`.
    func helpLine(owner: String) -> String {
        var line = "\(owner) \"\(name)\""
        if !doc.isEmpty { line += ": \(doc)" }
        if let defaultText { line += ", default \(defaultText)" }
        if isRequired { line += ", required" }
        if !owner.contains(" ") { line += "  (labelpipe describe \(owner))" }
        return line
    }
}
