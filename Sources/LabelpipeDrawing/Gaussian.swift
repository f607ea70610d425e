import Glibc
import Outline

/// How one axis of a Gaussian is calculated: on a grid of cells, `factor` px each, by a short filter.
///
/// The three smoothings that act on the way (mean of a cell, filter, cubic B-spline up) add up to the variance that is wanted.
package struct GaussianAxis: Hashable, Sendable {
    /// px a cell: a power of two. 1: no grid, and no spline.
    package let factor: Int
    /// The filter from its centre outwards, in cells; the whole one sums to 1.
    package let kernel: [Float]
    package var radius: Int { kernel.count - 1 }

    /// - Parameter sigma: px. Beyond a million a shadow is flat wherever anybody looks, and its weights would fill the memory.
    package init(sigma given: Double) {
        let sigma = given > 0 ? min(given, 0x1p20) : 0
        var factor = 1
        // The filter's sigma lies between 4 and 8 cells: below 4 the cells show (1.7/255 at worst at 4, 2.3 at 3).
        while sigma / Double(2 * factor) >= 4 { factor *= 2 }
        let f = Double(factor)
        let inCells = factor == 1 ? sigma : ((sigma * sigma - (f * f - 1) / 12 - f * f / 3) / (f * f)).squareRoot()
        self.factor = factor
        guard inCells > 1e-3 else {
            kernel = [1]
            return
        }
        // Beyond 4 sigma lies less than 0.01/255.
        let radius = Int((4 * inCells).rounded(.up))
        let weights = (0...radius).map { exp(-0.5 * Double($0 * $0) / (inCells * inCells)) }
        let sum = weights.reduce(0, +) * 2 - weights[0]
        kernel = weights.map { Float($0 / sum) }
    }
}

/// A short symmetric filter over rows and columns.
enum Filter {
    /// Filters `input`, which must reach `x.radius` and `y.radius` beyond `region` on each side.
    static func apply(_ input: Mask, x: GaussianAxis, y: GaussianAxis, region: Region) -> Mask {
        let wide = Region(x: input.region.x, y: region.y, width: input.region.width, height: region.height)
        let filtered = y.radius == 0 ? input : vertically(input, y.kernel, wide)
        return x.radius == 0 ? filtered : horizontally(filtered, x.kernel, region)
    }

    private static func vertically(_ input: Mask, _ kernel: [Float], _ region: Region) -> Mask {
        let output = Mask(region)
        let stride = input.stride
        kernel.withUnsafeBufferPointer { k in
            for row in region.y..<region.maxY {
                line(
                    UnsafePointer(input.row(row) + (region.x &- input.region.x)), step: stride, k, output.row(row),
                    count: region.width)
            }
        }
        return output
    }

    private static func horizontally(_ input: Mask, _ kernel: [Float], _ region: Region) -> Mask {
        let output = Mask(region)
        kernel.withUnsafeBufferPointer { k in
            for row in region.y..<region.maxY {
                line(
                    UnsafePointer(input.row(row) + (region.x &- input.region.x)), step: 1, k, output.row(row),
                    count: region.width)
            }
        }
        return output
    }

    /// target[i] = k₀·source[i] + Σ kⱼ·(source[i − j·step] + source[i + j·step])
    @inline(__always)
    private static func line(
        _ source: UnsafePointer<Float>, step: Int, _ k: UnsafeBufferPointer<Float>, _ target: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        var i = 0
        while i &+ 16 <= count {
            let p = source + i
            var a = load(p) * k[0]
            var b = load(p + 8) * k[0]
            var j = 1
            while j < k.count {
                let (before, after) = (p - j &* step, p + j &* step)
                a += (load(before) + load(after)) * k[j]
                b += (load(before + 8) + load(after + 8)) * k[j]
                j &+= 1
            }
            store(a, target + i)
            store(b, target + i + 8)
            i &+= 16
        }
        while i < count {
            var sum = source[i] * k[0]
            for j in 1..<k.count { sum += (source[i &- j &* step] + source[i &+ j &* step]) * k[j] }
            target[i] = sum
            i &+= 1
        }
    }

    @inline(__always)
    private static func load(_ p: UnsafePointer<Float>) -> SIMD8<Float> {
        UnsafeRawPointer(p).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    private static func store(_ v: SIMD8<Float>, _ p: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(p).storeBytes(of: v, as: SIMD8<Float>.self)
    }
}
