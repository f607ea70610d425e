import LabelpipeKit
import Outline

/// Casts the edge's shadow into the layer, as if it were cut out of the paper above.
///
/// α(p) = color.α × Gσ(1 − M)(p − offset) × M(p), M being the silhouette and σ = blur / 2; outside counts as 1 − M = 1.
/// It is painted on what is there and lies beneath a stroke that comes later. Invisible ones are not drawn: a
/// clear colour, or offset and blur 0.
///
///     { "effect": "shadow.inner", "color": "#000000C0", "offset": [0, 2], "blur": 3 }
///
/// **Source**: THLabel and FXLabel, which use `"blend": "darken"`.
/// **See also**: `shadow.drop`.
struct InnerShadow: Effect {
    static let declaration = EffectDeclaration(
        id: "shadow.inner",
        summary: "A shadow that the edge casts into the layer.",
        inputs: [Input("input", .colour, doc: "what the shadow falls on")],
        output: .colour,
        parameters: [color, offset, blur, blend],
        idle: [["color": "#FF000000"], ["offset": 0, "blur": 0]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.solid", "color": "#E8E8E8" },
              { "effect": "shadow.inner", "color": "#000000C0", "offset": [0, 2], "blur": 3 }
            ]
            """)

    private static let color = Parameter<Color>.color("color", default: "#00000080", doc: "the shadow's colour")
    private static let offset = Parameter<Vector>.offset(
        "offset", default: [0, "0.04em"], doc: "to the right and down; without text 16px to the em")
    private static let blur = Parameter<Double>.length(
        "blur", default: "0.1em", otherwise: 4, range: 0...4096, doc: "blur radius, twice the Gaussian's sigma")
    private static let blend = Parameter<LabelpipeKit.InnerShadow.Blend>.choice(
        "blend", default: "normal", doc: "normal, or darken: per channel the smaller, so it cannot lighten")

    private let shadow: LabelpipeKit.InnerShadow

    init(_ arguments: Arguments) {
        shadow = LabelpipeKit.InnerShadow(
            color: arguments[Self.color], offset: arguments[Self.offset], sigma: arguments[Self.blur] / 2,
            blend: arguments[Self.blend])
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let isInvisible = shadow.color.isTransparent || (shadow.offset == .zero && shadow.sigma == 0)
        return isInvisible ? inputs.layer : inputs.layer.finished { _ in .innerShadow(shadow) }
    }
}
