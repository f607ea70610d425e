import Glibc
import LabelpipeKit
import TestSupport
import Testing
import Vips

/// What a picture is made of stays, whatever it is: each kind against a formula, through whole documents.
@Suite struct DepthTests {
    struct Kind: CustomTestStringConvertible {
        let format: PixelFormat
        let interpretation: Interpretation
        let bands: Int
        var testDescription: String { "\(format) \(interpretation) of \(bands) bands" }
    }

    static let kinds: [Kind] = [
        Kind(format: .uchar, interpretation: .bw, bands: 1), Kind(format: .uchar, interpretation: .bw, bands: 2),
        Kind(format: .uchar, interpretation: .srgb, bands: 3),
        Kind(format: .uchar, interpretation: .srgb, bands: 4), Kind(format: .uchar, interpretation: .cmyk, bands: 4),
        Kind(format: .uchar, interpretation: .cmyk, bands: 5),
        Kind(format: .ushort, interpretation: .grey16, bands: 1), Kind(format: .ushort, interpretation: .grey16, bands: 2),
        Kind(format: .ushort, interpretation: .rgb16, bands: 3),
        Kind(format: .ushort, interpretation: .rgb16, bands: 4), Kind(format: .float, interpretation: .scrgb, bands: 3),
        Kind(format: .float, interpretation: .scrgb, bands: 4),
        Kind(format: .float, interpretation: .srgb, bands: 3),
    ]

    /// Noise in every sample.
    private func noise(_ kind: Kind, _ width: Int, _ height: Int) throws -> Image {
        try VipsRuntime.start()
        let full = kind.format == .uchar ? 255.0 : kind.format == .ushort ? 65535 : kind.interpretation == .scrgb ? 1.5 : 255
        return try Image.generated(
            width: width, height: height, bands: kind.bands, format: kind.format, interpretation: kind.interpretation
        ) { pixels in
            for y in 0..<pixels.box.height {
                for x in 0..<pixels.box.width * kind.bands {
                    let place = UInt64((pixels.box.top + y) * 7919 + pixels.box.left * kind.bands + x) &* 0x9E37_79B9_7F4A_7C15
                    let value = Double((place ^ place >> 31) % 65536) / 65535 * full
                    switch kind.format {
                    case .uchar: pixels.row(y, as: UInt8.self)[x] = UInt8(value.rounded())
                    case .ushort: pixels.row(y, as: UInt16.self)[x] = UInt16(value.rounded())
                    default: pixels.row(y, as: Float.self)[x] = Float(value)
                    }
                }
            }
        }.materialised()
    }

