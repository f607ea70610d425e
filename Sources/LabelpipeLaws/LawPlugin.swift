public import LabelpipeKit
import Outline
import Vips

/// Effects that laws put between others. No document can name them.
public let lawPlugin = Plugin(id: "labelpipe.laws", effects: [Shift.self, Erase.self, Paint.self])

/// Moves a layer on its plane.
struct Shift: Effect {
    static let declaration = EffectDeclaration(
        id: "law.shift", summary: "Moves a layer.", inputs: [Input("input", .either, doc: "what is moved")],
        output: .sameAsInput, parameters: [by],
        example: #"[ { "effect": "image.source" }, { "effect": "law.shift", "by": [3, 4] } ]"#)
    private static let by = Parameter<Vector>.offset("by", doc: "how far")
    private let by: Vector
    init(_ arguments: Arguments) { by = arguments[Self.by] }
    func apply(to inputs: Inputs, in context: Context) -> Layer { inputs.layer.moved(by: by) }
}

/// Leaves a layer's facts, and nothing to be seen.
struct Erase: Effect {
    static let declaration = EffectDeclaration(
        id: "law.erase", summary: "Makes a layer invisible.", inputs: [Input("input", .either, doc: "what vanishes")],
        output: .sameAsInput, parameters: [picture],
        example: #"[ { "effect": "image.source" }, { "effect": "law.erase" } ]"#)
    private static let picture = Parameter<Bool>.boolean(
        "picture", default: false, doc: "a picture that is transparent everywhere; else no ink at all")
    private let picture: Bool
    init(_ arguments: Arguments) { picture = arguments[Self.picture] }
    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let layer = inputs.layer
        if picture, layer.kind == .colour {
            let (width, height) = (max(Int(layer.frame.width), 1), max(Int(layer.frame.height), 1))
            let pixels = try Image.filled([200, 100, 50, 0], width: width, height: height, format: .uchar, interpretation: .srgb)
            var clear = Layer(Picture(pixels))
            clear.text = layer.text
            return clear
        }
        var erased = layer
        erased.marks = []
        erased.outline = .empty
        return erased
    }
}

/// Paints masks black and leaves colours.
struct Paint: Effect {
    static let declaration = EffectDeclaration(
        id: "law.paint", summary: "Paints a mask black.", inputs: [Input("input", .either, doc: "what may be a mask")],
        output: .colour, example: #"[ { "effect": "image.source" }, { "effect": "law.paint" } ]"#)
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer {
        inputs.layer.kind == .coverage ? inputs.layer.painted { _ in .color(.black) } : inputs.layer
    }
}
