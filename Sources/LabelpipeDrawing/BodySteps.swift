import LabelpipeKit
import Outline

/// A stroke that is ready to be drawn.
struct Ring: Sendable {
    /// nil: M itself.
    let outer: (any CoverageSource)?
    let inner: (any CoverageSource)?
    let brush: Brush
}

/// What is done to a body, in order.
enum BodyStep: Sendable {
    case stroke(Ring)
    /// `lit`: the Gaussian of M, moved.
    case innerShadow(lit: any CoverageSource, color: Pixel, InnerShadow.Blend)
}

/// A step with its coverages of one region.
struct PreparedStep {
    let outer: Mask?
    private let inner: Mask?
    private let lit: Mask?
    private let step: BodyStep
    private let canvas: Canvas?

    /// - Parameter silhouette: as it is before the step, or more.
    init(_ step: BodyStep, _ region: Region, within silhouette: Mask) throws {
        func mask(_ source: (any CoverageSource)?) throws -> Mask? {
            guard let source else { return nil }
            let mask = Mask(region)
            try source.coverage(in: region, into: mask.values, rowStride: mask.stride)
            return mask
        }
        self.step = step
        switch step {
        case .stroke(let ring):
            (outer, inner, lit) = (try mask(ring.outer), try mask(ring.inner), nil)
            canvas = try ring.brush.prepared(for: region, where: outer ?? silhouette)
        case .innerShadow(let source, _, _):
            (outer, inner, lit, canvas) = (nil, nil, try mask(source), nil)
        }
    }

    /// Paints on `line`, C of a row from `start` on; `m`, its M, becomes A.
    func apply(
        _ y: Int, _ start: Int, _ count: Int, _ m: UnsafeMutablePointer<Float>, _ line: UnsafeMutablePointer<Pixel>,
        _ paint: UnsafeMutablePointer<Pixel>
    ) {
        switch step {
        case .innerShadow(_, let color, let blend): shade(line, y, start, count, color, blend)
        case .stroke(let ring):
            let region = (outer ?? inner)?.region
            guard let region else { return }
            ring.brush.row(y, from: region.x &+ start, count: count, canvas, into: paint)
            let a = outer.map { UnsafePointer($0.row(y) + start) }
            guard let inner else {
                // The usual one, outside: what was there stays.
                guard let a else { return }
                for i in 0..<count {
                    let edge = max(a[i], m[i])
                    line[i] += paint[i] * (edge - m[i])
                    m[i] = edge
                }
                return
            }
            let b = inner.row(y) + start
            for i in 0..<count {
                let covered = m[i]
                let edge = a.map { max($0[i], covered) } ?? covered
                let kept = min(b[i], covered)
                let s = paint[i]
                // Of C, the share of M − B lies under the stroke.
                let under = covered > 0 ? (covered - kept) / covered : 0
                line[i] = line[i] * (1 - s.w * under) + s * (edge - kept)
                m[i] = edge
            }
        }
    }

    /// The same where several strokes share pixels.
    func apply(
        _ y: Int, _ start: Int, _ count: Int, _ m: UnsafeMutablePointer<Float>, _ bands: inout Bands,
        _ paint: UnsafeMutablePointer<Pixel>
    ) {
        switch step {
        case .innerShadow(_, let color, let blend): bands.shade { shade($0, y, start, count, color, blend) }
        case .stroke(let ring):
            guard let region = (outer ?? inner)?.region else { return }
            ring.brush.row(y, from: region.x &+ start, count: count, canvas, into: paint)
            bands.stroke(
                paint, outer: outer.map { UnsafePointer($0.row(y) + start) },
                inner: inner.map { UnsafePointer($0.row(y) + start) }, m)
        }
    }

    private func shade(
        _ line: UnsafeMutablePointer<Pixel>, _ y: Int, _ start: Int, _ count: Int, _ color: Pixel, _ blend: InnerShadow.Blend
    ) {
        guard let lit = lit?.row(y) else { return }
        let g = lit + start
        let straight = color.alpha(0)
        for i in 0..<count {
            let c = line[i]
            let a = color.w * (1 - min(g[i], 1))
            let shade = straight * c.w
            let painted = blend == .normal ? shade : pointwiseMin(shade, c)
            line[i] = (c + (painted - c) * a).alpha(c.w)
        }
    }
}
