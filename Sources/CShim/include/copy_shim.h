/* Copying a file inside the kernel: Swift's Glibc module has neither FICLONE nor copy_file_range. */
#pragma once

#include <stdint.h>

/* Makes `to` a copy of the first `size` bytes of `from`, by sharing extents where the file system can, else in the kernel, else
   by reading and writing. Returns 0 or an errno. */
int copy_shim_file(int from, int to, int64_t size);
