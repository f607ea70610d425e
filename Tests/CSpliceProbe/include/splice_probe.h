/* Reads JPEGs for the tests by libjpeg alone: shares no code with the splicer. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int failed;    /* libjpeg gave up; message says why */
    int warnings;  /* what it put up with */
    char message[256];
    int width, height, components;
    /* coefficients: per component blocks across and down, blocks of 64 in natural order */
    int wide[4], high[4], h[4], v[4];
    int16_t *blocks[4];
    /* pixels: components bytes a px, as libjpeg converts them: grey, RGB, CMYK as stored */
    uint8_t *pixels;
} splice_probe;

splice_probe splice_probe_coefficients(const uint8_t *bytes, size_t count);
splice_probe splice_probe_pixels(const uint8_t *bytes, size_t count);
void splice_probe_free(splice_probe *probe);
