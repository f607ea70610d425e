import LabelpipeKit
import Outline

/// Puts a layer into a box of a given size: to one of nine places, or horizontally and vertically apart.
///
/// The box's top left is (0, 0) afterwards. The content moves by whole px unless `snap` is false; nothing is cut where
/// it is larger. A side of `size` that is `null`, and no `size`, is the content's own, with `insets`. `by` says which height is
/// aligned: the line boxes, first capital to last baseline, first x-height to last baseline, or the ink.
///
///     { "effect": "layout.box", "size": [240, 60], "align": "center", "by": "cap" }
///
/// **Source**: UIKit's contentMode decides only y, its textAlignment only x: `vertical` and `horizontal`.
/// **See also**: `layout.inset`, `layout.clip`.
struct Box: Effect {
    enum Horizontal: String, CaseIterable { case left, center, right, natural }
    enum Vertical: String, CaseIterable { case top, center, bottom }
    enum Height: String, CaseIterable { case line, cap, x, ink }

    static let declaration = EffectDeclaration(
        id: "layout.box",
        summary: "A box of a given size with the layer aligned in it.",
        inputs: [Input("input", .either, doc: "what stands in the box")],
        output: .sameAsInput,
        parameters: [size, insets, align, horizontal, vertical, by, snap],
        idle: [["size": nil, "insets": nil, "by": nil, "snap": nil]],
        example: """
            [
              { "effect": "text.mask", "text": "Label", "font": "DejaVu Sans Bold", "size": 32 },
              { "effect": "fill.solid" },
              { "effect": "layout.box", "size": [160, 64], "align": "right", "insets": 6 }
            ]
            """)

    private static let size = Parameter<PartialSize>.size(
        "size", range: 0...10_000_000, doc: "width and height of the box; null, or without it: the content's own and the insets"
    ).optional
    private static let insets = Parameter<Insets>.insets(
        "insets", default: 0, doc: "room between the box's edges and what is aligned")
    private static let align = Parameter<Anchor>.anchor("align", default: "center", doc: "where the content stands")
    private static let horizontal = Parameter<Horizontal>.choice(
        "horizontal", doc: "instead of align's x; natural: at the side where the text begins"
    ).optional
    private static let vertical = Parameter<Vertical>.choice("vertical", doc: "instead of align's y").optional
    private static let by = Parameter<Height>.choice("by", default: "line", doc: "which height is aligned")
    private static let snap = Parameter<Bool>.boolean("snap", default: true, doc: "move by whole px")

    private let size: PartialSize
    private let insets: Insets
    private let align: Anchor
    private let horizontal: Horizontal?
    private let vertical: Vertical?
    private let height: Height
    private let snap: Bool

    init(_ arguments: Arguments) throws {
        size = arguments[Self.size] ?? PartialSize(width: nil, height: nil)
        insets = arguments[Self.insets]
        align = arguments[Self.align]
        horizontal = arguments[Self.horizontal]
        vertical = arguments[Self.vertical]
        height = arguments[Self.by]
        snap = arguments[Self.snap]
        if align.isOnBaseline {
            throw arguments.problem(Self.align, expected: "one of the nine points of a box", got: "\"\(align.rawValue)\"")
        }
    }

    func apply(to inputs: Inputs, in context: Context) throws -> Layer {
        let content = inputs.layer
        let own = content.frame
        let box = Rect(
            x: 0, y: 0, width: size.width ?? own.width + insets.left + insets.right,
            height: size.height ?? own.height + insets.top + insets.bottom)
        guard box.width >= 0, box.height >= 0 else {
            throw DrawingError("negative-size", .picture, "the insets leave a box of \(box.width) × \(box.height) px")
        }
        let room = box.inset(by: insets)
        let (top, bottom) = try edges(of: content)
        let x = fraction(content.text?.direction)
        let y = vertical.map { $0 == .top ? 0 : $0 == .center ? 0.5 : 1 } ?? align.vertical ?? 0
        let move = Vector(
            dx: room.x - own.x + x * (room.width - own.width),
            dy: room.y - top + y * (room.height - (bottom - top)))
        var layer = content.moved(by: snap ? move.wholePixels : move)
        layer.frame = box
        return layer
    }

    /// 0 left, 1 right.
    private func fraction(_ direction: TextFacts.Direction?) -> Double {
        switch horizontal {
        case .left: 0
        case .center: 0.5
        case .right: 1
        case .natural: direction == .rightToLeft ? 1 : 0
        case nil: align.horizontal
        }
    }

    /// Top and bottom of what is aligned, y in the content's plane.
    private func edges(of content: Layer) throws -> (top: Double, bottom: Double) {
        func facts() throws -> TextFacts {
            if let text = content.text { return text }
            throw DrawingError(
                "no-text", .picture, "layout.box \"by\": \"\(height.rawValue)\" needs a text, and none is upstream",
                help: "use \"line\" (the frame) or \"ink\"")
        }
        switch height {
        case .line: return (content.frame.minY, content.frame.maxY)
        case .cap:
            let text = try facts()
            return (text.baseline.y - text.capHeight, text.lastBaseline.y)
        case .x:
            let text = try facts()
            return (text.baseline.y - text.xHeight, text.lastBaseline.y)
        case .ink:
            let ink = content.outline?.inkBounds ?? content.marks.reach
            return ink.isNull ? (content.frame.minY, content.frame.maxY) : (ink.minY, ink.maxY)
        }
    }
}
