"""The rows of the table: each says what is measured, against what, and what is to be reached."""
import csv
import json
import os
import random
import shutil
import subprocess
import time

import checks
import photos
from measure import Failed, alternating, descriptors, median, peak_memory, resident, run, ticks, tree
from subject import Figure


def of(ours, peer):
    return median(ours) / median(peer)


def reencoded(bench):
    """one 24 MP JPEG, small label, re-encoded"""
    photo = bench.picture("p24-444.jpg", 1, 6000, 4000, False)
    tiny = bench.tiny()
    copy = os.path.join(bench.scratch, "copy.jpg")
    how = ("--set", "jpeg=reencode")
    bench.mark("corner.json", [photo], *how)
    bench.check_label(photo, False, "reencode")
    target = f"{copy}[Q=90,subsample-mode=off]"
    ours, ours_start, peer, peer_start = alternating(
        bench.repeats, lambda: bench.mark("corner.json", [photo], *how).cpu,
        lambda: bench.mark("corner.json", [tiny], *how).cpu,
        lambda: run(["vips", "copy", photo, target]).cpu, lambda: run(["vips", "copy", tiny, target]).cpu)
    ours = [value - median(ours_start) for value in ours]
    peer = [value - median(peer_start) for value in peer]
    output = bench.folder("ours")
    memory, peer_memory = alternating(
        bench.repeats,
        lambda: peak_memory(
            [bench.program, "run", bench.document("corner.json"), photo, "--output", output, "--overwrite", "--jobs", 1, *how]),
        lambda: peak_memory(["vips", "copy", photo, target]))
    return [Figure("CPU / `vips copy`, start-up excluded", of(ours, peer), 1.10, ours=ours, peer=peer),
            Figure("peak memory / `vips copy`", of(memory, peer_memory), 1.3, ours=memory, peer=peer_memory)]


def marginal(bench, photo, count=6):
    """CPU seconds of one more picture like this in a run."""
    several, one = bench.copies(photo, count + 1), None
    many = bench.mark("corner.json", several).cpu
    one = bench.mark("corner.json", several[:1]).cpu
    return (many - one) / count


def spliced(bench):
    """the same, spliced"""
    figures = []
    for name, subsampled in (("4:4:4", False), ("4:2:0", True)):
        photo = bench.picture(f"p24-{name.replace(':', '')}.jpg", 1, 6000, 4000, subsampled)
        bench.mark("corner.json", [photo])
        bench.check_label(photo, True, "splice-stream")
        again = os.path.join(bench.scratch, "again.jpg")
        ours, peer = alternating(
            bench.repeats, lambda: marginal(bench, photo),
            lambda: float(run([*bench.peer("vips_recode.py"), 4, "on" if subsampled else "off", photo, again]).text.split()[-1]))
        figures.append(
            Figure(f"baseline {name}: CPU / decode + encode by libvips in one process", of(ours, peer), 0.35, ours=ours, peer=peer))
    return figures


def spliced_progressive(bench):
    """the same, progressive"""
    photo = bench.picture("p24-progressive.jpg", 1, 6000, 4000, False, interlace=True)
    tiny = bench.tiny()
    bench.mark("corner.json", [photo])
    bench.check_label(photo, True, "splice-coefficients")
    target = os.path.join(bench.scratch, "copy.jpg") + "[Q=90,subsample-mode=off,interlace]"
    ours, ours_start, peer, peer_start = alternating(
        bench.repeats, lambda: bench.mark("corner.json", [photo]).cpu, lambda: bench.mark("corner.json", [tiny]).cpu,
        lambda: run(["vips", "copy", photo, target]).cpu, lambda: run(["vips", "copy", tiny, target]).cpu)
    ours = [value - median(ours_start) for value in ours]
    peer = [value - median(peer_start) for value in peer]
    return [Figure("CPU / `vips copy` with `interlace`, start-up excluded", of(ours, peer), 0.90, ours=ours, peer=peer)]


