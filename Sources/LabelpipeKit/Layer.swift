import Outline

/// What flows along an edge: marks on an unbounded plane (px, y down), and the facts that layout needs.
///
/// A layer is data. Mapping it maps the marks exactly; pixels are made at `place`, `tile`, `vips.*` and outputs.
public struct Layer: Sendable {
    /// Bottom to top.
    public var marks: [Mark]
    public var kind: LayerKind
    /// The layout box; nothing is ever cut at it.
    public var frame: Rect
    /// What is known of the first text upstream.
    public var text: TextFacts?
    /// The silhouette; nil: a layer that lends its alpha (a logo).
    public var outline: Outline?
    /// The same number means the same layer, within one process; nil where it is not known to recur. Set by the
    /// engine after each effect, read by caches of drawn labels.
    public package(set) var identity: Int?

    public init(marks: [Mark], kind: LayerKind, frame: Rect, text: TextFacts? = nil, outline: Outline? = nil) {
        (self.marks, self.kind, self.frame, self.text, self.outline) = (marks, kind, frame, text, outline)
    }

    /// Where anything can be visible, by geometry alone, rounded outwards. px
    public var reach: Region { marks.reach.isEmpty ? Region(x: 0, y: 0, width: 0, height: 0) : marks.reach.roundedOut }

    /// The layer moved, turned or scaled with all its facts; the frame becomes the box round the mapped one.
    public func transformed(by affine: Affine) -> Layer {
        if affine.isIdentity { return self }
        var layer = self
        layer.marks = marks.map { $0.transformed(by: affine) }
        layer.frame = frame.applying(affine)
        layer.outline = outline?.transformed(by: affine)
        layer.text = text?.transformed(by: affine)
        return layer
    }

    public func moved(by offset: Vector) -> Layer { transformed(by: .translation(dx: offset.dx, dy: offset.dy)) }

    /// The picture, where the layer is nothing but one in its own frame, as it was read or placed on.
    public var picture: Picture? {
        guard marks.count == 1, case .body(let body) = marks[0], body.finishes.isEmpty, body.transform.isIdentity,
            body.contents.count == 1, case .picture(let picture, let affine) = body.contents[0], affine.isIdentity,
            frame == Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        else { return nil }
        return picture
    }

    /// A layer that is one picture, its top left at (0, 0).
    public init(_ picture: Picture) {
        let frame = Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        let body = Body(contents: [.picture(picture, .identity)], outline: nil, boxes: FillBoxes(text: frame))
        self.init(marks: [.body(body)], kind: .colour, frame: frame)
    }
}

/// What layout and lengths need to know of a text. px, in the layer's plane
public struct TextFacts: Hashable, Sendable {
    public enum Direction: Hashable, Sendable { case leftToRight, rightToLeft }

    /// The text size after fitting: one em.
    public var size: Double
    /// The first line's pen origin.
    public var baseline: Point
    /// The last line's pen origin.
    public var lastBaseline: Point
    public var capHeight: Double
    public var xHeight: Double
    public var direction: Direction

    public init(
        size: Double, baseline: Point, lastBaseline: Point, capHeight: Double, xHeight: Double, direction: Direction
    ) {
        (self.size, self.baseline, self.lastBaseline) = (size, baseline, lastBaseline)
        (self.capHeight, self.xHeight, self.direction) = (capHeight, xHeight, direction)
    }

    /// One em stays: `layout.scale` does not change what `em` means.
    func transformed(by affine: Affine) -> TextFacts {
        var facts = self
        facts.baseline = affine.apply(baseline)
        facts.lastBaseline = affine.apply(lastBaseline)
        let up = affine.apply(Vector(dx: 0, dy: 1))
        let factor = (up.dx * up.dx + up.dy * up.dy).squareRoot()
        facts.capHeight *= factor
        facts.xHeight *= factor
        return facts
    }
}
