import Outline

/// One of the things a layer is made of. Pixels are made of marks only where somebody looks.
public indirect enum Mark: Sendable {
    case body(Body)
    case shadow(Shadow)
    case group(Group)
}

/// Contents that share one silhouette, and what was done to them since: strokes and inner shadows, in order.
public struct Body: Sendable {
    /// Bottom to top.
    public var contents: [Content]
    /// The silhouette in the body's plane; nil: the edge of the contents' alpha.
    public var outline: Outline?
    /// In the order they were applied.
    public var finishes: [Finish]
    /// The boxes that a later fill of this body is laid out in, in the body's plane.
    public var boxes: FillBoxes
    /// How it fades out, its strokes included; nil: not at all.
    public var fade: Fade? {
        get { rareFade?.fade }
        set { rareFade = newValue.map(RareFade.init) }
    }
    /// Few bodies fade, and a label may have ten thousand.
    private var rareFade: RareFade?
    private final class RareFade: Sendable {
        let fade: Fade
        init(_ fade: Fade) { self.fade = fade }
    }
    /// From the body's plane to the layer's.
    public var transform: Affine

    public init(
        contents: [Content], outline: Outline?, finishes: [Finish] = [], boxes: FillBoxes, fade: Fade? = nil,
        transform: Affine = .identity
    ) {
        (self.contents, self.outline, self.finishes) = (contents, outline, finishes)
        (self.boxes, self.rareFade, self.transform) = (boxes, fade.map(RareFade.init), transform)
    }
}

/// What a body shows.
public enum Content: Sendable {
    /// `paint` nil: not painted yet, and drawn black where somebody looks at it.
    case fill(Coverage, Paint?)
    /// Pixels with their own colours, mapped to the body's plane.
    indirect case picture(Picture, Affine)
    case marks([Mark])
}

/// Where something is, from 0 to 1 at each place.
public indirect enum Coverage: Sendable {
    /// The exact area of the outline in each pixel.
    case outline(Outline)
    /// The alpha, or alpha × luminance, of what the marks show.
    case alpha([Mark])
    case luminance([Mark])
    case combined(Coverage, Coverage, Combination)
    case grown(Coverage, Growth)
    case transformed(Coverage, Affine)
}

/// How an edge moves. px
public struct Growth: Hashable, Sendable {
    /// Euclidean; negative shrinks.
    public var distance: Double
    public var join: Join
    /// As in SVG.
    public var miterLimit: Double
    /// Fills the holes that are left.
    public var solid: Bool

    public init(by distance: Double, join: Join = .round, miterLimit: Double = 4, solid: Bool = false) {
        (self.distance, self.join, self.miterLimit, self.solid) = (distance, join, miterLimit, solid)
    }

    /// The outline with its edge moved.
    public func grown(_ outline: Outline) -> Outline {
        let grown = outline.grown(by: distance, join: join, miterLimit: miterLimit)
        return solid ? grown.withoutHoles() : grown
    }

    /// How far outside the edge anything may come to lie.
    fileprivate var outward: Double { join == .miter ? max(distance, 0) * max(miterLimit, 1) : distance }
}

/// Text that fades out, each line by itself: how much is seen at each place, from 1 to 0.
public struct Fade: Hashable, Sendable {
    /// From where all is seen to where nothing is, in a straight line.
    public struct Ramp: Hashable, Sendable {
        public var start, end: Point
        public init(from start: Point, to end: Point) { (self.start, self.end) = (start, end) }
    }

    public struct Line: Hashable, Sendable {
        /// y where the next line's part of the plane begins; the last one has no end.
        public var bottom: Double
        /// nil: all of the line is seen.
        public var ramp: Ramp?
        public init(bottom: Double, ramp: Ramp?) { (self.bottom, self.ramp) = (bottom, ramp) }
    }

    /// From top to bottom.
    public var lines: [Line]
    /// From the lines' plane to the body's.
    public var transform: Affine

    public init(lines: [Line], transform: Affine = .identity) { (self.lines, self.transform) = (lines, transform) }

