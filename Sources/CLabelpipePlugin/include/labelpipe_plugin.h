/* labelpipe_plugin.h: effects for labelpipe, from anybody, in any language.
 *
 * A plugin is one shared object that exports one function, labelpipe_plugin(), and carries one ELF note. This header is
 * the whole border: it needs nothing but libvips, is C99 and C++11, and everything a plugin may rely on is said here.
 *
 * THE RULES
 *
 *  1. labelpipe_plugin() takes nothing, changes nothing, and returns a table that stays where it is for ever.
 *  2. The note (LABELPIPE_PLUGIN_NOTE, once, at file scope) says id and ABI version. labelpipe reads it before it loads the
 *     file, since loading already runs code, and refuses what it does not fit.
 *  3. Every struct begins with its size. Fields are only ever appended. A reader looks at no field that lies beyond the
 *     size it finds. Numbers have fixed widths; text is UTF-8, closed by a zero; no bool, enum, long or bit-field crosses.
 *  4. Parameters are declared, and labelpipe does the rest: it checks them, fills in defaults, explains them in help and
 *     messages, converts lengths to px and colours to floats, all before a call. A plugin never sees a wrong value.
 *  5. Nothing is freed across the border. What labelpipe passes is borrowed until the call returns. What a plugin returns
 *     lives as long as the plugin (tables) or comes from host->memory() (outlines); only a result's image is handed over.
 *  6. Images cross as VipsImage *. Those in a call are borrowed: take a reference for what outlives the call. Building on
 *     one with a libvips operation does that by itself; a generate function of your own needs g_object_ref(in) and
 *     vips_object_local(out, in). The result's image is one new reference, which labelpipe takes.
 *  7. geometry() and apply() are called one at a time. Pixels are computed later, by libvips: a generate function of a
 *     plugin's own may be called from several threads at once and must be re-entrant.
 *  8. Errors go through host->fail(), which returns what the call then returns. No exception and no longjmp crosses, and no
 *     call ends the process. Plugins run in worker processes: a crash or a hang costs the user one picture and is reported
 *     with the plugin's name; after three of them the plugin is refused for the rest of the run.
 *  9. A call leaves the process as it found it: working directory, locale, signal handlers and mask, and every descriptor
 *     it has not opened itself. labelpipe puts the first four right again, and the picture fails with the plugin's name. A
 *     child that a plugin forks must not return from the call.
 * 10. A plugin is never unloaded, so it may keep what it has made; it must not assume to be the only plugin, nor to be
 *     loaded at all in a process that only reads its declarations.
 *
 * VERSIONS. LABELPIPE_ABI is major × 65536 + minor. While the major number is 0, both have to be labelpipe's own: build
 * the plugin again. From 1.0 on, a new minor number only appends fields and constants, and labelpipe takes every plugin of
 * its major number whose minor number is not above its own.
 *
 * BUILDING   cc -std=c99 -fPIC -shared -fvisibility=hidden plugin.c -o plugin.so $(pkg-config --cflags --libs vips)
 * CHECKING   labelpipe plugins check plugin.so
 * USING      labelpipe run document.json photos/ --output out/ --plugin ./plugin.so
 * INSTALLING into ~/.local/share/labelpipe/plugins-0/, or a folder of LABELPIPE_PLUGIN_PATH
 */
#ifndef LABELPIPE_PLUGIN_H
#define LABELPIPE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LABELPIPE_ABI_MAJOR 0
#define LABELPIPE_ABI_MINOR 2
#define LABELPIPE_ABI ((uint32_t)LABELPIPE_ABI_MAJOR * 65536u + (uint32_t)LABELPIPE_ABI_MINOR)

/* VipsImage of <vips/vips.h>, which may be included before or after this header, or not at all. */
struct _VipsImage;

/* ---------------------------------------------------------------- what an effect says about itself */

/* Kinds of layers, and what an input accepts. Coverage says where something is, and a fill gives it colour. */
#define LP_COVERAGE 1u
#define LP_COLOUR 2u
/* Of an input: accepts both. Of an effect's output: what its first input is. */
#define LP_EITHER 3u

/* How many layers an input takes. */
#define LP_ONE 1u
#define LP_ONE_OR_NONE 2u
#define LP_MANY 3u

