import LabelpipeKit
import Outline

/// Makes a layer larger or smaller about its frame's centre, with its strokes and shadows.
///
/// By a factor, one for each axis (negative ones mirror), or to a width or height of the frame, of which one alone keeps
/// the aspect. An em downstream is still that of the text as it was set. Only pictures are resampled.
///
///     { "effect": "layout.scale", "width": "20vw" }
///
/// **See also**: `text.mask`'s `size`, which is better for text alone; `image.resize` for pictures.
struct Scale: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.scale",
        summary: "Scales a layer, by factors or to a size.",
        inputs: [Input("input", .either, doc: "what is scaled")],
        output: .sameAsInput,
        parameters: [by, width, height],
        idle: [["by": 1, "width": nil, "height": nil]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 24 },
              { "effect": "fill.solid", "color": "white" },
              { "effect": "stroke.outline", "width": 1, "color": "#C02020" },
              { "effect": "layout.scale", "by": [2, 3] }
            ]
            """)

    private static let by = Parameter<Value>.value("by", .either([.number, .point]), doc: "a factor, or [x, y]").optional
    private static let width = Parameter<Double>.length("width", range: 0.01...10_000_000, doc: "the frame's new width").optional
    private static let height = Parameter<Double>.length("height", range: 0.01...10_000_000, doc: "the frame's new height")
        .optional

    private let factors: Vector?
    private let width: Double?
    private let height: Double?

    init(_ arguments: Arguments) throws {
        switch arguments[Self.by] {
        case .number(let factor): factors = Vector(dx: factor, dy: factor)
        case .point(let x, let y): factors = Vector(dx: x, dy: y)
        default: factors = nil
        }
        (width, height) = (arguments[Self.width], arguments[Self.height])
        if let factors, factors.dx == 0 || factors.dy == 0 {
            throw arguments.problem(Self.by, expected: "factors other than 0", got: "0")
        }
        if (factors == nil) == (width == nil && height == nil) {
            throw arguments.problem(
                Self.by, expected: "either by, or width and height (or one of them)", got: factors == nil ? "neither" : "both")
        }
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let layer = inputs.layer
        let frame = layer.frame
        // Of an empty text there is nothing to be scaled.
        if layer.marks.isEmpty { return layer }
        let factors = try factors ?? self.factors(to: frame)
        var scale = Affine.scale(sx: factors.dx, sy: factors.dy).about(frame.center)
        let scaled = frame.applying(scale)
        if frame.isWhole, scaled.width.isNearlyWhole, scaled.height.isNearlyWhole {
            // 10 px about their centre become 25 that begin between pixels: half a px aside, edges stay sharp.
            scale.tx += scaled.x.halvesUp - scaled.x
            scale.ty += scaled.y.halvesUp - scaled.y
        }
        return layer.transformed(by: scale)
    }

    /// The factors that give the frame its new size.
    private func factors(to frame: Rect) throws -> Vector {
        for (side, own, name) in [(width, frame.width, "width"), (height, frame.height, "height")]
        where side != nil && own <= 0 {
            throw DrawingError("empty-frame", .picture, "layout.scale: a frame without \(name) cannot be given one")
        }
        let x = width.map { $0 / frame.width }
        let y = height.map { $0 / frame.height }
        return Vector(dx: x ?? y ?? 1, dy: y ?? x ?? 1)
    }
}
