import LabelpipeKit
import Outline
import Vips

/// Makes a picture smaller, or larger if that is allowed, before labels are placed on it.
///
/// `inside` fits it into width × height and keeps the aspect, `cover` fills them and cuts what is too much on both
/// sides, `fill` stretches it. A picture stays one, in its own depth, bands and profile, with every page; alpha is
/// premultiplied for it. Sizes are rounded to whole px, at least one. A photo that its orientation tag turns keeps the tag.
///
///     [ { "effect": "image.source" }, { "effect": "image.resize", "width": 1600, "height": 1600 } ]
///
/// **Cost**: reads the picture once from top to bottom.
/// **See also**: `layout.scale` for labels.
struct ImageResize: Effect {
    enum Fit: String, CaseIterable { case inside, fill, cover }

    static let declaration = EffectDeclaration(
        id: "image.resize",
        summary: "A picture in another size.",
        inputs: [Input("input", .colour, doc: "the picture")],
        output: .colour,
        parameters: [width, height, fit, enlarge],
        idle: [["width": 100_000, "height": nil, "fit": nil, "enlarge": nil]],
        example: """
            [
              { "effect": "image.canvas", "size": [400, 300], "color": "#3B7DD8" },
              { "effect": "image.resize", "width": 96, "height": 96, "fit": "cover" }
            ]
            """)

    private static let width = Parameter<Double>.length(
        "width", range: 1...10_000_000,
        doc: "width to fit, of the picture as it is seen upright; without it, as the aspect has it"
    ).optional
    private static let height = Parameter<Double>.length(
        "height", range: 1...10_000_000, doc: "height to fit, likewise; without it, as the aspect has it"
    ).optional
    private static let fit = Parameter<Fit>.choice(
        "fit", default: "inside", doc: "fit inside and keep the aspect, stretch, or cover and cut")
    private static let enlarge = Parameter<Bool>.boolean("enlarge", default: false, doc: "make smaller pictures larger")

    private let width: Double?
    private let height: Double?
    private let fit: Fit
    private let enlarge: Bool

    init(_ arguments: Arguments) throws {
        (width, height) = (arguments[Self.width], arguments[Self.height])
        (fit, enlarge) = (arguments[Self.fit], arguments[Self.enlarge])
        guard width != nil || height != nil else {
            throw arguments.problem(Self.width, expected: "a width, a height, or both", got: "neither")
        }
        if fit != .inside, width == nil || height == nil {
            throw arguments.problem(
                Self.fit, expected: "inside, or width and height for \(fit.rawValue)", got: "only one of them")
        }
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let layer = inputs.layer
        let frame = layer.frame
        guard frame.width > 0, frame.height > 0 else {
            throw DrawingError("empty-frame", .picture, "image.resize: there is nothing to resize")
        }
        var (x, y) = ((width ?? .infinity) / frame.width, (height ?? .infinity) / frame.height)
        if fit == .inside { (x, y) = (min(x, y), min(x, y)) }
        if fit == .cover { (x, y) = (max(x, y), max(x, y)) }
        if !enlarge { (x, y) = (min(x, 1), min(y, 1)) }
        if x == 1, y == 1, fit != .cover { return layer }
        let size = (whole(frame.width * x), whole(frame.height * y))
        let cut = fit == .cover ? (min(size.0, whole(width ?? 1)), min(size.1, whole(height ?? 1))) : size
        guard let picture = layer.picture else { return resized(layer, to: size, cut: cut) }
        if size == (picture.width, picture.height), cut == size { return layer }
        var result = Layer(try PageResizer(picture, to: size, cut: cut).resized())
        result.text = layer.text
        return result
    }

    private func whole(_ length: Double) -> Int { max(1, Int(length.rounded())) }

    /// Marks are mapped; the frame becomes the new size.
    private func resized(_ layer: Layer, to size: (Int, Int), cut: (Int, Int)) -> Layer {
        let frame = layer.frame
        let scale = Affine.scale(sx: Double(size.0) / frame.width, sy: Double(size.1) / frame.height)
        var result = layer.transformed(by: Affine.translation(dx: -frame.x, dy: -frame.y).then(scale))
        if cut != size {
            result = result.moved(by: Vector(dx: Double((cut.0 - size.0) / 2), dy: Double((cut.1 - size.1) / 2)))
            result.frame = Rect(x: 0, y: 0, width: Double(cut.0), height: Double(cut.1))
            result.marks = [.group(Group(marks: result.marks, clip: .outline(Outline(.rectangle(result.frame)))))]
        }
        return result
    }
}
