import LabelpipeKit

/// The colours along a gradient.
///
/// Component-wise on straight values of the gradient's space; beyond both ends the end colours go on.
package struct Ramp: Sendable {
    /// From one stop to the next.
    private struct Segment: Sendable {
        let start: Float
        let end: Float
        /// Steps from 0 to 1 across the segment.
        let scale: Float
        let first: Pixel
        let last: Pixel
        /// Straight sRGB at even steps, for spaces whose way back is slow; empty in srgb.
        let table: [Pixel]
    }

    private let segments: [Segment]
    /// Where the first stop stands; before it is its colour, whatever follows.
    private let start: Float
    /// Straight, of both ends.
    package let first: Pixel
    package let last: Pixel

    /// Fine enough for 16 bit: the curves bend by less than one part in 65535 between entries.
    private static let tableSteps = 2048

    /// - Parameter stops: at least one, ascending.
    package init(_ stops: [Gradient.Stop], space: Gradient.Space) {
        first = stops.first?.color.vector ?? .zero
        last = stops.last?.color.vector ?? .zero
        start = Float(stops.first?.position ?? 0)
        segments = zip(stops, stops.dropFirst()).compactMap { a, b in
            let (start, end) = (Float(a.position), Float(b.position))
            guard end > start else { return nil }
            let (c0, c1) = (a.color.vector, b.color.vector)
            return Segment(
                start: start, end: end, scale: 1 / (end - start), first: c0, last: c1, table: Ramp.table(c0, c1, space))
        }
    }

    private static func table(_ c0: Pixel, _ c1: Pixel, _ space: Gradient.Space) -> [Pixel] {
        func entries(_ a: Pixel, _ b: Pixel, _ back: (Pixel) -> Pixel) -> [Pixel] {
            var table = (0...tableSteps).map { i in
                let t = Float(i) / Float(tableSteps)
                return back(a * (1 - t) + b * t)
            }
            // The ends are what was asked for, not what comes back of it.
            (table[0], table[tableSteps]) = (c0, c1)
            table.append(c1)
            return table
        }
        switch space {
        case .srgb: return []
        case .linear: return entries(Transfer.decode(c0), Transfer.decode(c1), Transfer.encode)
        case .oklab: return entries(Transfer.oklab(c0), Transfer.oklab(c1), Transfer.fromOklab)
        }
    }

    /// The straight colour at t.
    package func color(at t: Float) -> Pixel {
        if t < start { return first }
        for segment in segments where t < segment.end { return color(segment, max(t, segment.start)) }
        return last
    }

    @inline(__always)
    private func color(_ segment: Segment, _ t: Float) -> Pixel {
        let s = (t - segment.start) * segment.scale
        if segment.table.isEmpty { return segment.first + (segment.last - segment.first) * s }
        let place = min(max(s, 0), 1) * Float(Ramp.tableSteps)
        let index = Int(place)
        let low = segment.table[index]
        return low + (segment.table[index &+ 1] - low) * (place - Float(index))
    }

    /// Premultiplied colours of a row, for values of t that lie in `pixels[i].x`.
    func paint(_ pixels: UnsafeMutablePointer<Pixel>, count: Int) {
        if segments.count == 1, segments[0].table.isEmpty {
            let segment = segments[0]
            let (c0, step) = (segment.first, segment.last - segment.first)
            let (start, scale) = (segment.start, segment.scale)
            for i in 0..<count {
                let t = min(max((pixels[i].x - start) * scale, 0), 1)
                pixels[i] = (c0 + step * t).premultiplied
            }
            return
        }
        for i in 0..<count { pixels[i] = color(at: pixels[i].x).premultiplied }
    }
}
