import Glibc
import LabelpipeKit
import Outline
import Testing

private let block = ##"{ "effect": "shape.rectangle", "size": [60, 60] }, { "effect": "fill.solid", "color": "white" }"##

@Suite struct DropShadowTests {
    private func shadowed(_ keys: String) throws -> Layer {
        try Run(##"[ \##(block), { "effect": "shadow.drop", \##(keys) } ]"##).layer
    }

    /// Case B07: blur 16 is a sigma of 8.
    @Test func blurIsTwiceTheSigma() throws {
        let layer = try Run(
            ##"""
            [ { "effect": "shape.rectangle", "size": [400, 400] }, { "effect": "fill.solid" },
              { "effect": "shadow.drop", "color": "black", "offset": [0, 0], "blur": 16 } ]
            """##
        ).layer
        for distance in [4, 8, 16, 24] {
            let wanted = 127.5 * erfc((Double(distance) - 0.5) / (8 * 2.0.squareRoot()))
            let alpha = try Run.alpha(layer, 399 + distance, 200)
            #expect(abs(Double(alpha) - wanted) <= 3, "\(distance): \(alpha), wanted \(wanted)")
        }
    }

    @Test func positiveYIsDownAndBlurZeroIsAHardCopy() throws {
        let layer = try shadowed(##""color": "red", "offset": [3, 5], "blur": 0"##)
        #expect(layer.reach == Region(x: 0, y: 0, width: 63, height: 65))
        let bitmap = try Bitmap(layer)
        #expect(bitmap[62, 64] == [255, 0, 0, 255] && bitmap[2, 62][3] == 0 && bitmap[59, 59] == [255, 255, 255, 255])
    }

    @Test func whatNobodyCouldSeeIsNotDrawn() throws {
        #expect(try shadowed(##""color": "transparent", "offset": [9, 9]"##).marks.count == 1)
        #expect(try shadowed(##""offset": [0, 0], "blur": 0"##).marks.count == 1)
        #expect(try shadowed(##""offset": [0, 0], "blur": 0, "spread": 2"##).marks.count == 2)
        #expect(try shadowed(##""offset": [0, 0], "blur": 0, "caster": "hide""##).marks.count == 1)
        #expect(
            try Bitmap(shadowed(##""color": "red", "offset": [0, 0], "blur": 0, "caster": "hide""##))[5, 5] == [255, 0, 0, 255])
    }

    @Test func hideLeavesTheShadowAloneAndCutClearsBelowTheCaster() throws {
        let hidden = try shadowed(##""color": "red", "offset": [10, 0], "blur": 0, "caster": "hide""##)
        #expect(try Run.alpha(hidden, 5, 30) == 0 && Run.alpha(hidden, 65, 30) == 255)
        let translucent =
            ##"{ "effect": "shape.rectangle", "size": [60, 60] }, { "effect": "fill.solid", "color": "#FFFFFF00" }"##
        let cut = try Run(
            ##"[ \##(block), { "effect": "shadow.drop", "color": "red", "offset": [10, 0], "blur": 0, "caster": "cut" } ]"##
        ).layer
        guard case .shadow(let shadow) = cut.marks[0] else {
            Issue.record("no shadow beneath: \(translucent)")
            return
        }
        #expect(shadow.cut)
    }

    @Test func spreadGrowsTheCaster() throws {
        let layer = try shadowed(##""color": "red", "offset": [0, 0], "blur": 0, "spread": 7"##)
        #expect(try Run.alpha(layer, -7, 30) == 255 && Run.alpha(layer, -8, 30) == 0)
    }

    /// CSS's text-shadow list: the first lies on top, and earlier shadows cast none.
    @Test func earlierShadowsCastNone() throws {
        let layer = try Run(
            ##"""
            [ \##(block), { "effect": "shadow.drop", "color": "red", "offset": [10, 0], "blur": 0 },
              { "effect": "shadow.drop", "color": "blue", "offset": [15, 0], "blur": 0 } ]
            """##
        ).layer
        let bitmap = try Bitmap(layer)
        #expect(bitmap.width == 75)
        #expect(bitmap.hex(65, 30) == "#FF0000" && bitmap.hex(74, 30) == "#0000FF")
    }

    @Test func aStrokeCastsToo() throws {
        let layer = try Run(
            ##"""
            [ \##(block), { "effect": "stroke.outline", "width": 5 },
              { "effect": "shadow.drop", "color": "red", "offset": [20, 0], "blur": 0 } ]
            """##
        ).layer
        #expect(layer.reach == Region(x: -5, y: -5, width: 90, height: 70))
    }

    @Test func defaultsAreInEmOrPixels() throws {
        guard case .shadow(let plain) = try Run(##"[ \##(block), { "effect": "shadow.drop" } ]"##).layer.marks[0],
            case .shadow(let text) = try Run(
                ##"[ { "effect": "text.mask", "text": "A", "size": 100 }, { "effect": "fill.solid" }, { "effect": "shadow.drop" } ]"##
            ).layer.marks[0]
        else {
            Issue.record("no shadows")
            return
        }
        #expect(plain.sigma == 2 && near(plain.offset.dy, 0.64))
        #expect(text.sigma == 5 && near(text.offset.dy, 4))
    }

    @Test(arguments: ["100000", "-5", "\"1e400px\""]) func blurHasARange(blur: String) {
        #expect(refusal(##"[ \##(block), { "effect": "shadow.drop", "blur": \##(blur) } ]"##).count == 1)
    }
}

@Suite struct InnerShadowTests {
    private func shadowed(_ keys: String) throws -> Bitmap {
        try Run(##"[ \##(block), { "effect": "shadow.inner", \##(keys) } ]"##).bitmap
    }

    @Test func itFallsInFromTheEdge() throws {
        let bitmap = try shadowed(##""color": "black", "offset": [0, 6], "blur": 0"##)
        #expect((bitmap.width, bitmap.height) == (60, 60))
        #expect(bitmap[30, 5] == [0, 0, 0, 255] && bitmap[30, 6] == [255, 255, 255, 255])
    }

    @Test func outsideCountsWithoutABorderEffect() throws {
        let bitmap = try shadowed(##""color": "black", "offset": [0, 0], "blur": 8"##)
        // Half a pixel inside the edge of a half plane: 255 × (1 − 0.5·erfc(0.5 / (4·√2))).
        let wanted = 255 * (1 - 0.5 * erfc(0.5 / (4 * 2.0.squareRoot())))
        for place in [(0, 30), (59, 30), (30, 0), (30, 59)] {
            #expect(abs(Double(bitmap[place.0, place.1][0]) - wanted) <= 3)
        }
        #expect(bitmap[30, 30][0] == 255)
    }

    @Test func darkenCannotLighten() throws {
        let dark = ##"[ { "effect": "shape.rectangle", "size": [60, 60] }, { "effect": "fill.solid", "color": "#404040" }, "##
        let keys = ##"{ "effect": "shadow.inner", "color": "white", "offset": [0, 6], "blur": 0"##
        #expect(try Run(dark + keys + ##", "blend": "darken" } ]"##).bitmap[30, 2] == [64, 64, 64, 255])
        #expect(try Run(dark + keys + " } ]").bitmap[30, 2] == [255, 255, 255, 255])
    }

    @Test func invisibleOnesAreNotDrawn() throws {
        for keys in [##""color": "transparent""##, ##""offset": [0, 0], "blur": 0"##] {
            let layer = try Run(##"[ \##(block), { "effect": "shadow.inner", \##(keys) } ]"##).layer
            guard case .body(let body) = layer.marks[0] else {
                Issue.record("no body")
                return
            }
            #expect(body.finishes.isEmpty)
        }
    }

    @Test func aStrokeThatComesLaterLiesAbove() throws {
        let bitmap = try Run(
            ##"""
            [ \##(block), { "effect": "shadow.inner", "color": "black", "offset": [0, 6], "blur": 0 },
              { "effect": "stroke.outline", "width": 4, "color": "red", "position": "inside" } ]
            """##
        ).bitmap
        #expect(bitmap.hex(30, 1) == "#FF0000" && bitmap.hex(30, 4) == "#000000")
    }

    /// The direction is the screen's: a layer that was turned before gets its shadow from above all the same.
    @Test func theOffsetIsTheLayersOwn() throws {
        let bitmap = try Run(
            ##"""
            [ \##(block), { "effect": "layout.rotate", "angle": 90 },
              { "effect": "shadow.inner", "color": "black", "offset": [0, 6], "blur": 0 } ]
            """##
        ).bitmap
        #expect(bitmap[30, 2][0] == 0 && bitmap[2, 30][0] == 255 && bitmap[57, 30][0] == 255)
    }
}