def batch(bench, count=200, fewer=20):
    """200 photos of 12 MP, 2 processes, one label, on tmpfs"""
    paths = photos.photos(bench.disk, bench.folder("photos"), count, 4000, 3000, distinct=20)
    some = paths[:fewer]

    def checked(output, pictures):
        """A folder has every picture, and one of them, not always the same, the label in its corner."""
        if len(os.listdir(output)) < len(pictures):
            raise Failed(f"{output} lacks pictures")
        photo = random.choice(pictures)
        before, after = checks.pixels(photo), checks.pixels(os.path.join(output, os.path.basename(photo)))
        box = checks.ink_box(before[2500:, 2500:], after[2500:, 2500:])
        if not (400 < box[2] < 1200 and 60 < box[3] < 250):
            raise Failed(f"{output}: the label's ink box is {box}")

    def ours(*options):
        wall = bench.mark("corner.json", paths, *options, jobs=2).wall
        checked(os.path.join(bench.scratch, "ours"), paths)
        return count / wall

    def peer(program, pictures):
        output = bench.folder("peer")
        wall = run([*bench.peer(program), 2, output, *pictures]).wall
        checked(output, pictures)
        return len(pictures) / wall

    def magick():
        output = bench.folder("peer")
        halves = some[::2], some[1::2]
        start = time.perf_counter()
        work = [subprocess.Popen(
            ["mogrify", "-limit", "thread", "1", "-path", output, "-gravity", "SouthEast", "-font", "Liberation-Sans-Bold",
             "-pointsize", "96", "-fill", "white", "-stroke", "black", "-strokewidth", "6", "-annotate", "+60+60",
             "Copyright 2026", *half]) for half in halves]
        if any(process.wait() for process in work):
            raise Failed("mogrify failed")
        wall = time.perf_counter() - start
        checked(output, some)
        return len(some) / wall

    bold = subprocess.run(["fc-match", "-f", "%{file}", "Liberation Sans:bold"], capture_output=True, text=True).stdout

    def graphics_magick():
        output = bench.folder("peer")
        start = time.perf_counter()
        work = [subprocess.Popen(
            ["gm", "mogrify", "-output-directory", output, "-gravity", "SouthEast", "-font", bold,
             "-pointsize", "96", "-fill", "white", "-stroke", "black", "-draw", "text 60,60 'Copyright 2026'", *map(os.path.basename, half)],
            cwd=os.path.dirname(some[0]), env={**os.environ, "OMP_NUM_THREADS": "1"}) for half in (some[::2], some[1::2])]
        if any(process.wait() for process in work):
            raise Failed("gm mogrify failed")
        wall = time.perf_counter() - start
        checked(output, some)
        return len(some) / wall

    for how, mode in (("auto", "splice-stream"), ("reencode", "reencode")):
        bench.mark("corner.json", paths[:1], "--set", f"jpeg={how}")
        bench.check_label(paths[0], how == "auto", mode)
    rates = alternating(
        max(3, bench.repeats // 2 + 1),
        ours, lambda: ours("--set", "jpeg=reencode"),
        lambda: peer("pyvips_mark.py", paths), lambda: peer("pillow_mark.py", some), magick, graphics_magick)
    splices, again, pyvips, pillow, mogrify, gm = rates
    return [Figure("spliced: pictures a second / pyvips", of(splices, pyvips), 3, is_least=True, ours=splices, peer=pyvips),
            Figure("re-encoded: pictures a second / pyvips", of(again, pyvips), 1, is_least=True, ours=again, peer=pyvips),
            Figure("spliced: pictures a second / `mogrify`", of(splices, mogrify), 6, is_least=True, ours=splices, peer=mogrify),
            Figure("spliced: pictures a second / `gm mogrify`", of(splices, gm), 1, is_least=True, ours=splices, peer=gm),
            Figure("spliced: pictures a second / Pillow", of(splices, pillow), 1, is_least=True, ours=splices, peer=pillow)]


def tiled(bench):
    """6000×4000 tiled at 30°"""
    photo = bench.picture("p24-444.jpg", 1, 6000, 4000, False)
    target = os.path.join(bench.scratch, "copy.jpg") + "[Q=90,subsample-mode=off]"
    bench.mark("tiled.json", [photo])
    before, after = checks.pixels(photo), checks.pixels(bench.marked(photo))
    for y in range(0, 4000, 1000):
        for x in range(0, 6000, 1000):
            checks.ink_box(before[y:y + 1000, x:x + 1000], after[y:y + 1000, x:x + 1000], threshold=30)
    ours, peer = alternating(
        bench.repeats, lambda: bench.mark("tiled.json", [photo]).cpu, lambda: run(["vips", "copy", photo, target]).cpu)
    return [Figure("CPU / `vips copy`, start-up included", of(ours, peer), 1.4, ours=ours, peer=peer)]


def slide(bench):
    """a tiled TIFF of 1 gigapixel, one label"""
    import pyvips
    source = shutil.copy(photos.slide(os.path.join(bench.disk, "slide.tif")), os.path.join(bench.scratch, "slide.tif"))
    copy = os.path.join(bench.scratch, "copy.tif")

    def plain_copy():
        if os.path.exists(copy):
            os.remove(copy)
        return run(["cp", source, copy]).wall

    bench.mark("slide.json", [source])
    line, = checks.report(os.path.join(bench.scratch, "report"))
    before, after = pyvips.Image.new_from_file(source), pyvips.Image.new_from_file(bench.marked(source))
    left, top, width, height = line["boxes"][0]
    inside = checks.ink_box(before.crop(left, top, width, height).numpy(), after.crop(left, top, width, height).numpy())
    text = pyvips.Image.text("Copyright 2026", font="Liberation Sans Bold 1150", dpi=72)
    checks.boxes_agree((0, 0, *inside[2:]), (0, 0, text.width + 24, text.height + 24))
    # Everything outside the label's box, and no more than a tile of it may be read differently: nothing may.
    changed = (before - after).abs().bandor() > 0
    changed = changed.draw_rect(0, left, top, width, height, fill=True) if width else changed
    if changed.max() != 0:
        raise Failed("pixels outside the label's box changed")
    tiles = line["mode"]
    ours, peer = alternating(
        bench.repeats, lambda: bench.mark("slide.json", [source]).wall, plain_copy)
    output = bench.folder("ours")
    memory = peak_memory([bench.program, "run", bench.document("slide.json"), source, "--output", output, "--jobs", 1])
    figures = [Figure(f"wall / `cp` ({tiles})", of(ours, peer), 2.5, ours=ours, peer=peer),
               Figure("peak memory", memory, 100, unit="MB", ours=[memory])]
    os.remove(copy)
    output = bench.folder("ours")
    memory = peak_memory([bench.program, "run", bench.document("slide.json"), source, "--output", output, "--jobs", 1,
                          "--set", "compression=packbits", "--timeout", "3600"])
    figures.append(Figure("re-encoded: peak memory", memory, 300, unit="MB", ours=[memory]))
    bench.folder("ours")
    return figures


def rows_file(bench, count):
    """A table of as many different labels of one size."""
    path = os.path.join(bench.scratch, f"rows-{count}.csv")
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["text"])
        for number in range(count):
            table.writerow([f"Labelpipe {2026 + number}"])
    return path


