import Glibc
import Outline
import Testing

@Suite struct TraceTests {
    private func trace(_ alpha: Coverage, threshold: Float = 0.5) -> Polygons {
        alpha.values.withUnsafeBufferPointer { values in
            guard let base = values.baseAddress else { return .empty }
            return Polygons.trace(
                alpha: base, width: alpha.region.width, height: alpha.region.height, rowStride: alpha.region.width,
                threshold: threshold, origin: Point(x: Double(alpha.region.x), y: Double(alpha.region.y)))
        }
    }

    private func picture(_ rows: [[Float]]) -> Coverage {
        var picture = Coverage(.empty, in: Region(x: 0, y: 0, width: rows[0].count, height: rows.count))
        picture.values = rows.flatMap { $0 }
        return picture
    }

    @Test func aHardEdgeIsFoundOnThePixelsBorder() {
        for region in [Region(x: 0, y: 0, width: 20, height: 15), Region(x: -3, y: 7, width: 30, height: 30)] {
            let rect = Rect(x: 2, y: 10, width: 12, height: 4)
            let traced = trace(Coverage(Outline(.rectangle(rect)).polygons(), in: region))
            #expect(traced.bounds == rect)
            #expect(traced.contourCount == 1)
            // Corners, which have no pixel's centre in them, come back.
            #expect(isNear(traced.area, 48, 1e-9))
            for vertex in 0..<traced.pointCount {
                let point = traced.point(vertex)
                let edge = distanceToEdge(point, Outline(.rectangle(rect)).polygons())
                #expect(edge < 1e-6)
            }
            // Straight runs hold no further points.
            #expect(traced.pointCount == 4)
        }
    }

