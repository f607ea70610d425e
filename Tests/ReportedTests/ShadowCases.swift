import Diagnostics
import Glibc
import LabelpipeKit
import Outline
import Testing
import Vips

/// Shadows and glows, as people found them wrong elsewhere.
@Suite struct ShadowCases {
    private let block = text("\u{2588}", "DejaVu Sans Mono", 200)

    @Test("B07 shadow-clip: the profile of a Gaussian edge, down to nothing")
    func b07() throws {
        // The block's own edges, on its plane.
        let outline = try #require(try Drawing(chain(block, solid("white"))).layer.outline?.inkBounds)
        let at = (200, 300)
        let sheet = try written(chain(block, solid("white"), shadow("black", (0, 0), 16)), 500, 600, "white", at: at)
        let right = outline.maxX + Double(at.0)
        let top = outline.minY + Double(at.1)
        let (midX, midY) = (Int((outline.minX + outline.maxX) / 2) + at.0, Int((outline.minY + outline.maxY) / 2) + at.1)
        func wanted(_ d: Double) -> Double { 127.5 * erfc(d / (8 * 2.0.squareRoot())) }
        for step in 1..<40 {
            let x = Int(right.rounded(.up)) + step - 1
            #expect(near(255 - sheet[x, midY, 0], wanted(Double(x) + 0.5 - right), 1.5), "\(step) px to the right")
            let y = Int(top.rounded(.down)) - step
            #expect(near(255 - sheet[midX, y, 0], wanted(top - Double(y) - 0.5), 1.5), "\(step) px above")
        }
        for (d, alpha) in [(4.0, 79.0), (8, 41), (16, 6), (24, 0)] { #expect(near(wanted(d), alpha, 0.6)) }
    }

    @Test("B07 shadow-clip: the label's own box holds the whole shadow", arguments: [(0.0, 0.0), (30, -20), (-7, 3)])
    func b07Box(dx: Double, dy: Double) throws {
        for caster in [
            chain(block, solid("white")), chain(text("Sif", "DejaVu Serif Italic", 60), solid("#ffffff80"), stroke(3, "red")),
        ] {
            let label = chain(caster.dropFirst(2).dropLast(2).description, shadow("black", (dx, dy), 16))
            let sheet = try own(label)
            // Nothing of it is missing: a roomy picture shows the same.
            let roomy = try written(label, 700, 700, "transparent", at: (250, 400))
            #expect(near(sheet.area, roomy.area, sheet.area * 1e-4))
            let alone = try own(
                chain(
                    label.dropFirst(2).dropLast(2).description.replacing(
                        "\"blur\": 16.0", with: "\"blur\": 16.0, \"caster\": \"hide\"")))
            let alpha = alone.alpha
            for x in 0..<alone.width { #expect(max(alpha[x], alpha[(alone.height - 1) * alone.width + x]) <= 1) }
            for y in 0..<alone.height { #expect(max(alpha[y * alone.width], alpha[(y + 1) * alone.width - 1]) <= 1) }
        }
    }

    @Test("B07 shadow-clip: an offset moves the shadow, and cuts nothing")
    func b07Offset() throws {
        func alone(_ offset: (Double, Double)) throws -> Sheet {
            try written(
                chain(block, solid("white"), shadow("black", offset, 16, ", \"caster\": \"hide\"")), 500, 600, "transparent",
                at: (200, 300))
        }
        let (still, moved) = (try alone((0, 0)), try alone((30, -20)))
        for y in 40..<580 { for x in 0..<460 { #expect(moved[x + 30, y - 20, 3] == still[x, y, 3]) } }
        #expect(still.area > 20000)
    }

    @Test(
        "B08 shadow-huge: refused, naming node and range",
        arguments: [
            ("\"blur\": 100000", "blur"), ("\"blur\": -5", "blur"), ("\"blur\": \"NaN\"", "blur"), ("\"blur\": 1e308", "blur"),
            ("\"blur\": \"1e5px\"", "blur"), ("\"spread\": 5000", "spread"), ("\"spread\": -5000", "spread"),
            ("\"blur\": \"Infinity\"", "blur"),
            ("\"blur\": \"calc(100px * 1000)\"", "blur"),
        ])
    func b08(keys: String, key: String) throws {
        let label = chain(text("Huge", "DejaVu Sans", 20), solid("white"), "{ \"effect\": \"shadow.drop\", \(keys) }")
        do {
            _ = try Drawing(label)
            Issue.record("\(keys) was drawn")
        } catch let findings as Diagnostics {
            #expect(findings.all.count == 1)
            #expect(findings.all[0].pointer.map { "\($0)" } == "/output/2/\(key)")
        }
    }

    @Test(
        "B08 shadow-huge: the other effects' lengths have limits too",
        arguments: [
            stroke(5000, "red"), "{ \"effect\": \"shadow.inner\", \"blur\": 100000 }", text("x", "DejaVu Sans", 1e6),
            "{ \"effect\": \"layout.scale\", \"by\": 1e30 }",
        ])
    func b08OtherMembers(step: String) throws {
        let label =
            step.contains("text.mask") ? chain(step, solid("red")) : chain(text("x", "DejaVu Sans", 20), solid("white"), step)
        #expect(throws: (any Error).self) { try own(label) }
    }

    @Test("B08 shadow-huge: the program says so at once, and writes nothing")
    func b08Program() throws {
        let program = Program()
        try program.write("in.png", plain(100, 100, [9, 9, 9]), .png(.init()))
        let label = chain(text("Huge", "DejaVu Sans", 20), solid("white"), "{ \"effect\": \"shadow.drop\", \"blur\": 100000 }")
        try program.write("job.json", stamping(label))
        let ending = try program.run("run", "job.json", "in.png", "--output", "out.png")
        #expect(ending.code == 3)
        #expect(ending.errors.contains("/label/2/blur") && ending.errors.contains("4096px"), "\(ending.errors)")
        #expect(!program.exists("out.png") && ending.time < 20)
    }

    @Test(
        "B09 alpha-blur-rim: a glow of the paper's colour is invisible",
        arguments: [("white", [255.0, 255, 255]), ("yellow", [255, 255, 0]), ("#804020", [128, 64, 32])])
    func b09(color: String, pixel: [Double]) throws {
        let label = chain(
            text("Proof", "DejaVu Sans", 20), solid(color), shadow(color, (0, 0), 8), shadow(color, (2, 3), 30, ", \"spread\": 3")
        )
        for deep in [false, true] {
            let paper = pixel.map { $0 * (deep ? 257 : 1) }
            let base = Picture(try plain(200, 64, paper, format: deep ? .ushort : .uchar, deep ? .rgb16 : .srgb))
            let sheet = try Sheet(try marked(base, label, "\"anchor\": \"center\""))
            #expect(sheet.count { $0 != paper } == 0)
        }
        // It is there: on black it shows.
        #expect(try placed(label, 200, 64, "black", "\"anchor\": \"center\"").count { $0 != [0, 0, 0] } > 1000)
    }
}
