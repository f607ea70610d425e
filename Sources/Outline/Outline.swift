import Glibc
import Synchronization

/// How the joints of a grown edge look. The corners of an outline join so; joints inside a flattened curve are round in any case.
public enum Join: String, Sendable, CaseIterable {
    case round, miter, bevel
}

/// What of two areas stays.
public enum Combination: String, Sendable, CaseIterable {
    case union, subtract, intersect, exclude
}

/// An area of the plane with exact edges: a text, a shape, their strokes' edges. **Units**: px, y down.
///
/// An outline is a recipe and immutable. It becomes polygons when somebody asks for them, at the scale it is drawn at, and keeps them
/// (under a lock, so that threads that need the same polygons make them once).
///
/// **Cost**: making one and asking for its `bounds` costs nothing worth mentioning; `polygons` does the work, once per scale.
public final class Outline: Sendable {
    /// What was asked for.
    enum Recipe: Sendable {
        case paths([Path])
        /// As `Path.ellipse(in:)`, whose curves are twenty times as large as this.
        case ellipse(Rect)
        case deferred(@Sendable (_ scale: Double) -> Polygons)
        case transformed(Outline, Affine)
        case grown(Outline, by: Double, Join, miterLimit: Double)
        case withoutHoles(Outline)
        case combined(Outline, Outline, Combination)
        case union([Outline])
    }

    let recipe: Recipe

    /// A box around the outline, by geometry alone: tight for paths, otherwise possibly too large (miters are counted at their limit),
    /// never too small. Null if nothing is there.
    public let bounds: Rect

    /// The latest polygons, by scale step.
    private let cache = Mutex<[(step: Int, polygons: Polygons)]>([])

    init(_ recipe: Recipe, bounds: Rect) {
        self.recipe = recipe
        self.bounds = bounds
    }

    public static let empty = Outline(.union([]), bounds: .null)

    public convenience init(_ path: Path) {
        self.init(paths: [path])
    }

    /// The union of paths. Each one (a glyph, a shape) is united by the non-zero rule for itself first: font formats wind in opposite
    /// directions, and two overlapping glyphs must not cut each other out.
    public convenience init(paths: [Path]) {
        let bounds = paths.reduce(Rect.null) { $0.union($1.bounds) }
        self.init(.paths(paths), bounds: bounds)
    }

    /// The ellipse that touches all four sides.
    public static func ellipse(in rect: Rect) -> Outline {
        let bounds = Path.ellipse(in: rect).bounds
        return Outline(.ellipse(rect), bounds: bounds)
    }

    /// An outline that is found when it is needed, e.g. the traced edge of a picture's alpha.
    ///
    /// - Parameters:
    ///   - bounds: a box that holds everything that `make` may return.
    ///   - make: called once per scale; gives disjoint, oriented polygons in the outline's own coordinates.
    public static func deferred(bounds: Rect, _ make: @Sendable @escaping (_ scale: Double) -> Polygons) -> Outline {
        Outline(.deferred(make), bounds: bounds)
    }

    public func transformed(by affine: Affine) -> Outline {
        if affine.isIdentity || bounds.isNull { return self }
        switch recipe {
        case .transformed(let source, let before):
            return source.transformed(by: before.then(affine))
        case .paths(let paths) where !affine.isTranslation:
            let bounds = paths.reduce(Rect.null) { $0.union($1.transformed(by: affine).bounds) }
            return Outline(.transformed(self, affine), bounds: bounds)
        case .ellipse(let rect) where !affine.isTranslation:
            return Outline(.transformed(self, affine), bounds: Path.ellipse(in: rect).transformed(by: affine).bounds)
        default:
            return Outline(.transformed(self, affine), bounds: bounds.applying(affine))
        }
    }

    /// Everything within `distance` px of the outline; with a negative one, what is further than that from all that lies outside.
    ///
    /// - Parameter miterLimit: the largest ratio of a miter's length to the width of the stroke (2 · `distance`), as in SVG;
    ///   a corner beyond it becomes a bevel.
    public func grown(by distance: Double, join: Join = .round, miterLimit: Double = 4) -> Outline {
        if distance == 0 || !distance.isFinite || bounds.isNull { return self }
        // A miter's point lies up to limit · distance from its corner. A corner that is cut keeps what a round one would lose: bevels,
        // and miters beyond their limit, may leave a spike of what shrinks as long as it was.
        let reach =
            switch join {
            case .round: distance
            case .bevel: max(distance, 0)
            case .miter: max(distance, 0) * max(miterLimit, 1)
            }
        let bounds = self.bounds.grown(by: reach)
        return bounds.isNull
            ? .empty
            : Outline(
                .grown(self, by: distance, join, miterLimit: miterLimit), bounds: bounds)
    }

