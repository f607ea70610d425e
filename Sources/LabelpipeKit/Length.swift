/// A unit of length in a document.
public enum LengthUnit: String, CaseIterable, Hashable, Sendable {
    case px, vmin, vmax, vw, vh, em, mm, cm, `in`, pt

    /// A percentage of a side of the picture: without meaning where there is none.
    public var isOfBase: Bool {
        switch self {
        case .vmin, .vmax, .vw, .vh: true
        case .px, .em, .mm, .cm, .in, .pt: false
        }
    }

    /// A measure on paper: by the picture's resolution.
    public var isOfPaper: Bool {
        switch self {
        case .mm, .cm, .in, .pt: true
        case .px, .em, .vmin, .vmax, .vw, .vh: false
        }
    }
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
        case .mm: resolution / 25.4
        case .cm: resolution / 2.54
        case .in: resolution
        case .pt: resolution / 72
        }
    }

    /// Dots per inch; no picture has none, like a picture that does not say.
    private var resolution: Double { base?.resolution ?? 72 }
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
