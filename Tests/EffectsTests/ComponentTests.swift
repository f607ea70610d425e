import LabelpipeKit
import Outline
import Testing

/// The three label systems in numbers, from their documents.
@Suite struct THLabelTests {
    private func label(_ settings: [String: String]) throws -> Layer {
        try Run(file: "components/thlabel.json", ["text": "Label"].merging(settings) { $1 }).layer
    }

    private static let plain = ["text": "Label", "size": "40"]

    /// The frame without any insets.
    private func own() throws -> Rect { try label(Self.plain).frame }

    @Test(arguments: [
        // Position, insets: left, right, top, bottom.
        ("outside", [6.0, 10, 6, 10]), ("center", [4.5, 8.5, 4.5, 8.5]), ("inside", [3, 7, 3, 7]),
    ])
    func insetsByStrokeAndShadow(position: String, insets: [Double]) throws {
        let layer = try label(
            Self.plain.merging([
                "strokeColor": "white", "strokeSize": "3", "strokePosition": position, "shadowColor": "black", "shadowBlur": "5",
                "shadowOffset": "[2, 2]",
            ]) { $1 })
        let plain = try own()
        #expect(near(layer.frame.width - plain.width, insets[0] + insets[1]))
        #expect(near(layer.frame.height - plain.height, insets[2] + insets[3]))
        let baseline = try #require(label(Self.plain).text?.baseline)
        let moved = try #require(layer.text?.baseline)
        #expect(moved == Point(x: insets[0].rounded(), y: (baselineTop + insets[2]).rounded()), "\(moved) \(baseline)")
    }

    /// The first baseline of 40 px Liberation Sans below its line box's top.
    private let baselineTop = 0.905273 * 40

    /// Sizes of what is not there take no room from the lines either.
    @Test func linesAreAsWideAsWhatIsThereLets() throws {
        let text = ["text": "one two three four five six", "size": "20", "width": "150"]
        let plain = try label(text)
        let sizes = ["strokeSize": "15", "shadowBlur": "20", "shadowOffset": "[9, 9]"]
        let idle = try label(text.merging(sizes) { $1 })
        #expect(idle.frame == plain.frame && idle.reach == plain.reach)
        let stroked = try label(text.merging(sizes.merging(["strokeColor": "white"]) { $1 }) { $1 })
        #expect(stroked.frame.height > plain.frame.height + 30)
    }

    @Test func eIsNothingWithoutAStrokeColourAndBNothingWithoutAShadow() throws {
        let plain = try own()
        #expect(try label(Self.plain.merging(["strokeSize": "3"]) { $1 }).frame == plain)
        #expect(try label(Self.plain.merging(["shadowBlur": "9", "shadowOffset": "[4, 4]"]) { $1 }).frame == plain)
        #expect(try label(Self.plain.merging(["shadowBlur": "9", "shadowColor": "transparent"]) { $1 }).frame == plain)
        // UILabel's own offset is upwards.
        let up = try label(Self.plain.merging(["shadowColor": "black"]) { $1 })
        #expect(near(up.frame.height, plain.height + 1))
        guard case .shadow(let shadow) = up.marks[0] else {
            Issue.record("no shadow")
            return
        }
        #expect(shadow.offset == Vector(dx: 0, dy: -1) && shadow.sigma == 0)
    }

    @Test func theOrderIsFillInnerShadowStrokeShadow() throws {
        let layer = try label([
            "innerShadowColor": "black", "innerShadowBlur": "2", "strokeColor": "red", "strokeSize": "2", "shadowColor": "black",
        ])
        guard layer.marks.count == 2, case .shadow(let shadow) = layer.marks[0], case .body(let body) = layer.marks[1],
            case .body(let caster) = shadow.casters[0]
        else {
            Issue.record("\(layer.marks.count) marks")
            return
        }
        #expect(caster.finishes.count == 2 && body.finishes.count == 2)
        guard case .innerShadow(let inner) = body.finishes[0], case .stroke(let stroke) = body.finishes[1] else {
            Issue.record("finishes in another order")
            return
        }
        #expect(inner.blend == .darken && inner.sigma == 1)
        #expect(stroke.width == 2 && stroke.position == .outside)
    }

