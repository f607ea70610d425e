import LabelpipeKit
import Outline

/// An ellipse of a given size, or round a layer's frame.
///
/// Round a layer it fills the box of that layer's frame, grown by `insets` and then outwards to whole px: the
/// corners of the frame lie outside it unless the insets make room.
///
///     { "effect": "shape.ellipse", "size": [48, 48] }
///
/// **See also**: `shape.rectangle`.
struct Ellipse: Effect {
    static let declaration = EffectDeclaration(
        id: "shape.ellipse",
        summary: "An ellipse, of a size or round a layer.",
        inputs: [ShapeBox.around],
        output: .coverage,
        parameters: [ShapeBox.size, ShapeBox.insets],
        example: """
            [ { "effect": "shape.ellipse", "size": [96, 48] }, { "effect": "fill.solid", "color": "#3B7DD8" } ]
            """)

    private let box: ShapeBox

    init(_ arguments: Arguments) throws { box = try ShapeBox(arguments) }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let around = inputs.optional(ShapeBox.around.name)
        let rect = try box.rect(around: around)
        return box.layer(Outline.ellipse(in: rect), in: rect, around: around)
    }
}
