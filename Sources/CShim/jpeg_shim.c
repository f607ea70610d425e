#include "jpeg_shim.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

enum { BUFFER = 1 << 16, MOST_SCANS = 256 };

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf leave;
    char message[JMSG_LENGTH_MAX];
    int warned;
} failure;

static void leave(j_common_ptr cinfo) {
    failure *error = (failure *)cinfo->err;
    if (!error->warned) error->base.format_message(cinfo, error->message);
    longjmp(error->leave, 1);
}

/* Keeps the first warning's words. */
static void note(j_common_ptr cinfo, int level) {
    failure *error = (failure *)cinfo->err;
    if (level >= 0) return;
    if (error->base.msg_code == JWRN_JFIF_MAJOR || error->base.msg_code == JWRN_ADOBE_XFORM) return; /* harmless */
    error->base.num_warnings++;
    if (error->warned) return;
    error->warned = 1;
    error->base.format_message(cinfo, error->message);
}

static void silent(j_common_ptr cinfo) { (void)cinfo; }

static struct jpeg_error_mgr *prepared(failure *error) {
    jpeg_std_error(&error->base);
    error->base.error_exit = leave;
    error->base.emit_message = note;
    error->base.output_message = silent;
    return &error->base;
}

/* Runs BODY; a failure inside it returns 1 from the function. */
#define GUARDED(error, BODY)             \
    if (setjmp((error).leave)) return 1; \
    BODY;                                \
    return 0

/* A destination that hands full buffers on. */
typedef struct {
    struct jpeg_destination_mgr base;
    jpeg_shim_sink sink;
    void *context;
    JOCTET buffer[BUFFER];
} destination;

static void begin_output(j_compress_ptr cinfo) {
    destination *to = (destination *)cinfo->dest;
    to->base.next_output_byte = to->buffer;
    to->base.free_in_buffer = BUFFER;
}

static boolean pass_on(j_compress_ptr cinfo) {
    destination *to = (destination *)cinfo->dest;
    if (to->sink(to->context, to->buffer, BUFFER)) ERREXIT(cinfo, JERR_FILE_WRITE);
    begin_output(cinfo);
    return TRUE;
}

static void end_output(j_compress_ptr cinfo) {
    destination *to = (destination *)cinfo->dest;
    size_t rest = BUFFER - to->base.free_in_buffer;
    if (rest > 0 && to->sink(to->context, to->buffer, rest)) ERREXIT(cinfo, JERR_FILE_WRITE);
}

static void direct(j_compress_ptr cinfo, destination *to, jpeg_shim_sink sink, void *context) {
    to->base.init_destination = begin_output;
    to->base.empty_output_buffer = pass_on;
    to->base.term_destination = end_output;
    to->sink = sink;
    to->context = context;
    cinfo->dest = &to->base;
}

static int script(jpeg_scan_info *to, const jpeg_shim_scan *from, int count) {
    if (count > MOST_SCANS) return 0;
    for (int i = 0; i < count; i++) {
        to[i].comps_in_scan = from[i].count;
        for (int c = 0; c < 4; c++) to[i].component_index[c] = from[i].components[c];
        to[i].Ss = from[i].first;
        to[i].Se = from[i].last;
        to[i].Ah = from[i].high;
        to[i].Al = from[i].low;
    }
    return count;
}

/* Encoder */

struct jpeg_shim_encoder {
    struct jpeg_compress_struct cinfo;
    failure error;
    destination to;
    jpeg_scan_info scans[MOST_SCANS];
};

jpeg_shim_encoder *jpeg_shim_encoder_new(jpeg_shim_sink sink, void *context) {
    jpeg_shim_encoder *const e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->cinfo.err = prepared(&e->error);
    if (setjmp(e->error.leave)) {
        free(e);
        return NULL;
    }
    jpeg_create_compress(&e->cinfo);
    direct(&e->cinfo, &e->to, sink, context);
    return e;
}

void jpeg_shim_encoder_free(jpeg_shim_encoder *e) {
    if (e == NULL) return;
    jpeg_destroy_compress(&e->cinfo);
    free(e);
}

const char *jpeg_shim_encoder_message(const jpeg_shim_encoder *e) { return e->error.message; }

int jpeg_shim_encoder_layout(jpeg_shim_encoder *e, int width, int height, int colour) {
    J_COLOR_SPACE rows = colour == JPEG_SHIM_GREY ? JCS_GRAYSCALE : colour >= JPEG_SHIM_CMYK ? JCS_CMYK : JCS_RGB;
    GUARDED(e->error, {
        e->cinfo.image_width = (JDIMENSION)width;
        e->cinfo.image_height = (JDIMENSION)height;
        e->cinfo.in_color_space = rows;
        e->cinfo.input_components = rows == JCS_GRAYSCALE ? 1 : rows == JCS_RGB ? 3 : 4;
        jpeg_set_defaults(&e->cinfo);
        jpeg_set_colorspace(&e->cinfo, (J_COLOR_SPACE)colour);
        e->cinfo.write_JFIF_header = FALSE;
        e->cinfo.write_Adobe_marker = FALSE;
        e->cinfo.dct_method = JDCT_ISLOW;
    });
}

int jpeg_shim_encoder_quality(jpeg_shim_encoder *e, int quality) {
    GUARDED(e->error, jpeg_set_quality(&e->cinfo, quality, TRUE));
}

int jpeg_shim_encoder_quantisation(jpeg_shim_encoder *e, int table, const uint16_t *steps) {
    unsigned int values[DCTSIZE2];
    for (int i = 0; i < DCTSIZE2; i++) values[i] = steps[i];
    GUARDED(e->error, jpeg_add_quant_table(&e->cinfo, table, values, 100, FALSE));
}

