import Diagnostics
import LabelpipeKit

/// Reads lengths, numbers and angles: `12px`, `4vmin`, `min(…)`, `calc(1em - $gap.x * 2)`.
///
/// **Source**: CSS Values and Units Level 4, "Mathematical Expressions".
struct ExpressionReader {
    enum Failure: Error {
        /// Just some text.
        case notAnExpression
        case wrong(String)
        /// A number followed by %.
        case percent(String)
        case unit(String, after: String)
        case function(String)
    }

    /// An expression that uses an absent parameter is absent.
    struct Absent: Error {}

    /// A parameter that is wrong, and known to be.
    struct Reported: Error {}

    /// An operand with what CSS calls its type.
    struct Operand {
        var calculation: Calculation
        var isLength: Bool
    }

    static let functions = ["min", "max", "clamp", "calc"]

    private let text: [UInt8]
    private var i = 0
    private let scale: Double
    private let isAngle: Bool
    private var depth = 0
    /// The operand for `$name` or `$name.part`.
    private let parameter: (_ name: String, _ part: String?) throws -> Operand

    init(
        _ text: String, scale: Double, isAngle: Bool,
        parameter: @escaping (_ name: String, _ part: String?) throws -> Operand
    ) {
        self.text = Array(text.utf8)
        (self.scale, self.isAngle, self.parameter) = (scale, isAngle, parameter)
    }

    /// The whole text as one value.
    mutating func read() throws -> Operand {
        skip()
        let operand = try value()
        skip()
        guard i == text.count else {
            let rest = String(decoding: text[i...].prefix(40), as: UTF8.self)
            if "+-*/".utf8.contains(text[i]) { throw Failure.wrong("a sum or product stands inside calc(…)") }
            throw Failure.wrong("\(Quoted.text(rest)) behind the value")
        }
        return operand
    }

    /// A bare number among lengths is px.
    func asLength(_ operand: Operand) -> Operand {
        operand.isLength ? operand : Operand(calculation: operand.calculation * .length(scale, .px), isLength: true)
    }

    // MARK: Grammar

    private var next: UInt8? { i < text.count ? text[i] : nil }

