import LabelpipeKit
import Outline
import Testing

private let square = ##"{ "effect": "shape.rectangle", "size": [100, 100] }"##

@Suite struct SolidFillTests {
    @Test func itPaintsWhatIsNotPaintedYet() throws {
        let bitmap = try Run(##"[ \##(square), { "effect": "fill.solid", "color": "rgb(10 20 30 / 50%)" } ]"##).bitmap
        #expect(bitmap[50, 50] == [10, 20, 30, 128])
    }

    @Test func whatIsPaintedCannotBeFilledAgain() {
        let findings = refusal(##"[ \##(square), { "effect": "fill.solid" }, { "effect": "fill.solid" } ]"##)
        #expect(findings.map(\.code) == ["needs-coverage"])
    }
}

@Suite struct GradientFillTests {
    private func gradient(_ keys: String, shape: String = square) throws -> Bitmap {
        try Run(##"[ \##(shape), { "effect": "fill.gradient", \##(keys) } ]"##).bitmap
    }

    @Test func theAxisIsTheLineBetweenThePointsInPixels() throws {
        let bitmap = try gradient(##""colors": ["#000000", "#FFFFFF"], "start": [0, 0.5], "end": [1, 0.5]"##)
        #expect(bitmap[0, 3][0] <= 2 && bitmap[99, 3][0] >= 253)
        #expect(abs(bitmap[50, 3][0] - 128) <= 2)
        for x in 1..<100 { #expect(bitmap[x, 0][0] >= bitmap[x - 1, 0][0]) }
    }

    @Test func endColoursGoOnAndTheDefaultAxisIsTHLabels() throws {
        let bitmap = try gradient(##""colors": ["#FF0000", "#0000FF"]"##)
        #expect(bitmap[9, 0] == [255, 0, 0, 255] && bitmap[9, 19] == [255, 0, 0, 255])
        #expect(bitmap[9, 81] == [0, 0, 255, 255] && bitmap[9, 99] == [0, 0, 255, 255])
    }

    @Test func equalPointsPaintTheEndColourAndOneColourIsSolid() throws {
        #expect(try gradient(##""colors": ["red", "blue"], "start": [0.5, 0.5], "end": [0.5, 0.5]"##)[0, 0] == [0, 0, 255, 255])
        #expect(try gradient(##""colors": ["#3B7DD8"]"##)[0, 0] == [0x3B, 0x7D, 0xD8, 255])
    }

    @Test func overLiesUnderEachStop() throws {
        let bitmap = try gradient(##""colors": ["#FFFFFF80", "#FFFFFF80"], "over": "#000000""##)
        #expect(bitmap.isNear(4, 4, [128, 128, 128, 255]))
    }

    @Test func stopsRadialAndConic() throws {
        let stops = try gradient(
            ##""colors": ["black", "white", "black"], "stops": [0, 0.1, 1], "start": [0, 0], "end": [1, 0]"##)
        #expect(stops[10, 0][0] > 240)
        let radial = try gradient(##""colors": ["white", "black"], "type": "radial""##)
        #expect(radial[50, 50][0] > 245 && radial[99, 50][0] < 6)
        let conic = try gradient(##""colors": ["black", "white"], "type": "conic""##)
        // Clockwise from the top.
        #expect(conic[51, 2][0] < 10 && conic[48, 2][0] > 245 && abs(conic[97, 50][0] - 64) < 3)
    }

    @Test func centreRadiusAngleAndSpace() throws {
        let radial = try gradient(##""colors": ["white", "black"], "type": "radial", "center": [0, 0], "radius": 0.5"##)
        #expect(radial[0, 0][0] > 240 && radial[26, 0][0] == 0)
        let conic = try gradient(##""colors": ["black", "white"], "type": "conic", "angle": 90"##)
        #expect(conic[97, 51][0] < 10 && conic[97, 48][0] > 245)
        let keys = ##""colors": ["black", "white"], "start": [0, 0], "end": [1, 0]"##
        #expect(abs(try gradient(keys + ##", "space": "linear""##)[50, 0][0] - 188) <= 2)
        #expect(abs(try gradient(keys + ##", "space": "oklab""##)[50, 0][0] - 99) <= 3)
    }

    @Test func boxesOfInkLinesAndGlyphs() throws {
        func painted(_ box: String) throws -> Layer {
            try Run(
                ##"""
                [ { "effect": "text.mask", "text": "HH\nHH", "font": "DejaVu Sans", "size": 50 },
                  { "effect": "fill.gradient", "colors": ["#FF0000", "#0000FF"], "start": [0, 0], "end": [0, 1], "box": "\##(box)" } ]
                """##
            ).layer
        }
        // Inside the first H's stem (its x is 4.9 to 9.8), at the top of each line and at the foot of the last.
        func reds(_ layer: Layer) throws -> [Int] {
            let rows = [-35, 58 - 35, 57]
            return try rows.map { Int(try layer.image(in: Region(x: 7, y: $0, width: 1, height: 1)).writeToMemory()[0]) }
        }
        let ink = try reds(painted("ink"))
        #expect(ink[0] >= 250 && ink[2] <= 5 && abs(ink[1] - 97) < 12, "\(ink)")
        let line = try reds(painted("line"))
        #expect(abs(line[0] - line[1]) <= 6 && line[0] > 190 && line[2] < 70, "\(line)")
        let glyph = try reds(painted("glyph"))
        #expect(abs(glyph[0] - glyph[1]) <= 6, "\(glyph)")
    }

    /// Insets and boxes never move a gradient.
    @Test func theBoxIsTheFrameAsTheMaskMadeIt() throws {
        let keys = ##""colors": ["#FF0000", "#0000FF"], "start": [0.5, 0], "end": [0.5, 1]"##
        let plain = try Run(##"[ \##(square), { "effect": "fill.gradient", \##(keys) } ]"##).bitmap
        let inset = try Run(
            ##"[ \##(square), { "effect": "layout.inset", "insets": 40 }, { "effect": "fill.gradient", \##(keys) } ]"##
        ).bitmap
        let frame = try Run(
            ##"[ \##(square), { "effect": "layout.inset", "insets": 40 }, { "effect": "fill.gradient", "box": "frame", \##(keys) } ]"##
        ).bitmap
        for y in [0, 37, 99] {
            #expect(inset[90, 40 + y] == plain[50, y])
            #expect(frame[90, 40 + y] != plain[50, y] || y == 37)
        }
    }

    @Test func itTurnsAndScalesWithItsLayer() throws {
        let bitmap = try Run(
            ##"""
            [ \##(square), { "effect": "fill.gradient", "colors": ["#000000", "#FFFFFF"], "start": [0, 0], "end": [1, 0] },
              { "effect": "layout.rotate", "angle": 90 } ]
            """##
        ).bitmap
        #expect(bitmap[50, 0][0] <= 2 && bitmap[50, 99][0] >= 253)
    }

    @Test func relationsAreChecked() {
        for (keys, key) in [
            (##""colors": []"##, "colors"), (##""colors": ["red", "blue"], "stops": [0]"##, "stops"),
            (##""colors": ["red", "blue"], "stops": [1, 0]"##, "stops"),
        ] {
            let findings = refusal(##"[ \##(square), { "effect": "fill.gradient", \##(keys) } ]"##)
            #expect(findings.map(\.pointer?.description) == ["/output/1/\(key)"])
        }
    }
}

@Suite struct ImageFillTests {
    private let checks = ##"""
        { "effect": "layout.stack", "layers": [
          [ { "effect": "shape.rectangle", "size": [8, 8] }, { "effect": "fill.solid", "color": "white" } ],
          [ { "effect": "shape.rectangle", "size": [4, 4] }, { "effect": "fill.solid", "color": "black" } ] ] }
        """##

    private func filled(_ keys: String) throws -> Bitmap {
        try Run(##"[ \##(square), { "effect": "fill.image", "picture": \##(checks) \##(keys) } ]"##).bitmap
    }

    @Test func tilesRepeatFromTheTopLeft() throws {
        let bitmap = try filled("")
        #expect(bitmap[0, 0][0] == 0 && bitmap[4, 0][0] == 255 && bitmap[8, 8][0] == 0 && bitmap[99, 99][0] == 0)
        let moved = try filled(##", "offset": [4, 0]"##)
        #expect(moved[0, 0][0] == 255 && moved[4, 0][0] == 0)
    }

    @Test func stretchAndCover() throws {
        let stretched = try filled(##", "fit": "stretch""##)
        #expect(stretched[40, 40][0] == 0 && stretched[60, 40][0] == 255 && stretched[99, 99][0] == 255)
        let covered = try Run(
            ##"[ { "effect": "shape.rectangle", "size": [100, 50] }, { "effect": "fill.image", "picture": \##(checks), "fit": "cover" } ]"##
        ).bitmap
        #expect(covered[40, 20][0] == 0 && covered[40, 30][0] == 255 && covered[0, 0][0] == 0)
    }
}
