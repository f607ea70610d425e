import LabelpipeKit
import Outline

/// One mask of several: their union, what the first has beyond the others, what all share, or what an odd number has.
///
/// Outlines are combined as outlines, so the edges stay exact; other coverages a pixel at a time. The frame and the text
/// facts are the first one's.
///
///     { "effect": "mask.combine", "layers": ["plate", "text"], "mode": "subtract" }
///
/// **See also**: `layout.clip`, which cuts what is painted already.
struct CombinedMask: Effect {
    static let declaration = EffectDeclaration(
        id: "mask.combine",
        summary: "Union, difference, intersection or exclusion of masks.",
        inputs: [Input("layers", .coverage, .many, doc: "the masks, on one plane")],
        output: .coverage,
        parameters: [mode],
        idle: [[:]],
        example: """
            [
              { "effect": "mask.combine", "mode": "subtract", "layers": [
                { "effect": "shape.rectangle", "size": [96, 48], "radius": 12 },
                { "effect": "shape.ellipse", "size": [48, 48] }
              ] },
              { "effect": "fill.solid", "color": "#3B7DD8" }
            ]
            """)

    private static let mode = Parameter<Combination>.choice("mode", default: "union", doc: "what of them stays")

    private let mode: Combination

    init(_ arguments: Arguments) { mode = arguments[Self.mode] }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layers = inputs.list("layers").map(\.layer)
        guard let first = layers.first else { return Layer(.outline(.empty), outline: .empty, frame: .zero) }
        let others = layers.dropFirst()
        if others.isEmpty { return first }
        let coverage = others.reduce(first.coverage) { .combined($0, $1.coverage, mode) }
        var outline = first.outline
        for other in others {
            outline = outline.flatMap { before in other.outline.map { before.combined(with: $0, mode) } }
        }
        return Layer(
            coverage, outline: outline, frame: first.frame, boxes: first.boxes,
            text: layers.lazy.compactMap(\.text).first)
    }
}
