import LabelpipeKit
import Testing
import Vips

/// Logos, opacity and blending, as people found them wrong elsewhere.
@Suite struct PictureCases {
    /// A disc on transparent pixels that hide a colour.
    private func disc(_ size: Int, hidden: [Double], _ color: [Double] = [255, 255, 255]) throws -> Image {
        try VipsRuntime.start()
        let centre = Double(size) / 2
        return try Image.generated(width: size, height: size, bands: 4, format: .uchar, interpretation: .srgb) { pixels in
            for y in 0..<pixels.box.height {
                for x in 0..<pixels.box.width {
                    let (dx, dy) = (Double(pixels.box.left + x) + 0.5 - centre, Double(pixels.box.top + y) + 0.5 - centre)
                    let isInside = dx * dx + dy * dy < centre * centre * 0.9
                    for k in 0..<3 { pixels.row(y, as: UInt8.self)[4 * x + k] = UInt8(isInside ? color[k] : hidden[k]) }
                    pixels.row(y, as: UInt8.self)[4 * x + 3] = isInside ? 255 : 0
                }
            }
        }
    }

    private func logo(_ path: String, _ more: String = "", _ steps: String = "") -> String {
        "[ { \"effect\": \"image.load\", \"path\": \(quoted(path))\(more) }\(steps) ]"
    }

    @Test(
        "B31 halo-resize: hidden colours never show",
        arguments: [
            (", \"width\": 37", ""), ("", ", { \"effect\": \"layout.rotate\", \"angle\": 17 }"),
            (", \"width\": 37", ", { \"effect\": \"layout.rotate\", \"angle\": 17 }"),
            ("", ", { \"effect\": \"layout.scale\", \"by\": 0.0925 }"),
            ("", ", { \"effect\": \"image.resize\", \"width\": 37 }"), ("", ", { \"effect\": \"layout.scale\", \"by\": 1.37 }"),
            ("", ", { \"effect\": \"layout.scale\", \"by\": [0.3, 0.71] }, { \"effect\": \"layout.rotate\", \"angle\": -61 }"),
        ])
    func b31(size: String, steps: String) throws {
        let program = Program()
        var results: [Sheet] = []
        for (index, hidden) in [[0.0, 0, 0], [255, 0, 0], [0, 255, 7]].enumerated() {
            try program.write("\(index).png", disc(400, hidden: hidden), .png(.init()))
            let sheet = try placed(logo(program.path("\(index).png"), size, steps), 600, 600, "white", "\"anchor\": \"center\"")
            #expect(sheet.count { $0.contains { $0 < 254 } } == 0)
            results.append(sheet)
        }
        #expect(results[0] == results[1] && results[0] == results[2])
        // And it is drawn.
        #expect(
            try placed(logo(program.path("1.png"), size, steps), 600, 600, "black", "\"anchor\": \"center\"").count {
                $0[0] > 200
            } > 800)
    }

    private func onWhite(_ label: String, _ keys: String, base: String = "white") throws -> [Double] {
        try placed(label, 40, 40, base, "\"anchor\": \"center\", \(keys)")[20, 20]
    }

    @Test("B32 opacity: alpha times opacity, once")
    func b32() throws {
        let program = Program()
        try program.write("soft.png", plain(20, 20, [0, 0, 0, 128]), .png(.init()))
        let black = chain(rectangle(20, 20), solid("black"))
        #expect(try onWhite(black, "\"opacity\": 0.5") == [127, 127, 127])
        #expect(try onWhite(chain(rectangle(20, 20), solid("#00000080")), "\"opacity\": 0.5") == [191, 191, 191])
        #expect(
            try placed(black, 40, 40, "white", "\"anchor\": \"center\", \"opacity\": 0") == Sheet(plain(40, 40, [255, 255, 255])))
        let soft = logo(program.path("soft.png"))
        #expect(try onWhite(soft, "\"opacity\": 1") == [127, 127, 127])
        // A transparent base does not hide the label.
        #expect(try onWhite(soft, "\"opacity\": 1", base: "transparent") == [0, 0, 0, 128])
        // In a stack likewise, and twice is twice.
        let stacked = "{ \"effect\": \"layout.stack\", \"layers\": [ { \"layer\": \(black), \"opacity\": 0.5 } ] }"
        #expect(try onWhite(stacked, "\"opacity\": 1") == [127, 127, 127])
        #expect(try onWhite(stacked, "\"opacity\": 0.5") == [191, 191, 191])
    }

    @Test("B32 opacity: nothing changes outside the label's own alpha; overlapping parts fade as one")
    func b32Once() throws {
        let label = chain(
            text("Wo", "DejaVu Sans Bold", 60), solid("black"), stroke(6, "black"), shadow("black", (0, 0), 0, ", \"spread\": 4"))
        let alone = try written(label, 200, 120, "transparent", at: (30, 80))
        let faded = try written(
            "{ \"effect\": \"layout.stack\", \"layers\": [ { \"layer\": \(label), \"opacity\": 0.5 } ] }", 200, 120, "white",
            at: (30, 80))
        for y in 0..<120 { for x in 0..<200 { #expect(near(faded[x, y, 0], 255 - alone[x, y, 3] / 2, 1)) } }
    }

    @Test(
        "B33 linear-or-srgb: encoded values unless light is asked for",
        arguments: [
            ("white", "black", [128.0, 128, 128], [188.0, 188, 188]), ("black", "white", [127, 127, 127], [187, 187, 187]),
            ("#ff0000", "#00ff00", [128, 127, 0], [188, 187, 0]),
        ])
    func b33(color: String, base: String, encoded: [Double], light: [Double]) throws {
        let label = chain(rectangle(20, 20), solid(color))
        for (keys, wanted) in [
            ("\"opacity\": 0.5", encoded), ("\"opacity\": 0.5, \"space\": \"srgb\"", encoded),
            ("\"opacity\": 0.5, \"space\": \"linear\"", light),
        ] {
            #expect(zip(try onWhite(label, keys, base: base), wanted).allSatisfy { near($0, $1, 1) }, "\(keys)")
        }
    }

    @Test("B33 linear-or-srgb: an edge is blended like an opacity", arguments: ["srgb", "linear"])
    func b33Edges(space: String) throws {
        let keys = "\"space\": \"\(space)\", \"at\": [0, 0]"
        let whole = chain(rectangle(20, 20), solid("black"))
        let edge = try placed(chain(rectangle(10.5, 20), solid("black")), 40, 40, "white", keys)
        let half = try placed(whole, 40, 40, "white", keys + ", \"opacity\": 0.5")
        #expect(edge[10, 10] == half[10, 10] && edge[9, 10] == [0, 0, 0] && edge[11, 10] == [255, 255, 255])
    }
}
