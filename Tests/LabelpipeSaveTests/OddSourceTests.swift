import Testing
import Vips

extension SaveTests {
    /// Sources whose pixels or parts libvips does not pass on as they are.
    @Suite struct OddSources {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        @Test("a grey TIFF of floats becomes floats of colours with the same values")
        func greyFloats() throws {
            let floats = try Image.filled([0.25], width: 64, height: 64, format: .float, interpretation: .bw)
            try shop.save(floats, "f.tif", .tiff())
            try shop.run(marking("red"), "f.tif", output: "out/f.tif", flags: ["--strict"])
            let image = try Result(shop, "out/f.tif").image
            #expect(image.format == .float && image.bands == 3)
            func values(_ x: Int, _ y: Int) throws -> [Float] {
                try image.read(PixelBox(left: x, top: y, width: 1, height: 1)).withUnsafeBytes {
                    Array($0.bindMemory(to: Float.self))
                }
            }
            #expect(try values(5, 5) == [0.25, 0.25, 0.25])
            let red = try values(45, 35)
            #expect(abs(red[0] - 1) < 0.01 && abs(red[1]) < 0.01 && abs(red[2]) < 0.01, "\(red)")
        }

        @Test("the profile of grey floats does not go silently")
        func greyProfile() throws {
            let floats = try Image.filled([0.25], width: 64, height: 64, format: .float, interpretation: .bw)
            let profile = try Operation("profile_load").set("name", "srgb").run().bytes("profile")
            try shop.save(floats.setting("icc-profile-data", to: .bytes(profile)), "p.tif", .tiff())
            try shop.save(floats, "n.tif", .tiff())
            for format in ["tif", "png"] {
                for (name, isLost) in [("p", true), ("n", false)] {
                    let outcome = try shop.run(marking("red"), "\(name).tif", output: "out/\(name).\(format)")
                    #expect(outcome.warnings.contains { $0.contains("profile") } == isLost, "\(outcome.warnings)")
                }
            }
        }

        /// The first directory's short numbers written over; a little-endian file.
        private func patched(_ file: [UInt8], _ values: [Int: Int]) -> [UInt8] {
            var file = file
            func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
            let place = number(4, 4)
            for index in 0..<number(place, 2) {
                let at = place + 2 + 12 * index
                if let value = values[number(at, 2)] { file[at + 8] = UInt8(value) }
            }
            return file
        }

        @Test("samples that cannot be read are named; nobody says that the file is damaged")
        func oddSamples() throws {
            try shop.save(.plain(64, 48, [9], .bw), "g.tif", .tiff())
            try shop.save(
                .filled([0.25], width: 64, height: 48, format: .float, interpretation: .bw), "f.tif", .tiff())
            try shop.write("twelve.tif", patched(try shop.bytes("g.tif"), [258: 12]))
            try shop.write("double.tif", patched(try shop.bytes("f.tif"), [258: 64]))
            for (name, words) in [("twelve", "samples have 12 bits"), ("double", "floats of 64 bits")] {
                let outcome = try shop.run(marking(), "\(name).tif", output: "out/o.tif", expecting: 1)
                #expect(outcome.errors.contains(words) && !outcome.errors.contains("damaged"), "\(outcome.errors)")
            }
        }

        @Test("what a PNG says about its samples stays where it fits, and is missed aloud elsewhere")
        func samplesOfAPNG() throws {
            try shop.save(.plain(64, 48, [9, 90, 200]), "n.png", .png())
            var bytes = try shop.bytes("n.png")
            let significant: [UInt8] = [0, 0, 0, 3] + Array("sBIT".utf8) + [5, 6, 5, 0x33, 0x0B, 0x8D, 0x80]
            let background: [UInt8] = [0, 0, 0, 6] + Array("bKGD".utf8) + [0, 255, 0, 255, 0, 255, 0xA0, 0xBD, 0xA7, 0x93]
            bytes.insert(contentsOf: significant + background, at: 33)
            try shop.write("s.png", bytes)
            let kept = try shop.run(marking(), "s.png", output: "out/s.png")
            #expect(kept.warnings.isEmpty, "\(kept.warnings)")
            let made = try shop.bytes("out/s.png")
            for chunk in [significant, background] { #expect(made.ranges(of: chunk).count == 1) }
            #expect(try Result(shop, "out/s.png").at(45, 35) == [255, 255, 255])
            let lost = try shop.run(marking(), "s.png", output: "out/s.webp")
            #expect(lost.warnings == ["left out: the PNG's significant bits and background colour"])
            #expect(try shop.run(marking(), "n.png", output: "out/n.webp").warnings.isEmpty)
        }

        @Test("a TIFF with a tile that cannot be decoded fails, wherever the label is; tolerated, it is told")
        func damagedTile() throws {
            var options = TIFFSaveOptions()
            options.tile = (32, 32)
            try shop.save(try Image.plain(128, 128, [10, 90, 200]), "t.tif", .tiff(options))
            var bytes = try shop.bytes("t.tif")
            // The first tile, behind the header.
            for at in 8..<20 { bytes[at] = 0 }
            try shop.write("bad.tif", bytes)
            for (x, y) in [(2, 2), (70, 70)] {
                let outcome = try shop.run(
                    marking(x: x, y: y, width: 9, height: 9), "bad.tif", output: "out/bad.tif", expecting: 1)
                #expect(outcome.pictures.first?["status"]?.string == "failed")
                #expect(!shop.exists("out/bad.tif"))
            }
        }

        @Test("an animated WebP keeps delays of nothing")
        func delays() throws {
            let frames = try (0..<3).map { try Image.plain(32, 32, [Double(80 * $0), 90, 200]) }
            let animation = try Image.arrayjoin(frames).editingMetadata {
                $0.set("page-height", .integer(32))
                $0.set("delay", .integers([20, 70, 60]))
            }
            try shop.save(animation, "a.webp", .webp())
            var bytes = try shop.bytes("a.webp")
            let frame = try #require(bytes.firstRange(of: Array("ANMF".utf8))).lowerBound
            bytes[frame + 20] = 0
            try shop.write("b.webp", bytes)
            try shop.run(marking(x: 2, y: 2, width: 5, height: 5), "b.webp", output: "out/b.webp")
            #expect(try Result(shop, "out/b.webp").image.integers("delay") == [0, 70, 60])
        }

        @Test("XMP of a GIF is missed aloud")
        func gifXMP() throws {
            try shop.save(try Image.plain(32, 32, [10, 90, 200]), "g.gif", .gif())
            var bytes = try shop.bytes("g.gif")
            #expect(bytes.removeLast() == 0x3B)
            bytes += [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [3, 60, 97, 62, 0, 0x3B]
            try shop.write("x.gif", bytes)
            for (name, isLost) in [("g.gif", false), ("x.gif", true)] {
                let outcome = try shop.run(marking(x: 2, y: 2, width: 5, height: 5), name, output: "out/\(name)")
                #expect(outcome.warnings.contains { $0.contains("XMP") } == isLost, "\(name): \(outcome.warnings)")
            }
        }
    }
}
