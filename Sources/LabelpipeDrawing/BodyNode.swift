import LabelpipeKit
import Outline

/// Contents with one silhouette, its strokes and inner shadows.
///
/// C is the contents' composite, M the silhouette's coverage, S a stroke's paint, A ⊇ M ⊇ B the stroke's outer and inner edge:
///
///     C ← C/M · B  +  (S over C/M) · (M − B)  +  S · (A − M);   M ← A
///
/// so that each part of a pixel is painted once: no seam, no rim, at any alpha. Where there are several strokes, `Bands` holds C's parts.
final class BodyNode: Node {
    private enum Part: Sendable {
        case fill(any CoverageSource, Brush)
        /// A picture, or marks.
        case other([any Node])

        var box: Region {
            switch self {
            case .fill(let source, _): source.box
            case .other(let nodes): nodes.reduce(.empty) { $0.union($1.box) }
            }
        }
    }

    private enum Silhouette: Sendable {
        /// That of the only fill.
        case fill
        case outline(any CoverageSource)
        /// The union of what the contents cover.
        case contents([any CoverageSource])
        /// Not needed: no finish asks for it.
        case none
    }

    let box: Region
    private let parts: [Part]
    private let silhouette: Silhouette
    private let steps: [BodyStep]
    private let hasSeveralStrokes: Bool
    /// A text that fades out does so with its strokes.
    private let fade: FadeField?

    init(_ body: Body, _ preparer: Preparer) throws {
        fade = body.fade.map { FadeField($0, preparer.device) }
        let contents = try body.contents.map { try BodyNode.part($0, preparer) }
        parts = contents
        var box = contents.reduce(Region.empty) { (all: Region, part: Part) in all.union(part.box) }
        let finishes = body.finishes.filter(\.isVisible)
        if finishes.isEmpty {
            silhouette = .none
            steps = []
            hasSeveralStrokes = false
            self.box = box
            return
        }
        var edge: Edge
        if let outline = body.outline {
            edge = .outline(outline)
            if contents.count == 1, case .fill(.outline(let own), _) = body.contents[0], own === outline {
                silhouette = .fill
            } else {
                silhouette = .outline(try BodyNode.silhouette(of: contents, within: outline, preparer))
            }
        } else {
            let margin = body.finishes.reduce(0.0) { if case .stroke(let s) = $1 { $0 + s.width } else { $0 } }
            let traced = try body.contents.map { try BodyNode.trace($0, margin: margin, preparer) }
            let outline = Outline.union(traced.map(\.edge))
            // Inside its edge a logo is whole, however its parts differ in opacity: no stroke shines through it.
            let coverage = traced.map(\.coverage) + [{ BodyNode.core(of: outline, $0) }]
            edge = .contents(coverage, outline)
            silhouette = .contents(try coverage.map { try $0(preparer) })
        }
        var steps: [BodyStep] = []
        for finish in finishes {
            switch finish {
            case .stroke(let stroke):
                let outline = edge.outline
                let grown = preparer.memo.silhouette(stroke, of: outline)
                let outer = grown === outline ? nil : preparer.source(grown)
                let inner =
                    stroke.inward > 0
                    ? preparer.source(
                        preparer.memo.grown(outline, by: -stroke.inward, join: stroke.join, miterLimit: stroke.miterLimit)) : nil
                steps.append(.stroke(Ring(outer: outer, inner: inner, brush: try preparer.brush(stroke.paint))))
                if let outer {
                    box = box.union(outer.box)
                    edge = .outline(grown)
                }
            case .innerShadow(let shadow):
                let casting = edge
                let lit = try preparer.blurred(sigma: shadow.sigma, offset: shadow.offset, reach: edge.outline.bounds) {
                    try casting.source($0)
                }
                steps.append(.innerShadow(lit: lit, color: shadow.color.vector, shadow.blend))
            }
        }
        self.steps = steps
        hasSeveralStrokes = steps.count { if case .stroke = $0 { true } else { false } } > 1
        self.box = box
    }

    // MARK: Preparing

    /// A silhouette at some step, at any transform.
    private enum Edge {
        case outline(Outline)
        case contents([(Preparer) throws -> any CoverageSource], Outline)

        var outline: Outline {
            switch self {
            case .outline(let outline), .contents(_, let outline): outline
            }
        }

