/// A part of a page. It may hang over the page's edges.
///
/// - **Units**: whole px of the stored page.
package struct Area: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    var right: Int { x + width }
    var bottom: Int { y + height }
    var isEmpty: Bool { width <= 0 || height <= 0 }
    var count: Int { isEmpty ? 0 : width * height }

    func intersection(_ other: Area) -> Area {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return Area(x: left, y: top, width: min(right, other.right) - left, height: min(bottom, other.bottom) - top)
    }

    /// Stretches of whole rows with at most `most` px each, and at least a row.
    func bands(most: Int) -> [Area] {
        let rows = max(1, most / max(width, 1))
        return stride(from: y, to: bottom, by: rows).map {
            Area(x: x, y: $0, width: width, height: min(rows, bottom - $0))
        }
    }
}

/// A label on a page, whose pixels are asked for part by part: however large it is, only the part at work is in memory.
///
/// - **Cost**: what its source costs; nothing until a part is asked for.
package struct Sheet: Sendable {
    /// Writes straight colour and alpha, 0…1, of a part of the sheet: row by row, `channels + 1` floats a px.
    package typealias Source = @Sendable (_ part: Area, _ into: UnsafeMutablePointer<Float>) throws -> Void

    /// Where it lies on the page.
    package let area: Area
    /// Colour channels without alpha: 1, 3 or 4.
    package let channels: Int
    /// Fine enough for a picture of floats.
    let isFloat: Bool
    private let source: Source

    package init(area: Area, channels: Int, isFloat: Bool = true, source: @escaping Source) {
        (self.area, self.channels, self.isFloat, self.source) = (area, channels, isFloat, source)
    }

    package init(_ patch: Patch, isFloat: Bool? = nil) {
        let stamp = patch.stamp
        let step = stamp.channels + 1
        let area = Area(x: patch.x, y: patch.y, width: patch.width, height: patch.height)
        self.init(area: area, channels: stamp.channels, isFloat: isFloat ?? stamp.isFloat) { part, floats in
            var to = floats
            for y in part.y..<part.bottom {
                let first = ((y - area.y) * stamp.width + part.x - area.x) * step
                let count = part.width * step
                switch stamp.samples {
                case .float(let values): values.withUnsafeBufferPointer { to.update(from: $0.baseAddress! + first, count: count) }
                case .u16(let values):
                    values.withUnsafeBufferPointer { values in
                        for i in 0..<count { to[i] = Float(values[first &+ i]) * (1 / 65535) }
                    }
                }
                to += count
            }
        }
    }

    /// What of it lies in a part of the page; nil where that is nothing.
    func patch(in page: Area) throws -> Patch? {
        let part = area.intersection(page)
        if part.isEmpty { return nil }
        return Patch(
            x: part.x, y: part.y,
            stamp: try Stamp(width: part.width, height: part.height, channels: channels, samples: .float(try samples(part))))
    }

    private func samples(_ part: Area) throws -> [Float] {
        let count = part.count * (channels + 1)
        return try [Float](unsafeUninitializedCapacity: count) { floats, filled in
            if let base = floats.baseAddress { try source(part, base) }
            filled = count
        }
    }
}

// MARK: Smaller versions

extension Sheet {
    /// The most px of a smaller version that are kept, and of a larger one that are looked at together.
    private static let keptPx = 2 << 20
    private static let bandPx = 1 << 20

