/* Writes and reads TIFFs for the tests by libtiff alone: shares no code with the splicer. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int width, height, samples, bits, format, photometric;
    int compression, predictor, quality;
    int tile;    /* side of a tile; 0 writes strips of `rows` rows */
    int rows;
    int planar;
    int extra;   /* what the last sample is: -1 a colour, 0 unknown, 1 associated, 2 straight */
    int fill_order;
    int big, big_endian;
    int pages;   /* of full size */
    int levels;  /* smaller versions of each page, each half of the one before */
    int levels_are_pages;
} tiff_probe_spec;

/* pixels: interleaved, in this machine's byte order. Returns 0 or 1. */
int tiff_probe_write(const char *path, const tiff_probe_spec *spec, const void *pixels);

typedef struct {
    int failed, width, height, samples, bits, tiles, is_tiled;
    uint8_t *pixels;  /* interleaved */
    size_t size;
} tiff_probe_picture;

/* level 0 is the page, 1 its first SubIFD. JPEG YCbCr comes as RGB. */
tiff_probe_picture tiff_probe_read(const char *path, int page, int level);
/* The coded bytes of a tile; NULL when there are none. */
uint8_t *tiff_probe_raw(const char *path, int page, int level, int tile, size_t *size);
int tiff_probe_pages(const char *path);
