import Glibc
import Testing
import Vips

/// The two plugins that are kept: built outside the checkout, one by gcc, one by swiftc.
@Suite struct ExamplePluginTests {
    private static let files = [("long-shadow", "shadow.long"), ("neon-glow", "glow.neon")]

    @Test(arguments: files) func itExportsOneSymbolAndPasses(_ name: String, _ effect: String) throws {
        let bench = try Bench()
        let file = try Bench.examples() + "/\(name).so"
        #expect(try bench.shell("nm -D --defined-only '\(file)' | awk '{ print $3 }'").text == "labelpipe_plugin\n")
        let checked = try bench.run("plugins check '\(file)'")
        #expect(checked.code == 0, "\(checked.text)")
    }

    @Test func theSkeletonInSwiftPassesAsItStands() throws {
        let bench = try Bench()
        let checked = try bench.run("plugins check '\(try Bench.examples())/glimmer.so'")
        #expect(checked.code == 0, "\(checked.text)")
        let made = try bench.run("new plugin glimmer --language swift")
        #expect(made.code == 0 && made.text.contains("Sources/glimmer/Plugin.swift"), "\(made.text)")
    }

    @Test(arguments: files) func itsEffectIsOneLikeAllOthers(_ name: String, _ effect: String) throws {
        let bench = try Bench()
        // Installed where it is found without a flag.
        let folder = "data/labelpipe/plugins-0"
        try bench.shell("mkdir -p \(folder) && cp '\(try Bench.examples())/\(name).so' \(folder)/")
        for command in ["effects", "describe \(effect)", "schema", "completions effects", "plugins", "effects --format json"] {
            let ended = try bench.run(command)
            #expect(ended.code == 0 && ended.text.contains(effect), "\(command): \(ended.text.prefix(2000))")
        }
        #expect(try bench.run("completions parameters \(effect)").text.contains("color"))
        try bench.write(
            "one.json",
            """
            { "labelpipe": 1, "output": [{ "effect": "text.mask", "text": "A", "size": 40 },
              { "effect": "fill.solid" }, { "effect": "\(effect)", "color": 3 }] }
            """)
        let checked = try bench.run("check one.json")
        #expect(
            checked.code == 1 && checked.text.contains("/output/2/color: expected a color, got 3 (number)"), "\(checked.text)")
        try bench.shell("sed -i 's/, \"color\": 3//' one.json")
        #expect(try bench.run("graph one.json").text.contains(effect))
        #expect(try bench.run("run one.json --output one.png").code == 0)
    }

    /// Both in one document, over a photo, against a picture that somebody has looked at.
    @Test func bothDrawOneSign() throws {
        let bench = try Bench()
        let ended = try bench.shell(
            """
            LABELPIPE_PLUGIN_PATH='\(try Bench.examples())' '\(bench.labelpipe)' run '\(Bench.root)/Plugins/Examples/sign.json' \
            \(photos)/flowers_small.png --output sign.png
            """)
        #expect(ended.code == 0, "\(ended.text)")
        let golden = Bench.root + "/Tests/PluginTests/Golden/sign.png"
        if getenv("LABELPIPE_RECORD") != nil {
            try bench.shell("cp sign.png '\(golden)'")
            Issue.record("recorded")
        }
        let (drawn, expected) = (try pixels(bench.path + "/sign.png"), try pixels(golden))
        try #require(drawn.count == expected.count)
        let worst = zip(drawn, expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(worst <= 2, "the sign differs by \(worst) levels")
        // The comparison sees a sign that is not there.
        #expect(zip(try pixels(photos + "/flowers_small.png"), expected).contains { abs(Int($0) - Int($1)) > 100 })
    }

    private func pixels(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        try #require(descriptor >= 0, "\(path)")
        defer { close(descriptor) }
        return try PictureFile(descriptor: descriptor, options: LoadOptions()).image.writeToMemory()
    }
}