/* How colour and alpha are in an image. */
#define LP_PREMULTIPLIED 1u
#define LP_STRAIGHT 2u
/* Of a result: three bands, nothing shows through. */
#define LP_OPAQUE 3u

/* An input. The first one is what a chain feeds; it is called "input" unless there is a better word. */
typedef struct lp_input {
    uint32_t size;    /* sizeof(lp_input) */
    uint32_t accepts; /* LP_COVERAGE, LP_COLOUR, LP_EITHER */
    uint32_t form;    /* LP_ONE, LP_ONE_OR_NONE, LP_MANY */
    uint32_t alpha;   /* how colour is wanted: LP_PREMULTIPLIED, which is what can be blurred and moved, or LP_STRAIGHT */
    const char *name; /* its key in a document: lowerCamelCase */
    const char *doc;  /* a few words: "what casts the shadow" */
} lp_input;

/* Kinds of parameters: what a document writes, and in numbers[] or texts[] of lp_value what the effect gets. */
#define LP_NUMBER 1u  /* 1.5                              1 number */
#define LP_INTEGER 2u /* 3                                1 number, whole */
#define LP_BOOLEAN 3u /* true                             1 number, 0 or 1 */
#define LP_LENGTH 4u  /* 12, "0.1em", "2vmin"             1 number, px */
#define LP_ANGLE 5u   /* 45                               1 number, degrees clockwise on screen */
#define LP_COLOR 6u   /* "#ff000080"                      4 numbers: red, green, blue, alpha from 0 to 1; sRGB, straight */
#define LP_POINT 7u   /* [0.5, 0]                         2 numbers, fractions of a box */
#define LP_OFFSET 8u  /* [3, "0.1em"]                     2 numbers, px, y down */
#define LP_SIZE 9u    /* [200, null]                      2 numbers, px; NaN for null */
#define LP_INSETS 10u /* 4, { "left": 4 }                 4 numbers, px: top, left, bottom, right */
#define LP_STRING 11u /* "text"                           1 text */
#define LP_CHOICE 12u /* one of choices                   1 text, and its place in choices as 1 number */
#define LP_ANCHOR 13u /* "top-left" … "baseline-right"    1 text */
#define LP_PATH 14u   /* a file, relative to the document 1 text, absolute */

/* Flags of parameters. One without a default that is not required may be absent: its lp_value has count 0. */
#define LP_REQUIRED 1u
#define LP_RANGE 2u /* minimum and maximum hold, both included, for each number; lengths in px */
#define LP_LIST 4u  /* a list of such values, one behind the other; numbers and colours, lengths, texts */

typedef struct lp_parameter {
    uint32_t size;         /* sizeof(lp_parameter) */
    uint32_t kind;         /* LP_NUMBER … */
    uint32_t flags;        /* LP_REQUIRED, LP_RANGE, LP_LIST, or 0 */
    uint32_t choice_count; /* of LP_CHOICE */
    const char *name;      /* its key in a document: lowerCamelCase */
    const char *doc;       /* a few words, with what the number does: "how far it reaches" */
    const char *initial;   /* the default as a document would write it, as JSON: "\"0.5em\"", "4"; NULL: none. Lengths in em
                              count 16 px to the em where there is no text */
    const char *const *choices;
    double minimum, maximum;
} lp_parameter;

/* ---------------------------------------------------------------- what an effect is given */

/* A parameter's value. */
typedef struct lp_value {
    uint32_t size;
    uint32_t kind;
    uint32_t count;      /* of values: 1, of a list its length, 0: absent */
    uint32_t is_written; /* 1: the document says so; 0: the default */
    const double *numbers;
    const char *const *texts;
} lp_value;

/* Closed polygons with non-zero winding: x, y, x, y, … of the first, of the second, and so on. px, y down. Those that a
 * call brings do not overlap; outer ones run clockwise on screen, holes the other way. */
typedef struct lp_outline {
    uint32_t size; /* sizeof(lp_outline) */
    uint32_t contour_count;
    const uint32_t *point_counts; /* of each contour */
    const double *points;         /* two numbers a point */
} lp_outline;

