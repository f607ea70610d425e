import Glibc
import Testing
import Vips

/// Small photos that Debian has.
let photos = "/usr/share/gocode/src/github.com/disintegration/imaging/testdata"

@Suite struct PluginTests {
    // MARK: The border

    @Test(arguments: [
        "gcc -std=c99 -x c", "gcc -std=c17 -x c", "g++ -std=c++11 -x c++", "g++ -std=c++20 -x c++",
    ]) func theHeaderCompilesWithoutAWarning(_ compiler: String) throws {
        let bench = try Bench()
        for (before, after) in [("", ""), ("#include <vips/vips.h>", ""), ("", "#include <vips/vips.h>")] {
            try bench.write(
                "use.txt",
                """
                \(before)
                #include <labelpipe_plugin.h>
                #include <labelpipe_plugin.h>
                \(after)
                LABELPIPE_PLUGIN_NOTE("org.example.use")
                """)
            let flags = before + after == "" ? "" : "$(pkg-config --cflags vips | sed 's/-I/-isystem /g')"
            let built = try bench.shell(
                "\(compiler) -Wall -Wextra -pedantic -Werror -I'\(Bench.include)' \(flags) -c use.txt -o use.o")
            #expect(built.code == 0 && built.text.isEmpty, "\(built.text)")
        }
    }

    @Test func theBorderIsTheOneThatWasPublished() throws {
        let bench = try Bench()
        for compiler in ["gcc -std=c99 -x c", "g++ -std=c++11 -x c++"] {
            let built = try bench.shell(
                "\(compiler) -Wall -Wextra -pedantic -Werror -I'\(Bench.include)' -c '\(Bench.include)/../border.c' -o border.o")
            #expect(built.code == 0, "\(built.text)")
        }
    }

    // MARK: Bad plugins

    @Test(arguments: BadPlugin.refused) func aBadPluginIsRefused(_ bad: BadPlugin.Case) throws {
        let bench = try Bench()
        let file = try bench.build("bad", bad.plugin.source)
        for command in ["plugins check \(file)", "describe bad.effect --plugin \(file)", "effects --plugin \(file)"] {
            // What only contradicts the bundled effects is found where both are used.
            if command.hasPrefix("plugins"), bad.name == "taken-id" { continue }
            let ended = try bench.run(command)
            #expect(ended.code == (command.hasPrefix("plugins") ? 1 : 4), "\(command): \(ended.code) \(ended.text)")
            for word in bad.words { #expect(ended.text.contains(word), "\(command): \(ended.text)") }
            #expect(ended.text.contains("bad.so") || bad.name == "taken-id", "\(ended.text)")
            #expect(ended.text.contains("help: "))
            #expect(!ended.text.contains("RAN"))
        }
        // In a folder that is searched it is no hindrance to others, and it is told of where it is missed.
        if bad.name == "taken-id" { return }
        try bench.shell("mkdir folder && mv \(file) folder/")
        #expect(try bench.shell("LABELPIPE_PLUGIN_PATH=folder '\(bench.labelpipe)' describe shadow.drop").code == 0)
        let listed = try bench.shell("LABELPIPE_PLUGIN_PATH=folder '\(bench.labelpipe)' plugins")
        #expect(listed.code == 1 && bad.words.allSatisfy { listed.text.contains($0) }, "\(listed.text)")
    }

    @Test(arguments: BadPlugin.found) func aBadPluginIsFoundOut(_ bad: BadPlugin.Case) throws {
        let bench = try Bench()
        let file = try bench.build("bad", bad.plugin.source)
        let ended = try bench.run("plugins check \(file)")
        #expect(ended.code == 1, "\(ended.text)")
        for word in bad.words { #expect(ended.text.contains(word), "\(ended.text)") }
    }

    @Test func aHangIsAVerdict() throws {
        let bench = try Bench()
        var bad = BadPlugin()
        bad.geometry = "for (;;) pause();"
        let file = try bench.build("bad", bad.source)
        let ended = try bench.run("plugins check \(file) --timeout 0.3")
        #expect(ended.code == 1 && ended.text.contains("bad.effect, example: the process took more than 0.3 s"), "\(ended.text)")
    }

    @Test func oneHangIsEnough() throws {
        let bench = try Bench()
        var bad = BadPlugin()
        bad.apply = "for (;;) pause();"
        let file = try bench.build("bad", bad.source)
        let ended = try bench.run("plugins check \(file) --timeout 0.3")
        #expect(ended.code == 1, "\(ended.text)")
        let lines = ended.text.split(separator: "\n")
        #expect(lines.count { $0.contains("took more than 0.3 s") } == 1, "\(ended.text)")
        #expect(lines.last?.contains("what else there is to try is left out") == true, "\(ended.text)")
    }

    @Test func whatIsRightPasses() throws {
        let bench = try Bench()
        let file = try bench.build("good", BadPlugin().source)
        let ended = try bench.run("plugins check \(file)")
        #expect(ended.code == 0, "\(ended.text)")
        #expect(ended.text.split(separator: "\n").count == 10)
    }

    @Test func theSamePluginTwiceIsRefused() throws {
        let bench = try Bench()
        let file = try bench.build("good", BadPlugin().source)
        try bench.shell("cp \(file) copy.so")
        let ended = try bench.run("plugins --plugin \(file) --plugin ./copy.so")
        #expect(ended.code == 1 && ended.text.contains("./copy.so") && ended.text.contains("./good.so is the same plugin"))
    }

    // MARK: What a fault costs

    private func document(_ bench: Bench) throws {
        try bench.write(
            "bad.json",
            """
            { "labelpipe": 1, "output": [{ "effect": "image.source" }, { "effect": "layout.place", "label": [
              { "effect": "shape.rectangle", "size": [40, 24] }, { "effect": "fill.solid", "color": "red" },
              { "effect": "bad.effect" }] }] }
            """)
        try bench.shell("mkdir in && for i in 1 2 3 4 5 6; do cp \(photos)/flowers_small.png in/$i.png; done")
    }

    @Test func aCrashCostsOnePictureAndThreeThePlugin() throws {
        let bench = try Bench()
        try document(bench)
        var bad = BadPlugin()
        bad.apply = "*(volatile int *)8 = 1; return 0;"
        let file = try bench.build("bad", bad.source)
        let ended = try bench.run("run bad.json in --output out --plugin \(file) --jobs 1 --report - --progress none")
        #expect(ended.code == 1, "\(ended.text)")
        let killed = "killed by SIGSEGV in plugin org.example.bad (./bad.so), bad.effect at /output/1/label/2"
        let lines = ended.text.split(separator: "\n").filter { $0.contains("\"input\"") }
        #expect(lines.count { $0.contains(killed) } == 3, "\(ended.text)")
        #expect(lines.count { $0.contains("plugin org.example.bad is refused: it ended 3 workers") } == 3, "\(ended.text)")
    }

    @Test func aHangCostsOnePicture() throws {
        let bench = try Bench()
        try document(bench)
        var bad = BadPlugin()
        bad.geometry = "for (;;) pause();"
        let file = try bench.build("bad", bad.source)
        let ended = try bench.run("run bad.json in/1.png --output out.png --plugin \(file) --timeout 1")
        #expect(ended.code == 1, "\(ended.text)")
        #expect(
            ended.text.contains("hung in plugin org.example.bad (./bad.so), bad.effect at /output/1/label/2"), "\(ended.text)")
    }

    @Test func aCrashInPixelsNamesThePlugin() throws {
        let bench = try Bench()
        try document(bench)
        var bad = BadPlugin()
        bad.more = BadPlugin.paint("abort();")
        bad.apply = BadPlugin.painted
        let file = try bench.build("bad", bad.source)
        let ended = try bench.run("run bad.json in/1.png --output out.png --plugin \(file)")
        #expect(ended.code == 1)
        #expect(
            ended.text.contains("killed by SIGABRT while computing and saving pixels of plugin org.example.bad"), "\(ended.text)")
    }

