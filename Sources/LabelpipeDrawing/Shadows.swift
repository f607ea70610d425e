import LabelpipeKit
import Outline

extension Preparer {
    /// The shadow, ready at this preparer's transform.
    func node(_ shadow: Shadow) throws -> any Node {
        let color = shadow.color.vector.premultiplied
        let coverage = try blurred(
            sigma: shadow.sigma, offset: shadow.offset, reach: shadow.casters.reach.grown(by: max(shadow.spread, 0))
        ) {
            try $0.casterSource(shadow.casters, spread: shadow.spread)
        }
        let cut = shadow.cut ? try casterSource(shadow.casters, spread: 0) : nil
        return ShadowNode(coverage, color: color, cutBy: cut)
    }

    /// The alpha of casters, grown.
    private func casterSource(_ casters: [Mark], spread: Double) throws -> any CoverageSource {
        if let outline = opaqueOutline(of: casters) {
            return source(memo.grown(outline, by: spread, join: .round, miterLimit: 4))
        }
        return try grown(Growth(by: spread), reach: casters.reach) { MarksSource(try $0.nodes(casters), .alpha(peak: 1)) }
    }

    /// The outline whose coverage is the marks' alpha; nil where they are not wholly opaque, or only pixels know.
    private func opaqueOutline(of marks: [Mark]) -> Outline? {
        var outlines: [Outline] = []
        for mark in marks {
            switch mark {
            case .shadow: return nil
            case .group(let group):
                guard group.opacity >= 1, group.clip == nil, let inner = opaqueOutline(of: group.marks) else { return nil }
                outlines.append(inner.transformed(by: group.transform))
            case .body(let body):
                guard body.isOpaque, let silhouette = memo.silhouette(of: body) else { return nil }
                outlines.append(silhouette.transformed(by: body.transform))
            }
        }
        return outlines.count == 1 ? outlines[0] : Outline.union(outlines)
    }

    /// A coverage moved and smoothed.
    ///
    /// - Parameters:
    ///   - sigma: in this plane's px.
    ///   - reach: of the coverage, not moved, in this plane.
    ///   - make: gives the coverage at a preparer's transform.
    func blurred(
        sigma: Double, offset: Vector, reach: Rect, _ make: (Preparer) throws -> any CoverageSource
    ) throws -> any CoverageSource {
        let moved = inner(.translation(offset))
        let (a, b, c, d) = (device.a, device.b, device.c, device.d)
        let box =
            reach.isNull
            ? Region.empty : reach.grown(by: 3 * sigma).offset(by: offset).applying(device).roundedOut.intersection(clip)
        if sigma == 0 { return try make(moved) }
        if device.isSimilarity {
            return try moved.onCells(sigmaX: sigma * scaleFactor, sigmaY: sigma * scaleFactor, box, make)
        }
        if b == 0, c == 0 { return try moved.onCells(sigmaX: sigma * abs(a), sigmaY: sigma * abs(d), box, make) }
        if a == 0, d == 0 { return try moved.onCells(sigmaX: sigma * abs(c), sigmaY: sigma * abs(b), box, make) }
        // Neither round nor upright here, but round in its own plane, which is looked at through the rest of the map.
        let scale = max(device.maximumScale, 1e-6)
        guard let back = device.inverse else { return try make(moved) }
        let toPlane = back.then(.scale(scale))
        var plane = Preparer(
            device: .translation(offset).then(.scale(scale)), clip: box.rect.applying(toPlane).roundedOut.grown(by: 4))
        plane.detail = detail
        let round = try plane.onCells(sigmaX: sigma * scale, sigmaY: sigma * scale, plane.clip, make)
        return WarpedSource(round, back: toPlane, box: box)
    }

    /// Of a similarity: the length of any unit vector's image.
    private var scaleFactor: Double { abs(device.determinant).squareRoot() }

    private func onCells(
        sigmaX: Double, sigmaY: Double, _ box: Region, _ make: (Preparer) throws -> any CoverageSource
    ) throws -> Blurred {
        // Cells move with the marks.
        func whole(_ v: Double) -> Int { v.isFinite ? Int(min(max(v.rounded(.down), -1e9), 1e9)) : 0 }
        return try Blurred(
            sigmaX: sigmaX, sigmaY: sigmaY, originX: whole(device.tx), originY: whole(device.ty), box: box
        ) { cells, clip in
            var coarse = self
            coarse.device = device.then(cells)
            coarse.clip = clip
            let shrunk = coarse.device.maximumScale
            coarse.detail = shrunk > 0 ? scale / shrunk : 1
            return try make(coarse)
        }
    }
}

extension Body {
    /// Its alpha is its silhouette's coverage.
    var isOpaque: Bool {
        guard let outline, !contents.isEmpty, fade == nil else { return false }
        for content in contents {
            guard case .fill(let coverage, let paint) = content, paint?.isOpaque ?? true, let own = coverage.outline,
                contents.count == 1 || own === outline
            else { return false }
        }
        for case .stroke(let stroke) in finishes where !stroke.paint.isOpaque { return false }
        return true
    }
}
