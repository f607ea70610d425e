import Glibc
import LabelpipeDrawing
import Outline
import Testing

/// A mask of pixels, zero outside, and the exact Gaussian of it.
struct PixelMask {
    let width: Int
    let height: Int
    var values: [Float]

    init(_ width: Int, _ height: Int, _ value: (Int, Int) -> Float) {
        (self.width, self.height) = (width, height)
        values = []
        for y in 0..<height { for x in 0..<width { values.append(value(x, y)) } }
    }

    /// Convolved with a sampled Gaussian cut at 6 sigma, in Double; the part from −`margin` on each side.
    func blurred(sigma: Double, margin: Int) -> PixelMask {
        let radius = Int((6 * sigma).rounded(.up))
        var kernel = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
        let sum = kernel.reduce(0, +)
        kernel = kernel.map { $0 / sum }
        let (w, h) = (width + 2 * margin, height + 2 * margin)
        var across = [Double](repeating: 0, count: w * height)
        for y in 0..<height {
            for x in 0..<w {
                var total = 0.0
                let first = max(0, x - margin - radius)
                let last = min(width - 1, x - margin + radius)
                if first <= last {
                    for s in first...last { total += Double(values[y * width + s]) * kernel[s - x + margin + radius] }
                }
                across[y * w + x] = total
            }
        }
        var result = PixelMask(w, h) { _, _ in 0 }
        for y in 0..<h {
            let first = max(0, y - margin - radius)
            let last = min(height - 1, y - margin + radius)
            if first > last { continue }
            for x in 0..<w {
                var total = 0.0
                for s in first...last { total += across[s * w + x] * kernel[s - y + margin + radius] }
                result.values[y * w + x] = Float(total)
            }
        }
        return result
    }
}

/// A pixel mask at any scale whose cells are whole pixels: the mean of each.
final class MaskSource: CoverageSource {
    let mask: PixelMask
    let cells: Affine

    init(mask: PixelMask, cells: Affine) { (self.mask, self.cells) = (mask, cells) }

    var box: Region { Rect(x: 0, y: 0, width: Double(mask.width), height: Double(mask.height)).applying(cells).roundedOut }

    func coverage(in region: Region, into target: UnsafeMutablePointer<Float>, rowStride: Int) throws {
        let (fx, fy) = (Int((1 / cells.a).rounded()), Int((1 / cells.d).rounded()))
        let (ox, oy) = (Int((-cells.tx * Double(fx)).rounded()), Int((-cells.ty * Double(fy)).rounded()))
        for row in 0..<region.height {
            for column in 0..<region.width {
                let (x0, y0) = ((region.x + column) * fx + ox, (region.y + row) * fy + oy)
                var sum: Float = 0
                for y in max(y0, 0)..<max(min(y0 + fy, mask.height), max(y0, 0)) {
                    for x in max(x0, 0)..<max(min(x0 + fx, mask.width), max(x0, 0)) { sum += mask.values[y * mask.width + x] }
                }
                target[row * rowStride + column] = sum / Float(fx * fy)
            }
        }
    }
}

@Suite struct GaussianTests {
    static let margin = 40

    static let masks: [(String, PixelMask)] = {
        var state: UInt64 = 88_172_645_463_325_252
        return [
            ("half plane", PixelMask(150, 110) { x, _ in x < 71 ? 1 : 0 }),
            ("checkerboard of 3 px", PixelMask(150, 110) { x, y in (x / 3 + y / 3) % 2 == 0 ? 1 : 0 }),
            (
                "noise",
                PixelMask(150, 110) { _, _ in
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    return Float(state >> 40) / Float(1 << 24)
                }
            ),
            ("thin grid", PixelMask(150, 110) { x, y in x % 9 == 0 || y % 11 == 0 ? 1 : 0 }),
        ]
    }()

