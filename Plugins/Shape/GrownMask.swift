import LabelpipeKit
import Outline

/// Makes a mask thicker, or thinner with a negative length, by a distance all round.
///
/// What is nearer than `by` to the mask belongs to it; thinner: what is further than that from its outside. Corners become
/// round outside. The frame stays.
///
///     { "effect": "mask.grow", "by": "0.03em" }
///
/// **See also**: `stroke.outline`, which gives the ring alone.
struct GrownMask: Effect {
    static let declaration = EffectDeclaration(
        id: "mask.grow",
        summary: "A mask made thicker or thinner.",
        inputs: [Input("input", .coverage, doc: "the mask")],
        output: .coverage,
        parameters: [by],
        idle: [["by": 0]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans", "size": 64 },
              { "effect": "mask.grow", "by": 3 },
              { "effect": "fill.solid", "color": "#3B7DD8" }
            ]
            """)

    private static let by = Parameter<Double>.length("by", range: -4096...4096, doc: "how far; negative: thinner")

    private let distance: Double

    init(_ arguments: Arguments) { distance = arguments[Self.by] }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        if distance == 0 { return inputs.layer }
        let layer = inputs.layer.unfaded
        let growth = Growth(by: distance)
        let coverage = layer.coverage
        let grown = coverage.outline.map { .outline(growth.grown($0)) } ?? Coverage.grown(coverage, growth)
        return Layer(
            grown, outline: layer.outline.map(growth.grown), frame: layer.frame, boxes: layer.boxes, fade: inputs.layer.fade,
            text: layer.text)
    }
}
