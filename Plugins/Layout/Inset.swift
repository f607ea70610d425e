import LabelpipeKit

/// Gives a layer room around its content: the frame grows, nothing moves.
///
/// Anchors and alignments go by the frame, so the room counts as the layer's own; a gradient's box does not change.
/// Negative insets take room away.
///
///     { "effect": "layout.inset", "insets": { "left": 12, "right": 12, "top": 4, "bottom": 4 } }
///
/// **See also**: `layout.box` for a fixed size.
struct Inset: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.inset",
        summary: "Room around a layer.",
        inputs: [Input("input", .either, doc: "what gets room")],
        output: .sameAsInput,
        parameters: [insets],
        idle: [["insets": 0]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 48 },
              { "effect": "fill.solid" },
              { "effect": "layout.inset", "insets": 8 }
            ]
            """)

    private static let insets = Parameter<Insets>.insets("insets", doc: "how far each side moves outwards").optional

    private let insets: Insets

    init(_ arguments: Arguments) { insets = arguments[Self.insets] ?? .zero }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        var layer = inputs.layer
        layer.frame = layer.frame.inset(by: -insets)
        guard layer.frame.width >= 0, layer.frame.height >= 0 else {
            throw DrawingError(
                "negative-size", .picture, "the insets leave a frame of \(layer.frame.width) × \(layer.frame.height) px")
        }
        return layer
    }
}