/* A layer on an unbounded plane: px, y down.
 *
 * Images are lazy and in float: sRGB as encoded, 0 to 255, four bands with alpha last, premultiplied or straight as the
 * input asked for; coverage is one band, 0 to 255. What libvips' operations make of that they make of it here.
 *
 * A photo that reaches a plugin is upright, and converted to sRGB by its profile, whatever it was in the file: grey, CMYK,
 * Lab. 16 bit a sample keep all of their values: 257 levels of the file are one here, and fractions are kept. What the
 * effect gives is sRGB again, and so is what is saved of it. Of several pages or frames the
 * effect gets the first; on an animation one draws by placing a label, which may have passed through plugins. An effect
 * that only adds something (LP_BENEATH, LP_ABOVE) leaves its input as exact as it was. */
typedef struct lp_layer {
    uint32_t size;
    uint32_t kind;  /* LP_COVERAGE or LP_COLOUR */
    uint32_t alpha; /* of colour: LP_PREMULTIPLIED or LP_STRAIGHT */
    uint32_t has_text;
    struct _VipsImage *image; /* covers the frame and all that can be visible; NULL in geometry() and where that is nothing */
    double x, y;              /* where the image's top left lies, whole px */
    double frame[4];          /* the layout box: x, y, width, height */
    double reach[4];          /* all that can be visible: x, y, width, height */
    double em;                /* with text: its size */
    double baseline[2];       /* with text: the first line's pen origin */
    const lp_outline *outline; /* the silhouette of text and shapes; NULL for what has none, such as a photo */
    uint32_t depth;            /* bits a sample of what the image is made of: 8, or 16 for what is finer */
    uint32_t reserved;
} lp_layer;

/* The layers that reach one input. */
typedef struct lp_layers {
    uint32_t size;
    uint32_t count;
    const lp_layer *const *layers;
} lp_layers;

typedef struct lp_call lp_call;
struct lp_effect;

/* What labelpipe does for a plugin during a call. */
typedef struct lp_host {
    uint32_t size;
    uint32_t abi; /* of this labelpipe */

    /* Reports what is wrong, and returns what the call then returns. key: the parameter or input it is about, or NULL, or a
     * JSON pointer below the node: "/colors/2". "expected a blur below 100, got 200 (number)" is made of expected and got;
     * with expected NULL, got is the whole sentence. hint: what to do, or NULL. */
    int32_t (*fail)(const lp_call *call, const char *key, const char *expected, const char *got, const char *hint);

    /* Tells the user something that is no error. is_warning: --strict makes an error of it. code: "too-small", kebab-case. */
    void (*note)(const lp_call *call, int32_t is_warning, const char *code, const char *message);

    /* Zeroed memory that lives until the call's result has been read; NULL when there is none. */
    void *(*memory)(const lp_call *call, uint64_t bytes);
} lp_host;

/* One call: of one node, for one picture. */
struct lp_call {
    uint32_t size;
    uint32_t value_count;
    uint32_t input_count;
    uint32_t has_base;
    const lp_host *host;
    const lp_value *const *values;  /* as the effect declares its parameters */
    const lp_layers *const *inputs; /* as the effect declares its inputs */
    double base[2];                 /* the size of the picture that lengths are measured by, if has_base */
    void *context;                  /* labelpipe's own */
    const struct lp_effect *effect; /* the one of the plugin's table that is called */
};

/* ---------------------------------------------------------------- what an effect gives */

/* What becomes of the first input. */
#define LP_REPLACE 0u /* the result stands in its place */
#define LP_BENEATH 1u /* the result is drawn beneath it; it stays as sharp as it was, text stays text */
#define LP_ABOVE 2u   /* the result is drawn above it */

/* Before geometry(), labelpipe sets frame to the first input's, reach to what its image covers, and everything else to 0.
 * apply() gets what geometry() made of it and adds image or outline. */
typedef struct lp_result {
    uint32_t size;
    uint32_t keep;  /* LP_REPLACE, LP_BENEATH, LP_ABOVE */
    uint32_t alpha; /* of a colour image: LP_PREMULTIPLIED, LP_STRAIGHT, LP_OPAQUE */
    uint32_t reserved;
    double frame[4]; /* the layer's layout box afterwards: most effects leave it */
    double reach[4]; /* all that this effect draws; an image must lie inside it, rounded outwards to whole px */
    double x, y;     /* where the image's top left lies, whole px */

    /* Colour: three or four bands; coverage: one. 8 bit, 16 bit (0 to 65535) or float (0 to 255), sRGB as encoded. Float is
     * rounded to 16 bit where the first input's depth is 16, else to 8. */
    struct _VipsImage *image;

    /* Instead of an image, or beside it as the layer's silhouette. Without an image it is what is drawn, by its exact
     * area: as coverage, or painted in color. It may cross itself; what lies outside the reach is an error. */
    const lp_outline *outline;
    double color[4]; /* red, green, blue, alpha from 0 to 1; sRGB, straight */
} lp_result;

