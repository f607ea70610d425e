import LabelpipeKit
import Outline

/// Paints a mask or shape with a picture: a texture behind letters, a photo in a circle.
///
/// `tile` repeats it in its own size from the top left of the box that the mask was made with, on whole px;
/// `stretch` fits it to that box and to all ink, `cover` too but keeps its aspect and fills from the centre.
/// `offset` moves it.
///
///     { "effect": "fill.image", "picture": { "effect": "image.load", "path": "paper.jpg" }, "fit": "cover" }
///
/// **See also**: `fill.gradient`, `layout.clip`.
struct ImageFill: Effect {
    enum Fit: String, CaseIterable { case tile, stretch, cover }

    static let declaration = EffectDeclaration(
        id: "fill.image",
        summary: "Paints a mask or shape with a picture.",
        inputs: [
            Input("input", .coverage, doc: "the mask or shape that is painted"),
            Input("picture", .colour, doc: "what it is painted with"),
        ],
        output: .colour,
        parameters: [fit, offset],
        idle: [],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.image", "picture": { "effect": "layout.stack", "layers": [
                [ { "effect": "shape.rectangle", "size": [8, 8] }, { "effect": "fill.solid", "color": "#3B7DD8" } ],
                [ { "effect": "shape.ellipse", "size": [6, 6] }, { "effect": "fill.solid", "color": "#FFD060" } ]
              ] } }
            ]
            """)

    private static let fit = Parameter<Fit>.choice(
        "fit", default: "tile", doc: "repeat the picture, stretch it, or cover with it")
    private static let offset = Parameter<Vector>.offset("offset", doc: "moves the picture, y down").optional

    private let fit: Fit
    private let offset: Vector

    init(_ arguments: Arguments) {
        fit = arguments[Self.fit]
        offset = arguments[Self.offset] ?? .zero
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let picture = inputs["picture"]
        guard picture.frame.width > 0, picture.frame.height > 0 else {
            throw DrawingError("empty-frame", .picture, "fill.image: the picture's frame is empty")
        }
        return inputs.layer.painted { body in
            .pattern(
                Pattern(
                    marks: picture.marks, cell: picture.frame, repeats: fit == .tile,
                    transform: transform(of: picture.frame, to: body)))
        }
    }

    /// From the picture's plane to the body's.
    private func transform(of cell: Rect, to body: Body) -> Affine {
        let box = body.boxes.text
        if fit == .tile {
            return .translation((box.point(.topLeft) - cell.point(.topLeft) + offset).wholePixels)
        }
        let area = box.union(body.outline?.bounds ?? .null)
        var (x, y) = (area.width / cell.width, area.height / cell.height)
        if fit == .cover { (x, y) = (max(x, y), max(x, y)) }
        return Affine.translation(dx: -cell.center.x, dy: -cell.center.y).then(.scale(sx: x, sy: y))
            .then(.translation(dx: area.center.x + offset.dx, dy: area.center.y + offset.dy))
    }
}