    public func transformed(by affine: Affine) -> Fade { Fade(lines: lines, transform: transform.then(affine)) }
}

/// The boxes a fill may be laid out in; px, in the body's plane.
public struct FillBoxes: Sendable {
    public struct Part: Sendable {
        public let outline: Outline
        public let box: Rect
        public init(outline: Outline, box: Rect) { (self.outline, self.box) = (outline, box) }
    }

    /// The frame as the mask or shape made it.
    public var text: Rect
    public var lines: [Part]
    public var glyphs: [Part]

    public init(text: Rect, lines: [Part] = [], glyphs: [Part] = []) {
        (self.text, self.lines, self.glyphs) = (text, lines, glyphs)
    }
}

/// What was done to a body after it was filled.
public enum Finish: Sendable {
    case stroke(Stroke)
    case innerShadow(InnerShadow)
}

public enum StrokePosition: String, CaseIterable, Hashable, Sendable { case outside, center, inside }

/// A ring along the silhouette as it was when the stroke was applied.
public struct Stroke: Sendable {
    /// The visible total width. px in the body's plane
    public var width: Double
    /// In the body's plane.
    public var paint: Paint
    public var position: StrokePosition
    public var join: Join
    /// Ratio of miter length to width, as in SVG.
    public var miterLimit: Double
    /// Fills the holes that the stroke leaves.
    public var solid: Bool
    /// The body's silhouette once it has this stroke; nil where only pixels know it.
    public internal(set) var edge: Outline?

    public init(
        width: Double, paint: Paint, position: StrokePosition = .outside, join: Join = .round, miterLimit: Double = 4,
        solid: Bool = false
    ) {
        (self.width, self.paint, self.position) = (width, paint, position)
        (self.join, self.miterLimit, self.solid) = (join, miterLimit, solid)
    }

    /// How far it reaches outside the silhouette. px
    public var outward: Double {
        switch position {
        case .outside: width
        case .center: width / 2
        case .inside: 0
        }
    }

    /// How far it reaches inside the silhouette. px
    public var inward: Double { width - outward }

    /// The silhouette of a body once it has this stroke.
    public func silhouette(of outline: Outline) -> Outline { growth.grown(outline) }

    /// How the silhouette becomes its outer edge.
    public var growth: Growth { Growth(by: outward, join: join, miterLimit: miterLimit, solid: solid) }
}

/// A shadow that the silhouette casts into itself.
public struct InnerShadow: Hashable, Sendable {
    public enum Blend: String, CaseIterable, Hashable, Sendable {
        case normal
        /// Per channel the smaller: it cannot lighten.
        case darken
    }

    public var color: Color
    /// px, y down, in the body's plane
    public var offset: Vector
    /// px
    public var sigma: Double
    public var blend: Blend

    public init(color: Color, offset: Vector, sigma: Double, blend: Blend = .normal) {
        (self.color, self.offset, self.sigma, self.blend) = (color, offset, sigma, blend)
    }
}

/// A shadow cast by marks: color.alpha × Gaussian(alpha of the casters grown by `spread`), moved by `offset`.
public struct Shadow: Sendable {
    /// In the shadow's plane.
    public var casters: [Mark]
    public var color: Color
    /// px, y down, in the shadow's plane
    public var offset: Vector
    /// px
    public var sigma: Double
    /// px; negative shrinks
    public var spread: Double
    /// Not drawn where the casters are.
    public var cut: Bool
    /// From the shadow's plane to the layer's.
    public var transform: Affine

    public init(
        casters: [Mark], color: Color, offset: Vector, sigma: Double, spread: Double = 0, cut: Bool = false,
        transform: Affine = .identity
    ) {
        (self.casters, self.color, self.offset, self.sigma) = (casters, color, offset, sigma)
        (self.spread, self.cut, self.transform) = (spread, cut, transform)
    }
}

/// Marks composed by themselves; opacity, clip and blend act on the result, once.
public struct Group: Sendable {
    public var marks: [Mark]
    public var opacity: Double
    public var blend: BlendMode
    public var space: BlendSpace
    /// In the group's plane.
    public var clip: Coverage?
    /// From the group's plane to the layer's.
    public var transform: Affine

