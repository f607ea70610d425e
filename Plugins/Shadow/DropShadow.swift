import LabelpipeKit
import Outline

/// Casts a soft or hard shadow of the whole layer, beneath all of it.
///
/// α = color.α × Gσ(α of the layer grown by `spread`), moved by `offset`; σ = blur / 2, as in UIKit and CSS, and blur 0
/// is a hard copy. Fill, inner shadow and stroke cast it together; earlier drop shadows cast none, so several in a
/// chain are CSS's `text-shadow` list. Where the caster is opaque nothing changes. A shadow that nobody could see
/// (a clear colour, or an exact copy under its caster) is not drawn.
///
///     { "effect": "shadow.drop", "color": "#000000A0", "offset": [0, "0.06em"], "blur": "0.2em" }
///
/// **Source**: CSS Text Decoration 3, `text-shadow`; UIKit's `NSShadow`.
/// **See also**: `shadow.inner`.
struct DropShadow: Effect {
    enum Caster: String, CaseIterable { case keep, hide, cut }

    static let declaration = EffectDeclaration(
        id: "shadow.drop",
        summary: "A shadow cast by the whole layer, beneath it.",
        inputs: [Input("input", .colour, doc: "what casts the shadow")],
        output: .colour,
        parameters: [color, offset, blur, spread, caster],
        idle: [["color": "#FF000000"], ["offset": 0, "blur": 0, "spread": 0, "caster": "keep"]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 64 },
              { "effect": "fill.solid", "color": "#3B7DD8" },
              { "effect": "shadow.drop", "offset": [3, 4], "blur": 6 }
            ]
            """)

    private static let color = Parameter<Color>.color("color", default: "#00000080", doc: "the shadow's colour")
    private static let offset = Parameter<Vector>.offset(
        "offset", default: [0, "0.04em"], doc: "to the right and down; without text 16px to the em")
    private static let blur = Parameter<Double>.length(
        "blur", default: "0.1em", otherwise: 4, range: 0...4096, doc: "blur radius, twice the Gaussian's sigma; 0 is a hard copy")
    private static let spread = Parameter<Double>.length(
        "spread", default: 0, range: -4096...4096, doc: "how far the caster is grown first; negative shrinks it")
    private static let caster = Parameter<Caster>.choice(
        "caster", default: "keep", doc: "keep what casts; hide it, leaving the shadow alone; cut the shadow away under it")

    private let color: Color
    private let offset: Vector
    private let sigma: Double
    private let spread: Double
    private let caster: Caster

    init(_ arguments: Arguments) {
        color = arguments[Self.color]
        offset = arguments[Self.offset]
        sigma = arguments[Self.blur] / 2
        spread = arguments[Self.spread]
        caster = arguments[Self.caster]
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        if isIdentity { return layer }
        let casters = layer.marks.filter { !$0.isShadow }
        if casters.isEmpty { return layer }
        let shadow = Shadow(
            casters: casters, color: color, offset: offset, sigma: sigma, spread: spread, cut: caster == .cut)
        let kept = caster == .hide ? layer.marks.filter(\.isShadow) : layer.marks
        layer.marks = [.shadow(shadow)] + kept
        return layer
    }

    private var isIdentity: Bool {
        color.isTransparent || (offset == .zero && sigma == 0 && spread == 0 && caster == .keep)
    }
}