    @Test("outside the label every bit stays, and so do format and bands", arguments: kinds)
    func outside(kind: Kind) throws {
        let base = try noise(kind, 120, 80)
        let label = chain(text("Ag", "DejaVu Sans Bold", 24), solid("#808080"), stroke(2, "white"), shadow("black", (2, 2), 4))
        let image = try marked(Picture(base), label, "\"anchor\": \"center\"")
        #expect(image.format == kind.format && image.bands == kind.bands)
        let (before, after) = (try Sheet(base), try Sheet(image))
        let reach = try Drawing(label).layer.reach
        let (left, top) = (60 - reach.width / 2 - 3, 40 - reach.height / 2 - 6)
        var changed = 0
        for y in 0..<80 {
            for x in 0..<120 {
                if x < left || x > 120 - left || y < top || y > 80 - top { #expect(after[x, y] == before[x, y], "\(x), \(y)") }
                if after[x, y] != before[x, y] { changed += 1 }
            }
        }
        #expect(changed > 300)
        // Invisible labels change nothing at all, not even grey to colour.
        for (more, color) in [
            ("\"anchor\": \"center\", \"opacity\": 0", "#C08040"), ("\"anchor\": \"center\"", "#C0804000"),
            ("\"at\": [500, 20]", "#C08040"), ("\"at\": [10, -300]", "#C08040"),
        ] {
            let label = chain(
                text("Ag", "DejaVu Sans Bold", 24), solid(color), stroke(2, "#40C08000"), shadow("#4080C000", (2, 2), 4))
            let none = try marked(Picture(base), label, more)
            #expect(none.bands == kind.bands, "\(more) \(color)")
            #expect(try Sheet(none) == before, "\(more) \(color)")
        }
        for (opacity, color) in [(0, "#C08040"), (1, "#C0804000")] {
            let label = chain(text("Ag", "DejaVu Sans Bold", 24), solid(color))
            let tiles = "{ \"effect\": \"layout.tile\", \"label\": \(label), \"opacity\": \(opacity) }"
            let none = try Drawing(chain("{ \"effect\": \"image.source\" }", tiles), source: Picture(base)).image
            #expect(none.bands == kind.bands, "tiles, \(opacity) \(color)")
            #expect(try Sheet(none) == before, "tiles, \(opacity) \(color)")
        }
    }

    @Test("a label's colour, at an opacity, in every kind of picture", arguments: [1.0, 0.5, 0.25])
    func formula(opacity: Double) throws {
        func drawn(_ pixel: [Double], _ format: PixelFormat, _ interpretation: Interpretation, _ color: String) throws -> [Double]
        {
            let base = try plain(24, 24, pixel, format: format, interpretation)
            return try Sheet(
                try marked(Picture(base), chain(rectangle(24, 24), solid(color)), "\"at\": [0, 0], \"opacity\": \(opacity)"))[
                    12, 12]
        }
        func mixed(_ below: Double, _ above: Double) -> Double { below * (1 - opacity) + above * opacity }
        func check(_ got: [Double], _ wanted: [Double], _ tolerance: Double, _ what: String) {
            #expect(
                got.count == wanted.count && zip(got, wanted).allSatisfy { near($0, $1, tolerance) },
                "\(what): \(got), not \(wanted)")
        }
        // #C08040
        let label = [192.0, 128, 64]
        check(try drawn([40, 200, 90], .uchar, .srgb, "#C08040"), zip([40, 200, 90], label).map(mixed), 0.51, "8 bit")
        check(
            try drawn([40, 200, 90].map { $0 * 257 }, .ushort, .rgb16, "#C08040"),
            zip([40, 200, 90], label).map { mixed($0, $1) * 257 }, 1, "16 bit")
        check(try drawn([100], .uchar, .bw, "#404040"), [mixed(100, 64)], 0.51, "grey")
        check(try drawn([25700], .ushort, .grey16, "#404040"), [mixed(100, 64) * 257], 1, "grey, 16 bit")
        check(try drawn([100, 255], .uchar, .bw, "#404040"), [mixed(100, 64), 255], 0.51, "grey and alpha")
        // A coloured label brings colour.
        check(try drawn([100], .uchar, .bw, "#C08040"), label.map { mixed(100, $0) }, 0.51, "grey under colour")
        check(
            try drawn([100, 255], .uchar, .bw, "#C08040"), label.map { mixed(100, $0) } + [255], 0.51,
            "grey and alpha under colour")
        // Over alpha: W3C's source-over on straight values.
        let below = 0.4
        let alpha = opacity + below * (1 - opacity)
        let over = zip([40.0, 200, 90], label).map { ($0 * below * (1 - opacity) + $1 * opacity) / alpha }
        check(try drawn([40, 200, 90, 102], .uchar, .srgb, "#C08040"), over + [alpha * 255], 1, "alpha")
        // Light: encoded values are blended, then decoded.
        func decoded(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }
        let light = zip([40.0, 200, 90], label).map { decoded(mixed($0, $1) / 255) }
        check(try drawn([40, 200, 90].map { decoded($0 / 255) }, .float, .scrgb, "#C08040"), light, 2e-4, "scRGB")
        // No ink on white paper.
        check(try drawn([10, 20, 30, 40], .uchar, .cmyk, "white"), [10, 20, 30, 40].map { mixed($0, 0) }, 2, "CMYK")
    }

    private static let profiles = "/usr/share/color/icc/colord/"

