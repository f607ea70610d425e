/* zlib's checks: its macros (inflateInit) and its z_stream with pointers into buffers are not for Swift. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A zlib stream whose bytes are looked at and thrown away. NULL: no memory. */
typedef struct inflate_shim inflate_shim;
inflate_shim *inflate_shim_new(void);
void inflate_shim_free(inflate_shim *stream);

/* The next bytes of the stream. 0: more is wanted; 1: the stream has ended and its checksum is right; -1: it is damaged.
   What follows the end is ignored. */
int inflate_shim_feed(inflate_shim *stream, const uint8_t *bytes, size_t count);

/* The checksum that ends a zlib stream of these bytes. */
uint32_t adler_shim(const uint8_t *bytes, size_t count);

/* The CRC of PNG's chunks, continued from that of earlier bytes; 0 to begin with. */
uint32_t crc_shim(uint32_t crc, const uint8_t *bytes, size_t count);
