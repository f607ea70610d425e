import TestSupport
import Testing
import Vips

/// Grey, CMYK, palettes, profiles and alpha, as people found them wrong elsewhere: from file to file.
@Suite struct ColourCases {
    private static let go = "/usr/share/go-1.19/src/image/testdata/"
    private static let suite = "/usr/share/go-1.19/src/image/png/testdata/pngsuite/"
    private static let profiles = "/usr/share/color/icc/colord/"

    private let halfRed = chain(rectangle(20, 20), solid("#ff000080"))

    private func stamped(
        _ program: Program, _ label: String, _ input: String, _ output: String, _ keys: String = "\"at\": [0, 0]",
        _ settings: String = ""
    ) throws -> Program.Ending {
        try program.write("job.json", stamping(label, keys, output: settings))
        let ending = try program.run("run", "job.json", input, "--output", output)
        #expect(ending.code == 0, "\(ending.errors)")
        return ending
    }

    @Test("B35 grey-base: colour comes only with a coloured label", arguments: ["png", "jpg", "tif", "webp"])
    func b35(kind: String) throws {
        let program = Program()
        let grey = try plain(64, 64, [128], .bw)
        try program.write(
            "in.\(kind)", grey,
            kind == "png" ? .png(.init()) : kind == "tif" ? .tiff(.init()) : kind == "webp" ? .webp(lossless) : .jpeg(.init()))
        let tolerance = kind == "jpg" ? 6.0 : 1
        _ = try stamped(program, halfRed, "in.\(kind)", "red.\(kind)")
        let red = try program.sheet("red.\(kind)")
        #expect(red.bands == 3 && red.isNear(6, 6, [192, 64, 64], tolerance), "\(red[6, 6])")
        #expect(red.isNear(50, 50, [128, 128, 128], kind == "jpg" ? 1 : 0), "\(red[50, 50])")
        _ = try stamped(program, chain(rectangle(20, 20), solid("#ffffff80")), "in.\(kind)", "white.\(kind)")
        let white = try program.sheet("white.\(kind)")
        // WebP has no grey.
        #expect(
            white.bands == (kind == "webp" ? 3 : 1) && near(white[6, 6, 0], 192, tolerance)
                && near(white[50, 50, 0], 128, kind == "jpg" ? 1 : 0))
    }

    private var lossless: WebPSaveOptions {
        var options = WebPSaveOptions()
        options.isLossless = true
        return options
    }

    @Test("B35 grey-base: one bit, grey with alpha, and a real JPEG")
    func b35OtherMembers() throws {
        let program = Program()
        for (name, source) in [
            ("bit.png", Self.suite + "basn0g01.png"), ("alpha.png", Self.suite + "basn4a08.png"),
            ("real.jpeg", Self.go + "video-005.gray.jpeg"),
        ] {
            try program.copy(source, as: name)
            _ = try stamped(program, chain(rectangle(10, 10), solid("red")), name, "out-" + name)
            let (before, after) = (try program.sheet(name), try program.sheet("out-" + name))
            #expect(after.bands == before.bands + 2, "\(name)")
            #expect(
                after.isNear(4, 4, [255, 0, 0] + (before.bands == 2 ? [255] : []), name.hasSuffix("png") ? 0 : 6),
                "\(name): \(after[4, 4])")
            // Elsewhere the grey is the same grey.
            for (x, y) in [(25, 25), (30, 14), (12, 31)] {
                let wanted = [before[x, y, 0], before[x, y, 0], before[x, y, 0]] + (before.bands == 2 ? [before[x, y, 1]] : [])
                #expect(after.isNear(x, y, wanted, name.hasSuffix("png") ? 0 : 2), "\(name): \(after[x, y]) was \(before[x, y])")
            }
        }
    }

    @Test("B36 cmyk: a print shop's JPEG keeps its inks, and is no negative elsewhere")
    func b36() throws {
        let program = Program()
        try program.copy(Self.go + "video-001.cmyk.jpeg", as: "in.jpg")
        let white = chain(rectangle(40, 20), solid("white"))
        let keys = "\"anchor\": \"bottom-right\""
        _ = try stamped(program, white, "in.jpg", "out.jpg", keys)
        _ = try stamped(program, white, "in.jpg", "out.png", keys)
        let (before, after) = (try program.sheet("in.jpg"), try program.sheet("out.jpg"))
        #expect(after.bands == 4 && after.width == 150 && after.height == 103)
        #expect(try program.image("out.jpg").hasProfile == program.image("in.jpg").hasProfile)
        for (x, y) in [(10, 10), (75, 50), (140, 5), (3, 99)] {
            #expect(zip(after[x, y], before[x, y]).allSatisfy { near($0, $1, 3) })
        }
        #expect(after[130, 95].allSatisfy { $0 <= 6 }, "white is no ink: \(after[130, 95])")
        let picture = try program.image("out.png")
        let shown = try Sheet(picture)
        #expect(shown.bands == 3 && !picture.hasProfile)
        #expect(shown.isNear(130, 95, [255, 255, 255], 3))
        for (band, wanted) in [118.0, 82, 78].enumerated() {
            var (sum, count) = (0.0, 0.0)
            for y in 0..<103 {
                for x in 0..<150 where !(x >= 108 && y >= 81) { (sum, count) = (sum + shown[x, y, band], count + 1) }
            }
            #expect(near(sum / count, wanted, 30), "band \(band): \(sum / count)")
        }
    }

    @Test("B36 cmyk: inks without and with a profile, as JPEG and TIFF", arguments: ["jpg", "tif"])
    func b36OtherMembers(kind: String) throws {
        let program = Program()
        // Paper, a third of black ink, cyan.
        let bands = try [[0.0, 0, 0, 0], [0, 0, 0, 85], [255, 0, 0, 0]].map { try plain(32, 64, $0, .cmyk) }
        let inks = try Image.arrayjoin(bands, across: 3).copy(interpretation: .cmyk)
        try program.write("in.\(kind)", inks, kind == "jpg" ? .jpeg(.init()) : .tiff(.init()))
        let label = chain(rectangle(8, 8), solid("black"))
        _ = try stamped(program, label, "in.\(kind)", "out.\(kind)")
        let kept = try program.sheet("out.\(kind)")
        #expect(kept.bands == 4)
        for (x, wanted) in [(16, [0.0, 0, 0, 0]), (48, [0, 0, 0, 85]), (80, [255, 0, 0, 0])] {
            #expect(kept.isNear(x, 40, wanted, kind == "jpg" ? 4 : 0), "\(kept[x, 40])")
        }
        #expect(kept[2, 2, 3] > 200, "black is mostly black ink: \(kept[2, 2])")
        _ = try stamped(program, label, "in.\(kind)", "out.png")
        let shown = try program.sheet("out.png")
        #expect(shown.bands == 3 && shown[16, 40].allSatisfy { $0 > 245 }, "\(shown[16, 40])")
        #expect(shown[48, 40].allSatisfy { $0 > 110 && $0 < 230 } && shown[80, 40, 0] < 90 && shown[80, 40, 2] > 180)
    }

    @Test(
        "B38 palette-and-added-alpha: exact colours, nothing else changed, no alpha invented",
        arguments: ["basn3p08.png", "basn3p04.png", "basn3p02.png", "basn3p01.png"])
    func b38(base: String) throws {
        let program = Program()
        try program.copy(Self.suite + base, as: "in.png")
        _ = try stamped(program, chain(rectangle(8, 8), solid("red")), "in.png", "out.png")
        let (before, after) = (try program.sheet("in.png"), try program.sheet("out.png"))
        #expect(after.bands == 3)
        for y in 0..<32 {
            for x in 0..<32 { #expect(after[x, y] == (x < 8 && y < 8 ? [255, 0, 0] : Array(before[x, y].prefix(3)))) }
        }
    }

    @Test("B38 palette-and-added-alpha: a palette mark keeps its transparency; opaque stays opaque")
    func b38Mark() throws {
        let program = Program()
        try program.copy(Self.suite + "basn3p08-trns.png", as: "mark.png")
        try program.write("in.png", plain(64, 64, [10, 200, 90]), .png(.init()))
        let mark = "{ \"effect\": \"image.load\", \"path\": \"mark.png\" }"
        _ = try stamped(program, mark, "in.png", "out.png", "\"at\": [16, 16]")
        let (shape, after) = (try program.sheet("mark.png"), try program.sheet("out.png"))
        #expect(after.bands == 3 && shape.bands == 4)
        for y in 0..<32 {
            for x in 0..<32 {
                let alpha = shape[x, y, 3] / 255
                let wanted = zip(shape[x, y], [10.0, 200, 90]).map { $0 * alpha + $1 * (1 - alpha) }
                #expect(after.isNear(16 + x, 16 + y, wanted, 1), "\(x), \(y): \(after[16 + x, 16 + y]), not \(wanted)")
            }
        }
        #expect(after[5, 5] == [10, 200, 90] && after[50, 20] == [10, 200, 90])
    }

    @Test("B39 icc: numbers and profile stay, the label is converted into it", arguments: ["png", "jpg", "tif", "webp"])
    func b39(kind: String) throws {
        let program = Program()
        let profile = try readFile(Self.profiles + "AdobeRGB1998.icc")
        let image = try plain(64, 64, [200, 100, 50]).setting("icc-profile-data", to: .bytes(profile))
        try program.write(
            "in.\(kind)", image,
            kind == "png" ? .png(.init()) : kind == "tif" ? .tiff(.init()) : kind == "webp" ? .webp(lossless) : .jpeg(.init()))
        let label =
            "{ \"effect\": \"layout.row\", \"gap\": 0, \"align\": \"top\", \"layers\": "
            + chain(chain(rectangle(16, 32), solid("#ff0000")), chain(rectangle(16, 32), solid("#ff8000"))) + " }"
        _ = try stamped(program, label, "in.\(kind)", "out.\(kind)")
        let kept = try program.sheet("out.\(kind)")
        let slack = kind == "jpg" ? 4.0 : 0
        #expect(try program.image("out.\(kind)").profile == profile)
        #expect(kept.isNear(50, 50, [200, 100, 50], slack / 2), "\(kept[50, 50])")
        #expect(
            kept.isNear(6, 10, [219, 0, 0], 2 + slack) && kept.isNear(24, 10, [227, 127, 30], 2 + slack),
            "\(kept[6, 10]) \(kept[24, 10])")
        _ = try stamped(program, label, "in.\(kind)", "srgb.\(kind)", "\"at\": [0, 0]", ", \"profile\": \"srgb\"")
        let shown = try program.sheet("srgb.\(kind)")
        #expect(
            shown.isNear(50, 50, [227, 100, 42], 2 + slack) && shown.isNear(6, 10, [255, 0, 0], 2 + slack),
            "\(shown[50, 50]) \(shown[6, 10])")
    }

    @Test("B39 icc: a profile that swaps red and green shows any wrong path")
    func b39Swapped() throws {
        let program = Program()
        let profile = try readFile(Self.profiles + "SwappedRedAndGreen.icc")
        try program.write(
            "in.png", plain(64, 64, [200, 100, 50]).setting("icc-profile-data", to: .bytes(profile)), .png(.init()))
        _ = try stamped(program, chain(rectangle(16, 16), solid("#ff0000")), "in.png", "out.png")
        let kept = try program.sheet("out.png")
        #expect(kept[50, 50] == [200, 100, 50])
        #expect(kept[4, 4, 1] > 240 && kept[4, 4, 0] < 60, "red is that profile's green: \(kept[4, 4])")
    }

    @Test(
        "B40 alpha-to-jpeg: flattened after the label, on white or as asked",
        arguments: [("", [255.0, 255, 255]), (", \"background\": \"#FFDD00\"", [255, 221, 0])])
    func b40(settings: String, wanted: [Double]) throws {
        let program = Program()
        let halves = try Image.arrayjoin([try plain(32, 64, [0, 0, 0, 0]), try plain(32, 64, [0, 0, 255, 255])], across: 2)
        try program.write("in.png", halves, .png(.init()))
        let label = chain(text("Soft", "DejaVu Sans Bold", 16), solid("white"), shadow("white", (0, 0), 6))
        _ = try stamped(program, label, "in.png", "out.jpg", "\"anchor\": \"center\"", settings)
        let jpeg = try program.sheet("out.jpg")
        #expect(jpeg.bands == 3 && jpeg.isNear(5, 60, wanted, 6), "\(jpeg[5, 60])")
        #expect(jpeg.isNear(58, 60, [0, 0, 255], 6))
        // Nothing between the halves is darker than both.
        for y in 0..<64 {
            for x in 28..<36 { #expect(jpeg[x, y, 2] >= min(wanted[2], 255) - 40 && jpeg[x, y].reduce(0, +) >= 240) }
        }
        _ = try stamped(program, label, "in.png", "out.png", "\"anchor\": \"center\"", settings)
        let png = try program.sheet("out.png")
        #expect(png.bands == 4 && png[5, 60, 3] == 0 && png[58, 60] == [0, 0, 255, 255])
    }
}
