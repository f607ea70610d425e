import Outline

/// A coverage on a plane of its own, seen through a map: for Gaussians that are neither round nor upright.
final class WarpedSource: CoverageSource {
    let box: Region
    private let source: any CoverageSource
    private let back: Affine

    /// - Parameter back: from device px to the source's px; the source is smooth.
    init(_ source: any CoverageSource, back: Affine, box: Region) {
        (self.source, self.back, self.box) = (source, back, box)
    }

    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        let needed = region.rect.applying(back).roundedOut.grown(by: 2).intersection(source.box.grown(by: 2))
        let mask = Mask(needed)
        if !needed.isEmpty { try source.coverage(in: needed, into: mask.values, rowStride: mask.stride) }
        for y in region.y..<region.maxY {
            let out = target + (y &- region.y) &* rowStride
            for i in 0..<region.width {
                guard !needed.isEmpty, box.contains(x: region.x + i, y: y) else {
                    out[i] = 0
                    continue
                }
                let p = back.apply(Point(x: Double(region.x + i) + 0.5, y: Double(y) + 0.5))
                let (u, v) = (p.x - 0.5 - Double(needed.x), p.y - 0.5 - Double(needed.y))
                let (column, line) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
                guard column >= 0, line >= 0, column + 1 < needed.width, line + 1 < needed.height else {
                    out[i] = 0
                    continue
                }
                let (s, t) = (Float(u - Double(column)), Float(v - Double(line)))
                let q = mask.values + line * mask.stride + column
                let top = q[0] + (q[1] - q[0]) * s
                let bottom = q[mask.stride] + (q[mask.stride + 1] - q[mask.stride]) * s
                out[i] = top + (bottom - top) * t
            }
        }
    }
}
