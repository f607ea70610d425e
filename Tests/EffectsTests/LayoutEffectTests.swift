import LabelpipeKit
import Outline
import Testing

private let block = ##"[ { "effect": "shape.rectangle", "size": [30, 20] }, { "effect": "fill.solid", "color": "red" } ]"##

private func chain(_ step: String, _ first: String = block) -> String { "[ \(first), \(step) ]" }

/// A colour block of a size, as one node.
private func block(_ width: Int, _ height: Int, _ color: String = "red") -> String {
    ##"[ { "effect": "shape.rectangle", "size": [\##(width), \##(height)] }, { "effect": "fill.solid", "color": "\##(color)" } ]"##
}

@Suite struct InsetTests {
    @Test func theFrameGrowsAndNothingMoves() throws {
        let layer = try Run(chain(##"{ "effect": "layout.inset", "insets": { "left": 3, "top": 5, "bottom": 1 } }"##)).layer
        #expect(layer.frame == Rect(x: -3, y: -5, width: 33, height: 26))
        let bitmap = try Bitmap(layer)
        #expect((bitmap.width, bitmap.height) == (33, 26))
        #expect(bitmap[2, 5][3] == 0 && bitmap[3, 5][3] == 255)
    }

    @Test func aPictureGetsRoomToo() throws {
        let layer = try Run(
            ##"[ { "effect": "image.canvas", "size": [4, 4], "color": "red" }, { "effect": "layout.inset", "insets": 2 } ]"##
        )
        .layer
        let bitmap = try Bitmap(layer)
        #expect((bitmap.width, bitmap.bands) == (8, 4))
        #expect(bitmap[0, 0][3] == 0 && bitmap[2, 2] == [255, 0, 0, 255])
    }
}

@Suite struct BoxTests {
    @Test(arguments: [
        ("top-left", 0.0, 0.0), ("top", 35, 0), ("right", 70, 15), ("center", 35, 15), ("bottom-right", 70, 30),
    ])
    func align(anchor: String, x: Double, y: Double) throws {
        let layer = try Run(chain(##"{ "effect": "layout.box", "size": [100, 50], "align": "\##(anchor)" }"##)).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 100, height: 50))
        #expect(layer.marks.reach == Rect(x: x, y: y, width: 30, height: 20))
    }

    @Test func insetsAndOpenSides() throws {
        let layer = try Run(
            chain(
                ##"{ "effect": "layout.box", "size": [null, 60], "insets": { "left": 5, "right": 10, "top": 4 }, "align": "top" }"##
            )
        ).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 45, height: 60))
        #expect(layer.marks.reach == Rect(x: 5, y: 4, width: 30, height: 20))
    }

    @Test func movesAreWholePixelsUnlessSnapIsFalse() throws {
        let step = { (more: String) in chain(##"{ "effect": "layout.box", "size": [33, 20] \##(more) }"##) }
        #expect(try Run(step("")).layer.marks.reach.minX == 2)
        #expect(try Run(step(##", "snap": false"##)).layer.marks.reach.minX == 1.5)
    }

    @Test func horizontalAndVerticalApart() throws {
        let layer = try Run(
            chain(##"{ "effect": "layout.box", "size": [100, 50], "horizontal": "right", "vertical": "top" }"##)
        ).layer
        #expect(layer.marks.reach == Rect(x: 70, y: 0, width: 30, height: 20))
        let natural = try Run(chain(##"{ "effect": "layout.box", "size": [100, 50], "horizontal": "natural" }"##)).layer
        #expect(natural.marks.reach.minX == 0)
    }

    /// Case B14: the same style has the same baseline; by cap the gaps above and below H are alike.
    @Test func pills() throws {
        func pill(_ text: String, _ by: String) throws -> Layer {
            try Run(
                ##"""
                [ { "effect": "text.mask", "text": "\##(text)", "font": "DejaVu Sans", "size": 32 }, { "effect": "fill.solid" },
                  { "effect": "layout.box", "size": [160, 60], "by": "\##(by)" } ]
                """##
            ).layer
        }
        let baselines = try ["AHA", "gag", "ÅgÅ"].map { try pill($0, "line").text?.baseline.y }
        #expect(Set(baselines).count == 1)
        let cap = try #require(pill("H", "cap").outline?.inkBounds)
        #expect(abs(cap.minY - (60 - cap.maxY)) <= 1)
        let ink = try #require(pill("gg", "ink").outline?.inkBounds)
        #expect(abs(ink.minY - (60 - ink.maxY)) <= 1)
        let x = try #require(pill("x", "x").outline?.inkBounds)
        #expect(abs(x.minY - (60 - x.maxY)) <= 1)
    }

    @Test func aBaselineIsNoPlaceInABox() {
        #expect(
            refusal(chain(##"{ "effect": "layout.box", "align": "baseline-left" }"##)).first?.pointer?.description
                == "/output/1/align")
    }
}

@Suite struct ClipTests {
    @Test func toTheFrameAndToAMask() throws {
        let framed = try Run(chain(##"{ "effect": "layout.inset", "insets": { "right": -10 } }, { "effect": "layout.clip" }"##))
            .bitmap
        #expect((framed.width, framed.height) == (20, 20))
        let round = try Run(chain(##"{ "effect": "layout.clip", "to": { "effect": "shape.ellipse", "size": [20, 20] } }"##)).layer
        #expect(try Run.alpha(round, 10, 10) == 255 && Run.alpha(round, 0, 0) == 0 && Run.alpha(round, 25, 10) == 0)
        #expect(round.frame.width == 30 && round.reach.maxX <= 20)
    }

    @Test func theCompositeIsCutOnce() throws {
        // Two layers that share the cut edge at half a px: one coverage, not the mixture of two.
        let bitmap = try Run(
            ##"""
            [ { "effect": "layout.stack", "layers": [ \##(block(20, 20, "blue")), \##(block(20, 20)) ] },
              { "effect": "layout.clip", "to": { "effect": "shape.rectangle", "size": [10.5, 20] } } ]
            """##
        ).bitmap
        #expect(bitmap[10, 5] == [255, 0, 0, 128])
    }

    @Test func aCutMaskIsStillAMask() throws {
        let bitmap = try Run(
            ##"""
            [ { "effect": "shape.rectangle", "size": [30, 20] }, { "effect": "layout.clip", "to": { "effect": "shape.rectangle", "size": [10, 20] } },
              { "effect": "fill.solid", "color": "red" }, { "effect": "stroke.outline", "width": 2 } ]
            """##
        ).layer
        #expect(try Run.alpha(bitmap, 5, 5) == 255 && Run.alpha(bitmap, 11, 5) == 255 && Run.alpha(bitmap, 12, 5) == 0)
    }
}

@Suite struct RotateTests {
    @Test func quarterTurnsAreExact() throws {
        let marked = ##"""
            { "effect": "layout.stack", "layers": [ { "effect": "image.canvas", "size": [5, 2], "color": "red" },
              { "effect": "image.canvas", "size": [1, 1], "color": "blue" } ] }
            """##
        // Where the blue pixel of the top left comes to.
        for (angle, size, place) in [(90, (2, 5), (1, 0)), (180, (5, 2), (4, 1)), (270, (2, 5), (0, 4)), (-90, (2, 5), (0, 4))] {
            let bitmap = try Run(chain(##"{ "effect": "layout.rotate", "angle": \##(angle) }"##, marked)).bitmap
            #expect((bitmap.width, bitmap.height) == size)
            for y in 0..<size.1 {
                for x in 0..<size.0 { #expect(bitmap.hex(x, y) == ((x, y) == place ? "#0000FF" : "#FF0000")) }
            }
        }
    }

    @Test func theFrameIsTheBoxRoundTheTurnedOne() throws {
        let layer = try Run(chain(##"{ "effect": "layout.rotate", "angle": 30 }"##)).layer
        #expect(near(layer.frame.width, 30 * 0.75.squareRoot() + 20 * 0.5))
        #expect(near(layer.frame.height, 30 * 0.5 + 20 * 0.75.squareRoot()))
        #expect(near(layer.frame.center.x, 15) && near(layer.frame.center.y, 10))
    }

    @Test func shadowsTurnWithTheLayer() throws {
        let layer = try Run(
            chain(
                ##"{ "effect": "shadow.drop", "color": "blue", "offset": [5, 0], "blur": 0 }, { "effect": "layout.rotate", "angle": 90 }"##
            )
        ).layer
        // To the right becomes down.
        #expect(layer.reach == Region(x: 5, y: -5, width: 20, height: 35))
    }
}

@Suite struct ScaleTests {
    @Test(arguments: [
        (##""by": 2"##, 60.0, 40.0), (##""by": [2, 0.5]"##, 60, 10), (##""width": 15"##, 15, 10), (##""height": 40"##, 60, 40),
        (##""width": 10, "height": 10"##, 10, 10),
    ])
    func sizes(keys: String, width: Double, height: Double) throws {
        let layer = try Run(chain(##"{ "effect": "layout.scale", \##(keys) }"##)).layer
        #expect(near(layer.frame.width, width) && near(layer.frame.height, height))
        // About the frame's centre, to whole px.
        #expect(near(layer.frame.center.x, 15, 0.5) && near(layer.frame.center.y, 10, 0.5))
        #expect(layer.frame.isWhole)
    }

    /// A block of whole px that becomes another one has sharp edges.
    @Test(arguments: [(10, 2.5), (30, 0.1), (7, 3), (12, 0.25), (10, -2.5)]) func wholeStaysWhole(side: Int, by: Double) throws {
        let bitmap = try Run(chain(##"{ "effect": "layout.scale", "by": \##(by) }"##, block(side, side))).bitmap
        #expect(bitmap.width == Int((Double(side) * abs(by)).rounded()) && bitmap.height == bitmap.width)
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width { #expect(bitmap[x, y][3] == 255, "\(x), \(y)") }
        }
    }

    @Test func anEmStays() throws {
        let layer = try Run(
            ##"[ { "effect": "text.mask", "text": "A", "size": 20 }, { "effect": "fill.solid" }, { "effect": "layout.scale", "by": 3 } ]"##
        ).layer
        #expect(layer.text?.size == 20)
    }

    @Test func negativeFactorsMirror() throws {
        let layer = try Run(
            ##"""
            [ { "effect": "layout.stack", "layers": [ \##(block(20, 20)), \##(block(5, 20, "blue")) ] }, { "effect": "layout.scale", "by": [-1, 1] } ]
            """##
        ).layer
        let bitmap = try Bitmap(layer)
        #expect(bitmap.hex(0, 5) == "#FF0000" && bitmap.hex(17, 5) == "#0000FF")
    }

    @Test func exactlyOneWayToSay() {
        for keys in ["", ##", "by": 2, "width": 5"##, ##", "by": 0"##, ##", "width": 0"##] {
            #expect(refusal(chain(##"{ "effect": "layout.scale" \##(keys) }"##)).count == 1, "\(keys)")
        }
    }
}

@Suite struct StackTests {
    @Test func bottomToTopInTheFirstOnesFrame() throws {
        let layer = try Run(
            ##"{ "effect": "layout.stack", "align": "center", "layers": [ \##(block(30, 20)), \##(block(10, 10, "blue")) ] }"##
        )
        .layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 30, height: 20))
        let bitmap = try Bitmap(layer)
        #expect(bitmap.hex(9, 10) == "#FF0000" && bitmap.hex(10, 10) == "#0000FF" && bitmap.hex(19, 14) == "#0000FF")
    }

    @Test func snapping() throws {
        for (more, left) in [("", 6.0), (##", "snap": false"##, 5.5)] {
            let layer = try Run(
                ##"{ "effect": "layout.stack", "align": "center" \##(more), "layers": [ \##(block(30, 20)), \##(block(19, 20)) ] }"##
            ).layer
            #expect(layer.marks.last?.reach.minX == left)
        }
    }

    @Test func opacityAndBlendOfAnEntry() throws {
        func mixed(_ entry: String) throws -> [Int] {
            try Run(
                ##"{ "effect": "layout.stack", "layers": [ \##(block(4, 4, "#808080")), { "layer": \##(block(4, 4, "#804020")), \##(entry) } ] }"##
            ).bitmap[1, 1]
        }
        #expect(zip(try mixed(##""opacity": 0.5"##), [128, 96, 80, 255]).allSatisfy { abs($0 - $1) <= 1 })
        #expect(zip(try mixed(##""blend": "multiply""##), [64, 32, 16, 255]).allSatisfy { abs($0 - $1) <= 1 })
        #expect(zip(try mixed(##""blend": "screen""##), [192, 160, 144, 255]).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test func linearLight() throws {
        let bitmap = try Run(
            ##"{ "effect": "layout.stack", "space": "linear", "layers": [ \##(block(4, 4, "black")), \##(block(4, 4, "#FFFFFF80")) ] }"##
        ).bitmap
        #expect(bitmap.isNear(1, 1, [188, 188, 188, 255], 1))
    }

    @Test func anEntryIsLeftOutWhenItsParameterIsFalse() throws {
        let text = ##"{ "effect": "layout.stack", "layers": [ \##(block(4, 4)), { "layer": \##(block(4, 4, "blue")) } ] }"##
        #expect(try Run(text).bitmap.hex(0, 0) == "#0000FF")
    }

    @Test func theFirstTextDecides() throws {
        let layer = try Run(
            ##"""
            { "effect": "layout.stack", "layers": [ \##(block(30, 20)),
              [ { "effect": "text.mask", "text": "A", "size": 20 }, { "effect": "fill.solid" } ],
              [ { "effect": "text.mask", "text": "B", "size": 40 }, { "effect": "fill.solid" } ] ] }
            """##
        ).layer
        #expect(layer.text?.size == 20)
        #expect(layer.outline != nil)
    }
}

@Suite struct RowTests {
    private let small = ##"[ { "effect": "text.mask", "text": "a", "size": 16 }, { "effect": "fill.solid" } ]"##
    private let large = ##"[ { "effect": "text.mask", "text": "A", "size": 40 }, { "effect": "fill.solid" } ]"##

    @Test func onOneBaselineWithAGap() throws {
        let layer = try Run(##"{ "effect": "layout.row", "gap": 7, "layers": [ \##(large), \##(small), \##(block(12, 12)) ] }"##)
            .layer
        let reaches = layer.marks.map(\.reach)
        #expect(layer.text?.baseline == .zero)
        // The block stands on the baseline.
        #expect(reaches[2].maxY == 0)
        #expect(layer.frame.maxX == reaches[2].maxX)
        guard case .body(let second) = layer.marks[1] else { return }
        #expect(second.transform.isWholeTranslation && second.transform.ty == 0)
    }

    @Test(arguments: [("top", 0.0), ("center", 4), ("bottom", 8)]) func byFrames(align: String, y: Double) throws {
        let layer = try Run(
            ##"{ "effect": "layout.row", "gap": 0, "align": "\##(align)", "layers": [ \##(block(12, 20)), \##(block(12, 12)) ] }"##
        ).layer
        #expect(layer.marks[1].reach == Rect(x: 12, y: y, width: 12, height: 12))
        #expect(layer.frame == Rect(x: 0, y: 0, width: 24, height: 20))
    }

    @Test func theGapsDefaultIsInEmOrPixels() throws {
        #expect(
            try Run(##"{ "effect": "layout.row", "layers": [ \##(block(10, 10)), \##(block(10, 10)) ] }"##).layer.frame.width
                == 24)
        let text = try Run(##"{ "effect": "layout.row", "layers": [ \##(block(10, 10)), \##(large), \##(block(10, 10)) ] }"##)
            .layer
        #expect(text.marks[1].reach.minX >= 19)
    }
}
