#include "tiff_probe.h"

#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

static void quiet(const char *module, const char *format, va_list arguments) {
    (void)module;
    (void)format;
    (void)arguments;
}

/* Every other px of every other row. */
static uint8_t *halved(const uint8_t *pixels, int width, int height, size_t px) {
    int w = (width + 1) / 2, h = (height + 1) / 2;
    uint8_t *half = malloc((size_t)w * (size_t)h * px);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            memcpy(half + ((size_t)y * (size_t)w + (size_t)x) * px, pixels + ((size_t)(2 * y) * (size_t)width + (size_t)(2 * x)) * px, px);
    return half;
}

static int directory(TIFF *tiff, const tiff_probe_spec *s, const uint8_t *pixels, int width, int height, int reduced, int subifds) {
    size_t bytes = (size_t)s->bits / 8, px = bytes * (size_t)s->samples;
    int planes = s->planar ? s->samples : 1;
    size_t step = s->planar ? bytes : px;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, s->samples);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, s->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, s->format);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, s->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, s->planar ? 2 : 1);
    TIFFSetField(tiff, TIFFTAG_FILLORDER, s->fill_order);
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "made for a test");
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, reduced ? 1 : 0);
    if (s->extra >= 0) {
        uint16_t kind = (uint16_t)s->extra;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    if (subifds > 0) {
        toff_t places[16] = {0};
        TIFFSetField(tiff, TIFFTAG_SUBIFD, subifds, places);
    }
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, s->compression);
    if (s->predictor > 1) TIFFSetField(tiff, TIFFTAG_PREDICTOR, s->predictor);
    if (s->compression == COMPRESSION_JPEG) {
        TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, s->quality);
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    int w = s->tile ? s->tile : width, h = s->tile ? s->tile : s->rows;
    if (s->tile) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, w);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, h);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, h);
    }
    uint8_t *buffer = malloc((size_t)w * (size_t)h * step);
    int failed = 0;
    uint32_t index = 0;
    for (int plane = 0; plane < planes; plane++) {
        for (int y = 0; y < height; y += h) {
            for (int x = 0; x < width; x += w) {
                int rows = s->tile || y + h <= height ? h : height - y;
                for (int j = 0; j < rows; j++) {
                    for (int i = 0; i < w; i++) {
                        size_t from_x = (size_t)(x + i < width ? x + i : width - 1), from_y = (size_t)(y + j < height ? y + j : height - 1);
                        memcpy(buffer + ((size_t)j * (size_t)w + (size_t)i) * step,
                            pixels + (from_y * (size_t)width + from_x) * px + (size_t)plane * bytes, step);
                    }
                }
                tmsize_t size = (tmsize_t)w * rows * (tmsize_t)step;
                tmsize_t done = s->tile ? TIFFWriteEncodedTile(tiff, index, buffer, size) : TIFFWriteEncodedStrip(tiff, index, buffer, size);
                if (done != size) failed = 1;
                index++;
            }
        }
    }
    free(buffer);
    return failed || !TIFFWriteDirectory(tiff);
}

int tiff_probe_write(const char *path, const tiff_probe_spec *s, const void *pixels) {
    char mode[4] = {'w', s->big_endian ? 'b' : 'l', s->big ? '8' : '4', 0};
    TIFFSetWarningHandler(quiet);
    TIFF *tiff = TIFFOpen(path, mode);
    if (tiff == NULL) return 1;
    size_t px = (size_t)s->bits / 8 * (size_t)s->samples;
    int failed = 0;
    for (int page = 0; page < s->pages; page++) {
        failed |= directory(tiff, s, pixels, s->width, s->height, 0, s->levels_are_pages ? 0 : s->levels);
        uint8_t *before = NULL;
        int width = s->width, height = s->height;
        for (int level = 0; level < s->levels; level++) {
            uint8_t *half = halved(before ? before : pixels, width, height, px);
            width = (width + 1) / 2;
            height = (height + 1) / 2;
            failed |= directory(tiff, s, half, width, height, 1, 0);
            free(before);
            before = half;
        }
        free(before);
    }
    TIFFClose(tiff);
    return failed;
}

