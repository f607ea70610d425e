import LabelpipeKit
import Outline

/// How much of a text that fades out is seen at each pixel.
final class FadeField: Sendable {
    private let lines: [(bottom: Double, ramp: LinearPlace?)]
    /// y on the lines' plane of a pixel's centre: ax·x + ay·y + c.
    private let (ax, ay, c): (Double, Double, Double)

    init(_ fade: Fade, _ device: Affine) {
        let toDevice = fade.transform.then(device)
        lines = fade.lines.map { line in
            (line.bottom, line.ramp.map { LinearPlace(start: $0.start, end: $0.end, device: toDevice) })
        }
        let back = toDevice.inverse ?? .identity
        (ax, ay) = (back.b, back.d)
        c = back.apply(Point(x: 0.5, y: 0.5)).y
    }

    /// Multiplies a part of a row that begins at (x, y).
    func apply(to row: UnsafeMutablePointer<Pixel>, x: Int, y: Int, count: Int) {
        for i in 0..<count {
            let (px, py) = (Double(x &+ i), Double(y))
            let height = ax * px + ay * py + c
            guard let ramp = (lines.first { height < $0.bottom } ?? lines.last)?.ramp else { continue }
            row[i] *= Float(min(max(1 - (ramp.ax * px + ramp.ay * py + ramp.c), 0), 1))
        }
    }
}