/* ---------------------------------------------------------------- the effect, the plugin */

typedef struct lp_effect {
    uint32_t size;   /* sizeof(lp_effect) */
    uint32_t output; /* LP_COVERAGE, LP_COLOUR, LP_EITHER: as its first input */
    uint32_t input_count;
    uint32_t parameter_count;
    const char *id;      /* "shadow.long": family.name; not one that labelpipe has, not one that begins with vips. */
    const char *summary; /* one sentence that a label designer understands */
    const char *example; /* a small document's output that shows it, at most 256 × 256 px, as JSON */
    const lp_input *const *inputs;
    const lp_parameter *const *parameters;

    /* Frame, reach and keep of the result, without pixels: images are NULL. Checks relations between parameters. NULL: what
     * the result is set to beforehand holds. Returns 0, or what host->fail() returned. */
    int32_t (*geometry)(const lp_call *call, lp_result *result);

    /* The result's image or outline. Returns 0, or what host->fail() returned. */
    int32_t (*apply)(const lp_call *call, lp_result *result);

    /* Settings with which the effect gives its first input exactly as it is, as a JSON list of objects: "[{ \"width\": 0 }]";
     * null for a key that is not written. "[]": there are none. NULL: not said. labelpipe plugins check holds it to them. */
    const char *idle;
} lp_effect;

typedef struct lp_plugin {
    uint32_t size; /* sizeof(lp_plugin) */
    uint32_t abi;  /* LABELPIPE_ABI */
    uint32_t effect_count;
    uint32_t reserved;
    const char *id;      /* reverse DNS: "org.example.longshadow"; as in the note */
    const char *version; /* "1.2" */
    const char *licence; /* SPDX: "MIT" */
    const lp_effect *const *effects;
    const char *fault;   /* NULL; or why the plugin cannot be used here, as a sentence: it is refused, and the user reads it */
} lp_plugin;

/* The one function a plugin exports:
 *     LABELPIPE_EXPORT const lp_plugin *labelpipe_plugin(void) { return &plugin; } */
#if defined(__GNUC__)
#define LABELPIPE_EXPORT __attribute__((visibility("default"), used))
#else
#define LABELPIPE_EXPORT
#endif
LABELPIPE_EXPORT const lp_plugin *labelpipe_plugin(void);

/* The note: LABELPIPE_PLUGIN_NOTE("org.example.longshadow"), once, at file scope, no semicolon behind it. In assembly,
 * because only that gives the section the type of a note; other languages write the same bytes: owner "Labelpipe", type
 * 1, the ABI version in 4 bytes and the id closed by a zero. */
#define LABELPIPE_NOTE_OWNER "Labelpipe"
#define LABELPIPE_NOTE_TYPE 1
#define LABELPIPE_TEXT_(x) #x
#define LABELPIPE_TEXT(x) LABELPIPE_TEXT_(x)
#define LABELPIPE_PLUGIN_NOTE(id)                                                                              \
    __asm__(".pushsection .note.labelpipe,\"a\",%note\n"                                                       \
            ".balign 4\n.long 10\n.long 2f-1f\n.long " LABELPIPE_TEXT(LABELPIPE_NOTE_TYPE) "\n"                \
            ".asciz \"" LABELPIPE_NOTE_OWNER "\"\n.balign 4\n"                                                 \
            "1: .long " LABELPIPE_TEXT(LABELPIPE_ABI_MAJOR) "*65536+" LABELPIPE_TEXT(LABELPIPE_ABI_MINOR) "\n" \
            ".asciz \"" id "\"\n"                                                                              \
            "2: .balign 4\n.popsection\n");

#ifdef __cplusplus
}
#endif

#endif /* LABELPIPE_PLUGIN_H */