    /// CSS's white space.
    private func isBlank(_ byte: UInt8?) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 || byte == 12 }

    private mutating func skip() { while isBlank(next) { i += 1 } }

    private func alike(_ operands: [Operand]) -> [Operand] {
        operands.contains(where: \.isLength) ? operands.map(asLength) : operands
    }

    private func checked(_ calculation: Calculation, isLength: Bool) throws -> Operand {
        guard calculation.terms <= Language.maximumTerms else {
            throw Failure.wrong("more than \(Language.maximumTerms) numbers and lengths in one expression")
        }
        return Operand(calculation: calculation, isLength: isLength)
    }

    private mutating func sum() throws -> Operand {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Language.maximumDepth else {
            throw Failure.wrong("more than \(Language.maximumDepth) brackets inside each other")
        }
        var left = try product()
        while true {
            let before = i
            skip()
            guard let sign = next, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return left }
            guard i > before, i + 1 < text.count, isBlank(text[i + 1]) else {
                throw Failure.wrong("\(Character(Unicode.Scalar(sign))) needs a blank on both sides")
            }
            i += 1
            skip()
            let pair = alike([left, try product()])
            let (a, b) = (pair[0].calculation, pair[1].calculation)
            left = try checked(sign == UInt8(ascii: "+") ? a + b : a - b, isLength: pair[0].isLength)
        }
    }

    private mutating func product() throws -> Operand {
        var left = try value(inCalc: true)
        while true {
            let before = i
            skip()
            guard let sign = next, sign == UInt8(ascii: "*") || sign == UInt8(ascii: "/") else {
                i = before
                return left
            }
            i += 1
            skip()
            let right = try value(inCalc: true)
            if sign == UInt8(ascii: "*") {
                if left.isLength, right.isLength { throw Failure.wrong("a length times a length") }
                left = try checked(left.calculation * right.calculation, isLength: left.isLength || right.isLength)
            } else {
                if right.isLength { throw Failure.wrong("division by a length") }
                if right.calculation.constant == 0 { throw Failure.wrong("division by 0") }
                left = try checked(left.calculation / right.calculation, isLength: left.isLength)
            }
        }
    }

    private mutating func value(inCalc: Bool = false) throws -> Operand {
        guard let byte = next, !inCalc || byte != UInt8(ascii: ")") && byte != UInt8(ascii: ",") else {
            throw inCalc ? Failure.wrong("nothing where a value is expected") : .notAnExpression
        }
        switch byte {
        case UInt8(ascii: "(") where inCalc:
            i += 1
            skip()
            let inner = try sum()
            try close()
            return inner
        case UInt8(ascii: "$"):
            i += 1
            return try named()
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): return try function(inCalc: inCalc)
        default: return try number(inCalc: inCalc)
        }
    }

    private mutating func close() throws {
        skip()
        guard next == UInt8(ascii: ")") else { throw Failure.wrong("a missing )") }
        i += 1
    }

    /// Letters, digits, `_` and `-`, as in ids.
    private mutating func word() -> String {
        let start = i
        while let byte = next, isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") {
            i += 1
        }
        return String(decoding: text[start..<i], as: UTF8.self)
    }

    private func isLetter(_ byte: UInt8?) -> Bool { byte.map { (65...90).contains($0) || (97...122).contains($0) } ?? false }
    private func isDigit(_ byte: UInt8?) -> Bool { byte.map { (48...57).contains($0) } ?? false }

    private mutating func named() throws -> Operand {
        // "$a-$b" has no blanks round the minus: a name may hold one, as ids do.
        let name = word()
        guard Document.isParameterName(name) else { throw Failure.wrong("$ without a parameter's name") }
        var part: String?
        if next == UInt8(ascii: ".") {
            i += 1
            part = word()
        }
        let operand = try parameter(name, part)
        return try checked(operand.calculation, isLength: operand.isLength)
    }

    private mutating func function(inCalc: Bool) throws -> Operand {
        let name = word()
        guard next == UInt8(ascii: "(") else {
            throw inCalc ? Failure.wrong("\(Quoted.text(name)) is no value") : .notAnExpression
        }
        guard ExpressionReader.functions.contains(name) else { throw Failure.function(name) }
        i += 1
        skip()
        var arguments = [try sum()]
        skip()
        while next == UInt8(ascii: ",") {
            i += 1
            skip()
            arguments.append(try sum())
            skip()
        }
        try close()
        let operands = alike(arguments)
        let calculations = operands.map(\.calculation)
        let isLength = operands[0].isLength
        switch name {
        case "min": return try checked(.least(calculations), isLength: isLength)
        case "max": return try checked(.greatest(calculations), isLength: isLength)
        case "clamp":
            guard calculations.count == 3 else {
                throw Failure.wrong("clamp() takes low, value and high, not \(calculations.count) values")
            }
            return try checked(
                .clamp(low: calculations[0], value: calculations[1], high: calculations[2]), isLength: isLength)
        default:
            guard calculations.count == 1 else { throw Failure.wrong("calc() takes one value, not \(calculations.count)") }
            return operands[0]
        }
    }

    private mutating func number(inCalc: Bool) throws -> Operand {
        let start = i
        if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { i += 1 }
        while isDigit(next) { i += 1 }
        if next == UInt8(ascii: "."), i + 1 < text.count, isDigit(text[i + 1]) {
            i += 1
            while isDigit(next) { i += 1 }
        }
        // An exponent, unless it is the "em" of 2em.
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            var j = i + 1
            if j < text.count, text[j] == UInt8(ascii: "+") || text[j] == UInt8(ascii: "-") { j += 1 }
            if j < text.count, isDigit(text[j]) {
                i = j
                while isDigit(next) { i += 1 }
            }
        }
        let digits = String(decoding: text[start..<i], as: UTF8.self)
        guard let n = cssNumber(digits) else {
            guard inCalc else { throw Failure.notAnExpression }
            throw Failure.wrong("\(Quoted.text(String(decoding: text[start...].prefix(20), as: UTF8.self))) is no value")
        }
        if next == UInt8(ascii: "%") { throw Failure.percent(digits) }
        let unitStart = i
        while isLetter(next) { i += 1 }
        let unit = String(decoding: text[unitStart..<i], as: UTF8.self)
        if unit.isEmpty || isAngle && unit == "deg" { return Operand(calculation: .number(n), isLength: false) }
        guard let known = LengthUnit(rawValue: unit) else { throw Failure.unit(unit, after: digits) }
        return Operand(calculation: .length(known == .px ? n * scale : n, known), isLength: true)
    }
}