    public init(
        marks: [Mark], opacity: Double = 1, blend: BlendMode = .normal, space: BlendSpace = .srgb,
        clip: Coverage? = nil, transform: Affine = .identity
    ) {
        (self.marks, self.opacity, self.blend) = (marks, opacity, blend)
        (self.space, self.clip, self.transform) = (space, clip, transform)
    }
}

// MARK: - Mapping

extension Mark {
    public func transformed(by affine: Affine) -> Mark {
        switch self {
        case .body(var body):
            body.transform = body.transform.then(affine)
            return .body(body)
        case .shadow(var shadow):
            shadow.transform = shadow.transform.then(affine)
            return .shadow(shadow)
        case .group(var group):
            group.transform = group.transform.then(affine)
            return .group(group)
        }
    }

    public var isShadow: Bool { if case .shadow = self { true } else { false } }
}

// MARK: - Reach

extension Mark {
    /// What can be visible of it, by geometry alone. px in the layer's plane
    public var reach: Rect {
        switch self {
        case .body(let body): body.reach
        case .shadow(let shadow): shadow.reach
        case .group(let group): group.reach
        }
    }
}

extension [Mark] {
    public var reach: Rect { reduce(.null) { $0.union($1.reach) } }
}

extension Body {
    public var reach: Rect {
        var reach = contents.reduce(Rect.null) { $0.union($1.reach) }.union(outline?.bounds ?? .null)
        guard !reach.isEmpty else { return .null }
        for case .stroke(let stroke) in finishes {
            if let edge = stroke.edge, stroke.join == .miter, stroke.outward > 0 {
                // How far its corners reach, their polygons know; curves are flattened in them.
                reach = reach.union(edge.inkBounds.grown(by: Body.flattening))
            } else {
                reach = reach.grown(by: stroke.growth.outward)
            }
        }
        return reach.applying(transform)
    }

    /// More than polygons leave out of curves at scale 1. px
    private static let flattening = 0.04

    /// The silhouette with all that strokes added outside; nil where only pixels know it.
    public var silhouette: Outline? {
        guard var outline else { return nil }
        for case .stroke(let stroke) in finishes { outline = stroke.edge ?? stroke.silhouette(of: outline) }
        return outline
    }
}

extension Content {
    public var reach: Rect {
        switch self {
        case .fill(let coverage, _): coverage.reach
        case .picture(let picture, let affine):
            Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)).applying(affine)
        case .marks(let marks): marks.reach
        }
    }
}

extension Coverage {
    public var reach: Rect {
        switch self {
        case .outline(let outline): outline.bounds
        case .alpha(let marks), .luminance(let marks): marks.reach
        case .combined(let a, let b, let mode):
            switch mode {
            case .union, .exclude: a.reach.union(b.reach)
            case .subtract: a.reach
            case .intersect: a.reach.intersection(b.reach)
            }
        case .grown(let coverage, let growth): coverage.reach.isEmpty ? .null : coverage.reach.grown(by: growth.outward)
        case .transformed(let coverage, let affine): coverage.reach.applying(affine)
        }
    }

    /// The outline that has this coverage exactly, where there is one.
    public var outline: Outline? {
        switch self {
        case .outline(let outline): outline
        case .alpha, .luminance: nil
        case .combined(let a, let b, let mode):
            if let a = a.outline, let b = b.outline { a.combined(with: b, mode) } else { nil }
        case .grown(let coverage, let growth): coverage.outline.map(growth.grown)
        case .transformed(let coverage, let affine): coverage.outline?.transformed(by: affine)
        }
    }
}

extension Shadow {
    public var reach: Rect {
        let caster = casters.reach
        guard !caster.isEmpty else { return .null }
        return caster.grown(by: 3 * sigma + spread).offset(by: offset).applying(transform)
    }
}

extension Group {
    public var reach: Rect {
        var reach = marks.reach
        if let clip { reach = reach.intersection(clip.reach) }
        return reach.isEmpty ? .null : reach.applying(transform)
    }
}