    /// The same with every hole filled.
    public func withoutHoles() -> Outline {
        bounds.isNull ? self : Outline(.withoutHoles(self), bounds: bounds)
    }

    public func combined(with other: Outline, _ mode: Combination) -> Outline {
        let bounds: Rect
        switch mode {
        case .union:
            return .union([self, other])
        case .subtract:
            if other.bounds.isNull || self.bounds.isNull { return self }
            bounds = self.bounds
        case .intersect:
            bounds = self.bounds.intersection(other.bounds)
            if bounds.isEmpty { return .empty }
        case .exclude:
            if other.bounds.isNull { return self }
            if self.bounds.isNull { return other }
            bounds = self.bounds.union(other.bounds)
        }
        return Outline(.combined(self, other, mode), bounds: bounds)
    }

    public static func union(_ outlines: [Outline]) -> Outline {
        let present = outlines.filter { !$0.bounds.isNull }
        if present.isEmpty { return .empty }
        if present.count == 1 { return present[0] }
        let bounds = present.reduce(Rect.null) { $0.union($1.bounds) }
        return Outline(.union(present), bounds: bounds)
    }

    /// Whether nothing can be there, by geometry alone. False does not promise ink: a shape may have been shrunk or subtracted away.
    public var isEmpty: Bool { bounds.isEmpty }

    /// The box of the polygons at scale 1. **Cost**: that of `polygons()`, which it keeps.
    public var inkBounds: Rect { polygons().bounds }

    /// The outline as disjoint polygons, in its own coordinates (`scale` does not multiply them).
    ///
    /// - Parameter scale: device pixels per px of the outline. Curves are off by at most 0.02 / scale px, arcs of joins by 0.01 / scale.
    public func polygons(scale: Double = 1) -> Polygons {
        if bounds.isNull { return .empty }
        let step = Outline.step(scale)
        // What another one keeps is not kept twice: to move points costs less than the room for a copy.
        if case .transformed = recipe { return evaluate(scale: exp2(Double(step) / 4)) }
        return cache.withLock { cache in
            if let known = cache.first(where: { $0.step == step }) { return known.polygons }
            let polygons = evaluate(scale: exp2(Double(step) / 4))
            if cache.count == 4 { cache.removeFirst() }
            cache.append((step, polygons))
            return polygons
        }
    }

    /// Whether its polygons are made of curves alone: made again they cost less than the room to keep them, where there are many.
    package var isPlain: Bool {
        switch recipe {
        case .paths, .ellipse: true
        case .transformed(let source, _): source.isPlain
        case .deferred, .grown, .withoutHoles, .combined, .union: false
        }
    }

    /// The polygons, which are not kept for this.
    package func passingPolygons(scale: Double) -> Polygons {
        switch recipe {
        case .transformed(let source, let affine):
            return source.passingPolygons(scale: scale * affine.maximumScale).transformed(by: affine)
        case .paths where !bounds.isNull, .ellipse where !bounds.isNull:
            let step = Outline.step(scale)
            return cache.withLock { cache in cache.first { $0.step == step }?.polygons }
                ?? evaluate(scale: exp2(Double(step) / 4))
        default: return polygons(scale: scale)
        }
    }

    /// A quarter of an octave: scales that differ by rounding noise, or hardly, share their polygons.
    private static func step(_ scale: Double) -> Int {
        let wanted = scale.isFinite && scale > 0 ? min(max(scale, 0x1p-20), 0x1p20) : 1
        return Int((log2(wanted) * 4 - 1e-6).rounded(.up))
    }

    /// Of the polygons that are kept. **Units**: bytes
    var keptBytes: Int {
        cache.withLock { cache in cache.reduce(0) { $0 + $1.polygons.coordinates.count * 8 + $1.polygons.starts.count * 8 } }
    }
}
