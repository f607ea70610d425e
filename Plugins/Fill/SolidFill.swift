import LabelpipeKit

/// Paints a mask or a shape in one colour; a translucent colour leaves what lies below visible.
///
/// alpha(p) = color.alpha × coverage(p). Colour glyphs (emoji) keep their own colours.
///
///     [ { "effect": "text.mask", "text": "Sale" }, { "effect": "fill.solid", "color": "#3B7DD8" } ]
///
/// **See also**: `fill.gradient`, `fill.image`.
struct SolidFill: Effect {
    static let declaration = EffectDeclaration(
        id: "fill.solid",
        summary: "Paints a mask or shape in one colour.",
        inputs: [Input("input", .coverage, doc: "the mask or shape that is painted")],
        output: .colour,
        parameters: [color],
        idle: [],
        example: """
            [ { "effect": "shape.rectangle", "size": [96, 48], "radius": 8 }, { "effect": "fill.solid", "color": "#3B7DD8" } ]
            """)

    private static let color = Parameter<Color>.color("color", default: "black", doc: "the colour")

    private let color: Color

    init(_ arguments: Arguments) { color = arguments[Self.color] }

    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.layer.painted { _ in .color(color) } }
}
