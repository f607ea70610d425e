import LabelpipeKit
import Vips

/// A picture of one colour, to place labels on where there is no input.
///
/// An opaque colour gives an RGB picture, any other RGBA, 8 bit each. It costs nothing until it is read, however
/// large it is. Sizes are rounded to whole px, halves away from zero.
///
///     { "effect": "image.canvas", "size": [1200, 630], "color": "#102030" }
///
/// **See also**: `image.source`, `shape.rectangle` for a coloured area inside a label.
struct ImageCanvas: Effect {
    static let declaration = EffectDeclaration(
        id: "image.canvas",
        summary: "An empty picture of one colour.",
        output: .colour,
        parameters: [size, color],
        example: """
            { "effect": "image.canvas", "size": [96, 48], "color": "#3B7DD8" }
            """)

    // libvips counts to 10,000,000 in most operations.
    private static let size = Parameter<PartialSize>.size(
        "size", range: 1...10_000_000, doc: "width and height of the picture, in px")
    private static let color = Parameter<Color>.color("color", default: "transparent", doc: "the colour of every pixel")

    private let width: Double
    private let height: Double
    private let color: Color

    init(_ arguments: Arguments) throws {
        let size = arguments[Self.size]
        guard let width = size.width, let height = size.height else {
            throw arguments.problem(Self.size, expected: "a width and a height", got: "null")
        }
        (self.width, self.height) = (width, height)
        color = arguments[Self.color]
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let channels = [color.red, color.green, color.blue] + (color.isOpaque ? [] : [color.alpha])
        let pixel = channels.map { ($0 * 255).rounded() }
        let image = try Image.filled(
            pixel, width: Int(width.rounded()), height: Int(height.rounded()), format: .uchar, interpretation: .srgb)
        return Layer(Picture(image))
    }
}
