import LabelpipeKit
import Outline

/// A picture as a paint: one cell of marks, once or repeated.
final class PatternBrush: AreaBrush {
    private enum Way: Sendable {
        /// Drawn where it is.
        case once([any Node], clip: any CoverageSource)
        /// One cell, already at the device's size, and the way from device px to its px.
        case repeated(Once<Canvas>, Affine)
    }

    private let way: Way

    init(_ pattern: Pattern, _ preparer: Preparer) throws {
        let device = pattern.transform.then(preparer.device)
        let cell = pattern.cell
        guard pattern.repeats, !cell.isEmpty, device.determinant != 0 else {
            let inner = preparer.inner(pattern.transform)
            way = .once(try inner.nodes(pattern.marks), clip: inner.source(Outline(.rectangle(cell))))
            return
        }
        // A cell of whole pixels, as large as it is seen.
        let sx = (device.a * device.a + device.b * device.b).squareRoot()
        let sy = (device.c * device.c + device.d * device.d).squareRoot()
        let width = min(max((cell.width * sx).rounded(), 1), 8192)
        let height = min(max((cell.height * sy).rounded(), 1), 8192)
        let toTile = Affine.translation(dx: -cell.x, dy: -cell.y).then(.scale(sx: width / cell.width, sy: height / cell.height))
        let tile = Region(x: 0, y: 0, width: Int(width), height: Int(height))
        let cellCanvas = Once {
            let canvas = Canvas(tile)
            for node in try Preparer(device: toTile, clip: tile).nodes(pattern.marks) { try node.draw(on: canvas.target) }
            return canvas
        }
        way = .repeated(cellCanvas, (device.inverse ?? .identity).then(toTile).settled)
    }

    func paint(_ region: Region, where mask: Mask?) throws -> Canvas {
        let canvas = Canvas(region)
        switch way {
        case .once(let nodes, let clip):
            for node in nodes { try node.draw(on: canvas.target) }
            let mask = Mask(region)
            try clip.coverage(in: region, into: mask.values, rowStride: mask.stride)
            Compositing.scale(canvas, by: 1, mask)
        case .repeated(let cell, let back):
            fill(canvas, try cell.get(), back)
        }
        return canvas
    }

    private func fill(_ canvas: Canvas, _ cell: Canvas, _ back: Affine) {
        let region = canvas.region
        let (w, h) = (cell.region.width, cell.region.height)
        for y in region.y..<region.maxY {
            let out = canvas.row(y)
            for i in 0..<region.width {
                let p = back.apply(Point(x: Double(region.x + i) + 0.5, y: Double(y) + 0.5))
                let (u, v) = ((p.x - 0.5), (p.y - 0.5))
                let (fx, fy) = (u.rounded(.down), v.rounded(.down))
                let (s, t) = (Float(u - fx), Float(v - fy))
                let x0 = PatternBrush.wrapped(fx, w)
                let row0 = cell.pixels + PatternBrush.wrapped(fy, h) * cell.stride
                // Whole steps copy; everything else is interpolated, across the cell's edge too.
                if s < 1e-5, t < 1e-5 {
                    out[i] = row0[x0]
                    continue
                }
                let x1 = x0 + 1 == w ? 0 : x0 + 1
                let row1 = cell.pixels + PatternBrush.wrapped(fy + 1, h) * cell.stride
                let top = row0[x0] + (row0[x1] - row0[x0]) * s
                let bottom = row1[x0] + (row1[x1] - row1[x0]) * s
                out[i] = top + (bottom - top) * t
            }
        }
    }

    @inline(__always)
    private static func wrapped(_ v: Double, _ size: Int) -> Int {
        let r = Int(v.truncatingRemainder(dividingBy: Double(size)))
        return r < 0 ? r + size : r
    }
}