    /// The label on a smaller version of its page: a px there is the mean of those it covers, premultiplied, what is outside
    /// the label counting as transparent. nil: nothing of it is left.
    ///
    /// Small ones are made at once, so that the next smaller version can be made of them.
    func scaled(from page: (width: Int, height: Int), to version: (width: Int, height: Int)) throws -> Sheet? {
        let across = Self.factor(page.width, version.width)
        let down = Self.factor(page.height, version.height)
        let left = Int((Double(area.x) / across).rounded(.down))
        let top = Int((Double(area.y) / down).rounded(.down))
        let smaller = Area(
            x: left, y: top, width: Int((Double(area.right) / across).rounded(.up)) - left,
            height: Int((Double(area.bottom) / down).rounded(.up)) - top
        ).intersection(Area(x: 0, y: 0, width: version.width, height: version.height))
        if smaller.isEmpty { return nil }
        let lazy = Sheet(area: smaller, channels: channels, isFloat: isFloat) { part, floats in
            try means(part, across, down, into: floats)
        }
        if smaller.count > Self.keptPx { return lazy }
        let words = try lazy.samples(smaller).map { UInt16(min(max($0, 0), 1) * 65535 + 0.5) }
        let stamp = try Stamp(width: smaller.width, height: smaller.height, channels: channels, samples: .u16(words))
        return Sheet(Patch(x: smaller.x, y: smaller.y, stamp: stamp), isFloat: isFloat)
    }

    /// Whole where the smaller side is the larger's part, rounded either way, as pyramids have it.
    private static func factor(_ large: Int, _ small: Int) -> Double {
        let whole = (Double(large) / Double(small)).rounded()
        return abs(Double(large) - whole * Double(small)) < whole ? whole : Double(large) / Double(small)
    }

    /// For each px of a stretch of the smaller version: the first px of the larger that it covers, and how much of each.
    private static func weights(from: Int, count: Int, within: Range<Int>, factor: Double) -> [(first: Int, shares: [Float])] {
        (from..<from + count).map { place in
            let start = Double(place) * factor
            let end = start + factor
            let first = max(within.lowerBound, Int(start.rounded(.down)))
            let last = min(within.upperBound, Int(end.rounded(.up)))
            let shares = (first..<max(first, last)).map { Float((min(Double($0 + 1), end) - max(Double($0), start)) / factor) }
            return (first, shares)
        }
    }

    private func means(_ part: Area, _ across: Double, _ down: Double, into floats: UnsafeMutablePointer<Float>) throws {
        let step = channels + 1
        let columns = Self.weights(from: part.x, count: part.width, within: area.x..<area.right, factor: across)
        let perPx = Int(across.rounded(.up)) * Int(down.rounded(.up))
        for band in part.bands(most: max(1, Self.bandPx / perPx)) {
            let rows = Self.weights(from: band.y, count: band.height, within: area.y..<area.bottom, factor: down)
            let (left, right) = Self.extent(columns)
            let (top, bottom) = Self.extent(rows)
            let covered = Area(x: left, y: top, width: right - left, height: bottom - top)
            let to = floats + (band.y - part.y) * part.width * step
            if covered.isEmpty {
                to.update(repeating: 0, count: band.count * step)
                continue
            }
            try samples(covered).withUnsafeBufferPointer { values in
                mean(values.baseAddress!, covered, columns, rows, into: to)
            }
        }
    }

    private static func extent(_ weights: [(first: Int, shares: [Float])]) -> (Int, Int) {
        (weights.first?.first ?? 0, weights.last.map { $0.first + $0.shares.count } ?? 0)
    }

    private func mean(
        _ values: UnsafePointer<Float>, _ covered: Area, _ columns: [(first: Int, shares: [Float])],
        _ rows: [(first: Int, shares: [Float])], into floats: UnsafeMutablePointer<Float>
    ) {
        let step = channels + 1
        var to = floats
        for y in rows {
            for x in columns {
                var colour = SIMD4<Float>.zero
                var alpha: Float = 0
                for (dy, high) in y.shares.enumerated() {
                    var from = values + ((y.first + dy - covered.y) * covered.width + x.first - covered.x) * step
                    for wide in x.shares {
                        let weight = min(from[channels], 1) * wide * high
                        if weight > 0 {
                            alpha += weight
                            for channel in 0..<channels { colour[channel] += from[channel] * weight }
                        }
                        from += step
                    }
                }
                for channel in 0..<channels { to[channel] = alpha > 0 ? colour[channel] / alpha : 0 }
                to[channels] = min(alpha, 1)
                to += step
            }
        }
    }
}