int jpeg_shim_encoder_component(jpeg_shim_encoder *e, int component, int h, int v, int quantisation) {
    if (component >= e->cinfo.num_components) return 1;
    e->cinfo.comp_info[component].h_samp_factor = h;
    e->cinfo.comp_info[component].v_samp_factor = v;
    e->cinfo.comp_info[component].quant_tbl_no = quantisation;
    return 0;
}

int jpeg_shim_encoder_huffman(
    jpeg_shim_encoder *e, int is_ac, int table, const uint8_t *counts, const uint8_t *symbols, int symbol_count) {
    JHUFF_TBL **place = is_ac ? &e->cinfo.ac_huff_tbl_ptrs[table] : &e->cinfo.dc_huff_tbl_ptrs[table];
    GUARDED(e->error, {
        if (*place == NULL) *place = jpeg_alloc_huff_table((j_common_ptr)&e->cinfo);
        memcpy((*place)->bits + 1, counts, 16);
        memset((*place)->huffval, 0, sizeof (*place)->huffval);
        memcpy((*place)->huffval, symbols, (size_t)symbol_count);
        (*place)->sent_table = FALSE;
    });
}

int jpeg_shim_encoder_coding(jpeg_shim_encoder *e, int arithmetic, int optimise, int restart_interval) {
    e->cinfo.arith_code = arithmetic ? TRUE : FALSE;
    e->cinfo.optimize_coding = optimise && !arithmetic;
    e->cinfo.restart_interval = (unsigned)restart_interval;
    return 0;
}

int jpeg_shim_encoder_scans(jpeg_shim_encoder *e, const jpeg_shim_scan *scans, int count) {
    GUARDED(e->error, {
        if (scans == NULL) {
            jpeg_simple_progression(&e->cinfo);
        } else {
            e->cinfo.num_scans = script(e->scans, scans, count);
            e->cinfo.scan_info = e->scans;
        }
    });
}

int jpeg_shim_encoder_start(jpeg_shim_encoder *e) { GUARDED(e->error, jpeg_start_compress(&e->cinfo, TRUE)); }

int jpeg_shim_encoder_marker(jpeg_shim_encoder *e, int marker, const uint8_t *payload, size_t count) {
    GUARDED(e->error, jpeg_write_marker(&e->cinfo, marker, payload, (unsigned)count));
}

int jpeg_shim_encoder_rows(jpeg_shim_encoder *e, const uint8_t *rows, size_t stride, int count) {
    GUARDED(e->error, {
        for (int y = 0; y < count; y++) {
            JSAMPROW row = (JSAMPROW)(rows + (size_t)y * stride);
            jpeg_write_scanlines(&e->cinfo, &row, 1);
        }
    });
}

int jpeg_shim_encoder_finish(jpeg_shim_encoder *e) { GUARDED(e->error, jpeg_finish_compress(&e->cinfo)); }

/* Coefficients */

struct jpeg_shim_coefficients {
    struct jpeg_decompress_struct source;
    struct jpeg_compress_struct output;
    failure error;
    destination to;
    jvirt_barray_ptr *arrays;
    jpeg_scan_info scans[MOST_SCANS];
};

jpeg_shim_coefficients *jpeg_shim_coefficients_new(void) {
    jpeg_shim_coefficients *const p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->source.err = prepared(&p->error);
    p->output.err = &p->error.base;
    if (setjmp(p->error.leave)) {
        jpeg_destroy_decompress(&p->source);
        free(p);
        return NULL;
    }
    jpeg_create_decompress(&p->source);
    jpeg_create_compress(&p->output);
    return p;
}

void jpeg_shim_coefficients_free(jpeg_shim_coefficients *p) {
    if (p == NULL) return;
    jpeg_destroy_compress(&p->output);
    jpeg_destroy_decompress(&p->source);
    free(p);
}

const char *jpeg_shim_coefficients_message(const jpeg_shim_coefficients *p) { return p->error.message; }

int jpeg_shim_coefficients_read(jpeg_shim_coefficients *p, const uint8_t *bytes, size_t count, long memory) {
    GUARDED(p->error, {
        if (memory > 0) p->source.mem->max_memory_to_use = memory;
        jpeg_mem_src(&p->source, bytes, (unsigned long)count);
        jpeg_read_header(&p->source, TRUE);
        p->arrays = jpeg_read_coefficients(&p->source);
        if (p->error.base.num_warnings > 0) return 1;
    });
}

int16_t *jpeg_shim_coefficients_row(jpeg_shim_coefficients *p, int component, int row) {
    if (setjmp(p->error.leave)) return NULL;
    JBLOCKARRAY blocks =
        p->source.mem->access_virt_barray((j_common_ptr)&p->source, p->arrays[component], (JDIMENSION)row, 1, TRUE);
    return (int16_t *)blocks[0];
}

int jpeg_shim_coefficients_write(
    jpeg_shim_coefficients *p, const jpeg_shim_scan *scans, int count, int restart_interval, jpeg_shim_sink sink, void *context) {
    GUARDED(p->error, {
        jpeg_abort_compress(&p->output);
        direct(&p->output, &p->to, sink, context);
        jpeg_copy_critical_parameters(&p->source, &p->output);
        p->output.write_JFIF_header = FALSE;
        p->output.write_Adobe_marker = FALSE;
        p->output.arith_code = p->source.arith_code;
        p->output.optimize_coding = !p->source.arith_code;
        p->output.restart_interval = (unsigned)restart_interval;
        if (scans != NULL) {
            p->output.num_scans = script(p->scans, scans, count);
            p->output.scan_info = p->scans;
        } else if (p->source.progressive_mode) {
            jpeg_simple_progression(&p->output);
        }
        jpeg_write_coefficients(&p->output, p->arrays);
        jpeg_finish_compress(&p->output);
    });
}
