import Outline
import Testing

@Suite struct OutlineTests {
    private static let circle = Outline(.ellipse(in: Rect(x: 10.3, y: 20.7, width: 100, height: 100)))
    private static let square = Outline(.rectangle(Rect(x: 0, y: 0, width: 40, height: 40)))

    @Test func areasOfShapes() {
        // Chords of 0.02 px lie inside the circle by two thirds of that at the mean.
        let circle = Self.circle.area
        let lost = 2 / 3 * 0.02 * Double.pi * 100
        #expect(circle < disc(50) && circle > disc(50) - lost)
        #expect(isNear(Self.circle.polygons(scale: 1000).area, disc(50), 0.05))
        let rounded = Outline(.rectangle(Rect(x: 1, y: 2, width: 60, height: 30), radius: 10)).polygons(scale: 1000)
        let corners = 400 - disc(10)
        #expect(isNear(rounded.area, 1800 - corners, 0.01))
        #expect(Self.square.area == 1600)
    }

    @Test func aSelfCrossingContourIsFilledWhereItWinds() {
        // A pentagram's inside is wound round twice: filled. A bow tie has two triangles.
        let star = Outline(polygon: [(50, 0), (79, 90), (2, 35), (98, 35), (21, 90)])
        #expect(star.polygons().contains(Point(x: 50, y: 50)))
        #expect(star.polygons().contourCount == 1)
        #expect(isNear(Outline(polygon: [(0, 0), (10, 10), (10, 0), (0, 10)]).area, 50, 1e-3))
    }

    @Test func glyphsAreUnitedOneByOneFirst() {
        // As a TrueType and a CFF O overlap: rings that wind in opposite directions.
        func ring(_ x: Double, mirrored: Bool) -> Path {
            var path = Path.ellipse(in: Rect(x: x, y: 0, width: 100, height: 100))
            let hole = Path.ellipse(in: Rect(x: x + 20, y: 20, width: 60, height: 60))
            path.elements += hole.transformed(by: .scale(sx: -1, sy: 1).about(Point(x: x + 50, y: 50))).elements
            return mirrored ? path.transformed(by: .scale(sx: -1, sy: 1).about(Point(x: x + 50, y: 50))) : path
        }
        let same = Outline(paths: [ring(0, mirrored: false), ring(60, mirrored: false)]).area
        let opposite = Outline(paths: [ring(0, mirrored: false), ring(60, mirrored: true)]).area
        #expect(isNear(same, opposite, 0.01))
        // One path of both loses what they share: that is what must not happen.
        var together = ring(0, mirrored: false)
        together.elements += ring(60, mirrored: true).elements
        #expect(Outline(together).area < same * 0.95)
    }

    @Test func combinations() {
        let a = Self.square
        let b = a.transformed(by: .translation(dx: 20, dy: 10))
        #expect(a.combined(with: b, .union).area == 2 * 1600 - 600)
        #expect(a.combined(with: b, .intersect).area == 600)
        #expect(a.combined(with: b, .subtract).area == 1000)
        #expect(a.combined(with: b, .exclude).area == 2000)
        let far = a.transformed(by: .translation(dx: 100, dy: 0))
        #expect(a.combined(with: far, .union).area == 3200)
        #expect(a.combined(with: far, .intersect).isEmpty && a.combined(with: far, .intersect).polygons().isEmpty)
        #expect(a.combined(with: far, .subtract).area == 1600)
        #expect(a.combined(with: far, .exclude).area == 3200)
        #expect(a.combined(with: a, .exclude).polygons().isEmpty && a.combined(with: a, .subtract).polygons().isEmpty)
        for mode in Combination.allCases {
            #expect(a.combined(with: .empty, mode).area == (mode == .intersect ? 0 : 1600))
            #expect(Outline.empty.combined(with: a, mode).area == (mode == .intersect || mode == .subtract ? 0 : 1600))
        }
    }

    @Test func unionsOfNothingAndOfOne() {
        #expect(Outline.union([]).isEmpty && Outline.union([.empty, .empty]).isEmpty)
        #expect(Outline.union([.empty, Self.square]) === Self.square)
        #expect(Outline.empty.grown(by: 10).isEmpty && Outline.empty.transformed(by: .scale(2)).bounds.isNull)
        #expect(Outline(Path()).isEmpty && Outline(Path()).polygons().isEmpty)
    }

    @Test func holesAreFilledWithTheirIslands() {
        let ring = Self.circle.combined(with: Self.circle.grown(by: -20), .subtract)
        let island = Self.circle.grown(by: -40)
        let target = Outline.union([ring, island])
        #expect(target.polygons().contourCount == 3)
        #expect(isNear(target.withoutHoles().area, Self.circle.area, 0.01))
        #expect(target.withoutHoles().polygons().contourCount == 1)
    }

