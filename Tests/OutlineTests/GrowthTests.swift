import Glibc
import Outline
import Testing

/// How an outline is grown: ours, or a broken way that a law must refuse.
typealias Grow = (Outline, _ distance: Double, Join) -> Outline

@Suite struct GrowthLaws {
    private static let ours: @Sendable (Outline, Double, Join) -> Outline = { $0.grown(by: $1, join: $2) }

    /// Shrunk ⊆ shape ⊆ grown. Returns the worst area that sticks out. **Units**: px².
    private func nesting(_ shape: Outline, _ distance: Double, _ join: Join, _ grow: Grow) -> Double {
        let lost = shape.combined(with: grow(shape, distance, join), .subtract).area
        let added = grow(shape, -distance, join).combined(with: shape, .subtract).area
        return max(lost, added)
    }

    @Test func grownHoldsTheShapeAndTheShapeHoldsShrunk() {
        var random = Seeded.fresh("nesting")
        for _ in 0..<60 {
            let shape = random.glyph(size: random.number(10...200))
            let distance = exp(random.number(log(0.1)...log(40)))
            for join in Join.allCases {
                #expect(nesting(shape, distance, join, Self.ours) < 0.02, "\(distance) \(join)")
            }
        }
    }

    @Test func theNestingLawRefusesAShiftOfAFiftieth() {
        var random = Seeded.fresh("nesting, broken")
        var refused = 0
        for _ in 0..<20 {
            let shape = random.glyph(size: 100)
            let broken: Grow = { $0.grown(by: $1 * 0.1, join: $2).transformed(by: .translation(dx: $1 * 0.1 + 0.02, dy: 0)) }
            if shape.area > 10 && nesting(shape, 0.5, .round, broken) >= 0.02 { refused += 1 }
        }
        #expect(refused > 10)
    }

    /// With round joins, growing is the Minkowski sum with a disc: a point is in it if the shape is no further than the distance.
    /// Returns the share of random points, not too near the edge to tell, that are on the wrong side.
    private func minkowski(
        _ shape: Outline, _ distance: Double, _ random: inout Seeded, _ grow: Grow
    ) -> (wrong: Int, of: Int) {
        let polygons = shape.polygons().withoutSpecks
        if polygons.isEmpty { return (0, 0) }
        let outer = grow(shape, distance, .round).polygons()
        let inner = grow(shape, -distance, .round).polygons()
        let box = polygons.bounds.grown(by: distance * 1.3)
        var (wrong, count) = (0, 0)
        for _ in 0..<300 {
            let point = Point(x: random.number(box.minX...box.maxX), y: random.number(box.minY...box.maxY))
            let gap = distanceToEdge(point, polygons)
            if abs(gap - distance) < 0.025 { continue }
            let inside = polygons.contains(point)
            count += 1
            if outer.contains(point) != (inside || gap < distance) { wrong += 1 }
            if inner.contains(point) != (inside && gap > distance) { wrong += 1 }
        }
        return (wrong, count)
    }

    @Test func roundGrowthIsTheSetOfPointsWithinTheDistance() {
        var random = Seeded.fresh("distance oracle")
        for _ in 0..<60 {
            let shape = random.glyph(size: 100)
            let distance = exp(random.number(log(0.5)...log(30)))
            let (wrong, _) = minkowski(shape, distance, &random, Self.ours)
            #expect(wrong == 0, "distance \(distance)")
        }
    }

    @Test func theOracleRefusesAWidthThatIsTwoPercentOff() {
        var random = Seeded.fresh("distance oracle, broken")
        var wrong = 0
        for _ in 0..<20 {
            wrong += minkowski(random.glyph(size: 100), 10, &random) { $0.grown(by: $1 * 1.02, join: $2) }.wrong
        }
        #expect(wrong > 0)
    }

    /// The public oracle for outside strokes: of all pixels, those within w − 1 px of the plain fill have alpha ≥ 250, those beyond
    /// w + 1.5 px have next to none. Returns how many break it.
    private func strokeOracle(_ shape: Outline, _ width: Double, _ grow: Grow) -> Int {
        let region = Region(x: -30, y: -30, width: 120, height: 120)
        let fill = Coverage(shape.polygons(), in: region)
        let stroke = Coverage(grow(shape, width, .round).polygons(), in: region)
        let filled = fill.values.indices.filter { fill.values[$0] * 255 > 127 }
        if filled.isEmpty { return 0 }
        var broken = 0
        for index in stroke.values.indices {
            let (x, y) = (index % region.width, index / region.width)
            var nearest = Int.max
            for other in filled {
                let (dx, dy) = (other % region.width - x, other / region.width - y)
                nearest = min(nearest, dx * dx + dy * dy)
            }
            let gap = Double(nearest).squareRoot()
            if gap <= width - 1 && stroke.values[index] * 255 < 250 { broken += 1 }
            // The fill may reach beyond its last pixel's centre by a diagonal, the stroke's pixel by half of one: 0 is certain a little
            // farther out than for text.
            if gap >= width + 1.5 && stroke.values[index] > 0.1 { broken += 1 }
            if gap >= width + 2 && stroke.values[index] != 0 { broken += 1 }
        }
        return broken
    }

