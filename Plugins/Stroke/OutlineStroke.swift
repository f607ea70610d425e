import LabelpipeKit
import Outline

/// Draws a line along the edge of a text, a shape or a logo, of exactly the width you see.
///
/// `width` is the visible total width in every `position`. Fill and stroke share a pixel by area: fill∖ring is
/// painted with the fill, fill∩ring with the stroke over the fill, ring∖fill with the stroke, each once, so there is
/// neither a seam nor a rim. All letters are stroked as one union; a second stroke goes round the first. On a mask it
/// gives the ring as a mask. What has no outline (a logo) is stroked by the distance to its alpha's edge.
///
///     { "effect": "stroke.outline", "width": "0.05em", "color": "#00000080", "join": "miter" }
///
/// **Source**: effects.md, "stroke.outline"; joins and miter limit as in SVG.
/// **See also**: `mask.grow`.
struct OutlineStroke: Effect {
    static let declaration = EffectDeclaration(
        id: "stroke.outline",
        summary: "A line along the edge: outside, inside or centred, as wide as it says.",
        inputs: [Input("input", .either, doc: "what the line goes round; of a mask it gives the line's own mask")],
        output: .sameAsInput,
        parameters: [width, color, position, join, miterLimit, solid],
        idle: [["width": 0]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.solid", "color": "white" },
              { "effect": "stroke.outline", "width": 4, "color": "#C02020" }
            ]
            """)

    private static let width = Parameter<Double>.length(
        "width", default: "1px", range: 0...4096, doc: "visible width of the stroke")
    private static let color = Parameter<PaintValue>.paint("color", default: "black", doc: "the stroke's colour or gradient")
    private static let position = Parameter<StrokePosition>.choice(
        "position", default: "outside", doc: "where the line lies: outside the edge, half and half, or inside")
    private static let join = Parameter<Join>.choice("join", default: "round", doc: "how corners are joined")
    private static let miterLimit = Parameter<Double>.number(
        "miterLimit", default: 4, range: 1...100, doc: "ratio of a miter's length to the width beyond which it becomes a bevel")
    private static let solid = Parameter<Bool>.boolean(
        "solid", default: false, doc: "fill the holes that a thick outside stroke leaves")

    private let color: PaintValue
    /// Painted in `apply`, when the body is known.
    private let stroke: Stroke

    init(_ arguments: Arguments) throws {
        if arguments.kind(ofInput: "input") == .coverage, arguments.isWritten(Self.color) {
            throw arguments.problem(
                Self.color, expected: "no color on a mask", got: "one",
                help: "the ring of a mask is a mask: fill it with fill.solid, or stroke after the fill")
        }
        color = arguments[Self.color]
        stroke = Stroke(
            width: arguments[Self.width], paint: .color(.black), position: arguments[Self.position],
            join: arguments[Self.join], miterLimit: arguments[Self.miterLimit], solid: arguments[Self.solid])
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let layer = inputs.layer
        if layer.kind == .coverage { return ring(around: layer) }
        if stroke.width == 0 { return layer }
        return layer.finished { body in
            var painted = stroke
            painted.paint = color.laidOut(for: body, frame: layer.frame)
            return .stroke(painted)
        }
    }

    /// The area that a stroke would paint.
    private func ring(around mask: Layer) -> Layer {
        let layer = mask.unfaded
        let coverage: Coverage
        var edge: Outline?
        if stroke.width == 0 {
            edge = .empty
            coverage = .outline(.empty)
        } else if let outline = layer.outline {
            let outer = stroke.silhouette(of: outline)
            let inner = outline.grown(by: -stroke.inward, join: stroke.join, miterLimit: stroke.miterLimit)
            let ring = outer.combined(with: inner, .subtract)
            edge = ring
            coverage = .outline(ring)
        } else {
            let area = layer.coverage
            let inner = Growth(by: -stroke.inward, join: stroke.join, miterLimit: stroke.miterLimit)
            coverage = .combined(.grown(area, stroke.growth), .grown(area, inner), .subtract)
        }
        return Layer(
            coverage, outline: edge, frame: layer.frame, boxes: layer.boxes, fade: mask.fade, text: layer.text)
    }
}
