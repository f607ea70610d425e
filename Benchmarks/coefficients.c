/* Compares two JPEGs block by block, as libjpeg decodes their coefficients.
   coefficients BEFORE AFTER LEFT TOP WIDTH HEIGHT: prints the blocks that differ outside the MCUs that the rectangle
   touches, and those that differ inside. Whatever libjpeg warns of is a failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static jvirt_barray_ptr *open_picture(struct jpeg_decompress_struct *info, struct jpeg_error_mgr *error, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(2); }
    info->err = jpeg_std_error(error);
    jpeg_create_decompress(info);
    jpeg_stdio_src(info, file);
    jpeg_read_header(info, TRUE);
    return jpeg_read_coefficients(info);
}

int main(int count, char **words) {
    if (count != 7) return 2;
    struct jpeg_decompress_struct before, after;
    struct jpeg_error_mgr one, two;
    jvirt_barray_ptr *a = open_picture(&before, &one, words[1]), *b = open_picture(&after, &two, words[2]);
    int left = atoi(words[3]), top = atoi(words[4]), right = left + atoi(words[5]), bottom = top + atoi(words[6]);
    if (before.image_width != after.image_width || before.image_height != after.image_height ||
        before.num_components != after.num_components || one.num_warnings || two.num_warnings) {
        puts("the pictures differ in kind or are damaged");
        return 1;
    }
    int wide = 8 * before.max_h_samp_factor, high = 8 * before.max_v_samp_factor;
    long outside = 0, inside = 0;
    for (int c = 0; c < before.num_components; c++) {
        jpeg_component_info *component = &before.comp_info[c];
        for (JDIMENSION y = 0; y < component->height_in_blocks; y++) {
            JBLOCKARRAY p = before.mem->access_virt_barray((j_common_ptr)&before, a[c], y, 1, FALSE);
            JBLOCKARRAY q = after.mem->access_virt_barray((j_common_ptr)&after, b[c], y, 1, FALSE);
            int row = (int)y / component->v_samp_factor * high;
            for (JDIMENSION x = 0; x < component->width_in_blocks; x++) {
                if (!memcmp(p[0][x], q[0][x], sizeof(JBLOCK))) continue;
                int column = (int)x / component->h_samp_factor * wide;
                int touched = column < right && column + wide > left && row < bottom && row + high > top;
                if (touched) inside++; else outside++;
            }
        }
    }
    printf("%ld %ld\n", outside, inside);
    return 0;
}