    /// From sRGB by D50 primaries and gamma of a profile that is a matrix and a curve.
    @Test(
        "label colours come into the picture's own profile, 8 and 16 bit",
        arguments: ["AdobeRGB1998.icc", "ProPhotoRGB.icc", "WideGamutRGB.icc", "AppleRGB.icc"], [PixelFormat.uchar, .ushort])
    func profile(name: String, format: PixelFormat) throws {
        let bytes = try readFile(Self.profiles + name)
        let scale = format == .ushort ? 257.0 : 1
        let own = [200.0, 100, 50].map { $0 * scale }
        let base = try plain(60, 40, own, format: format, format == .ushort ? .rgb16 : .srgb).setting(
            "icc-profile-data", to: .bytes(bytes))
        let image = try marked(Picture(base), chain(rectangle(20, 20), solid("#C08040")), "\"at\": [0, 0]")
        let sheet = try Sheet(image)
        #expect(image.profile == bytes && image.format == format && sheet[50, 30] == own)
        // Back through the profile it is the label's colour again.
        let back = try Sheet(image.iccTransform(to: "srgb", depth: 8))
        #expect(zip(back[8, 8], [192.0, 128, 64]).allSatisfy { near($0, $1, 2) }, "\(back[8, 8])")
        #expect(!sheet.isNear(8, 8, [192.0, 128, 64].map { $0 * scale }, 3 * scale), "not converted")
    }

    @Test("gradients have as many steps as the picture has levels")
    func ramps() throws {
        func ramp(_ format: PixelFormat, _ colors: String) throws -> Sheet {
            let deep = format == .ushort
            let base = try plain(2000, 3, [9, 9, 9], format: format, deep ? .rgb16 : .srgb)
            let fill = "{ \"effect\": \"fill.gradient\", \"colors\": \(colors), \"start\": [0, 0.5], \"end\": [1, 0.5] }"
            return try Sheet(try marked(Picture(base), chain(rectangle(2000, 3), fill)))
        }
        let deep = try ramp(.ushort, "[\"black\", \"white\"]")
        var values = Set<Double>()
        for x in 0..<2000 {
            #expect(near(deep[x, 1, 0], (Double(x) + 0.5) / 2000 * 65535, 2))
            values.insert(deep[x, 1, 0])
        }
        #expect(values.count == 2000)
        for colors in ["[\"black\", \"white\"]", "[\"#102030\", \"#f0e0d0\"]", "[\"white\", \"#808080\", \"black\"]"] {
            let flat = try ramp(.uchar, colors)
            let falling = colors.hasPrefix("[\"white")
            for x in 1..<2000 {
                for k in 0..<3 {
                    let step = (flat[x, 1, k] - flat[x - 1, 1, k]) * (falling ? -1 : 1)
                    #expect(step >= 0 && step <= 1, "\(colors) at \(x)")
                }
            }
        }
        let ends = try ramp(.uchar, "[\"#102030\", \"#f0e0d0\"]")
        #expect(ends[0, 1] == [16, 32, 48] && ends[1999, 1] == [240, 224, 208])
    }

    @Test("no fringe in light, ink or grey: a label of the picture's own colour")
    func fringes() throws {
        func decoded(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }
        for value in [0.0, 64, 128, 255] {
            let hex = "#" + String(repeating: String(Int(value) / 16, radix: 16) + String(Int(value) % 16, radix: 16), count: 3)
            let label = chain(
                text("Proof", "DejaVu Serif", 20), solid(hex), stroke(2, hex + "90"), shadow(hex + "c0", (2, 1), 9),
                "{ \"effect\": \"layout.rotate\", \"angle\": 14 }")
            for (base, slack) in [
                (try plain(120, 60, [value], .bw), 0.0), (try plain(120, 60, [value * 257], format: .ushort, .grey16), 0),
                (try plain(120, 60, [value, 255], .bw), 0),
                (try plain(120, 60, [Double](repeating: decoded(value / 255), count: 3), format: .float, .scrgb), 1e-5),
            ] {
                let sheet = try Sheet(try marked(Picture(base), label, "\"anchor\": \"center\""))
                let difference = sheet.difference(try Sheet(base))
                #expect(difference <= slack, "\(value): \(difference)")
            }
        }
        let paper = try plain(120, 60, [0, 0, 0, 0], .cmyk)
        let label = chain(text("Proof", "DejaVu Serif", 20), solid("white"), shadow("white", (2, 1), 9))
        #expect(try Sheet(try marked(Picture(paper), label, "\"anchor\": \"center\"")).difference(try Sheet(paper)) == 0)
    }
}
