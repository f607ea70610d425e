/// Labels on smaller versions of a picture.
///
/// A px of the smaller version is the mean of those it covers, premultiplied, what is outside the label counting as transparent.
/// Where the versions differ by a whole factor, a stamp is made once for all its places that fall on the same px.
struct StampScaling {
    private struct Key: Hashable {
        let stamp: ObjectIdentifier
        let x: Int
        let y: Int
    }

    private let across: Double
    private let down: Double
    private var made: [Key: (stamp: Stamp, patch: Patch)] = [:]

    /// - Parameters:
    ///   - width: of the larger version; `height` likewise.
    ///   - smallerWidth: of the smaller version; `smallerHeight` likewise.
    init(width: Int, height: Int, smallerWidth: Int, smallerHeight: Int) {
        across = Self.factor(width, smallerWidth)
        down = Self.factor(height, smallerHeight)
    }

    /// Whole where the smaller side is the larger's part, rounded either way, as pyramids have it.
    private static func factor(_ large: Int, _ small: Int) -> Double {
        let whole = (Double(large) / Double(small)).rounded()
        return abs(Double(large) - whole * Double(small)) < whole ? whole : Double(large) / Double(small)
    }

    mutating func scaled(_ patch: Patch) throws -> Patch? {
        let left = Int((Double(patch.x) / across).rounded(.down))
        let top = Int((Double(patch.y) / down).rounded(.down))
        let right = Int((Double(patch.x + patch.width) / across).rounded(.up))
        let bottom = Int((Double(patch.y + patch.height) / down).rounded(.up))
        guard right > left, bottom > top else { return nil }
        let isWhole = across == across.rounded() && down == down.rounded()
        let key = Key(
            stamp: ObjectIdentifier(patch.stamp), x: isWhole ? patch.x - left * Int(across) : patch.x,
            y: isWhole ? patch.y - top * Int(down) : patch.y)
        if let known = made[key] { return Patch(x: left, y: top, stamp: known.stamp) }
        let xs = weights(from: left, to: right, at: patch.x, size: patch.width, factor: across)
        let ys = weights(from: top, to: bottom, at: patch.y, size: patch.height, factor: down)
        let stamp: Stamp
        switch patch.stamp.samples {
        case .u16(let values):
            let mean = means(values, patch.stamp, xs, ys, unit: 65535)
            stamp = try Stamp(
                width: xs.count, height: ys.count, channels: patch.stamp.channels,
                samples: .u16(mean.map { UInt16(min(65535, max(0, ($0 * 65535).rounded()))) }))
        case .float(let values):
            stamp = try Stamp(
                width: xs.count, height: ys.count, channels: patch.stamp.channels,
                samples: .float(means(values, patch.stamp, xs, ys, unit: 1)))
        }
        made[key] = (stamp, patch)  // the patch keeps the larger stamp alive, and with it its identity
        return Patch(x: left, y: top, stamp: stamp)
    }

    /// For each px of the smaller version: the first px it covers, and how much of each.
    private func weights(from: Int, to: Int, at: Int, size: Int, factor: Double) -> [(first: Int, shares: [Float])] {
        (from..<to).map { place in
            let start = Double(place) * factor - Double(at)
            let end = start + factor
            let first = max(0, Int(start.rounded(.down)))
            let last = min(size, Int(end.rounded(.up)))
            let shares = (first..<max(first, last)).map { Float((min(Double($0 + 1), end) - max(Double($0), start)) / factor) }
            return (first, shares)
        }
    }

    private func means<S: StampSample>(
        _ values: [S], _ stamp: Stamp, _ xs: [(first: Int, shares: [Float])], _ ys: [(first: Int, shares: [Float])], unit: Float
    ) -> [Float] {
        let step = stamp.channels + 1
        var result = [Float](repeating: 0, count: xs.count * ys.count * step)
        values.withUnsafeBufferPointer { values in
            for (row, y) in ys.enumerated() {
                for (column, x) in xs.enumerated() {
                    var colour = SIMD4<Float>.zero
                    var alpha: Float = 0
                    for (dy, high) in y.shares.enumerated() {
                        var at = ((y.first + dy) * stamp.width + x.first) * step
                        for wide in x.shares {
                            let weight = min(values[at + step - 1].float / unit, 1) * wide * high
                            if weight > 0 {
                                alpha += weight
                                for channel in 0..<stamp.channels {
                                    colour[channel] += values[at + channel].float / unit * weight
                                }
                            }
                            at += step
                        }
                    }
                    guard alpha > 0 else { continue }
                    let to = (row * xs.count + column) * step
                    for channel in 0..<stamp.channels { result[to + channel] = colour[channel] / alpha }
                    result[to + step - 1] = min(alpha, 1)
                }
            }
        }
        return result
    }
}
