#include "clipper_shim.h"

#include <polyclipping/clipper.hpp>

#include <memory>

using namespace ClipperLib;

struct lp_clipper_result {
    Paths contours;
    bool transposed;
};

/* Whether there is anything in it: Clipper refuses contours that are a line or a point. */
static bool add(Clipper &clipper, const lp_clipper_input &input, PolyType role, bool transposed)
{
    bool added = false;
    Path path;
    for (size_t contour = 0; contour < input.contours; contour++) {
        path.clear();
        for (size_t i = input.starts[contour]; i < input.starts[contour + 1]; i++) {
            cInt x = input.coordinates[2 * i], y = input.coordinates[2 * i + 1];
            path.push_back(transposed ? IntPoint(y, x) : IntPoint(x, y));
        }
        added |= clipper.AddPath(path, role, true);
    }
    return added;
}

static PolyFillType rule(lp_clipper_fill fill, bool transposed)
{
    if (fill == LP_CLIPPER_NON_ZERO)
        return pftNonZero;
    return transposed ? pftNegative : pftPositive; /* the transposed plane winds the other way round */
}

lp_clipper_result *lp_clipper_combine(
    lp_clipper_operation operation, const lp_clipper_input *subject, const lp_clipper_input *clip, bool transposed)
{
    static const ClipType types[] = {ctIntersection, ctUnion, ctDifference, ctXor};
    try {
        Clipper clipper(transposed ? ioReverseSolution : 0);
        bool any = add(clipper, *subject, ptSubject, transposed);
        any |= add(clipper, *clip, ptClip, transposed);
        auto result = std::make_unique<lp_clipper_result>();
        result->transposed = transposed;
        /* Nothing is no failure, though Clipper says so. */
        if (any && !clipper.Execute(types[operation], result->contours, rule(subject->fill, transposed), rule(clip->fill, transposed)))
            return nullptr;
        return result.release();
    } catch (...) {
        return nullptr;
    }
}

bool lp_clipper_clean(lp_clipper_result *result)
{
    try {
        Paths &contours = result->contours;
        CleanPolygons(contours);
        size_t kept = 0;
        for (size_t i = 0; i < contours.size(); i++)
            if (contours[i].size() > 2) {
                if (kept != i)
                    contours[kept].swap(contours[i]);
                kept++;
            }
        contours.resize(kept);
        return true;
    } catch (...) {
        return false;
    }
}

lp_clipper_result *lp_clipper_from(const lp_clipper_input *contours)
{
    try {
        auto result = std::make_unique<lp_clipper_result>();
        result->transposed = false;
        for (size_t contour = 0; contour < contours->contours; contour++) {
            result->contours.emplace_back();
            for (size_t i = contours->starts[contour]; i < contours->starts[contour + 1]; i++)
                result->contours.back().push_back(IntPoint(contours->coordinates[2 * i], contours->coordinates[2 * i + 1]));
        }
        return result.release();
    } catch (...) {
        return nullptr;
    }
}

size_t lp_clipper_contours(const lp_clipper_result *result)
{
    return result->contours.size();
}

size_t lp_clipper_vertices(const lp_clipper_result *result)
{
    size_t count = 0;
    for (const Path &contour : result->contours)
        count += contour.size();
    return count;
}

void lp_clipper_copy(const lp_clipper_result *result, int64_t *coordinates, size_t *starts)
{
    size_t count = 0;
    for (const Path &contour : result->contours) {
        *starts++ = count;
        count += contour.size();
        for (const IntPoint &point : contour) {
            *coordinates++ = result->transposed ? point.Y : point.X;
            *coordinates++ = result->transposed ? point.X : point.Y;
        }
    }
    *starts = count;
}

void lp_clipper_free(lp_clipper_result *result)
{
    delete result;
}
