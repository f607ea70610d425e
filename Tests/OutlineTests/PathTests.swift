import Outline
import Testing

@Suite struct PathTests {
    @Test func boundsAreTight() {
        var path = Path()
        path.move(to: Point(x: 0, y: 0))
        path.quadratic(Point(x: 5, y: 10), to: Point(x: 10, y: 0))
        #expect(path.bounds == Rect(x: 0, y: 0, width: 10, height: 5))
        path = Path()
        path.move(to: Point(x: 0, y: 0))
        path.cubic(Point(x: 0, y: 4), Point(x: 10, y: 4), to: Point(x: 10, y: 0))
        #expect(path.bounds == Rect(x: 0, y: 0, width: 10, height: 3))
        // A lone move is nothing; a straight cubic has no extremum.
        path = Path(elements: [.move(Point(x: -50, y: -50)), .move(Point(x: 1, y: 1)), .line(Point(x: 3, y: 1))])
        #expect(path.bounds == Rect(x: 1, y: 1, width: 2, height: 0))
        #expect(Path().bounds.isNull)
    }

    @Test func boundsHoldEveryPointOfRandomCurves() {
        var random = Seeded.fresh("path bounds")
        for _ in 0..<300 {
            let p = (0..<4).map { _ in Point(x: random.number(-9...9), y: random.number(-9...9)) }
            let path = Path(elements: [.move(p[0]), .cubic(p[1], p[2], p[3])])
            var box = Rect.null
            for step in 0...2000 {
                let t = Double(step) / 2000
                let s = 1 - t
                let w = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t]
                let x = zip(w, p).reduce(0) { $0 + $1.0 * $1.1.x }
                let y = zip(w, p).reduce(0) { $0 + $1.0 * $1.1.y }
                box = box.union(Rect(x: x, y: y, width: 0, height: 0))
            }
            #expect(path.bounds.grown(by: 1e-9).contains(box))
            #expect(box.grown(by: 1e-4).contains(path.bounds))
        }
    }

    @Test func radiusIsHeldWithinHalfTheShorterSide() {
        let rect = Rect(x: 2, y: 3, width: 40, height: 10)
        #expect(Path.rectangle(rect, radius: 99) == Path.rectangle(rect, radius: 5))
        #expect(Path.rectangle(rect, radius: -1) == Path.rectangle(rect))
        #expect(Path.rectangle(rect, radius: 99).bounds == rect)
        #expect(Path.rectangle(.null, radius: 1).elements.isEmpty)
    }

    @Test func circlesAreRoundToATenThousandthOfAPercent() {
        let circle = Outline(Path.ellipse(in: Rect(x: -1000, y: -1000, width: 2000, height: 2000))).polygons(scale: 100)
        for index in 0..<circle.pointCount {
            let radius = (circle.point(index) - Point.zero).length
            #expect(isNear(radius, 1000, 0.01))
        }
    }

    @Test func moreThanOneSubpathAndWhatFollowsAClose() {
        let path = Path(elements: [
            .move(Point(x: 10, y: 10)), .line(Point(x: 20, y: 10)), .line(Point(x: 20, y: 20)), .close,
            // Begins at (10, 10), the last subpath's beginning.
            .line(Point(x: 10, y: 20)), .line(Point(x: 20, y: 20)),
        ])
        #expect(isNear(Outline(path).area, 100, 1e-6))
        #expect(path.bounds == Rect(x: 10, y: 10, width: 10, height: 10))
    }
}
