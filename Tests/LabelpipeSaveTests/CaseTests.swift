import Glibc
import Testing
import Vips

/// Small real pictures that come with Debian's packages.
enum Real {
    static let go = "/usr/share/go-1.19/src/image/testdata"
    static let pngSuite = "/usr/share/go-1.19/src/image/png/testdata/pngsuite"
    static let oriented = "/usr/share/gocode/src/github.com/disintegration/imaging/testdata"
    static let profiles = "/usr/share/color/icc/colord"
}

extension SaveTests {
    /// What others met with real files, by the numbers of the collection; each runs the program.
    @Suite struct Cases {
        let shop: Workshop
        init() throws { shop = try Workshop() }

        private static let half = "#ff000080"

        @Test("B35: a coloured label makes a grey picture coloured, a grey one leaves it grey")
        func greyBase() throws {
            let grey = try Image.plain(64, 64, [128], .bw)
            try shop.save(grey, "g.png", .png())
            var jpeg = JPEGSaveOptions()
            jpeg.quality = 95
            try shop.save(grey, "g.jpg", .jpeg(jpeg))
            try shop.save(grey, "g.tif", .tiff())
            for name in ["g.png", "g.jpg", "g.tif"] {
                let tolerance = name == "g.jpg" ? 6 : 1
                try shop.run(marking(x: 20, y: 20, width: 20, height: 20, Self.half), name, output: "out/\(name)")
                let red = try Result(shop, "out/\(name)")
                #expect(red.image.bands == 3, "\(name)")
                #expect(try red.at(30, 30).isNear([192, 64, 64], tolerance))
                #expect(try red.at(5, 5).isNear([128, 128, 128], name == "g.jpg" ? 1 : 0), "\(name)")
                try shop.run(marking(x: 20, y: 20, width: 20, height: 20, "#404040"), name, output: "out/\(name)")
                let dark = try Result(shop, "out/\(name)")
                #expect(dark.image.bands == 1, "\(name)")
                #expect(try dark.at(30, 30).isNear([64], tolerance), "\(name)")
                #expect(try dark.at(5, 5).isNear([128], 1), "\(name)")
            }
        }