        func source(_ preparer: Preparer) throws -> any CoverageSource {
            switch self {
            case .outline(let outline): preparer.source(outline)
            case .contents(let parts, _):
                try parts.dropFirst().reduce(try parts[0](preparer)) { CombinedSource($0, try $1(preparer), .union) }
            }
        }
    }

    /// What contents cover that have an outline all the same. At the edge of a picture in it (a colour glyph) that is the picture's
    /// own alpha: by the outline's coverage the ground would shine through between picture and stroke.
    private static func silhouette(of parts: [Part], within outline: Outline, _ preparer: Preparer) throws -> any CoverageSource {
        var pictures: [any Node] = []
        for case .other(let nodes) in parts { pictures += nodes }
        if pictures.isEmpty { return preparer.source(outline) }
        var all: any CoverageSource = CombinedSource(core(of: outline, preparer), MarksSource(pictures, .alpha(peak: 1)), .union)
        for case .fill(let coverage, _) in parts { all = CombinedSource(all, coverage, .union) }
        return all
    }

    /// What lies more than a pixel inside.
    private static func core(of outline: Outline, _ preparer: Preparer) -> any CoverageSource {
        preparer.source(preparer.memo.grown(outline, by: -1 / preparer.scale, join: .round, miterLimit: 4))
    }

    private static func part(_ content: Content, _ preparer: Preparer) throws -> Part {
        switch content {
        case .fill(let coverage, let paint):
            .fill(try preparer.source(coverage), try preparer.brush(paint ?? .color(.black)))
        case .picture(let picture, let affine): .other([try PictureNode(picture, preparer.inner(affine))])
        case .marks(let marks): .other(try preparer.nodes(marks))
        }
    }

    /// What a content covers where its outline is not known: its alpha in proportion to its most opaque place.
    private static func trace(_ content: Content, margin: Double, _ preparer: Preparer) throws
        -> (edge: Outline, coverage: (Preparer) throws -> any CoverageSource)
    {
        switch content {
        case .fill(let coverage, _):
            if let outline = coverage.outline { return (outline, { $0.source(outline) }) }
            let make: (Preparer) throws -> any CoverageSource = { try $0.source(coverage) }
            return (try preparer.traced(reach: content.reach, margin: margin, make).0, make)
        case .picture(let picture, let affine):
            if !picture.image.hasAlpha {
                let size = Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
                let outline = Outline(.rectangle(size)).transformed(by: affine)
                return (outline, { $0.source(outline) })
            }
            let nodes: @Sendable (Preparer) throws -> [any Node] = { [try PictureNode(picture, $0.inner(affine))] }
            return try trace(nodes, content.reach, margin, preparer)
        case .marks(let marks):
            return try trace({ try $0.nodes(marks) }, content.reach, margin, preparer)
        }
    }

    private static func trace(
        _ nodes: @escaping (Preparer) throws -> [any Node], _ reach: Rect, _ margin: Double, _ preparer: Preparer
    ) throws -> (edge: Outline, coverage: (Preparer) throws -> any CoverageSource) {
        let (edge, peak) = try preparer.traced(reach: reach, margin: margin) { MarksSource(try nodes($0), .alpha(peak: 1)) }
        return (edge, { MarksSource(try nodes($0), .alpha(peak: peak)) })
    }

    // MARK: Drawing

