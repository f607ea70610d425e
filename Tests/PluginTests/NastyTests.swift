import Testing

/// Plugins that do in one picture what no plugin may: that picture is lost at most, and what is said names the plugin.
@Suite struct NastyTests {
    /// What a plugin does for the picture that is 77 px wide.
    struct Case: CustomStringConvertible, Sendable {
        let name: String
        /// Of the pictures that are 77 px wide; 0: none is lost.
        var lost = 1
        /// What is said of it.
        var words: [String] = []
        var geometry = ""
        var apply = ""
        /// Instead of the input's own pixels.
        var pixels = ""
        var description: String { name }

        var source: String {
            var plugin = BadPlugin()
            plugin.more = """
                #include <errno.h>
                #include <fcntl.h>
                #include <locale.h>
                #include <math.h>
                #include <pthread.h>
                #include <signal.h>
                #include <string.h>
                #include <sys/resource.h>
                #include <sys/stat.h>
                static int is_bad(const lp_call *call) { return call->has_base && call->base[0] == 77; }
                static void *forever(void *a) { for (;;) sleep(1000); return a; }
                static int sink(int n) { volatile char big[4096]; big[n % 4096] = 1; return n < 0 ? 0 : sink(n + 1) + big[n % 4096]; }
                \(BadPlugin.paint(pixels))
                static int32_t painted(const lp_call *call, lp_result *result) { \(BadPlugin.painted) }
                static volatile int never;
                static void unused(void) { if (never) { forever(NULL); sink(0); painted(NULL, NULL); } }
                """
            plugin.geometry = "unused(); if (is_bad(call)) { \(geometry) } return 0;"
            let good = plugin.apply
            plugin.apply = "if (is_bad(call)) { \(apply) \(pixels.isEmpty ? "" : "return painted(call, result);") } \(good)"
            return plugin.source
        }
    }

    static let cases: [Case] = [
        Case(name: "exits well", words: ["exited with code 0 in"], apply: "exit(0);"),
        Case(name: "exits at once", words: ["exited with code 0 in"], geometry: "_exit(0);"),
        Case(name: "kills itself", words: ["killed by SIGKILL in"], apply: "kill(getpid(), SIGKILL);"),
        // Another thread may take the signal, and this one come back to the host before it is stopped as well.
        Case(name: "stops itself", words: ["hung "], apply: "kill(getpid(), SIGSTOP); for (;;) pause();"),
        Case(name: "recurses for ever", words: ["killed by SIGSEGV in"], geometry: "result->reserved = sink(0);"),
        Case(name: "leaves a thread running", lost: 0, apply: "pthread_t t; pthread_create(&t, NULL, forever, NULL);"),
        Case(name: "forks and comes back twice", lost: 0, apply: "if (fork() < 0) abort();"),
        Case(name: "leaves a child behind", lost: 0, apply: "if (fork() == 0) { sleep(3); _exit(0); }"),
        Case(name: "talks on standard output", lost: 0, apply: "printf(\"hello\\\\n\"); fflush(stdout);"),
        Case(name: "talks on every descriptor", apply: "for (int i = 0; i < 64; i++) if (write(i, \"hello\\\\n\", 6)) {}"),
        Case(name: "closes every descriptor", apply: "for (int i = 0; i < 1024; i++) close(i);"),
        Case(name: "changes the folder", words: ["working directory"], apply: "if (chdir(\"/\")) {}"),
        Case(name: "changes the locale", words: ["locale"], geometry: "setlocale(LC_ALL, \"C.UTF-8\");"),
        Case(name: "catches crashes", words: ["signal handlers"], apply: "signal(SIGSEGV, SIG_IGN);"),
        Case(name: "sets an alarm", words: ["timer"], apply: "alarm(1);"),
        Case(name: "takes many threads", words: ["libvips' threads"], apply: "vips_concurrency_set(16);"),
        Case(name: "leaves an error", words: ["boom"], apply: "vips_error(\"bad\", \"boom\");"),
        Case(
            name: "is larger than the world", words: ["bad.effect"],
            geometry: "result->reach[2] = result->reach[3] = result->frame[2] = result->frame[3] = 1e30;"),
        Case(
            name: "is as large as can be",
            geometry: "result->reach[2] = result->reach[3] = result->frame[2] = result->frame[3] = 1e8;",
            apply: """
                vips_black(&result->image, 100000000, 100000000, "bands", 4, NULL);
                result->alpha = LP_PREMULTIPLIED; result->x = result->reach[0]; result->y = result->reach[1]; return 0;
                """),
        Case(name: "has no image to give", apply: "result->image = (VipsImage *)8; return 0;"),
        Case(name: "is not a number", lost: 0, pixels: "for (int i = 0; i < r->width * 4; i++) p[i] = NAN;"),
        Case(name: "is infinite", lost: 0, pixels: "for (int i = 0; i < r->width * 4; i++) p[i] = i % 2 ? INFINITY : -INFINITY;"),
        Case(
            name: "writes beyond its rows", words: ["killed by SIG"],
            pixels: "memset(p, 255, 64 << 20);"),
        Case(
            name: "hangs in its pixels", words: ["hung while computing and saving pixels of"], pixels: "for (;;) pause();"),
        Case(name: "exits in its pixels", words: ["exited with code 0 while"], pixels: "_exit(0);"),
        Case(name: "fails in its pixels", words: ["no more ink"], pixels: "vips_error(\"bad\", \"no more ink\"); return -1;"),
    ]

    @Test(arguments: cases) func onePictureIsLostAtMost(_ nasty: Case) throws {
        let bench = try Bench()
        let file = try bench.build("nasty", nasty.source)
        try bench.write(
            "nasty.json",
            """
            { "labelpipe": 1, "output": [{ "effect": "image.source" }, { "effect": "layout.place", "label": [
              { "effect": "shape.rectangle", "size": [40, 24] }, { "effect": "fill.solid", "color": "red" },
              { "effect": "bad.effect" }] }] }
            """)
        let made = try bench.shell(
            "mkdir in; for i in 1 3 4; do vips black in/$i.png 80 60 --bands 3; done; vips black in/2.png 77 60 --bands 3")
        #expect(made.code == 0, "\(made.text)")
        let ended = try bench.run(
            "run nasty.json in --output out --plugin \(file) --jobs 1 --timeout 3 --report - --progress none 2>words")
        let lines = ended.text.split(separator: "\n").filter { $0.contains("\"input\"") }
        let bad = lines.filter { !$0.contains("\"status\":\"done\"") }
        #expect(lines.count == 4 && bad.count == nasty.lost, "\(ended.text)")
        #expect(ended.code == (nasty.lost == 0 ? 0 : 1))
        for line in bad {
            #expect(line.contains("2.png") && line.contains("org.example.bad"), "\(line)")
            for word in nasty.words { #expect(line.contains(word), "\(line)") }
        }
        #expect(try bench.shell("ls out | wc -l").text == "\(4 - nasty.lost)\n")
    }
}
