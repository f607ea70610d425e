import Glibc
import Splice
import Testing
import Vips

extension SaveTests {
    /// The keys of an output.
    @Suite struct Outputs {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        @Test(
            arguments: [
                ("jpeg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]), ("webp", [0x52, 0x49, 0x46, 0x46]),
                ("tiff", [0x49, 0x49]), ("gif", [0x47, 0x49, 0x46]), ("avif", [0, 0, 0]), ("heic", [0, 0, 0]),
                ("jxl", [0xFF, 0x0A]),
                ("ppm", [0x50, 0x36]),
            ] as [(String, [UInt8])])
        func everyFormatByKey(format: String, magic: [UInt8]) throws {
            try shop.save(try .plain(64, 48, [200, 100, 50]), "i.png", .png())
            try shop.run(marking(keys: "\"format\": \"\(format)\""), "i.png", output: "out/")
            let found = try Tool("ls", [shop.path("out")])
            let name = try #require(String(decoding: found.output, as: UTF8.self).split(separator: "\n").map(String.init).first)
            #expect(try shop.bytes("out/\(name)").starts(with: magic))
            let result = try Result(shop, "out/\(name)")
            #expect(result.image.width == 64 && result.image.height == 48)
            #expect(try result.at(45, 35).prefix(3).isNear([255, 255, 255], 8))
            #expect(try result.at(5, 5).prefix(3).isNear([200, 100, 50], 10))
        }

        /// An encoder that is not there, as where libheif's encoders are packages of their own.
        @Test(arguments: ["\"format\": \"heic\"", "\"path\": \"{stem}.heic\"", ""])
        func aMissingCodecIsTold(keys: String) throws {
            try shop.write(
                "none.c",
                Array(
                    """
                    struct heif_error { int code, subcode; const char *message; };
                    struct heif_error heif_context_get_encoder_for_format(void *c, int f, void **e)
                    { struct heif_error none = {3, 0, "none"}; *e = 0; return none; }
                    """.utf8))
            let compiled = try Tool("clang", ["-shared", "-fPIC", "-o", shop.path("none.so"), shop.path("none.c")])
            try #require(compiled.code == 0, "\(compiled.errors)")
            try shop.save(try .plain(64, 48, [200, 100, 50]), "i.jpg", .jpeg())
            shop.environment = ["LD_PRELOAD": shop.path("none.so")]
            let output = keys.isEmpty ? "out/o.heic" : "out/"
            let outcome = try shop.run(marking(keys: keys), "i.jpg", output: output, expecting: 4)
            #expect(outcome.errors.contains("cannot write heic"), "\(outcome.errors)")
            #expect(!shop.exists("out/i.heic") && !shop.exists("out/o.heic"))
            try shop.run(marking(), "i.jpg", output: "out/o.webp")
        }

        @Test func severalOutputsOfOnePicture() throws {
            try shop.save(try .plain(64, 48, [200, 100, 50]), "i.jpg", .jpeg())
            let document = """
                {"labelpipe": 1, "nodes": {"marked": [{"effect": "image.source"}, {"effect": "layout.place", "label":
                 [{"effect": "shape.rectangle", "size": [10, 10]}, {"effect": "fill.solid", "color": "white"}]}]},
                 "outputs": [{"node": "marked", "path": "web/{stem}.webp", "lossless": true}, {"node": "marked", "path": "{stem}.jpg"},
                 {"node": [{"effect": "image.source"}, {"effect": "image.resize", "width": 16}], "path": "small/{stem}.png"}]}
                """
            let outcome = try shop.run(document, "i.jpg", output: "out/")
            #expect(outcome.errors.contains("1 done"))
            #expect(try Result(shop, "out/web/i.webp").image.width == 64)
            #expect(try shop.bytes("out/web/i.webp").firstRange(of: Array("VP8L".utf8)) != nil)
            #expect(try Result(shop, "out/i.jpg").image.width == 64)
            #expect(try Result(shop, "out/small/i.png").image.width == 16)
        }

        @Test func losslessIsKept() throws {
            var lossless = WebPSaveOptions()
            lossless.isLossless = true
            try shop.save(try .plain(64, 48, [201, 99, 51]), "l.webp", .webp(lossless))
            try shop.save(try .plain(64, 48, [201, 99, 51]), "y.webp", .webp())
            try shop.run(marking(), "l.webp", output: "out/o.webp")
            #expect(try shop.bytes("out/o.webp").firstRange(of: Array("VP8L".utf8)) != nil)
            #expect(try Result(shop, "out/o.webp").at(5, 5) == [201, 99, 51])
            try shop.run(marking(), "y.webp", output: "out/o.webp")
            #expect(try shop.bytes("out/o.webp").firstRange(of: Array("VP8L".utf8)) == nil)
        }

        @Test func theLayoutOfATIFFIsKept() throws {
            for compression in [TIFFSaveOptions.Compression.none, .lzw, .deflate, .zstd, .jpeg] {
                var options = TIFFSaveOptions()
                options.compression = compression
                options.tile = (128, 64)
                try shop.save(try .plain(300, 200, [200, 100, 50]), "t.tif", .tiff(options))
                try shop.run(marking(keys: "\"set\": {\"Artist\": \"me\"}"), "t.tif", output: "out/o.tif")
                let (old, new) = (try shop.tags("t.tif", "-n"), try shop.tags("out/o.tif", "-n"))
                for tag in ["Compression", "TileWidth", "TileLength"] {
                    #expect(old["IFD0:\(tag)"] == new["IFD0:\(tag)"], "\(compression) \(tag)")
                }
            }
        }

        @Test("B49: colour at full resolution where it is asked for; quality as the source's")
        func jpegQuality() throws {
            try shop.save(try .plain(64, 64, [255, 255, 255]), "w.png", .png())
            let red = { (keys: String) in marking(x: 21, y: 21, width: 9, height: 9, "red", keys: keys) }
            try shop.run(red("\"quality\": 75, \"subsampling\": \"4:4:4\""), "w.png", output: "out/f.jpg")
            let full = try Result(shop, "out/f.jpg")
            #expect(try full.at(21, 25).dropFirst().allSatisfy { $0 <= 25 })
            #expect(try full.at(20, 25).dropFirst().allSatisfy { $0 >= 235 })
            try shop.run(red("\"quality\": 75, \"subsampling\": \"4:2:0\""), "w.png", output: "out/h.jpg")
            #expect(try !Result(shop, "out/h.jpg").at(21, 25).dropFirst().allSatisfy { $0 <= 25 })
            // Without a word: full.
            try shop.run(red(""), "w.png", output: "out/d.jpg")
            let components = try shop.bytes("out/d.jpg").withUnsafeBytes { try JPEGHeader($0) }.components
            #expect(components.allSatisfy { $0.h == 1 && $0.v == 1 })
            for quality in [75, 90, 95] {
                var options = JPEGSaveOptions()
                options.quality = quality
                let photo = try Image.generated(width: 400, height: 400, bands: 3, format: .uchar, interpretation: .srgb) {
                    pixels in
                    for y in 0..<pixels.box.height {
                        for x in 0..<pixels.box.width * 3 {
                            let (px, py) = (pixels.box.left + x / 3, pixels.box.top + y)
                            pixels.row(y, as: UInt8.self)[x] =
                                UInt8((px * px / 97 + py * 3 + x % 3 * 50 + px * py / 211) & 255) / 2 + 60
                        }
                    }
                }
                try shop.save(photo, "p.jpg", .jpeg(options))
                try shop.run(marking(keys: "\"jpeg\": \"reencode\""), "p.jpg", output: "out/p.jpg")
                let ratio = Double(try shop.bytes("out/p.jpg").count) / Double(try shop.bytes("p.jpg").count)
                #expect((0.8...1.3).contains(ratio), "\(quality): \(ratio)")
            }
        }

        @Test("B52: formats by content, outputs by name", arguments: ["jpg", "png", "webp", "gif"])
        func wrongExtension(content: String) throws {
            let options: SaveOptions = ["jpg": .jpeg(), "png": .png(), "webp": .webp(), "gif": .gif()][content]!
            let names = ["p.jpg", "p.png", "p.JPG", "p"]
            for name in names { try shop.save(try .plain(64, 48, [200, 100, 50]), name, options) }
            try shop.write("h.jpg", Array("<html></html>".utf8))
            try shop.write("e.jpg", [])
            let magic: [String: [UInt8]] = [
                "jpg": [0xFF, 0xD8], "png": [0x89, 0x50], "webp": [0x52, 0x49], "gif": [0x47, 0x49],
            ]
            for name in names {
                let outcome = try shop.run(marking(), "h.jpg", name, "e.jpg", output: "out-\(name)/", expecting: 1)
                #expect(outcome.pictures.filter { $0["status"]?.string == "failed" }.count == 2)
                #expect(!shop.exists("out-\(name)/h.jpg") && !shop.exists("out-\(name)/e.jpg"))
                let expected = name == "p" ? content : name.lowercased().hasSuffix("jpg") ? "jpg" : "png"
                #expect(try shop.bytes("out-\(name)/\(name)").starts(with: magic[expected]!), "\(name)")
                #expect(outcome.warnings.contains { $0.contains("although its name says") } == (expected != content), "\(name)")
            }
        }

        @Test(
            "B43: a label that is too large, pictures of a pixel, odd sizes",
            arguments: [(120, 141), (1, 1), (1, 500), (500, 1), (3, 3), (101, 67)])
        func tinyPictures(width: Int, height: Int) throws {
            let names = ["j.jpg", "p.png"]
            try shop.save(try .plain(width, height, [10, 200, 30]), "j.jpg", .jpeg())
            try shop.save(try .plain(width, height, [10, 200, 30]), "p.png", .png())
            try shop.run(
                marking(
                    all: [
                        "\"path\": \"{stem}-0.jpg\"",
                        "\"path\": \"{stem}-1.jpg\", \"quality\": 90, \"subsampling\": \"4:2:0\"",
                        "\"path\": \"{stem}-exact.png\"",
                    ], x: -50, y: -50, width: 300, height: 300, "#ffffff80"), all: names, output: "out/")
            try shop.run(marking(x: 1000, y: 1000, "red", keys: "\"path\": \"{stem}-same.png\""), all: names, output: "out/")
            for name in names {
                let stem = "out/\(name.prefix(1))"
                let exact = try Result(shop, "\(stem)-exact.png").at(width - 1, height - 1)
                for output in ["\(stem)-0.jpg", "\(stem)-1.jpg"] {
                    let result = try Result(shop, output)
                    #expect(result.image.width == width && result.image.height == height)
                    // The last column and row as in a file without loss: nothing is garbled at an edge.
                    let found = try result.at(width - 1, height - 1)
                    if width != 500, height != 500 { #expect(found.isNear(exact, 12), "\(output)") }
                }
                #expect(try Result(shop, "\(stem)-same.png").at(0, 0).isNear(Result(shop, name).at(0, 0), 0))
            }
        }
    }
}
