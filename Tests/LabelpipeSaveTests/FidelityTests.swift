import Glibc
import Splice
import Testing
import Vips

extension SaveTests {
    /// What a format can hold comes through; what it cannot is named.
    @Suite struct Fidelity {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        // MARK: Animations and pages

        private func animation(_ name: String, _ options: SaveOptions) throws {
            let frames = try [[255.0, 0, 0], [0, 255, 0], [0, 0, 255]].map { try Image.plain(64, 48, $0) }
            let strip = try Image.arrayjoin(frames).editingMetadata { editor in
                editor.set("page-height", .integer(48))
                editor.set("delay", .integers([100, 200, 300]))
                editor.set("loop", .integer(3))
            }
            try shop.save(strip, name, options)
        }

        @Test("B45: every frame is marked; delays, loop and count stay", arguments: ["gif", "webp"], ["gif", "webp"])
        func animated(source: String, output: String) throws {
            var webp = WebPSaveOptions()
            webp.isLossless = true
            try animation("a.\(source)", source == "gif" ? .gif() : .webp(webp))
            try shop.run(marking(), "a.\(source)", output: "out/o.\(output)")
            let (old, new) = (try Result(shop, "a.\(source)"), try Result(shop, "out/o.\(output)"))
            #expect(new.image.pageCount == 3)
            #expect(new.image.integers("delay") == [100, 200, 300])
            #expect(new.image.integer("loop") == old.image.integer("loop") && old.image.integer("loop") == 3)
            let tolerance = source == output ? 0 : 6
            for page in 0..<3 {
                #expect(try new.at(45, 35, page: page).prefix(3).isNear([255, 255, 255], tolerance), "\(page)")
                #expect(
                    try new.at(5, 5, page: page).prefix(3).isNear(Array(old.at(5, 5, page: page).prefix(3)), tolerance), "\(page)"
                )
            }
        }

        @Test("B45: a colour that the GIF's palette has not is the label's own")
        func colourOutsideThePalette() throws {
            try animation("a.gif", .gif())
            let outcome = try shop.run(marking("#ff8000"), "a.gif", output: "out/o.gif")
            for page in 0..<3 {
                let found = Array(try Result(shop, "out/o.gif").at(45, 35, page: page).prefix(3))
                #expect(found.isNear([255, 128, 0], 8), "\(found)")
            }
            #expect(outcome.warnings.contains { $0.contains("256 colours") })
        }

        @Test("B45: a format of one picture says what it leaves out", arguments: ["jpg", "png", "avif", "jxl", "ppm"])
        func stillFormats(format: String) throws {
            try animation("a.gif", .gif())
            let outcome = try shop.run(marking(), "a.gif", output: "out/o.\(format)")
            #expect(outcome.warnings.contains { $0.contains("2 further frames") }, "\(outcome.warnings)")
            let result = try Result(shop, "out/o.\(format)")
            #expect(result.image.height == 48)
            #expect(try result.at(5, 5).prefix(3).isNear([255, 0, 0], 8))
        }

