/* libjpeg-turbo behind calls that return: its error handling leaves by longjmp, which must not cross a Swift frame.
   Every call that can fail returns 0 for success and leaves its reason in jpeg_shim_..._message. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes finished bytes; anything but 0 stops the work, and the call that was at it fails. */
typedef int (*jpeg_shim_sink)(void *context, const uint8_t *bytes, size_t count);

/* Colour of the samples in the file, numbered as libjpeg does. */
enum { JPEG_SHIM_GREY = 1, JPEG_SHIM_RGB = 2, JPEG_SHIM_YCBCR = 3, JPEG_SHIM_CMYK = 4, JPEG_SHIM_YCCK = 5 };

/* One scan of a script: component indexes, spectral band, successive approximation. */
typedef struct {
    int count;
    int components[4];
    int first, last, high, low;
} jpeg_shim_scan;

/* Encoder of rows of 8-bit samples. Order of calls: new, layout, setters, start, markers, rows, finish, free. */
typedef struct jpeg_shim_encoder jpeg_shim_encoder;

jpeg_shim_encoder *jpeg_shim_encoder_new(jpeg_shim_sink sink, void *context);
void jpeg_shim_encoder_free(jpeg_shim_encoder *encoder);
const char *jpeg_shim_encoder_message(const jpeg_shim_encoder *encoder);
/* Rows come as grey, RGB or CMYK as stored, whatever the file holds. */
int jpeg_shim_encoder_layout(jpeg_shim_encoder *encoder, int width, int height, int colour);
/* libjpeg's own tables for a quality of 1 to 100. */
int jpeg_shim_encoder_quality(jpeg_shim_encoder *encoder, int quality);
/* 64 steps in natural order. */
int jpeg_shim_encoder_quantisation(jpeg_shim_encoder *encoder, int table, const uint16_t *steps);
int jpeg_shim_encoder_component(jpeg_shim_encoder *encoder, int component, int h, int v, int quantisation);
/* counts: codes of length 1 to 16. */
int jpeg_shim_encoder_huffman(
    jpeg_shim_encoder *encoder, int is_ac, int table, const uint8_t *counts, const uint8_t *symbols, int symbol_count);
int jpeg_shim_encoder_coding(jpeg_shim_encoder *encoder, int arithmetic, int optimise, int restart_interval);
/* The standard progressive script when scans is NULL. The scans must live until start. */
int jpeg_shim_encoder_scans(jpeg_shim_encoder *encoder, const jpeg_shim_scan *scans, int count);
int jpeg_shim_encoder_start(jpeg_shim_encoder *encoder);
int jpeg_shim_encoder_marker(jpeg_shim_encoder *encoder, int marker, const uint8_t *payload, size_t count);
int jpeg_shim_encoder_rows(jpeg_shim_encoder *encoder, const uint8_t *rows, size_t stride, int count);
int jpeg_shim_encoder_finish(jpeg_shim_encoder *encoder);

/* The coefficients of a whole picture, to be changed and written again. */
typedef struct jpeg_shim_coefficients jpeg_shim_coefficients;

jpeg_shim_coefficients *jpeg_shim_coefficients_new(void);
void jpeg_shim_coefficients_free(jpeg_shim_coefficients *picture);
const char *jpeg_shim_coefficients_message(const jpeg_shim_coefficients *picture);
/* Fails at libjpeg's first warning too: what it makes up for damaged data must not become permanent. memory: bytes, 0 is no limit. */
int jpeg_shim_coefficients_read(jpeg_shim_coefficients *picture, const uint8_t *bytes, size_t count, long memory);
/* The blocks of one row, 64 coefficients in natural order each; NULL when it fails. Good until the next call. */
int16_t *jpeg_shim_coefficients_row(jpeg_shim_coefficients *picture, int component, int row);
/* Writes a file without APP segments: the source's coding, a script of scans (NULL: the standard one if progressive),
   Huffman tables made for the picture. */
int jpeg_shim_coefficients_write(
    jpeg_shim_coefficients *picture, const jpeg_shim_scan *scans, int count, int restart_interval, jpeg_shim_sink sink, void *context);
