import Outline
import Testing

/// Corners where curves cross, not where one ends.
@Suite struct CrossingTests {
    private func circle(_ x: Double) -> Outline { Outline(.ellipse(in: Rect(x: x - 10, y: -10, width: 20, height: 20))) }

    /// Two circles of radius 10, 2a apart, share a lens with its tips at ±√(100 − a²). The sine of a tip's half angle is a tenth of that.
    /// Chords for filling alone put the tips up to a tenth of their length aside.
    @Test(arguments: [8.5, 9, 9.5]) func miterOfALens(a: Double) {
        let tip = (100 - a * a).squareRoot()
        let lens = circle(-a).combined(with: circle(a), .intersect)
        let grown = lens.grown(by: 10, join: .miter, miterLimit: 20).polygons()
        let expected = tip + 10 / (tip / 10)
        #expect(
            abs(grown.bounds.maxY - expected) < 0.05 * expected && abs(grown.bounds.minY + expected) < 0.05 * expected,
            "\(grown.bounds), not \(expected)")
    }
}
