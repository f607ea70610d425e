import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing
import Vips

@Suite struct PictureTests {
    /// Pixels that are all different.
    static func noise(_ width: Int, _ height: Int, bands: Int, format: PixelFormat, _ interpretation: Interpretation) throws
        -> Image
    {
        try VipsRuntime.start()
        var state: UInt32 = 12345
        let bytes = (0..<width * height * bands * format.bytesPerSample).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        return try Image.fromMemory(
            bytes, width: width, height: height, bands: bands, format: format, interpretation: interpretation)
    }

    static func mark(_ picture: Picture, _ affine: Affine = .identity) -> Mark {
        .body(Body(contents: [.picture(picture, affine)], outline: nil, boxes: FillBoxes(text: .zero)))
    }

    @Test func wholeMovesCopyEverySampleAtItsOwnDepth() throws {
        for (format, interpretation) in [(PixelFormat.uchar, Interpretation.srgb), (.ushort, .rgb16)] {
            let image = try Self.noise(23, 17, bands: 3, format: format, interpretation)
            let layer = Layer(
                marks: [Self.mark(Picture(image)).transformed(by: .translation(dx: 5, dy: -3))], kind: .colour, frame: .zero)
            let out = try layer.image(in: Region(x: 5, y: -3, width: 23, height: 17))
            #expect(out.format == format)
            #expect(try Pixels.samples(out.extractBand(0, count: 3)) == Pixels.samples(image))
        }
    }

    @Test func aLayerThatIsAPictureIsThatPicture() throws {
        let image = try Self.noise(5, 4, bands: 3, format: .uchar, .srgb)
        let out = try Layer(Picture(image, orientation: 6)).image()
        #expect(out.image === image && out.orientation == 6)
    }

    /// EXIF's eight ways to lie, by their definition: where row 0 and column 0 are when seen upright.
    static func uprightSample(_ orientation: Int, _ x: Int, _ y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        // (x, y) on the upright picture of width × height → stored.
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (y, width - 1 - x)
        case 7: (height - 1 - y, width - 1 - x)
        case 8: (height - 1 - y, x)
        default: (x, y)
        }
    }

    @Test(arguments: 1...8) func picturesAmongMarksAreTurnedUprightExactly(orientation: Int) throws {
        let stored = try Self.noise(7, 5, bands: 3, format: .uchar, .srgb)
        let picture = Picture(stored, orientation: orientation)
        let drawn = try Drawn([Self.mark(picture)], Region(x: 0, y: 0, width: picture.width, height: picture.height))
        let samples = try Pixels.samples(stored)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let s = Self.uprightSample(orientation, x, y, width: picture.width, height: picture.height)
                #expect(abs(drawn[x, y].x - Float(samples[(s.y * 7 + s.x) * 3]) / 255) < 1e-6)
            }
        }
        // The same as libvips turns it.
        let turned = try stored.editingMetadata { $0.setOrientation(orientation) }.upright()
        #expect(turned.width == picture.width)
        #expect(try Pixels.samples(turned)[0] == Double((drawn[0, 0].x * 255).rounded()))
    }

    /// B31: a white disc, its transparent pixels black or red, made small and turned, on white.
    @Test func hiddenColoursOfTransparentPixelsNeverShow() throws {
        try VipsRuntime.start()
        func logo(_ hidden: [UInt8]) throws -> Picture {
            var bytes: [UInt8] = []
            for y in 0..<400 {
                for x in 0..<400 {
                    let (dx, dy) = (Double(x) - 199.5, Double(y) - 199.5)
                    bytes += dx * dx + dy * dy < 180 * 180 ? [255, 255, 255, 255] : hidden
                }
            }
            return Picture(try Image.fromMemory(bytes, width: 400, height: 400, bands: 4, format: .uchar, interpretation: .srgb))
        }
        let white = Picture(try Pixels.picture([255, 255, 255], width: 60, height: 60))
        for map in [
            Affine.scale(37.0 / 400), Affine.scale(37.0 / 400).then(.rotation(degrees: 17)).then(.translation(dx: 15, dy: 5)),
            .scale(sx: 0.131, sy: 0.0777),
        ] {
            var results: [[Double]] = []
            for hidden in [[UInt8](repeating: 0, count: 4), [255, 0, 0, 0]] {
                let out = try Placing.draw([Self.mark(try logo(hidden)).transformed(by: map)], onto: white)
                results.append(try Pixels.samples(out.image))
                #expect(results.last?.allSatisfy { $0 >= 254 } == true)
            }
            #expect(results[0] == results[1])
        }
        // What straight alpha would have done, the law refuses.
        let naive = try logo([0, 0, 0, 0]).image.resized(horizontally: 37.0 / 400)
        let flat = try naive.flattened(background: [255])
        #expect(try Pixels.samples(flat).contains { $0 < 254 })
    }

    @Test func opaquePicturesKeepSharpEdgesAtAnySize() throws {
        let photo = Picture(try Pixels.picture([80, 160, 240], width: 300, height: 200))
        let drawn = try Drawn([Self.mark(photo).transformed(by: .scale(0.1))], Region(x: -2, y: -2, width: 34, height: 24))
        for y in -2..<22 {
            for x in -2..<32 {
                let inside = (0..<30).contains(x) && (0..<20).contains(y)
                let d = drawn[x, y] - (inside ? Pixel(80.0 / 255, 160.0 / 255, 240.0 / 255, 1) : .zero)
                #expect(max(abs(d.x), abs(d.y), abs(d.z), abs(d.w)) < 1e-4, "\(x), \(y)")
            }
        }
        // Enlarged too, and by halves of a pixel an edge is half covered.
        let large = try Drawn([Self.mark(photo).transformed(by: .scale(1.005))], Region(x: 295, y: 50, width: 10, height: 1))
        #expect(large[300, 50].w == 1 && abs(large[301, 50].w - 0.5) < 1e-4 && large[302, 50].w == 0)
    }

    @Test func shrinkingTakesTheMean() throws {
        // A fine checkerboard becomes grey, with no moiré.
        var bytes: [UInt8] = []
        for y in 0..<256 { for x in 0..<256 { bytes.append((x + y) % 2 == 0 ? 0 : 255) } }
        try VipsRuntime.start()
        let board = Picture(try Image.fromMemory(bytes, width: 256, height: 256, bands: 1, format: .uchar, interpretation: .bw))
        for map in [Affine.scale(0.12), Affine.scale(0.12).then(.rotation(degrees: 40)).then(.translation(dx: 20, dy: 0))] {
            let drawn = try Drawn([Self.mark(board).transformed(by: map)], Region(x: 0, y: 0, width: 46, height: 46))
            for p in drawn.pixels where p.w > 0.999 { #expect(abs(p.x - 0.5) < 0.02) }
        }
    }

    @Test func profilesOfPicturesAreHonoured() throws {
        let profile = try Operation("profile_load").set("name", "p3").run().bytes("profile")
        let p3 = try Pixels.picture([200, 100, 50], width: 4, height: 4).setting("icc-profile-data", to: .bytes(profile))
        let drawn = try Drawn([Self.mark(Picture(p3))], Region(x: 0, y: 0, width: 4, height: 4))
        // More saturated in sRGB than the numbers say.
        #expect(drawn[1, 1].x > 205.0 / 255 && drawn[1, 1].z < 45.0 / 255)
    }
}
