import LabelpipeKit
import Outline

/// The box that a shape fills: of a given size, or round another layer. Rectangle and ellipse share its keys.
struct ShapeBox {
    static let around = Input("around", .either, .optional, doc: "the layer that the shape lies round, at its place")
    static let size = Parameter<PartialSize>.size("size", range: 0...10_000_000, doc: "width and height, the top left at (0, 0)")
        .optional
    static let insets = Parameter<Insets>.insets(
        "insets", doc: "room between the layer and the shape's edges, before it is grown to whole px"
    ).optional

    private let size: (width: Double, height: Double)?
    private let insets: Insets

    /// **Errors**: neither `size` nor `around`, or both; a size with an open side; insets of nothing.
    init(_ arguments: Arguments) throws {
        let isAround = arguments.kind(ofInput: Self.around.name) != nil
        let size = arguments[Self.size]
        insets = arguments[Self.insets] ?? .zero
        switch (size, isAround) {
        case (nil, false):
            throw arguments.problem(Self.size, expected: "a size, or a layer to lie around", got: "neither")
        case (.some, true):
            throw arguments.problem(
                Self.size, expected: "either a size or a layer to lie around", got: "both",
                help: "in a chain the step before is the layer that the shape lies around")
        case (let size?, false):
            guard let width = size.width, let height = size.height else {
                throw arguments.problem(Self.size, expected: "a width and a height", got: "null")
            }
            if arguments.isWritten(Self.insets) {
                throw arguments.problem(Self.insets, expected: "insets only with a layer to lie around", got: "insets and a size")
            }
            self.size = (width, height)
        case (nil, true): self.size = nil
        }
    }

    /// The box on the plane; round a layer it is grown outwards to whole px.
    ///
    /// **Errors**: negative insets that leave nothing.
    func rect(around layer: Layer?) throws -> Rect {
        if let size { return Rect(x: 0, y: 0, width: size.width, height: size.height) }
        guard let layer else { return .zero }
        let box = layer.frame.inset(by: -insets)
        guard box.width >= 0, box.height >= 0 else {
            throw DrawingError("negative-size", .picture, "the insets leave a shape of \(box.width) × \(box.height) px")
        }
        return box.roundedOut.rect
    }

    /// A shape of this outline; text upstream stays known.
    func layer(_ outline: Outline, in rect: Rect, around layer: Layer?) -> Layer {
        Layer(.outline(outline), outline: outline, frame: rect, text: layer?.text)
    }
}
