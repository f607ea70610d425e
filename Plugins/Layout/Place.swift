import LabelpipeKit
import Outline

/// Puts a label onto a picture: at a corner, an edge or the centre, or at a point.
///
/// `anchor` is the point of the picture and of the label alike; `insets` count from the picture's edges, `offset` is
/// added. Or `at`, from the upright top left, where `anchor` is the label's own point, a baseline included. The shift from
/// the label's plane to the picture is rounded to whole px, so nothing is resampled. A label that would leave the picture
/// moves in just enough; one that does not fit inside the insets is shrunk. Every page and frame is marked, and the
/// picture keeps its size, depth, bands, profile and metadata.
///
///     { "effect": "layout.place", "anchor": "bottom-right", "insets": "3vmin", "label": "mark" }
///
/// **Cost**: that of the label's own area.
/// **See also**: `layout.tile`, `layout.stack` for layers that are no pictures.
struct Place: Effect {
    static let declaration = EffectDeclaration(
        id: "layout.place",
        summary: "A label on a picture, at an anchor or a point.",
        inputs: [
            Input("base", .colour, doc: "the picture"),
            Input("label", .colour, measuredBy: "base", doc: "what is drawn on it"),
        ],
        output: .colour,
        drawsOn: .init("base", unlessWritten: ["blend", "space"]),
        parameters: [anchor, insets, offset, at, opacity, blend, space, keepInside, tooLarge, minimumBase, snap],
        idle: [["opacity": 0]],
        example: """
            [
              { "effect": "image.canvas", "size": [160, 96], "color": "#3B7DD8" },
              { "effect": "layout.place", "anchor": "bottom-right", "insets": 8, "label": [
                { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 24 },
                { "effect": "fill.solid", "color": "white" }
              ] }
            ]
            """)

    private static let anchor = Parameter<Anchor>.anchor(
        "anchor", default: "bottom-right",
        doc: "the point of the picture and of the label alike; with at: the label's own point, top-left unless written")
    private static let insets = Parameter<Insets>.insets("insets", default: 0, doc: "distances from the picture's edges")
    private static let offset = Parameter<Vector>.offset("offset", default: 0, doc: "added to the label's place, y down")
    private static let at = Parameter<Vector>.offset(
        "at", doc: "where the label's anchor stands, from the upright top left; instead of insets"
    ).optional
    private static let opacity = Parameter<Double>.number(
        "opacity", default: 1, range: 0...1, doc: "times the label's alpha, once")
    private static let blend = Parameter<BlendMode>.choice("blend", default: "normal", doc: "how its colours meet the picture's")
    private static let space = Parameter<BlendSpace>.choice(
        "space", default: "srgb", doc: "blend encoded values, as browsers do, or linear light")
    private static let keepInside = Parameter<Bool>.boolean(
        "keepInside", default: true, doc: "move the label in where its reach would leave the picture; never with at")
    private static let tooLarge = Parameter<Fitting.TooLarge>.choice(
        "tooLarge", default: "shrink",
        doc: "a label that does not fit inside the insets: shrink it, clip it at the picture, skip it with a note, or fail")
    private static let minimumBase = Parameter<PartialSize>.size(
        "minimumBase", range: 0...10_000_000, doc: "nothing is drawn on a picture smaller than this in either side"
    ).optional
    private static let snap = Parameter<Bool>.boolean("snap", default: true, doc: "shift by whole px")

    private let fitting: Fitting
    private let drawing: Overlay
    private let minimumBase: PartialSize?

    init(_ arguments: Arguments) throws {
        let at = arguments[Self.at]
        var anchor = arguments[Self.anchor]
        if at != nil {
            if arguments.isWritten(Self.insets) {
                throw arguments.problem(
                    Self.insets, expected: "either at or insets", got: "both", help: "at is a point; offset can be added to it")
            }
            if !arguments.isWritten(Self.anchor) { anchor = .topLeft }
        } else if anchor.isOnBaseline {
            throw arguments.problem(
                Self.anchor, expected: "one of the nine points of a box, or at beside it", got: "\"\(anchor.rawValue)\"",
                help: "a picture has no baseline: give the point that the label's baseline goes through as \"at\": [x, y]")
        }
        fitting = Fitting(
            anchor: anchor, insets: arguments[Self.insets], offset: arguments[Self.offset], at: at,
            keepInside: arguments[Self.keepInside] && at == nil, tooLarge: arguments[Self.tooLarge], snap: arguments[Self.snap])
        drawing = Overlay(opacity: arguments[Self.opacity], blend: arguments[Self.blend], space: arguments[Self.space])
        minimumBase = arguments[Self.minimumBase]
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let base = inputs["base"]
        let label = inputs["label"]
        let (width, height) = (base.frame.width, base.frame.height)
        if let minimumBase, width < minimumBase.width ?? 0 || height < minimumBase.height ?? 0 {
            context.report(
                Note(
                    .note, "small-picture", "nothing is drawn: the picture, \(px(width)) × \(px(height)) px, is below minimumBase"
                ))
            return base
        }
        switch try fitting.place(label, on: base.frame) {
        case .placed(let shift, let scale):
            if scale < 0.999, !label.marks.isEmpty {
                context.report(Note(.note, "shrunk", "the label is larger than there is room for: it is drawn smaller"))
            }
            if base.picture != nil, fitting.isOutside(label, scale: scale, shift: shift, base.frame) {
                context.report(Note(.warning, "outside", "nothing is drawn: the label lies beside the picture"))
            }
            return try drawing.draw(label, scale: scale, at: shift, on: base)
        case .skipped(let why, let asAsked):
            context.report(Note(asAsked ? .note : .warning, "too-large", "nothing is drawn: \(why)"))
            return base
        }
    }
}

/// A number of px as a message names it.
func px(_ value: Double) -> String {
    let hundredths = (value * 100).rounded() / 100
    return hundredths == hundredths.rounded() ? String(Int(hundredths)) : String(hundredths)
}