    @Test func transformsKeepAreaAndOrientation() {
        let shape = Self.circle.combined(with: Self.square, .exclude)
        let area = shape.area
        for map in [Affine.rotation(degrees: 30), .scale(sx: -1, sy: 1), .translation(dx: 0.3, dy: -7.7)] {
            let seen = shape.transformed(by: map).polygons()
            #expect(isNear(seen.area, area, 1e-6))
            // Growing needs outer edges to be positive, mirrored or not.
            #expect(isNear(shape.transformed(by: map).grown(by: 2).area, shape.grown(by: 2).area, 0.1))
        }
        let twice = shape.transformed(by: .rotation(degrees: 45)).transformed(by: .rotation(degrees: -45))
        #expect(isNear(twice.bounds.minX, shape.bounds.minX, 1e-9))
    }

    @Test func aScaledCurveIsFlattenedForItsScale() {
        let small = Outline(.ellipse(in: Rect(x: 0, y: 0, width: 1, height: 1)))
        let large = small.transformed(by: .scale(1000)).polygons()
        let rim = 0.02 * Double.pi * 1000
        #expect(isNear(large.area, disc(500), rim))
        #expect(small.polygons(scale: 1000).pointCount == large.pointCount)
        #expect(small.polygons().pointCount < large.pointCount)
        // A shadow at a sixteenth needs fewer points.
        #expect(Self.circle.polygons(scale: 1.0 / 16).pointCount <= Self.circle.polygons().pointCount)
    }

    @Test func aDeferredOutlineIsMadeOnce() {
        final class Counter: @unchecked Sendable { var count = 0 }  // changed under the outline's lock only
        let counter = Counter()
        let outline = Outline.deferred(bounds: Rect(x: 0, y: 0, width: 10, height: 10)) { _ in
            counter.count += 1
            return Polygons(coordinates: [0, 0, 10, 0, 10, 10, 0, 10], starts: [0])
        }
        #expect(counter.count == 0)
        #expect(outline.area == 100 && outline.inkBounds.maxX == 10)
        #expect(isNear(outline.grown(by: 1, join: .miter).area, 144, 1e-6))
        #expect(outline.polygons(scale: 1 + 1e-12).area == 100)
        #expect(counter.count == 1)
    }

    @Test func movingByWholePixelsMovesThePolygonsBitForBit() {
        var random = Seeded.fresh("moving")
        for _ in 0..<20 {
            let shape = random.glyph(size: 60)
            let moved = shape.transformed(by: .translation(dx: 37, dy: -12))
            let here = shape.grown(by: 2.5).polygons().transformed(by: .translation(dx: 37, dy: -12))
            #expect(moved.grown(by: 2.5).polygons() == here)
        }
    }

    @Test func boundsHoldTheInkOfEveryRecipe() {
        var random = Seeded.fresh("bounds")
        for _ in 0..<60 {
            let a = random.glyph(size: 50)
            let b = random.glyph(size: 50)
            let join = Join.allCases[random.count(0...2)]
            let limit = random.number(1...20)
            let grown = a.grown(by: random.number(-4...9), join: join, miterLimit: limit)
            var all = [a, grown, grown.transformed(by: .rotation(degrees: random.number(0...360))), a.withoutHoles()]
            for mode in Combination.allCases { all.append(grown.combined(with: b, mode)) }
            for outline in all {
                let ink = outline.inkBounds
                #expect(outline.bounds.grown(by: 1e-4).contains(ink), "\(outline.bounds) \(ink)")
                #expect(!outline.isEmpty || ink.isEmpty)
            }
            // A path's box is tight.
            #expect(a.inkBounds.grown(by: 0.03).contains(a.bounds) || a.inkBounds.isNull || a.bounds.isEmpty == false)
        }
    }

    @Test func theseLawsRefuseWhatIsBroken() {
        // A box that forgets the miter, and a move that is not whole.
        let spike = Outline(polygon: [(0, 0), (10, 60), (-10, 60)])
        let grown = spike.grown(by: 2, join: .miter, miterLimit: 10)
        let forgetful = Outline.deferred(bounds: spike.bounds.grown(by: 2)) { grown.polygons(scale: $0) }
        #expect(grown.bounds.contains(grown.inkBounds) && !forgetful.bounds.contains(forgetful.inkBounds))
        let moved = spike.transformed(by: .translation(dx: 0.3, dy: 0)).grown(by: 2.5).polygons()
        #expect(moved != spike.grown(by: 2.5).polygons().transformed(by: .translation(dx: 0.3, dy: 0)))
    }

