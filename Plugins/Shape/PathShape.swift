import LabelpipeKit
import Outline

/// A shape drawn with SVG path data: an arrow, a ribbon, a signet.
///
/// Filled by the non-zero rule, every subpath closed. Its coordinates are px; it is moved so that the top left of its
/// box is (0, 0), as of all shapes.
///
///     { "effect": "shape.path", "d": "M0 12 L40 12 L40 0 L64 20 L40 40 L40 28 L0 28 Z" }
///
/// **Source**: SVG 2, section 9.3.
/// **See also**: `image.load` for whole SVG files, `layout.scale` for another size.
struct PathShape: Effect {
    static let declaration = EffectDeclaration(
        id: "shape.path",
        summary: "A shape from SVG path data.",
        output: .coverage,
        parameters: [d],
        example: """
            [
              { "effect": "shape.path", "d": "M0 12 L40 12 L40 0 L64 20 L40 40 L40 28 L0 28 Z" },
              { "effect": "fill.solid", "color": "#3B7DD8" }
            ]
            """)

    private static let d = Parameter<String>.string("d", doc: "SVG path data, as in a path element's d")

    private let path: Path

    init(_ arguments: Arguments) throws {
        do throws(PathSyntaxError) {
            path = try Path.parse(svg: arguments[Self.d])
        } catch {
            throw arguments.problem(Self.d, expected: "SVG path data", got: "text that is none \(error)")
        }
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        let bounds = path.bounds
        if bounds.isNull { return Layer(.outline(.empty), outline: .empty, frame: .zero) }
        let outline = Outline(path.transformed(by: .translation(dx: -bounds.minX, dy: -bounds.minY)))
        return Layer(.outline(outline), outline: outline, frame: Rect(x: 0, y: 0, width: bounds.width, height: bounds.height))
    }
}
