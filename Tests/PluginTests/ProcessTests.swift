import Testing

/// Which process does what, and which plugin is named when one ends.
@Suite struct ProcessTests {
    private func document(_ bench: Bench, _ nodes: String) throws {
        try bench.write(
            "two.json",
            """
            { "labelpipe": 1, "output": [{ "effect": "image.source" }, { "effect": "layout.place", "label": [
              { "effect": "shape.rectangle", "size": [40, 24] }, { "effect": "fill.solid", "color": "red" }, \(nodes)] }] }
            """)
    }

    private func plugin(_ bench: Bench, _ name: String, pixels: String) throws -> String {
        var plugin = BadPlugin()
        plugin.note = "LABELPIPE_PLUGIN_NOTE(\"org.example.\(name)\")"
        plugin.id = "\"org.example.\(name)\""
        plugin.effectID = "\"\(name).effect\""
        plugin.more = BadPlugin.paint(pixels)
        plugin.apply = BadPlugin.painted
        return try bench.build(name, plugin.source)
    }

    /// Pixels are computed long after the calls, and one plugin's out of another's.
    @Test(arguments: [true, false]) func ofTwoPluginsTheOneIsNamed(_ isLast: Bool) throws {
        let bench = try Bench()
        let good = try plugin(bench, "good", pixels: "")
        let bad = try plugin(bench, "bad", pixels: "abort();")
        let nodes = ["{ \"effect\": \"good.effect\" }", "{ \"effect\": \"bad.effect\" }"]
        try document(bench, (isLast ? nodes : nodes.reversed()).joined(separator: ", "))
        let ended = try bench.run("run two.json \(photos)/flowers_small.png --output out.png --plugin \(good) --plugin \(bad)")
        #expect(ended.code == 1)
        let place = "/output/1/label/\(isLast ? 3 : 2)"
        #expect(
            ended.text.contains(
                "killed by SIGABRT while computing and saving pixels of plugin org.example.bad (./bad.so), bad.effect at \(place)"
            ),
            "\(ended.text)")
    }

    /// One effect used twice: the node is named that computes.
    @Test func ofTwoNodesTheOneIsNamed() throws {
        let bench = try Bench()
        let bad = try plugin(bench, "bad", pixels: "static int calls; if (r->width > 60) abort(); calls++;")
        try document(
            bench, "{ \"effect\": \"bad.effect\" }, { \"effect\": \"layout.scale\", \"by\": 2 }, { \"effect\": \"bad.effect\" }")
        let ended = try bench.run("run two.json \(photos)/flowers_small.png --output out.png --plugin \(bad)")
        #expect(ended.code == 1 && ended.text.contains("bad.effect at /output/1/label/4"), "\(ended.text)")
    }

    /// What draws one picture by itself hears of plugins too.
    @Test func aPictureOfOneNodeIsDrawnAndItsCrashIsNamed() throws {
        let bench = try Bench()
        let good = try plugin(bench, "good", pixels: "")
        let bad = try plugin(bench, "bad", pixels: "abort();")
        let drawn = try bench.run("describe good.effect --plugin \(good) --render good.png")
        #expect(drawn.code == 0, "\(drawn.text)")
        #expect(try bench.shell("vipsheader -f width good.png").code == 0)
        let crashed = try bench.run("describe bad.effect --plugin \(bad) --render bad.png")
        #expect(crashed.code != 0 && crashed.text.contains("plugin org.example.bad"), "\(crashed.text)")
    }

    /// libvips is started by what draws, not by what reads documents or hands out pictures.
    @Test func onlyWorkersStartLibvips() throws {
        let bench = try Bench()
        try bench.write(
            "spy.c",
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            int vips_init(const char *name) {
                char words[4096];
                FILE *in = fopen("/proc/self/cmdline", "r"), *out = fopen(getenv("SPY"), "a");
                size_t count = fread(words, 1, sizeof words - 1, in);
                for (size_t i = 0; i < count; i++) if (words[i] == 0) words[i] = ' ';
                words[count] = 0;
                fprintf(out, "%s\\n", words);
                fclose(out);
                fclose(in);
                return ((int (*)(const char *))dlsym(RTLD_NEXT, "vips_init"))(name);
            }
            """)
        #expect(try bench.shell("gcc -shared -fPIC spy.c -o spy.so -ldl").code == 0)
        try bench.write(
            "blur.json",
            "{ \"labelpipe\": 1, \"output\": [{ \"effect\": \"image.source\" }, { \"effect\": \"vips.gaussblur\", \"sigma\": 2 }] }"
        )
        func spied(_ command: String) throws -> [String] {
            try bench.shell(": > spied")
            let ended = try bench.shell(
                "SPY='\(bench.path)/spied' LD_PRELOAD='\(bench.path)/spy.so' '\(bench.labelpipe)' \(command)")
            #expect(ended.code == 0, "\(command): \(ended.text)")
            // libvips asks itself again and again whether it is started.
            return Set(try bench.shell("cat spied").text.split(separator: "\n").map(String.init)).sorted()
        }
        let first = try spied("check blur.json")
        #expect(first.count == 1 && first[0].contains("plugins scan-family vips"), "\(first)")
        // What was read once is kept.
        for command in [
            "check blur.json", "graph blur.json", "describe vips.gaussblur", "effects vips", "completions parameters vips.rot",
        ] { #expect(try spied(command).isEmpty, "\(command)") }
        let run = try spied("run blur.json \(photos)/flowers_small.png --output out.png --jobs 1")
        #expect(run.count == 1 && run[0].hasPrefix("labelpipe worker"), "\(run)")
        // Another libvips, or labelpipe, would be asked again; what cannot be read is.
        try bench.shell("for f in cache/labelpipe/plugins/*.json; do echo '{' > $f; done")
        #expect(try spied("check blur.json").count == 1)
    }
}
