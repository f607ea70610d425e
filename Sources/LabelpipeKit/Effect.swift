public import Diagnostics

/// What a layer is made of, as far as the rules of connecting nodes go.
public enum LayerKind: String, Sendable, Hashable {
    /// Where something is: not painted yet.
    case coverage
    /// What is seen.
    case colour
}

/// One connection point of an effect.
public struct Input: Sendable {
    public enum Accepts: String, Sendable { case coverage, colour, either }

    public enum Form: Sendable {
        case one
        /// One that may be missing.
        case optional
        /// A list of nodes.
        case many
        /// A list of nodes, or of `{ "layer": NODE }` with these parameters and `when`.
        case entries([any AnyParameter])
    }

    public let name: String
    public let accepts: Accepts
    public let form: Form
    /// The input that `vmin`, `vw`… of the nodes behind this one are measured by; nil: as outside.
    public let measuredBy: String?
    public let doc: String

    public init(
        _ name: String = "input", _ accepts: Accepts, _ form: Form = .one, measuredBy: String? = nil, doc: String
    ) {
        (self.name, self.accepts, self.form, self.measuredBy, self.doc) = (name, accepts, form, measuredBy, doc)
    }
}

/// The facts of an effect. Everything the user reads about it is made from these.
public struct EffectDeclaration: Sendable {
    public enum Output: Sendable { case coverage, colour, sameAsInput }

    public let id: String
    /// One sentence that a label designer understands.
    public let summary: String
    /// The first input is the one a chain feeds.
    public let inputs: [Input]
    public let output: Output
    /// Lays text out: its layers have a text size, and `em` has a meaning behind it.
    public let givesText: Bool
    /// Its result is still one of its inputs, but for what is drawn there; nil: it is something new.
    public let drawsOn: DrawnOn?
    public let parameters: [any AnyParameter]
    /// Settings with which it gives its first input as it is, each an object of parameters and inputs, null for one that is
    /// not written; of a list input, one layer alone is meant. Empty: it makes something else in any case; nil: not said.
    public let idle: [JSONValue]?
    /// A small document's `output` that shows it, as JSON text; drawn by `describe`, the README and a golden test.
    public let example: String

    public init(
        id: String, summary: String, inputs: [Input] = [], output: Output, givesText: Bool = false,
        drawsOn: DrawnOn? = nil, parameters: [any AnyParameter] = [], idle: [JSONValue]? = nil, example: String
    ) {
        (self.id, self.summary, self.inputs, self.output) = (id, summary, inputs, output)
        (self.givesText, self.drawsOn, self.parameters) = (givesText, drawsOn, parameters)
        (self.idle, self.example) = (idle, example)
    }

    /// The input that an effect draws on.
    public struct DrawnOn: Sendable {
        public let input: String
        /// Parameters that make something new of it, wherever they are written: what a saver cannot redo.
        public let unlessWritten: [String]

        public init(_ input: String, unlessWritten: [String] = []) {
            (self.input, self.unlessWritten) = (input, unlessWritten)
        }
    }
}

/// One kind of node: a value made from checked arguments, applied to layers.
///
/// Making an effect and applying it are cheap: layers are data, and pixels are made later, where they are
/// needed. An effect never clips, converts alpha or rounds on its own.
public protocol Effect: Sendable {
    static var declaration: EffectDeclaration { get }

    /// Picks its values. **Errors**: only relations between parameters; kinds and ranges have been checked.
    init(_ arguments: Arguments) throws

    /// The layer this node gives for its inputs.
    func apply(to inputs: Inputs, in context: Context) throws -> Layer
}

/// The layers that reach a node.
public struct Inputs: Sendable {
    /// An entry of a list input.
    public struct Entry: Sendable {
        public let layer: Layer
        public let arguments: Arguments
        public init(layer: Layer, arguments: Arguments) { (self.layer, self.arguments) = (layer, arguments) }
    }

    private let entries: [String: [Entry]]
    private let first: String

