import Diagnostics
import Outline

/// A parameter's facts, declared once: checks, messages, help, schema and tables are all made from this.
public struct ParameterDeclaration: Sendable {
    public enum Presence: Sendable {
        /// The document has to write it.
        case required
        /// What holds where the document writes nothing, as the document would write it.
        case defaulted(JSONValue)
        /// As `defaulted`, for a default in a unit that may have no meaning (em without text): then so many px.
        case relative(JSONValue, otherwise: Double)
        /// Without it the effect behaves as its `doc` says.
        case optional
    }

    public let name: String
    public let kind: Kind
    public let presence: Presence
    /// Inclusive; lengths in px, applied to each number of the value.
    public let range: ClosedRange<Double>?
    /// What a picture is too small for (4vmin of 10 px) may come below the range: the effect then draws nothing and says so.
    public let mayVanish: Bool
    /// Words that stand elsewhere for some of its numbers, in lower case without blanks and hyphens; only suggestions use them.
    public let words: [String: Int]
    public let doc: String

    public init(
        _ name: String, _ kind: Kind, _ presence: Presence, range: ClosedRange<Double>? = nil, mayVanish: Bool = false,
        words: [String: Int] = [:], doc: String
    ) {
        (self.name, self.kind, self.presence) = (name, kind, presence)
        (self.range, self.mayVanish, self.words, self.doc) = (range, mayVanish, words, doc)
    }

    public var isRequired: Bool { if case .required = presence { true } else { false } }

    /// The default as a document would write it, nil where there is none.
    public var defaultValue: JSONValue? {
        switch presence {
        case .required, .optional: nil
        case .defaulted(let value), .relative(let value, _): value
        }
    }
}

/// A declaration together with the Swift type its value has in an effect.
public struct Parameter<Content>: Sendable {
    public let declaration: ParameterDeclaration
    /// Only called with values that the declaration's kind admits.
    let read: @Sendable (Value) -> Content
    let absent: (@Sendable () -> Content)?

    init(_ declaration: ParameterDeclaration, read: @escaping @Sendable (Value) -> Content) {
        self.init(declaration, absent: nil, read: read)
    }

    private init(
        _ declaration: ParameterDeclaration, absent: (@Sendable () -> Content)?,
        read: @escaping @Sendable (Value) -> Content
    ) {
        (self.declaration, self.absent, self.read) = (declaration, absent, read)
    }

    /// The same parameter, which a document may leave out.
    public var optional: Parameter<Content?> {
        let d = declaration
        let read = self.read
        return Parameter<Content?>(
            ParameterDeclaration(
                d.name, d.kind, .optional, range: d.range, mayVanish: d.mayVanish, words: d.words, doc: d.doc),
            absent: { nil }, read: { read($0) })
    }
}

private func presence(_ value: JSONValue?, _ otherwise: Double? = nil) -> ParameterDeclaration.Presence {
    guard let value else { return .required }
    return otherwise.map { .relative(value, otherwise: $0) } ?? .defaulted(value)
}

/// A value of another kind than the declaration's can only come from the engine: a mistake of ours.
private func mismatch(_ value: Value) -> Never { preconditionFailure("unchecked value \(value)") }

extension Value {
    fileprivate var double: Double { if case .number(let n) = self { n } else { mismatch(self) } }
    fileprivate var text: String { if case .string(let s) = self { s } else { mismatch(self) } }
}

extension RawRepresentable where RawValue == String {
    fileprivate static func named(_ value: Value) -> Self {
        if let known = Self(rawValue: value.text) { known } else { mismatch(value) }
    }
}

// A parameter without a default and not marked `.optional` is required.

extension Parameter where Content == Double {
    /// A length, in px once resolved. `otherwise`: px where the default's unit has no meaning.
    public static func length(
        _ name: String, default value: JSONValue? = nil, otherwise: Double? = nil,
        range: ClosedRange<Double>? = nil, mayVanish: Bool = false, doc: String
    ) -> Self {
        Self(.init(name, .length, presence(value, otherwise), range: range, mayVanish: mayVanish, doc: doc)) { $0.double }
    }

    public static func number(
        _ name: String, default value: JSONValue? = nil, range: ClosedRange<Double>? = nil, doc: String
    ) -> Self {
        Self(.init(name, .number, presence(value), range: range, doc: doc)) { $0.double }
    }

    public static func angle(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .angle, presence(value), doc: doc)) { $0.double }
    }
}

extension Parameter where Content == OwnLength {
    /// A length that may be in em of the very text it belongs to.
    public static func ownLength(
        _ name: String, default value: JSONValue? = nil, range: ClosedRange<Double>? = nil, doc: String
    ) -> Self {
        Self(.init(name, .ownLength, presence(value), range: range, doc: doc)) {
            if case .length(let l) = $0 { l } else { mismatch($0) }
        }
    }
}

extension Parameter where Content == Int {
    /// `words`: what stands elsewhere for some of the numbers; see `ParameterDeclaration`.
    public static func integer(
        _ name: String, default value: JSONValue? = nil, range: ClosedRange<Double>? = nil, words: [String: Int] = [:],
        doc: String
    ) -> Self {
        Self(.init(name, .integer, presence(value), range: range, words: words, doc: doc)) { Int($0.double) }
    }
}

extension Parameter where Content == Bool {
    public static func boolean(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .boolean, presence(value), doc: doc)) {
            if case .boolean(let b) = $0 { b } else { mismatch($0) }
        }
    }
}

extension Parameter where Content == String {
    /// Text; the effect sees a template filled in.
    public static func string(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .string, presence(value), doc: doc)) { $0.text }
    }

    /// A file's path, absolute once resolved.
    public static func path(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .path, presence(value), doc: doc)) { $0.text }
    }
}

