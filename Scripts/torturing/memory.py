"""Less and less memory; bombs; very many labels in one worker; huge graphs."""

import json
import os
import struct
import zlib

from common import *


def ladder(row, long):
    steps = list(range(64, 1025, 16)) if long else [64, 128, 256, 512]
    ended, slow, silent, lost, dead = {}, [], [], [], []
    with Scratch() as scratch:
        pictures(scratch.at("in"), 3)
        # What a decoder has to hold whole: an interlaced PNG of 100 MP.
        tool("vips", "black", scratch.at("big.v"), "10000", "10000")
        tool("vips", "copy", scratch.at("big.v"), scratch.at("in", "zbig.png[interlace]"))
        for megabytes in steps:
            for way in ("--memory", "prlimit --data"):
                out = scratch.at("out")
                shutil.rmtree(out, ignore_errors=True)
                arguments = command(scratch.at("in"), out, "--jobs", "2")
                if way == "--memory":
                    arguments += ["--memory", f"{megabytes}M"]
                else:
                    arguments = ["prlimit", f"--data={megabytes << 20}", *arguments]
                done = run(arguments, timeout=600)
                name = f"{way} {megabytes} MB"
                ended[done.code] = ended.get(done.code, 0) + 1
                # Of the processor's time: a machine that others use says nothing by the clock.
                if done.hung or done.cpu > 10:
                    slow.append(f"{name}: {done.cpu:.1f} s, {done.seconds:.1f} by the clock")
                if done.code != 0 and "error" not in done.errors:
                    silent.append(f"{name}: code {done.code}")
                if done.code is not None and (done.code < 0 or done.code > 130):
                    dead.append(f"{name}: code {done.code}: {done.errors[-200:]}")
                files, strays = tree(out) if os.path.isdir(out) else ({}, [])
                # Small pictures need some 50 MB; with less than that nothing can be asked of anybody.
                if way == "--memory" and megabytes >= 64 and len([n for n in files if n != "zbig.png"]) < 3:
                    lost.append(f"{name}: {sorted(files)}: {done.errors[-300:]}")
                if strays:
                    lost.append(f"{name}: strays {strays}")
    row.figure(f"{len(steps)} steps from {steps[0]} to {steps[-1]} MB by --memory and by prlimit: codes {ended}, {len(slow)} over 10 s, "
               f"{len(silent)} without an error, {len(lost)} with other pictures not done, supervisor died {len(dead)} times")
    for problems in (slow, silent, lost, dead):
        for problem in problems[:3]:
            row.problem(problem)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, *chunks, depth=8, colour=2, interlace=0):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IEND", b"")


def jpeg(width, height, progressive=False):
    frame = struct.pack(">HBHHB", 17, 8, height, width, 3) + b"\1\x22\0\2\x11\1\3\x11\1"
    return b"\xff\xd8\xff\xdb\0\x43\0" + b"\1" * 64 + (b"\xff\xc2" if progressive else b"\xff\xc0") + frame + b"\xff\xd9"


def gif(width, height, frames):
    body = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return body + b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0" * frames + b"\x3b"


def tiff(*entries, next_directory=0):
    body = struct.pack("<H", len(entries))
    for tag, kind, count, value in entries:
        body += struct.pack("<HHII", tag, kind, count, value)
    return b"II*\0\x08\0\0\0" + body + struct.pack("<I", next_directory)


