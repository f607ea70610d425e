/// A unit of length in a document.
public enum LengthUnit: String, CaseIterable, Hashable, Sendable {
    case px, vmin, vmax, vw, vh, em, mm, cm, `in`, pt
}

/// What relative units are measured by; nil where a unit has no meaning.
public struct Measures: Hashable, Sendable {
    public var base: Context.Base?
    /// px to one em
    public var em: Double?

    public init(base: Context.Base?, em: Double?) { (self.base, self.em) = (base, em) }

    /// px to one `unit`.
    public func px(per unit: LengthUnit) -> Double? {
        switch unit {
        case .px: 1
        case .em: em
        case .vw: base.map { $0.width / 100 }
        case .vh: base.map { $0.height / 100 }
        case .vmin: base.map { min($0.width, $0.height) / 100 }
        case .vmax: base.map { max($0.width, $0.height) / 100 }
        case .mm: base.map { $0.resolution / 25.4 }
        case .cm: base.map { $0.resolution / 2.54 }
        case .in: base.map { $0.resolution }
        case .pt: base.map { $0.resolution / 72 }
        }
    }
}

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

    /// The unit that could not be measured.
    public struct Unmeasurable: Error, Hashable, Sendable {
        public let unit: LengthUnit
        public init(unit: LengthUnit) { self.unit = unit }
    }

    /// px, or the plain number.
    public func value(_ measures: Measures) throws(Unmeasurable) -> Double {
        switch self {
        case .number(let n): return n
        case .length(let n, let unit):
            guard let px = measures.px(per: unit) else { throw Unmeasurable(unit: unit) }
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
        }
    }

    /// The units it is written in.
    public var units: Set<LengthUnit> {
        switch self {
        case .number: []
        case .length(_, let unit): [unit]
        case .sum(let a, let b), .difference(let a, let b), .product(let a, let b), .quotient(let a, let b):
            a.units.union(b.units)
        case .minimum(let all), .maximum(let all): all.reduce(into: []) { $0.formUnion($1.units) }
        case .clamp(let a, let b, let c): a.units.union(b.units).union(c.units)
        }
    }
}

/// A length whose em is only known inside the effect: the size of a text that is being fitted.
public struct OwnLength: Hashable, Sendable {
    let calculation: Calculation
    let base: Context.Base?

    package init(_ calculation: Calculation, base: Context.Base?) {
        (self.calculation, self.base) = (calculation, base)
    }

    /// px, where one em is `em` px. Units that have no meaning have been refused before.
    public func px(em: Double) -> Double { (try? calculation.value(Measures(base: base, em: em))) ?? 0 }
}
