import LabelpipeKit
import Outline
import Testing

/// Gradients, boxes and lines, as people found them wrong elsewhere.
@Suite struct LayoutCases {
    private func gradient(_ keys: String) -> String {
        "{ \"effect\": \"fill.gradient\", \"colors\": [\"#ff0000\", \"#0000ff\"], \(keys) }"
    }

    private let down = "\"start\": [0.5, 0], \"end\": [0.5, 1]"

    /// On transparent ground, where the pen begins at (60, 160).
    private func gradientText(_ letters: String, _ keys: String, lineHeight: Double = 1, padding: Double = 0) throws -> Sheet {
        try written(
            chain(
                text(letters, "DejaVu Sans", 100, ", \"lineHeight\": \(lineHeight)"),
                "{ \"effect\": \"layout.inset\", \"insets\": \(padding) }",
                gradient(keys), "{ \"effect\": \"layout.inset\", \"insets\": \(-padding) }"),
            460, 480, "transparent", at: (60, 160))
    }

    @Test("B11 gradient-box: the ink box reaches both ends, whatever the line height", arguments: [1.0, 2])
    func b11(lineHeight: Double) throws {
        let sheet = try gradientText("HHHH\nHHHH", down + ", \"box\": \"ink\"", lineHeight: lineHeight)
        let box = try #require(sheet.ink(above: 254))
        let x = try #require((0..<sheet.width).first { sheet[$0, box[1], 3] == 255 }) + 3
        #expect(sheet.isNear(x, box[1], [255, 0, 0, 255], 4) && sheet.isNear(x, box[3] - 1, [0, 0, 255, 255], 4))
    }

    @Test("B11 gradient-box: padding moves no colour", arguments: ["ink", "text", "line", "glyph"])
    func b11Padding(box: String) throws {
        let keys = down + ", \"box\": \"\(box)\""
        let bare = try gradientText("HHHH\nHHHH", keys)
        #expect(try gradientText("HHHH\nHHHH", keys, padding: 40) == bare)
        #expect(bare.area > 5000)
    }

