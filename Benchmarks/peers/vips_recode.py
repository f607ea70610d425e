"""Decodes and encodes a JPEG again and again in one process by libvips, no label; prints the CPU seconds of one time.
vips_recode.py TIMES SUBSAMPLING PICTURE OUTPUT"""
import os
import resource
import sys

os.environ["VIPS_CONCURRENCY"] = "1"
import pyvips  # noqa: E402  (reads the variable)

times, subsampling, source, target = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
pyvips.cache_set_max(0)


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


taken = []
for _ in range(times + 1):
    start = cpu()
    pyvips.Image.new_from_file(source, access="sequential").jpegsave(target, Q=90, subsample_mode=subsampling)
    taken.append(cpu() - start)
print(sum(taken[1:]) / times)  # without the first, which loads the library's parts
