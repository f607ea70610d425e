import LabelpipeKit
import TestSupport
import Testing
import Vips

/// Places on turned, tiny and large pictures, as people found them wrong elsewhere.
@Suite struct PlacementCases {
    private static let orientations = "/usr/share/gocode/src/github.com/disintegration/imaging/testdata/orientation_"
    private let letter = chain(text("R", "DejaVu Sans Bold", 15), solid("#ff0000"))

    /// Where a picture is red, once it is upright.
    private func red(_ image: Image) throws -> (sheet: Sheet, isRed: [Bool]) {
        let sheet = try Sheet(image.upright())
        var isRed: [Bool] = []
        for y in 0..<sheet.height {
            for x in 0..<sheet.width { isRed.append(sheet[x, y, 0] > 190 && sheet[x, y, 1] < 90 && sheet[x, y, 2] < 90) }
        }
        return (sheet, isRed)
    }

    @Test("B41 exif-orientation: the label stands upright in the upright picture, in every orientation")
    func b41() throws {
        let program = Program()
        try program.write("job.json", stamping(letter, "\"anchor\": \"bottom-right\", \"insets\": 2"))
        var pictures: [[Bool]] = []
        for n in 0...8 {
            try program.copy(Self.orientations + "\(n).jpg", as: "\(n).jpg")
            let ending = try program.run("run", "job.json", "\(n).jpg", "--output", "out")
            #expect(ending.code == 0, "\(ending.errors)")
            let image = try program.image("out/\(n).jpg")
            let (sheet, isRed) = try red(image)
            #expect(sheet.width == 50 && sheet.height == 70)
            let before = try Sheet(program.image("\(n).jpg").upright())
            for (i, r) in isRed.enumerated() where r { #expect(i % 50 >= 33 && i / 50 >= 50, "\(n)") }
            for (x, y) in [(5, 5), (25, 35), (40, 12)] { #expect(zip(sheet[x, y], before[x, y]).allSatisfy { near($0, $1, 8) }) }
            #expect(isRed.filter(\.self).count > 30)
            // The stem of an upright, unmirrored R is on its left.
            let columns = (33..<50).map { x in (0..<70).filter { isRed[$0 * 50 + x] }.count }
            let inked = columns.filter { $0 > 0 }
            #expect((inked.first ?? 0) + inked[1] > (inked.last ?? 0) + inked[inked.count - 2], "\(columns)")
            // Either turned, or tagged.
            #expect(n < 2 || (image.orientation != 1) != (image.width == 50 && image.height == 70 && n >= 5))
            pictures.append(isRed)
        }
        for n in 1...8 { #expect(zip(pictures[n], pictures[0]).filter { $0 != $1 }.count <= 8, "orientation \(n)") }
    }

    @Test("B41 exif-orientation: TIFF, WebP and PNG with the tag", arguments: ["tif", "webp", "png"], 1...8)
    func b41Formats(kind: String, orientation: Int) throws {
        let program = Program()
        let upright = try plain(50, 70, [40, 160, 90])
        // As a camera would store it: what turning by the tag makes upright.
        let turns =
            [1: (0, false), 2: (0, true), 3: (2, false), 4: (2, true), 5: (1, true), 6: (3, false), 7: (3, true), 8: (1, false)][
                orientation] ?? (0, false)
        let corner = try upright.embed(left: 0, top: 0, width: 50, height: 70).materialised()
        var stored = try corner.rotated(quarterTurns: turns.0)
        if turns.1 { stored = try stored.flipped(horizontally: true) }
        stored = try stored.materialised().setting("orientation", to: .integer(orientation))
        var webp = WebPSaveOptions()
        webp.isLossless = true
        try program.write("in.\(kind)", stored, kind == "png" ? .png(.init()) : kind == "tif" ? .tiff(.init()) : .webp(webp))
        try program.write("job.json", stamping(letter, "\"anchor\": \"bottom-right\", \"insets\": 2"))
        let ending = try program.run("run", "job.json", "in.\(kind)", "--output", "out.\(kind)")
        #expect(ending.code == 0, "\(ending.errors)")
        let (sheet, isRed) = try red(program.image("out.\(kind)"))
        #expect(sheet.width == 50 && sheet.height == 70, "\(sheet.width) × \(sheet.height)")
        // What the label looks like on a picture that was never turned.
        let plainly = try red(try marked(Picture(upright), letter, "\"anchor\": \"bottom-right\", \"insets\": 2"))
        #expect(isRed == plainly.isRed)
    }

    @Test(
        "B43 label-too-big-or-tiny-picture: the picture's size never changes",
        arguments: [
            (120, 141), (1, 1), (1, 500), (500, 1), (3, 3), (2, 7), (101, 67),
        ])
    func b43(width: Int, height: Int) throws {
        let base = Picture(try plain(width, height, [90, 120, 150]))
        for label in [
            chain(rectangle(300, 300), solid("red")),
            chain(text("Wide", "DejaVu Sans", 300), solid("red"), stroke(9, "white"), shadow("black", (5, 5), 20)),
            chain("{ \"effect\": \"text.mask\", \"text\": \"tiny\", \"size\": \"5vmin\" }", solid("red")),
        ] {
            for keys in [
                "", ", \"tooLarge\": \"clip\"", ", \"tooLarge\": \"skip\"", ", \"tooLarge\": \"shrink\", \"insets\": \"3vmin\"",
                ", \"keepInside\": false",
            ] {
                let drawing = try Drawing(
                    chain("{ \"effect\": \"image.source\" }", "{ \"effect\": \"layout.place\", \"label\": \(label)\(keys) }"),
                    source: base)
                let sheet = try drawing.sheet
                #expect((sheet.width, sheet.height, sheet.bands) == (width, height, 3))
                #expect(sheet.samples.allSatisfy { $0 >= 0 && $0 <= 255 })
                if keys.contains("skip"), label.contains("300") {
                    #expect(sheet.count { $0 != [90, 120, 150] } == 0 && drawing.notes.count == 1)
                }
            }
        }
        #expect(throws: (any Error).self) {
            _ = try marked(base, chain(rectangle(300, 300), solid("red")), "\"tooLarge\": \"error\"")
        }
    }

    @Test("B43 label-too-big-or-tiny-picture: shrunk to fit, as one")
    func b43Shrunk() throws {
        let base = Picture(try plain(120, 141, [255, 255, 255]))
        let sheet = try Sheet(
            try marked(base, chain(rectangle(300, 300), solid("red")), "\"anchor\": \"bottom-right\", \"insets\": 10"))
        #expect(try #require(sheet.box { $0[1] < 128 }) == [10, 31, 110, 131])
        // Wholly outside: nothing is drawn, nothing fails.
        let outside = try Sheet(try marked(base, chain(rectangle(30, 30), solid("red")), "\"at\": [500, -200]"))
        #expect(outside.count { $0 != [255, 255, 255] } == 0)
    }

    @Test("B43 label-too-big-or-tiny-picture: odd sizes to JPEG with halved chroma")
    func b43OddSizes() throws {
        let program = Program()
        try program.write("in.png", plain(101, 67, [60, 140, 220]), .png(.init()))
        let label = chain(rectangle(300, 300), solid("red"))
        for (name, sampling) in [("half.jpg", "4:2:0"), ("full.jpg", "4:4:4")] {
            try program.write(
                "job.json", stamping(label, "\"anchor\": \"bottom-right\"", output: ", \"subsampling\": \"\(sampling)\""))
            #expect(try program.run("run", "job.json", "in.png", "--output", name).code == 0)
        }
        let (half, full) = (try program.sheet("half.jpg"), try program.sheet("full.jpg"))
        #expect(half.width == 101 && half.height == 67)
        for y in 0..<67 { #expect(zip(half[100, y], full[100, y]).allSatisfy { near($0, $1, 12) }) }
        for x in 50..<101 { #expect(zip(half[x, 66], full[x, 66]).allSatisfy { near($0, $1, 12) }) }
        try program.write("one.png", plain(1, 1, [60, 140, 220]), .png(.init()))
        #expect(try program.run("run", "job.json", "one.png", "--output", "one.jpg").code == 0)
        #expect(try program.sheet("one.jpg").width == 1)
    }

    private func tiled(_ label: String, _ keys: String, _ width: Int = 97, _ height: Int = 61) throws -> Sheet {
        try Drawing(
            chain("{ \"effect\": \"image.source\" }", "{ \"effect\": \"layout.tile\", \"label\": \(label)\(keys) }"),
            source: Picture(try plain(width, height, [255, 255, 255]))
        ).sheet
    }

    @Test("B44 tiling: a whole-pixel period, partial tiles at the edges")
    func b44() throws {
        let sheet = try tiled(chain(rectangle(12, 12), solid("black")), ", \"gap\": 8")
        for y in 0..<61 { for x in 0..<97 { #expect(sheet[x, y, 0] == (x % 20 < 12 && y % 20 < 12 ? 0 : 255)) } }
        #expect((0..<61).contains { sheet[90, $0, 0] == 0 } && (0..<97).contains { sheet[$0, 60, 0] == 0 })
        // 97 − 80 = 17: column 96 lies in a gap of the first period; turned about, it does not.
        let shifted = try tiled(chain(rectangle(19, 12), solid("black")), ", \"gap\": [1, 8]")
        #expect((0..<61).contains { shifted[96, $0, 0] == 0 })
    }

    @Test("B44 tiling: no seam between tiles, at any alpha", arguments: ["#00000080", "#ff330040", "white"])
    func b44Seams(color: String) throws {
        for size in [12.0, 7, 31] {
            let sheet = try tiled(chain(rectangle(size, size), solid(color)), ", \"gap\": 0")
            #expect(sheet.count { $0 != sheet[0, 0] } == 0)
        }
    }

    @Test(
        "B44 tiling: turned patterns reach every corner; a tile may be larger than the picture",
        arguments: [-30.0, 12, 45, 77, 90, 179])
    func b44Turned(angle: Double) throws {
        let sheet = try tiled(chain(rectangle(12, 12), solid("black")), ", \"gap\": 8, \"angle\": \(angle)")
        for (x, y) in [(0, 0), (67, 0), (0, 31), (67, 31)] {
            #expect(sheet.cropped([x, y, x + 30, y + 30]).count { $0[0] < 128 } > 100)
        }
        let large = try tiled(chain(rectangle(200, 200), solid("#00000080")), ", \"angle\": \(angle)")
        #expect(large.count { $0[0] < 250 } > 3000)
        let jittered = try tiled(
            chain(text("©", "DejaVu Sans", 12), solid("black")),
            ", \"gap\": 4, \"angle\": \(angle), \"stagger\": 0.5, \"jitter\": 3, \"seed\": 7")
        for (x, y) in [(0, 0), (67, 0), (0, 31), (67, 31)] {
            #expect(jittered.cropped([x, y, x + 30, y + 30]).count { $0[0] < 128 } > 10)
        }
    }

    @Test("B44 tiling: a large picture streams")
    func b44Large() throws {
        let program = Program()
        try program.write("in.jpg", plain(6000, 4000, [200, 210, 220]), .jpeg(.init()))
        try program.write(
            "job.json",
            "{ \"labelpipe\": 1, \"output\": "
                + chain(
                    "{ \"effect\": \"image.source\" }",
                    "{ \"effect\": \"layout.tile\", \"gap\": 20, \"angle\": -30, \"label\": \(chain(text("PROOF", "DejaVu Sans Bold", 60), solid("#ffffff90"))) }"
                ) + " }")
        let ending = try program.run("run", "job.json", "in.jpg", "--output", "out.jpg", "--report", "report.jsonl")
        #expect(ending.code == 0 && ending.time < 60, "\(ending.time) s \(ending.errors)")
        let sheet = try Sheet(program.image("out.jpg").extractArea(PixelBox(left: 5700, top: 3700, width: 300, height: 300)))
        #expect(sheet.count { $0[0] > 225 } > 1000)
        #expect(program.peakMemory < 400 << 20, "\(program.peakMemory >> 20) MB")
    }
}
