"""Two thousand real and damaged files, sorted into good and bad beforehand by other programs."""

import os
import re
import resource
import tarfile
import warnings

from common import *

FEW = ["/usr/share/gocode/src/github.com/disintegration/imaging/testdata"]
SOURCES = FEW + ["/usr/share/go-1.19/src", "/usr/share/wallpapers"]


def kind(head):
    if head.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "webp"
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return "gif"
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return "tif"
    if head[4:8] == b"ftyp":
        return "avif" if b"avi" in head[8:40] else "heic"
    return None


def collect(folder, sources, archives, count):
    """Real files under names of their own, then damaged ones made of them, up to a number of files."""
    os.makedirs(folder)
    number = 0
    for source in sources:
        if not os.path.isdir(source):
            raise Missing(f"{source} is missing (Debian: golang-1.19-src, plasma-workspace-wallpapers, golang-github-disintegration-imaging-dev)")
        for root, _, names in sorted(os.walk(source)):
            for name in sorted(names):
                path = os.path.join(root, name)
                if re.search(r"\.(png|jpe?g|gif|webp|tiff?|avif|heic)$", name, re.I) and os.path.isfile(path):
                    number = keep(folder, number, name, open(path, "rb").read())
    for archive in archives:
        with tarfile.open(archive) as tar:
            for member in sorted(tar.getmembers(), key=lambda member: member.name):
                if member.isfile() and "/Tests/images/" in member.name:
                    number = keep(folder, number, os.path.basename(member.name), tar.extractfile(member).read())
    real = sorted(os.listdir(folder))
    # Always the same damages: the list of good and bad is worth keeping.
    damage = random.Random(1)
    small = [name for name in real if kind(open(os.path.join(folder, name), "rb").read(64)) and os.path.getsize(os.path.join(folder, name)) < 300_000]
    while number < count:
        name = damage.choice(small)
        content = bytearray(open(os.path.join(folder, name), "rb").read())
        way = damage.choice(["cut", "flip", "zero", "insert"])
        place = damage.randrange(len(content))
        if way == "cut":
            del content[place:]
        elif way == "flip":
            content[place] ^= 1 << damage.randrange(8)
        elif way == "zero":
            content[place:place + 64] = b"\0" * len(content[place:place + 64])
        else:
            content[place:place] = damage.randbytes(16)
        number = keep(folder, number, f"{way}-{name.split('-', 1)[1]}", bytes(content))
    return real


def keep(folder, number, name, content):
    with open(os.path.join(folder, f"{number:04}-{name}"), "wb") as file:
        file.write(content)
    return number + 1


# What Pillow says about a file. Other exceptions are of Pillow itself, which has not judged then.
VERDICTS = (OSError, SyntaxError, EOFError, ValueError, UserWarning)


def pillow(path):
    """Every frame is decoded, a warning about the file is a fault: True, False, or None where Pillow itself came to an end.

    In a process of its own, with limits: what needs more memory or time is not judged."""
    from PIL import Image

    pid = os.fork()
    if pid:
        _, status = os.waitpid(pid, 0)
        return {0: True, 1: False}.get(os.waitstatus_to_exitcode(status))
    code = 2
    try:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        Image.MAX_IMAGE_PIXELS = None
        warnings.simplefilter("error", UserWarning)
        with Image.open(path) as image:
            for frame in range(getattr(image, "n_frames", 1)):
                image.seek(frame)
                image.load()
        code = 0
    except VERDICTS:
        code = 1
    except BaseException:
        pass
    finally:
        os._exit(code)


