/// A plugin in C that is right in everything but what is said otherwise.
struct BadPlugin {
    var abi = "LABELPIPE_ABI"
    var note = "LABELPIPE_PLUGIN_NOTE(\"org.example.bad\")"
    var id = "\"org.example.bad\""
    var effectID = "\"bad.effect\""
    var pluginSize = "sizeof(lp_plugin)"
    var effectSize = "sizeof(lp_effect)"
    var effects = "{&effect}"
    var effectCount = "1"
    var doc = "\"how much\""
    var initial = "\"0.5\""
    var range = "0, 1"
    var geometry = "return 0;"
    var apply = """
        const lp_layer *layer = call->inputs[0]->layers[0];
        if (layer->image == NULL) return 0;
        result->image = layer->image; g_object_ref(layer->image);
        result->alpha = LP_PREMULTIPLIED; result->x = layer->x; result->y = layer->y;
        return 0;
        """
    var idle = "\"[{}]\""
    var fault = "NULL"
    var more = ""
    var entry = "LABELPIPE_EXPORT const lp_plugin *labelpipe_plugin(void) { return &plugin; }"

    var source: String {
        """
        #include <labelpipe_plugin.h>
        #include <vips/vips.h>
        #include <stdlib.h>
        #include <unistd.h>
        \(note)
        static const lp_input input = {sizeof(lp_input), LP_COLOUR, LP_ONE, LP_PREMULTIPLIED, "input", "what"};
        static const lp_parameter amount = {sizeof(lp_parameter), LP_NUMBER, LP_RANGE, 0, "amount", \(doc), \(initial), NULL, \(range)};
        \(more)
        static int32_t geometry(const lp_call *call, lp_result *result) { (void)call; (void)result; \(geometry) }
        static int32_t apply(const lp_call *call, lp_result *result) { (void)call; (void)result; \(apply) }
        static const lp_input *const inputs[] = {&input};
        static const lp_parameter *const parameters[] = {&amount};
        static const lp_effect effect = {\(effectSize), LP_COLOUR, 1, 1, \(effectID), "Does something.",
            "[{ \\"effect\\": \\"shape.rectangle\\", \\"size\\": [40, 24] }, { \\"effect\\": \\"fill.solid\\", \\"color\\": \\"#ff0000cc\\" },"
            " { \\"effect\\": \\"\(effectID.replacing("\"", with: ""))\\" }]", inputs, parameters, geometry, apply, \(idle)};
        static const lp_effect *const effects[] = \(effects);
        static const lp_plugin plugin = {\(pluginSize), \(abi), \(effectCount), 0, \(id), "1.0", "MIT", effects, \(fault)};
        \(entry)
        """
    }

    /// C for `more`: computes pixels as the input's, and then by `pixels`: in `p` lie those of row `r->top`, `r->width` of four floats.
    static func paint(_ pixels: String) -> String {
        """
        static int paint(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop) {
            VipsRegion *in = seq; VipsRect *r = &out->valid; (void)a; (void)b; (void)stop;
            if (vips_region_prepare(in, r)) return -1;
            vips_region_copy(in, out, r, r->left, r->top);
            float *p = (float *)VIPS_REGION_ADDR(out, r->left, r->top);
            (void)p;
            \(pixels)
            return 0;
        }
        """
    }

    /// C for `apply`: an image whose pixels `paint` computes, long after the call.
    static let painted = """
        const lp_layer *layer = call->inputs[0]->layers[0];
        if (layer->image == NULL) return 0;
        result->image = vips_image_new();
        vips_image_pipelinev(result->image, VIPS_DEMAND_STYLE_ANY, layer->image, NULL);
        vips_image_generate(result->image, vips_start_one, paint, vips_stop_one, layer->image, NULL);
        g_object_ref(layer->image); vips_object_local(result->image, layer->image);
        result->alpha = LP_PREMULTIPLIED; result->x = layer->x; result->y = layer->y;
        return 0;
        """

    /// What has to be said of it.
    struct Case: CustomStringConvertible, Sendable {
        let name: String
        let plugin: BadPlugin
        let words: [String]
        var description: String { name }
    }

    private static func bad(_ name: String, _ words: String..., change: (inout BadPlugin) -> Void) -> Case {
        var plugin = BadPlugin()
        change(&plugin)
        return Case(name: name, plugin: plugin, words: words)
    }

