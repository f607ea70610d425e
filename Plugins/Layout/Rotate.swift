import LabelpipeKit
import Outline

/// Turns a layer about its frame's centre: outlines, gradient axes and shadow directions with it.
///
/// The new frame is the box round the turned one: |w cos| + |h sin| by |w sin| + |h cos|. Steps of 90° are exact.
/// Only pictures are resampled.
///
///     { "effect": "layout.rotate", "angle": -30 }
///
/// **See also**: `layout.scale`, `layout.tile` with its own `angle`.
struct Rotate: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.rotate",
        summary: "Turns a layer about its centre, clockwise.",
        inputs: [Input("input", .either, doc: "what is turned")],
        output: .sameAsInput,
        parameters: [angle],
        idle: [["angle": 0], ["angle": 360]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 40 },
              { "effect": "fill.gradient", "colors": ["#3B7DD8", "#E03030"], "start": [0, 0.5], "end": [1, 0.5] },
              { "effect": "layout.rotate", "angle": -20 }
            ]
            """)

    private static let angle = Parameter<Double>.angle("angle", doc: "degrees, clockwise on screen")

    private let angle: Double

    init(_ arguments: Arguments) { angle = arguments[Self.angle] }

    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.layer.turned(by: angle) }
}

extension Layer {
    /// Turned about the frame's centre, by degrees clockwise.
    func turned(by angle: Double) -> Layer {
        var turn = Affine.rotation(degrees: angle, about: frame.center)
        if turn.a == 0 || turn.b == 0, frame.isWhole {
            // The centre of 3 × 2 px lies between pixels after a quarter turn: half a px aside, nothing is resampled.
            turn.tx = turn.tx.halvesUp
            turn.ty = turn.ty.halvesUp
        }
        return transformed(by: turn)
    }
}

extension Double {
    /// The nearest whole number, halves always on the same side: a layer moved by whole px gives the same one, moved.
    var halvesUp: Double { (self + 0.5).rounded(.down) }

    /// But for the noise of a calculation.
    var isNearlyWhole: Bool { abs(self - rounded()) < 1e-6 }
}
