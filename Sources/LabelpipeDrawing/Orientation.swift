import Outline

/// How an upright page lies in memory: EXIF's orientation, as an exact permutation of pixels.
///
/// **Source**: Exif 2.3, tag 0x0112: where row 0 and column 0 of the stored picture are when it is seen upright.
package struct Orientation: Hashable, Sendable {
    /// 1 to 8.
    package let value: Int
    /// Of the stored page. px
    package let width: Int
    package let height: Int

    package init(_ value: Int, storedWidth: Int, storedHeight: Int) {
        (self.value, width, height) = (value, storedWidth, storedHeight)
    }

    private var linear: (a: Int, b: Int, c: Int, d: Int) {
        switch value {
        case 2: (-1, 0, 0, 1)
        case 3: (-1, 0, 0, -1)
        case 4: (1, 0, 0, -1)
        case 5: (0, 1, 1, 0)
        case 6: (0, 1, -1, 0)
        case 7: (0, -1, -1, 0)
        case 8: (0, -1, 1, 0)
        default: (1, 0, 0, 1)
        }
    }

    /// From stored to upright coordinates.
    package var upright: Affine {
        let m = linear
        let (w, h) = (Double(width), Double(height))
        // Where the map is −1, the far edge becomes 0.
        let tx = (m.a < 0 ? w : 0) + (m.c < 0 ? h : 0)
        let ty = (m.b < 0 ? w : 0) + (m.d < 0 ? h : 0)
        return Affine(a: Double(m.a), b: Double(m.b), c: Double(m.c), d: Double(m.d), tx: tx, ty: ty)
    }

    /// From upright to stored coordinates.
    package var stored: Affine { upright.inverse ?? .identity }

    /// A region of the upright page, as it is stored.
    package func stored(_ region: Region) -> Region { region.isEmpty ? .empty : region.rect.applying(stored).roundedOut }
    /// A region of the stored page, upright.
    package func upright(_ region: Region) -> Region { region.isEmpty ? .empty : region.rect.applying(upright).roundedOut }

    /// A whole step on the upright page, as it is stored.
    package func stored(dx: Int, dy: Int) -> (dx: Int, dy: Int) {
        let v = stored.apply(Vector(dx: Double(dx), dy: Double(dy)))
        return (Int(v.dx.rounded()), Int(v.dy.rounded()))
    }
}

extension Canvas {
    /// The same pixels where a map that only moves, turns by quarters and mirrors takes them.
    func permuted(by map: Affine) -> Canvas {
        if map.isIdentity { return self }
        let result = Canvas(region.rect.applying(map).roundedOut)
        let corner = map.apply(Point(x: Double(region.x) + 0.5, y: Double(region.y) + 0.5))
        let (x0, y0) = (Int(corner.x.rounded(.down)) - result.region.x, Int(corner.y.rounded(.down)) - result.region.y)
        let acrossStep = Int(map.a.rounded()) + Int(map.b.rounded()) * result.stride
        let downStep = Int(map.c.rounded()) + Int(map.d.rounded()) * result.stride
        for row in 0..<region.height {
            let source = pixels + row * stride
            var out = result.pixels + (x0 + y0 * result.stride + row * downStep)
            for i in 0..<region.width {
                out.pointee = source[i]
                if i + 1 < region.width { out += acrossStep }
            }
        }
        return result
    }
}
