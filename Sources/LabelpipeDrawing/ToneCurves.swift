import CColor
import LabelpipeKit

/// A profile's own curves between its codes and light, one a channel.
///
/// **Source**: ICC.1, the TRC tags of matrix and grey profiles; read by lcms2.
struct ToneCurves: Sendable {
    /// Light at evenly spaced codes, never falling.
    private let light: [[Float]]
    private static let steps = 4096

    /// Nil where the profile has none: it is made of tables that mix channels.
    init?(_ profile: cmsHPROFILE, channels: Int) {
        let tags = channels == 1 ? [cmsSigGrayTRCTag] : [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
        var light: [[Float]] = []
        for tag in tags {
            guard let curve = cmsReadTag(profile, tag).map(OpaquePointer.init) else { return nil }
            var last: Float = 0
            light.append(
                (0...ToneCurves.steps).map { step in
                    last = max(last, min(cmsEvalToneCurveFloat(curve, Float(step) / Float(ToneCurves.steps)), 1))
                    return last
                })
            guard last > 0 else { return nil }
        }
        self.light = light
    }

    /// Codes to light; alpha stays.
    func decode(_ p: Pixel) -> Pixel { map(p, ToneCurves.light) }

    /// Light to codes: what `decode` undoes.
    func encode(_ p: Pixel) -> Pixel { map(p, ToneCurves.code) }

    private func map(_ p: Pixel, _ change: ([Float], Float) -> Float) -> Pixel {
        if light.count == 1 { return Pixel(repeating: change(light[0], p.x)).alpha(p.w) }
        return Pixel(change(light[0], p.x), change(light[1], p.y), change(light[2], p.z), p.w)
    }

    private static func light(_ curve: [Float], _ code: Float) -> Float {
        let place = min(max(code, 0), 1) * Float(steps)
        let below = min(Int(place), steps - 1)
        return curve[below] + (curve[below + 1] - curve[below]) * (place - Float(below))
    }

    private static func code(_ curve: [Float], _ light: Float) -> Float {
        // The last step that is not above.
        var (low, high) = (0, steps)
        while low < high {
            let middle = (low + high + 1) / 2
            if curve[middle] <= light { low = middle } else { high = middle - 1 }
        }
        if low == steps { return 1 }
        let span = curve[low + 1] - curve[low]
        let part = span > 0 ? min(max((light - curve[low]) / span, 0), 1) : 0
        return (Float(low) + part) / Float(steps)
    }
}
