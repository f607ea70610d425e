import Diagnostics
import LabelpipeKit
import Outline
import Testing
import Vips

private func block(_ width: Double, _ height: Double, _ color: String = "red") -> String {
    ##"[ { "effect": "shape.rectangle", "size": [\##(width), \##(height)] }, { "effect": "fill.solid", "color": "\##(color)" } ]"##
}

/// The box of pixels that are not white.
private func marked(_ bitmap: Bitmap) -> [Int]? {
    var box: [Int]?
    for y in 0..<bitmap.height {
        for x in 0..<bitmap.width where bitmap[x, y].contains(where: { $0 != 255 }) {
            let old = box ?? [x, y, x + 1, y + 1]
            box = [min(old[0], x), min(old[1], y), max(old[2], x + 1), max(old[3], y + 1)]
        }
    }
    return box
}

@Suite struct PlaceTests {
    private func placed(_ keys: String, label: String = block(10, 6), on size: (Int, Int) = (100, 60)) throws -> (
        box: [Int]?, run: Run
    ) {
        let run = try Run(
            ##"[ { "effect": "image.source" }, { "effect": "layout.place", "label": \##(label) \##(keys) } ]"##,
            source: plain(size.0, size.1))
        let bitmap = try run.bitmap
        #expect((bitmap.width, bitmap.height, bitmap.bands) == (size.0, size.1, 3))
        return (marked(bitmap), run)
    }

    @Test(arguments: [
        ("top-left", 5, 5), ("top", 45, 5), ("top-right", 85, 5), ("left", 5, 27), ("center", 45, 27), ("right", 85, 27),
        ("bottom-left", 5, 49), ("bottom", 45, 49), ("bottom-right", 85, 49),
    ])
    func anchors(anchor: String, x: Int, y: Int) throws {
        #expect(try placed(##", "anchor": "\##(anchor)", "insets": 5"##).box == [x, y, x + 10, y + 6])
        #expect(try placed(##", "anchor": "\##(anchor)", "insets": 5, "offset": [-2, 1]"##).box == [x - 2, y + 1, x + 8, y + 7])
    }

    @Test func atIsThePointOfTheLabelsAnchor() throws {
        #expect(try placed(##", "at": [20, 30]"##).box == [20, 30, 30, 36])
        #expect(try placed(##", "at": [20, 30], "anchor": "bottom-right""##).box == [10, 24, 20, 30])
        // Nothing is moved in.
        #expect(try placed(##", "at": [95, 58]"##).box == [95, 58, 100, 60])
        #expect(try placed(##", "at": [200, 58]"##).box == nil)
    }

