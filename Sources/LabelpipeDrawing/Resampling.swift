import Glibc
import Outline

/// Weights that make pixels of a stretched row from stored ones.
private struct Taps {
    /// Of each wanted pixel: its first stored pixel.
    let first: [Int]
    /// `width` weights for each wanted pixel, that sum to 1.
    let weights: [Float]
    let width: Int
    /// All stored pixels that are needed; inside the picture.
    let needed: Range<Int>

    /// - Parameters:
    ///   - pixels: the wanted ones, on the stretched axis: pixel i looks at (i + ½ − shift) / scale.
    ///   - size: stored pixels; beyond the ends the last ones go on.
    init(_ pixels: Range<Int>, scale: Double, shift: Double, size: Int) {
        // Shrinking widens the kernel, which then takes the mean of what becomes one pixel.
        let shrink = max(1 / abs(scale), 1)
        let lobes = shrink > 1 ? 3.0 : 2.0
        let reach = lobes * shrink
        width = Int((2 * reach).rounded(.up)) + 1
        var first: [Int] = []
        var weights: [Float] = []
        var lowest = size - 1
        var highest = 0
        for i in pixels {
            let center = (Double(i) + 0.5 - shift) / scale - 0.5
            let start = Int((center - reach).rounded(.up))
            var row = (0..<width).map { k in
                let distance = abs(Double(start + k) - center) / shrink
                return lobes == 3 ? Taps.lanczos(distance) : Taps.catmullRom(distance)
            }
            let sum = row.reduce(0, +)
            row = row.map { $0 / sum }
            // Beyond an end: onto the last pixel.
            let begin = min(max(start, 0), max(size - width, 0))
            var folded = [Float](repeating: 0, count: width)
            for k in 0..<width {
                let place = min(max(start + k, 0), size - 1) - begin
                folded[min(max(place, 0), width - 1)] += Float(row[k])
            }
            first.append(begin)
            weights += folded
            lowest = min(lowest, begin)
            highest = max(highest, min(begin + width, size))
        }
        self.first = first
        self.weights = weights
        needed = lowest..<max(highest, lowest + 1)
    }

    private static func lanczos(_ x: Double) -> Double {
        if x < 1e-9 { return 1 }
        if x >= 3 { return 0 }
        let p = .pi * x
        return 3 * sin(p) * sin(p / 3) / (p * p)
    }

    private static func catmullRom(_ x: Double) -> Double {
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }
}

/// x' = sx·x + tx, y' = sy·y + ty; factors may be negative.
struct Stretch: Sendable {
    var sx: Double
    var sy: Double
    var tx: Double
    var ty: Double

    /// The pixels of a region of the stretched plane; beyond the picture's edges its last pixels go on.
    ///
    /// **Cost**: what the region needs of the picture, read in bands.
    func canvas(_ region: Region, of source: PictureSource) throws -> Canvas {
        let canvas = Canvas(region)
        if region.isEmpty { return canvas }
        let across = Taps(region.x..<region.maxX, scale: sx, shift: tx, size: source.width)
        let down = Taps(region.y..<region.maxY, scale: sy, shift: ty, size: source.height)
        // Rows that are stretched across already.
        let lines = Canvas(Region(x: region.x, y: down.needed.lowerBound, width: region.width, height: down.needed.count))
        let band = max(1, (1 << 20) / max(across.needed.count, 1))
        for top in stride(from: down.needed.lowerBound, to: down.needed.upperBound, by: band) {
            let rows = top..<min(top + band, down.needed.upperBound)
            let stored = try source.canvas(
                Region(x: across.needed.lowerBound, y: rows.lowerBound, width: across.needed.count, height: rows.count))
            for y in rows { Stretch.gather(stored.row(y), stored.region, across, into: lines.row(y), count: region.width) }
        }
        for row in 0..<region.height {
            let out = canvas.pixels + row * canvas.stride
            let first = down.first[row]
            for k in 0..<down.width where first + k < source.height {
                let w = down.weights[row * down.width + k]
                if w == 0 { continue }
                let line = lines.row(first + k)
                for i in 0..<region.width { out[i] += line[i] * w }
            }
            for i in 0..<region.width { out[i] = bounded(out[i]) }
        }
        return canvas
    }

