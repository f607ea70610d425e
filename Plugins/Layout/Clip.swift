import LabelpipeKit
import Outline

/// Cuts a layer to a mask or shape on the same plane, or to its own frame.
///
/// The layer is composed first and cut once, so edges that several of its marks share show no seam. The frame stays.
///
///     { "effect": "layout.clip", "to": "pill" }
///
/// **See also**: `layout.box`, which cuts nothing.
struct Clip: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.clip",
        summary: "Cuts a layer to a mask or to its frame.",
        inputs: [
            Input("input", .either, doc: "what is cut"),
            Input("to", .coverage, .optional, doc: "where the layer stays visible; without it, in its frame"),
        ],
        output: .sameAsInput,
        idle: [["to": [["effect": "shape.rectangle", "size": [9, 9]], ["effect": "mask.grow", "by": 4000]]]],
        example: """
            [
              { "effect": "shape.rectangle", "size": [160, 64] },
              { "effect": "fill.gradient", "colors": ["#3B7DD8", "#E03030"], "start": [0, 0.5], "end": [1, 0.5] },
              { "effect": "layout.clip", "to": [
                { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 48 },
                { "effect": "layout.box", "size": [160, 64] }
              ] }
            ]
            """)

    init(_ arguments: Arguments) {}

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        let mask = inputs.optional("to")
        let edge = mask == nil ? Outline(.rectangle(layer.frame)) : mask?.outline
        let clip = mask?.coverage ?? .outline(Outline(.rectangle(layer.frame)))
        if layer.kind == .colour {
            layer.marks = layer.marks.isEmpty ? [] : [.group(Group(marks: layer.marks, clip: clip))]
        } else {
            layer.marks = layer.marks.map { cut($0, clip, edge) }
        }
        layer.outline = layer.outline.flatMap { own in edge.map { own.combined(with: $0, .intersect) } }
        return layer
    }

    /// A part of a mask: it stays a body, so that it can be filled.
    private func cut(_ mark: Mark, _ clip: Coverage, _ edge: Outline?) -> Mark {
        guard case .body(var body) = mark, let back = body.transform.inverse else { return mark }
        let clip = clip.transformed(by: back)
        body.contents = body.contents.map { content in
            switch content {
            case .fill(let coverage, let paint): return .fill(.combined(coverage, clip, .intersect), paint)
            case .picture, .marks:
                let inner = Body(contents: [content], outline: nil, boxes: body.boxes)
                return .marks([.group(Group(marks: [.body(inner)], clip: clip))])
            }
        }
        body.outline = body.outline.flatMap { own in
            edge.map { own.combined(with: $0.transformed(by: back), .intersect) }
        }
        return .body(body)
    }
}
