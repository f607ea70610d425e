import Diagnostics
import LabelpipeKit

/// Reads lengths, numbers and angles: `12px`, `4vmin`, `min(…)`, `calc(1em - $gap.x * 2)`.
///
/// **Source**: CSS Values and Units Level 4, "Mathematical Expressions".
struct ExpressionReader {
    struct Failure: Error {
        let message: String
        var suggestion: String?
        var help: String?
    }

    /// An expression that uses an absent parameter is absent.
    struct Absent: Error {}

    /// An operand with what CSS calls its type.
    struct Operand {
        var calculation: Calculation
        var isLength: Bool
    }

    private let text: [Character]
    private var i = 0
    private let scale: Double
    private var depth = 0
    /// The operand for `$name` or `$name.part`.
    private let parameter: (_ name: String, _ part: String?) throws -> Operand

    init(
        _ text: String, scale: Double, parameter: @escaping (_ name: String, _ part: String?) throws -> Operand
    ) {
        self.text = Array(text)
        self.scale = scale
        self.parameter = parameter
    }

    /// The whole text as one value.
    mutating func read() throws -> Operand {
        skip()
        let operand = try value()
        skip()
        guard i == text.count else {
            let rest = String(text[i...])
            if rest.first == "%" {
                throw Failure(message: "% is not a unit", suggestion: nil, help: "did you mean \(String(text[..<i]))vmin or \(String(text[..<i]))vw?")
            }
            throw Failure(message: "\"\(rest)\" after the value")
        }
        return operand
    }

    /// A bare number among lengths is px.
    func asLength(_ operand: Operand) -> Operand {
        guard !operand.isLength else { return operand }
        if case .number(let n) = operand.calculation {
            return Operand(calculation: .length(n * scale, .px), isLength: true)
        }
        return Operand(calculation: .product(operand.calculation, .length(scale, .px)), isLength: true)
    }

    private mutating func skip() { while i < text.count, text[i].isWhitespace { i += 1 } }

    private func alike(_ operands: [Operand]) -> [Operand] {
        operands.contains(where: \.isLength) ? operands.map(asLength) : operands
    }

    private mutating func sum() throws -> Operand {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 64 else { throw Failure(message: "more than 64 levels of brackets") }
        var left = try product()
        while true {
            let before = i
            skip()
            guard i < text.count, text[i] == "+" || text[i] == "-" else { return left }
            let sign = text[i]
            guard i > before, i + 1 < text.count, text[i + 1].isWhitespace else {
                throw Failure(message: "\(sign) needs a blank on both sides")
            }
            i += 1
            skip()
            let pair = alike([left, try product()])
            left = Operand(
                calculation: sign == "+"
                    ? .sum(pair[0].calculation, pair[1].calculation) : .difference(pair[0].calculation, pair[1].calculation),
                isLength: pair[0].isLength)
        }
    }

    private mutating func product() throws -> Operand {
        var left = try value()
        while true {
            let before = i
            skip()
            guard i < text.count, text[i] == "*" || text[i] == "/" else {
                i = before
                return left
            }
            let sign = text[i]
            i += 1
            skip()
            let right = try value()
            if sign == "*" {
                if left.isLength, right.isLength { throw Failure(message: "a length times a length") }
                left = Operand(
                    calculation: .product(left.calculation, right.calculation), isLength: left.isLength || right.isLength)
            } else {
                if right.isLength { throw Failure(message: "division by a length") }
                if right.calculation.constant == 0 { throw Failure(message: "division by 0") }
                left = Operand(calculation: .quotient(left.calculation, right.calculation), isLength: left.isLength)
            }
        }
    }

    private mutating func value() throws -> Operand {
        guard i < text.count else { throw Failure(message: "nothing where a value is expected") }
        let c = text[i]
        if c == "(" {
            i += 1
            skip()
            let inner = try sum()
            try close()
            return inner
        }
        if c == "$" { return try named() }
        if c.isLetter { return try function() }
        return try number()
    }

    private mutating func close() throws {
        skip()
        guard i < text.count, text[i] == ")" else { throw Failure(message: "a missing )") }
        i += 1
    }

    private mutating func word() -> String {
        var word = ""
        while i < text.count, text[i].isLetter || text[i].isNumber || text[i] == "_" || text[i] == "-" {
            word.append(text[i])
            i += 1
        }
        return word
    }

    private mutating func named() throws -> Operand {
        i += 1
        // "$a-$b" has no blanks round the minus: a name may hold one, as ids do.
        let name = word()
        var part: String?
        if i < text.count, text[i] == "." {
            i += 1
            part = word()
        }
        return try parameter(name, part)
    }

    private mutating func function() throws -> Operand {
        let name = word()
        guard i < text.count, text[i] == "(" else { throw Failure(message: "\"\(name)\"") }
        i += 1
        skip()
        var arguments = [try sum()]
        skip()
        while i < text.count, text[i] == "," {
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
        case "calc" where calculations.count == 1: return operands[0]
        case "min": return Operand(calculation: .minimum(calculations), isLength: isLength)
        case "max": return Operand(calculation: .maximum(calculations), isLength: isLength)
        case "clamp" where calculations.count == 3:
            return Operand(
                calculation: .clamp(low: calculations[0], value: calculations[1], high: calculations[2]),
                isLength: isLength)
        case "calc": throw Failure(message: "calc() takes one value, not \(calculations.count)")
        case "clamp": throw Failure(message: "clamp() takes low, value and high, not \(calculations.count) values")
        default:
            throw Failure(
                message: "the function \"\(name)\"",
                suggestion: Suggestions.nearest(to: name, in: ["min", "max", "clamp", "calc"]))
        }
    }

    private mutating func number() throws -> Operand {
        let start = i
        if i < text.count, text[i] == "+" || text[i] == "-" { i += 1 }
        while i < text.count, text[i].isASCII, text[i].isNumber { i += 1 }
        if i + 1 < text.count, text[i] == ".", text[i + 1].isNumber {
            i += 1
            while i < text.count, text[i].isASCII, text[i].isNumber { i += 1 }
        }
        // An exponent, unless it is the "em" of 2em.
        if i < text.count, text[i] == "e" || text[i] == "E" {
            var j = i + 1
            if j < text.count, text[j] == "+" || text[j] == "-" { j += 1 }
            if j < text.count, text[j].isNumber {
                while j < text.count, text[j].isASCII, text[j].isNumber { j += 1 }
                i = j
            }
        }
        let digits = String(text[start..<i])
        guard let n = Double(digits), n.isFinite else {
            throw Failure(message: "\"\(String(text[start...].prefix(20)))\"")
        }
        var unit = ""
        while i < text.count, text[i].isLetter {
            unit.append(text[i])
            i += 1
        }
        if unit.isEmpty { return Operand(calculation: .number(n), isLength: false) }
        if unit == "deg" { return Operand(calculation: .number(n), isLength: false) }
        guard let known = LengthUnit(rawValue: unit) else {
            throw Failure(
                message: "the unit \"\(unit)\"",
                suggestion: Suggestions.nearest(to: unit, in: LengthUnit.allCases.map(\.rawValue)).map { digits + $0 },
                help: "units: \(LengthUnit.allCases.map(\.rawValue).joined(separator: " "))")
        }
        return Operand(calculation: .length(known == .px ? n * scale : n, known), isLength: true)
    }
}