    @Test func wideLabelsKeepTheirPrecision() {
        // 100 000 px from one end to the other, in one cluster, beyond Clipper's 2^30 units.
        let bar = Outline(.rectangle(Rect(x: 0, y: 0, width: 100_000, height: 10)))
        let dot = Outline(.ellipse(in: Rect(x: 99_990, y: 5, width: 20, height: 20)))
        let union = Outline.union([bar, dot]).grown(by: 5)
        let small = Outline.union([
            Outline(.rectangle(Rect(x: 0, y: 0, width: 100, height: 10))),
            Outline(.ellipse(in: Rect(x: 90, y: 5, width: 20, height: 20))),
        ]).grown(by: 5)
        let longer = 99_900.0 * 20
        #expect(isNear(union.area - longer, small.area, 0.05))
    }

    @Test func aThousandGlyphsAreOneOutline() {
        // Rings that touch their neighbours: 1000 parts, one cluster once grown.
        let paths = (0..<1000).map { Path.ellipse(in: Rect(x: Double($0) * 22, y: Double($0 % 7), width: 20, height: 20)) }
        let text = Outline(paths: paths)
        let rim = 0.02 * Double.pi * 20 * 1000
        #expect(isNear(text.area, 1000 * disc(10), rim))
        let grown = text.grown(by: 1.5).polygons()
        #expect(grown.contourCount == 1)
        #expect(isNear(text.grown(by: -10.5).area, 0, 0))
    }
}

/// What no user should be able to crash or stop.
@Suite struct DegenerateTests {
    static let inputs: [(String, Path)] = [
        ("a point", Path(elements: [.move(.zero), .line(.zero), .line(.zero), .close])),
        ("a line", Path(elements: [.move(.zero), .line(Point(x: 10, y: 0)), .close])),
        (
            "there and back",
            Path(elements: [.move(.zero), .line(Point(x: 9, y: 3)), .line(.zero), .line(Point(x: 9, y: 3)), .close])
        ),
        ("no number", Path(elements: [.move(Point(x: .nan, y: 0)), .line(Point(x: 9, y: 3)), .line(Point(x: 0, y: 9)), .close])),
        ("infinite", Path(elements: [.move(Point(x: .infinity, y: 0)), .line(Point(x: 9, y: 3)), .line(Point(x: 0, y: 9))])),
        ("huge", Path(elements: [.move(Point(x: -1e300, y: 0)), .line(Point(x: 1e300, y: 3)), .line(Point(x: 0, y: 1e300))])),
        ("large", Path(elements: [.move(Point(x: -1e9, y: 0)), .line(Point(x: 1e9, y: 3)), .line(Point(x: 0, y: 1e9))])),
        ("tiny", Path(elements: [.move(.zero), .line(Point(x: 1e-9, y: 0)), .line(Point(x: 0, y: 1e-9))])),
        ("a curve without length", Path(elements: [.move(.zero), .cubic(.zero, .zero, .zero), .quadratic(.zero, .zero)])),
        (
            "a cusp",
            Path(elements: [.move(.zero), .cubic(Point(x: 10, y: 10), Point(x: 0, y: 10), Point(x: 10, y: 0)), .close])
        ),
        (
            "a curve that turns back on itself",
            Path(elements: [
                .move(.zero), .cubic(Point(x: 30, y: 0), Point(x: -20, y: 0), Point(x: 10, y: 0)), .line(Point(x: 5, y: 5)),
            ])
        ),
        (
            "a curve to infinity",
            Path(elements: [.move(.zero), .cubic(Point(x: 1e200, y: 0), Point(x: 0, y: 1e200), Point(x: 1, y: 1))])
        ),
        ("only closes", Path(elements: [.close, .close, .close])),
    ]

    @Test(arguments: inputs)
    func nothingCrashes(_ name: String, _ path: Path) {
        let outline = Outline(path)
        var all = [outline, outline.withoutHoles()]
        for join in Join.allCases {
            for distance in [0.5, 100, -0.5, -100, 1e-12, 1e12, .nan, .infinity] {
                all.append(outline.grown(by: distance, join: join, miterLimit: 100))
            }
        }
        for mode in Combination.allCases {
            all.append(outline.combined(with: Outline(.rectangle(Rect(x: 0, y: 0, width: 5, height: 5))), mode))
        }
        all.append(outline.transformed(by: Affine(a: .nan, b: 0, c: 0, d: .infinity, tx: 0, ty: 0)))
        all.append(outline.transformed(by: .scale(sx: 0, sy: 1)))
        for outline in all {
            for scale in [1, 1.0 / 64, 64, 0, -1, .nan] {
                let polygons = outline.polygons(scale: scale)
                #expect(polygons.area.isFinite)
                let drawn = Coverage(polygons, in: Region(x: -4, y: -4, width: 24, height: 24))
                #expect(drawn.values.allSatisfy { $0 >= 0 && $0 <= 1 })
            }
        }
    }