extension Parameter where Content == Color {
    public static func color(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .color, presence(value), doc: doc)) { if case .color(let c) = $0 { c } else { mismatch($0) } }
    }
}

extension Parameter where Content == PaintValue {
    public static func paint(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .paint, presence(value), doc: doc)) { if case .paint(let p) = $0 { p } else { mismatch($0) } }
    }
}

extension Parameter where Content == Insets {
    public static func insets(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .insets, presence(value), doc: doc)) { if case .insets(let i) = $0 { i } else { mismatch($0) } }
    }
}

extension Parameter where Content == Point {
    /// Two fractions of a box, (0, 0) its top left.
    public static func point(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .point, presence(value), doc: doc)) {
            if case .point(let x, let y) = $0 { Point(x: x, y: y) } else { mismatch($0) }
        }
    }
}

extension Parameter where Content == Vector {
    /// Two lengths, px once resolved.
    public static func offset(
        _ name: String, default value: JSONValue? = nil, otherwise: Double? = nil, doc: String
    ) -> Self {
        Self(.init(name, .offset, presence(value, otherwise), doc: doc)) {
            if case .offset(let v) = $0 { v } else { mismatch($0) }
        }
    }
}

extension Parameter where Content == PartialSize {
    public static func size(
        _ name: String, default value: JSONValue? = nil, range: ClosedRange<Double>? = nil, doc: String
    ) -> Self {
        Self(.init(name, .size, presence(value), range: range, doc: doc)) {
            if case .size(let s) = $0 { s } else { mismatch($0) }
        }
    }
}

extension Parameter where Content == Anchor {
    public static func anchor(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .anchor, presence(value), doc: doc)) { Anchor.named($0) }
    }
}

extension Parameter where Content: RawRepresentable & CaseIterable & Sendable, Content.RawValue == String {
    /// One of the names of an enumeration.
    public static func choice(_ name: String, default value: JSONValue? = nil, doc: String) -> Self {
        Self(.init(name, .choice(Content.allCases.map(\.rawValue)), presence(value), doc: doc)) {
            Content.named($0)
        }
    }
}

extension Parameter where Content == Value {
    /// A parameter of any kind; the effect takes the value apart itself.
    public static func value(
        _ name: String, _ kind: Kind, default value: JSONValue? = nil, range: ClosedRange<Double>? = nil, doc: String
    ) -> Self {
        Self(.init(name, kind, presence(value), range: range, doc: doc)) { $0 }
    }
}

extension Parameter {
    /// A list of what `element` is.
    public static func list<Element>(of element: Parameter<Element>, default value: JSONValue? = nil) -> Self
    where Content == [Element] {
        let d = element.declaration
        let read = element.read
        return Self(.init(d.name, .list(d.kind), presence(value), range: d.range, doc: d.doc)) {
            if case .list(let values) = $0 { values.map(read) } else { mismatch($0) }
        }
    }
}

/// A parameter whose Swift type is forgotten: what a declaration lists.
public protocol AnyParameter: Sendable {
    var declaration: ParameterDeclaration { get }
}

extension Parameter: AnyParameter {}

/// The checked values an effect is made from, and what is known of the node besides.
public struct Arguments: Sendable {
    private let values: [String: Value]
    private let written: Set<String>
    private let inputs: [String: LayerKind]
    private let pointer: JSONPointer

    /// `values` must satisfy the declarations of the effect; absent optional parameters are left out.
    ///
    /// - Parameters:
    ///   - written: the parameters that the document gives a value; nil: all that have one.
    ///   - inputs: the inputs that something is connected to, and the kind of the first layer there.
    public init(
        _ values: [String: Value], written: Set<String>? = nil, inputs: [String: LayerKind] = [:],
        at pointer: JSONPointer = .root
    ) {
        (self.values, self.written) = (values, written ?? Set(values.keys))
        (self.inputs, self.pointer) = (inputs, pointer)
    }

    public subscript<Content>(parameter: Parameter<Content>) -> Content {
        if let value = values[parameter.declaration.name] { return parameter.read(value) }
        guard let absent = parameter.absent else {
            preconditionFailure("\(parameter.declaration.name) is not optional and has no value")
        }
        return absent()
    }

    /// Whether the document, or a default, gives it a value.
    public func has(_ parameter: some AnyParameter) -> Bool { values[parameter.declaration.name] != nil }

    /// Whether the document gives it a value: for parameters that exclude each other, where a default is no statement.
    public func isWritten(_ parameter: some AnyParameter) -> Bool { written.contains(parameter.declaration.name) }

    /// The kind of layer that reaches an input; nil: nothing does.
    public func kind(ofInput name: String) -> LayerKind? { inputs[name] }

    /// Where the node stands in its document.
    public var node: JSONPointer { pointer }

    /// An error somewhere below the node, for effects whose parameters are not Swift's. Without `expected`, `got` is the
    /// whole sentence.
    ///
    /// - Parameter path: a JSON pointer from the node, `/colors/2`; one that is none is the node itself.
    package func problem(below path: String, expected: String?, got: String, help: String?) -> Diagnostic {
        let inner = (try? JSONPointer(parsing: path)) ?? .root
        return Diagnostic(
            "bad-value", pointer: pointer.appending(inner), message: expected == nil ? got : nil, expected: expected,
            got: expected == nil ? nil : got, help: help.map { [$0] } ?? [])
    }

    /// An error at one of the effect's keys. `expected` and `got` follow the shape of every message.
    public func problem(_ parameter: some AnyParameter, expected: String, got: String, help: String? = nil) -> Diagnostic {
        Diagnostic(
            "bad-value", pointer: pointer.appending(parameter.declaration.name), expected: expected, got: got,
            help: help.map { [$0] } ?? [])
    }
}