def one_label(bench, document, *options, count=5):
    """CPU seconds of one more label of a run."""
    def of_rows(number):
        output = bench.folder("ours")
        return run([bench.program, "run", bench.document(document), "--rows", rows_file(bench, number), "--output",
                    os.path.join(output), "--jobs", 1, "--progress", "none", *options]).cpu
    return (of_rows(1 + count) - of_rows(1)) / count


def big_label(bench):
    """a label of 4000×1000 px: gradient, stroke 20, shadow σ 128"""
    theirs = os.path.join(bench.scratch, "skia.png")
    run([*bench.peer("skia_label.py"), 4000, 1000, 128, 1, theirs])
    run([bench.program, "run", bench.document("big-label.json"), "--output", bench.folder("ours")])
    output = os.path.join(bench.scratch, "ours", "1.ppm")
    white = checks.pixels(output) * 0 + 255
    checks.boxes_agree(
        checks.ink_box(white, checks.pixels(output), 150), checks.ink_box(white, checks.pixels(theirs)[..., :3], 150))
    ours, blank, peer = alternating(
        bench.repeats, lambda: one_label(bench, "big-label.json"), lambda: one_label(bench, "no-label.json"),
        lambda: float(run([*bench.peer("skia_label.py"), 4000, 1000, 128, 3]).text.split()[-1]))
    ours = [value - median(blank) for value in ours]
    return [Figure("CPU / Skia", of(ours, peer), 0.2, ours=ours, peer=peer)]


def blurs(bench):
    """blur 8 against blur 512 on the same label"""
    sharp, soft, blank = alternating(
        bench.repeats, lambda: one_label(bench, "big-label.json", "--set", "blur=8"),
        lambda: one_label(bench, "big-label.json", "--set", "blur=512"), lambda: one_label(bench, "no-label.json"))
    sharp, soft = ([value - median(blank) for value in values] for values in (sharp, soft))
    more = max(median(sharp), median(soft)) / min(median(sharp), median(soft))
    return [Figure("CPU of the dearer / of the cheaper", more, 2, ours=sharp, peer=soft)]