    @Test func theShiftIsRoundedHalvesAwayFromZero() throws {
        #expect(try placed(##", "at": [20.5, 30.49]"##).box == [21, 30, 31, 36])
        #expect(try placed(##", "at": [-0.5, 0]"##).box == [0, 0, 9, 6])
        // 100 − 3 % of 60 is 98.2, 60 − 1.8 is 58.2.
        #expect(try placed(##", "insets": "3vmin""##).box == [88, 52, 98, 58])
        let soft = try placed(##", "at": [20.5, 30], "snap": false"##)
        #expect(soft.box == [20, 30, 31, 36])
    }

    @Test func baselinesOfTheLabel() throws {
        let text =
            ##"[ { "effect": "text.mask", "text": "HH", "font": "DejaVu Sans", "size": 20 }, { "effect": "fill.solid" } ]"##
        let box = try #require(try placed(##", "at": [10, 40], "anchor": "baseline-left""##, label: text).box)
        #expect(box[3] == 40 && box[0] >= 10)
        let right = try #require(try placed(##", "at": [90, 40], "anchor": "baseline-right""##, label: text).box)
        #expect(right[3] == 40 && right[2] <= 90)
        #expect(throws: (any Error).self) { try placed(##", "at": [10, 40], "anchor": "baseline-left""##) }
    }

    @Test func whatWouldLeaveThePictureMovesIn() throws {
        // The frame would fit; the stroke reaches 4 px further.
        let stroked =
            ##"[ { "effect": "shape.rectangle", "size": [10, 6] }, { "effect": "fill.solid" }, { "effect": "stroke.outline", "width": 4, "join": "bevel" } ]"##
        #expect(try placed("", label: stroked).box == [82, 46, 100, 60])
        #expect(try placed(##", "keepInside": false"##, label: stroked).box == [86, 50, 100, 60])
        #expect(try placed(##", "offset": [30, 0]"##).box == [90, 54, 100, 60])
    }

    @Test func tooLargeIsShrunkInsideTheInsets() throws {
        // 300 px on 120 × 141, case B43.
        let (box, run) = try placed(##", "insets": 10"##, label: block(300, 60), on: (120, 141))
        #expect(box == [10, 111, 110, 131])
        #expect(run.notes.map(\.code) == ["shrunk"])
        #expect(try placed(##""##, label: block(30, 6), on: (120, 141)).run.notes.isEmpty)
        #expect(try placed(##", "tooLarge": "clip", "anchor": "left""##, label: block(300, 60)).box == [0, 0, 100, 60])
        let skipped = try placed(##", "tooLarge": "skip""##, label: block(300, 60))
        #expect(skipped.box == nil && skipped.run.notes.map(\.code) == ["too-large"])
        #expect(skipped.run.notes.map(\.weight) == [.note], "the document asks for it")
        #expect(throws: (any Error).self) { try placed(##", "tooLarge": "error""##, label: block(300, 60)) }
    }

    @Test(arguments: [(1, 1), (1, 500), (500, 1), (3, 3)]) func tinyPictures(width: Int, height: Int) throws {
        let text =
            ##"[ { "effect": "text.mask", "text": "© Ann", "size": 30 }, { "effect": "fill.solid" }, { "effect": "shadow.drop" } ]"##
        _ = try placed(##", "insets": "3vmin""##, label: text, on: (width, height))
        let noted = try placed(##", "insets": 40"##, label: text, on: (width, height)).run.notes
        #expect(noted.map(\.code) == ["too-large"] && noted.map(\.weight) == [.warning])
    }

    /// A slip in a number, and nobody would miss the label in a folder of thousands.
    @Test func whollyOutsideIsAWarning() throws {
        for keys in [##", "at": [500, -200]"##, ##", "keepInside": false, "offset": [400, 0]"##, ##", "at": [100, 0]"##] {
            let notes = try placed(keys).run.notes
            #expect(notes.map(\.code) == ["outside"] && notes.map(\.weight) == [.warning], "\(keys)")
        }
        #expect(try placed(##", "at": [99, 0]"##).run.notes.isEmpty)
    }

    @Test func belowMinimumBaseNothingIsDrawn() throws {
        let (box, run) = try placed(##", "minimumBase": [200, null]"##)
        #expect(box == nil && run.notes.map(\.code) == ["small-picture"])
        #expect(try placed(##", "minimumBase": [100, 60]"##).box != nil)
    }

    @Test func opacityOnceAndBlend() throws {
        let run = try placed(##", "opacity": 0.5, "at": [0, 0]"##, label: block(10, 6, "black")).run
        #expect(try run.bitmap.isNear(3, 3, [127, 127, 127]))
        let grey = try Run(
            ##"[ { "effect": "image.canvas", "size": [20, 20], "color": "#808080" }, { "effect": "layout.place", "at": [0, 0], "blend": "multiply", "label": \##(block(10, 6, "#804020")) } ]"##
        ).bitmap
        #expect(grey.isNear(3, 3, [64, 32, 16]) && grey[15, 15] == [128, 128, 128])
        let light = try placed(##", "opacity": 0.5, "at": [0, 0], "space": "linear""##, label: block(10, 6, "black")).run
        #expect(try light.bitmap.isNear(3, 3, [188, 188, 188]))
    }

    @Test func lengthsOfTheLabelAreMeasuredByTheBase() throws {
        let label = ##"[ { "effect": "shape.rectangle", "size": ["10vw", "10vh"] }, { "effect": "fill.solid" } ]"##
        #expect(try placed(##", "at": [0, 0]"##, label: label).box == [0, 0, 10, 6])
    }

    @Test func onMarksItIsAGroupOnTop() throws {
        let layer = try Run(
            ##"[ \##(block(40, 40, "blue")), { "effect": "layout.place", "insets": 5, "opacity": 0.5, "label": \##(block(10, 10)) } ]"##
        ).layer
        #expect(layer.picture == nil && layer.frame.width == 40)
        let bitmap = try Bitmap(layer)
        #expect(bitmap.isNear(30, 30, [128, 0, 128, 255]) && bitmap.hex(24, 24) == "#0000FF")
    }

    @Test func textStaysKnown() throws {
        let run = try Run(
            ##"""
            [ { "effect": "image.canvas", "size": [100, 50] },
              { "effect": "layout.place", "label": [ { "effect": "text.mask", "text": "A", "size": 20 }, { "effect": "fill.solid" } ] },
              { "effect": "layout.inset", "insets": "1em" } ]
            """##)
        #expect(run.layer.frame == Rect(x: -20, y: -20, width: 140, height: 90))
    }

    @Test func relationsAreChecked() {
        func place(_ keys: String) -> [String?] {
            refusal(
                ##"[ { "effect": "image.canvas", "size": [9, 9] }, { "effect": "layout.place", "label": \##(block(3, 3)) \##(keys) } ]"##
            ).map {
                $0.pointer?.description
            }
        }
        #expect(place(##", "at": [1, 1], "insets": 0"##) == ["/output/1/insets"])
        #expect(place(##", "anchor": "baseline-left""##) == ["/output/1/anchor"])
        #expect(place(##", "opacity": 1.1"##) == ["/output/1/opacity"])
        #expect(place(##", "at": [1, 1], "offset": [1, 1]"##) == [])
    }

    @Test func everyOrientationIsMarkedInTheUprightView() throws {
        for orientation in 1...8 {
            let stored = orientation >= 5 ? try plain(60, 100) : try plain(100, 60)
            let picture = Picture(stored.image, orientation: orientation)
            let layer = try Run(
                ##"[ { "effect": "image.source" }, { "effect": "layout.place", "label": \##(block(10, 6)), "insets": 2 } ]"##,
                source: picture
            ).layer
            let result = try #require(layer.picture)
            #expect(result.orientation == orientation)
            let upright = try result.image.setting("orientation", to: .integer(orientation)).upright()
            #expect(try marked(Bitmap(upright)) == [88, 52, 98, 58], "\(orientation)")
        }
    }

    /// A tracking pixel in a folder of photos is no failure: what is too small to be drawn is not, and that is said.
    @Test func aPictureOfOnePixelStaysAsItIs() throws {
        let label = ##"""
            [ { "effect": "text.mask", "text": "© Ann" }, { "effect": "fill.solid", "color": "white" },
              { "effect": "stroke.outline", "width": "0.05em" }, { "effect": "shadow.drop" } ]
            """##
        let run = try Run(
            ##"[ { "effect": "image.source" }, { "effect": "layout.place", "insets": "3vmin", "label": \##(label) } ]"##,
            source: plain(1, 1, [9, 8, 7]))
        #expect(run.notes.map(\.code) == ["text-too-small"] && run.notes.map(\.weight) == [.warning])
        #expect(try run.bitmap[0, 0] == [9, 8, 7])
        // A size that is written so small is a mistake, and so is one that is too large for what it is drawn on.
        let text = ##"{ "effect": "text.mask", "text": "x", "size": "##
        #expect(
            refusal(##"[ \##(text)"0.3px" }, { "effect": "fill.solid" } ]"##).map(\.pointer?.description) == ["/output/0/size"])
        #expect(throws: (any Error).self) {
            try Run(
                ##"[ { "effect": "image.source" }, { "effect": "layout.place", "label": [ \##(text)"2000vw" }, { "effect": "fill.solid" } ] } ]"##,
                source: plain(1000, 10))
        }
    }
}

@Suite struct TileTests {
    private func tiled(_ keys: String, label: String, on size: (Int, Int) = (97, 61)) throws -> Bitmap {
        try Run(
            ##"[ { "effect": "image.source" }, { "effect": "layout.tile", "label": \##(label) \##(keys) } ]"##,
            source: plain(size.0, size.1)
        ).bitmap
    }

    /// Case B44.
    @Test func thePeriodIsWholeAndPartialTilesStandAtTheEdges() throws {
        let bitmap = try tiled(##", "gap": 8"##, label: block(12, 12))
        for y in 0..<61 {
            for x in 0..<97 {
                #expect(bitmap[x, y] == (x % 20 < 12 && y % 20 < 12 ? [255, 0, 0] : [255, 255, 255]))
            }
        }
    }

    @Test(arguments: ["", " ", "\\n"]) func anEmptyTextDrawsNothing(text: String) throws {
        let label =
            ##"[ { "effect": "text.mask", "text": "\##(text)", "size": 12 }, { "effect": "fill.solid" }, { "effect": "layout.scale", "width": 30 } ]"##
        let bitmap = try tiled("", label: label)
        for y in 0..<61 { for x in 0..<97 { #expect(bitmap[x, y] == [255, 255, 255]) } }
    }

    @Test func aSolidTileWithoutGapIsOneColour() throws {
        let bitmap = try tiled("", label: block(12, 12, "#FF000080"))
        for y in 0..<61 { for x in 0..<97 { #expect(bitmap[x, y] == bitmap[0, 0]) } }
    }

    @Test func turnedTilesCoverEveryCorner() throws {
        let bitmap = try tiled(##", "gap": 8, "angle": -30"##, label: block(12, 12))
        for (left, top) in [(0, 0), (67, 0), (0, 31), (67, 31)] {
            let hasInk = (0..<30).contains { y in (0..<30).contains { x in bitmap[left + x, top + y][1] == 0 } }
            #expect(hasInk)
        }
        // The first turns about its frame's centre.
        #expect(bitmap[6, 6] == [255, 0, 0])
        #expect(try tiled(##", "angle": 90"##, label: block(200, 200))[96, 60] == [255, 0, 0])
    }

    @Test func gapsOnBothAxesStaggerAndJitter() throws {
        let bitmap = try tiled(##", "gap": [8, 0], "stagger": 0.5"##, label: block(12, 12))
        #expect(bitmap[0, 0] == [255, 0, 0] && bitmap[15, 0][1] == 255)
        // The second row is shifted by half of 20.
        #expect(bitmap[10, 12] == [255, 0, 0] && bitmap[5, 12][1] == 255)
        let jittered = try tiled(##", "gap": 8, "jitter": 3, "seed": 7"##, label: block(12, 12))
        let again = try tiled(##", "gap": 8, "jitter": 3, "seed": 7"##, label: block(12, 12))
        let other = try tiled(##", "gap": 8, "jitter": 3, "seed": 8"##, label: block(12, 12))
        func all(_ bitmap: Bitmap) -> [[Int]] { (0..<61).flatMap { y in (0..<97).map { bitmap[$0, y] } } }
        #expect(all(jittered) == all(again) && all(jittered) != all(other))
    }

    @Test func opacityBlendAndSpace() throws {
        let keys = ##", "opacity": 0.5"##
        #expect(try tiled(keys, label: block(12, 12, "black")).isNear(3, 3, [127, 127, 127]))
        #expect(try tiled(keys + ##", "space": "linear""##, label: block(12, 12, "black")).isNear(3, 3, [188, 188, 188]))
        #expect(try tiled(##", "blend": "multiply""##, label: block(12, 12, "#804020")).isNear(3, 3, [128, 64, 32]))
    }

    @Test func marksBecomeAPictureForIt() throws {
        let layer = try Run(
            ##"[ \##(block(50, 40, "white")), { "effect": "layout.tile", "gap": 8, "label": \##(block(12, 12)) } ]"##
        ).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 50, height: 40))
        let bitmap = try Bitmap(layer)
        #expect(bitmap.hex(20, 20) == "#FF0000" && bitmap.hex(15, 20) == "#FFFFFF")
    }

    @Test func tilesWithoutRoomAreRefused() throws {
        #expect(throws: (any Error).self) { try tiled(##", "gap": -12"##, label: block(12, 12)) }
    }
}
