import Glibc
import LabelpipeKit
import Outline

/// A star, or a regular polygon: the burst that a price stands in, a seal, a badge.
///
/// Its points lie on the ellipse in its box, the first one at the top, and the corners between them on a smaller one, `inner`
/// times as large: at 1 it is a polygon of twice as many corners.
///
///     { "effect": "shape.star", "size": [160, 160], "points": 16, "inner": 0.8 }
///
/// **See also**: `shape.ellipse`, `shape.path`.
struct Star: Effect {
    static let declaration = EffectDeclaration(
        id: "shape.star",
        summary: "A star or a burst, of a size or round a layer.",
        inputs: [ShapeBox.around],
        output: .coverage,
        parameters: [ShapeBox.size, ShapeBox.insets, points, inner],
        example: """
            [
              { "effect": "shape.star", "size": [96, 96], "points": 12, "inner": 0.8 },
              { "effect": "fill.solid", "color": "#D8315B" }
            ]
            """)

    private static let points = Parameter<Int>.integer("points", default: 5, range: 2...1000, doc: "how many points it has")
    private static let inner = Parameter<Double>.number(
        "inner", default: 0.4, range: 0...1, doc: "how far out the corners between the points lie; 1: as far as the points")

    private let box: ShapeBox
    private let points: Int
    private let inner: Double

    init(_ arguments: Arguments) throws {
        box = try ShapeBox(arguments)
        (points, inner) = (arguments[Self.points], arguments[Self.inner])
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let around = inputs.optional(ShapeBox.around.name)
        let rect = try box.rect(around: around)
        return box.layer(Outline(star(in: rect)), in: rect, around: around)
    }

    private func star(in rect: Rect) -> Path {
        var path = Path()
        for corner in 0..<2 * points {
            let turn = Double(corner) * .pi / Double(points)
            let share = corner % 2 == 0 ? 0.5 : 0.5 * inner
            let point = Point(
                x: rect.x + rect.width * (0.5 + share * sin(turn)), y: rect.y + rect.height * (0.5 - share * cos(turn)))
            if corner == 0 { path.move(to: point) } else { path.line(to: point) }
        }
        path.close()
        return path
    }
}
