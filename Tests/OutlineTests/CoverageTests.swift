import Glibc
import Outline
import Testing

/// How polygons are drawn: ours, or a broken way that a law must refuse.
private typealias Draw = (Polygons, Region) -> Coverage

@Suite struct CoverageTests {
    private let ours: Draw = { Coverage($0, in: $1) }

    /// The exact area of polygons in a pixel: every contour clipped to the pixel, signed areas summed. Slow and obvious.
    private func exact(_ polygons: Polygons, _ x: Int, _ y: Int) -> Double {
        var sum = 0.0
        for contour in 0..<polygons.contourCount {
            var points = polygons.contour(contour).map { polygons.point($0) }
            for (normal, limit) in [
                (Vector(dx: 1, dy: 0), Double(x)), (Vector(dx: -1, dy: 0), -Double(x + 1)),
                (Vector(dx: 0, dy: 1), Double(y)), (Vector(dx: 0, dy: -1), -Double(y + 1)),
            ] {
                var clipped = [Point]()
                for (index, b) in points.enumerated() {
                    let a = points[(index + points.count - 1) % points.count]
                    let da = a.x * normal.dx + a.y * normal.dy - limit
                    let db = b.x * normal.dx + b.y * normal.dy - limit
                    if (da >= 0) != (db >= 0) { clipped.append(a + (b - a) * (da / (da - db))) }
                    if db >= 0 { clipped.append(b) }
                }
                points = clipped
            }
            for (index, b) in points.enumerated() {
                let a = points[(index + points.count - 1) % points.count]
                sum += ((a.x - Double(x)) * (b.y - Double(y)) - (a.y - Double(y)) * (b.x - Double(x))) / 2
            }
        }
        return sum
    }

    /// Returns the largest error of any pixel.
    private func error(_ polygons: Polygons, _ draw: Draw) -> Double {
        let region = polygons.bounds.roundedOut.grown(by: 2)
        let drawn = draw(polygons, region)
        var worst = 0.0
        for y in region.y..<region.maxY {
            for x in region.x..<region.maxX { worst = max(worst, abs(Double(drawn[x, y]) - exact(polygons, x, y))) }
        }
        return worst
    }

    @Test func everyPixelHoldsItsExactArea() {
        var random = Seeded.fresh("coverage")
        for _ in 0..<30 {
            let shape = random.glyph(size: random.number(3...40))
                .transformed(by: .translation(dx: random.number(-200...200), dy: random.number(-200...200)))
            #expect(error(shape.polygons(), ours) <= 1.1e-5)
        }
    }

