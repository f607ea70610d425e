import Outline

/// What colours a place: evaluated in its own plane, which `transform` maps to the body's.
public indirect enum Paint: Sendable {
    case color(Color)
    case gradient(Gradient)
    case pattern(Pattern)
    /// Each outline has a paint of its own (a gradient per line or glyph). A pixel that several share takes the
    /// mean by their areas in it; one that none covers takes the nearest's.
    case parts([(outline: Outline, paint: Paint)])

    public func transformed(by affine: Affine) -> Paint {
        switch self {
        case .color: self
        case .gradient(var gradient):
            {
                gradient.transform = gradient.transform.then(affine)
                return .gradient(gradient)
            }()
        case .pattern(var pattern):
            {
                pattern.transform = pattern.transform.then(affine)
                return .pattern(pattern)
            }()
        case .parts(let parts):
            .parts(parts.map { ($0.outline.transformed(by: affine), $0.paint.transformed(by: affine)) })
        }
    }

    /// Nothing below it shows where it is.
    public var isOpaque: Bool {
        switch self {
        case .color(let color): color.isOpaque
        case .gradient(let gradient): gradient.stops.allSatisfy { $0.color.isOpaque }
        case .pattern: false
        case .parts(let parts): parts.allSatisfy { $0.paint.isOpaque }
        }
    }

    /// Only grey tones, or nothing that is seen: it can be drawn on a grey picture.
    public var leavesGrey: Bool {
        switch self {
        case .color(let color): color.leavesGrey
        case .gradient(let gradient):
            gradient.stops.allSatisfy { $0.color.isGrey } || gradient.stops.allSatisfy { $0.color.isTransparent }
        case .pattern: false
        case .parts(let parts): parts.allSatisfy { $0.paint.leavesGrey }
        }
    }
}

/// A gradient laid out in px on a plane.
///
/// **Source**: effects.md, "Fills"; interpolation is component-wise on straight values of `space`.
public struct Gradient: Hashable, Sendable {
    public enum Shape: Hashable, Sendable {
        /// Along the line from `start` to `end`; equal points paint the last colour.
        case linear(start: Point, end: Point)
        case radial(center: Point, radius: Double)
        /// Once round, clockwise from `angle` degrees (0: upwards).
        case conic(center: Point, angle: Double)
    }

    public struct Stop: Hashable, Sendable {
        /// From 0 to 1, never smaller than the stop before.
        public var position: Double
        public var color: Color
        public init(position: Double, color: Color) { (self.position, self.color) = (position, color) }
    }

    public enum Space: String, CaseIterable, Hashable, Sendable { case srgb, linear, oklab }

    public var shape: Shape
    public var stops: [Stop]
    public var space: Space
    /// From the gradient's plane to the body's.
    public var transform: Affine

    public init(shape: Shape, stops: [Stop], space: Space = .srgb, transform: Affine = .identity) {
        (self.shape, self.stops, self.space, self.transform) = (shape, stops, space, transform)
    }
}

/// A picture used as a paint.
public struct Pattern: Sendable {
    /// The picture's own marks; repeated, or drawn once into `cell`.
    public var marks: [Mark]
    /// The part of the marks' plane that is one tile. px
    public var cell: Rect
    public var repeats: Bool
    /// From the marks' plane to the body's.
    public var transform: Affine

    public init(marks: [Mark], cell: Rect, repeats: Bool, transform: Affine = .identity) {
        (self.marks, self.cell, self.repeats, self.transform) = (marks, cell, repeats, transform)
    }
}
