import LabelpipeKit
import Outline

/// A picture as a part of a drawing: copied where it is only moved by whole pixels, turned by quarters or mirrored, resampled
/// premultiplied elsewhere.
final class PictureNode: Node {
    private enum Way: Sendable {
        /// Stored px to device px, exactly.
        case copy(Affine)
        /// Stretched along the axes, then moved by the permutation. The stretched plane's px are the device's.
        case stretched(Stretch, turn: Affine)
        /// Made as small as it is seen, then turned.
        case warped(Warp)
    }

    let box: Region
    private let source: PictureSource
    private let way: Way
    /// The picture's rectangle, where its edges may cut pixels.
    private let edge: CoverageRasterizer?

    init(_ picture: Picture, _ preparer: Preparer) throws {
        source = try PictureSource(picture)
        let orientation = Orientation(picture.orientation, storedWidth: picture.image.width, storedHeight: picture.storedHeight)
        let map = orientation.upright.then(preparer.device).settled
        let size = Rect(x: 0, y: 0, width: Double(source.width), height: Double(source.height))
        box = size.applying(map).roundedOut.intersection(preparer.clip)
        if map.isQuarterTurn, map.isWhole {
            way = .copy(map)
            edge = nil
            return
        }
        edge = CoverageRasterizer(Outline(.rectangle(size)).polygons().transformed(by: map), clip: preparer.clip)
        if map.b == 0, map.c == 0 {
            way = .stretched(Stretch(sx: map.a, sy: map.d, tx: map.tx, ty: map.ty), turn: .identity)
        } else if map.a == 0, map.d == 0 {
            // x' = c·y + tx, y' = b·x + ty: stretched first, then the axes change places.
            way = .stretched(
                Stretch(sx: map.b, sy: map.c, tx: map.ty, ty: map.tx), turn: Affine(a: 0, b: 1, c: 1, d: 0, tx: 0, ty: 0))
        } else {
            way = .warped(Warp(map))
        }
    }

    func draw(on target: Target) throws {
        let region = target.region.intersection(box)
        if region.isEmpty { return }
        switch way {
        case .copy(let map):
            guard let back = map.inverse else { return }
            try lay(try source.canvas(region.rect.applying(back).roundedOut).permuted(by: map), region, on: target)
        case .stretched(let stretch, let turn):
            let wanted = region.rect.applying(turn).roundedOut
            try lay(try stretch.canvas(wanted, of: source).permuted(by: turn), region, on: target)
        case .warped(let warp):
            // Squares, so that what a turned one needs of the picture is not much more than itself.
            let side = 128
            for y in stride(from: region.y, to: region.maxY, by: side) {
                for x in stride(from: region.x, to: region.maxX, by: side) {
                    let block = Region(x: x, y: y, width: side, height: side).intersection(region)
                    try lay(try warp.canvas(block, of: source), block, on: target)
                }
            }
        }
    }

    /// Lays pixels over the target, in as much as the picture's rectangle covers them.
    private func lay(_ canvas: Canvas, _ region: Region, on target: Target) throws {
        var mask: Mask?
        if let edge {
            let coverage = Mask(region)
            edge.coverage(in: region, into: coverage.values, rowStride: coverage.stride)
            mask = coverage
        }
        for y in region.y..<region.maxY {
            let row = canvas.row(y) + (region.x &- canvas.region.x)
            let out = target.row(y) + (region.x &- target.region.x)
            let m = mask?.row(y)
            for i in 0..<region.width {
                let s = m.map { row[i] * $0[i] } ?? row[i]
                if s.w != 0 { out[i] = s + out[i] * (1 - s.w) }
            }
        }
    }
}

extension Affine {
    /// Without rounding noise: scales of 1 + 1e-12 are 1, places a millionth of a pixel off are whole.
    var settled: Affine {
        func near(_ v: Double, _ noise: Double) -> Double { abs(v - v.rounded()) < noise ? v.rounded() : v }
        return Affine(
            a: near(a, 1e-9), b: near(b, 1e-9), c: near(c, 1e-9), d: near(d, 1e-9), tx: near(tx, 1e-6), ty: near(ty, 1e-6))
    }

    /// It turns by quarters and mirrors at most.
    var isQuarterTurn: Bool {
        (b == 0 && c == 0 && abs(a) == 1 && abs(d) == 1) || (a == 0 && d == 0 && abs(b) == 1 && abs(c) == 1)
    }

    var isWhole: Bool { tx == tx.rounded() && ty == ty.rounded() }
}
