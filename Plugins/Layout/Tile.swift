import LabelpipeDrawing
import LabelpipeKit
import Outline

/// Repeats a label all over a picture, as stock photos are marked.
///
/// Two period vectors (frame size + `gap`, turned by `angle`, the second shifted by `stagger` × the first) are rounded
/// to whole px each; tile (i, j) is one rendering, itself turned by `angle`, at i·u + j·v + jitter(seed, i, j). Tile
/// (0, 0) has the top left of its unturned frame at the picture's and turns about its frame's centre; later rows
/// lie over earlier ones. Every corner is covered and no seam shows.
///
///     { "effect": "layout.tile", "label": "mark", "gap": "2em", "angle": -30, "stagger": 0.5, "opacity": 0.2 }
///
/// **Cost**: one rendering of the label, then blending where it lies.
/// **See also**: `layout.place`.
struct Tile: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.tile",
        summary: "A label repeated all over a picture.",
        inputs: [
            Input("base", .colour, doc: "the picture"),
            Input("label", .colour, measuredBy: "base", doc: "what is repeated on it"),
        ],
        output: .colour,
        drawsOn: .init("base", unlessWritten: ["blend", "space"]),
        parameters: [gap, angle, stagger, jitter, seed, opacity, blend, space],
        idle: [["opacity": 0]],
        example: """
            [
              { "effect": "image.canvas", "size": [192, 128], "color": "#3B7DD8" },
              { "effect": "layout.tile", "gap": [16, 12], "angle": -30, "stagger": 0.5, "opacity": 0.5, "label": [
                { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 16 },
                { "effect": "fill.solid", "color": "white" }
              ] }
            ]
            """)

    private static let gap = Parameter<Value>.value(
        "gap", .either([.length, .size]), default: 0, range: -10_000_000...10_000_000,
        doc: "room between tiles, on both axes or [x, y]; negative: they overlap")
    private static let angle = Parameter<Double>.angle("angle", default: 0, doc: "degrees, clockwise, of pattern and label")
    private static let stagger = Parameter<Double>.number(
        "stagger", default: 0, range: -1000...1000, doc: "how far each row is shifted, in tiles: 0.5 as bricks are")
    private static let jitter = Parameter<Double>.length(
        "jitter", default: 0, range: 0...10_000_000, doc: "tiles move at random by up to this, either way, on both axes")
    private static let seed = Parameter<Int>.integer("seed", default: 0, doc: "another number, other random moves")
    private static let opacity = Parameter<Double>.number(
        "opacity", default: 1, range: 0...1, doc: "times the label's alpha, once")
    private static let blend = Parameter<BlendMode>.choice("blend", default: "normal", doc: "how its colours meet the picture's")
    private static let space = Parameter<BlendSpace>.choice(
        "space", default: "srgb", doc: "blend encoded values, as browsers do, or linear light")

    private let gap: Vector
    private let angle: Double
    private let stagger: Double
    private let jitter: Double
    private let seed: Int
    private let overlay: Overlay

    init(_ arguments: Arguments) {
        switch arguments[Self.gap] {
        case .size(let size): gap = Vector(dx: size.width ?? 0, dy: size.height ?? 0)
        case .number(let both): gap = Vector(dx: both, dy: both)
        default: gap = .zero
        }
        (angle, stagger) = (arguments[Self.angle], arguments[Self.stagger])
        (jitter, seed) = (arguments[Self.jitter], arguments[Self.seed])
        overlay = Overlay(opacity: arguments[Self.opacity], blend: arguments[Self.blend], space: arguments[Self.space])
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let label = inputs["label"]
        // A text that comes out empty leaves the picture as it is, as layout.place does.
        if label.marks.isEmpty { return inputs["base"] }
        let turn = Affine.rotation(degrees: angle)
        let across = turn.apply(Vector(dx: label.frame.width + gap.dx, dy: 0))
        let down = turn.apply(Vector(dx: 0, dy: label.frame.height + gap.dy)) + across * stagger
        let (u, v) = (across.wholePixels, down.wholePixels)
        guard abs(u.dx * v.dy - u.dy * v.dx) >= 1 else {
            throw DrawingError(
                "tile-period", .picture,
                "the tiles' periods, [\(px(u.dx)), \(px(u.dy))] and [\(px(v.dx)), \(px(v.dy))] px, leave no room for a tile",
                help: "a label without width or height, or a gap that takes it all, cannot be repeated")
        }
        let lattice = Tiling.Lattice(
            across: (Int(u.dx), Int(u.dy)), down: (Int(v.dx), Int(v.dy)), jitter: Int(jitter.rounded()), seed: seed)
        let first = label.moved(by: (Point.zero - label.frame.point(.topLeft)).wholePixels).turned(by: angle)
        return try overlay.repeat(first, key: label.identity.map { "\($0) turned by \(angle)" }, lattice, on: inputs["base"])
    }
}
