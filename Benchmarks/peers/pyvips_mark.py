"""A watermark by libvips from Python, by somebody who knows it: the label is drawn once a process, only what lies under it is
composited, and the picture is read from top to bottom.  pyvips_mark.py PROCESSES OUTPUT PICTURE…"""
import os
import sys
from concurrent.futures import ProcessPoolExecutor

INSET, ROOM = 60, 24
drawn = None


def label():
    import pyvips
    letters = pyvips.Image.text("Copyright 2026", font="Liberation Sans Bold 96", dpi=72)
    letters = letters.embed(ROOM, ROOM, letters.width + 2 * ROOM, letters.height + 2 * ROOM)
    edge = (letters.gaussblur(2) * 6).cast("uchar")
    shadow = letters.gaussblur(6).cast("uchar")

    def painted(mask, color):
        return mask.new_from_image(color).copy(interpretation="srgb").bandjoin(mask)

    under = painted(shadow, [0, 0, 0]).composite2(painted(edge, [0, 0, 0]), "over")
    return under.composite2(painted(letters, [255, 255, 255]), "over").cast("uchar").copy_memory()


def mark(job):
    global drawn
    import pyvips
    if drawn is None:
        pyvips.cache_set_max(0)
        drawn = label()
    source, target = job
    photo = pyvips.Image.new_from_file(source, access="sequential")
    left, top = photo.width - drawn.width - INSET, photo.height - drawn.height - INSET
    patch = photo.crop(left, top, drawn.width, drawn.height).composite2(drawn, "over").flatten().cast(photo.format)
    photo.insert(patch, left, top).jpegsave(target, Q=90)


if __name__ == "__main__":
    processes, output, sources = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    os.makedirs(output, exist_ok=True)
    os.environ["VIPS_CONCURRENCY"] = "1"
    jobs = [(source, os.path.join(output, os.path.basename(source))) for source in sources]
    if processes == 1:
        for job in jobs:
            mark(job)
    else:
        with ProcessPoolExecutor(processes) as pool:
            list(pool.map(mark, jobs, chunksize=4))
