import Glibc
import LabelpipeKit
import Testing
import Vips

/// A shadow is the Gaussian of what casts it, within 2/255, for every sigma.
@Suite struct GaussianLawTests {
    /// The sampled Gaussian's sum over a block's pixels, at each place of `range`.
    private func profile(_ block: Range<Int>, sigma: Double, at range: Range<Int>) -> [Double] {
        let radius = Int((7 * sigma).rounded(.up)) + 1
        let kernel = (-radius...radius).map { exp(-0.5 * pow(Double($0) / sigma, 2)) }
        var sums = [0.0]
        for value in kernel { sums.append(sums[sums.count - 1] + value) }
        let total = sums[sums.count - 1]
        return range.map { x in
            let low = min(max(x - (block.upperBound - 1) + radius, 0), kernel.count)
            let high = min(max(x - block.lowerBound + radius + 1, low), kernel.count)
            return (sums[high] - sums[low]) / total
        }
    }

    /// The largest difference from the law. **Units**: levels of 255.
    private func error(sigma: Double, block: (x: Int, y: Int, width: Int, height: Int), declared: Double? = nil) throws -> Double
    {
        let (width, height) = (300, 90)
        let base = try plain(width, height, [65535, 65535, 65535], format: .ushort, .rgb16)
        let label = chain(
            rectangle(Double(block.width), Double(block.height)), solid("white"),
            shadow("black", (0, 0), 2 * (declared ?? sigma), ", \"caster\": \"hide\""))
        let sheet = try Sheet(
            try marked(Picture(base), label, "\"at\": [\(block.x), \(block.y)], \"tooLarge\": \"clip\", \"keepInside\": false"))
        let across = profile(block.x..<block.x + block.width, sigma: sigma, at: 0..<width)
        let down = profile(block.y..<block.y + block.height, sigma: sigma, at: 0..<height)
        var largest = 0.0
        for y in 0..<height {
            for x in 0..<width { largest = max(largest, abs(1 - sheet[x, y, 0] / 65535 - across[x] * down[y])) }
        }
        return largest * 255
    }

    /// Blocks much smaller and much larger than sigma, their corners in sight.
    private static let blocks = [
        (x: 100, y: 30, width: 90, height: 31), (x: 150, y: 45, width: 4000, height: 5000),
        (x: -3000, y: -4000, width: 3150, height: 4045), (x: 140, y: 44, width: 1, height: 1),
        (x: -20000, y: 40, width: 40000, height: 3),
    ]

    @Test(arguments: [
        0.3, 0.5, 0.8, 1, 1.7, 2.5, 3.9, 5.6, 7.9, 8, 8.1, 11.3, 15.9, 16.1, 23, 31.9, 32.1, 47, 64.1, 100, 127.9, 200, 333, 511,
        700, 1024, 1500, 2048,
    ])
    func law(sigma: Double) throws {
        for block in Self.blocks { #expect(try error(sigma: sigma, block: block) <= 2, "\(block)") }
    }

    @Test func anySigma() throws {
        var dice = Dice("Gaussian law")
        for _ in 0..<40 {
            let sigma = (exp(log(0.3) + dice.next() * log(2048 / 0.3)) * 100).rounded() / 100
            let block = (
                x: Int(dice.next(-200...280)), y: Int(dice.next(-100...80)), width: Int(exp(dice.next(0...9))),
                height: Int(exp(dice.next(0...9)))
            )
            #expect(try error(sigma: sigma, block: block) <= 2, "seed \(dice.seed), sigma \(sigma), \(block)")
        }
    }

    /// The law must refuse something: a blur of another sigma.
    @Test(arguments: [1.0, 8, 64, 512]) func refusesAnotherSigma(sigma: Double) throws {
        #expect(try error(sigma: sigma, block: Self.blocks[1], declared: sigma * 1.5) > 2)
        #expect(try error(sigma: sigma, block: Self.blocks[1], declared: sigma * 0.6) > 2)
    }
}
