import Outline
import Testing

@Suite struct GeometryTests {
    @Test(arguments: [0, 90, 180, 270, 360, 450, -90, -180, 720] as [Double])
    func rightAnglesAreExact(_ degrees: Double) {
        let turn = Affine.rotation(degrees: degrees)
        for entry in [turn.a, turn.b, turn.c, turn.d] { #expect(entry == 0 || abs(entry) == 1) }
        #expect(turn.determinant == 1)
    }

    @Test func positiveAnglesTurnClockwiseOnScreen() {
        #expect(Affine.rotation(degrees: 90).apply(Point(x: 1, y: 0)) == Point(x: 0, y: 1))
        let turned = Affine.rotation(degrees: 30).apply(Point(x: 1, y: 0))
        #expect(turned.y > 0.49 && turned.y < 0.51)
        let center = Point(x: 3, y: 4)
        #expect(Affine.rotation(degrees: 180, about: center).apply(Point(x: 4, y: 4)) == Point(x: 2, y: 4))
    }

    @Test func thenIsFirstSelfThenOther() {
        let map = Affine.scale(2).then(.translation(dx: 1, dy: 0))
        #expect(map.apply(Point(x: 3, y: 5)) == Point(x: 7, y: 10))
        #expect(map.apply(Vector(dx: 3, dy: 5)) == Vector(dx: 6, dy: 10))
    }

    @Test func inverseLeadsBack() throws {
        var random = Seeded.fresh("inverse")
        for _ in 0..<200 {
            let map = Affine(
                a: random.number(-3...3), b: random.number(-3...3), c: random.number(-3...3), d: random.number(-3...3),
                tx: random.number(-99...99), ty: random.number(-99...99))
            guard abs(map.determinant) > 0.01 else { continue }
            let there = try #require(map.inverse)
            let back = there.apply(map.apply(Point(x: 12.5, y: -7)))
            #expect(isNear(back.x, 12.5, 1e-9) && isNear(back.y, -7, 1e-9))
        }
        #expect(Affine.scale(sx: 1, sy: 0).inverse == nil)
        #expect(Affine.translation(dx: 0.1, dy: 3).inverse == .translation(dx: -0.1, dy: -3))
    }

    @Test func kindsOfMaps() {
        #expect(Affine.identity.isIdentity && Affine.identity.isWholeTranslation)
        #expect(Affine.translation(dx: 2, dy: -3).isWholeTranslation)
        #expect(!Affine.translation(dx: 2.5, dy: 0).isWholeTranslation && Affine.translation(dx: 2.5, dy: 0).isTranslation)
        #expect(Affine.rotation(degrees: 33).then(.scale(3)).isSimilarity)
        #expect(Affine.rotation(degrees: 33).then(.scale(sx: -2, sy: 2)).isSimilarity)
        #expect(!Affine.scale(sx: 1, sy: 1.001).isSimilarity)
        #expect(isNear(Affine.rotation(degrees: 33).then(.scale(sx: 3, sy: 0.5)).maximumScale, 3, 1e-9))
        #expect(Affine.identity.maximumScale == 1)
    }

    @Test func nullIsTheIdentityOfUnion() {
        let rect = Rect(x: 1, y: 2, width: 3, height: 4)
        #expect(Rect.null.union(rect) == rect && rect.union(.null) == rect && Rect.null.union(.null).isNull)
        #expect(Rect.null.isEmpty && !rect.isEmpty && Rect.null.grown(by: 5).isNull)
        #expect(Rect.null.applying(.scale(2)).isNull && Rect.null.roundedOut.isEmpty)
        // A line is empty but it has a place.
        #expect(Rect(x: 9, y: 9, width: 0, height: 2).union(rect) == Rect(minX: 1, minY: 2, maxX: 9, maxY: 11))
    }

    @Test func rectangles() {
        let rect = Rect(x: 1, y: 2, width: 3, height: 4)
        #expect(rect.insetBy(dx: 1, dy: -1) == Rect(x: 2, y: 1, width: 1, height: 6))
        #expect(rect.insetBy(dx: 2, dy: 0).isNull)
        #expect(rect.intersection(Rect(x: 3, y: 0, width: 9, height: 3)) == Rect(x: 3, y: 2, width: 1, height: 1))
        #expect(rect.intersection(Rect(x: 5, y: 0, width: 9, height: 3)).isNull)
        #expect(rect.contains(Point(x: 1, y: 2)) && !rect.contains(Point(x: 4, y: 3)))
        #expect(rect.contains(rect) && rect.contains(.null) && !rect.contains(rect.grown(by: 0.1)))
        #expect(rect.applying(.rotation(degrees: 90)) == Rect(x: -6, y: 1, width: 4, height: 3))
        #expect(rect.center == Point(x: 2.5, y: 4))
    }

    @Test func roundingOutKeepsWholePixelsAndForgivesNoise() {
        #expect(Rect(x: 1, y: 2, width: 3, height: 4).roundedOut == Region(x: 1, y: 2, width: 3, height: 4))
        #expect(Rect(x: 1.1, y: -2.9, width: 3, height: 4).roundedOut == Region(x: 1, y: -3, width: 4, height: 5))
        #expect(Rect(x: 0.9999999999, y: 2, width: 3.0000000002, height: 4).roundedOut == Region(x: 1, y: 2, width: 3, height: 4))
        #expect(Rect(x: .nan, y: 0, width: .infinity, height: 1e300).roundedOut.height > 0)
    }

    @Test func regions() {
        let region = Region(x: 1, y: 2, width: 3, height: 4)
        #expect(region.union(.empty) == region && Region.empty.union(region) == region)
        #expect(region.intersection(Region(x: 4, y: 0, width: 9, height: 9)).isEmpty)
        #expect(region.intersection(Region(x: 3, y: 5, width: 9, height: 9)) == Region(x: 3, y: 5, width: 1, height: 1))
        #expect(region.grown(by: 1) == Region(x: 0, y: 1, width: 5, height: 6) && region.grown(by: -2).isEmpty)
        #expect(Region.empty.grown(by: 3).isEmpty)
        #expect(region.contains(x: 3, y: 5) && !region.contains(x: 4, y: 5) && region.contains(.empty))
        #expect(region.offset(dx: 1, dy: -1).rect == Rect(x: 2, y: 1, width: 3, height: 4))
    }
}