    /// The largest difference from the exact Gaussian, in levels of 255.
    static func error(_ mask: PixelMask, sigma: Double, origin: (x: Int, y: Int) = (0, 0), drawn: Double? = nil) throws -> Float {
        let exact = mask.blurred(sigma: sigma, margin: margin)
        let region = Region(x: -margin, y: -margin, width: exact.width, height: exact.height)
        let own = Blurred(
            sigmaX: drawn ?? sigma, sigmaY: drawn ?? sigma, originX: origin.x, originY: origin.y, box: region
        ) { cells, _ in MaskSource(mask: mask, cells: cells) }
        var values = [Float](repeating: -1, count: region.width * region.height)
        try values.withUnsafeMutableBufferPointer { try own.coverage(in: region, into: $0.baseAddress!, rowStride: region.width) }
        return zip(values, exact.values).reduce(0) { max($0, abs($1.0 - $1.1)) } * 255
    }

    @Test(arguments: [0.3, 0.5, 1, 2, 4, 6.5, 7.99, 8, 9, 12, 15.9, 16, 22, 31.9, 32, 40])
    func everySigmaIsExactTo2Levels(sigma: Double) throws {
        for (name, mask) in Self.masks {
            let error = try Self.error(mask, sigma: sigma)
            #expect(error <= 2, "\(name), sigma \(sigma): \(error)")
        }
    }

    @Test func whereCellsBeginDoesNotMatter() throws {
        for origin in [(1, 0), (3, 5), (7, 2), (-9, 13)] {
            #expect(try Self.error(Self.masks[1].1, sigma: 17, origin: origin) <= 2)
        }
    }

    /// Far larger than any mask of pixels could be here: an edge has the error function's profile.
    @Test(arguments: [64.0, 256, 700, 1024, 2048])
    func largeSigmasHaveTheErrorFunctionsProfile(sigma: Double) throws {
        let reach = 3 * sigma
        let size = 8 * sigma
        let block = Sample.rectangle(-size, -size, size, 2 * size)
        let body = Sample.body(block, .color(.black))
        let shadow = LabelpipeDrawingTests.shadow(body, sigma: sigma)
        let region = Region(x: -Int(reach), y: 0, width: Int(reach) * 2, height: 1)
        let drawn = try Drawn([shadow], region)
        for x in stride(from: region.x, to: region.maxX, by: max(1, region.width / 97)) {
            let expected = 0.5 * erfc((Double(x) + 0.5) / (sigma * 2.0.squareRoot()))
            #expect(abs(Double(drawn[x, 0].w) - expected) * 255 < 0.5, "sigma \(sigma), x \(x)")
        }
    }

    /// The law that the tests above are: it must refuse what is not a Gaussian of that sigma.
    @Test func theLawRefusesAWrongSigma() throws {
        #expect(try Self.error(Self.masks[0].1, sigma: 12, drawn: 12.8) > 2)
        #expect(try Self.error(Self.masks[3].1, sigma: 3, drawn: 3.3) > 2)
        #expect(try Self.error(Self.masks[1].1, sigma: 0.5, drawn: 0.45) > 2)
    }

    @Test func theLawRefusesTwoBoxes() {
        let mask = Self.masks[0].1
        let sigma = 12.0
        let exact = mask.blurred(sigma: sigma, margin: 0)
        // Two boxes of the same variance, along x only: the half plane's middle row is what it is far from its ends.
        let radius = 14
        var line = (0..<mask.width).map { mask.values[55 * mask.width + $0] }
        for _ in 0..<2 {
            let before = line
            for x in line.indices {
                var sum: Float = 0
                for s in x - radius...x + radius where before.indices.contains(s) { sum += before[s] }
                line[x] = sum / Float(2 * radius + 1)
            }
        }
        let error = (40..<mask.width).reduce(Float(0)) { max($0, abs(line[$1] - exact.values[55 * mask.width + $1])) }
        #expect(error * 255 > 2)
    }

    @Test func itIsPreparedInTheSameTimeForEverySigma() {
        // Cells of the filter, whatever sigma: that is what decides the time.
        for sigma in [8.0, 63, 64, 500, 2048] {
            let axis = GaussianAxis(sigma: sigma)
            #expect(axis.radius <= 33)
            #expect(sigma / Double(axis.factor) >= 4)
        }
    }
}
