import LabelpipePlugin

/// A tube of light: a bright core, and a glow that fades in three steps around it.
///
/// Three shadows without an offset, each twice as wide as the one before, in the light's colour; the core is the layer
/// itself, with the colour coming in from its edge.
///
///     { "effect": "glow.neon", "color": "#ff2bd6", "size": "0.5em" }
///
/// **Cost**: that of three shadows, whatever their size.
/// **See also**: `shadow.drop`, `shadow.inner`.
struct NeonGlow: Effect {
    static let declaration = EffectDeclaration(
        id: "glow.neon", summary: "Makes a layer glow like a neon tube.",
        inputs: [Input("input", .colour, doc: "what glows: white text is the brightest tube")], output: .colour,
        parameters: [color, size, strength], idle: [["size": 0], ["strength": 0], ["color": "transparent"]],
        example: """
            [{ "effect": "text.mask", "text": "Open", "font": "DejaVu Sans Bold", "size": 40 },
             { "effect": "fill.solid", "color": "white" }, { "effect": "glow.neon", "size": 20 }]
            """)

    private static let color = Parameter<Color>.color("color", default: "#ff2bd6", doc: "the light's colour")
    private static let size = Parameter<Double>.length(
        "size", default: "0.5em", otherwise: 16, range: 0...4096, doc: "how far the light reaches")
    private static let strength = Parameter<Double>.number(
        "strength", default: 0.8, range: 0...1, doc: "how much light there is around the tube")

    private let color: Color
    private let size: Double
    private let strength: Double

    init(_ arguments: Arguments) {
        (color, size, strength) = (arguments[Self.color], arguments[Self.size], arguments[Self.strength])
    }

    func apply(to inputs: Inputs, in context: Context) -> Layer {
        var layer = inputs.layer
        if color.isTransparent || size == 0 || strength == 0 { return layer }
        // The widest ends at `size`: a shadow reaches three sigma.
        let widest = size / 3
        func light(_ share: Double) -> Color {
            var light = color
            light.alpha *= strength * share
            return light
        }
        let glow = [(sigma: 1, share: 0.4), (0.5, 0.6), (0.25, 1)].map { step in
            Mark.shadow(
                Shadow(
                    casters: layer.marks, color: light(step.share), offset: Vector(dx: 0, dy: 0), sigma: widest * step.sigma))
        }
        let tube = InnerShadow(color: light(1), offset: Vector(dx: 0, dy: 0), sigma: widest * 0.15)
        layer = layer.finished { _ in .innerShadow(tube) }
        layer.marks = glow + layer.marks
        return layer
    }
}

private let exported = PluginExport(
    Plugin(id: "org.labelpipe.example.neonglow", effects: [NeonGlow.self]), version: "1.0", licence: "MIT")

// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation public func labelpipe_plugin() -> UnsafePointer<lp_plugin>? { exported.table }
