import LabelpipeKit
import Outline

// Short names for marks of one body.

func shadow(
    _ body: Body, sigma: Double, offset: Vector = .zero, color: Color = .black, spread: Double = 0, cut: Bool = false,
    transform: Affine = .identity
) -> Mark {
    .shadow(
        Shadow(
            casters: [.body(body)], color: color, offset: offset, sigma: sigma, spread: spread, cut: cut, transform: transform))
}

func stroke(
    _ width: Double, _ color: Color, _ position: StrokePosition = .outside, join: Join = .round, solid: Bool = false
) -> Finish {
    .stroke(Stroke(width: width, paint: .color(color), position: position, join: join, solid: solid))
}