    func draw(on target: Target) throws {
        let region = target.region.intersection(box)
        if region.isEmpty { return }
        if case .none = silhouette {
            guard let fade else {
                for part in parts { try BodyNode.draw(part, on: target.part(region)) }
                return
            }
            let canvas = Canvas(region)
            for part in parts { try BodyNode.draw(part, on: canvas.target) }
            for y in region.y..<region.maxY {
                fade.apply(to: canvas.row(y), x: region.x, y: y, count: region.width)
                Compositing.blend(canvas.row(y), onto: target.row(y) + (region.x &- target.region.x), count: region.width)
            }
            return
        }
        let covered = Mask(region)
        let contents = try contents(of: region, covered)
        var outermost = covered
        let prepared = try steps.map { step in
            let made = try PreparedStep(step, region, within: outermost)
            outermost = made.outer ?? outermost
            return made
        }
        let first: (Brush, Canvas?)? =
            if case .fill = silhouette, case .fill(_, let brush) = parts[0] {
                (brush, try brush.prepared(for: region, where: covered))
            } else {
                nil
            }
        let line = UnsafeMutablePointer<Pixel>.allocate(capacity: 2 * region.width)
        defer { line.deallocate() }
        let paint = line + region.width
        // The outermost edge decides where a row begins and ends; contents without an outline may lie anywhere.
        for y in region.y..<region.maxY {
            var (start, end) = (0, region.width)
            if contents == nil, let span = BodyNode.span(outermost.row(y), end) {
                (start, end) = span
            } else if contents == nil {
                continue
            }
            let count = end &- start
            let m = covered.row(y) + start
            if let contents {
                line.update(from: contents.row(y), count: count)
            } else if let (brush, canvas) = first {
                brush.row(y, from: region.x &+ start, count: count, canvas, into: line)
                for i in 0..<count { line[i] *= m[i] }
            }
            if hasSeveralStrokes {
                var bands = Bands(line, m, count: count)
                for step in prepared { step.apply(y, start, count, m, &bands, paint) }
                bands.write(to: line)
            } else {
                for step in prepared { step.apply(y, start, count, m, line, paint) }
            }
            fade?.apply(to: line, x: region.x &+ start, y: y, count: count)
            let out = target.row(y) + (region.x &+ start &- target.region.x)
            for i in 0..<count {
                let s = line[i]
                out[i] = s + out[i] * (1 - s.w)
            }
        }
    }

    /// Fills `covered` with M, and gives C unless it is the only fill's paint times M.
    private func contents(of region: Region, _ covered: Mask) throws -> Canvas? {
        if case .fill = silhouette, case .fill(let source, _) = parts[0] {
            try source.coverage(in: region, into: covered.values, rowStride: covered.stride)
            return nil
        }
        let canvas = Canvas(region)
        for part in parts { try BodyNode.draw(part, on: canvas.target) }
        switch silhouette {
        case .fill, .none: break
        case .outline(let source):
            try source.coverage(in: region, into: covered.values, rowStride: covered.stride)
            // What lies outside the outline (an emoji among letters) is covered all the same.
            for i in 0..<covered.count { covered.values[i] = max(covered.values[i], canvas.pixels[i].w) }
        case .contents(let sources):
            let one = Mask(region)
            for source in sources {
                try source.coverage(in: region, into: one.values, rowStride: one.stride)
                for i in 0..<covered.count { covered.values[i] += one.values[i] * (1 - covered.values[i]) }
            }
        }
        return canvas
    }

    private static func draw(_ part: Part, on target: Target) throws {
        switch part {
        case .other(let nodes): for node in nodes { try node.draw(on: target) }
        case .fill(let source, let brush):
            let region = target.region.intersection(source.box)
            if region.isEmpty { return }
            let mask = Mask(region)
            try source.coverage(in: region, into: mask.values, rowStride: mask.stride)
            let canvas = try brush.prepared(for: region, where: mask)
            let line = UnsafeMutablePointer<Pixel>.allocate(capacity: region.width)
            defer { line.deallocate() }
            for y in region.y..<region.maxY {
                guard let (start, end) = span(mask.row(y), region.width) else { continue }
                let m = mask.row(y) + start
                brush.row(y, from: region.x &+ start, count: end &- start, canvas, into: line)
                let out = target.row(y) + (region.x &+ start &- target.region.x)
                for i in 0..<(end &- start) where m[i] != 0 {
                    let s = line[i] * m[i]
                    out[i] = s + out[i] * (1 - s.w)
                }
            }
        }
    }

    /// From the first covered pixel of a row to the one after the last.
    @inline(__always)
    private static func span(_ row: UnsafePointer<Float>, _ width: Int) -> (Int, Int)? {
        var (start, end) = (0, width)
        while start < end, row[start] == 0 { start &+= 1 }
        if start == end { return nil }
        while row[end &- 1] == 0 { end &-= 1 }
        return (start, end)
    }
}

extension Finish {
    /// It changes something.
    var isVisible: Bool {
        switch self {
        case .stroke(let stroke): stroke.width > 0
        case .innerShadow(let shadow): !shadow.color.isTransparent && (shadow.sigma > 0 || shadow.offset != .zero)
        }
    }
}