    @Test func anErrorPointsAtTheValue() throws {
        let bench = try Bench()
        try document(bench)
        var bad = BadPlugin()
        bad.geometry = "return call->host->fail(call, \"amount\", \"less\", \"0.5 (number)\", \"try 0.1\");"
        let file = try bench.build("bad", bad.source)
        let ended = try bench.run("run bad.json in/1.png --output out.png --plugin \(file)")
        #expect(ended.code == 1)
        #expect(ended.text.contains("expected less, got 0.5 (number)") && ended.text.contains("try 0.1"), "\(ended.text)")
    }

    // MARK: Skeletons

    @Test(arguments: ["c", "c++"]) func aNewPluginPassesAsItStands(_ language: String) throws {
        let bench = try Bench()
        let made = try bench.run("new plugin sparkle --language \(language)")
        #expect(made.code == 0, "\(made.text)")
        let built = try bench.shell("./sparkle/build")
        #expect(built.code == 0 && built.text.isEmpty, "\(built.text)")
        let checked = try bench.run("plugins check ./sparkle/sparkle.so")
        #expect(checked.code == 0, "\(checked.text)")
        #expect(try bench.shell("nm -D --defined-only sparkle/sparkle.so | awk '{ print $3 }'").text == "labelpipe_plugin\n")
        #expect(try bench.shell("[ $(wc -l < sparkle/README.md) -le 24 ]").code == 0, "one screen")
        let again = try bench.run("new plugin sparkle --language \(language)")
        #expect(again.code == 2 && again.text.contains("cannot be written"))
    }

    @Test func aNewPipelineRunsAsItStands() throws {
        let bench = try Bench()
        #expect(try bench.run("new pipeline mark").code == 0)
        #expect(try bench.run("check mark.json").code == 0)
        let ended = try bench.run("run mark.json \(photos)/branches.jpg --output out.jpg")
        #expect(ended.code == 0, "\(ended.text)")
    }

    @Test(arguments: ["new plugin Sparkle", "new plugin ../x", "new plugin", "new thing x", "new pipeline x --language c"])
    func wrongUseOfNewIsRefused(_ command: String) throws { #expect(try Bench().run(command).code == 2) }
}
