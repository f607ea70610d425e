import Glibc
import TestSupport
import Testing

/// Strokes on text, as people found them wrong elsewhere.
@Suite struct StrokeCases {
    private let inter = Fonts.file(named: "Inter.var.ttf") ?? "Inter.var.ttf is not installed"

    private func interText(_ text: String, _ size: Double, _ more: String = "") -> String {
        "{ \"effect\": \"text.mask\", \"text\": \(quoted(text)), \"fontFile\": \(quoted(inter)), \"size\": \(size)\(more) }"
    }

    /// How red a pixel on white is, 0…255.
    private func red(_ sheet: Sheet) -> [Float] { sheet.band(1).map { 255 - $0 } }

    @Test(
        "B01 stroke-overlap: pieces of a variable glyph are stroked as one",
        arguments: [("t", 61.9, 189.8), ("f", 61.9, 218.2), ("k", 61.6, 103.4)])
    func b01(glyph: String, x: Double, above: Double) throws {
        let at = (40, 400)
        let mask = interText(glyph, 400)
        let opaque = try written(chain(mask, solid("white"), stroke(8, "red", "center")), 300, 500, "white", at: at)
        let hidden = (Int(Double(at.0) + x), Int(Double(at.1) - above))
        #expect(opaque.isNear(hidden.0, hidden.1, [255, 255, 255], 2), "\(opaque[hidden.0, hidden.1])")
        // The static font has no overlaps.
        let file = try #require(Fonts.file(named: "Inter-Regular.otf"))
        let whole = "{ \"effect\": \"text.mask\", \"text\": \"\(glyph)\", \"fontFile\": \"\(file)\", \"size\": 400 }"
        let single = try written(chain(whole, solid("white"), stroke(8, "red", "center")), 300, 500, "white", at: at)
        let (area, wanted) = (red(opaque).reduce(0, +), red(single).reduce(0, +))
        #expect(abs(area / wanted - 1) < 0.03, "\(area / 255) px of red, \(wanted / 255) in the static font")
        // Half transparent: one tone wherever the opaque one is flat.
        let half = try written(chain(mask, solid("white"), stroke(8, "#ff000080", "center")), 300, 500, "white", at: at)
        for y in 1..<499 {
            for x in 1..<299 where (-1...1).allSatisfy({ dy in (-1...1).allSatisfy { opaque[x + $0, y + dy] == [255, 0, 0] } }) {
                #expect(half.isNear(x, y, [255, 127, 127], 1), "\(x), \(y): \(half[x, y])")
            }
        }
    }

    @Test("B01 stroke-overlap: every weight, and contours that cross themselves", arguments: [100.0, 400, 650, 900])
    func b01OtherMembers(weight: Double) throws {
        let axes = ", \"axes\": { \"wght\": \(weight) }"
        let fill = try written(chain(interText("tfkePQ&$", 120, axes), solid("white")), 620, 190, "transparent", at: (20, 130))
        let oracle = StrokeOracle(fill: fill)
        let stroked = try written(
            chain(interText("tfkePQ&$", 120, axes), solid("#00ff00"), stroke(6, "red", "center")), 620, 190, "transparent",
            at: (20, 130))
        let shown = zip(stroked.band(0), stroked.alpha).map { $0 * $1 / 255 }
        #expect(oracle.objection(toCentred: shown, alpha: stroked.alpha, width: 6) == nil)
    }

    @Test("B01 stroke-overlap: the counter of e stays open")
    func b01Counter() throws {
        let sheet = try written(
            chain(interText("e", 400), solid("white"), stroke(8, "red", "center")), 300, 500, "transparent", at: (20, 400))
        // What is transparent and cannot be reached from outside.
        var seen = Set([0])
        var open = [0]
        let alpha = sheet.alpha
        while let i = open.popLast() {
            let (x, y) = (i % 300, i / 300)
            for (nx, ny) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            where (0..<300).contains(nx) && (0..<500).contains(ny) {
                let n = ny * 300 + nx
                if alpha[n] < 255, seen.insert(n).inserted { open.append(n) }
            }
        }
        #expect(alpha.indices.filter { alpha[$0] == 0 && !seen.contains($0) }.count > 1000)
    }

    @Test(
        "B03 stroke-gap: dots and cells narrower than the stroke are closed",
        arguments: [
            ("ij:;÷%8@", "DejaVu Sans", 40.0), ("世描画国", "Droid Sans Fallback", 100), ("ÄÖÜ?!…¿", "DejaVu Serif Bold", 36),
            ("ﷺمرحبًا", "DejaVu Sans", 48),
        ])
    func b03(letters: String, font: String, size: Double) throws {
        let mask = text(letters, font, size)
        let (width, height) = (620, 220)
        let fill = try written(chain(mask, solid("white")), width, height, "transparent", at: (40, 140))
        let oracle = StrokeOracle(fill: fill)
        for w in [12.0, 3, 25] {
            let both = try written(chain(mask, solid("white"), stroke(w, "black")), width, height, "transparent", at: (40, 140))
            #expect(oracle.objection(toOutside: both.alpha, width: w) == nil)
        }
    }

