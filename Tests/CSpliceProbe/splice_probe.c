#include "splice_probe.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf leave;
    char *message;
} failure;

static void leave(j_common_ptr cinfo) {
    failure *error = (failure *)cinfo->err;
    char text[JMSG_LENGTH_MAX];
    error->base.format_message(cinfo, text);
    snprintf(error->message, 256, "%s", text);
    longjmp(error->leave, 1);
}

static void note(j_common_ptr cinfo, int level) {
    failure *error = (failure *)cinfo->err;
    char text[JMSG_LENGTH_MAX];
    if (level >= 0) return;
    error->base.num_warnings++;
    error->base.format_message(cinfo, text);
    snprintf(error->message, 256, "%s", text);
}

static void begin(struct jpeg_decompress_struct *cinfo, failure *error, splice_probe *probe) {
    memset(probe, 0, sizeof *probe);
    cinfo->err = jpeg_std_error(&error->base);
    error->base.error_exit = leave;
    error->base.emit_message = note;
    error->message = probe->message;
}

splice_probe splice_probe_coefficients(const uint8_t *bytes, size_t count) {
    static _Thread_local splice_probe probe;
    static _Thread_local struct jpeg_decompress_struct cinfo;
    static _Thread_local failure error;
    begin(&cinfo, &error, &probe);
    if (setjmp(error.leave)) {
        probe.failed = 1;
        jpeg_destroy_decompress(&cinfo);
        return probe;
    }
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, bytes, (unsigned long)count);
    jpeg_read_header(&cinfo, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&cinfo);
    probe.width = (int)cinfo.image_width;
    probe.height = (int)cinfo.image_height;
    probe.components = cinfo.num_components;
    for (int c = 0; c < cinfo.num_components && c < 4; c++) {
        jpeg_component_info *info = &cinfo.comp_info[c];
        probe.wide[c] = (int)info->width_in_blocks;
        probe.high[c] = (int)info->height_in_blocks;
        probe.h[c] = info->h_samp_factor;
        probe.v[c] = info->v_samp_factor;
        size_t row = (size_t)info->width_in_blocks * 64;
        probe.blocks[c] = malloc(row * info->height_in_blocks * sizeof(int16_t));
        for (JDIMENSION y = 0; y < info->height_in_blocks; y++) {
            JBLOCKARRAY blocks = cinfo.mem->access_virt_barray((j_common_ptr)&cinfo, arrays[c], y, 1, FALSE);
            memcpy(probe.blocks[c] + y * row, blocks[0], row * sizeof(int16_t));
        }
    }
    jpeg_finish_decompress(&cinfo);
    probe.warnings = (int)error.base.num_warnings;
    jpeg_destroy_decompress(&cinfo);
    return probe;
}

splice_probe splice_probe_pixels(const uint8_t *bytes, size_t count) {
    static _Thread_local splice_probe probe;
    static _Thread_local struct jpeg_decompress_struct cinfo;
    static _Thread_local failure error;
    begin(&cinfo, &error, &probe);
    if (setjmp(error.leave)) {
        probe.failed = 1;
        jpeg_destroy_decompress(&cinfo);
        return probe;
    }
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, bytes, (unsigned long)count);
    jpeg_read_header(&cinfo, TRUE);
    if (cinfo.num_components == 4) cinfo.out_color_space = JCS_CMYK;
    jpeg_start_decompress(&cinfo);
    probe.width = (int)cinfo.output_width;
    probe.height = (int)cinfo.output_height;
    probe.components = cinfo.output_components;
    size_t row = (size_t)cinfo.output_width * (size_t)cinfo.output_components;
    probe.pixels = malloc(row * cinfo.output_height);
    while (cinfo.output_scanline < cinfo.output_height) {
        JSAMPROW line = probe.pixels + cinfo.output_scanline * row;
        jpeg_read_scanlines(&cinfo, &line, 1);
    }
    jpeg_finish_decompress(&cinfo);
    probe.warnings = (int)error.base.num_warnings;
    jpeg_destroy_decompress(&cinfo);
    return probe;
}

void splice_probe_free(splice_probe *probe) {
    for (int c = 0; c < 4; c++) free(probe->blocks[c]);
    free(probe->pixels);
    memset(probe, 0, sizeof *probe);
}