    private static func gather(
        _ stored: UnsafePointer<Pixel>, _ region: Region, _ taps: Taps, into line: UnsafeMutablePointer<Pixel>, count: Int
    ) {
        taps.weights.withUnsafeBufferPointer { weights in
            for i in 0..<count {
                var sum = Pixel.zero
                let start = taps.first[i] &- region.x
                let available = min(taps.width, region.width &- start)
                for k in 0..<available { sum += stored[start &+ k] * weights[i &* taps.width &+ k] }
                line[i] = sum
            }
        }
    }
}

/// Kernels with negative lobes overshoot: alpha stays within 0…1, colours within 0…alpha.
@inline(__always)
func bounded(_ p: Pixel) -> Pixel {
    let a = min(max(p.w, 0), 1)
    return pointwiseMin(pointwiseMax(p, .zero), Pixel(repeating: a))
}

/// Any map: the picture is made as small as it is seen, along its own axes, and looked at by bicubic interpolation.
struct Warp: Sendable {
    private let stretch: Stretch
    /// Device px to the stretched plane's.
    private let back: Affine?

    init(_ map: Affine) {
        // How long a stored px is on the device, each way; never stretched beyond its own size.
        let sx = min(max((map.a * map.a + map.b * map.b).squareRoot(), 1e-4), 1)
        let sy = min(max((map.c * map.c + map.d * map.d).squareRoot(), 1e-4), 1)
        stretch = Stretch(sx: sx, sy: sy, tx: 0, ty: 0)
        back = map.inverse?.then(.scale(sx: sx, sy: sy))
    }

    func canvas(_ region: Region, of source: PictureSource) throws -> Canvas {
        let canvas = Canvas(region)
        guard let back else { return canvas }
        // Inside the picture's own rectangle, and at least one pixel of it.
        let width = max(Int((Double(source.width) * stretch.sx).rounded(.up)), 1)
        let height = max(Int((Double(source.height) * stretch.sy).rounded(.up)), 1)
        let whole = Region(x: 0, y: 0, width: width, height: height)
        let needed = region.rect.applying(back).roundedOut.grown(by: 3).intersection(whole)
        if needed.isEmpty { return canvas }
        let plane =
            stretch.sx == 1 && stretch.sy == 1 ? try source.canvas(needed) : try stretch.canvas(needed, of: source)
        let (right, bottom) = (needed.maxX - 1, needed.maxY - 1)
        for y in region.y..<region.maxY {
            let out = canvas.row(y)
            for i in 0..<region.width {
                let p = back.apply(Point(x: Double(region.x + i) + 0.5, y: Double(y) + 0.5))
                let (u, v) = (p.x - 0.5, p.y - 0.5)
                // Far outside there is nothing to see, and no number that fits.
                guard u > Double(needed.x) - 4, u < Double(right) + 4, v > Double(needed.y) - 4, v < Double(bottom) + 4 else {
                    continue
                }
                let (column, line) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
                let wx = Warp.weights(Float(u - Double(column)))
                let wy = Warp.weights(Float(v - Double(line)))
                var sum = Pixel.zero
                for k in 0..<4 {
                    let row = plane.row(min(max(line - 1 + k, needed.y), bottom)) - needed.x
                    let a = row[min(max(column - 1, needed.x), right)] * wx.x + row[min(max(column, needed.x), right)] * wx.y
                    let b = row[min(max(column + 1, needed.x), right)] * wx.z + row[min(max(column + 2, needed.x), right)] * wx.w
                    sum += (a + b) * wy[k]
                }
                out[i] = bounded(sum)
            }
        }
        return canvas
    }

    /// Catmull-Rom.
    @inline(__always)
    private static func weights(_ t: Float) -> SIMD4<Float> {
        let t2 = t * t
        let t3 = t2 * t
        return SIMD4(
            -0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1, -1.5 * t3 + 2 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2)
    }
}
