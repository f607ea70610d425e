import LabelpipeKit
import Outline

/// A mark that is ready to be drawn at one transform.
protocol Node: Sendable {
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
    /// Where the shadow is cut out; nil: nowhere.
    private let casters: (any CoverageSource)?
    private let color: Pixel

    init(_ coverage: any CoverageSource, color: Pixel, cutBy casters: (any CoverageSource)?) {
        (self.coverage, self.color, self.casters) = (coverage, color, casters)
        box = coverage.box
    }

    func draw(on target: Target) throws {
        let region = target.region.intersection(box)
        if region.isEmpty || color.w <= 0 { return }
        let mask = Mask(region)
        try coverage.coverage(in: region, into: mask.values, rowStride: mask.stride)
        if let casters {
            let cut = Mask(region)
            try casters.coverage(in: region, into: cut.values, rowStride: cut.stride)
            for i in 0..<mask.count { mask.values[i] *= 1 - cut.values[i] }
        }
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
}
