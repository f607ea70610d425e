import LabelpipeKit
import Outline

/// Sets layers side by side, from left to right: a logo and its text, words in different styles.
///
/// They stand on the first layer's baseline, or are aligned by their frames. What has no text stands on the baseline
/// with its lower edge. The frame is the union of the frames. Layers move by whole px unless `snap` is false.
///
///     { "effect": "layout.row", "layers": ["logo", "name"], "gap": "0.4em" }
///
/// **See also**: `layout.stack`.
struct Row: Effect {
    enum Alignment: String, CaseIterable { case baseline, top, center, bottom }

    static let declaration = EffectDeclaration(
        id: "layout.row",
        summary: "Layers side by side on one baseline.",
        inputs: [Input("layers", .colour, .many, doc: "from left to right")],
        output: .colour,
        parameters: [gap, align, snap],
        idle: [[:]],
        example: """
            { "effect": "layout.row", "layers": [
              [ { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 40 }, { "effect": "fill.solid" } ],
              [ { "effect": "text.mask", "text": "small", "font": "DejaVu Sans", "size": 20 }, { "effect": "fill.solid", "color": "#808080" } ]
            ] }
            """)

    private static let gap = Parameter<Double>.length(
        "gap", default: "0.25em", otherwise: 4, doc: "room between neighbouring frames; negative: they overlap")
    private static let align = Parameter<Alignment>.choice("align", default: "baseline", doc: "what stands at one height")
    private static let snap = Parameter<Bool>.boolean("snap", default: true, doc: "move by whole px")

    private let gap: Double
    private let align: Alignment
    private let snap: Bool

    init(_ arguments: Arguments) {
        (gap, align, snap) = (arguments[Self.gap], arguments[Self.align], arguments[Self.snap])
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layers = inputs.list("layers").map(\.layer)
        guard var row = layers.first else { return Layer(marks: [], kind: .colour, frame: .zero) }
        let level = height(of: row)
        var right = row.frame.maxX
        for layer in layers.dropFirst() {
            let move = Vector(dx: right + gap - layer.frame.minX, dy: level - height(of: layer))
            let next = layer.moved(by: snap ? move.wholePixels : move)
            row.marks += next.marks
            row.frame = row.frame.union(next.frame)
            row.outline = row.outline.flatMap { before in next.outline.map { .union([before, $0]) } }
            row.text = row.text ?? next.text
            right = next.frame.maxX
        }
        return row
    }

    /// y of what comes to one height with the others.
    private func height(of layer: Layer) -> Double {
        switch align {
        case .baseline: layer.text?.baseline.y ?? layer.frame.maxY
        case .top: layer.frame.minY
        case .center: layer.frame.center.y
        case .bottom: layer.frame.maxY
        }
    }
}