    @Test func theLawRefusesAHundredthOfAPixelAndALostRow() {
        let polygons = Outline(.ellipse(in: Rect(x: 3.2, y: 4.7, width: 20, height: 12))).polygons()
        #expect(error(polygons, ours) <= 1.1e-5)
        #expect(error(polygons) { Coverage($0, transform: .translation(dx: 0.01, dy: 0), in: $1) } > 5e-3)
        #expect(
            error(polygons) { polygons, region in
                var drawn = Coverage(polygons, in: region)
                for index in 0..<region.width { drawn.values[8 * region.width + index] = 0 }
                return drawn
            } > 0.9)
        // 256 levels, as FreeType has them.
        #expect(
            error(polygons) { polygons, region in
                var drawn = Coverage(polygons, in: region)
                for index in drawn.values.indices { drawn.values[index] = (drawn.values[index] * 255).rounded() / 255 }
                return drawn
            } > 1e-3)
    }

    @Test func coverageSumsToTheArea() {
        var random = Seeded.fresh("coverage sum")
        for _ in 0..<20 {
            let polygons = random.glyph(size: 300).grown(by: 3).polygons()
            let sum = Coverage(polygons, in: polygons.bounds.roundedOut.grown(by: 1)).sum
            #expect(isNear(sum, polygons.area, 1e-4 * max(1, polygons.area)))
            // Exact to much better than that; a pixel of all is noise of 10⁻⁵ at most.
            #expect(isNear(sum, polygons.area, 0.05))
        }
    }

    @Test func aCropOfTheDrawingIsTheDrawingOfTheCrop() {
        var random = Seeded.fresh("coverage crop")
        for _ in 0..<20 {
            let polygons = random.glyph(size: 400).polygons()
            let whole = polygons.bounds.roundedOut.grown(by: 20)
            let rasterizer = CoverageRasterizer(polygons)
            let drawn = Coverage(rasterizer, in: whole)
            for _ in 0..<20 {
                let part = Region(
                    x: whole.x + random.count(0...whole.width - 1), y: whole.y + random.count(0...whole.height - 1),
                    width: random.count(1...300), height: random.count(1...90)
                ).intersection(whole)
                let crop = drawn.crop(part)
                #expect(Coverage(rasterizer, in: part).values == crop)
                // With a clip the left border is summed in another order: the last digit of a Float may differ.
                let clipped = Coverage(polygons, in: part, clip: part).values
                #expect(zip(clipped, crop).allSatisfy { abs($0 - $1) <= 1.2e-7 })
                // And whatever is said to be empty or full is.
                if rasterizer.isEmpty(in: part) { #expect(crop.allSatisfy { $0 == 0 }) }
                if rasterizer.isFull(in: part) { #expect(crop.allSatisfy { $0 == 1 }) }
            }
        }
    }

    @Test func theCropLawRefusesACropThatIsOnePixelOffOrSummedFromItsOwnBorder() {
        let rasterizer = CoverageRasterizer(Outline(.ellipse(in: Rect(x: 3.2, y: 4.7, width: 90, height: 60))).polygons())
        let drawn = Coverage(rasterizer, in: Region(x: 0, y: 0, width: 100, height: 70))
        let part = Region(x: 30, y: 0, width: 50, height: 30)
        #expect(Coverage(rasterizer, in: part.offset(dx: 1, dy: 0)).values != drawn.crop(part))
        // As if what lies left of the crop did not count.
        let border = Coverage(rasterizer, in: part).values.map { $0 - drawn[29, 20] }
        #expect(border != drawn.crop(part))
    }

    @Test func emptyAndFullRegionsAreKnown() {
        let rasterizer = CoverageRasterizer(Outline(.rectangle(Rect(x: 0, y: 0, width: 1000, height: 1000))).polygons())
        #expect(rasterizer.isFull(in: Region(x: 200, y: 200, width: 300, height: 300)))
        #expect(!rasterizer.isFull(in: Region(x: 900, y: 900, width: 101, height: 10)))
        #expect(!rasterizer.isEmpty(in: Region(x: 900, y: 900, width: 101, height: 10)))
        #expect(rasterizer.isEmpty(in: Region(x: 1000, y: 0, width: 100, height: 100)))
        #expect(rasterizer.isEmpty(in: .empty) && !rasterizer.isFull(in: .empty))
        #expect(rasterizer.bounds == Region(x: 0, y: 0, width: 1000, height: 1000))
        let nothing = CoverageRasterizer(.empty)
        #expect(nothing.isEmpty(in: Region(x: 0, y: 0, width: 9, height: 9)) && nothing.bounds.isEmpty)
        #expect(Coverage(nothing, in: Region(x: 0, y: 0, width: 9, height: 9)).sum == 0)
        // An edge around a hole is not empty, what lies inside the hole is.
        let frame = CoverageRasterizer(
            Outline(.rectangle(Rect(x: 0, y: 0, width: 1000, height: 1000)))
                .combined(with: Outline(.rectangle(Rect(x: 100, y: 100, width: 800, height: 800))), .subtract).polygons())
        #expect(frame.isEmpty(in: Region(x: 300, y: 300, width: 400, height: 400)))
    }

    @Test func aRectangleAtAFractionOfAPixel() {
        for (dx, dy) in [(0.0, 0.0), (0.25, 0.5), (0.1, 0.9)] {
            let drawn = Coverage(
                Outline(.rectangle(Rect(x: 2, y: 2, width: 3, height: 2))).polygons(),
                transform: .translation(dx: dx, dy: dy), in: Region(x: 0, y: 0, width: 9, height: 9))
            for y in 0..<9 {
                for x in 0..<9 {
                    let across = max(0, min(5 + dx, Double(x + 1)) - max(2 + dx, Double(x)))
                    let down = max(0, min(4 + dy, Double(y + 1)) - max(2 + dy, Double(y)))
                    #expect(isNear(Double(drawn[x, y]), across * down, 1e-6))
                }
            }
        }
    }

    @Test func wholePixelsMoveTheDrawingBitForBit() {
        var random = Seeded.fresh("coverage moved")
        let polygons = random.glyph(size: 90).polygons()
        let region = polygons.bounds.roundedOut.grown(by: 3)
        let here = Coverage(polygons, in: region)
        let there = Coverage(polygons, transform: .translation(dx: 1000, dy: -333), in: region.offset(dx: 1000, dy: -333))
        #expect(zip(here.values, there.values).allSatisfy { abs($0 - $1) <= 1.2e-7 })
    }

    @Test func mirroredAndTurnedDrawingsAreTheMirroredAndTurnedDrawing() {
        var random = Seeded.fresh("coverage mirrored")
        let polygons = random.glyph(size: 60).polygons()
        let region = Region(x: -64, y: -64, width: 192, height: 192)
        let upright = Coverage(polygons, in: region)
        let mirrored = Coverage(polygons, transform: .scale(sx: -1, sy: 1), in: region.offset(dx: -64, dy: 0))
        let turned = Coverage(polygons, transform: .rotation(degrees: 90), in: region.offset(dx: -64, dy: 0))
        for y in -64..<128 {
            for x in -64..<128 {
                #expect(isNear(Double(mirrored[-1 - x, y]), Double(upright[x, y]), 2e-5))
                #expect(isNear(Double(turned[-1 - y, x]), Double(upright[x, y]), 2e-5))
            }
        }
    }

    @Test func aSmallScaleIsTheMeanOfTheLargeOne() {
        // The mask of a shadow at 1/8: each of its pixels is the mean of 8 × 8.
        let polygons = Outline(.ellipse(in: Rect(x: 5, y: 7, width: 100, height: 80))).polygons()
        let large = Coverage(polygons, in: Region(x: 0, y: 0, width: 128, height: 128))
        let small = Coverage(polygons, transform: .scale(1.0 / 8), in: Region(x: 0, y: 0, width: 16, height: 16))
        for y in 0..<16 {
            for x in 0..<16 {
                let mean = large.crop(Region(x: 8 * x, y: 8 * y, width: 8, height: 8)).reduce(0, +) / 64
                #expect(abs(mean - small[x, y]) < 2e-5)
            }
        }
    }

    @Test func wideTallAndFarDrawings() {
        // Far from the origin, and with more columns than cells may have at their narrowest.
        let bar = Outline(.rectangle(Rect(x: -1_000_000.5, y: 3.25, width: 2_000_001, height: 1))).polygons()
        let drawn = Coverage(bar, in: Region(x: 999_996, y: 2, width: 8, height: 4))
        #expect(drawn[999_999, 3] == 0.75 && drawn[999_999, 4] == 0.25 && drawn[1_000_000, 3] == 0.375)
        #expect(drawn[1_000_001, 3] == 0 && drawn[999_999, 2] == 0)
        let mast = Outline(.rectangle(Rect(x: 3.25, y: -1_000_000.5, width: 400, height: 2_000_001))).polygons()
        #expect(Coverage(mast, in: Region(x: 2, y: 0, width: 4, height: 1)).values == [0, 0.75, 1, 1])
        let clip = Region(x: 100, y: 0, width: 50, height: 50)
        let plate = Outline(.rectangle(Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9))).polygons()
        #expect(Coverage(plate, in: clip, clip: clip).values.allSatisfy { $0 == 1 })
        #expect(CoverageRasterizer(plate, clip: clip).isFull(in: clip))
    }
}
