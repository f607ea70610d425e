/* Clipper (libpolyclipping 6.4) behind a C face: Swift cannot call its C++ templates and references, and its exceptions must not
   cross a Swift frame.

   Contours are flat: x and y of every vertex in turn, and for n contours n + 1 numbers of first vertices, the last of which is the
   number of all vertices. A contour with a positive shoelace sum is an outer edge, one with a negative sum a hole; so are results. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    LP_CLIPPER_INTERSECTION,
    LP_CLIPPER_UNION,
    LP_CLIPPER_DIFFERENCE,
    LP_CLIPPER_XOR,
} lp_clipper_operation;

typedef enum {
    LP_CLIPPER_NON_ZERO,
    /* Inside is what is wound round once or more in the positive sense. */
    LP_CLIPPER_POSITIVE,
} lp_clipper_fill;

typedef struct {
    const int64_t *coordinates;
    const size_t *starts;
    size_t contours;
    lp_clipper_fill fill;
} lp_clipper_input;

/* Contours that Clipper made. The caller frees them. */
typedef struct lp_clipper_result lp_clipper_result;

/* Combines `subject` and `clip`. Contours of fewer than three vertices are ignored.

   Clipper sweeps from row to row and looks at every edge that is alive there, so its time is rows × live edges. With `transposed` it
   sweeps from column to column: much faster for what is wide and low, like a line of text.

   Returns NULL if Clipper gave up: coordinates beyond ± 2^62, no memory, or contours it cannot make sense of. */
lp_clipper_result *lp_clipper_combine(
    lp_clipper_operation operation, const lp_clipper_input *subject, const lp_clipper_input *clip, bool transposed);

/* Leaves out vertices within 1.4 units of another or of a straight run, and contours of fewer than three. Rounding to the grid leaves
   edges of one unit in any direction; a joint there would be drawn at the width of a stroke. */
bool lp_clipper_clean(lp_clipper_result *result);

/* Contours as a result, to be cleaned. */
lp_clipper_result *lp_clipper_from(const lp_clipper_input *contours);

size_t lp_clipper_contours(const lp_clipper_result *result);
size_t lp_clipper_vertices(const lp_clipper_result *result);

/* Fills 2 × vertices coordinates and contours + 1 starts. */
void lp_clipper_copy(const lp_clipper_result *result, int64_t *coordinates, size_t *starts);

void lp_clipper_free(lp_clipper_result *result);

#ifdef __cplusplus
}
#endif
