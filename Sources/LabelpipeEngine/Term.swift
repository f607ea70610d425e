import Diagnostics
import LabelpipeKit
import Outline

/// A value as far as the document alone decides it: lengths in relative units and templates are still open.
indirect enum Term: Sendable {
    case value(Value)
    /// A number, or a length in px.
    case scalar(Calculation)
    /// A length of the node's own text.
    case own(Calculation)
    case insets(top: Calculation, left: Calculation, bottom: Calculation, right: Calculation)
    case offset(Calculation, Calculation)
    case size(Calculation?, Calculation?)
    case list([Term])
    case object([String: Term])
    /// A gradient's keys.
    case gradient([String: Term], JSONPointer)
    /// Text whose fields belong to the scope that wrote it.
    case text(Template, Scope)
    /// Text whose fields decide a value of another kind.
    case late(Template, Scope, ParameterDeclaration)
}

extension Term {
    /// The terms inside it.
    var parts: [Term] {
        switch self {
        case .list(let all): all
        case .object(let all), .gradient(let all, _): Array(all.values)
        case .value, .scalar, .own, .insets, .offset, .size, .text, .late: []
        }
    }

    /// The numbers and lengths of it that a range limits.
    var scalars: [Calculation] {
        switch self {
        case .scalar(let c), .own(let c): [c]
        case .insets(let a, let b, let c, let d): [a, b, c, d]
        case .offset(let a, let b): [a, b]
        case .size(let a, let b): [a, b].compactMap { $0 }
        case .list, .object: parts.flatMap(\.scalars)
        case .value(.point(let x, let y)): [.number(x), .number(y)]
        case .value, .gradient, .text, .late: []
        }
    }

    /// The templates in it, with the scopes that wrote them.
    var templates: [(Template, Scope)] {
        switch self {
        case .text(let template, let scope), .late(let template, let scope, _): [(template, scope)]
        default: parts.flatMap(\.templates)
        }
    }

    /// The units that are measured when the term is resolved; an own length's em is its own.
    var units: Set<LengthUnit> {
        switch self {
        case .own(let c): c.units.subtracting([.em])
        case .scalar, .insets, .offset, .size: scalars.reduce(into: []) { $0.formUnion($1.units) }
        default: parts.reduce(into: []) { $0.formUnion($1.units) }
        }
    }

    /// Whether it has the same value for every picture and text.
    var isConstant: Bool {
        switch self {
        case .value: true
        case .own(let c): c.units.allSatisfy { $0 == .px || $0 == .em }
        case .scalar, .insets, .offset, .size: scalars.allSatisfy { $0.constant != nil }
        case .list, .object, .gradient: parts.allSatisfy(\.isConstant)
        case .text, .late: false
        }
    }
}

/// What a node may depend on besides the document.
public struct Dependence: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The size of the picture or base.
    public static let size = Dependence(rawValue: 1)
    /// The picture's resolution.
    public static let resolution = Dependence(rawValue: 2)
    /// Names, rows, dates and metadata in templates.
    public static let metadata = Dependence(rawValue: 4)
    /// The picture's pixels.
    public static let pixels = Dependence(rawValue: 8)

    /// The names of what it depends on, empty for nothing.
    public var names: [String] {
        var names: [String] = []
        if contains(.size) { names.append("size") }
        if contains(.resolution) { names.append("resolution") }
        if contains(.metadata) { names.append("metadata") }
        if contains(.pixels) { names.append("pixels") }
        return names
    }
}

extension Term {
    var dependence: Dependence {
        var dependence: Dependence = []
        for unit in units {
            if unit.isOfBase { dependence.insert(.size) }
            if unit.isOfPaper { dependence.insert(.resolution) }
        }
        if !templates.isEmpty { dependence.insert(.metadata) }
        return dependence
    }
}
