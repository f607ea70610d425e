import LabelpipeKit

/// A mask of where a layer is light: black is left out, white is full.
///
/// coverage(p) = alpha(p) × luminance(p), as in SVG's and CSS's `mask-type: luminance`.
///
///     [ { "effect": "image.load", "path": "grain.png" }, { "effect": "mask.luminance" } ]
///
/// **Source**: CSS Masking Module Level 1, "luminance masks".
/// **See also**: `mask.alpha`.
struct LuminanceMask: Effect {
    static let declaration = EffectDeclaration(
        id: "mask.luminance",
        summary: "A mask from how light a layer is.",
        inputs: [Input("input", .colour, doc: "what the mask is taken from")],
        output: .coverage,
        idle: [],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.gradient", "colors": ["black", "white"], "start": [0, 0.5], "end": [1, 0.5] },
              { "effect": "mask.luminance" },
              { "effect": "fill.solid", "color": "#3B7DD8" }
            ]
            """)

    init(_ arguments: Arguments) {}

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layer = inputs.layer
        return Layer(.luminance(layer.marks), outline: nil, frame: layer.frame, text: layer.text)
    }
}
