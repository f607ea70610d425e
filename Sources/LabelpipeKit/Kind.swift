/// What may be written for a parameter.
public indirect enum Kind: Hashable, Sendable {
    /// Text; `{ "template": "…" }` may stand for it.
    case string
    /// Text that is a template itself: in documents' own parameters and outputs, never in effects.
    case template
    case number
    case integer
    case boolean
    /// In px once resolved; written with a unit, or as a number of px.
    case length
    /// A length whose em is the node's own text size, known only to the effect.
    case ownLength
    case color
    case paint
    case insets
    /// Two fractions of a box.
    case point
    /// Two lengths.
    case offset
    /// Two lengths of which either may be null.
    case size
    case anchor
    /// Degrees, clockwise on screen.
    case angle
    case path
    case choice([String])
    case list(Kind)
    /// An object of numbers by name (a font's axes).
    case numbers
    /// An object of templates by name.
    case templates
    case either([Kind])

    /// As messages and tables name it: "a length", "one of round, miter, bevel".
    public var phrase: String {
        switch self {
        case .string: "text"
        case .template: "text or a template"
        case .number: "a number"
        case .integer: "an integer"
        case .boolean: "true or false"
        case .length, .ownLength: "a length"
        case .color: "a color"
        case .paint: "a paint (a color or a gradient)"
        case .insets: "insets (a length, or an object of top, left, bottom, right)"
        case .point: "a point [x, y]"
        case .offset: "an offset [x, y]"
        case .size: "a size [width, height]"
        case .anchor: "an anchor"
        case .angle: "an angle in degrees"
        case .path: "a path"
        case .choice(let names): names.count == 1 ? "\"\(names[0])\"" : "one of " + names.joined(separator: ", ")
        case .list(let kind): "a list, each \(kind.phrase)"
        case .numbers: "an object of numbers"
        case .templates: "an object of templates"
        case .either(let kinds): kinds.map(\.phrase).joined(separator: " or ")
        }
    }

    /// The one word that a document's own `parameters` write for it.
    public var name: String {
        switch self {
        case .string: "string"
        case .template: "template"
        case .number: "number"
        case .integer: "integer"
        case .boolean: "boolean"
        case .length, .ownLength: "length"
        case .color: "color"
        case .paint: "paint"
        case .insets: "insets"
        case .point: "point"
        case .offset: "offset"
        case .size: "size"
        case .anchor: "anchor"
        case .angle: "angle"
        case .path: "path"
        case .choice(let names): names.joined(separator: "│")
        case .list(let kind): "list of \(kind.name)"
        case .numbers, .templates: "object"
        case .either(let kinds): kinds.map(\.name).joined(separator: " or ")
        }
    }

    /// Whether its numbers are px.
    public var isLength: Bool {
        switch self {
        case .length, .ownLength, .insets, .offset, .size: true
        case .list(let kind): kind.isLength
        case .either(let kinds): kinds.contains(where: \.isLength)
        default: false
        }
    }

    /// What every number of this kind must lie in, whatever the declaration says: beyond it nothing can be drawn.
    ///
    /// **Source**: libvips' largest picture for lengths, a double's whole numbers for integers.
    public var bounds: ClosedRange<Double> {
        if isLength { return -10_000_000...10_000_000 }
        switch self {
        case .integer: return -9_007_199_254_740_991...9_007_199_254_740_991
        case .list(let kind): return kind.bounds
        case .either(let kinds): return kinds.contains(.integer) ? Kind.integer.bounds : Kind.number.bounds
        default: return -1_000_000_000...1_000_000_000
        }
    }
}
