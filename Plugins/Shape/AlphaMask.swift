import LabelpipeKit
import Outline

/// A mask of where a layer is opaque: a logo's shape, ready to be painted anew.
///
/// coverage(p) = alpha(p), of all that the layer shows, its shadows included.
///
///     [ { "effect": "image.load", "path": "logo.png" }, { "effect": "mask.alpha" }, { "effect": "fill.solid", "color": "white" } ]
///
/// **See also**: `mask.luminance`.
struct AlphaMask: Effect {
    static let declaration = EffectDeclaration(
        id: "mask.alpha",
        summary: "A mask from a layer's alpha.",
        inputs: [Input("input", .colour, doc: "what the mask is taken from")],
        output: .coverage,
        idle: [],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.gradient", "colors": ["#000000", "#00000000"], "start": [0, 0.5], "end": [1, 0.5] },
              { "effect": "mask.alpha" },
              { "effect": "fill.solid", "color": "#3B7DD8" }
            ]
            """)

    init(_ arguments: Arguments) {}

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layer = inputs.layer
        // A shadow reaches further than the silhouette: then the edge is the alpha's own.
        let outline = layer.marks.contains(where: \.isShadow) ? nil : layer.outline
        return Layer(.alpha(layer.marks), outline: outline, frame: layer.frame, text: layer.text)
    }
}