def webp(width, height):
    body = b"VP8X" + struct.pack("<I", 10) + b"\2\0\0\0" + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def bombs_of_pictures():
    zeros = zlib.compress(b"\0" * 40_000_000, 9)
    yield "png-700000", png(700_000, 700_000, chunk(b"IDAT", b""))
    yield "png-int-max", png(0x7FFFFFFF, 0x7FFFFFFF, chunk(b"IDAT", b""))
    yield "png-zero", png(0, 0, chunk(b"IDAT", b""))
    yield "png-interlaced", png(60_000, 60_000, chunk(b"IDAT", b""), interlace=1)
    yield "png-16-bit", png(44_000, 44_000, chunk(b"IDAT", b""), depth=16, colour=6)
    yield "png-ztxt", png(4, 4, chunk(b"zTXt", b"Comment\0\0" + zeros), chunk(b"IDAT", zlib.compress(b"\0" * 52)))
    yield "png-iccp", png(4, 4, chunk(b"iCCP", b"x\0\0" + zeros), chunk(b"IDAT", zlib.compress(b"\0" * 52)))
    yield "png-100000-chunks", png(4, 4, *[chunk(b"tEXt", b"k\0v")] * 100_000, chunk(b"IDAT", b""))
    yield "png-huge-chunk", b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 0x7FFFFFFF) + b"IHDR" + b"\0" * 30
    yield "png-idat-bomb", png(60, 60, chunk(b"IDAT", zeros))
    yield "png-depth-3", png(4, 4, chunk(b"IDAT", b""), depth=3)
    yield "png-no-data", png(100, 100)
    yield "jpeg-65500", jpeg(65500, 65500)
    yield "jpeg-65500-progressive", jpeg(65500, 65500, True)
    yield "jpeg-zero", jpeg(0, 0)
    yield "jpeg-segments", b"\xff\xd8" + b"\xff\xe1\xff\xffExif\0\0" * 3000 + b"\xff\xd9"
    yield "jpeg-fill", b"\xff\xd8" + b"\xff" * 2_000_000
    yield "jpeg-exif-ring", b"\xff\xd8\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\1\0\x69\x87\4\0\1\0\0\0\x08\0\0\0\0\0\0\0" + jpeg(16, 16)[2:]
    yield "gif-65535", gif(65535, 65535, 1)
    yield "gif-100000-frames", gif(1000, 1000, 100_000)
    yield "gif-cut", gif(100, 100, 1)[:-8]
    yield "tiff-ring", b"II*\0\x08\0\0\0\0\0\x08\0\0\0"
    yield "tiff-ring-of-pictures", tiff((256, 3, 1, 9), (257, 3, 1, 9), (258, 3, 1, 8), (273, 4, 1, 8), next_directory=8)
    yield "tiff-counts", tiff((256, 4, 1, 100_000), (257, 4, 1, 100_000), (273, 4, 0xFFFFFFFF, 8), (279, 4, 0xFFFFFFFF, 8))
    yield "tiff-million", tiff((256, 4, 1, 0xFFFFFFF0), (257, 4, 1, 0xFFFFFFF0), (258, 3, 1, 8), (273, 4, 1, 8), (279, 4, 1, 9))
    yield "tiff-depth", tiff((256, 3, 1, 9), (257, 3, 1, 9), (258, 3, 1, 65535), (277, 3, 1, 65535), (273, 4, 1, 8), (279, 4, 1, 99))
    yield "tiff-tiles", tiff((256, 4, 1, 9), (257, 4, 1, 9), (322, 4, 1, 0x7FFFFFF0), (323, 4, 1, 0x7FFFFFF0), (324, 4, 1, 8), (325, 4, 1, 8))
    yield "webp-16384", webp(16384, 16384)
    yield "webp-cut", webp(100, 100)
    yield "webp-sizes", b"RIFF\xff\xff\xff\x7fWEBPVP8 \xff\xff\xff\x7f" + b"\0" * 40
    yield "heic-boxes", b"\0\0\0\x18ftypheic\0\0\0\0heicmif1" + b"\xff\xff\xff\xffmeta" * 1000
    yield "heic-deep", b"\0\0\0\x18ftypheic\0\0\0\0heicmif1" + b"".join(struct.pack(">I", 8 * n) + b"meta" for n in range(5000, 1, -1))
    yield "avif-empty", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"
    yield "zeros", b"\0" * 5_000_000
    yield "svg-canvas", b"<svg xmlns='http://www.w3.org/2000/svg' width='100000' height='100000'/>"
    yield "svg-filter", (b"<svg xmlns='http://www.w3.org/2000/svg' width='9000' height='9000'><filter id='f'>"
                         + b"<feGaussianBlur stdDeviation='900'/>" * 40 + b"</filter><rect width='9000' height='9000' filter='url(#f)'/></svg>")
    yield "svg-lol", (b"<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaa'>"
                      + b"".join(b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
                      + b"]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>&j;</text></svg>")
    yield "svg-file", b"<svg xmlns='http://www.w3.org/2000/svg' width='20000' height='20000'><image href='/etc/passwd'/></svg>"


def bombs_of_documents():
    text = '{"effect":"text.mask","text":"a"},{"effect":"fill.solid","color":"red"}'

    def around(step):
        return '{"labelpipe":1,"output":[%s,%s]}' % (text, step)

    yield "deep-arrays", '{"labelpipe":1,"output":' + "[" * 100_000
    yield "deep-objects", '{"a":' * 100_000
    yield "number", '{"labelpipe":1e999999999}'
    yield "blur-1e308", around('{"effect":"shadow.drop","blur":1e308}')
    yield "blur-1e400", around('{"effect":"shadow.drop","blur":1e400}')
    yield "nan", around('{"effect":"shadow.drop","blur":"NaN"}')
    yield "infinity", around('{"effect":"shadow.drop","blur":"infinity"}')
    yield "division", around('{"effect":"stroke.outline","width":"calc(1px / 0)"}')
    yield "terms", around('{"effect":"stroke.outline","width":"calc(' + "1px + " * 50_000 + '1px)"}')
    yield "brackets", around('{"effect":"stroke.outline","width":"' + "calc(" * 20_000 + '"}')
    yield "ring", '{"labelpipe":1,"nodes":{"a":["b"],"b":["a"]},"output":"a"}'
    yield "itself", '{"labelpipe":1,"output":[{"effect":"bomb.json"}]}'
    yield "doubling", '{"labelpipe":1,"parameters":{%s},"output":[{"effect":"text.mask","text":"$p30"}]}' % ",".join(
        ['"p0":{"type":"template","default":"aaaaaaaaaa"}']
        + ['"p%d":{"type":"template","default":"{p%d}{p%d}"}' % (n, n - 1, n - 1) for n in range(1, 40)])
    yield "nodes", '{"labelpipe":1,"nodes":{%s},"output":"n0"}' % ",".join('"n%d":["n%d"]' % (n, n + 1) for n in range(100_001))
    yield "duplicate", '{"labelpipe":1,"labelpipe":1}'
    yield "no-utf-8", "\udcff\udcfe"
    yield "canvas", '{"labelpipe":1,"output":[{"effect":"image.canvas","size":[10000000,10000000]}]}'
    yield "path", '{"labelpipe":1,"outputs":[{"path":"../../../../etc/x.png","node":[%s]}]}' % text
    yield "nul-path", '{"labelpipe":1,"outputs":[{"path":"a\\u0000b/../../x.png","node":[%s]}]}' % text
    yield "size", around('{"effect":"layout.scale","by":1e300}')
    yield "font-file", '{"labelpipe":1,"output":[{"effect":"text.mask","text":"a","fontFile":"/dev/zero"}]}'
    yield "font-rot", '{"labelpipe":1,"output":[{"effect":"text.mask","text":"a","fontFile":"rot.ttf"}]}'


def bombs(row, long):
    slow, large, accepted, unnamed = [], [], [], []
    count = 0
    # A busy machine is no reason to fail: processor time counts, less that of a good picture, since the start is not the bomb's.
    with Scratch() as scratch:
        pictures(scratch.at("in"), 1)
        idle = min(run(command(scratch.at("in"), scratch.at("idle"), "--overwrite")).cpu for _ in range(3))
        limit = (1 if long else 3) + idle
        with open(scratch.at("rot.ttf"), "wb") as file:
            file.write(b"\0\1\0\0\0\xff" + bytes(range(256)) * 40)
        pictures_of = list(bombs_of_pictures())
        documents_of = list(bombs_of_documents())
        if not long:
            pictures_of, documents_of = pictures_of[::4], documents_of[::4]
        for name, content in pictures_of:
            path = scratch.at("bomb." + name.split("-")[0])
            with open(path, "wb") as file:
                file.write(content)
            done = run(command(path, scratch.at("out"), "--allow", "svg", "--jobs", "1"), timeout=30)
            judge(name, done, limit, slow, large, accepted, unnamed, "bomb.")
            count += 1
            os.remove(path)
        for name, text in documents_of:
            path = scratch.at("bomb.json")
            with open(path, "wb") as file:
                file.write(text.encode(errors="surrogateescape"))
            # A file as --output would leave the document's own path aside.
            output = scratch.at("out") if "path" in name else scratch.at("out", "x.png")
            done = run([LABELPIPE, "run", path, "--output", output], timeout=30)
            judge(name, done, limit, slow, large, accepted, unnamed, "")
            count += 1
        files, strays = tree(scratch.at("out")) if os.path.isdir(scratch.at("out")) else ({}, [])
        row.require(not strays, f"left over: {strays}")
        outside = os.path.exists("/etc/x.png")
        row.require(not outside, "an output lies in /etc")
    row.figure(f"{count} bombs: {len(accepted)} not refused {accepted}, {len(slow)} slower than {limit:.1f} s "
               f"(a run with a good picture: {idle:.2f} s), {len(large)} over 150 MB")
    for problems in (slow, large, accepted, unnamed):
        for problem in problems[:6]:
            row.problem(problem)


# libnsgif takes a screen that is too large for that of the first frame.
HARMLESS = {"png-ztxt", "png-iccp", "gif-65535"}


def judge(name, done, limit, slow, large, accepted, unnamed, word):
    # A good picture with too much beside it may also be done, in the same time and memory.
    if done.code == 0 and name not in HARMLESS:
        accepted.append(name)
    if done.hung or done.cpu > limit:
        slow.append(f"{name} took {done.cpu:.1f} s of processor time, {done.seconds:.1f} s in all")
    if done.peak > 150 << 10:
        large.append(f"{name} took {done.peak >> 10} MB")
    if done.code != 0 and ("error" not in done.errors or word not in done.errors):
        unnamed.append(f"{name}: code {done.code}, {done.errors.strip()[-200:]!r}")
    if done.code is not None and (done.code < 0 or done.code > 130):
        unnamed.append(f"{name}: the supervisor ended with {done.code}")


def labels(row, long):
    count = 100_000 if long else 500
    with Scratch("/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        with open(scratch.at("label.json"), "w") as file:
            file.write('{"labelpipe":1,"parameters":{"text":{"type":"string"}},"output":[{"effect":"text.mask","text":"$text","size":24},'
                       '{"effect":"fill.solid","color":"#204060"},{"effect":"stroke.outline","width":2,"color":"white"},'
                       '{"effect":"shadow.drop","blur":4}]}')
        process = subprocess.Popen([LABELPIPE, "worker", "--jobs", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=scratch.path)
        figures = []
        failed = 0
        started = time.monotonic()
        for index in range(count):
            job = {"key": index, "pipeline": "label.json", "output": "out.png", "overwrite": True,
                   "set": {"text": f"Label {index} of {chance.randint(0, 10**9)}"}}
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
            verdict = json.loads(process.stdout.readline())
            failed += verdict["status"] != "done"
            if index % (count // 50) == count // 50 - 1:
                worker = orphans(process.pid)[0]
                with open(f"/proc/{worker}/status") as status:
                    memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
                figures.append((index, memory, len(os.listdir(f"/proc/{worker}/fd")), time.monotonic() - started))
        process.stdin.close()
        process.wait()
        left = [name for name in os.listdir(scratch.path) if name not in ("label.json", "out.png")]
    # The slope of a line through the second half, when everything that is kept has been made once.
    half = figures[len(figures) // 2:]
    mean_x = sum(f[0] for f in half) / len(half)
    mean_y = sum(f[1] for f in half) / len(half)
    slope = sum((f[0] - mean_x) * (f[1] - mean_y) for f in half) / max(1, sum((f[0] - mean_x) ** 2 for f in half)) * 1000
    tenth = max(1, len(figures) // 10)
    first = figures[tenth - 1][3]
    last = figures[-1][3] - figures[-1 - tenth][3]
    row.figure(f"{count} labels in one worker: {failed} failed, {figures[0][1] >> 10} MB after the first, {figures[-1][1] >> 10} MB after the last, "
               f"slope {slope:.2f} kB per 1000, descriptors {min(f[2] for f in figures)} to {max(f[2] for f in figures)}, "
               f"the last tenth took {last / first:.2f} × the first, left over {left}")
    row.require(failed == 0 and not left, "labels failed or left files")
    # The last picture's own may still be about to be closed when they are counted.
    row.require(max(f[2] for f in figures) - min(f[2] for f in figures) <= 1, "the number of descriptors changed")
    if long:
        row.require(slope <= 0.5, f"memory grows by {slope:.2f} kB per 1000 labels")


def graphs(row, long):
    # The short form runs beside other tests, on any machine: there only what is far off is wrong, as what grows by the square is.
    patience, room = (1, 1) if long else (8, 3)
    with Scratch() as scratch:
        pictures(scratch.at("in"), 1, 64, 64, "png")
        steps = ",".join('{"effect":"layout.inset","insets":0.001}' for _ in range(20_000))
        chain = ('{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","label":[{"effect":"shape.ellipse","size":[9,9]},'
                 '{"effect":"fill.solid","color":"red"},%s]}]}' % steps)
        dots = ",".join('[{"effect":"shape.ellipse","size":[3,3]},{"effect":"fill.solid","color":"#%06x"}]' % n for n in range(10_000))
        fan = ('{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","label":{"effect":"layout.stack","layers":[%s]}}]}'
               % dots)
        # Processor time, less that of a small document: starting is measured elsewhere, and other people's load is not ours.
        base = min(run([LABELPIPE, "check", PIPELINE]).cpu for _ in range(5))
        idle = min(run(command(scratch.at("in"), scratch.at("out"), "--overwrite")).cpu for _ in range(3))
        for name, text in (("chain of 20,000", chain), ("fan of 20,000", fan)):
            with open(scratch.at("graph.json"), "w") as file:
                file.write(text)
            check = min((run([LABELPIPE, "check", scratch.at("graph.json")]) for _ in range(3)), key=lambda done: done.cpu)
            done = run([LABELPIPE, "run", scratch.at("graph.json"), scratch.at("in"), "--output", scratch.at("out"), "--overwrite"])
            row.figure(f"{name}: checked in {1000 * check.cpu:.0f} ms of processor time (a small document: {1000 * base:.0f} ms), run in "
                       f"{done.cpu:.2f} s (a small one: {idle:.2f} s) and {done.peak >> 10} MB")
            row.require(check.code == 0 and done.code == 0, f"{name}: codes {check.code}, {done.code}: {check.output[-300:]} {done.errors[-300:]}")
            row.require(check.cpu - base <= 0.1 * patience, f"{name}: checked in {1000 * (check.cpu - base):.0f} ms")
            row.require(done.cpu - idle <= 2 * patience, f"{name}: run in {done.cpu - idle:.2f} s")
            row.require(done.peak >> 10 <= 64 * room, f"{name}: {done.peak >> 10} MB")
        for depth, wanted in ((128, "depth" ), (129, "refused")):
            with open(scratch.at("deep.json"), "w") as file:
                # The document's own object and its list of x-notes are two of the levels.
                file.write('{"labelpipe":1,"x-note":' + "[" * (depth - 1) + "]" * (depth - 1)
                           + ',"output":[{"effect":"shape.ellipse","size":[3,3]},{"effect":"fill.solid","color":"red"}]}')
            code = run([LABELPIPE, "check", scratch.at("deep.json")]).code
            row.figure(f"JSON {depth} deep: code {code}")
            row.require((code == 0) == (wanted == "depth"), f"JSON {depth} deep ended with {code}")