    /// Corners between straight runs are sharp wherever the edges lie in their pixels; round ones stay round, bars keep their ends.
    @Test func cornersComeBack() {
        let region = Region(x: 0, y: 0, width: 40, height: 40)
        for shift in stride(from: 0.0, to: 1, by: 0.05) {
            let square = Outline(.rectangle(Rect(x: 5 + shift, y: 5 + shift / 2, width: 20, height: 16)))
            let traced = trace(Coverage(square.polygons(), in: region))
            #expect(isNear(traced.area, 320, 0.8), "\(shift): \(traced.pointCount), \(traced.area)")
            if shift == 0 { #expect(traced.pointCount == 4 && isNear(traced.area, 320, 1e-3)) }
        }
        let notched = Outline(Path.rectangle(Rect(x: 4, y: 4, width: 24, height: 24))).combined(
            with: Outline(.rectangle(Rect(x: 14, y: 14, width: 20, height: 20))), .subtract)
        #expect(isNear(trace(Coverage(notched.polygons(), in: region)).area, 24 * 24 - 14 * 14, 1e-9))
        let round = Outline(Path.rectangle(Rect(x: 4, y: 4, width: 24, height: 24), radius: 5)).polygons()
        let traced = trace(Coverage(round, in: region))
        #expect(traced.area < round.area && isNear(traced.area, round.area, 1.2))
        let bar = Outline(.rectangle(Rect(x: 4, y: 4, width: 24, height: 1))).polygons()
        #expect(isNear(trace(Coverage(bar, in: region)).area, 24, 0.51))
    }

    @Test func aPictureThatIsFullToItsBorderIsTracedThere() {
        let full = Coverage(
            Outline(.rectangle(Rect(x: -9, y: -9, width: 99, height: 99))).polygons(), in: Region(x: 0, y: 0, width: 7, height: 5)
        )
        let traced = trace(full)
        #expect(traced.bounds == Rect(x: 0, y: 0, width: 7, height: 5) && isNear(traced.area, 35, 1e-9))
    }

    @Test func smoothEdgesAreExactAtAFractionOfAPixel() {
        // Upright and at 45°, where two pixels hold all of an edge.
        for shift in stride(from: 0.0, to: 1, by: 0.05) {
            let upright = Outline(.rectangle(Rect(x: 5 + shift, y: 5, width: 20, height: 20)))
            let traced = trace(Coverage(upright.polygons(), in: Region(x: 0, y: 0, width: 40, height: 40)))
            #expect(isNear(traced.bounds.minX, 5 + shift, 1.1e-4) && isNear(traced.bounds.maxX, 25 + shift, 1.1e-4))
            let tilted = upright.transformed(by: .rotation(degrees: 45, about: Point(x: 15, y: 15)))
            let turned = trace(Coverage(tilted.polygons(), in: Region(x: 0, y: 0, width: 40, height: 40)))
            #expect(worstGap(turned, tilted, cornersLeftOut: 3) < 1e-4)
        }
    }

    /// The largest distance of a traced vertex from the true edge, away from corners.
    private func worstGap(_ traced: Polygons, _ shape: Outline, cornersLeftOut radius: Double) -> Double {
        let edge = shape.polygons()
        var worst = 0.0
        for vertex in 0..<traced.pointCount {
            let point = traced.point(vertex)
            let nearCorner = (0..<edge.pointCount).contains { (edge.point($0) - point).length < radius }
            if radius > 0 && nearCorner { continue }
            worst = max(worst, distanceToEdge(point, edge))
        }
        return worst
    }

    @Test func circlesComeBackWithinATenthOfAPixel() {
        var random = Seeded.fresh("trace")
        for _ in 0..<20 {
            // Of smaller ones the pixels themselves are no tenth of the radius.
            let radius = random.number(4...20)
            let circle = Outline(
                .ellipse(in: Rect(x: random.number(1...4), y: random.number(1...4), width: 2 * radius, height: 2 * radius)))
            let traced = trace(Coverage(circle.polygons(scale: 50), in: Region(x: 0, y: 0, width: 50, height: 50)))
            #expect(traced.contourCount == 1)
            #expect(worstGap(traced, circle, cornersLeftOut: 0) < 0.12)
            #expect(isNear(traced.area, disc(radius), 0.06 * 2 * Double.pi * radius))
        }
    }

    @Test func theGapTellsATraceThatIsAFifthOfAPixelOff() {
        let circle = Outline(.ellipse(in: Rect(x: 4, y: 5, width: 30, height: 30)))
        let traced = trace(Coverage(circle.polygons(scale: 50), in: Region(x: 0, y: 0, width: 50, height: 50)))
        #expect(worstGap(traced.transformed(by: .translation(dx: 0.2, dy: 0)), circle, cornersLeftOut: 0) > 0.12)
        // A threshold of a quarter finds the edge of pixels a quarter covered, outside the true one.
        let wide = trace(Coverage(circle.polygons(), in: Region(x: 0, y: 0, width: 50, height: 50)), threshold: 0.25)
        #expect(wide.area > traced.area + 0.1 * Double.pi * 30)
    }

    @Test func theTraceOfAnythingIsCloserThanHalfAPixel() {
        var random = Seeded.fresh("trace of glyphs")
        for _ in 0..<10 {
            // Drawn large: features thinner than a pixel are lost to any tracer.
            let shape = random.glyph(size: 60).grown(by: 2).grown(by: -1)
            let drawn = Coverage(shape.polygons(), in: Region(x: -40, y: -40, width: 160, height: 160))
            let again = trace(drawn)
            let redrawn = Coverage(again, in: drawn.region)
            var moved = 0.0
            for (a, b) in zip(drawn.values, redrawn.values) { moved += Double(abs(a - b)) }
            #expect(moved < 0.1 * max(20, edgeLength(shape.polygons())))
        }
    }

    private func edgeLength(_ polygons: Polygons) -> Double {
        var sum = 0.0
        for contour in 0..<polygons.contourCount {
            let range = polygons.contour(contour)
            for vertex in range {
                let before = vertex == range.lowerBound ? range.upperBound - 1 : vertex - 1
                sum += (polygons.point(vertex) - polygons.point(before)).length
            }
        }
        return sum
    }

    @Test func holesAndIslandsAreOriented() {
        let circle = Outline(.ellipse(in: Rect(x: 2, y: 2, width: 40, height: 40)))
        let target = Outline.union([circle.combined(with: circle.grown(by: -8), .subtract), circle.grown(by: -14)])
        let traced = trace(Coverage(target.polygons(), in: Region(x: 0, y: 0, width: 44, height: 44)))
        #expect(traced.contourCount == 3)
        #expect((0..<3).map { traced.signedArea(ofContour: $0) < 0 }.filter { $0 }.count == 1)
        let outline = Outline.deferred(bounds: traced.bounds) { _ in traced }
        #expect(isNear(outline.grown(by: 2).area, target.grown(by: 2).area, 12))
    }

    @Test func saddlesHangTogetherOrNotButNeverCross() {
        let apart = trace(picture([[1, 0], [0, 0.9]]))
        #expect(apart.contourCount == 2)
        let joined = trace(picture([[1, 0.3], [0.2, 1]]))
        #expect(joined.contourCount == 1)
        // A board of noise: what is drawn of the trace stays within 0…1 only if contours do not cross.
        var random = Seeded.fresh("trace of noise")
        let noise = picture((0..<60).map { _ in (0..<60).map { _ in Float(random.number(0...1)) } })
        let traced = trace(noise)
        let drawn = Coverage(traced, in: Region(x: -1, y: -1, width: 62, height: 62))
        #expect(isNear(drawn.sum, traced.area, 0.05))
        let united = Outline.deferred(bounds: traced.bounds) { _ in traced }.combined(
            with: Outline(.rectangle(traced.bounds)), .intersect)
        #expect(isNear(united.area, traced.area, 0.01))
        for y in 0..<60 {
            for x in 0..<60 where abs(noise[x, y] - 0.5) > 0.01 {
                #expect(traced.contains(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)) == (noise[x, y] > 0.5))
            }
        }
    }

    @Test func oddPictures() {
        #expect(trace(picture([[0]])).isEmpty)
        #expect(trace(picture([[.nan, .nan]])).isEmpty)
        #expect(trace(picture([[-1, 0.5]])).isEmpty)
        #expect(trace(picture([[1]])).contourCount == 1)
        #expect(trace(picture([[.infinity]])).bounds == trace(picture([[1]])).bounds)
        #expect(trace(picture([[1, 0.2], [0.2, 0]]), threshold: 0.1).contourCount == 1)
        #expect(trace(picture([[1]]), threshold: 1).isEmpty)
        let empty: [Float] = []
        empty.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            #expect(Polygons.trace(alpha: base, width: 0, height: 9, rowStride: 0, threshold: 0.5, origin: .zero).isEmpty)
        }
    }
}
