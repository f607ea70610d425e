import LabelpipePlugin
import Testing

/// What of a picture reaches a plugin, and what of it comes back.
@Suite struct CrossingTests {
    /// Every picture goes through the effect and nothing else.
    private func through(_ effect: String, _ plugin: String, _ input: String, _ bench: Bench) throws {
        try bench.write(
            "through.json",
            "{ \"labelpipe\": 1, \"output\": [{ \"effect\": \"image.source\" }, { \"effect\": \"\(effect)\", \"amount\": 1 }] }")
        let ended = try bench.run("run through.json \(input) --output out.png --overwrite --plugin '\(plugin)'")
        #expect(ended.code == 0, "\(ended.text)")
    }

    private func plugins(_ bench: Bench) throws -> [(effect: String, file: String)] {
        [
            ("bad.effect", try bench.build("good", BadPlugin().source)),
            ("example.glimmer", try Bench.examples() + "/glimmer.so"),
        ]
    }

    /// All 65536 levels, through C in float and through Swift.
    @Test func sixteenBitsStay() throws {
        let bench = try Bench()
        try bench.shell(
            "vips identity t.v --ushort && vips linear t.v f.v 1 0 && vips cast f.v u.v ushort && vips copy u.v g.v --interpretation grey16 && vips embed g.v in.png 0 0 65536 2 --extend copy"
        )
        for (effect, file) in try plugins(bench) {
            try through(effect, file, "in.png", bench)
            #expect(try bench.shell("vipsheader out.png").text.contains(" ushort, 4 bands, rgb16"), "\(effect)")
            let most = try bench.shell(
                "vips extract_band out.png b.v 1 && vips subtract in.png b.v s.v && vips abs s.v a.v && vips max a.v")
            #expect(most.text.split(separator: ".")[0] == "0", "\(effect): \(most.text)")
        }
    }

    /// Inks are converted by their profile: what comes back is sRGB, of the same colours.
    @Test func inksBecomeColours() throws {
        let bench = try Bench()
        let made = try bench.shell(
            """
            vips icc_transform \(photos)/flowers_small.png c.v cmyk --embedded || vips icc_export \(photos)/flowers_small.png c.v \
            --output-profile cmyk
            vips copy c.v in.jpg[Q=100] && vips icc_transform in.jpg expected.png srgb --embedded && vipsheader -f bands in.jpg
            """)
        #expect(made.text.hasSuffix("4\n"), "\(made.text)")
        for (effect, file) in try plugins(bench) {
            try through(effect, file, "in.jpg", bench)
            #expect(try bench.shell("vipsheader out.png").text.contains(" uchar, 4 bands, srgb"), "\(effect)")
            let mean = try bench.shell(
                "vips extract_band out.png b.v 0 --n 3 && vips subtract expected.png b.v s.v && vips abs s.v a.v && vips avg a.v")
            #expect((Double(mean.text.dropLast()) ?? 99) < 2, "\(effect): \(mean.text)")
        }
    }

    /// What the border has no words for is said, and stops nobody's process.
    @Test func whatCannotCrossIsSaid() throws {
        let table = PluginExport(Plugin(id: "org.example.paint", effects: [Painted.self]), version: "1", licence: "MIT").table
        let fault = try #require(table.pointee.fault).pointee
        #expect(fault != 0)
        #expect(
            String(cString: try #require(table.pointee.fault))
                == "test.painted, parameter color: values of the kind paint do not cross")
    }
}

private struct Painted: Effect {
    static let declaration = EffectDeclaration(
        id: "test.painted", summary: "Has what does not cross.", output: .colour, parameters: [color], example: "[]")
    private static let color = Parameter<PaintValue>.paint("color", default: "black", doc: "what")
    init(_ arguments: Arguments) {}
    func apply(to inputs: Inputs, in context: Context) -> Layer { Layer(marks: [], kind: .colour, frame: .zero) }
}
