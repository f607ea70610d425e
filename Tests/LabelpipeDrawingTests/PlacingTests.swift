import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing
import Vips

@Suite struct PlacingTests {
    static func block(_ color: String, _ x: Double = 0, _ y: Double = 0, _ width: Double = 20, _ height: Double = 20) -> Mark {
        .body(Sample.body(Sample.rectangle(x, y, width, height), .color(Sample.color(color))))
    }

    static func place(
        _ marks: [Mark], on pixel: [Double], opacity: Double = 1, blend: BlendMode = .normal, space: BlendSpace = .srgb,
        format: PixelFormat = .uchar, _ interpretation: Interpretation = .srgb
    ) throws -> [Double] {
        let base = Picture(try Pixels.picture(pixel, width: 8, height: 8, format: format, interpretation: interpretation))
        let out = try Placing.draw(marks, opacity: opacity, blend: blend, space: space, onto: base)
        return try Pixels.pixel(out.image, 4, 4)
    }

    /// B32.
    @Test func opacityCountsOnce() throws {
        let white = [255.0, 255, 255]
        #expect(try Self.place([Self.block("black")], on: white, opacity: 0.5)[0] == 127)
        #expect(try Self.place([Self.block("#00000080")], on: white, opacity: 0.5)[0] == 191)
        #expect(try Self.place([Self.block("black")], on: white, opacity: 0)[0] == 255)
        let soft = Picture(try Pixels.picture([0, 0, 0, 128], width: 8, height: 8))
        #expect(try Self.place([PictureTests.mark(soft)], on: white)[0] == 127)
        // A transparent base does not hide the label.
        #expect(try Self.place([PictureTests.mark(soft)], on: [10, 20, 30, 0]) == [0, 0, 0, 128])
    }

    /// B33.
    @Test func blendsOnEncodedValuesOrOnLight() throws {
        let cases: [(String, [Double], [Double], [Double])] = [
            ("white", [0, 0, 0], [128, 128, 128], [188, 188, 188]),
            ("black", [255, 255, 255], [127, 127, 127], [187, 187, 187]),
            ("red", [0, 255, 0], [128, 127, 0], [188, 187, 0]),
        ]
        for (colour, base, encoded, light) in cases {
            let srgb = try Self.place([Self.block(colour)], on: base, opacity: 0.5)
            let linear = try Self.place([Self.block(colour)], on: base, opacity: 0.5, space: .linear)
            for k in 0..<3 {
                #expect(abs(srgb[k] - encoded[k]) <= 1, "\(colour)")
                #expect(abs(linear[k] - light[k]) <= 1, "\(colour)")
            }
        }
        // Coverage and opacity are the same thing.
        let half = try Self.place([Self.block("black", 0, 0, 4.5, 20)], on: [255, 255, 255])
        #expect(half[0] == 127)
    }

    /// B35.
    @Test func greyStaysGreyUnlessTheLabelIsColoured() throws {
        let red = try Self.place([Self.block("#ff000080")], on: [128], .bw)
        #expect(red.count == 3 && zip(red, [192.0, 64, 64]).allSatisfy { abs($0 - $1) <= 1 })
        #expect(try Self.place([Self.block("#ffffff80")], on: [128], .bw) == [192])
        #expect(try Self.place([Self.block("#ff000080")], on: [128, 255], .bw) == red + [255])
        let base = Picture(try Pixels.picture([128], width: 64, height: 64, interpretation: .bw))
        let out = try Placing.draw([Self.block("red")], onto: base)
        #expect(out.image.bands == 3)
        #expect(try Pixels.pixel(out.image, 40, 40) == [128, 128, 128])
        let deep = try Self.place([Self.block("#ff000080")], on: [32896], format: .ushort, .grey16)
        #expect(deep.count == 3 && abs(deep[0] - 49280) <= 2 && abs(deep[1] - 16384) <= 130)
    }

