import LabelpipeKit
import Outline
import Testing

private let black = ##"{ "effect": "fill.solid" }"##

@Suite struct RectangleTests {
    @Test func aSizeStandsAtTheOrigin() throws {
        let layer = try Run(##"[ { "effect": "shape.rectangle", "size": [30, 20] }, \##(black) ]"##).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 30, height: 20))
        let bitmap = try Bitmap(layer)
        #expect((bitmap.width, bitmap.height) == (30, 20))
        #expect(bitmap[0, 0][3] == 255 && bitmap[29, 19][3] == 255)
    }

    /// Case B14: a radius is held within half the shorter side, and a pill is just that.
    @Test(arguments: ["999", "\"pill\"", "30"]) func radiusIsClamped(radius: String) throws {
        let bitmap = try Run(##"[ { "effect": "shape.rectangle", "size": [160, 60], "radius": \##(radius) }, \##(black) ]"##)
            .bitmap
        #expect(bitmap[0, 0][3] == 0)
        #expect(bitmap[30, 0][3] >= 250)
        for y in 0..<60 {
            for x in 0..<80 { #expect(abs(bitmap[x, y][3] - bitmap[159 - x, y][3]) <= 1) }
        }
    }

    @Test func aroundIsGrownOutwardsToWholePixels() throws {
        let run = try Run(
            ##"[ { "effect": "shape.rectangle", "size": [10.2, 5.5] }, { "effect": "shape.rectangle", "insets": { "left": 2.3, "top": 1 } }, \##(black) ]"##
        )
        #expect(run.layer.frame == Rect(x: -3, y: -1, width: 14, height: 7))
    }

    @Test func textStaysKnownAround() throws {
        let run = try Run(
            ##"[ { "effect": "text.mask", "text": "A", "size": 20 }, { "effect": "shape.rectangle", "insets": "1em" }, \##(black) ]"##
        )
        #expect(run.layer.text?.size == 20)
        #expect(run.layer.frame.minX == -20)
    }

    @Test func sizeAndAroundExcludeEachOther() {
        let both = refusal(
            ##"[ { "effect": "shape.ellipse", "size": [3, 3] }, { "effect": "shape.rectangle", "size": [3, 3] }, \##(black) ]"##)
        #expect(both.map(\.pointer?.description) == ["/output/1/size"])
        #expect(both.first?.got == "both")
        #expect(refusal(##"[ { "effect": "shape.rectangle" }, \##(black) ]"##).first?.got == "neither")
        #expect(refusal(##"[ { "effect": "shape.rectangle", "size": [3, 3], "insets": 0 }, \##(black) ]"##).count == 1)
        #expect(refusal(##"[ { "effect": "shape.rectangle", "size": [3, 3], "radius": -1 }, \##(black) ]"##).count == 1)
    }
}

@Suite struct EllipseTests {
    @Test func itTouchesAllFourSides() throws {
        let bitmap = try Run(##"[ { "effect": "shape.ellipse", "size": [40, 20] }, \##(black) ]"##).bitmap
        #expect(bitmap[0, 0][3] == 0)
        #expect(bitmap[20, 0][3] > 240 && bitmap[20, 19][3] > 240 && bitmap[0, 10][3] > 200)
    }
}

@Suite struct PathShapeTests {
    @Test func itsTopLeftIsTheOrigin() throws {
        let layer = try Run(##"[ { "effect": "shape.path", "d": "M10 30 h20 v10 h-20 z" }, \##(black) ]"##).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 20, height: 10))
        #expect(try Bitmap(layer)[19, 9][3] == 255)
    }

    @Test func whatIsNoPathIsRefusedWithItsPlace() {
        let findings = refusal(##"[ { "effect": "shape.path", "d": "M0 0 L10" }, \##(black) ]"##)
        #expect(findings.first?.pointer?.description == "/output/0/d")
        #expect(findings.first?.got?.contains("byte 8") == true)
    }
}

@Suite struct MaskTests {
    @Test func alphaIsTheCoverage() throws {
        let run = try Run(
            ##"""
            [ { "effect": "shape.rectangle", "size": [4, 4] }, { "effect": "fill.solid", "color": "#FF000080" },
              { "effect": "mask.alpha" }, { "effect": "fill.solid", "color": "#0000FF" } ]
            """##)
        #expect(try run.bitmap[1, 1] == [0, 0, 255, 128])
    }

    @Test func luminanceIsTheCoverage() throws {
        let bitmap = try Run(
            ##"""
            [ { "effect": "layout.stack", "layers": [
                [ { "effect": "shape.rectangle", "size": [4, 4] }, { "effect": "fill.solid", "color": "white" } ],
                [ { "effect": "shape.rectangle", "size": [2, 4] }, { "effect": "fill.solid", "color": "black" } ] ] },
              { "effect": "mask.luminance" }, { "effect": "fill.solid", "color": "red" } ]
            """##
        ).bitmap
        #expect(bitmap[0, 0][3] == 0)
        #expect(bitmap[3, 0] == [255, 0, 0, 255])
    }

    @Test(arguments: [
        ("union", [255, 255, 255]), ("subtract", [255, 0, 0]), ("intersect", [0, 255, 0]), ("exclude", [255, 0, 255]),
    ])
    func combine(mode: String, alpha: [Int]) throws {
        let bitmap = try Run(
            ##"""
            [ { "effect": "mask.combine", "mode": "\##(mode)", "layers": [
                { "effect": "shape.rectangle", "size": [20, 10] },
                [ { "effect": "shape.rectangle", "size": [20, 10] }, { "effect": "layout.inset", "insets": { "left": 10 } },
                  { "effect": "layout.box", "size": [30, 10] } ] ] },
              \##(black), { "effect": "layout.box", "size": [30, 10], "align": "top-left" } ]
            """##
        ).bitmap
        #expect([bitmap[5, 5][3], bitmap[15, 5][3], bitmap[25, 5][3]] == alpha)
    }

    @Test func growAndShrink() throws {
        let thick = try Run(
            ##"[ { "effect": "shape.rectangle", "size": [20, 10] }, { "effect": "mask.grow", "by": 3 }, \##(black) ]"##
        ).layer
        #expect(thick.frame == Rect(x: 0, y: 0, width: 20, height: 10))
        #expect(try Run.alpha(thick, -3, 5) == 255 && Run.alpha(thick, -4, 5) == 0)
        // Round corners.
        #expect(try Run.alpha(thick, -3, -3) < 40)
        let thin = try Run(
            ##"[ { "effect": "shape.rectangle", "size": [20, 10] }, { "effect": "mask.grow", "by": -3 }, \##(black) ]"##
        ).layer
        #expect(try Run.alpha(thin, 2, 5) == 0 && Run.alpha(thin, 3, 5) == 255)
    }

    @Test func aMaskOfAlphaGrowsByItsPixels() throws {
        let layer = try Run(
            ##"""
            [ { "effect": "shape.rectangle", "size": [20, 10] }, { "effect": "fill.solid" }, { "effect": "shadow.drop", "offset": [2, 0], "blur": 0 },
              { "effect": "mask.alpha" }, { "effect": "mask.grow", "by": 2 }, \##(black) ]
            """##
        ).layer
        #expect(try Run.alpha(layer, -2, 5) > 200)
    }
}