    /// Refused by what they say, before anything is drawn.
    static let refused: [Case] = [
        bad("wrong-abi", "org.example.bad", "plugin ABI 0.7", "this labelpipe has 0.2", "header") {
            $0.note = """
                #undef LABELPIPE_ABI_MINOR
                #define LABELPIPE_ABI_MINOR 7
                LABELPIPE_PLUGIN_NOTE("org.example.bad")
                """
            // Its code would tell if it ran.
            $0.more = "__attribute__((constructor)) static void ran(void) { write(1, \"RAN\", 3); _exit(9); }"
        },
        bad("no-note", "no plugin note") { $0.note = "" },
        bad("other-abi-in-table", "plugin ABI 0.9") { $0.abi = "9" },
        bad("other-id-in-table", "its note says org.example.bad, and its table org.example.worse") {
            $0.id = "\"org.example.worse\""
        },
        bad("short-plugin", "lp_plugin has 24 bytes") { $0.pluginSize = "24" },
        bad("short-effect", "lp_effect 0 has 16 bytes") { $0.effectSize = "16" },
        bad("duplicate-id", "declares bad.effect twice") { ($0.effects, $0.effectCount) = ("{&effect, &effect}", "2") },
        bad("null-id", "plugin's id is NULL") { $0.id = "NULL" },
        bad("null-effect-id", "the id of effect 0 is NULL") { $0.effectID = "NULL" },
        bad("null-doc", "doc is NULL") { $0.doc = "NULL" },
        bad("null-effect", "effect 0 is NULL") { $0.effects = "{NULL}" },
        bad("no-effects", "has 0 effects") { $0.effectCount = "0" },
        bad("no-symbol", "does not export labelpipe_plugin()") {
            $0.entry = "const lp_plugin *other(void); const lp_plugin *other(void) { return &plugin; }"
        },
        bad("null-table", "labelpipe_plugin() returned NULL") {
            $0.entry = "LABELPIPE_EXPORT const lp_plugin *labelpipe_plugin(void) { (void)plugin; return NULL; }"
        },
        bad("bad-default", "is no JSON") { $0.initial = "\"half\"" },
        bad("bad-range", "a range from 2.0 to 1.0") { $0.range = "2, 1" },
        bad("own-fault", "is refused: there is no such machine") { $0.fault = "\"there is no such machine\"" },
        bad("bad-idle", "idle is no list of objects") { $0.idle = "\"{}\"" },
        bad("taken-id", "shadow.drop", "declared by both") { $0.effectID = "\"shadow.drop\"" },
        bad("crash-while-loading", "was killed by SIGSEGV") {
            $0.more = "__attribute__((constructor)) static void ran(void) { *(volatile int *)8 = 1; }"
        },
        bad("good-exit-while-loading", "reading its declarations ended with code 0") {
            $0.more = "__attribute__((constructor)) static void ran(void) { _exit(0); }"
        },
        bad("exit-while-loading", "code 7") { $0.more = "__attribute__((constructor)) static void ran(void) { exit(7); }" },
        bad("talks", "standard output") {
            $0.more = "__attribute__((constructor)) static void ran(void) { write(1, \"hi\", 2); }"
        },
    ]