    @Test func strokesFollowTheDistanceField() {
        var random = Seeded.fresh("stroke oracle")
        for _ in 0..<12 {
            // Polygons without tips thinner than a pixel, which the field of a picture cannot see.
            let corners = random.count(3...8)
            var points = [(Double, Double)]()
            for corner in 0..<corners {
                let angle = Double(corner) / Double(corners) * 2 * .pi
                let radius = random.number(10...30)
                points.append((30 + radius * cos(angle), 30 + radius * sin(angle)))
            }
            let shape = Outline(polygon: points).grown(by: -3).grown(by: 3)
            let width = random.number(2...25)
            #expect(strokeOracle(shape, width, Self.ours) == 0, "width \(width) \(points)")
        }
        let circle = Outline(.ellipse(in: Rect(x: 20, y: 20, width: 20, height: 20)))
        #expect(strokeOracle(circle, 8, { $0.grown(by: $1 + 2, join: $2) }) > 0)
        #expect(strokeOracle(circle, 8, { $0.grown(by: $1 - 2, join: $2) }) > 0)
    }

    @Test func partByPartIsTheSameAsEveryPointsDistance() {
        // A ring with an island: each grows by itself, and they meet.
        let coin = Outline(.ellipse(in: Rect(x: 0, y: 0, width: 100, height: 100)))
        let ring = coin.combined(with: coin.grown(by: -10), .subtract)
        let target = Outline.union([ring, coin.grown(by: -20)])
        let tolerance = 0.03 * 2 * Double.pi * 170
        let grown = disc(54) - disc(36) + disc(34)
        let shrunk = disc(46) - disc(44) + disc(26)
        #expect(isNear(target.grown(by: 4).area, grown, tolerance))
        #expect(isNear(target.grown(by: 6).area, disc(56), tolerance))
        #expect(isNear(target.grown(by: -4).area, shrunk, tolerance))
        #expect(isNear(target.grown(by: -6).area, disc(24), tolerance))
        #expect(target.grown(by: -31).polygons().isEmpty)
    }

    @Test func nothingIsLeftOfAThinShapeThatShrinks() {
        let bar = Outline(.rectangle(Rect(x: 0, y: 0, width: 100, height: 10)))
        for join in Join.allCases {
            #expect(bar.grown(by: -5.001, join: join).polygons().isEmpty)
            #expect(isNear(bar.grown(by: -4, join: join).area, 92 * 2, 1e-3))
        }
    }
}

@Suite struct JoinTests {
    /// A triangle whose apex, of the given angle, points up at (0, 0).
    private func spike(_ degrees: Double) -> Outline {
        let half = degrees / 2 * .pi / 180
        return Outline(polygon: [(0, 0), (300 * tan(half), 300), (-300 * tan(half), 300)])
    }

    /// The sharpest corners of DejaVu Sans Bold, and the ratio of miter length to width that each has.
    static let corners: [(String, Double, Double)] = [
        ("M", 23.1, 4.99), ("W", 26.7, 4.34), ("N", 27.9, 4.14), ("4", 34.0, 3.42), ("A", 38.0, 3.07), ("V", 39.5, 2.96),
        ("square", 90, 1.41), ("blunt", 150, 1.04), ("limit below 2", 70.2, 1.74),
    ]

    @Test(arguments: corners)
    func aMiterReachesItsRatioAndBeyondTheLimitABevelDoes(_ name: String, _ degrees: Double, _ ratio: Double) {
        let half = degrees / 2 * .pi / 180
        #expect(isNear(1 / sin(half), ratio, 0.01))
        for distance in [1.0, 10] {
            func reach(_ join: Join, _ limit: Double) -> Double {
                -spike(degrees).grown(by: distance, join: join, miterLimit: limit).inkBounds.minY / distance
            }
            let exact = 1 / sin(half)
            #expect(isNear(reach(.miter, exact + 0.01), exact, 1e-3), "\(name) within the limit")
            #expect(isNear(reach(.miter, exact - 0.01), sin(half), 1e-3), "\(name) beyond the limit")
            #expect(isNear(reach(.bevel, 100), sin(half), 1e-3), "\(name), bevel")
            #expect(isNear(reach(.round, 100), 1, 0.011 / distance), "\(name), round")
        }
    }

