import CLabelpipePlugin
import LabelpipeKit
import Outline
import Vips

/// What a plugin gave, checked against what it declared, as a layer.
struct PluginResult {
    let facts: PluginFacts.EffectFacts
    let result: lp_result
    /// Its image, taken over before anything can go wrong: nothing of a refused result is lost.
    let image: Image?
    let frame: Rect
    let reach: Rect
    let first: Layer?
    let isDeep: Bool
    let broken: (String) -> DrawingError

    private var kind: LayerKind {
        switch facts.output {
        case LP_COVERAGE: .coverage
        case LP_COLOUR: .colour
        default: first?.kind ?? .colour
        }
    }

    func layer() throws -> Layer {
        guard result.keep == LP_REPLACE || first?.kind == kind else { throw broken("it keeps an input of another kind") }
        let outline = try result.outline.map(self.outline)
        var marks: [Mark] = []
        if let image {
            marks = [try mark(of: image, outline)]
        } else if let outline {
            marks = [.body(Body(contents: [.fill(.outline(outline), paint)], outline: outline, boxes: FillBoxes(text: frame)))]
        }
        var layer = Layer(marks: marks, kind: kind, frame: frame)
        layer.text = first?.text
        switch result.keep {
        case LP_BENEATH: layer.marks = marks + (first?.marks ?? [])
        case LP_ABOVE: layer.marks = (first?.marks ?? []) + marks
        default: break
        }
        layer.outline = result.keep == LP_REPLACE ? outline : first?.outline
        return layer
    }

    private var paint: Paint? {
        guard kind == .colour else { return nil }
        let c = result.color
        return .color(Color(red: c.0, green: c.1, blue: c.2, alpha: c.3))
    }

    private func outline(_ pointer: UnsafePointer<lp_outline>) throws -> Outline {
        let given = pointer.pointee
        guard given.size >= UInt32(MemoryLayout<lp_outline>.size) else { throw broken("lp_outline has \(given.size) bytes") }
        guard given.contour_count == 0 || given.point_counts != nil else { throw broken("an outline's point_counts are NULL") }
        var paths: [Path] = []
        var place = 0
        for contour in 0..<Int(given.contour_count) {
            let count = Int(given.point_counts[contour])
            guard count > 0 else { continue }
            guard place + count <= 100_000_000, let points = given.points else {
                throw broken("an outline's points are NULL or too many")
            }
            var path = Path()
            for index in place..<(place + count) {
                let point = Point(x: points[2 * index], y: points[2 * index + 1])
                guard point.x.isFinite, point.y.isFinite else { throw broken("an outline has a point at \(point.x), \(point.y)") }
                if index == place { path.move(to: point) } else { path.line(to: point) }
            }
            path.close()
            paths.append(path)
            place += count
        }
        let outline = Outline(paths: paths)
        let bounds = outline.bounds
        guard outline.isEmpty || Self.holds(reach.roundedOut, bounds.roundedOut) else {
            throw broken("its outline \(text(bounds)) leaves the reach \(text(reach)) that geometry() gave")
        }
        return outline
    }

    private func mark(of image: Image, _ outline: Outline?) throws -> Mark {
        guard let x = Int(exactly: result.x), let y = Int(exactly: result.y), abs(x) < 100_000_000, abs(y) < 100_000_000 else {
            throw broken("its image lies at \(result.x), \(result.y), which are no whole px")
        }
        let box = Region(x: x, y: y, width: image.width, height: image.height)
        guard Self.holds(reach.roundedOut, box) else {
            throw broken(
                "its image, \(box.width) × \(box.height) at \(x), \(y), leaves the reach \(text(reach)) that geometry() gave")
        }
        let shift = Affine.translation(dx: Double(x), dy: Double(y))
        let boxes = FillBoxes(text: frame)
        guard kind == .colour else {
            let seen = Mark.body(Body(contents: [.picture(Picture(try coverage(image)), shift)], outline: nil, boxes: boxes))
            return .body(Body(contents: [.fill(.alpha([seen]), nil)], outline: outline, boxes: boxes))
        }
        return .body(Body(contents: [.picture(Picture(try straight(image)), shift)], outline: outline, boxes: boxes))
    }

    /// What a sample at its most is.
    private func full(of image: Image) throws -> Double {
        switch image.format {
        case .uchar, .float: return 255
        case .ushort: return 65535
        default: throw broken("its image has samples of type \(image.format); 8 bit, 16 bit and float are known")
        }
    }

    /// Black, with the coverage as alpha.
    private func coverage(_ image: Image) throws -> Image {
        guard image.bands == 1 else { throw broken("its coverage has \(image.bands) bands, not 1") }
        _ = try full(of: image)
        let alpha = try whole(image, as: image.format)
        let black = try Operation("linear").set("in", alpha).set("a", [0.0, 0, 0]).set("b", [0.0, 0, 0]).image().cast(
            alpha.format)
        return try interpreted(Operation("bandjoin").set("in", [black, alpha]).image())
    }

    private func straight(_ image: Image) throws -> Image {
        let full = try full(of: image)
        switch (result.alpha, image.bands) {
        case (LP_OPAQUE, 3), (LP_STRAIGHT, 4): return try interpreted(whole(image, as: image.format))
        case (LP_PREMULTIPLIED, 4):
            let apart = try Operation("unpremultiply").set("in", image).set("max_alpha", full).image()
            return try interpreted(whole(apart, as: image.format))
        default:
            throw broken("its image has \(image.bands) bands and alpha \(result.alpha)")
        }
    }

    private func interpreted(_ image: Image) throws -> Image {
        try image.copy(interpretation: image.format == .ushort ? .rgb16 : .srgb)
    }

    /// Whole samples, clipped (a cast alone cuts them off): of what was given in float, as deep as the first input.
    private func whole(_ image: Image, as given: PixelFormat) throws -> Image {
        guard image.format == .float else { return image }
        let isScaled = given == .float && isDeep
        return try Operation("linear").set("in", image).set("a", [isScaled ? 257.0 : 1]).set("b", [0.5]).image().cast(
            isScaled || given == .ushort ? .ushort : .uchar)
    }

    private func text(_ rect: Rect) -> String { "\(rect.width) × \(rect.height) at \(rect.x), \(rect.y)" }

    private static func holds(_ outer: Region, _ inner: Region) -> Bool {
        inner.isEmpty || outer.intersection(inner) == inner
    }
}