        @Test func pagesOfATIFFStay() throws {
            let pages = try [[255.0, 0, 0], [0, 255, 0]].map { try Image.plain(64, 48, $0) }
            try shop.save(try .arrayjoin(pages).setting("page-height", to: .integer(48)), "p.tif", .tiff())
            let outcome = try shop.run(marking(), "p.tif", output: "out/o.tif")
            let result = try Result(shop, "out/o.tif")
            #expect(result.image.pageCount == 2 && outcome.warnings.isEmpty, "\(outcome.warnings)")
            for page in 0..<2 { #expect(try result.at(45, 35, page: page) == [255, 255, 255]) }
            #expect(try result.at(5, 5, page: 1) == [0, 255, 0])
            #expect(try shop.run(marking(), "p.tif", output: "out/o.gif").warnings.contains { $0.contains("animation") })
            try animation("a.gif", .gif())
            #expect(try shop.run(marking(), "a.gif", output: "out/o.tif").warnings.contains { $0.contains("delays") })
        }

        @Test func anAnimatedPNGIsNamed() throws {
            try shop.save(try .plain(64, 48, [1, 2, 3]), "a.png", .png())
            let bytes = try shop.bytes("a.png")
            // acTL: 5 frames, played for ever; its sum is not looked at by readers that do not know it.
            for (count, words) in [(UInt8(5), "4 further frames"), (0, "counts no frames")] {
                var some = bytes
                let control = Array("acTL".utf8) + [0, 0, 0, count, 0, 0, 0, 0]
                some.insert(contentsOf: [0, 0, 0, 8] + control + [0xC2, 0x1E, 0x9D, 0x39], at: 33)
                try shop.write("a.png", some)
                let outcome = try shop.run(marking(), "a.png", output: "out/o.png", flags: ["--tolerant"])
                #expect(outcome.warnings.contains { $0.contains(words) }, "\(outcome.warnings)")
            }
        }

        // MARK: Depth

        @Test(arguments: [("png", 16), ("tif", 16), ("jxl", 16), ("avif", 12), ("webp", 8), ("jpg", 8)])
        func sixteenBits(format: String, bits: Int) throws {
            try shop.save(try .plain(64, 48, [40_000, 20_000, 10_000], .rgb16), "d.png", .png())
            let outcome = try shop.run(marking(), "d.png", output: "out/o.\(format)")
            let result = try Result(shop, "out/o.\(format)")
            #expect((result.image.format == .ushort) == (bits > 8), "\(result.image.format)")
            #expect(outcome.warnings.contains { $0.contains("holds \(bits) bits") } == (bits < 16), "\(outcome.warnings)")
            if bits == 16, format != "jxl" {
                #expect(try result.at(5, 5) == [40_000, 20_000, 10_000])
                #expect(try result.at(45, 35) == [65535, 65535, 65535])
            }
        }

        // MARK: Resolution

        @Test("B47: resolution stays") func resolution() throws {
            let picture = try Image.plain(160, 120, [200, 100, 50]).editingMetadata {
                $0.setResolution(x: 300 / 25.4, y: 300 / 25.4)
            }
            let sources: [(String, SaveOptions)] = [("jpg", .jpeg()), ("png", .png()), ("tif", .tiff()), ("webp", .webp())]
            for (source, options) in sources { try shop.save(picture, "\(source).\(source)", options) }
            let outputs = ["jpg", "png", "tif", "webp", "avif"]
            try shop.run(
                marking(all: outputs.map { "\"path\": \"{stem}-o.\($0)\"" }), all: sources.map { "\($0.0).\($0.0)" },
                output: "out/")
            let names = sources.flatMap { source in outputs.map { "out/\(source.0)-o.\($0)" } }
            for (name, tags) in zip(names, try shop.tags(all: names, ["-n"])) {
                let told = tags["JFIF:XResolution"] ?? tags["IFD0:XResolution"] ?? ""
                if name.hasSuffix("png") {
                    #expect(tags["PNG-pHYs:PixelsPerUnitX"] == "11811", "\(name)")
                } else {
                    let dpi = (Double(told) ?? 0) * (tags["IFD0:ResolutionUnit"] == "3" ? 2.54 : 1)
                    #expect(abs(dpi - 300) < 0.5, "\(name): \(told)")
                }
            }
        }

        @Test("B47: millimetres are those of the picture's resolution", arguments: [(300.0, 118), (72, 28)])
        func millimetres(dpi: Double, width: Int) throws {
            let picture = try Image.plain(160, 60, [0, 0, 0]).editingMetadata { $0.setResolution(x: dpi / 25.4, y: dpi / 25.4) }
            try shop.save(picture, "r.png", .png())
            let document = """
                {"labelpipe": 1, "output": [{"effect": "image.source"}, {"effect": "layout.place", "anchor": "top-left", "label":
                 [{"effect": "shape.rectangle", "size": ["10mm", "5mm"]}, {"effect": "fill.solid", "color": "white"}]}]}
                """
            try shop.run(document, "r.png", output: "out/o.png")
            let result = try Result(shop, "out/o.png")
            #expect(try (0..<160).filter { try result.at($0, 4)[0] > 127 }.count == width)
        }

        // MARK: JPEG as its source

        @Test(
            arguments: [
                "video-001.q50.420.jpeg", "video-001.q50.422.jpeg", "video-001.q50.444.jpeg", "video-001.q50.440.jpeg",
                "video-001.q50.420.progressive.jpeg", "video-001.cmyk.jpeg", "video-001.rgb.jpeg", "video-005.gray.q50.jpeg",
            ])
        func aJPEGKeepsTablesSamplingAndProgression(name: String) throws {
            for policy in ["auto", "reencode"] {
                try shop.run(marking("#808080", keys: "\"jpeg\": \"\(policy)\""), "\(Real.go)/\(name)", output: "out/o.jpg")
                let (old, new) = try (header("\(Real.go)/\(name)"), header("out/o.jpg"))
                #expect(old.isProgressive == new.isProgressive && old.restartInterval == new.restartInterval, "\(policy)")
                #expect(old.components.map(\.quantisation) == new.components.map(\.quantisation), "\(policy)")
                #expect(old.components.map { [$0.h, $0.v] } == new.components.map { [$0.h, $0.v] }, "\(policy)")
                #expect(old.colour == new.colour, "\(policy)")
                #expect(try Tool("djpeg", ["-outfile", "/dev/null", shop.path("out/o.jpg")]).errors == "")
            }
        }

        @Test func restartIntervalsStay() throws {
            var options = JPEGSaveOptions()
            options.restartInterval = 3
            try shop.save(try .plain(160, 120, [200, 100, 50]), "r.jpg", .jpeg(options))
            for policy in ["auto", "reencode"] {
                try shop.run(marking(keys: "\"jpeg\": \"\(policy)\""), "r.jpg", output: "out/o.jpg")
                #expect(try header("out/o.jpg").restartInterval == 3)
            }
        }

        private func header(_ name: String) throws -> JPEGHeader { try shop.bytes(name).withUnsafeBytes { try JPEGHeader($0) } }

        /// Two pictures in one file, the second found by an index that counts from its own place.
        @Test(
            arguments: [
                "", "\"jpeg\": \"reencode\"", "\"set\": {\"Artist\": \"somebody with a long name\"}",
                "\"set\": {\"Artist\": \"me\"}, \"quality\": 50", "\"metadata\": \"no-location\"",
            ])
        func aSecondPictureIsStillFound(keys: String) throws {
            try shop.save(try .plain(160, 120, [200, 100, 50]), "first.jpg", .jpeg())
            try shop.save(try .plain(80, 60, [90, 90, 90]), "second.jpg", .jpeg())
            let (first, second) = (try shop.bytes("first.jpg"), try shop.bytes("second.jpg"))
            func big(_ value: Int, _ count: Int) -> [UInt8] {
                (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
            let size = first.count + 4 + 86
            var index = Array("MPF\0MM".utf8) + big(42, 2) + big(8, 4) + big(3, 2)
            index += big(0xB000, 2) + big(7, 2) + big(4, 4) + Array("0100".utf8)
            index += big(0xB001, 2) + big(4, 2) + big(1, 4) + big(2, 4) + big(0xB002, 2) + big(7, 2) + big(32, 4) + big(50, 4)
            index += big(0, 4) + big(0x030000, 4) + big(size, 4) + big(0, 8)
            // Counted from behind "MPF": 2 bytes of the picture's mark, 4 of the segment's, 4 of the name.
            index += big(0, 4) + big(second.count, 4) + big(size - 10, 4) + big(0, 4)
            try #require(index.count == 86)
            let segment = [0xFF, 0xE2] + big(88, 2) + index
            try shop.write("two.jpg", Array(first.prefix(2)) + segment + Array(first.dropFirst(2)) + second)
            let outcome = try shop.run(marking(keys: keys), "two.jpg", output: "out/o.jpg")
            #expect(outcome.warnings.contains { $0.contains("pictures behind the first are kept") }, "\(outcome.warnings)")
            let found = try Tool("exiftool", ["-b", "-MPImage2", shop.path("out/o.jpg")])
            #expect(found.output == second)
            #expect(try Result(shop, "out/o.jpg").at(45, 35).isNear([255, 255, 255], 8))
        }

        @Test func whatFollowsAJPEGIsKeptOrNamed() throws {
            try shop.save(try .plain(160, 120, [200, 100, 50]), "t.jpg", .jpeg())
            let trailer = Array("SEFT and more of somebody's own, more than a few bytes of it, for a film perhaps".utf8)
            try shop.write("t.jpg", try shop.bytes("t.jpg") + trailer)
            for keys in ["", "\"jpeg\": \"reencode\"", "\"set\": {\"Artist\": \"me\"}", "\"quality\": 50"] {
                try shop.run(marking(keys: keys), "t.jpg", output: "out/o.jpg")
                #expect(try shop.bytes("out/o.jpg").suffix(trailer.count).elementsEqual(trailer), "\(keys)")
            }
            for (keys, output) in [
                ("", "o.png"), ("\"metadata\": \"strip\"", "o.jpg"), ("\"metadata\": \"rights\", \"quality\": 50", "o.jpg"),
            ] {
                let outcome = try shop.run(marking(keys: keys), "t.jpg", output: "out/\(output)")
                #expect(outcome.warnings.contains { $0.contains("behind the picture's end") }, "\(outcome.warnings)")
                #expect(try shop.bytes("out/\(output)").firstRange(of: trailer) == nil)
            }
        }
    }
}