    /// B36: white ink is no ink, in the picture's own four channels.
    @Test func cmykIsDrawnInCMYK() throws {
        let white = try Self.place([Self.block("white")], on: [10, 20, 30, 40], .cmyk)
        #expect(white.count == 4 && white.allSatisfy { $0 <= 2 })
        let black = try Self.place([Self.block("black")], on: [10, 20, 30, 40], .cmyk)
        #expect(black[3] > 200)
        // Seen as libvips shows CMYK, the label has its colour (within what inks can do).
        let base = Picture(try Pixels.picture([0, 0, 0, 0], width: 8, height: 8, interpretation: .cmyk))
        let out = try Placing.draw([Self.block("#808080")], onto: base)
        let seen = try Pixels.pixel(out.image.iccTransform(to: "srgb", assumed: "cmyk"), 4, 4)
        #expect(seen.allSatisfy { abs($0 - 128) <= 6 }, "\(seen)")
        #expect(try Self.place([Self.block("white")], on: [10, 20, 30, 40, 255], .cmyk).count == 5)
    }

    static let adobeRGB = "/usr/share/color/icc/colord/AdobeRGB1998.icc"

    /// B39.
    @Test(.enabled(if: access(adobeRGB, R_OK) == 0)) func labelColoursAreConvertedIntoThePicturesProfile() throws {
        let bytes = Self.file(Self.adobeRGB)
        let image = try Pixels.picture([200, 100, 50], width: 64, height: 64).setting("icc-profile-data", to: .bytes(bytes))
        let out = try Placing.draw([Self.block("#ff0000"), Self.block("#ff8000", 30)], onto: Picture(image))
        #expect(out.image.profile == bytes)
        #expect(try Pixels.pixel(out.image, 60, 60) == [200, 100, 50])
        let red = try Pixels.pixel(out.image, 10, 10)
        let orange = try Pixels.pixel(out.image, 40, 10)
        #expect(zip(red, [219.0, 0, 0]).allSatisfy { abs($0 - $1) <= 2 }, "\(red)")
        #expect(zip(orange, [227.0, 127, 30]).allSatisfy { abs($0 - $1) <= 2 }, "\(orange)")
        // The picture's own sRGB, under another name, changes nothing.
        let own = try Operation("profile_load").set("name", "srgb").run().bytes("profile")
        let srgb = try Pixels.picture([1, 2, 3], width: 8, height: 8).setting("icc-profile-data", to: .bytes(own))
        #expect(try Pixels.pixel(Placing.draw([Self.block("#fe8013")], onto: Picture(srgb)).image, 2, 2) == [254, 128, 19])
    }

    /// Light is what the picture's own curve makes of its codes: gamma 2.19921875 here, not sRGB's.
    @Test(.enabled(if: access(adobeRGB, R_OK) == 0)) func linearBlendsUseThePicturesCurve() throws {
        let gamma = 2.19921875
        let image = try Pixels.picture([200, 100, 50], width: 64, height: 64)
            .setting("icc-profile-data", to: .bytes(Self.file(Self.adobeRGB)))
        let half = try Placing.draw([Self.block("black")], opacity: 0.5, space: .linear, onto: Picture(image))
        let seen = try Pixels.pixel(half.image, 10, 10)
        for (value, code) in zip(seen, [200.0, 100, 50]) {
            #expect(abs(value - code * pow(0.5, 1 / gamma)) <= 0.6, "\(seen)")
        }
        // What is laid over its own colour is not seen, at any opacity.
        let grey = try Pixels.picture([128, 128, 128], width: 64, height: 64)
            .setting("icc-profile-data", to: .bytes(Self.file(Self.adobeRGB)))
        let own = try Placing.draw([Self.block("#808080")], onto: Picture(grey))
        let colour = try Pixels.pixel(own.image, 10, 10)
        for opacity in [0.1, 0.5, 0.9] {
            let again = try Placing.draw([Self.block("#808080")], opacity: opacity, space: .linear, onto: own)
            #expect(try Pixels.pixel(again.image, 10, 10) == colour)
        }
    }