    @Test func manyPointsNeitherRecurseNorExplode() {
        // A saw blade of 200 000 vertices round a circle.
        var path = Path()
        let count = 60_000
        var turn = Affine.identity
        let step = Affine.rotation(degrees: 360 / Double(count))
        for index in 0..<count {
            let point = turn.apply(Point(x: index % 2 == 0 ? 5000 : 4990, y: 0))
            index == 0 ? path.move(to: point) : path.line(to: point)
            turn = turn.then(step)
        }
        path.close()
        let outline = Outline(path)
        #expect(isNear(outline.area, disc(4995), 20_000))
        #expect(outline.grown(by: 3).area > outline.area)
        #expect(outline.grown(by: -3).area < outline.area)
    }

    @Test func aLineHasNoInsideAndStaysOutOfEverything() {
        for (x, y) in [(10.0, 0.0), (0, 10), (9, 3)] {
            let line = Outline(polygon: [(0, 0), (x, y), (0, 0), (x, y)])
            #expect(line.polygons().isEmpty && line.grown(by: 5).polygons().isEmpty)
        }
    }

    @Test func slabsStitchTogetherToTheSame() {
        // At scale 512 these have so many points that they are combined slab by slab; at scale 1 in one go.
        var random = Seeded.fresh("slabs")
        for _ in 0..<6 {
            let shape = Outline.union(
                (0..<40).map { _ in
                    random.glyph(size: 60).transformed(by: .translation(dx: random.number(0...200), dy: random.number(0...90)))
                })
            // Not shrunk: holes that only the larger scale can see would become discs.
            for outline in [shape, shape.grown(by: random.number(0.5...6))] {
                let (plain, stitched) = (outline.polygons(), outline.polygons(scale: 512))
                if outline === shape { #expect(stitched.pointCount > 16384) }
                let region = plain.bounds.roundedOut
                var moved: Float = 0
                for (a, b) in zip(Coverage(plain, in: region).values, Coverage(stitched, in: region).values) {
                    moved += abs(a - b)
                }
                // The edges of the one lie within 0.03 px of the other's, and are some thousands of px long.
                #expect(moved < 60)
                // Cuts leave no trace: no more contours than before, but for what only one of the scales can see.
                #expect(abs(stitched.withoutSpecks.contourCount - plain.withoutSpecks.contourCount) <= 2)
            }
        }
    }

    @Test func specksByTheTenThousandAreClustered() {
        var path = Path()
        for y in 0..<150 {
            for x in 0..<150 {
                path.elements += Path.rectangle(Rect(x: Double(3 * x), y: Double(3 * y), width: 1.5, height: 1.5)).elements
            }
        }
        #expect(isNear(Outline(path).area, 22_500 * 2.25, 1e-3))
        // The same specks as holes in a plate, with an island in each.
        let plate = Outline(.rectangle(Rect(x: -10, y: -10, width: 1000, height: 1000)))
        let holes = plate.combined(with: Outline(path), .subtract)
        let islands = Outline(path).grown(by: -0.5, join: .miter)
        let all = Outline.union([holes, islands])
        let expected = 1e6 - 22_500 * (2.25 - 0.25)
        #expect(isNear(all.area, expected, 0.1))
        // Each hole finds its plate, not the islands beside it: plate, holes and islands move by a tenth.
        let shrunk = 999.8 * 999.8 - 22_500 * (1.7 * 1.7 - 0.3 * 0.3)
        #expect(isNear(all.grown(by: -0.1, join: .miter).area, shrunk, 2))  // 22 500 holes' sides, each rounded to 1/65536 px
    }

    @Test func nestedRingsFindTheirParents() {
        // Thirty rings in each other, beside thirty others: each is a part of its own.
        func target(_ x: Double) -> [Outline] {
            (1...30).map { ring in
                let radius = Double(ring) * 10
                let circle = Outline(.ellipse(in: Rect(x: x - radius, y: -radius, width: 2 * radius, height: 2 * radius)))
                return circle.combined(with: circle.grown(by: -5), .subtract)
            }
        }
        let all = Outline.union(target(0) + target(610))
        let expected = 2 * (1...30).reduce(0.0) { $0 + disc(Double($1) * 10) - disc(Double($1) * 10 - 5) }
        #expect(isNear(all.area, expected, expected * 1e-3))
        // Shrunk by 1, each ring is 3 wide; by 2.6, nothing is left.
        let shrunk = 2 * (1...30).reduce(0.0) { $0 + disc(Double($1) * 10 - 1) - disc(Double($1) * 10 - 4) }
        #expect(isNear(all.grown(by: -1).area, shrunk, expected * 1e-3))
        #expect(all.grown(by: -2.6).area == 0)
    }
}
