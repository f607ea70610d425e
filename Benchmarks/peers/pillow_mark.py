"""A watermark by Pillow: the label is drawn once a process and pasted, the source's quantisation tables are kept.
pillow_mark.py PROCESSES OUTPUT PICTURE…"""
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

from PIL import Image, ImageDraw, ImageFilter, ImageFont

TEXT, INSET, ROOM = "Copyright 2026", 60, 24
drawn = None


def label():
    file = subprocess.check_output(["fc-match", "-f", "%{file}", "Liberation Sans:bold"], text=True)
    font = ImageFont.truetype(file, 96)
    left, top, right, bottom = font.getbbox(TEXT, stroke_width=6)
    size, at = (right - left + 2 * ROOM, bottom - top + 2 * ROOM), (ROOM - left, ROOM - top)
    shadow = Image.new("L", size, 0)
    ImageDraw.Draw(shadow).text(at, TEXT, font=font, fill=255, stroke_width=6)
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    image.putalpha(shadow.filter(ImageFilter.GaussianBlur(6)))
    ImageDraw.Draw(image).text(at, TEXT, font=font, fill="white", stroke_width=6, stroke_fill="black")
    return image


def mark(job):
    global drawn
    drawn = drawn or label()
    source, target = job
    photo = Image.open(source)
    tables = photo.quantization
    photo.load()
    photo.paste(drawn, (photo.width - drawn.width - INSET, photo.height - drawn.height - INSET), drawn)
    photo.save(target, qtables=tables, exif=photo.info.get("exif", b""), icc_profile=photo.info.get("icc_profile"))


if __name__ == "__main__":
    processes, output, sources = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    os.makedirs(output, exist_ok=True)
    jobs = [(source, os.path.join(output, os.path.basename(source))) for source in sources]
    if processes == 1:
        for job in jobs:
            mark(job)
    else:
        with ProcessPoolExecutor(processes) as pool:
            list(pool.map(mark, jobs, chunksize=4))