    static func file(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[0..<count] }
        return bytes
    }

    /// B09: a white glow round white text on white, yellow on yellow, 8 and 16 bit.
    @Test func aSoftEdgeHasNoDarkRim() throws {
        for (colour, pixel) in [("white", [255.0, 255, 255]), ("yellow", [255, 255, 0])] {
            let body = Sample.body(Sample.glyph(), .color(Sample.color(colour)))
            let marks = [shadow(body, sigma: 4, color: Sample.color(colour)), .body(body)]
            for deep in [false, true] {
                let base = try Pixels.picture(
                    pixel.map { $0 * (deep ? 257 : 1) }, width: 120, height: 100, format: deep ? .ushort : .uchar,
                    interpretation: deep ? .rgb16 : .srgb)
                let out = try Placing.draw(marks, onto: Picture(base))
                #expect(try Pixels.samples(out.image) == Pixels.samples(base))
            }
        }
    }

    /// Linear pictures are blended in light only where that is asked for.
    @Test func scRGBKnowsBothSpaces() throws {
        func grey(_ space: BlendSpace) throws -> Double {
            try Self.place([Self.block("white")], on: [0, 0, 0], opacity: 0.5, space: space, format: .float, .scrgb)[0]
        }
        #expect(abs(try grey(.linear) - 0.5) < 1e-4)
        #expect(abs(try grey(.srgb) - 0.2140) < 1e-3)
        #expect(abs(try Self.place([Self.block("#808080")], on: [3, 3, 3], format: .float, .scrgb)[0] - 0.2158) < 1e-3)
    }

    @Test func otherSpacesAreConvertedAndUnknownFormatsRefused() throws {
        let lab = try Pixels.picture([53.585, 0, 0], width: 8, height: 8, format: .float, interpretation: .lab)
        let out = try Placing.draw([Self.block("red", 0, 0, 4, 8)], onto: Picture(lab))
        #expect(out.image.bands == 3 && out.image.format == .ushort)
        let (label, rest) = (try Pixels.pixel(out.image, 1, 1), try Pixels.pixel(out.image, 6, 1))
        #expect(label == [65535, 0, 0] && abs(rest[0] / 257 - 128) < 1)
        let complex = try Pixels.picture([1], width: 8, height: 8, format: .complex, interpretation: .bw)
        #expect(throws: DrawingError.self) { try Placing.draw([Self.block("red")], onto: Picture(complex)) }
        let six = try Pixels.picture([1, 2, 3, 4, 5, 6], width: 8, height: 8, interpretation: .multiband)
        #expect(throws: DrawingError.self) { try Placing.draw([Self.block("red")], onto: Picture(six)) }
    }

    /// Above 16 MP a label is rendered in bands.
    @Test(arguments: [1, 8]) func hugeLabelsAreDrawnInBands(orientation: Int) throws {
        let base = try Pixels.picture([255, 255, 255], width: 5200, height: 3600)
        let picture = Picture(base, orientation: orientation)
        let ellipse = Outline(.ellipse(in: Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))))
        let marks = [Mark.body(Sample.body(ellipse, Sample.gradient(ellipse, [.black, Sample.color("#ff0000")])))]
        let out = try Placing.draw(marks, onto: picture)
        let orient = Orientation(orientation, storedWidth: 5200, storedHeight: 3600)
        for box in [
            PixelBox(left: 2000, top: 100, width: 60, height: 60), PixelBox(left: 5000, top: 1500, width: 50, height: 400),
        ] {
            let samples = try Pixels.samples(out.image.extractArea(box))
            let upright = orient.upright(Region(x: box.left, y: box.top, width: box.width, height: box.height))
            let drawn = try Drawn(marks, upright)
            for y in 0..<box.height {
                for x in 0..<box.width {
                    let p = orient.upright.apply(Point(x: Double(box.left + x) + 0.5, y: Double(box.top + y) + 0.5))
                    let label = drawn[Int(p.x), Int(p.y)]
                    #expect(abs(samples[(y * box.width + x) * 3 + 1] - Double(label.y * 255 + 255 * (1 - label.w))) < 0.51)
                }
            }
        }
    }

    // MARK: The same-colour oracle

    struct Kind: Sendable, CustomTestStringConvertible {
        let pixel: [Double]
        let format: PixelFormat
        let interpretation: Interpretation
        var testDescription: String { "\(interpretation) \(format) \(pixel)" }
    }

    static let kinds: [Kind] = {
        let c: [Double] = [200, 100, 51]
        var kinds: [Kind] = []
        for alpha: Double? in [nil, 255, 128, 3] {
            let a = alpha.map { [$0] } ?? []
            kinds.append(Kind(pixel: c + a, format: .uchar, interpretation: .srgb))
            kinds.append(Kind(pixel: (c + a).map { $0 * 257 }, format: .ushort, interpretation: .rgb16))
            kinds.append(Kind(pixel: c + a, format: .float, interpretation: .srgb))
            kinds.append(Kind(pixel: [100] + a, format: .uchar, interpretation: .bw))
            kinds.append(Kind(pixel: ([100] + a).map { $0 * 257 }, format: .ushort, interpretation: .grey16))
        }
        return kinds
    }()

    /// Everything a label can be made of, in one colour.
    static func label(_ color: Color) -> [Mark] {
        let outline = Sample.glyph(dx: 12, dy: 12)
        let inner = Finish.innerShadow(InnerShadow(color: color, offset: Vector(dx: 1, dy: 2), sigma: 2))
        let body = Sample.body(
            outline, .color(Color(red: color.red, green: color.green, blue: color.blue, alpha: 0.6)),
            [inner, stroke(3, color), stroke(2, color, .inside)])
        return [
            shadow(body, sigma: 9, offset: Vector(dx: 3, dy: 3), color: color), shadow(body, sigma: 2, color: color), .body(body),
        ]
    }

    @Test(arguments: kinds) func aLabelInThePicturesColourChangesNoColour(kind: Kind) throws {
        let full: Double = kind.format == .ushort ? 65535 : 255
        let channels = kind.pixel.count <= 2 ? 1 : 3
        let c = kind.pixel.prefix(channels).map { $0 / full }
        let color = Color(red: c[0], green: c[channels / 2], blue: c[channels - 1])
        let base = try Pixels.picture(
            kind.pixel, width: 140, height: 120, format: kind.format, interpretation: kind.interpretation)
        let before = try Pixels.samples(base)
        let maps = [Affine.identity, .scale(sx: 1.1, sy: 0.7), Affine.rotation(degrees: 12).then(.translation(dx: 10, dy: -10))]
        for (index, map) in maps.enumerated() {
            for space in BlendSpace.allCases {
                for orientation in [1, 7] {
                    let marks = Self.label(color).map { $0.transformed(by: map) }
                    let out = try Placing.draw(
                        marks, opacity: index == 1 ? 0.37 : 1, space: space, onto: Picture(base, orientation: orientation))
                    #expect(out.image.bands == base.bands && out.image.format == base.format)
                    let after = try Pixels.samples(out.image)
                    var worst = 0.0
                    for i in after.indices where i % kind.pixel.count < channels { worst = max(worst, abs(after[i] - before[i])) }
                    // Light and back costs a float's rounding.
                    let allowed: Double = kind.format == .float ? 0.01 : space == .linear && kind.format == .ushort ? 1 : 0
                    #expect(worst <= allowed, "\(space), map \(index), orientation \(orientation): \(worst)")
                }
            }
        }
    }

    @Test func theOracleRefusesStraightAlphaBlendingOfASoftLabel() throws {
        // The label blurred without premultiplication: black comes in from where it is transparent.
        let color = Sample.color("#c86433")
        let hard = Mark.body(Sample.body(Sample.glyph(), .color(color)))
        let layer = try Layer(marks: [hard], kind: .colour, frame: .zero).image(in: Region(x: 0, y: 0, width: 140, height: 120))
        let naive = try Operation("gaussblur").set("in", layer).set("sigma", 2.0).image()
        let base = Picture(try Pixels.picture([200, 100, 51], width: 140, height: 120))
        let out = try Placing.draw([PictureTests.mark(Picture(naive))], onto: base)
        let worst = zip(try Pixels.samples(out.image), try Pixels.samples(base.image)).reduce(0) { max($0, abs($1.0 - $1.1)) }
        #expect(worst > 2, "\(worst)")
    }

    @Test func theOracleHoldsInOtherProfilesAndInCMYK() throws {
        let p3 = try Operation("profile_load").set("name", "p3").run().bytes("profile")
        let color = Sample.color("#c86433")
        for kind in [
            Kind(pixel: [0, 0, 0], format: .uchar, interpretation: .srgb),
            Kind(pixel: [0, 0, 0, 0], format: .uchar, interpretation: .cmyk),
        ] {
            func base(_ pixel: [Double]) throws -> Image {
                let image = try Pixels.picture(
                    pixel, width: 140, height: 120, format: kind.format, interpretation: kind.interpretation)
                return kind.interpretation == .cmyk ? image : try image.setting("icc-profile-data", to: .bytes(p3))
            }
            let first = try Placing.draw(
                [.body(Sample.body(Sample.rectangle(0, 0, 140, 120), .color(color)))], onto: Picture(base(kind.pixel)))
            let own = try Pixels.pixel(first.image, 5, 5)
            #expect(own != kind.pixel)
            let second = try base(own)
            #expect(try Pixels.samples(Placing.draw(Self.label(color), onto: Picture(second)).image) == Pixels.samples(second))
        }
    }

    // MARK: Where

    @Test(arguments: 1...8) func theLabelIsPlacedInTheUprightViewExactly(orientation: Int) throws {
        let stored = try PictureTests.noise(90, 70, bands: 3, format: .uchar, .srgb)
        let picture = Picture(stored, orientation: orientation)
        let marks = Self.label(Sample.color("#ff8000")).map { $0.transformed(by: .scale(0.5)) }
        let offset = Vector(dx: 11, dy: 7)
        let out = try Placing.draw(marks, at: offset, onto: picture)
        #expect(out.orientation == orientation)
        // The other way round: turned first, then drawn on.
        let upright = try stored.editingMetadata { $0.setOrientation(orientation) }.upright()
        let expected = try Placing.draw(marks, at: offset, onto: Picture(upright))
        let seen = try out.image.editingMetadata { $0.setOrientation(orientation) }.upright()
        #expect(try Pixels.samples(seen) == Pixels.samples(expected.image))
        // A label that is drawn without looking at the tag is not that, for any tag but 1.
        let blind = try Placing.draw(marks, at: offset, onto: Picture(stored))
        let turned = try blind.image.editingMetadata { $0.setOrientation(orientation) }.upright()
        #expect((try Pixels.samples(turned) == Pixels.samples(expected.image)) == (orientation == 1))
    }

    @Test func everyPageIsMarkedAlike() throws {
        let strip = try Pixels.picture([10, 20, 30], width: 30, height: 60).setting("page-height", to: .integer(20))
        let picture = Picture(strip)
        #expect(picture.pageCount == 3)
        let out = try Placing.draw([Self.block("white", 5, 12, 8, 30)], onto: picture)
        for page in 0..<3 {
            #expect(try Pixels.pixel(out.image, 8, page * 20 + 15) == [255, 255, 255])
            #expect(try Pixels.pixel(out.image, 8, page * 20 + 11) == [10, 20, 30])
            #expect(try Pixels.pixel(out.image, 20, page * 20 + 15) == [10, 20, 30])
        }
    }

    @Test func transparentPixelsLeaveTheBaseAndOpaqueOnesAreTheirColour() throws {
        let noise = try PictureTests.noise(120, 100, bands: 4, format: .uchar, .srgb)
        let body = Sample.body(Sample.glyph(), .color(Sample.color("#fe8013")))
        let out = try Placing.draw([.body(body)], onto: Picture(noise))
        let (before, after) = (try Pixels.samples(noise), try Pixels.samples(out.image))
        let drawn = try Drawn([.body(body)], Region(x: 0, y: 0, width: 120, height: 100))
        for (i, p) in drawn.pixels.enumerated() {
            if p.w == 0 { #expect(Array(before[4 * i..<4 * i + 4]) == Array(after[4 * i..<4 * i + 4])) }
            if p.w == 1 { #expect(Array(after[4 * i..<4 * i + 4]) == [254, 128, 19, 255]) }
        }
    }

    @Test func placesThatTheLabelLeavesAreCut() throws {
        let base = Picture(try Pixels.picture([0, 0, 0], width: 20, height: 20))
        for offset in [Vector(dx: -15, dy: -15), Vector(dx: 12, dy: 13), Vector(dx: 100, dy: 0), Vector(dx: 0, dy: -60)] {
            let out = try Placing.draw([Self.block("white")], at: offset, onto: base)
            let samples = try Pixels.samples(out.image)
            for y in 0..<20 {
                for x in 0..<20 {
                    let inside = Region(x: Int(offset.dx), y: Int(offset.dy), width: 20, height: 20).contains(x: x, y: y)
                    #expect(samples[(y * 20 + x) * 3] == (inside ? 255 : 0))
                }
            }
        }
    }

    // MARK: Blend modes

    @Test(arguments: BlendMode.allCases) func everyModeInEveryFormat(mode: BlendMode) throws {
        let (base, label) = ([0.2, 0.6, 0.8], "#cc6633")
        let full = Sample.color(label).vector
        for (format, interpretation, k) in [
            (PixelFormat.uchar, Interpretation.srgb, 255.0), (.ushort, .rgb16, 65535), (.float, .srgb, 255),
        ] {
            for alpha: Double? in [nil, 0.4] {
                let pixel = (base + (alpha.map { [$0] } ?? [])).map { ($0 * k).rounded() }
                let got = try Self.place(
                    [Self.block(label)], on: pixel, opacity: 0.5, blend: mode, format: format, interpretation)
                // The same by the reference of one pixel.
                var below = [Pixel(Float(pixel[0] / k), Float(pixel[1] / k), Float(pixel[2] / k), 1)]
                let b = Float(alpha.map { ($0 * k).rounded() / k } ?? 1)
                below[0] *= Pixel(b, b, b, b)
                let above = [full * Pixel(0.5, 0.5, 0.5, 0.5)]
                Compositing.blend(above, onto: &below, count: 1, mode: mode)
                for c in 0..<3 {
                    #expect(abs(Double(below[0][c] / below[0].w) - got[c] / k) < 0.7 / 255, "\(mode) \(format) \(got)")
                }
                if alpha != nil { #expect(abs(Double(below[0].w) - got[3] / k) < 0.7 / 255) }
            }
        }
    }

    @Test func greyAndCMYKHaveModesToo() throws {
        #expect(try Self.place([Self.block("#808080")], on: [128], blend: .multiply, .bw) == [64])
        let cmyk = try Self.place([Self.block("black")], on: [40, 80, 120, 10], blend: .multiply, .cmyk)
        #expect(cmyk[3] > 200)
        let screen = try Self.place([Self.block("white")], on: [40, 80, 120, 10], blend: .screen, .cmyk)
        #expect(screen.allSatisfy { $0 <= 2 })
    }

    // MARK: What is known afterwards

    @Test func provenanceNamesTheBoxAndGivesTheLabelsPixels() throws {
        let noise = try PictureTests.noise(120, 100, bands: 3, format: .uchar, .srgb)
        for orientation in [1, 6] {
            let picture = Picture(noise, orientation: orientation, provenance: Provenance())
            let out = try Placing.draw(
                Self.label(Sample.color("#0080ff")).map { $0.transformed(by: .scale(0.4)) }, opacity: 0.8, onto: picture)
            guard let touch = out.provenance?.touched.first else {
                Issue.record("no touch")
                return
            }
            let region = touch.region
            var patch = [Float](repeating: -1, count: region.width * region.height * 4)
            try patch.withUnsafeMutableBufferPointer {
                try touch.patch.pixels(in: region, into: $0.baseAddress!, rowStride: region.width * 4)
            }
            let (before, after) = (try Pixels.samples(noise), try Pixels.samples(out.image))
            for y in 0..<100 {
                for x in 0..<120 {
                    let i = (y * 120 + x) * 3
                    guard region.contains(x: x, y: y) else {
                        #expect(before[i] == after[i])
                        continue
                    }
                    let p = ((y - region.y) * region.width + x - region.x) * 4
                    let expected = before[i] * Double(1 - patch[p + 3]) + Double(patch[p] * patch[p + 3]) * 255
                    #expect(abs(expected - after[i]) < 0.51)
                }
            }
            // What a patch cannot say ends the knowledge.
            #expect(try Placing.draw([Self.block("red")], blend: .multiply, onto: picture).provenance == nil)
        }
    }

    @Test func aCachedLabelDrawsTheSame() throws {
        let cache = LabelCache(budget: 64 << 20)
        let marks = Self.label(Sample.color("#0080ff"))
        for pixel in [[10.0, 20, 30], [200, 100, 0]] {
            let base = Picture(try Pixels.picture(pixel, width: 140, height: 120))
            let plain = try Placing.draw(marks, onto: base)
            let cached = try Placing.draw(marks, onto: base, cache: cache, key: "label")
            #expect(try Pixels.samples(plain.image) == Pixels.samples(cached.image))
        }
        // The key is believed: that is what makes it cheap.
        let base = Picture(try Pixels.picture([0, 0, 0], width: 140, height: 120))
        let other = try Placing.draw([Self.block("white")], onto: base, cache: cache, key: "label")
        #expect(try Pixels.pixel(other.image, 1, 1) == [0, 0, 0])
        // Another size is another label.
        let small = Picture(try Pixels.picture([0, 0, 0], width: 30, height: 30))
        #expect(
            try Pixels.pixel(Placing.draw([Self.block("white")], onto: small, cache: cache, key: "label").image, 1, 1) == [
                255, 255, 255,
            ])
    }
}
