import LabelpipeKit

/// Paints a mask or a shape with colours that change along a line, around a centre, or with the angle.
///
/// Colour i of n stands at i/(n−1), or at `stops`, along the axis from `start` to `end`: fractions of `box`, the axis
/// being the line between them in px. Between two stops each component is interpolated on its own, on straight
/// (not premultiplied) values of `space`; beyond both ends the end colours go on.
///
///     { "effect": "fill.gradient", "colors": ["#F2F2F8", "#DDE7F8"], "start": [0.5, 0], "end": [0.5, 1] }
///
/// **Source**: THLabel and FXLabel (`over`).
/// **See also**: `fill.solid`; a paint, such as `stroke.outline`'s `color`, takes the same keys.
struct GradientFill: Effect {
    static let declaration = EffectDeclaration(
        id: "fill.gradient",
        summary: "Paints a mask or shape with a linear, radial or conic gradient.",
        inputs: [Input("input", .coverage, doc: "the mask or shape that is painted")],
        output: .colour,
        parameters: GradientKeys.all,
        idle: [],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.gradient", "colors": ["#FFD060", "#E03030"] }
            ]
            """)

    private let gradient: GradientValue

    init(_ arguments: Arguments) throws { gradient = try GradientValue(arguments) }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layer = inputs.layer
        return layer.painted { PaintValue.gradient(gradient).laidOut(for: $0, frame: layer.frame) }
    }
}
