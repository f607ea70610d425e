/* A long shadow: the silhouette drawn out to one side, as on flat icons. The whole plugin is this file.
 *
 * The shadow is exact: it is an outline like the text's own, not pixels. Of every edge of the silhouette it is the
 * parallelogram that the edge sweeps, together with the silhouette at the far end; labelpipe draws their union by area.
 * The text itself stays what it was, on top (LP_BENEATH).
 */
#include <labelpipe_plugin.h>
#include <math.h>
#include <stddef.h>

LABELPIPE_PLUGIN_NOTE("org.labelpipe.example.longshadow")

/* ---- what it says about itself */

static const lp_input input = {
    sizeof(lp_input), LP_COLOUR, LP_ONE, LP_PREMULTIPLIED, "input", "what casts the shadow: text or a shape"};

enum { ANGLE, LENGTH, COLOR };

static const lp_parameter angle = {
    sizeof(lp_parameter), LP_ANGLE, 0, 0, "angle", "where it falls, clockwise from the right", "45", NULL, 0, 0};
static const lp_parameter length = {
    sizeof(lp_parameter), LP_LENGTH, LP_RANGE, 0, "length", "how far it reaches", "\"1em\"", NULL, 0, 100000};
static const lp_parameter color = {
    sizeof(lp_parameter), LP_COLOR, 0, 0, "color", "its colour", "\"#00000040\"", NULL, 0, 0};

/* ---- geometry: the reach, grown on the side where the shadow falls */

static void shift(const lp_call *call, double *dx, double *dy) {
    const double turn = call->values[ANGLE]->numbers[0] * 3.14159265358979323846 / 180;
    const double far = call->values[LENGTH]->numbers[0];
    *dx = far * cos(turn);
    *dy = far * sin(turn);
}

static int is_nothing(const lp_call *call) {
    return call->values[LENGTH]->numbers[0] == 0 || call->values[COLOR]->numbers[3] == 0;
}

static int32_t geometry(const lp_call *call, lp_result *result) {
    const lp_layer *layer = call->inputs[0]->layers[0];
    double dx, dy;
    if (layer->outline == NULL)
        return call->host->fail(call, "input", "text or a shape", "a layer without an outline",
                                "cast it before the layer becomes a picture");
    result->keep = LP_BENEATH;
    if (is_nothing(call)) return 0;
    shift(call, &dx, &dy);
    result->reach[0] += fmin(dx, 0);
    result->reach[1] += fmin(dy, 0);
    result->reach[2] += fabs(dx);
    result->reach[3] += fabs(dy);
    return 0;
}

/* ---- apply: a parallelogram an edge, all of them wound alike so that they add up */

static int32_t apply(const lp_call *call, lp_result *result) {
    const lp_outline *from = call->inputs[0]->layers[0]->outline;
    uint32_t edges = 0, contour, i, k;
    const double *points = from->points, *shade = call->values[COLOR]->numbers;
    lp_outline *swept;
    uint32_t *counts;
    double *out, dx, dy;

    if (is_nothing(call)) return 0;
    shift(call, &dx, &dy);
    for (contour = 0; contour < from->contour_count; contour++) edges += from->point_counts[contour];
    swept = call->host->memory(call, sizeof *swept);
    counts = call->host->memory(call, (edges + from->contour_count + 1) * sizeof *counts);
    out = call->host->memory(call, (uint64_t)(10 * (uint64_t)edges + 2) * sizeof *out);
    if (swept == NULL || counts == NULL || out == NULL)
        return call->host->fail(call, NULL, NULL, "there is no memory for the shadow", NULL);
    swept->size = sizeof *swept;
    swept->point_counts = counts;
    swept->points = out;
    result->outline = swept;
    for (i = 0; i < 4; i++) result->color[i] = shade[i];

    for (contour = 0; contour < from->contour_count; contour++) {
        const uint32_t count = from->point_counts[contour];
        counts[swept->contour_count++] = count;
        for (i = 0; i < count; i++) {
            *out++ = points[2 * i] + dx;
            *out++ = points[2 * i + 1] + dy;
        }
        for (i = 0; i < count; i++) {
            const double *a = points + 2 * i, *b = points + 2 * ((i + 1) % count);
            double corner[8];
            if ((b[0] - a[0]) * dy - (b[1] - a[1]) * dx < 0) {
                const double *swap = a;
                a = b;
                b = swap;
            }
            corner[0] = a[0], corner[1] = a[1], corner[2] = b[0], corner[3] = b[1];
            corner[4] = b[0] + dx, corner[5] = b[1] + dy, corner[6] = a[0] + dx, corner[7] = a[1] + dy;
            counts[swept->contour_count++] = 4;
            for (k = 0; k < 8; k++) *out++ = corner[k];
        }
        points += 2 * count;
    }
    return 0;
}

/* ---- the plugin */

static const lp_input *const inputs[] = {&input};
static const lp_parameter *const parameters[] = {&angle, &length, &color};

static const lp_effect long_shadow = {
    sizeof(lp_effect), LP_COLOUR, 1, 3, "shadow.long", "A long, flat shadow that falls to one side.",
    "[{ \"effect\": \"text.mask\", \"text\": \"Label\", \"font\": \"DejaVu Sans Bold\", \"size\": 40 },"
    " { \"effect\": \"fill.solid\", \"color\": \"white\" }, { \"effect\": \"shadow.long\", \"length\": 24 }]",
    inputs, parameters, geometry, apply, "[{ \"color\": \"#00000000\" }, { \"length\": 0 }]"};

static const lp_effect *const effects[] = {&long_shadow};

static const lp_plugin plugin = {
    sizeof(lp_plugin), LABELPIPE_ABI, 1, 0, "org.labelpipe.example.longshadow", "1.0", "MIT", effects, NULL};

LABELPIPE_EXPORT const lp_plugin *labelpipe_plugin(void) { return &plugin; }
