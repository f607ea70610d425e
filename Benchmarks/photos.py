"""Pictures to measure with: light at every scale, hard edges and sensor noise, so that they compress as photographs do.

The same picture for the same number and size, wherever it is made.
"""
import os
import shutil

import pyvips


def photo(number, width, height, noise=5.0):
    """An sRGB picture in memory."""
    seed = 7919 * (number + 1)
    light = None
    for octave, (cells, weight) in enumerate([(2, 1.0), (7, 0.5), (23, 0.25), (90, 0.14), (400, 0.06)]):
        layer = pyvips.Image.perlin(width, height, cell_size=max(4, width // cells), seed=seed + octave) * weight
        light = layer if light is None else light + layer
    across = pyvips.Image.xyz(width, height)
    sky = across[1] / height
    # A few discs with hard edges: roofs, signs, faces.
    for k in range(6):
        x, y = (seed * (k + 3) * 31) % width, (seed * (k + 5) * 17) % height
        radius = min(width, height) / (6 + 2 * k)
        inside = ((across[0] - x) ** 2 + (across[1] - y) ** 2) < radius * radius
        light = light + inside / 255.0 * (0.5 if k % 2 else -0.4)
    bands = []
    for k, (base, fall, swing) in enumerate([(90, 80, 58), (118, 40, 52), (150, -60, 46)]):
        grain = pyvips.Image.gaussnoise(width, height, sigma=noise, mean=base, seed=3 * seed + k)
        bands.append(sky * fall + light * swing + grain)
    return bands[0].bandjoin(bands[1:]).cast("uchar").copy(interpretation="srgb")


def jpeg(path, number, width, height, subsampled, **options):
    """One photo as a JPEG of quality 90, unless it is there."""
    if not os.path.exists(path):
        photo(number, width, height).jpegsave(
            path + ".part", Q=90, subsample_mode="on" if subsampled else "off", **options)
        os.rename(path + ".part", path)
    return path


def photos(kept, folder, count, width, height, distinct):
    """A folder of `count` photos, of which `distinct` differ and are made in `kept`; the others are further names of them."""
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, f"photo{n:05}.jpg") for n in range(count)]
    for n, path in enumerate(paths):
        if n < distinct:
            shutil.copy(jpeg(os.path.join(kept, f"{width}x{height}-{n}.jpg"), n, width, height, subsampled=n % 2 == 0), path)
        else:
            os.link(paths[n % distinct], path)
    return paths


def slide(path, side=32768):
    """A tiled TIFF of a gigapixel, as scanners of slides and maps write them."""
    if not os.path.exists(path):
        field = photo(99, 4096, 4096, noise=0.3).copy_memory()
        field.replicate(side // 4096, side // 4096).tiffsave(
            path + ".part", tile=True, tile_width=256, tile_height=256, compression="deflate", predictor="horizontal",
            level=1, bigtiff=True)
        os.rename(path + ".part", path)
    return path
