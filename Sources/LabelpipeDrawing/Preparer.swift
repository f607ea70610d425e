import LabelpipeKit
import Outline
import Synchronization

/// Makes marks ready to be drawn: what depends on the transform only is calculated here, once.
struct Preparer: Sendable {
    /// From the plane of what is prepared to the device's.
    var device: Affine
    /// The pixels that can ever be asked for.
    var clip: Region
    /// Device px of the finished picture a px of `device`: above 1 on the coarse cells of a shadow, which use the same polygons.
    var detail = 1.0
    let memo = Memo()

    init(device: Affine, clip: Region) { (self.device, self.clip) = (device, clip) }

    /// The same on a plane that `transform` maps to this one.
    func inner(_ transform: Affine) -> Preparer {
        var inner = self
        inner.device = transform.then(device)
        return inner
    }

    var scale: Double { device.maximumScale * detail }

    func nodes(_ marks: [Mark]) throws -> [any Node] {
        try marks.compactMap { mark in
            let node: any Node =
                switch mark {
                case .body(let body): try BodyNode(body, inner(body.transform))
                case .shadow(let shadow): try inner(shadow.transform).node(shadow)
                case .group(let group): try inner(group.transform).node(group)
                }
            return node.box.isEmpty ? nil : node
        }
    }

    private func node(_ group: Group) throws -> GroupNode {
        GroupNode(try nodes(group.marks), group, clip: try group.clip.map { try source($0) })
    }

    // MARK: Coverage

    func source(_ outline: Outline) -> OutlineSource { OutlineSource(outline, device, clip: clip, scale: scale) }

    func source(_ coverage: Coverage) throws -> any CoverageSource {
        if let outline = coverage.outline { return source(outline) }
        switch coverage {
        case .outline(let outline): return source(outline)
        case .alpha(let marks): return MarksSource(try nodes(marks), .alpha(peak: 1))
        case .luminance(let marks): return MarksSource(try nodes(marks), .luminance)
        case .combined(let a, let b, let mode): return CombinedSource(try source(a), try source(b), mode)
        case .transformed(let coverage, let affine): return try inner(affine).source(coverage)
        case .grown(let coverage, let growth):
            return try grown(growth, reach: coverage.reach) { try $0.source(coverage) }
        }
    }

    /// A coverage without an outline, grown: its own soft edge stays where that is larger (smaller).
    func grown(_ growth: Growth, reach: Rect, _ make: (Preparer) throws -> any CoverageSource) throws -> any CoverageSource {
        let source = try make(self)
        if growth.distance == 0, !growth.solid { return source }
        let margin = abs(growth.distance) * (growth.join == .miter ? max(growth.miterLimit, 1) : 1)
        let (edge, peak) = try traced(reach: reach, margin: margin, make)
        return ExtremeSource(source, self.source(growth.grown(edge)), times: peak, larger: growth.distance >= 0)
    }

    /// The edge of a coverage at half its peak, in this plane, and the peak.
    ///
    /// - Parameters:
    ///   - margin: how far something on the edge can reach what is visible. px
    ///   - make: gives the coverage at a preparer's transform.
    /// **Cost**: the coverage once, at the device's scale.
    func traced(reach: Rect, margin: Double, _ make: (Preparer) throws -> any CoverageSource) throws -> (Outline, peak: Float) {
        let scale = min(max(self.scale, 1e-4), 1e4)
        var area = reach
        // What can never be seen is not traced where the whole would be large.
        if reach.width * reach.height * scale * scale > 32e6, let back = device.inverse {
            area = area.intersection(clip.rect.applying(back).grown(by: margin + 4 / scale))
        }
        let region = area.applying(.scale(scale)).roundedOut.grown(by: 2)
        if area.isEmpty || region.isEmpty { return (.empty, 1) }
        var plane = Preparer(device: .scale(scale), clip: region)
        plane.detail = 1
        let mask = Mask(region)
        try make(plane).coverage(in: region, into: mask.values, rowStride: mask.stride)
        var peak: Float = 0
        for i in 0..<mask.count { peak = max(peak, mask.values[i]) }
        if peak <= 0 { return (.empty, 1) }
        let polygons = Polygons.trace(
            alpha: mask.values, width: region.width, height: region.height, rowStride: mask.stride, threshold: peak / 2,
            origin: Point(x: Double(region.x), y: Double(region.y))
        ).transformed(by: .scale(1 / scale))
        return (Outline.deferred(bounds: polygons.bounds) { _ in polygons }, peak)
    }

    // MARK: Paint

    func brush(_ paint: Paint) throws -> Brush {
        switch paint {
        case .color(let color): return .uniform(color.vector.premultiplied)
        case .gradient(let gradient): return .gradient(GradientBrush(gradient, device))
        case .pattern(let pattern): return .area(try PatternBrush(pattern, self))
        case .parts(let parts):
            if parts.isEmpty { return .uniform(.zero) }
            if parts.count == 1 { return try brush(parts[0].paint) }
            return .area(PartsBrush(try parts.map { (outline: $0.outline, brush: try brush($0.paint)) }, self))
        }
    }
}

/// Outlines that several marks of one drawing share (a shadow casts what the body draws): found once, so that their polygons are.
final class Memo: Sendable {
    private struct Key: Hashable {
        let outline: ObjectIdentifier
        let distance: Double
        let join: Join
        let miterLimit: Double
        let solid: Bool
    }

    private let known = Mutex<[Key: (source: Outline, result: Outline)]>([:])

    func grown(_ outline: Outline, by distance: Double, join: Join, miterLimit: Double, solid: Bool = false) -> Outline {
        if distance == 0, !solid { return outline }
        let key = Key(
            outline: ObjectIdentifier(outline), distance: distance, join: join, miterLimit: miterLimit, solid: solid)
        return known.withLock { known in
            if let found = known[key] { return found.result }
            var result = outline.grown(by: distance, join: join, miterLimit: miterLimit)
            if solid { result = result.withoutHoles() }
            // The source is kept: its address is the key.
            known[key] = (outline, result)
            return result
        }
    }

    /// The silhouette of a body once it has the stroke.
    func silhouette(_ stroke: Stroke, of outline: Outline) -> Outline {
        stroke.edge ?? grown(outline, by: stroke.outward, join: stroke.join, miterLimit: stroke.miterLimit, solid: stroke.solid)
    }

    func silhouette(of body: Body) -> Outline? {
        guard var outline = body.outline else { return nil }
        for case .stroke(let stroke) in body.finishes { outline = silhouette(stroke, of: outline) }
        return outline
    }
}
