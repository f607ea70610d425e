#pragma once
#include <tiffio.h>

/* TIFFGetField takes its results as variable arguments, which Swift cannot pass. */
static inline int labelpipe_tiff_short(TIFF *tiff, uint32_t tag, uint16_t *value) { return TIFFGetField(tiff, tag, value); }
static inline int labelpipe_tiff_long(TIFF *tiff, uint32_t tag, uint32_t *value) { return TIFFGetField(tiff, tag, value); }
static inline int labelpipe_tiff_offsets(TIFF *tiff, uint32_t tag, uint16_t *count, uint64_t **offsets) {
    return TIFFGetField(tiff, tag, count, offsets);
}
