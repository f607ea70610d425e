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