    @Test("B11 gradient-box: across a line the letters differ; by glyph and by line they do not")
    func b11Across() throws {
        let across = "\"start\": [0, 0.5], \"end\": [1, 0.5]"
        func stems(_ keys: String) throws -> [[Double]] {
            let sheet = try gradientText("HHHH", keys)
            // The left stem of each H, half way up its lower half.
            let advance = 75.2
            return (0..<4).map { sheet[60 + Int(advance * Double($0)) + 14, 160 - 15] }
        }
        let ink = try gradientText("HHHH", across + ", \"box\": \"ink\"")
        let box = try #require(ink.ink(above: 254))
        #expect(ink.isNear(box[0], 140, [255, 0, 0, 255], 4) && ink.isNear(box[2] - 1, 140, [0, 0, 255, 255], 4))
        let line = try stems(across)
        for i in 1..<4 { #expect(line[i][0] < line[i - 1][0] - 40 && line[i][2] > line[i - 1][2] + 40) }
        let glyph = try stems(across + ", \"box\": \"glyph\"")
        for i in 1..<4 { #expect(zip(glyph[i], glyph[0]).allSatisfy { near($0, $1, 4) }) }
        let lines = try gradientText("HHHH\nHHHH", down + ", \"box\": \"line\"")
        for y in 90..<160 { #expect(zip(lines[75, y], lines[75, y + 116]).allSatisfy { near($0, $1, 3) }) }
    }

    @Test("B11 gradient-box: the axis is the line between two points in px")
    func b11Diagonal() throws {
        let label = chain(rectangle(200, 50), gradient("\"start\": [0, 0], \"end\": [1, 1]"))
        let sheet = try own(label)
        for (x, y) in [(99, 24), (100, 24), (99, 25), (100, 25)] { #expect(sheet.isNear(x, y, [128, 0, 128, 255], 2)) }
        // Perpendicular to it one colour: (100 + 12.5, 25 − 50) would be outside, (100 + 5, 25 − 20) is not.
        #expect(zip(sheet[105, 5], sheet[95, 45]).allSatisfy { near($0, $1, 3) })
        #expect(sheet.isNear(0, 0, [255, 0, 0, 255], 2) && sheet.isNear(199, 49, [0, 0, 255, 255], 2))
    }

    private let overhanging = chain(text("jÅfgyf", "DejaVu Sans Oblique", 100), solid("black"))

    @Test("B13 glyph-clip: nothing of a glyph is cut", arguments: ["jÅfgyf", "fffj", "ÅÅÅ", "ﷺ"])
    func b13(letters: String) throws {
        let label = chain(text(letters, "DejaVu Sans Oblique", 100), solid("black"))
        let auto = try own(label)
        let roomy = try written(label, 1000, 400, "transparent", at: (300, 200))
        #expect(auto.area > 1000 && near(auto.area, roomy.area, 1e-6))
    }

    @Test("B13 glyph-clip: overhangs left, right, above and below")
    func b13Overhangs() throws {
        let layer = try Drawing(overhanging).layer
        let ink = try #require(layer.outline).inkBounds
        #expect(near(-ink.minX, 11.3, 0.1) && near(ink.maxX - layer.frame.width, 12.6, 0.1))
        #expect(near(ink.maxY, 20.8, 0.1) && near(-ink.minY, 92.8, 0.7))
        let drawn = try #require(try written(overhanging, 1000, 400, "transparent", at: (300, 200)).ink(above: 8))
        #expect(drawn[0] == 300 - 12 && drawn[2] == Int((300 + layer.frame.width + 12.6).rounded(.up)) && drawn[3] == 200 + 21)
    }

    @Test("B13 glyph-clip: at the picture's edge all ink stays inside", arguments: ["left", "right", "top-left", "bottom-right"])
    func b13Edges(anchor: String) throws {
        let sheet = try placed(overhanging, 1000, 400, "transparent", "\"anchor\": \"\(anchor)\", \"insets\": 0")
        #expect(near(sheet.area, try own(overhanging).area, 1e-6))
    }

    private func pill(_ letters: String, by: String) -> String {
        "{ \"effect\": \"layout.stack\", \"layers\": "
            + chain(
                chain(rectangle(160, 60, ", \"radius\": 999"), solid("#3b7dd8")),
                chain(
                    text(letters, "DejaVu Sans", 32), solid("white"),
                    "{ \"effect\": \"layout.box\", \"size\": [160, 60], \"by\": \"\(by)\" }"))
            + " }"
    }

    @Test("B14 baseline-centre: one style, one baseline", arguments: ["line", "cap", "x"])
    func b14(by: String) throws {
        let baselines = try ["AHA", "gag", "ÅgÅ"].map { try Drawing(pill($0, by: by)).layer.text?.baseline.y }
        #expect(baselines[0] != nil && Set(baselines).count == 1)
        // As drawn: the H in the middle ends at one row, whatever stands beside it.
        let feet = try ["AHA", "gHg", "ÅHÅ"].map { letters in
            let sheet = try own(pill(letters, by: by))
            return (0..<60).last { y in (70..<90).contains { sheet[$0, y, 0] > 240 } }
        }
        #expect(feet[0] != nil && Set(feet).count == 1)
    }

    @Test("B14 baseline-centre: by cap the gaps above and below H are alike")
    func b14Cap() throws {
        let sheet = try own(pill("H", by: "cap"))
        let letter = try #require(sheet.box { $0[0] > 200 })
        #expect(abs(letter[1] - (60 - letter[3])) <= 1 && near(Double(letter[1]), 18.3, 1))
    }

    @Test("B14 baseline-centre: a pill's radius is held within half its height, and its sides mirror")
    func b14Pill() throws {
        let sheet = try own(chain(rectangle(160, 60, ", \"radius\": 999"), solid("#3b7dd8")))
        #expect(sheet[0, 0, 3] == 0 && sheet[30, 0, 3] == 255)
        for y in 0..<60 {
            for x in 0..<80 {
                #expect(near(sheet[x, y, 3], sheet[159 - x, y, 3], 1) && near(sheet[x, y, 3], sheet[x, 59 - y, 3], 1))
            }
        }
    }
}
