/// Arithmetic on lengths and numbers, as CSS's `calc()` means it.
public indirect enum Calculation: Hashable, Sendable {
    case number(Double)
    case length(Double, LengthUnit)
    case sum(Calculation, Calculation)
    case difference(Calculation, Calculation)
    case product(Calculation, Calculation)
    case quotient(Calculation, Calculation)
    case minimum([Calculation])
    case maximum([Calculation])
    case clamp(low: Calculation, value: Calculation, high: Calculation)
    /// The value of a document's parameter, which has to lie in the range declared for it.
    case limited(Calculation, ClosedRange<Double>, parameter: String)

    /// Why there is no value.
    public enum Failure: Error, Hashable, Sendable {
        /// Nothing is there that the unit is measured by.
        case unmeasurable(LengthUnit)
        /// A document's parameter came to a value that its declaration does not allow.
        case outOfRange(Double, ClosedRange<Double>, parameter: String)
    }

    /// px, or the plain number.
    ///
    /// **Cost**: that of its terms, of which a document's expression has at most 256.
    public func value(_ measures: Measures) throws(Failure) -> Double {
        switch self {
        case .number(let n): return n
        case .length(let n, let unit):
            if n == 0 { return 0 }
            guard let px = measures.px(per: unit) else { throw .unmeasurable(unit) }
            return n * px
        case .sum(let a, let b): return try a.value(measures) + b.value(measures)
        case .difference(let a, let b): return try a.value(measures) - b.value(measures)
        case .product(let a, let b): return try a.value(measures) * b.value(measures)
        case .quotient(let a, let b): return try a.value(measures) / b.value(measures)
        case .minimum(let all):
            var least = Double.infinity
            for one in all { least = min(least, try one.value(measures)) }
            return least
        case .maximum(let all):
            var most = -Double.infinity
            for one in all { most = max(most, try one.value(measures)) }
            return most
        case .clamp(let low, let value, let high):
            // CSS: the lower bound wins.
            return max(try low.value(measures), min(try value.value(measures), try high.value(measures)))
        case .limited(let calculation, let range, let parameter):
            let n = try calculation.value(measures)
            guard range.contains(n) else { throw .outOfRange(n, range, parameter: parameter) }
            return n
        }
    }

    /// What it is made of.
    private var operands: [Calculation] {
        switch self {
        case .number, .length: []
        case .sum(let a, let b), .difference(let a, let b), .product(let a, let b), .quotient(let a, let b): [a, b]
        case .minimum(let all), .maximum(let all): all
        case .clamp(let a, let b, let c): [a, b, c]
        case .limited(let calculation, _, _): [calculation]
        }
    }

    /// The units it is written in.
    public var units: Set<LengthUnit> {
        if case .length(let n, let unit) = self { return n == 0 ? [] : [unit] }
        return operands.reduce(into: []) { $0.formUnion($1.units) }
    }

    /// The same where nobody checks the ranges of parameters any more.
    package var withoutLimits: Calculation {
        switch self {
        case .number, .length: self
        case .sum(let a, let b): .sum(a.withoutLimits, b.withoutLimits)
        case .difference(let a, let b): .difference(a.withoutLimits, b.withoutLimits)
        case .product(let a, let b): .product(a.withoutLimits, b.withoutLimits)
        case .quotient(let a, let b): .quotient(a.withoutLimits, b.withoutLimits)
        case .minimum(let all): .minimum(all.map(\.withoutLimits))
        case .maximum(let all): .maximum(all.map(\.withoutLimits))
        case .clamp(let a, let b, let c): .clamp(low: a.withoutLimits, value: b.withoutLimits, high: c.withoutLimits)
        case .limited(let calculation, _, _): calculation.withoutLimits
        }
    }

    /// How many numbers and lengths it is made of.
    package var terms: Int { max(1, operands.reduce(0) { $0 + $1.terms }) }

    /// The value where no unit needs measuring; nil also where a parameter is out of its range.
    package var constant: Double? {
        switch self {
        case .number(let n), .length(let n, .px): return n
        case .length(let n, _): return n == 0 ? 0 : nil
        default: break
        }
        let needsMeasures = units.contains { $0 != .px }
        return needsMeasures ? nil : try? value(Measures(base: nil, em: nil))
    }
}

// What is known at once is calculated at once: a long sum of px is one number, however long it is.
extension Calculation {
    package static func + (a: Calculation, b: Calculation) -> Calculation {
        combined(a, b, +) ?? .sum(a, b)
    }

    package static func - (a: Calculation, b: Calculation) -> Calculation {
        combined(a, b, -) ?? .difference(a, b)
    }

    package static func * (a: Calculation, b: Calculation) -> Calculation {
        switch (a, b) {
        case (.number(let a), .number(let b)): .number(a * b)
        case (.number(let a), .length(let b, let unit)): .length(a * b, unit)
        case (.length(let a, let unit), .number(let b)): .length(a * b, unit)
        default: .product(a, b)
        }
    }

    package static func / (a: Calculation, b: Calculation) -> Calculation {
        switch (a, b) {
        case (.number(let a), .number(let b)): .number(a / b)
        case (.length(let a, let unit), .number(let b)): .length(a / b, unit)
        default: .quotient(a, b)
        }
    }

    package static func least(_ all: [Calculation]) -> Calculation {
        all.dropFirst().reduce(Optional(all[0])) { known, next in known.flatMap { combined($0, next, min) } } ?? .minimum(all)
    }

    package static func greatest(_ all: [Calculation]) -> Calculation {
        all.dropFirst().reduce(Optional(all[0])) { known, next in known.flatMap { combined($0, next, max) } } ?? .maximum(all)
    }

    /// Of two numbers, or two lengths in one unit.
    private static func combined(_ a: Calculation, _ b: Calculation, _ apply: (Double, Double) -> Double) -> Calculation? {
        switch (a, b) {
        case (.number(let a), .number(let b)): .number(apply(a, b))
        case (.length(let a, let unit), .length(let b, let other)) where unit == other: .length(apply(a, b), unit)
        default: nil
        }
    }
}
