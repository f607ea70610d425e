import Diagnostics
import Outline

/// The keys of a gradient, wherever one may be written: in `fill.gradient` and in every paint.
public enum GradientKeys {
    public enum Shape: String, CaseIterable, Sendable { case linear, radial, conic }
    public enum Box: String, CaseIterable, Sendable { case text, frame, ink, line, glyph }

    public static let colors = Parameter.list(of: Parameter.color("colors", doc: "colours along the gradient"))
    public static let stops = Parameter.list(
        of: Parameter.number(
            "stops", range: 0...1, doc: "where each colour stands, 0 to 1, ascending; absent: evenly spaced")
    ).optional
    public static let type = Parameter<Shape>.choice("type", default: "linear", doc: "shape of the gradient")
    public static let start = Parameter.point(
        "start", default: [0.5, 0.2], doc: "linear: where the first colour stands, as fractions of the box")
    public static let end = Parameter.point(
        "end", default: [0.5, 0.8], doc: "linear: where the last colour stands, as fractions of the box")
    public static let center = Parameter.point(
        "center", default: [0.5, 0.5], doc: "radial, conic: the centre, as fractions of the box")
    public static let radius = Parameter.number(
        "radius", default: 1, range: 0...1000, doc: "radial: fraction of half the box's longer side")
    public static let angle = Parameter.angle("angle", default: 0, doc: "conic: where the first colour stands, 0 is up")
    public static let box = Parameter<Box>.choice(
        "box", default: "text",
        doc:
            "what the fractions are of: the frame as the mask or shape made it, the present frame, the ink, each line, each glyph"
    )
    public static let space = Parameter<Gradient.Space>.choice(
        "space", default: "srgb", doc: "colour space of the interpolation")
    public static let over = Parameter.color("over", doc: "a colour under each stop").optional

    public static let all: [any AnyParameter] = [
        colors, stops, type, start, end, center, radius, angle, box, space, over,
    ]
}

/// A gradient whose geometry is still fractions of a box.
public struct GradientValue: Hashable, Sendable {
    public var colors: [Color]
    public var stops: [Double]?
    public var type: GradientKeys.Shape
    public var start, end, center: Point
    public var radius: Double
    public var angle: Double
    public var box: GradientKeys.Box
    public var space: Gradient.Space
    public var over: Color?

    /// **Errors**: a number of stops other than the colours', stops that descend, no colours.
    public init(_ arguments: Arguments) throws {
        colors = arguments[GradientKeys.colors]
        stops = arguments[GradientKeys.stops]
        type = arguments[GradientKeys.type]
        start = arguments[GradientKeys.start]
        end = arguments[GradientKeys.end]
        center = arguments[GradientKeys.center]
        radius = arguments[GradientKeys.radius]
        angle = arguments[GradientKeys.angle]
        box = arguments[GradientKeys.box]
        space = arguments[GradientKeys.space]
        over = arguments[GradientKeys.over]
        if colors.isEmpty {
            throw arguments.problem(GradientKeys.colors, expected: "at least one color", got: "an empty list")
        }
        if let stops {
            if stops.count != colors.count {
                throw arguments.problem(
                    GradientKeys.stops, expected: "as many stops as colors (\(colors.count))", got: "\(stops.count)")
            }
            if zip(stops, stops.dropFirst()).contains(where: { $0 > $1 }) {
                throw arguments.problem(GradientKeys.stops, expected: "ascending stops", got: "\(stops)")
            }
        }
    }

    /// The gradient laid out in `rect`.
    public func laidOut(in rect: Rect) -> Paint {
        var colors = self.colors
        if let over {
            // FXLabel: rgb = a·stop + (1−a)·over
            colors = colors.map { stop in
                Color(
                    red: stop.alpha * stop.red + (1 - stop.alpha) * over.red,
                    green: stop.alpha * stop.green + (1 - stop.alpha) * over.green,
                    blue: stop.alpha * stop.blue + (1 - stop.alpha) * over.blue,
                    alpha: stop.alpha + (1 - stop.alpha) * over.alpha)
            }
        }
        guard colors.count > 1 else { return .color(colors[0]) }
        let positions = stops ?? colors.indices.map { Double($0) / Double(colors.count - 1) }
        func place(_ p: Point) -> Point { Point(x: rect.x + p.x * rect.width, y: rect.y + p.y * rect.height) }
        let shape: Gradient.Shape
        switch type {
        case .linear: shape = .linear(start: place(start), end: place(end))
        case .radial: shape = .radial(center: place(center), radius: radius * max(rect.width, rect.height) / 2)
        case .conic: shape = .conic(center: place(center), angle: angle)
        }
        return .gradient(
            Gradient(
                shape: shape, stops: zip(positions, colors).map { Gradient.Stop(position: $0, color: $1) },
                space: space))
    }
}

extension PaintValue {
    /// The paint laid out for a body: in its own boxes, or in the layer's present frame.
    ///
    /// - Parameter frame: the layer's frame, in the layer's plane.
    public func laidOut(for body: Body, frame: Rect) -> Paint {
        switch self {
        case .color(let color): return .color(color)
        case .gradient(let gradient):
            switch gradient.box {
            case .text: return gradient.laidOut(in: body.boxes.text)
            case .frame:
                let paint = gradient.laidOut(in: frame)
                return body.transform.inverse.map { paint.transformed(by: $0) } ?? paint
            case .ink: return gradient.laidOut(in: body.outline?.inkBounds ?? body.boxes.text)
            case .line: return gradient.laidOut(inEach: body.boxes.lines, otherwise: body.boxes.text)
            case .glyph: return gradient.laidOut(inEach: body.boxes.glyphs, otherwise: body.boxes.text)
            }
        }
    }
}

extension GradientValue {
    fileprivate func laidOut(inEach parts: [FillBoxes.Part], otherwise box: Rect) -> Paint {
        guard !parts.isEmpty else { return laidOut(in: box) }
        return .parts(parts.map { ($0.outline, laidOut(in: $0.box)) })
    }
}
