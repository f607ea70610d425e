"""What must be true of an output before its time counts."""
import json
import subprocess

import numpy as np
import pyvips

from measure import Failed


def pixels(path):
    """8 bit, without alpha, as an array."""
    image = pyvips.Image.new_from_file(str(path))
    if image.hasalpha():
        image = image.flatten(background=255)
    return image.cast("uchar").numpy()


def ink_box(before, after, threshold=60):
    """Where pixels changed clearly: left, top, width, height."""
    if before.shape != after.shape:
        raise Failed(f"the output has another shape: {after.shape}")
    if before.ndim == 2:
        before, after = before[..., None], after[..., None]
    changed = np.zeros(before.shape[:2], bool)
    for y in range(0, before.shape[0], 512):  # in strips: a difference of everything at once would take all memory
        part = np.abs(before[y:y + 512].astype(np.int16) - after[y:y + 512])
        changed[y:y + 512] = part.max(axis=2) > threshold
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not len(rows):
        raise Failed("there is no label in the output")
    return int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1)


def boxes_agree(ours, peer, share=0.05):
    """Sides and places are equal within a share of the label's size."""
    for index in range(4):
        size = peer[2 + index % 2]
        if abs(ours[index] - peer[index]) > max(3, share * size):
            raise Failed(f"the label's ink box is {ours}, the peer's {peer}")


def box_differs_nowhere(before, after, box, most=0):
    """Outside a box no sample differs by more than `most`; the largest difference."""
    left, top, width, height = box
    worst = 0
    for part in (np.s_[:top], np.s_[top + height:], np.s_[top:top + height, :left], np.s_[top:top + height, left + width:]):
        a, b = before[part], after[part]
        if a.size:
            worst = max(worst, int(np.abs(a.astype(np.int16) - b).max()))
    if worst > most:
        raise Failed(f"outside the label samples differ by {worst}")
    return worst


def coefficients(tool, before, after, box):
    """0 blocks differ outside the box's MCUs, and some inside."""
    result = subprocess.run([tool, before, after, *map(str, box)], capture_output=True, text=True)
    if result.returncode:
        raise Failed(result.stdout + result.stderr)
    outside, inside = map(int, result.stdout.split())
    if outside or not inside:
        raise Failed(f"{outside} blocks differ outside the label, {inside} inside")
    return outside


def psnr(before, after):
    error = float(np.mean((before.astype(np.float32) - after) ** 2))
    return 99.0 if error == 0 else 10 * np.log10(255 * 255 / error)


def report(path):
    """Lines of a report: one a picture, and the totals."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        if line["status"] not in ("done", "totals"):
            raise Failed(f"a picture failed: {line}")
    return [line for line in lines if line["status"] == "done"]
