import LabelpipeKit
import Outline

/// Lays layers on each other, bottom to top: as they lie on the plane, or aligned in the first one's frame.
///
/// The frame is the first layer's; the baseline and the em are those of the first layer that has them. An entry may
/// have its own `opacity` and `blend`, and `when`. Aligned layers move by whole px unless `snap` is false.
///
///     { "effect": "layout.stack", "layers": ["plate", { "layer": "shine", "opacity": 0.4, "blend": "screen" }, "text"] }
///
/// **Source**: W3C Compositing and Blending Level 1.
/// **See also**: `layout.row`; `layout.place` for pictures, which stay pictures there.
struct Stack: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.stack",
        summary: "Layers on top of each other.",
        inputs: [
            Input("layers", .colour, .entries([opacity, blend]), doc: "bottom to top, each a node or { \"layer\": NODE, … }")
        ],
        output: .colour,
        parameters: [align, space, snap],
        idle: [[:]],
        example: """
            { "effect": "layout.stack", "align": "center", "layers": [
              [ { "effect": "shape.rectangle", "size": [160, 56], "radius": "pill" }, { "effect": "fill.solid", "color": "#3B7DD8" } ],
              [ { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 32 },
                { "effect": "fill.solid", "color": "white" } ]
            ] }
            """)

    private static let opacity = Parameter<Double>.number("opacity", default: 1, range: 0...1, doc: "of this layer")
    private static let blend = Parameter<BlendMode>.choice("blend", default: "normal", doc: "how it meets what is below")
    private static let align = Parameter<Anchor>.anchor(
        "align", doc: "the point of all frames that coincides; without it layers stay where they are"
    ).optional
    private static let space = Parameter<BlendSpace>.choice(
        "space", default: "srgb", doc: "blend encoded values, as browsers do, or linear light")
    private static let snap = Parameter<Bool>.boolean("snap", default: true, doc: "align by whole px")

    private let align: Anchor?
    private let space: BlendSpace
    private let snap: Bool

    init(_ arguments: Arguments) throws {
        (align, space, snap) = (arguments[Self.align], arguments[Self.space], arguments[Self.snap])
        if let align, align.isOnBaseline {
            throw arguments.problem(
                Self.align, expected: "one of the nine points of a box", got: "\"\(align.rawValue)\"",
                help: "layout.row aligns baselines")
        }
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let entries = inputs.list("layers")
        guard let first = entries.first?.layer else { return Layer(marks: [], kind: .colour, frame: .zero) }
        var stack = Layer(marks: [], kind: .colour, frame: first.frame)
        var isIsolated = false
        var outlines: [Outline] = []
        for entry in entries {
            let layer = aligned(entry.layer, in: first.frame)
            if stack.text == nil { stack.text = layer.text }
            if let outline = layer.outline { outlines.append(outline) }
            let (opacity, blend) = (entry.arguments[Self.opacity], entry.arguments[Self.blend])
            if opacity == 1, blend == .normal, space == .srgb {
                stack.marks += layer.marks
            } else {
                stack.marks.append(.group(Group(marks: layer.marks, opacity: opacity, blend: blend, space: space)))
                isIsolated = isIsolated || blend != .normal || space != .srgb
            }
        }
        // Its layers blend with each other, not with what the stack is laid on later.
        if isIsolated { stack.marks = [.group(Group(marks: stack.marks))] }
        if outlines.count == entries.count { stack.outline = .union(outlines) }
        return stack
    }

    private func aligned(_ layer: Layer, in frame: Rect) -> Layer {
        guard let align else { return layer }
        let move = frame.point(align) - layer.frame.point(align)
        return layer.moved(by: snap ? move.wholePixels : move)
    }
}
