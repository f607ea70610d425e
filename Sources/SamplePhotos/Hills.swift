import Glibc
import Vips

/// A view over hills, one behind another in the haze, with firs in front: the picture that the recipes are shown on.
struct Hills: Sendable {
    let seed: UInt32
    /// Of the sky, above and at the horizon.
    let zenith: Colour
    let horizon: Colour
    let glow: Colour
    let haze: Colour
    /// The farthest first; the last two have firs.
    let ridges: [Colour]
    /// In heights of the picture, from the top left.
    let sun: (x: Double, y: Double)

    typealias Colour = SIMD3<Double>

    static let evening = Hills(
        seed: 0, zenith: [44, 66, 118], horizon: [252, 196, 140], glow: [255, 190, 110], haze: [250, 200, 160],
        ridges: [[206, 158, 142], [158, 124, 132], [104, 94, 118], [62, 66, 92], [34, 42, 60], [16, 22, 30]], sun: (0.98, 0.5))
    static let morning = Hills(
        seed: 400, zenith: [96, 150, 196], horizon: [232, 236, 226], glow: [255, 244, 214], haze: [232, 240, 238],
        ridges: [[176, 200, 204], [136, 170, 172], [98, 140, 136], [68, 112, 100], [44, 82, 70], [24, 50, 44]], sun: (0.42, 0.44))

    /// The picture, opaque sRGB.
    func image(width: Int, height: Int) throws -> Image {
        let edges = (0..<ridges.count).map { edge(ofRidge: $0, width: width, height: height) }
        let scale = Double(height)
        let scene = try Image.generated(
            width: width, height: height, bands: 3, format: .float, interpretation: .srgb, hint: .any
        ) { pixels in
            for row in 0..<pixels.box.height {
                let y = (Double(pixels.box.top + row) + 0.5) / scale
                let samples = pixels.row(row, as: Float.self)
                for column in 0..<pixels.box.width {
                    let x = (Double(pixels.box.left + column) + 0.5) / scale
                    var colour = sky(x, y, scale)
                    for (ridge, edge) in edges.enumerated() {
                        let depth = y - edge[pixels.box.left + column]
                        let cover = clamped(depth * scale + 0.5)
                        if cover == 0 { continue }
                        let hazy = clamped(depth / 0.3) * (ridge < 4 ? 0.34 : 0.08)
                        colour = mix(colour, mix(ridges[ridge], haze, hazy), cover)
                    }
                    for band in 0..<3 { samples[column * 3 + band] = Float(colour[band]) }
                }
            }
        }
        // A sensor's noise, so that it compresses as photographs do.
        let noise = try Operation("gaussnoise").set("width", width).set("height", height).set("sigma", 2.4).set("mean", 0.0)
            .set("seed", 7 &+ Int(seed)).image()
        return try Operation("add").set("left", scene).set("right", noise).image().cast(.uchar).copy(interpretation: .srgb)
            .materialised()
    }

    private func sky(_ x: Double, _ y: Double, _ scale: Double) -> Colour {
        let fall = clamped(y / 0.62)
        var colour = mix(zenith, horizon, pow(fall, 1.6))
        let distance = hypot(x - sun.x, y - sun.y)
        colour += glow * (0.55 * exp(-distance / 0.16)) + Colour(255, 220, 170) * clamped((0.045 - distance) * scale / 2 + 0.5)
        let streak =
            fractal(x * 1.6 + y * 0.7, 91, 5) * fractal(y * 9 + 0.25 * fractal(x * 1.3, 5, 4), 33, 4)
        let cloud = clamped((streak - 0.2) * 4) * clamped(1 - fall * 0.9) * 0.55
        return mix(colour, [255, 205, 175], cloud)
    }

    /// How high a ridge and its firs reach, for each column.
    private func edge(ofRidge ridge: Int, width: Int, height: Int) -> [Double] {
        let k = Double(ridge)
        let (step, tall, steepness) = ridge == 4 ? (0.014, 0.045, 5.0) : (0.03, 0.1, 4.4)
        return (0..<width).map { column in
            let x = (Double(column) + 0.5) / Double(height)
            let rise = fractal(x * (1.1 + 0.5 * k) + k * 7.3, 100 + UInt32(ridge) * 31, 7) - 0.42
            var fir = 0.0
            if ridge >= 4 {
                let place = Int((x / step).rounded(.down))
                for index in place - 1...place + 1 {
                    let centre = (Double(index) + 0.2 + 0.6 * random(index, 7 + UInt32(ridge))) * step
                    fir = max(fir, (0.4 + 0.8 * random(index, 9 + UInt32(ridge))) * tall - abs(x - centre) * steepness)
                }
            }
            return 0.55 + 0.074 * k - (0.16 - 0.012 * k) * rise - fir
        }
    }

    /// Noise at every scale, from 0 to 1.
    private func fractal(_ x: Double, _ salt: UInt32, _ octaves: UInt32) -> Double {
        var (sum, weight, total, frequency) = (0.0, 1.0, 0.0, 1.0)
        for octave in 0..<octaves {
            let at = x * frequency
            let whole = at.rounded(.down)
            let part = at - whole
            let smooth = part * part * (3 - 2 * part)
            let index = Int(whole)
            sum += weight * (random(index, salt + octave * 17) * (1 - smooth) + random(index + 1, salt + octave * 17) * smooth)
            total += weight
            weight /= 2
            frequency *= 2
        }
        return sum / total
    }

    /// The same number from 0 to 1 for the same index, on every machine.
    private func random(_ index: Int, _ salt: UInt32) -> Double {
        var bits = UInt32(truncatingIfNeeded: index) &* 0x9E37_79B1 &+ (salt &+ seed) &* 0x85EB_CA77
        bits ^= bits >> 15
        bits = bits &* 0x2C1B_3C6D
        bits ^= bits >> 12
        bits = bits &* 0x297A_2D39
        bits ^= bits >> 15
        return Double(bits) / 4_294_967_296
    }
}

private func clamped(_ value: Double) -> Double { min(max(value, 0), 1) }

private func mix(_ a: Hills.Colour, _ b: Hills.Colour, _ share: Double) -> Hills.Colour { a * (1 - share) + b * share }