    @Test func aBevelIsCutThroughTheTwoOffsetPoints() {
        let square = Outline(.rectangle(Rect(x: 0, y: 0, width: 40, height: 20)))
        let (bevelled, mitred, rounded) = (50.0 * 30 - 4 * 12.5, 50.0 * 30, 800 + 5 * 120 + disc(5))
        #expect(isNear(square.grown(by: 5, join: .bevel).area, bevelled, 1e-3))
        #expect(isNear(square.grown(by: 5, join: .miter).area, mitred, 1e-3))
        #expect(isNear(square.grown(by: 5, join: .round).area, rounded, 0.2))
        // √2 is a right angle's ratio: 1.41 is too little, 1.42 enough.
        #expect(isNear(square.grown(by: 5, join: .miter, miterLimit: 1.41).area, bevelled, 1e-3))
        #expect(isNear(square.grown(by: 5, join: .miter, miterLimit: 1.42).area, mitred, 1e-3))
        // Holes shrink with the same joins: their corners are concave, and stay.
        let frame = square.combined(with: square.grown(by: -5, join: .miter), .subtract)
        for join in Join.allCases {
            let expected = 38.0 * 18 - areaOfHole(join)
            #expect(isNear(frame.grown(by: -1, join: join).area, expected, 0.05))
        }
    }

    /// The hole of 30 × 10 of the frame, grown by 1.
    private func areaOfHole(_ join: Join) -> Double {
        switch join {
        case .miter: 32 * 12
        case .bevel: 32 * 12 - 4 * 0.5
        case .round: 300 + 80 + .pi
        }
    }

    @Test func curvesAreRoundWhateverTheJoin() {
        let circle = Outline(.ellipse(in: Rect(x: 0, y: 0, width: 60, height: 60)))
        for distance in [0.5, 5, 50, -5] {
            let tolerance = 0.03 * 2 * Double.pi * (30 + abs(distance))
            for join in Join.allCases {
                #expect(isNear(circle.grown(by: distance, join: join).area, disc(30 + distance), tolerance))
            }
        }
    }

    @Test func aMiterFollowsACurvesTangentNotItsLastChord() {
        // A half disc: at its corners the arc arrives square to the base.
        var half = Path()
        half.move(to: Point(x: -30, y: 0))
        half.cubic(Point(x: -30, y: -16.568), Point(x: -16.568, y: -30), to: Point(x: 0, y: -30))
        half.cubic(Point(x: 16.568, y: -30), Point(x: 30, y: -16.568), to: Point(x: 30, y: 0))
        half.close()
        let ink = Outline(half).grown(by: 10, join: .miter).inkBounds
        // Half a step off the tangent (0.06) would move the corner by 10 · tan 0.06 = 0.6.
        #expect(isNear(ink.maxX, 40, 0.06) && isNear(ink.maxY, 10, 0.01), "\(ink)")
    }

    @Test func theMiterInACounterComesOutAtTheTop() {
        // A plate with a sharp counter 1 px below its upper edge.
        let plate = Outline(.rectangle(Rect(x: -50, y: 0, width: 100, height: 100)))
        let half = 10 * Double.pi / 180
        let counter = Outline(polygon: [(0, 1), (50 * tan(half), 51), (-50 * tan(half), 51)])
        let four = plate.combined(with: counter, .subtract)
        let tip = 1 - 1 / sin(half)
        #expect(isNear(four.grown(by: 1, join: .miter, miterLimit: 10).inkBounds.minY, tip, 1e-3))
        #expect(isNear(four.grown(by: 1, join: .miter, miterLimit: 5).inkBounds.minY, -1, 1e-3))
        #expect(isNear(four.grown(by: 1, join: .bevel).inkBounds.minY, -1, 1e-3))
        #expect(isNear(four.grown(by: 1, join: .round).inkBounds.minY, -1, 1e-3))
    }

    @Test func aMiterCutsIntoTheNeighbourThatShrinks() {
        // The apex points up at a plate 1 px above it.
        let plate = Outline(.rectangle(Rect(x: -50, y: -101, width: 100, height: 100)))
        let pair = Outline.union([plate, spike(20)])
        let inside = Point(x: 0, y: -2.5)
        #expect(pair.grown(by: -1, join: .round).polygons().contains(inside))
        #expect(!pair.grown(by: -1, join: .miter, miterLimit: 10).polygons().contains(inside))
        #expect(pair.grown(by: -1, join: .miter, miterLimit: 5).polygons().contains(inside))
    }
}