        @Test(
            "B35: also in one bit, with alpha, with 16 bits",
            arguments: [
                ("\(Real.go)/video-005.gray.jpeg", 3, 1), ("\(Real.pngSuite)/basn0g01.png", 3, 1),
                ("\(Real.pngSuite)/basn4a08.png", 4, 2), ("\(Real.pngSuite)/basn0g16.png", 3, 1),
                ("\(Real.pngSuite)/basn4a16.png", 4, 2),
            ])
        func greyKinds(file: String, coloured: Int, grey: Int) throws {
            let name = "out/o." + (file.split(separator: ".").last ?? "")
            let source = try Result(shop, file)
            try shop.run(marking(x: 5, y: 5, width: 10, height: 10, "red"), file, output: name)
            let red = try Result(shop, name)
            let full = red.image.format == .ushort ? 65535 : 255
            #expect(red.image.bands == coloured && red.image.format == source.image.format, "\(file)")
            #expect(try red.at(10, 10).prefix(3).isNear([full, 0, 0], name.hasSuffix("jpeg") ? 10 : 0))
            try shop.run(marking(x: 5, y: 5, width: 10, height: 10, "#404040"), file, output: name)
            let dark = try Result(shop, name)
            // libvips itself reads 16-bit grey with alpha as what it is.
            #expect(dark.image.bands == grey && dark.image.format == source.image.format, "\(file)")
            if name.hasSuffix("png") { #expect(try dark.at(25, 25) == source.at(25, 25), "\(file)") }
        }

        @Test("B36: CMYK stays CMYK in JPEG and TIFF, becomes right RGB elsewhere", arguments: ["jpg", "tif", "png", "webp"])
        func cmyk(format: String) throws {
            let file = "\(Real.go)/video-001.cmyk.jpeg"
            let outcome = try shop.run(marking(x: 128, y: 91, width: 20, height: 10), file, output: "out/o.\(format)")
            #expect(outcome.warnings.allSatisfy { !$0.contains("profile") })
            let result = try Result(shop, "out/o.\(format)")
            let isCMYK = format == "jpg" || format == "tif"
            #expect(result.image.bands == (isCMYK ? 4 : 3) && result.image.interpretation == (isCMYK ? .cmyk : .srgb))
            #expect(!result.image.hasProfile)
            let colours = try result.sRGB()
            #expect(try colours.at(138, 96).isNear([255, 255, 255], 6))
            var sums = [0, 0, 0]
            for y in 0..<90 {
                for x in 0..<127 { for (band, value) in try colours.at(x, y).enumerated() { sums[band] += value } }
            }
            let means = sums.map { $0 / (90 * 127) }
            // Of the whole picture (118, 82, 78); inverted (24, 81, 114).
            #expect(means.isNear([118, 82, 78], 30), "\(means)")
        }

        @Test(
            "B38: a palette stays one where all colours fit, and alpha is not invented",
            arguments: ["basn3p08", "basn3p04", "basn3p01"])
        func palette(name: String) throws {
            let file = "\(Real.pngSuite)/\(name).png"
            try shop.run(marking(x: 5, y: 5, width: 10, height: 10, "#ff0000"), file, output: "out/o.png")
            let (source, result) = (try Result(shop, file), try Result(shop, "out/o.png"))
            #expect(result.image.bands == 3)
            #expect(try result.at(10, 10) == [255, 0, 0])
            for (x, y) in [(0, 0), (31, 31), (4, 5), (15, 14), (20, 25)] { #expect(try result.at(x, y) == source.at(x, y)) }
            // Its header says so: 8 bits, colour type 3.
            #expect(try shop.bytes("out/o.png")[24..<26].elementsEqual([8, 3]))
        }

        @Test("B38: more colours than a palette holds make it RGB, with a word")
        func paletteGivenUp() throws {
            let file = "\(Real.pngSuite)/basn3p08.png"
            let gradient = """
                {"labelpipe": 1, "output": [{"effect": "image.source"}, {"effect": "layout.place", "label": [{"effect": "shape.rectangle",
                "size": [32, 32]}, {"effect": "fill.gradient", "colors": ["#ff000080", "#00ff0080", "#0000ff80"], "start": [0, 0],
                "end": [1, 0.3]}]}]}
                """
            let outcome = try shop.run(gradient, file, output: "out/o.png")
            #expect(try shop.bytes("out/o.png")[24..<26].elementsEqual([8, 2]))
            #expect(outcome.warnings.contains { $0.contains("palette") }, "\(outcome.warnings)")
        }

        @Test("B38: a palette picture as a logo, an opaque picture under it")
        func paletteLogo() throws {
            try shop.save(try .plain(64, 64, [10, 20, 30]), "base.png", .png())
            let document = """
                {"labelpipe": 1, "output": [{"effect": "image.source"}, {"effect": "layout.place", "anchor": "top-left",
                 "label": {"effect": "image.load", "path": "\(Real.pngSuite)/basn3p08-trns.png"}}]}
                """
            try shop.run(document, "base.png", output: "out/o.png")
            let (logo, result) = (try Result(shop, "\(Real.pngSuite)/basn3p08-trns.png"), try Result(shop, "out/o.png"))
            #expect(result.image.bands == 3)
            var transparent = 0
            for y in 0..<32 {
                for x in 0..<32 {
                    let pixel = try logo.at(x, y)
                    let alpha = Double(pixel[3]) / 255
                    let expected = zip(pixel, [10, 20, 30]).map { Int((Double($0) * alpha + Double($1) * (1 - alpha)).rounded()) }
                    if pixel[3] < 255 { transparent += 1 }
                    let found = try result.at(x, y)
                    #expect(found.isNear(expected, 1), "\(x) \(y)")
                }
            }
            #expect(transparent > 10)
        }

        @Test("B39: the picture's numbers and profile stay, the label is converted", arguments: ["png", "jpg", "tif", "webp"])
        func profile(format: String) throws {
            let profile = try shop.bytes("\(Real.profiles)/AdobeRGB1998.icc")
            let picture = try Image.plain(64, 64, [200, 100, 50]).setting("icc-profile-data", to: .bytes(profile))
            var jpeg = JPEGSaveOptions()
            jpeg.quality = 98
            var webp = WebPSaveOptions()
            webp.isLossless = true
            let options: SaveOptions =
                format == "png" ? .png() : format == "jpg" ? .jpeg(jpeg) : format == "tif" ? .tiff() : .webp(webp)
            try shop.save(picture, "i.\(format)", options)
            let tolerance = format == "jpg" ? 4 : 2
            for (colour, expected) in [("#ff0000", [219, 0, 0]), ("#ff8000", [227, 127, 30])] {
                try shop.run(marking(x: 20, y: 20, width: 20, height: 20, colour), "i.\(format)", output: "out/o.\(format)")
                let result = try Result(shop, "out/o.\(format)")
                #expect(result.image.profile == profile)
                #expect(try result.at(30, 30).isNear(expected, tolerance))
                #expect(try result.at(5, 5).isNear([200, 100, 50], format == "jpg" ? 2 : 0))
            }
            try shop.run(
                marking(x: 20, y: 20, width: 20, height: 20, "#ff0000", keys: "\"profile\": \"srgb\""), "i.\(format)",
                output: "out/o.\(format)")
            let converted = try Result(shop, "out/o.\(format)")
            #expect(!converted.image.hasProfile)
            #expect(try converted.at(5, 5).isNear([227, 100, 42], tolerance))
            #expect(try converted.at(30, 30).isNear([255, 0, 0], tolerance))
        }

        @Test("B39: a profile that swaps colours shows a wrong path", arguments: ["png", "jpg", "webp", "tif", "gif", "ppm"])
        func swappedProfile(format: String) throws {
            let profile = try shop.bytes("\(Real.profiles)/SwappedRedAndGreen.icc")
            try shop.save(
                try .plain(64, 64, [200, 100, 50]).setting("icc-profile-data", to: .bytes(profile)), "i.png", .png())
            try shop.run(marking(x: 20, y: 20, width: 20, height: 20, "#ff0000"), "i.png", output: "out/o.\(format)")
            let result = try Result(shop, "out/o.\(format)")
            // A format without profiles holds what the numbers mean.
            let hasProfile = format != "gif" && format != "ppm"
            #expect(result.image.hasProfile == hasProfile)
            let label = try result.at(30, 30).prefix(3)
            let other = try result.at(5, 5).prefix(3)
            #expect(label.isNear(hasProfile ? [0, 255, 0] : [255, 0, 0], 8), "\(Array(label))")
            #expect(other.isNear(hasProfile ? [200, 100, 50] : [100, 200, 50], 10), "\(Array(other))")
        }

        @Test("B40: transparency lies on the stated background, and stays where it can")
        func alphaToJPEG() throws {
            let left = try Image.filled([0, 0, 0, 0], width: 32, height: 64, format: .uchar, interpretation: .srgb)
            let right = try Image.filled([0, 0, 255, 255], width: 32, height: 64, format: .uchar, interpretation: .srgb)
            try shop.save(try .arrayjoin([left, right], across: 2), "a.png", .png())
            for (keys, expected) in [("", [255, 255, 255]), ("\"background\": \"#FFDD00\"", [255, 221, 0])] {
                let outcome = try shop.run(
                    marking(x: 20, y: 20, width: 20, height: 20, "#ffffff80", keys: keys), "a.png", output: "out/o.jpg")
                #expect(outcome.warnings.contains { $0.contains("transparency") })
                let result = try Result(shop, "out/o.jpg")
                #expect(result.image.bands == 3)
                #expect(try result.at(5, 60).isNear(expected, 6))
                // Next to the border no pixel is darker than its sides.
                #expect(try result.at(31, 5).isNear(expected, 30))
                #expect(try result.at(32, 5).isNear([0, 0, 255], 30))
            }
            for format in ["png", "webp", "tif", "avif"] {
                try shop.run(marking(x: 20, y: 20, width: 20, height: 20, "#ffffff80"), "a.png", output: "out/o.\(format)")
                let result = try Result(shop, "out/o.\(format)")
                #expect(try result.at(5, 60)[3] == 0, "\(format)")
                #expect(try result.at(60, 5)[3] == 255, "\(format)")
                #expect(
                    try result.at(25, 25).isNear([255, 255, 255, 128], format == "png" || format == "tif" ? 0 : 6), "\(format)")
            }
        }
    }
}
