/// A row of a body that has several strokes: the parts they cut each pixel into, from the inside outwards, each with what is painted
/// there.
///
/// Under one stroke a pixel holds one thing. Under two, the second may lie over the first alone; painted over their mixture it would
/// cover the fill beside it as well.
struct Bands {
    private final class Band {
        let area: UnsafeMutablePointer<Float>
        /// What the part looks like: premultiplied, not times the area.
        let color: UnsafeMutablePointer<Pixel>

        init(_ count: Int) { (area, color) = (.allocate(capacity: count), .allocate(capacity: count)) }

        deinit {
            area.deallocate()
            color.deallocate()
        }
    }

    private var bands: [Band]
    private let count: Int

    /// - Parameters:
    ///   - line: C, the contents times `m`.
    ///   - m: M, the silhouette's coverage.
    init(_ line: UnsafePointer<Pixel>, _ m: UnsafePointer<Float>, count: Int) {
        self.count = count
        let band = Band(count)
        for i in 0..<count {
            band.area[i] = m[i]
            band.color[i] = m[i] > 0 ? line[i] / m[i] : .zero
        }
        bands = [band]
    }

    func shade(_ change: (_ color: UnsafeMutablePointer<Pixel>) -> Void) { for band in bands { change(band.color) } }

    /// - Parameters:
    ///   - outer: A; nil: M itself.
    ///   - inner: B; nil: M itself.
    ///   - m: M, which becomes A.
    mutating func stroke(
        _ paint: UnsafePointer<Pixel>, outer: UnsafePointer<Float>?, inner: UnsafePointer<Float>?,
        _ m: UnsafeMutablePointer<Float>
    ) {
        if let inner { cover(with: paint, outside: inner) }
        guard let outer else { return }
        let ring = Band(count)
        for i in 0..<count {
            let edge = max(outer[i], m[i])
            ring.area[i] = edge - m[i]
            ring.color[i] = paint[i]
            m[i] = edge
        }
        bands.append(ring)
    }

    /// Parts divide at an edge: each keeps what of it is inside, the rest lies under the paint.
    private mutating func cover(with paint: UnsafePointer<Pixel>, outside edge: UnsafePointer<Float>) {
        var under: [Band] = []
        let rest = UnsafeMutablePointer<Float>.allocate(capacity: count)
        defer { rest.deallocate() }
        rest.update(from: edge, count: count)
        for band in bands {
            let covered = Band(count)
            var isCovered = false
            for i in 0..<count {
                let kept = min(rest[i], band.area[i])
                rest[i] -= kept
                covered.area[i] = band.area[i] - kept
                covered.color[i] = paint[i] + band.color[i] * (1 - paint[i].w)
                band.area[i] = kept
                if covered.area[i] > 0 { isCovered = true }
            }
            if isCovered { under.append(covered) }
        }
        bands.removeAll { band in !(0..<count).contains { band.area[$0] > 0 } }
        bands += under
    }

    /// All parts together.
    func write(to line: UnsafeMutablePointer<Pixel>) {
        for i in 0..<count { line[i] = bands.reduce(.zero) { $0 + $1.color[i] * $1.area[i] } }
    }
}
