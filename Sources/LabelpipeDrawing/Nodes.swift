import LabelpipeKit
import Outline

/// A mark that is ready to be drawn at one transform.
protocol Node: AnyObject, Sendable {
    /// Outside it nothing is drawn.
    var box: Region { get }
    /// Draws the part of the mark that lies in the target, over what is there.
    func draw(on target: Target) throws
}

/// Marks composed by themselves; opacity, clip and blend act on the result, once.
final class GroupNode: Node {
    let box: Region
    private let nodes: [any Node]
    private let opacity: Float
    private let blend: BlendMode
    private let space: BlendSpace
    private let clip: (any CoverageSource)?

    init(_ nodes: [any Node], _ group: Group, clip: (any CoverageSource)?) {
        self.nodes = nodes
        (opacity, blend, space) = (Float(min(max(group.opacity, 0), 1)), group.blend, group.space)
        self.clip = clip
        let all = nodes.reduce(Region.empty) { $0.union($1.box) }
        box = clip.map { all.intersection($0.box) } ?? all
    }

    func draw(on target: Target) throws {
        let region = target.region.intersection(box)
        if region.isEmpty || opacity == 0 { return }
        if opacity == 1, clip == nil, blend == .normal, space == .srgb {
            // "Over" is associative: no composite of its own is needed.
            for node in nodes { try node.draw(on: target.part(region)) }
            return
        }
        let canvas = Canvas(region)
        for node in nodes { try node.draw(on: canvas.target) }
        var mask: Mask?
        if let clip {
            let coverage = Mask(region)
            try clip.coverage(in: region, into: coverage.values, rowStride: coverage.stride)
            mask = coverage
        }
        Compositing.scale(canvas, by: opacity, mask)
        for y in region.y..<region.maxY {
            Compositing.blend(
                canvas.row(y), onto: target.row(y) + (region.x &- target.region.x), count: region.width, mode: blend,
                space: space)
        }
    }
}

/// A shadow of one colour.
final class ShadowNode: Node {
    let box: Region
    private let coverage: any CoverageSource
    private let cutout: Cutout?
    private let color: Pixel

    /// What a shadow is cut away under: M and the alpha of its casters.
    struct Cutout {
        let silhouette: any CoverageSource
        let alpha: any CoverageSource
    }

    init(_ coverage: any CoverageSource, color: Pixel, cutBy cutout: Cutout?) {
        (self.coverage, self.color, self.cutout) = (coverage, color, cutout)
        box = coverage.box
    }

    func draw(on target: Target) throws {
        let region = target.region.intersection(box)
        if region.isEmpty || color.w <= 0 { return }
        let mask = Mask(region)
        try coverage.coverage(in: region, into: mask.values, rowStride: mask.stride)
        if let cutout { try cut(mask, by: cutout) }
        for y in region.y..<region.maxY {
            let row = mask.row(y)
            let out = target.row(y) + (region.x &- target.region.x)
            for i in 0..<region.width {
                let v = row[i]
                if v != 0 {
                    let s = color * v
                    out[i] = s + out[i] * (1 - s.w)
                }
            }
        }
    }

    /// Of a pixel 1 − M is to show the shadow. The casters, drawn over it, leave 1 − alpha of what is here.
    private func cut(_ mask: Mask, by cutout: Cutout) throws {
        let (silhouette, alpha) = (Mask(mask.region), Mask(mask.region))
        try cutout.silhouette.coverage(in: mask.region, into: silhouette.values, rowStride: silhouette.stride)
        try cutout.alpha.coverage(in: mask.region, into: alpha.values, rowStride: alpha.stride)
        for i in 0..<mask.count {
            let (free, seen) = (1 - silhouette.values[i], 1 - alpha.values[i])
            mask.values[i] *= free < 1e-4 ? 0 : min(free / max(seen, 1e-6), 1)
        }
    }
}