def many(bench):
    """10 000 small pictures"""
    runs = [sampled_run(bench) for _ in range(bench.repeats)]
    late, early = [run[0] for run in runs], [run[1] for run in runs]
    more, growth = median(run[0] / run[1] for run in runs), [run[2] for run in runs]
    return [Figure("CPU a picture, last tenth / first tenth", more, 1.1, ours=late, peer=early),
            Figure("memory grows", median(growth), 20, unit="MB", ours=growth),
            Figure("descriptors of one process", max(run[3] for run in runs), 64, unit="", ours=[])]


def sampled_run(bench, count=10_000):
    """One run over small pictures, looked at while it works: CPU seconds of a late and an early picture, MB of growth, and
    descriptors."""
    folder = photos.photos(bench.disk, bench.folder("small"), count, 320, 240, distinct=50)
    output = bench.folder("ours")
    report = os.path.join(bench.scratch, "report")
    if os.path.exists(report):
        os.remove(report)
    process = subprocess.Popen(
        [bench.program, "run", bench.document("small.json"), os.path.dirname(folder[0]), "--output", output, "--jobs", "2",
         "--progress", "none", "--report", report], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples, lines, done = [], None, 0
    while process.poll() is None:
        pids = tree(process.pid)
        if lines is None and os.path.exists(report):
            lines = open(report, "rb")
        if lines:
            # Only what is new: looking must not cost more the longer the run.
            done += lines.read().count(b"\n")
        samples.append((done, ticks(pids), resident(pids), descriptors(pids)))
        time.sleep(0.05)
    if lines:
        lines.close()
    if process.returncode:
        raise Failed(f"the run ended with {process.returncode}")
    if len(checks.report(report)) != count:
        raise Failed("not every picture has a line in the report")
    first = checks.pixels(folder[7])
    checks.ink_box(first, checks.pixels(os.path.join(output, os.path.basename(folder[7]))), 100)

    def cpu_at(done):
        """CPU seconds when so many were done, between the two samples that lie next to it."""
        before = max((s for s in samples if s[0] <= done), key=lambda s: s[0])
        after = min((s for s in samples if s[0] > done), key=lambda s: s[0], default=samples[-1])
        if after[0] == before[0]:
            return after[1]
        return before[1] + (after[1] - before[1]) * (done - before[0]) / (after[0] - before[0])

    # The workers' start belongs to no picture.
    start = min(s[0] for s in samples if s[0] > 0)
    early = (cpu_at(start + count // 10) - cpu_at(start)) / (count // 10)
    last = samples[-2][0]
    late = (cpu_at(last) - cpu_at(last - count // 10)) / (count // 10)
    at_tenth = next(s[2] for s in samples if s[0] >= count // 10)
    growth = max(s[2] for s in samples if s[0] >= count // 10) - at_tenth
    return late, early, growth, max(s[3] for s in samples)


def thirty_nodes(bench):
    """A document of 30 nodes."""
    steps = [{"effect": "text.mask", "text": "Copyright 2026", "size": 40}, {"effect": "fill.solid", "color": "white"}]
    for number in range(26):
        steps.append({"effect": "stroke.outline", "width": 1 + number % 3, "color": f"#{number:02x}4060"})
    document = {"labelpipe": 1, "output": [
        {"effect": "image.source"}, {"effect": "layout.place", "anchor": "bottom-right", "label": steps}]}
    path = os.path.join(bench.scratch, "thirty.json")
    with open(path, "w") as file:
        json.dump(document, file)
    return path


def start_up(bench):
    """`labelpipe --version`, `check` of a 30-node document"""
    document = thirty_nodes(bench)
    if "labelpipe" not in run([bench.program, "--version"]).text:
        raise Failed("--version says no version")
    wrong = os.path.join(bench.scratch, "wrong.json")
    with open(document) as file, open(wrong, "w") as other:
        other.write(file.read().replace('"width": 3', '"width": -3', 1))
    if subprocess.run([bench.program, "check", wrong], capture_output=True).returncode == 0:
        raise Failed("check finds nothing wrong with a width of -3")
    version, check, peer = alternating(
        12 * bench.repeats, lambda: run([bench.program, "--version"]).cpu,
        lambda: run([bench.program, "check", document]).cpu, lambda: run([os.path.join(bench.tools, "links_vips")]).cpu)
    return [Figure("`--version`: CPU / a C program that links libvips", of(version, peer), 1.2, ours=version, peer=peer),
            Figure("`check`: CPU / the same", of(check, peer), 1.5, ours=check, peer=peer)]


ALL = [reencoded, spliced, spliced_progressive, batch, tiled, slide, big_label, blurs, many, start_up]
