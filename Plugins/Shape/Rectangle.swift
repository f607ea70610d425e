import LabelpipeKit
import Outline

/// A rectangle, with round corners if you like: of a given size, or round a text as its plate.
///
/// Round a layer it lies on that layer's plane, grown by `insets` and then outwards to whole px. A radius is held
/// within half the shorter side; `"pill"` is exactly that half.
///
///     { "effect": "shape.rectangle", "around": "caption", "insets": "0.3em", "radius": "pill" }
///
/// **See also**: `shape.ellipse`, `shape.path`, `layout.stack` to lay a text on its plate.
struct Rectangle: Effect {
    static let declaration = EffectDeclaration(
        id: "shape.rectangle",
        summary: "A rectangle or pill, of a size or round a layer.",
        inputs: [ShapeBox.around],
        output: .coverage,
        parameters: [ShapeBox.size, ShapeBox.insets, radius],
        example: """
            [ { "effect": "shape.rectangle", "size": [96, 48], "radius": "pill" }, { "effect": "fill.solid", "color": "#3B7DD8" } ]
            """)

    private static let radius = Parameter<Value>.value(
        "radius", .either([.length, .choice(["pill"])]), default: 0, range: 0...10_000_000,
        doc: "radius of the corners, at most half the shorter side, or pill for just that")

    private let box: ShapeBox
    /// nil: a pill.
    private let radius: Double?

    init(_ arguments: Arguments) throws {
        box = try ShapeBox(arguments)
        radius = if case .number(let px) = arguments[Self.radius] { px } else { nil }
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let around = inputs.optional(ShapeBox.around.name)
        let rect = try box.rect(around: around)
        let path = Path.rectangle(rect, radius: radius ?? min(rect.width, rect.height) / 2)
        return box.layer(Outline(path), in: rect, around: around)
    }
}
