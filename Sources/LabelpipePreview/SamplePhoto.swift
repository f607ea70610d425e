import Glibc
import Vips

/// A photo-like picture for previews without one: hills in the evening, light and dark places, soft and busy ones.
package enum SamplePhoto {
    package static let width = 1200
    package static let height = 800
    /// As templates see it.
    package static let name = "sample.jpg"

    /// **Errors**: `VipsError`.
    package static func image() throws -> Image {
        let image = try Image.generated(
            width: width, height: height, bands: 3, format: .uchar, interpretation: .srgb, xResolution: 300 / 25.4,
            yResolution: 300 / 25.4
        ) { pixels in
            for y in pixels.box.top..<pixels.box.bottom {
                let row = pixels.row(y - pixels.box.top, as: UInt8.self)
                for x in 0..<pixels.box.width {
                    let light = colour(x: x + pixels.box.left, y: y)
                    for band in 0..<3 { row[3 * x + band] = UInt8(min(max(light[band], 0), 1) * 255 + 0.5) }
                }
            }
        }
        // Written as libvips shows such fields, value and description.
        func field(_ text: String) -> MetadataValue {
            .string("\(text) (\(text), ASCII, \(text.utf8.count + 1) components, \(text.utf8.count + 1) bytes)")
        }
        return try image.editingMetadata {
            $0.set("exif-ifd0-Artist", field("Ann Example"))
            $0.set("exif-ifd2-DateTimeOriginal", field("2024:06:21 21:04:05"))
        }
    }

    private static func colour(x: Int, y: Int) -> SIMD3<Double> {
        let (u, v) = (Double(x) / Double(width), Double(y) / Double(height))
        let tops = tops[x]
        func inside(_ ridge: Int) -> Double { min(max((v - tops[ridge]) * Double(height), 0), 1) }
        // What stands behind a ridge is not worked out.
        let nearest = ridges.indices.last { inside($0) == 1 }
        var light = nearest == nil ? sky(u, v) : .zero
        // The farther, the paler.
        for (index, ridge) in ridges.enumerated().dropFirst(nearest ?? 0) where inside(index) > 0 {
            // Mist in the valleys, and woods that are not one colour.
            let depth = min(max((v - tops[index]) / 0.14, 0), 1)
            let woods =
                0.07 * Double(index) * wave(u * 23 + 2 * wave(v * 31, index), 17 + index) * wave(v * 47 + u * 5, 23 + index)
            let shade = mix(ridge.colour * (1 + woods), [0.80, 0.72, 0.70], 0.34 * depth / Double(index + 1))
            light = mix(light, shade, inside(index))
        }
        return light + SIMD3(repeating: (noise(x, y) - 0.5) * 0.03)
    }

    private static func sky(_ u: Double, _ v: Double) -> SIMD3<Double> {
        var light = mix([0.16, 0.32, 0.60], [0.99, 0.80, 0.58], pow(min(v / 0.64, 1), 1.5))
        let clouds = wave(u * 3 + v * 2, 11) * wave(v * 9 + u, 5)
        light = mix(light, [1, 0.93, 0.88], 0.35 * max(0, clouds) * (1 - v))
        let (dx, dy) = (u - 0.68, (v - 0.47) / 1.5)
        let distance = (dx * dx + dy * dy).squareRoot()
        light += SIMD3(1, 0.72, 0.40) * (0.55 * exp(-distance * 9))
        return mix(light, [1, 0.97, 0.88], min(max((0.034 - distance) * 260, 0), 1))
    }

    /// Where the ridges begin in each column, as parts of the height.
    private static let tops: [SIMD4<Double>] = (0..<width).map { x in
        let u = Double(x) / Double(width)
        var tops = SIMD4<Double>()
        for (index, ridge) in ridges.enumerated() {
            tops[index] =
                ridge.top + ridge.height
                * (0.6 * wave(u * ridge.pace, 3 + index) + 0.3 * wave(u * ridge.pace * 3.1, 7 + index)
                    + 0.1 * wave(u * ridge.pace * 11, 13 + index))
        }
        return tops
    }

    /// From the farthest to the nearest.
    private static let ridges: [(top: Double, height: Double, pace: Double, colour: SIMD3<Double>)] = [
        (0.58, 0.06, 5, [0.62, 0.55, 0.62]), (0.66, 0.07, 4, [0.40, 0.42, 0.52]), (0.76, 0.06, 3, [0.21, 0.29, 0.34]),
        (0.90, 0.05, 2, [0.08, 0.14, 0.13]),
    ]

    private static func mix(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ t: Double) -> SIMD3<Double> { a + (b - a) * t }

    private static func wave(_ t: Double, _ phase: Int) -> Double {
        (sin(t * 2.1 + Double(phase)) + 0.6 * sin(t * 4.7 + 2.3 * Double(phase)) + 0.3 * sin(t * 9.9 + 0.7 * Double(phase))) / 1.9
    }

    /// 0…1, the same at the same place.
    private static func noise(_ x: Int, _ y: Int) -> Double {
        var bits = UInt32(truncatingIfNeeded: x &* 374_761_393 &+ y &* 668_265_263)
        bits = (bits ^ (bits >> 13)) &* 1_274_126_177
        return Double((bits ^ (bits >> 16)) & 0xFFFF) / 65535
    }
}
