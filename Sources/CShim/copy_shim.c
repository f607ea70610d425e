#define _GNU_SOURCE
#include "copy_shim.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { STEP = 1 << 20 };

static int by_hand(int from, int to, int64_t at, int64_t size) {
    char *buffer = malloc(STEP);
    if (buffer == NULL) return ENOMEM;
    int failure = 0;
    while (failure == 0 && at < size) {
        ssize_t got = pread(from, buffer, STEP < size - at ? STEP : (size_t)(size - at), at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            failure = got < 0 ? errno : EIO;
            break;
        }
        for (ssize_t done = 0; done < got && failure == 0;) {
            ssize_t put = pwrite(to, buffer + done, (size_t)(got - done), at + done);
            if (put < 0 && errno != EINTR) failure = errno;
            if (put > 0) done += put;
        }
        at += got;
    }
    free(buffer);
    return failure;
}

int copy_shim_file(int from, int to, int64_t size) {
    if (ioctl(to, FICLONE, from) == 0) return 0;
    loff_t in = 0, out = 0;
    while (in < size) {
        ssize_t done = copy_file_range(from, &in, to, &out, (size_t)(size - in), 0);
        if (done > 0 || (done < 0 && errno == EINTR)) continue;
        if (done < 0 && (errno == ENOSPC || errno == EIO || errno == EFBIG || errno == EDQUOT)) return errno;
        return by_hand(from, to, in, size); /* other file systems, old kernels, files that give nothing */
    }
    return 0;
}
