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

    /// Lengths that belong to a default: where a unit has no meaning this many px hold.
    struct Otherwise: Sendable, Hashable { let px: Double }
}

/// A term under the declaration it was checked against, for messages at the time it is resolved.
struct Argument: Sendable {
    let declaration: ParameterDeclaration
    let term: Term
    /// As the document wrote it; nil for a default.
    let written: JSONValue?
    let pointer: JSONPointer
    let file: String?
}

extension [Argument] {
    /// The parameters that the document gives a value.
    var written: Set<String> { Set(compactMap { $0.written == nil ? nil : $0.declaration.name }) }
}

/// What a term may depend on besides the document.
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

    /// "nothing", or the names of what it depends on.
    public var names: [String] {
        var names: [String] = []
        if contains(.size) { names.append("size") }
        if contains(.resolution) { names.append("resolution") }
        if contains(.metadata) { names.append("metadata") }
        if contains(.pixels) { names.append("pixels") }
        return names
    }
}

extension Calculation {
    var dependence: Dependence {
        var dependence: Dependence = []
        for unit in units {
            switch unit {
            case .px, .em: break
            case .vmin, .vmax, .vw, .vh: dependence.insert(.size)
            case .mm, .cm, .in, .pt: dependence.insert(.resolution)
            }
        }
        return dependence
    }

    /// The value where no unit needs measuring.
    var constant: Double? { try? value(Measures(base: nil, em: nil)) }
}

extension Term {
    var dependence: Dependence {
        switch self {
        case .value: []
        case .scalar(let c), .own(let c): c.dependence
        case .insets(let a, let b, let c, let d):
            a.dependence.union(b.dependence).union(c.dependence).union(d.dependence)
        case .offset(let a, let b): a.dependence.union(b.dependence)
        case .size(let a, let b): (a?.dependence ?? []).union(b?.dependence ?? [])
        case .list(let all): all.reduce(into: []) { $0.formUnion($1.dependence) }
        case .object(let all), .gradient(let all, _): all.values.reduce(into: []) { $0.formUnion($1.dependence) }
        case .text(let template, _), .late(let template, _, _): template.fields.isEmpty ? [] : .metadata
        }
    }

    /// The numbers of it that a range limits.
    var scalars: [Calculation] {
        switch self {
        case .scalar(let c), .own(let c): [c]
        case .insets(let a, let b, let c, let d): [a, b, c, d]
        case .offset(let a, let b): [a, b]
        case .size(let a, let b): [a, b].compactMap { $0 }
        case .list(let all): all.flatMap(\.scalars)
        case .object(let all): all.values.flatMap(\.scalars)
        case .value, .gradient, .text, .late: []
        }
    }

    /// What `when` takes for "no": false, 0, only zeros, fully transparent, an empty text or list. nil: only the
    /// picture can tell.
    var isTruthy: Bool? {
        switch self {
        case .value(.boolean(let b)): return b
        case .value(.string(let s)): return !s.isEmpty
        case .value(.color(let c)): return !c.isTransparent
        case .value(.paint(let p)): return !p.isTransparent
        case .value(.number(let n)): return n != 0
        case .value(.point(let x, let y)): return x != 0 || y != 0
        case .value: return true
        case .list(let all): return !all.isEmpty
        case .object(let all): return !all.isEmpty
        case .gradient(let keys, _):
            guard case .list(let colors)? = keys["colors"] else { return true }
            return keys["over"] != nil || colors.contains { $0.isTruthy != false }
        case .text(let template, _): return template.constant.map { !$0.isEmpty }
        case .late: return nil
        case .scalar, .own, .insets, .offset, .size:
            // Any base will do to tell zero from not zero.
            let measures = Measures(base: Context.Base(width: 1009, height: 757, resolution: 72), em: 17)
            return scalars.contains { ((try? $0.value(measures)) ?? 1) != 0 }
        }
    }
}
