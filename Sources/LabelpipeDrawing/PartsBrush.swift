import LabelpipeKit
import Outline

/// Each outline with a paint of its own.
final class PartsBrush: AreaBrush {
    private struct Part: Sendable {
        let source: OutlineSource
        /// In device px.
        let polygons: Polygons
        let bounds: Rect
        let brush: Brush

        func squaredDistanceToBox(_ p: Point) -> Double {
            let dx = max(bounds.minX - p.x, 0, p.x - bounds.maxX)
            let dy = max(bounds.minY - p.y, 0, p.y - bounds.maxY)
            return dx * dx + dy * dy
        }

        func squaredDistance(_ p: Point) -> Double {
            polygons.isEmpty ? squaredDistanceToBox(p) : PartsBrush.squaredDistance(p, polygons)
        }
    }

    private let parts: [Part]

    init(_ parts: [(outline: Outline, brush: Brush)], _ preparer: Preparer) {
        // Far parts are still the nearest of something: nothing is clipped away.
        self.parts = parts.map { part in
            let polygons = part.outline.polygons(scale: preparer.scale).transformed(by: preparer.device)
            let bounds = polygons.isEmpty ? part.outline.bounds.applying(preparer.device) : polygons.bounds
            return Part(source: preparer.source(part.outline), polygons: polygons, bounds: bounds, brush: part.brush)
        }
    }

    func paint(_ region: Region, where mask: Mask?) throws -> Canvas {
        let canvas = Canvas(region)
        let weight = Mask(region)
        for part in parts {
            let box = part.source.box.intersection(region)
            if box.isEmpty { continue }
            let mask = Mask(box)
            try part.source.coverage(in: box, into: mask.values, rowStride: mask.stride)
            let colours = try PartsBrush.colours(part.brush, box)
            for y in box.y..<box.maxY {
                let (out, sum) = (canvas.row(y) + (box.x - region.x), weight.row(y) + (box.x - region.x))
                let (m, c) = (mask.row(y), colours.row(y))
                for i in 0..<box.width where m[i] > 0 {
                    out[i] += c[i] * m[i]
                    sum[i] += m[i]
                }
            }
        }
        // Less than that is noise of the rasteriser, and no colour comes of it.
        for i in 0..<weight.count where weight.values[i] > 1e-4 {
            canvas.pixels[i] *= 1 / weight.values[i]
            weight.values[i] = 1
        }
        if let mask {
            for i in 0..<weight.count where mask.values[i] == 0 { weight.values[i] = 1 }
        }
        // What is left lies beyond all parts, and somebody looks at it.
        for y in stride(from: region.y, to: region.maxY, by: PartsBrush.side) {
            for x in stride(from: region.x, to: region.maxX, by: PartsBrush.side) {
                let block = Region(x: x, y: y, width: PartsBrush.side, height: PartsBrush.side).intersection(region)
                try paintBeyond(block, weight, canvas)
            }
        }
        return canvas
    }

    /// Of blocks in which the nearest part is looked for together. px
    private static let side = 8

    private func paintBeyond(_ block: Region, _ weight: Mask, _ canvas: Canvas) throws {
        let column = block.x &- canvas.region.x
        func isOpen(_ y: Int, _ i: Int) -> Bool { weight.row(y)[column &+ i] <= 1e-4 }
        guard (block.y..<block.maxY).contains(where: { y in (0..<block.width).contains { isOpen(y, $0) } }) else { return }
        let candidates = candidates(for: block)
        for y in block.y..<block.maxY {
            var i = 0
            while i < block.width {
                guard isOpen(y, i) else {
                    i += 1
                    continue
                }
                let part = nearest(Point(x: Double(block.x + i) + 0.5, y: Double(y) + 0.5), among: candidates)
                var end = i + 1
                while end < block.width, isOpen(y, end),
                    candidates.count == 1
                        || nearest(Point(x: Double(block.x + end) + 0.5, y: Double(y) + 0.5), among: candidates) == part
                {
                    end += 1
                }
                let run = Region(x: block.x + i, y: y, width: end - i, height: 1)
                let brush = parts[part].brush
                brush.row(
                    y, from: run.x, count: run.width, try brush.prepared(for: run, where: nil), into: canvas.row(y) + (column + i)
                )
                i = end
            }
        }
    }

    private static func colours(_ brush: Brush, _ region: Region) throws -> Canvas {
        if let canvas = try brush.prepared(for: region, where: nil) { return canvas }
        let canvas = Canvas(region)
        for y in region.y..<region.maxY { brush.row(y, from: region.x, count: region.width, nil, into: canvas.row(y)) }
        return canvas
    }

    /// Every part that is the nearest of some place in the block.
    private func candidates(for block: Region) -> [Int] {
        let center = block.rect.center
        let around = Double(PartsBrush.side) * 0.5 * 2.0.squareRoot()
        var best = Double.infinity
        var found: [(index: Int, distance: Double)] = []
        for (index, part) in parts.enumerated() {
            // The box is nearer than what lies in it.
            if part.squaredDistanceToBox(center).squareRoot() > best + 2 * around { continue }
            let own = part.squaredDistance(center).squareRoot()
            if own > best + 2 * around { continue }
            best = min(best, own)
            found.append((index, own))
        }
        return found.filter { $0.distance <= best + 2 * around }.map(\.index)
    }

    private func nearest(_ p: Point, among candidates: [Int]) -> Int {
        if candidates.count == 1 { return candidates[0] }
        var best = candidates[0]
        var distance = Double.infinity
        for index in candidates where parts[index].squaredDistanceToBox(p) < distance {
            let own = parts[index].squaredDistance(p)
            if own < distance { (best, distance) = (index, own) }
        }
        return best
    }

    private static func squaredDistance(_ p: Point, _ polygons: Polygons) -> Double {
        var best = Double.infinity
        polygons.coordinates.withUnsafeBufferPointer { xy in
            for contour in 0..<polygons.contourCount {
                let range = polygons.contour(contour)
                var (ax, ay) = (xy[2 * range.upperBound - 2] - p.x, xy[2 * range.upperBound - 1] - p.y)
                for vertex in range {
                    let (bx, by) = (xy[2 * vertex] - p.x, xy[2 * vertex + 1] - p.y)
                    let (dx, dy) = (bx - ax, by - ay)
                    let length = dx * dx + dy * dy
                    let t = length > 0 ? min(max(-(ax * dx + ay * dy) / length, 0), 1) : 0
                    let (x, y) = (ax + t * dx, ay + t * dy)
                    best = min(best, x * x + y * y)
                    (ax, ay) = (bx, by)
                }
            }
        }
        return best
    }
}
