import Outline

/// A grid of cells brought up to pixels by uniform cubic B-splines.
struct SplineGrid: Sendable {
    let x: SplineAxis
    let y: SplineAxis

    init(x: GaussianAxis, y: GaussianAxis) {
        self.x = SplineAxis(factor: x.factor)
        self.y = SplineAxis(factor: y.factor)
    }

    /// The cells that pixels of `region` (relative to the grid's origin) need.
    func cells(for region: Region) -> Region {
        let (left, right) = (x.cell(region.x) - 1, x.cell(region.maxX - 1) + 3)
        let (top, bottom) = (y.cell(region.y) - 1, y.cell(region.maxY - 1) + 3)
        return Region(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Writes the pixels of `region`, relative to the grid's origin.
    func upsample(_ cells: Mask, region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) {
        let needed = self.cells(for: region)
        let line = UnsafeMutablePointer<Float>.allocate(capacity: needed.width)
        defer { line.deallocate() }
        let offset = needed.x &- cells.region.x
        for row in region.y..<region.maxY {
            let out = target + (row &- region.y) &* rowStride
            let (cell, phase) = y.split(row)
            let w = y.weights(phase)
            let r0 = cells.row(cell &- 1) + offset
            let (r1, r2, r3) = (r0 + cells.stride, r0 + 2 &* cells.stride, r0 + 3 &* cells.stride)
            var peak: Float = 0
            for i in 0..<needed.width {
                let v = w.x * r0[i] + w.y * r1[i] + w.z * r2[i] + w.w * r3[i]
                line[i] = v
                peak = max(peak, v)
            }
            if peak == 0 {
                out.update(repeating: 0, count: region.width)
            } else {
                x.expand(line, firstCell: needed.x, from: region.x, count: region.width, into: out)
            }
        }
    }
}

/// One axis of a B-spline over cells of `factor` px.
struct SplineAxis: Sendable {
    let factor: Int
    private let shift: Int
    /// Of each phase: the weights of the cells −1, 0, 1, 2.
    private let table: [SIMD4<Float>]

    init(factor: Int) {
        self.factor = factor
        shift = factor.trailingZeroBitCount
        // Without a grid a spline would only smooth.
        table =
            factor == 1
            ? [SIMD4(0, 1, 0, 0)]
            : (0..<factor).map { phase in
                let t = (Double(phase) + 0.5) / Double(factor)
                let s = 1 - t
                return SIMD4(
                    Float(s * s * s / 6), Float((3 * t * t * t - 6 * t * t + 4) / 6), Float((3 * s * s * s - 6 * s * s + 4) / 6),
                    Float(t * t * t / 6))
            }
    }

    /// The cell whose centre lies at or before the pixel's.
    @inline(__always)
    func cell(_ pixel: Int) -> Int { (pixel &- factor / 2) >> shift }

    @inline(__always)
    func split(_ pixel: Int) -> (cell: Int, phase: Int) {
        let moved = pixel &- factor / 2
        return (moved >> shift, moved & (factor &- 1))
    }

    @inline(__always)
    func weights(_ phase: Int) -> SIMD4<Float> { table[phase] }

    /// `line[0]` is cell `firstCell`, one before the first pixel's own.
    func expand(
        _ line: UnsafePointer<Float>, firstCell: Int, from pixel: Int, count: Int, into out: UnsafeMutablePointer<Float>
    ) {
        table.withUnsafeBufferPointer { table in
            var i = 0
            while i < count {
                let (cell, phase) = split(pixel &+ i)
                let c = UnsafeRawPointer(line + (cell &- 1 &- firstCell)).loadUnaligned(as: SIMD4<Float>.self)
                let end = min(count, i &+ factor &- phase)
                if c == .zero {
                    (out + i).update(repeating: 0, count: end &- i)
                } else {
                    var p = phase
                    for k in i..<end {
                        let v = table[p] * c
                        out[k] = (v.x + v.y) + (v.z + v.w)
                        p &+= 1
                    }
                }
                i = end
            }
        }
    }
}
