import LabelpipeKit
import Outline
import Testing
import Vips

@Suite struct ImageCanvasTests {
    @Test func anOpaqueColourGivesRGBAndAnyOtherRGBA() throws {
        let opaque = try Run(##"{ "effect": "image.canvas", "size": [3, 2], "color": "#3B7DD8" }"##).bitmap
        #expect((opaque.width, opaque.height, opaque.bands) == (3, 2, 3))
        #expect(opaque[2, 1] == [0x3B, 0x7D, 0xD8])
        let clear = try Run(##"{ "effect": "image.canvas", "size": [3, 2] }"##).bitmap
        #expect(clear.bands == 4)
        #expect(clear[0, 0] == [0, 0, 0, 0])
    }

    @Test func sizesAreRoundedAndAHugeOneCostsNothing() throws {
        let layer = try Run(##"{ "effect": "image.canvas", "size": [2.5, 1000000], "color": "red" }"##).layer
        #expect(layer.picture?.width == 3)
        #expect(layer.picture?.height == 1_000_000)
    }

    @Test func bothSidesAreNeeded() {
        let findings = refusal(##"{ "effect": "image.canvas", "size": [10, null] }"##)
        #expect(findings.map(\.pointer?.description) == ["/output/size"])
        #expect(findings.first?.expected == "a width and a height")
        #expect(refusal(##"{ "effect": "image.canvas", "size": [0, 5] }"##).count == 1)
    }
}

@Suite struct ImageSourceTests {
    @Test func itIsTheRunsPictureUnchanged() throws {
        let picture = try plain(5, 4)
        let layer = try Run(##"{ "effect": "image.source" }"##, source: picture).layer
        #expect(layer.picture?.image === picture.image)
        #expect(layer.frame == Rect(x: 0, y: 0, width: 5, height: 4))
    }

    @Test func onePageOrAll() throws {
        let picture = try plain(5, 4)
        #expect(try Run(##"{ "effect": "image.source", "page": 2 }"##, source: picture).pages == [2])
        #expect(try Run(##"{ "effect": "image.source", "page": "all" }"##, source: picture).pages == [nil])
        #expect(refusal(##"{ "effect": "image.source", "page": 0 }"##).count == 1)
    }
}

@Suite struct ImageLoadTests {
    private let signet = ##"{ "effect": "image.load", "path": "assets/signet.svg" "##

    @Test func anSVGIsDrawnAtTheSizeThatIsAskedFor() throws {
        let own = try Run(signet + "}").layer
        #expect(own.picture?.width == 64)
        let wide = try Run(signet + ##", "width": 96 }"##).layer
        // Drawn at this size, not resampled: still a picture.
        #expect(wide.picture?.width == 96 && wide.picture?.height == 96)
        let bitmap = try Bitmap(wide)
        #expect(bitmap.isNear(20, 60, [0x3B, 0x7D, 0xD8, 255]))
        #expect(bitmap[0, 0][3] == 0)
    }

    @Test func twoSidesStretch() throws {
        let layer = try Run(signet + ##", "width": 96, "height": 32 }"##).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 96, height: 32))
    }

    @Test func anSVGIsCapped() {
        #expect(throws: (any Error).self) { try Run(signet + ##", "width": 10001 }"##) }
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        #expect(throws: (any Error).self) { try Run(##"{ "effect": "image.load", "path": "nowhere.png" }"##) }
    }

    /// Of a picture with several pages a label is its first one, whatever is done to it.
    @Test(arguments: [
        ##"{ "effect": "layout.scale", "by": 2 }"##, ##"{ "effect": "layout.rotate", "angle": 90 }"##,
        ##"{ "effect": "stroke.outline", "width": 3, "color": "#00FF00" }"##,
        ##"{ "effect": "shadow.drop", "color": "#00FF00", "offset": [3, 3], "blur": 0 }"##,
    ])
    func aLogoIsItsFirstPage(step: String) throws {
        let pages = try [[255.0, 0, 0, 255], [0, 0, 255, 255]].map {
            try Image.filled($0, width: 12, height: 8, format: .uchar, interpretation: .srgb)
        }
        let logo = Picture(try Image.arrayjoin(pages).setting("page-height", to: .integer(8)).materialised())
        let layer = try Run(##"[ { "effect": "image.source" }, \##(step) ]"##, source: logo).layer
        let bitmap = try Bitmap(layer)
        #expect(bitmap.height <= 24 && bitmap.width <= 24)
        for y in 0..<bitmap.height { for x in 0..<bitmap.width { #expect(bitmap[x, y][2] == 0, "\(x), \(y)") } }
        #expect(bitmap.hex(bitmap.width / 2, bitmap.height / 2) == "#FF0000")
    }
}

@Suite struct ImageResizeTests {
    private func resized(_ keys: String, _ picture: Picture) throws -> Picture {
        let run = try Run(##"[ { "effect": "image.source" }, { "effect": "image.resize", \##(keys) } ]"##, source: picture)
        return try #require(run.layer.picture)
    }

    @Test func insideKeepsTheAspectAndNeverEnlarges() throws {
        let picture = try plain(400, 300)
        let small = try resized(##""width": 100, "height": 100"##, picture)
        #expect((small.width, small.height) == (100, 75))
        let same = try resized(##""width": 1000, "height": 1000"##, picture)
        #expect((same.width, same.height) == (400, 300))
        let large = try resized(##""width": 800, "enlarge": true"##, picture)
        #expect((large.width, large.height) == (800, 600))
    }

    @Test func fillStretchesAndCoverCuts() throws {
        let picture = try plain(400, 300)
        let filled = try resized(##""width": 100, "height": 100, "fit": "fill""##, picture)
        #expect((filled.width, filled.height) == (100, 100))
        let covered = try resized(##""width": 100, "height": 100, "fit": "cover""##, picture)
        #expect((covered.width, covered.height) == (100, 100))
        #expect(try Bitmap(covered.image)[50, 50] == [255, 255, 255])
    }

    @Test func depthBandsAndValuesStay() throws {
        let picture = try plain(40, 40, [1000, 2000, 65535], format: .ushort)
        let small = try resized(##""width": 10"##, picture)
        #expect(small.image.format == .ushort && small.image.bands == 3)
        #expect(try small.image.writeToMemory().prefix(6) == [232, 3, 208, 7, 255, 255])
    }

    @Test func translucentEdgesTakeNoColourFromWhereNothingIs() throws {
        let left = try Image.filled([255, 255, 255, 255], width: 20, height: 40, format: .uchar, interpretation: .srgb)
        let picture = Picture(try left.embed(left: 0, top: 0, width: 40, height: 40))
        let small = try Bitmap(resized(##""width": 7"##, picture).image)
        for x in 0..<7 where small[x, 3][3] > 8 { #expect(small.isNear(x, 3, [255, 255, 255], 2)) }
    }

    @Test func everyPageIsResizedByItself() throws {
        let pages = try [[255.0, 0, 0], [0, 0, 255]].map {
            try Image.filled($0, width: 40, height: 20, format: .uchar, interpretation: .srgb)
        }
        let strip = try Image.arrayjoin(pages).setting("page-height", to: .integer(20)).materialised()
        let small = try resized(##""width": 20"##, Picture(strip))
        #expect((small.width, small.height, small.pageCount) == (20, 10, 2))
        let bitmap = try Bitmap(small.image)
        #expect(bitmap[10, 9] == [255, 0, 0])
        #expect(bitmap[10, 10] == [0, 0, 255])
    }

    @Test func aSizeIsNeeded() {
        #expect(refusal(##"[ { "effect": "image.source" }, { "effect": "image.resize" } ]"##).first?.got == "neither")
        #expect(
            refusal(##"[ { "effect": "image.source" }, { "effect": "image.resize", "width": 5, "fit": "cover" } ]"##).first?
                .pointer?.description == "/output/1/fit")
    }
}