    @Test func gradientsPaintThemselvesAndNoneMeansTextColor() throws {
        func paint(_ settings: [String: String]) throws -> Paint? {
            guard case .body(let body) = try label(settings).marks[0], case .fill(_, let paint) = body.contents[0] else {
                return nil
            }
            return paint
        }
        guard case .color(let text)? = try paint(["textColor": "#3B7DD8"]),
            case .color(let one)? = try paint(["gradientColors": ##"["#FF0000"]"##]),
            case .color(let none)? = try paint(["gradientColors": "[]", "textColor": "#3B7DD8"]),
            case .gradient(let two)? = try paint(["gradientColors": ##"["red", "blue"]"##, "size": "100"])
        else {
            Issue.record("other paints")
            return
        }
        #expect(text.hex == "#3b7dd8" && none == text && one.hex == "#ff0000" && two.stops.count == 2)
        // (0.5, 0.2) to (0.5, 0.8) of the text's own frame, which insets do not change.
        guard case .linear(let start, let end) = two.shape else { return }
        let height = try label(["size": "100"]).frame.height
        #expect(near(end.y - start.y, height * 0.6, 1e-3))
    }

    @Test(arguments: [
        ("topLeft", 0.0), ("top", 0), ("topRight", 0), ("scaleToFill", 0.5), ("scaleAspectFit", 0.5), ("scaleAspectFill", 0.5),
        ("redraw", 0.5), ("center", 0.5), ("left", 0.5), ("right", 0.5), ("bottomLeft", 1), ("bottom", 1), ("bottomRight", 1),
    ])
    func contentModeDecidesOnlyTheHeight(mode: String, fraction: Double) throws {
        let layer = try label(["size": "40", "width": "300", "height": "200", "contentMode": mode, "textAlignment": "right"])
        #expect(layer.frame == Rect(x: 0, y: 0, width: 300, height: 200))
        let own = try own()
        let baseline = try #require(layer.text?.baseline)
        #expect(baseline.y == (fraction * (200 - own.height) + baselineTop).rounded())
        #expect(baseline.x == (300 - own.width).rounded())
    }

    @Test func alignmentsAndTextInsets() throws {
        let own = try own()
        for (alignment, fraction) in [("left", 0.0), ("center", 0.5), ("right", 1), ("natural", 0)] {
            let layer = try label([
                "size": "40", "width": "300", "textAlignment": alignment, "textInsets": ##"{ "left": 20, "right": 40 }"##,
            ])
            #expect(layer.text?.baseline.x == (20 + fraction * (240 - own.width)).rounded())
        }
    }

    @Test func linesWrapInsideTheInsets() throws {
        let layer = try label(["text": "two words", "size": "40", "width": "130", "lineSpacing": "5"])
        let facts = try #require(layer.text)
        #expect(near(facts.lastBaseline.y - facts.baseline.y, (0.905273 + 0.211914) * 40 + 5, 0.1))
    }

    @Test func itIsNotClippedAndDrawsAtItsOwnSize() throws {
        let bitmap = try Run(file: "thlabel.json").bitmap
        #expect((bitmap.width, bitmap.height, bitmap.bands) == (240, 96, 3))
    }
}

@Suite struct TokenTests {
    private func token(_ settings: [String: String] = [:]) throws -> Layer {
        try Run(file: "components/token.json", settings).layer
    }

    @Test(arguments: [
        ("#DDE7F8", "#F2F2F8", "#DDE7F8", "#DDE6E6"), ("#3B7DD8", "#F2F2F2", "#3B7DD8", "#3B7DD8"),
        ("#FF0000", "#FFF2F2", "#FF0000", "#E60000"),
    ])
    func colours(color: String, top: String, bottom: String, border: String) throws {
        let bitmap = try Bitmap(token(["color": color, "text": " ", "width": "400", "height": "100"]))
        func channels(_ hex: String) -> [Int] {
            stride(from: 1, to: 7, by: 2).map { Int(hex.dropFirst($0).prefix(2), radix: 16) ?? -1 } + [255]
        }
        #expect(bitmap[200, 0] == bitmap[200, 99] && bitmap.isNear(200, 0, channels(border)))
        // A px inside the border the ramp has hardly begun.
        let wanted = zip(channels(top), channels(bottom)).map { Double($0) + (Double($1) - Double($0)) * 0.015 }
        #expect(bitmap.isNear(200, 1, wanted.map { Int($0.rounded()) }))
        #expect(bitmap.isNear(200, 98, channels(bottom), 4))
        // Cut to the pill, and the border lies along it.
        #expect(bitmap[0, 0][3] == 0 && bitmap[399, 99][3] == 0)
        #expect(bitmap[0, 50][3] > 200 && bitmap[50, 0][3] > 200)
    }

    @Test func sizesAndTheBaseline() throws {
        let layer = try token(["text": "Henrik", "color": "#3B7DD8", "width": "120", "height": "20"])
        let bitmap = try Bitmap(layer)
        #expect((bitmap.width, bitmap.height) == (120, 20))
        #expect(layer.text?.baseline.y == 15)
        #expect(layer.text?.size == 14)
        let own = try token(["text": "Henrik"])
        let text = try Run(
            ##"[ { "effect": "text.mask", "text": "Henrik", "font": "Liberation Sans", "size": 14 }, { "effect": "fill.solid" } ]"##
        ).layer
        #expect(own.frame.width == (text.frame.width + 14).rounded(.up) && own.frame.height == 20)
        #expect(own.text?.baseline.x == 7)
    }

    @Test func longTextsShrinkToElevenAndThenEndInAnEllipsis() throws {
        let shrunk = try #require(token(["text": "Henrik Henrik", "width": "90"]).text)
        #expect(shrunk.size < 14 && shrunk.size >= 11)
        let cut = try token(["text": "Henrik Henrik Henrik Henrik", "width": "90"])
        #expect(cut.text?.size == 11)
        #expect(cut.frame.width == 90)
    }

    @Test func theTextsShadowIsWhiteAndTranslucent() throws {
        let layer = try token()
        guard case .group(let group) = layer.marks[0] else {
            Issue.record("not clipped")
            return
        }
        let shadows = group.marks.compactMap { mark -> Shadow? in if case .shadow(let shadow) = mark { shadow } else { nil } }
        #expect(shadows.count == 1)
        #expect(shadows[0].color.hex == "#ffffff66" && shadows[0].offset == Vector(dx: 1, dy: 1) && shadows[0].sigma == 0)
    }

    @Test func drawsInARow() throws {
        let bitmap = try Run(file: "token.json").bitmap
        #expect((bitmap.width, bitmap.height) == (240, 48))
    }
}

@Suite struct ToolbarTitleTests {
    @Test func numbers() throws {
        let layer = try Run(file: "components/toolbar-title.json", ["title": "Photos", "width": "200"]).layer
        #expect(layer.frame == Rect(x: 0, y: 0, width: 200, height: 24))
        #expect(layer.text?.baseline.y == 18)
        guard case .shadow(let shadow) = layer.marks[0], case .body(let body) = layer.marks[1],
            case .fill(_, .color(let color)?) = body.contents[0]
        else {
            Issue.record("another drawing")
            return
        }
        #expect(color.hex == "#717880")
        #expect(shadow.color.hex == "#e6e7eb" && shadow.offset == Vector(dx: 0, dy: 1) && shadow.sigma == 0)
    }

    /// Engraved: the light edge lies below, and the last row is empty without descenders.
    @Test func theShadowIsBelow() throws {
        let bitmap = try Run(file: "components/toolbar-title.json", ["title": "HHH", "width": "80"]).bitmap
        #expect((bitmap.width, bitmap.height) == (80, 24))
        let ink = try #require(bitmap.ink(above: 8))
        // Letters end at the baseline, 18; their shadow one row below.
        #expect(ink[3] == 19)
        let x = try #require((0..<80).first { bitmap[$0, 10][3] == 255 }) + 1
        #expect(bitmap.isNear(x, 17, [0x71, 0x78, 0x80, 255]) && bitmap.isNear(x, 18, [0xE6, 0xE7, 0xEB, 255]))
    }

    @Test func widthIsTheTextsOwn() throws {
        let layer = try Run(file: "components/toolbar-title.json").layer
        let text = try Run(
            ##"[ { "effect": "text.mask", "text": "Title", "font": "Liberation Sans", "weight": 700, "size": 20 }, { "effect": "fill.solid" } ]"##
        ).layer
        #expect(near(layer.frame.width, text.frame.width))
        #expect(try Run(file: "toolbar-title.json").bitmap.width == 240)
    }
}

@Suite struct WatermarkTests {
    @Test func itGrowsWithThePictureAndStaysInside() throws {
        for scale in [2, 5] {
            let run = try Run(
                file: "watermark.json", ["text": "© Ann Example"], source: plain(300 * scale, 200 * scale, [90, 120, 150]))
            let bitmap = try run.bitmap
            #expect((bitmap.width, bitmap.height, bitmap.bands) == (300 * scale, 200 * scale, 3))
            var left = bitmap.width
            var bottom = 0
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width where bitmap.isNear(x, y, [255, 255, 255], 6) {
                    (left, bottom) = (min(left, x), max(bottom, y))
                }
            }
            // 4 vmin of letters, 3 vmin from the edges.
            #expect(left > 200 * scale && bottom < (200 - 5) * scale && bottom > (200 - 16) * scale)
            #expect(bitmap[5, 5] == [90, 120, 150])
        }
    }

    @Test func provenanceStays() throws {
        var picture = try plain(300, 200)
        picture.provenance = Provenance()
        let layer = try Run(file: "watermark.json", ["text": "© Ann"], source: picture).layer
        #expect(layer.picture?.provenance?.touched.count == 1)
    }
}
