#include "inflate_shim.h"

#include <stdlib.h>
#include <zlib.h>

struct inflate_shim {
    z_stream zlib;
    int state;
    uint8_t scratch[1 << 16];
};

inflate_shim *inflate_shim_new(void)
{
    inflate_shim *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit(&stream->zlib) != Z_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

void inflate_shim_free(inflate_shim *stream)
{
    inflateEnd(&stream->zlib);
    free(stream);
}

int inflate_shim_feed(inflate_shim *stream, const uint8_t *bytes, size_t count)
{
    if (stream->state != 0) return stream->state;
    stream->zlib.next_in = (Bytef *) bytes;
    stream->zlib.avail_in = (uInt) count;
    /* A full buffer may mean that there is more to come out. */
    do {
        stream->zlib.next_out = stream->scratch;
        stream->zlib.avail_out = sizeof stream->scratch;
        int result = inflate(&stream->zlib, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            stream->state = 1;
        else if (result != Z_OK && result != Z_BUF_ERROR)
            stream->state = -1;
    } while (stream->state == 0 && (stream->zlib.avail_in > 0 || stream->zlib.avail_out == 0));
    return stream->state;
}

uint32_t crc_shim(uint32_t crc, const uint8_t *bytes, size_t count) { return (uint32_t) crc32_z(crc, bytes, count); }

uint32_t adler_shim(const uint8_t *bytes, size_t count) { return (uint32_t) adler32_z(1, bytes, count); }