    /// Found out by trying them.
    static let found: [Case] = [
        bad("crash-in-apply", "bad.effect, example: the process was killed by SIGSEGV") {
            $0.apply = "*(volatile int *)8 = 1; return 0;"
        },
        bad("trap-in-geometry", "example: the process was killed by SIGABRT") { $0.geometry = "abort();" },
        bad("exit-in-apply", "example: the process ended with code 3") { $0.apply = "exit(3);" },
        bad("good-exit-in-apply", "example: the process ended with code 0 before the trial was over") { $0.apply = "exit(0);" },
        bad("changes-the-folder", "geometry() changed the process's working directory") {
            $0.geometry = "return chdir(\"/\");"
        },
        bad("changes-the-locale", "apply() changed the process's locale") {
            $0.more = "#include <locale.h>"
            $0.apply = "setlocale(LC_ALL, \"C.UTF-8\"); return 0;"
        },
        bad("changes-signals", "geometry() changed the process's signal mask, signal handlers") {
            $0.more = "#include <signal.h>"
            $0.geometry = """
                sigset_t all;
                sigfillset(&all);
                sigprocmask(SIG_BLOCK, &all, NULL);
                signal(SIGSEGV, SIG_IGN);
                return 0;
                """
        },
        bad("leaves-descriptors", "descriptors open") { $0.geometry = "dup(2); return 0;" },
        bad("closes-descriptors", "descriptors are closed that are not its own") {
            $0.geometry = "close(0); close(2); return 0;"
        },
        bad("invisible-example", "example: the example does not show it: it is empty") {
            $0.geometry = "for (int i = 0; i < 4; i++) result->frame[i] = result->reach[i] = 0; return 0;"
            $0.apply = "return 0;"
        },
        bad("idle-in-name-only", "identity: settings that mean nothing change the picture") {
            $0.apply = """
                const lp_layer *layer = call->inputs[0]->layers[0];
                if (layer->image == NULL) return 0;
                vips_linear1(layer->image, &result->image, 0.5, 0.0, NULL);
                result->alpha = LP_PREMULTIPLIED; result->x = layer->x; result->y = layer->y;
                return 0;
                """
        },
        bad("silent-failure", "apply() returned 5 and said nothing") { $0.apply = "return 5;" },
        bad("says-why", "/output/2/amount: expected less, got 0.5 (number)") {
            $0.geometry = "return call->host->fail(call, \"amount\", \"less\", \"0.5 (number)\", \"try 0.1\");"
        },
        bad("wrong-frame", "its frame is") { $0.geometry = "result->frame[2] = -1; return 0;" },
        bad("outside-its-reach", "leaves the reach") { $0.geometry = "result->reach[2] = 4; return 0;" },
        bad("half-pixel", "which are no whole px") {
            $0.apply = """
                const lp_layer *layer = call->inputs[0]->layers[0];
                result->image = layer->image; g_object_ref(layer->image);
                result->alpha = LP_PREMULTIPLIED; result->x = layer->x + 0.5; result->y = layer->y;
                return 0;
                """
        },
        bad("wrong-bands", "its image has 2 bands") {
            $0.apply = """
                const lp_layer *layer = call->inputs[0]->layers[0];
                vips_extract_band(layer->image, &result->image, 0, "n", 2, NULL);
                result->alpha = LP_PREMULTIPLIED; result->x = layer->x; result->y = layer->y;
                return 0;
                """
        },
        bad("stays", "movement: an input moved by (13, -7)") {
            $0.geometry = "if (result->reach[0] != 0) result->keep = LP_REPLACE; return 0;"
            $0.apply = """
                const lp_layer *layer = call->inputs[0]->layers[0];
                vips_linear1(layer->image, &result->image, layer->x == 0 ? 1.0 : 0.25, 0.0, NULL);
                result->alpha = LP_PREMULTIPLIED; result->x = layer->x; result->y = layer->y;
                return 0;
                """
        },
        bad("never-transparent", "transparency: a transparent input gives something visible") {
            $0.geometry = "for (int i = 0; i < 4; i++) result->reach[i] = result->frame[i]; return 0;"
            $0.apply = """
                static const double red[] = {255, 0, 0, 255};
                VipsImage *black;
                vips_black(&black, (int)result->frame[2], (int)result->frame[3], "bands", 4, NULL);
                vips_linear(black, &result->image, (double[]){1, 1, 1, 1}, (double *)red, 4, NULL);
                g_object_unref(black);
                result->alpha = LP_PREMULTIPLIED; result->x = result->frame[0]; result->y = result->frame[1];
                return 0;
                """
        },
        bad("end-of-range", "amount: 1.0, an end of its range, cannot be drawn") {
            $0.geometry =
                "return call->values[0]->numbers[0] < 1 ? 0 : call->host->fail(call, \"amount\", \"less than 1\", \"1\", NULL);"
        },
        bad("leaks-images", "libvips objects behind") {
            $0.apply = """
                const lp_layer *layer = call->inputs[0]->layers[0];
                result->image = layer->image; g_object_ref(layer->image); g_object_ref(layer->image);
                result->alpha = LP_PREMULTIPLIED; result->x = layer->x; result->y = layer->y;
                return 0;
                """
        },
        bad("leaks-bytes", "bytes behind") {
            $0.more = "static void *volatile kept;"
            $0.geometry = "kept = malloc(5000); return 0;"
        },
        bad("not-reentrant", "threads: many threads draw another picture than one") {
            $0.more = """
                static float row[4096];
                static int paint(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop) {
                    VipsRegion *in = seq; VipsRect *r = &out->valid; (void)a; (void)b; (void)stop;
                    if (vips_region_prepare(in, r)) return -1;
                    for (int y = 0; y < r->height; y++) {
                        const float *p = (const float *)VIPS_REGION_ADDR(in, r->left, r->top + y);
                        float *q = (float *)VIPS_REGION_ADDR(out, r->left, r->top + y);
                        for (int i = 0; i < r->width * 4; i++) row[i] = p[i] * ((r->top + y) % 7) / 7;
                        g_usleep(300);
                        for (int i = 0; i < r->width * 4; i++) q[i] = row[i];
                    }
                    return 0;
                }
                """
            $0.apply = painted
        },
    ]
}