def program(*command):
    """True or False by how a decoder ends; None: it does not know that kind of file, or took too long."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    # heif-convert of sequences, tiffinfo of colour differences by tiles.
    if b"unsupported HEIF/AVIF file type" in done.stderr or b"Cannot display data" in done.stderr:
        return None
    # libjpeg tells of damage and ends well, alone and in a TIFF.
    complains = done.stderr.strip() if command[0] == "djpeg" else re.search(rb"(LibJpeg|JPEGLib): Warning, (Corrupt|Premature)", done.stderr)
    return done.returncode == 0 and not complains


def blurred(path):
    """A JPEG of several scans whose last ones, which make it sharp, are missing (T.81, G.1.1.1): decoders do not tell."""
    with open(path, "rb") as file:
        content = file.read()
    at, progressive, bits = 2, False, {}
    while at + 4 <= len(content):
        if content[at] != 0xFF or content[at + 1] in (0, 0xFF, 0x01, *range(0xD0, 0xD9)):
            at += 1
            continue
        marker, length = content[at + 1], int.from_bytes(content[at + 2:at + 4], "big")
        if marker == 0xD9:
            break
        if marker in (0xC0, 0xC1, 0xC2):
            progressive = marker == 0xC2
        if marker == 0xDA and progressive:
            scan = content[at + 4:at + 2 + length]
            if len(scan) < 4 or len(scan) < 4 + 2 * scan[0]:
                break
            first, last, low = scan[1 + 2 * scan[0]], scan[2 + 2 * scan[0]], scan[3 + 2 * scan[0]] & 15
            for component in range(scan[0]):
                bits.update({(scan[1 + 2 * component], frequency): low for frequency in range(first, last + 1)})
        at += 2 + length
    return any(bits.values())


def decide(folder):
    """For each file: its format and good, bad, disputed (the judges do not agree) or other (none of our formats).

    The rules, which know nothing of what labelpipe makes of a file:
    - JPEG, PNG, GIF and TIFF have two judges each, who have to agree; WebP, AVIF and HEIC have one.
    - A judge decodes every frame and page; its complaint about any of them is a fault. One that knows no such kind, or comes to an
      end of its own, has not judged.
    - A JPEG whose scans do not come to its last bit is cut off, though both judges show it, blurred.
    """
    decided = {}
    out = os.path.join(os.path.dirname(folder), "converted.png")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            is_a = kind(file.read(64))
        if is_a is None:
            decided[name] = ("other", "other")
            continue
        # Debian's Pillow has no decoder of AVIF and HEIC.
        votes = [program("heif-convert", path, out) if is_a in ("avif", "heic") else pillow(path)]
        if is_a == "jpg":
            votes.append(program("djpeg", "-outfile", "/dev/null", path))
            if blurred(path):
                votes = [False]
        if is_a == "png":
            votes.append(program("pngcheck", "-q", path))
        if is_a == "gif":
            votes.append(program("gifbuild", "-d", path))
        if is_a == "tif":
            votes.append(program("tiffinfo", "-D", path))
        cast = {vote for vote in votes if vote is not None}
        decided[name] = (is_a, {(True,): "good", (False,): "bad"}.get(tuple(cast), "disputed"))
    return decided


def mixed(row, long):
    programs = [("djpeg", "libjpeg-turbo-progs"), ("pngcheck", "pngcheck"), ("gifbuild", "giflib-tools"), ("tiffinfo", "libtiff-tools")]
    programs += [("heif-convert", "libheif-examples")] if long else []
    for judge, package in programs:
        need(judge, package)
    try:
        import PIL
    except ImportError:
        raise Missing("Pillow is not installed (Debian: python3-pil)")
    archives = [path for path in os.environ.get("TORTURE_ARCHIVES", "").split(":") if path]
    if long and not archives:
        raise Missing("Pillow's source archive with its test pictures is not there: TORTURE_ARCHIVES=pillow-….tar.gz")
    count, kills = (2000, 20) if long else (150, 3)
    with Scratch() as scratch:
        inputs = scratch.at("in")
        collect(inputs, SOURCES if long else FEW, archives, count)
        decided = decide(inputs)
        with open(os.environ.get("TORTURE_LIST", scratch.at("decided.tsv")), "w") as file:
            for name, (is_a, state) in sorted(decided.items()):
                file.write(f"{state}\t{is_a}\t{name}\n")
        states = {state: [name for name in decided if decided[name][1] == state] for state in ("good", "bad", "disputed", "other")}
        listed = scratch.at("list")
        with open(listed, "w") as file:
            file.writelines(os.path.join(inputs, name) + "\n" for name in sorted(decided))
        reference = scratch.at("reference")
        report = scratch.at("report.ndjson")

        def batch(out, *more):
            return [LABELPIPE, "run", PIPELINE, "--from", listed, "--output", out, "--set", "text=Torture", "--progress", "none", *more]

        done = run(batch(reference, "--report", report), timeout=3000)
        lines = [json.loads(line) for line in open(report)]
        verdicts = {os.path.basename(line["input"]): line for line in lines if "input" in line}
        row.require(done.code == 1, f"the run ended with {done.code}")
        row.require(len(verdicts) == len(decided), f"{len(decided) - len(verdicts)} files have no line in the report")
        failed_good = [name for name in states["good"] if verdicts.get(name, {}).get("status") != "done"]
        done_bad = [name for name in states["bad"] if verdicts.get(name, {}).get("status") != "failed"]
        unnamed = [name for name, line in verdicts.items() if line["status"] == "failed" and f"{name}: error: " not in done.errors]
        others = [name for name in states["other"] if verdicts.get(name, {}).get("status") != "failed"]
        disputed = sum(verdicts.get(name, {}).get("status") == "done" for name in states["disputed"])
        row.figure(f"{len(decided)} files: {len(states['good'])} good of which {len(failed_good)} failed, {len(states['bad'])} bad of which "
                   f"{len(done_bad)} passed, {len(states['disputed'])} on which the judges do not agree ({disputed} done), "
                   f"{len(states['other'])} of other formats of which {len(others)} passed; {len(unnamed)} failures without a name")
        for name in failed_good[:40]:
            row.problem(f"good and failed: {name}: {verdicts.get(name, {}).get('message')}")
        for name in done_bad[:60]:
            row.problem(f"bad and done: {name}")
        for name in (unnamed + others)[:6]:
            row.problem(f"not named, or of another format and done: {name}")
        good, strays = tree(reference)
        row.require(not strays, f"strays {strays[:3]}")
        out = scratch.at("killed")
        started = sum(line.get("ms", 0) for line in lines if "input" in line) / 2000
        for _ in range(kills):
            process = subprocess.Popen(batch(out, "--resume"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.2, max(0.5, started / kills * 1.5)))
            process.kill()
            process.wait()
        done = run(batch(out, "--resume"), timeout=3000)
        files, strays = tree(out)
        row.figure(f"killed {kills} times and resumed: code {done.code}, {len(files)} files, "
                   f"{sum(files.get(name) != value for name, value in good.items()) + len(set(files) - set(good))} differ from the undisturbed run's")
        row.require(files == good and not strays and done.code == 1, "killed and resumed, the tree is another")