static TIFF *opened(const char *path, int page, int level) {
    TIFFSetWarningHandler(quiet);
    TIFFSetErrorHandler(quiet);
    TIFF *tiff = TIFFOpen(path, "rm");
    if (tiff == NULL) return NULL;
    int good = TIFFSetDirectory(tiff, (uint16_t)page);
    if (good && level > 0) {
        uint16_t count = 0;
        toff_t *places = NULL;
        good = TIFFGetField(tiff, TIFFTAG_SUBIFD, &count, &places) && level <= count && TIFFSetSubDirectory(tiff, places[level - 1]);
    }
    if (good) return tiff;
    TIFFClose(tiff);
    return NULL;
}

tiff_probe_picture tiff_probe_read(const char *path, int page, int level) {
    tiff_probe_picture p = {.failed = 1};
    TIFF *tiff = opened(path, page, level);
    if (tiff == NULL) return p;
    uint32_t width = 0, height = 0, tile_w = 0, tile_h = 0;
    uint16_t samples = 1, bits = 8, planar = 1, compression = 1;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    p.is_tiled = TIFFIsTiled(tiff);
    if (p.is_tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_w);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_h);
    } else {
        tile_w = width;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &tile_h);
        if (tile_h > height) tile_h = height;
    }
    int is_planar = planar == 2 && samples > 1;
    size_t bytes = bits / 8u, px = bytes * samples, step = is_planar ? bytes : px;
    p.width = (int)width;
    p.height = (int)height;
    p.samples = samples;
    p.bits = bits;
    p.size = (size_t)width * height * px;
    p.pixels = calloc(1, p.size);
    p.failed = 0;
    uint8_t *buffer = malloc((size_t)tile_w * tile_h * step);
    uint32_t index = 0;
    for (uint32_t plane = 0; plane < (is_planar ? samples : 1u); plane++) {
        for (uint32_t y = 0; y < height; y += tile_h) {
            for (uint32_t x = 0; x < width; x += tile_w) {
                uint32_t rows = y + tile_h <= height ? tile_h : height - y;
                tmsize_t size = (tmsize_t)tile_w * (p.is_tiled ? tile_h : rows) * (tmsize_t)step;
                tmsize_t done = p.is_tiled ? TIFFReadEncodedTile(tiff, index, buffer, size) : TIFFReadEncodedStrip(tiff, index, buffer, size);
                if (done != size) p.failed = 1;
                index++;
                for (uint32_t j = 0; j < rows; j++)
                    for (uint32_t i = 0; i < tile_w && x + i < width; i++)
                        memcpy(p.pixels + ((size_t)(y + j) * width + x + i) * px + plane * bytes, buffer + ((size_t)j * tile_w + i) * step, step);
            }
        }
    }
    p.tiles = (int)index;
    free(buffer);
    TIFFClose(tiff);
    return p;
}

uint8_t *tiff_probe_raw(const char *path, int page, int level, int tile, size_t *size) {
    TIFF *tiff = opened(path, page, level);
    if (tiff == NULL) return NULL;
    uint64_t count = TIFFGetStrileByteCount(tiff, (uint32_t)tile);
    uint8_t *bytes = count > 0 ? malloc((size_t)count) : NULL;
    if (bytes) {
        tmsize_t done = TIFFIsTiled(tiff) ? TIFFReadRawTile(tiff, (uint32_t)tile, bytes, (tmsize_t)count)
                                          : TIFFReadRawStrip(tiff, (uint32_t)tile, bytes, (tmsize_t)count);
        if (done != (tmsize_t)count) {
            free(bytes);
            bytes = NULL;
        }
    }
    *size = (size_t)count;
    TIFFClose(tiff);
    return bytes;
}

int tiff_probe_pages(const char *path) {
    TIFF *tiff = opened(path, 0, 0);
    if (tiff == NULL) return 0;
    int pages = (int)TIFFNumberOfDirectories(tiff);
    TIFFClose(tiff);
    return pages;
}