    @Test("B04 stroke-inside: three positions, each what its name says")
    func b04() throws {
        let thin = text("Thin", "DejaVu Sans ExtraLight", 60)
        func drawn(_ steps: String...) throws -> Sheet {
            try written(
                "[ " + ([thin, solid("white")] + steps).joined(separator: ", ") + " ]", 220, 110, "#808080", at: (20, 75))
        }
        let plain = try drawn()
        func isInk(_ pixel: [Double]) -> Bool { abs(pixel[0] - 128) > 0 }
        let box = try #require(plain.box(isInk))
        func whites(_ sheet: Sheet) -> Int { sheet.count { $0[0] == 255 } }
        let outside = try drawn(stroke(6, "black"))
        #expect(whites(plain) > 100 && abs(Double(whites(outside)) / Double(whites(plain)) - 1) <= 0.01)
        // Wider than the stem: no white is left, and nothing lies outside.
        let inside = try drawn(stroke(6, "black", "inside"))
        #expect(inside.box(isInk) == box)
        #expect(inside.count { $0[0] > 129 } == 0)
        for y in 0..<110 { for x in 0..<220 where inside[x, y, 0] < 128 { #expect(plain[x, y, 0] > 128) } }
        let centred = try #require(try drawn(stroke(6, "black", "center")).box(isInk))
        for (edge, grown) in zip([box[0] - centred[0], box[1] - centred[1], centred[2] - box[2], centred[3] - box[3]], 0...) {
            #expect((2...4).contains(edge), "side \(grown): \(edge)")
        }
        // A stem that is wider keeps its core.
        let bold = try written(
            chain(text("Th", "DejaVu Sans Bold", 60), solid("white"), stroke(2, "black", "inside")), 140, 90, "#808080",
            at: (10, 65))
        #expect(whites(bold) > 300)
    }

    @Test(
        "B05 stroke-neighbour: strokes first, as one union, then fills",
        arguments: [("DejaVu Sans Bold", -10.0), ("DejaVu Serif Italic", -16), ("Liberation Sans Bold", 0)])
    func b05(font: String, spacing: Double) throws {
        let mask = text("WAVE", font, 120, ", \"letterSpacing\": \(spacing)")
        let fill = try written(chain(mask, solid("white")), 700, 250, "transparent", at: (60, 170))
        let black = try written(chain(mask, solid("white"), stroke(16, "black")), 700, 250, "white", at: (60, 170))
        let half = try written(chain(mask, solid("white"), stroke(16, "#00000080")), 700, 250, "white", at: (60, 170))
        var flat = 0
        for y in 1..<249 {
            for x in 1..<699 {
                if fill[x, y, 3] == 255 { #expect(black[x, y] == [255, 255, 255] && half[x, y] == [255, 255, 255]) }
                // One tone where the opaque stroke is flat.
                if black[x, y, 0] == 0, fill[x, y, 3] == 0 {
                    flat += 1
                    #expect(half.isNear(x, y, [127, 127, 127], 2), "\(x), \(y): \(half[x, y])")
                }
                #expect(half[x, y, 0] >= 125, "darker than one stroke at \(x), \(y)")
            }
        }
        #expect(flat > 3000)
    }

    @Test(
        "B06 stroke-clip: the label's own box holds the whole stroke",
        arguments: [
            stroke(10, "black"), stroke(10, "black", "center"), stroke(10, "black", "inside"),
            stroke(10, "black", "outside", ", \"join\": \"miter\", \"miterLimit\": 10"),
            stroke(10, "#00000080") + ", " + stroke(7, "red"), stroke(10, "black") + ", " + shadow("black", (9, -6), 12),
            stroke(10, "black") + ", { \"effect\": \"layout.rotate\", \"angle\": 33 }",
        ])
    func b06(steps: String) throws {
        let label = chain(text("Åg\ngÅ", "DejaVu Sans", 54), solid("white"), steps)
        let auto = try own(label)
        let roomy = try placed(label, 600, 600, "transparent", "\"anchor\": \"center\"")
        let (a, b) = (try #require(auto.ink()), try #require(roomy.ink()))
        // What shines through is rounded once more on its way into a picture.
        #expect(auto.cropped(a).difference(roomy.cropped(b)) <= (steps.contains("#00000080") || steps.contains("shadow") ? 2 : 0))
        #expect(near(auto.area, roomy.area, 1))
    }

    @Test("B06 stroke-clip: letters do not move when the stroke grows")
    func b06Letters() throws {
        func letters(_ width: Double) throws -> Sheet {
            try written(
                chain(text("Åg\ngÅ", "DejaVu Sans", 54), solid("white"), stroke(width, "#808080")), 300, 300, "#808080",
                at: (60, 90))
        }
        let still = try letters(0)
        #expect(still.count { $0[0] == 255 } > 500)
        for width in [1.0, 4, 10] { #expect(try letters(width).difference(still) <= 1) }
    }
}
