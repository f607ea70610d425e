import LabelpipeKit
import Outline
import Testing

@Suite struct OutlineStrokeTests {
    private let square = ##"{ "effect": "shape.rectangle", "size": [40, 40] }"##

    private func stroked(_ keys: String, fill: String = "white") throws -> Layer {
        try Run(
            ##"[ \##(square), { "effect": "fill.solid", "color": "\##(fill)" }, { "effect": "stroke.outline", \##(keys) } ]"##
        ).layer
    }

    /// From inside to outside: where the stroke's colour is.
    @Test(arguments: [("outside", 0, 6), ("center", 3, 3), ("inside", 6, 0)])
    func widthIsTheVisibleWidth(position: String, inside: Int, outside: Int) throws {
        let layer = try stroked(##""width": 6, "color": "red", "position": "\##(position)""##)
        let bitmap = try Bitmap(layer)
        let origin = outside
        #expect(bitmap.width == 40 + 2 * outside)
        #expect(layer.frame == Rect(x: 0, y: 0, width: 40, height: 40))
        for x in 0..<20 {
            let isStroke = x < inside
            #expect(bitmap[origin + x, origin + 20] == (isStroke ? [255, 0, 0, 255] : [255, 255, 255, 255]), "\(x)")
        }
        if outside > 0 { #expect(bitmap[0, origin + 20] == [255, 0, 0, 255]) }
    }

    @Test func widthZeroIsTheIdentityOnColour() throws {
        let layer = try stroked(##""width": 0"##)
        guard case .body(let body) = layer.marks[0] else {
            Issue.record("no body")
            return
        }
        #expect(body.finishes.isEmpty && layer.marks.count == 1)
    }

    @Test func aMaskGivesItsRing() throws {
        let ring = try Run(
            ##"[ \##(square), { "effect": "stroke.outline", "width": 4, "position": "inside" }, { "effect": "fill.solid" } ]"##
        ).layer
        #expect(try Run.alpha(ring, 3, 20) == 255 && Run.alpha(ring, 4, 20) == 0 && Run.alpha(ring, -1, 20) == 0)
        let outer = try Run(##"[ \##(square), { "effect": "stroke.outline", "width": 4 }, { "effect": "fill.solid" } ]"##).layer
        #expect(try Run.alpha(outer, -4, 20) == 255 && Run.alpha(outer, 0, 20) == 0)
        let none = try Run(##"[ \##(square), { "effect": "stroke.outline", "width": 0 }, { "effect": "fill.solid" } ]"##).layer
        #expect(try Run.alpha(none, 0, 0) == 0 && none.reach.isEmpty)
    }

    @Test func aMaskRefusesAColour() {
        let findings = refusal(
            ##"[ \##(square), { "effect": "stroke.outline", "color": "red" }, { "effect": "fill.solid" } ]"##)
        #expect(findings.map(\.pointer?.description) == ["/output/1/color"])
    }

    @Test func solidFillsHoles() throws {
        let frame = ##"""
            { "effect": "mask.combine", "mode": "subtract", "layers": [ { "effect": "shape.rectangle", "size": [40, 40] },
              [ { "effect": "shape.rectangle", "size": [20, 20] }, { "effect": "layout.box", "size": [40, 40] } ] ] }
            """##
        for (solid, alpha) in [("false", 0), ("true", 255)] {
            let layer = try Run(
                ##"[ \##(frame), { "effect": "fill.solid" }, { "effect": "stroke.outline", "width": 4, "solid": \##(solid) } ]"##
            ).layer
            #expect(try Run.alpha(layer, 20, 20) == alpha)
        }
    }

    @Test func aSecondStrokeGoesRoundTheFirst() throws {
        let layer = try Run(
            ##"""
            [ \##(square), { "effect": "fill.solid" }, { "effect": "stroke.outline", "width": 2, "color": "red" },
              { "effect": "stroke.outline", "width": 3, "color": "blue" } ]
            """##
        ).layer
        let bitmap = try Bitmap(layer)
        #expect(bitmap.hex(1, 25) == "#0000FF" && bitmap.hex(3, 25) == "#FF0000" && bitmap.hex(5, 25) == "#000000")
    }

    @Test func joins() throws {
        let corner = { (join: String) in
            try Run.alpha(try stroked(##""width": 10, "join": "\##(join)""##), -9, -9)
        }
        #expect(try corner("miter") == 255)
        #expect(try corner("round") == 0 && corner("bevel") == 0)
        #expect(try Run.alpha(stroked(##""width": 10, "join": "miter", "miterLimit": 1.2"##), -9, -9) == 0)
    }

    /// px are px: of the layer as it is now, however it was scaled before.
    /// Corners count as they are, not as the limit would let them be.
    @Test func theReachOfMitersIsThatOfTheirCorners() throws {
        let square = try stroked(##""width": 6, "join": "miter", "miterLimit": 100"##)
        #expect(square.reach == Region(x: -6, y: -6, width: 52, height: 52).grown(by: 1))
        #expect(try Bitmap(square).ink() == [1, 1, 53, 53])
        // 2 · atan(1/4) = 28°, a ratio of 4.12: as far as the limit allows, the point reaches 4.12 · 6 px up, and a bevel next to nothing.
        let spike = ##"{ "effect": "shape.path", "d": "M10 0 L20 40 L0 40 Z" }, { "effect": "fill.solid" }"##
        for (limit, top) in [(5, -25), (4, -2)] {
            let layer = try Run(
                ##"[ \##(spike), { "effect": "stroke.outline", "width": 6, "join": "miter", "miterLimit": \##(limit) } ]"##
            ).layer
            #expect(abs(layer.reach.y - top) <= 1, "\(limit): \(layer.reach)")
        }
    }

    /// A logo's ring follows the corners as an outline's does.
    @Test(arguments: [("round", false), ("bevel", false), ("miter", true)])
    func theRingOfALogosMaskIsJoined(join: String, isCornerCovered: Bool) throws {
        let layer = try Run(
            ##"""
            [ { "effect": "image.canvas", "size": [30, 30], "color": "#FF0000FE" }, { "effect": "mask.alpha" },
              { "effect": "stroke.outline", "width": 6, "join": "\##(join)" }, { "effect": "fill.solid" } ]
            """##
        ).layer
        #expect(try (Run.alpha(layer, -5, -5) > 250) == isCornerCovered)
        #expect(try Run.alpha(layer, -5, 15) > 250 && Run.alpha(layer, 15, 15) < 5)
    }

    @Test func aScaledLayerIsStrokedInPixels() throws {
        let layer = try Run(
            ##"""
            [ \##(square), { "effect": "fill.solid" }, { "effect": "layout.scale", "by": 0.5 },
              { "effect": "stroke.outline", "width": 4, "color": "red" } ]
            """##
        ).layer
        #expect(try Run.alpha(layer, 6, 20) == 255 && Run.alpha(layer, 5, 20) == 0)
    }

    @Test func aLogoIsStrokedAtItsAlphasEdge() throws {
        let layer = try Run(
            ##"[ { "effect": "image.load", "path": "assets/signet.svg" }, { "effect": "stroke.outline", "width": 3, "color": "red" } ]"##
        ).layer
        #expect(try Run.alpha(layer, 2, 32) > 250)
        #expect(try Run.alpha(layer, 0, 32) == 0)
    }

    @Test func theGradientOfAStrokeHasTheFillsBox() throws {
        let layer = try stroked(
            ##""width": 10, "color": { "colors": ["#000000", "#FFFFFF"], "start": [0, 0], "end": [1, 0] }"##)
        let bitmap = try Bitmap(layer)
        #expect(bitmap.isNear(0, 30, [0, 0, 0, 255], 2) && bitmap.isNear(59, 30, [255, 255, 255, 255], 2))
        #expect(bitmap.isNear(29, 5, [126, 126, 126, 255], 3))
    }
}