    public init(_ entries: [String: [Entry]], first: String) { (self.entries, self.first) = (entries, first) }

    /// The first input's layer; present for every effect whose first input is `.one`.
    public var layer: Layer { self[first] }

    /// An input of the form `.one`.
    public subscript(name: String) -> Layer {
        guard let layer = optional(name) else { preconditionFailure("input \(name) has not been checked") }
        return layer
    }

    public func optional(_ name: String) -> Layer? { entries[name]?.first?.layer }
    public func list(_ name: String) -> [Entry] { entries[name] ?? [] }
}

/// What surrounds a node while it is applied.
public struct Context: Sendable {
    /// The upright size and resolution of what lengths are measured by.
    public struct Base: Hashable, Sendable {
        /// px
        public var width, height: Double
        /// Dots per inch; 72 where the picture has none.
        public var resolution: Double
        public init(width: Double, height: Double, resolution: Double = 72) {
            (self.width, self.height, self.resolution) = (width, height, resolution)
        }
    }

    private let storedBase: Base?
    /// Told when an effect asks for the base: its layer is then not that of another base.
    private let baseIsRead: @Sendable () -> Void
    /// Opens the run's picture, for `image.source`: one page of it, counted from 1. `nil`: all pages.
    public let source: @Sendable (_ page: Int?) throws -> Picture
    /// Receives what the user should know.
    public let report: @Sendable (Note) -> Void

    /// Told of files that no document names and that what is drawn depends on all the same: fonts.
    package let uses: @Sendable (UsedFile) -> Void

    /// Nothing comes of this: it is only to find out what is missing before the first picture.
    package let isRehearsal: Bool

    public init(
        base: Base?, source: @escaping @Sendable (Int?) throws -> Picture, report: @escaping @Sendable (Note) -> Void
    ) {
        self.init(base: base, source: source, report: report, baseIsRead: {})
    }

    package init(
        base: Base?, isRehearsal: Bool = false, source: @escaping @Sendable (Int?) throws -> Picture,
        report: @escaping @Sendable (Note) -> Void, uses: @escaping @Sendable (UsedFile) -> Void = { _ in },
        baseIsRead: @escaping @Sendable () -> Void
    ) {
        (self.isRehearsal, self.uses) = (isRehearsal, uses)
        (storedBase, self.source, self.report, self.baseIsRead) = (base, source, report, baseIsRead)
    }

    public var base: Base? {
        baseIsRead()
        return storedBase
    }
}

/// A file that the machine has chosen.
package struct UsedFile: Hashable, Sendable {
    /// What of it: a face, drawn bold.
    package let name: String
    package let path: String
    package init(name: String, path: String) { (self.name, self.path) = (name, path) }
}

/// Something noticed while drawing that is not an error.
public struct Note: Hashable, Sendable {
    public enum Weight: String, Sendable {
        /// Fails the picture under `--strict`.
        case warning
        /// Only told.
        case note
    }

    /// Stable, kebab-case: `missing-glyph`.
    public let code: String
    public let weight: Weight
    public let message: String

    public init(_ weight: Weight, _ code: String, _ message: String) {
        (self.weight, self.code, self.message) = (weight, code, message)
    }
}

/// A failure while drawing one picture that is nobody's mistake in the document.
public struct DrawingError: Error, Sendable, Hashable {
    public enum Cause: String, Sendable {
        /// Something installed is missing: exit code 4.
        case missing
        /// The picture, or what this node does with it.
        case picture
    }

    public let code: String
    public let cause: Cause
    public let message: String
    public let help: String?
    /// The effect's parameter that it is about, where it is one's: messages stand at its value then.
    public let parameter: String?

    public init(_ code: String, _ cause: Cause, _ message: String, about parameter: String? = nil, help: String? = nil) {
        (self.code, self.cause, self.message, self.help, self.parameter) = (code, cause, message, help, parameter)
    }

    /// One that concerns the picture.
    public init(_ code: String, _ message: String, help: String? = nil) { self.init(code, .picture, message, help: help) }
}
