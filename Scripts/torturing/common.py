"""What all rows of the torture share: subjects, samples, judging what lies in a folder, telling figures."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LABELPIPE = os.environ["LABELPIPE"]
PIPELINE = os.path.join(ROOT, "Pipelines", "watermark.json")
SEED = int(os.environ.get("TORTURE_SEED", time.time_ns() % 1_000_000))
chance = random.Random(SEED)


class Missing(Exception):
    """An engine or a fault that cannot be had here: counts as a failure, with its reason."""


class Row:
    """One row of the table: figures, and whether they reach what is asked for."""

    def __init__(self, name, asked):
        self.name, self.asked = name, asked
        self.figures = []
        self.problems = []

    def figure(self, text):
        self.figures.append(text)

    def problem(self, text):
        self.problems.append(text)

    def require(self, condition, text):
        if not condition:
            self.problem(text)


class Scratch:
    """A folder of a row's own."""

    def __init__(self, base=None):
        self.path = tempfile.mkdtemp(prefix="labelpipe-torture-", dir=base)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def at(self, *parts):
        return os.path.join(self.path, *parts)


def tool(*arguments, **more):
    """Runs a helper that has to succeed."""
    done = subprocess.run(arguments, capture_output=True, **more)
    if done.returncode != 0:
        raise Missing(f"{arguments[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return done.stdout


def need(program, package):
    if shutil.which(program) is None:
        raise Missing(f"{program} is not installed (Debian: {package})")


def pictures(folder, count, width=240, height=160, ext="jpg"):
    """JPEGs or PNGs that are all different: one of noise, cut to pieces of its own."""
    os.makedirs(folder, exist_ok=True)
    with Scratch() as scratch:
        noise = scratch.at("noise.v")
        tool("vips", "gaussnoise", noise, str(width + 40), str(height + 40), "--mean", "128", "--sigma", "12")
        base = scratch.at("base.v")
        tool("vips", "cast", noise, base, "uchar")
        many = min(count, 40)
        for index in range(many):
            tool("vips", "crop", base, os.path.join(folder, f"{index:05}.{ext}"), str(index), str(index), str(width), str(height))
        for index in range(many, count):
            shutil.copy(os.path.join(folder, f"{index % many:05}.{ext}"), os.path.join(folder, f"{index:05}.{ext}"))
            # Trailing bytes make each another file; in a JPEG they are kept, which tells outputs apart.
            if ext == "jpg":
                with open(os.path.join(folder, f"{index:05}.{ext}"), "ab") as file:
                    file.write(b"#%d" % index)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def tree(folder):
    """Digests of all files by their path below a folder; dot-files apart, the journal's folder left out."""
    files, strays = {}, []
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".labelpipe"]
        for name in names:
            path = os.path.join(root, name)
            if name.startswith("."):
                strays.append(path)
            else:
                files[os.path.relpath(path, folder)] = digest(path)
    return files, strays


def command(inputs, output, *more, document=PIPELINE):
    inputs = [inputs] if isinstance(inputs, str) else inputs
    return [LABELPIPE, "run", document, *inputs, "--output", output, "--set", "text=Torture", "--progress", "none", *more]


class Ended:
    def __init__(self, code, output, errors, seconds, usage):
        self.code, self.output, self.errors, self.seconds = code, output, errors, seconds
        # kB of the largest process; seconds of all of them together, which another's load does not change much.
        self.peak = usage.ru_maxrss if usage else 0
        self.cpu = usage.ru_utime + usage.ru_stime if usage else 0
        self.hung = code is None


def run(arguments, timeout=60, environment=None, cwd=None):
    """Runs to the end, or kills the whole session."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True, cwd=cwd,
            env={**os.environ, **(environment or {})})
        code, usage = None, None
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                process.returncode = code
                break
            if time.monotonic() - started > timeout:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = -9
                break
            time.sleep(0.002 if time.monotonic() - started < 1 else 0.02)
        seconds = time.monotonic() - started
        out.seek(0), err.seek(0)
        return Ended(
            code, out.read().decode(errors="replace"), err.read().decode(errors="replace"), seconds, usage)


def orphans(pid):
    """Processes that say they work for a supervisor."""
    found = []
    mark = f"LABELPIPE_SUPERVISOR={pid}".encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark in file.read().split(b"\0"):
                        with open(f"/proc/{entry}/stat") as status:
                            if status.read().rsplit(")", 1)[1].split()[0] != "Z":
                                found.append(int(entry))
            except OSError:
                pass
    return found


def journal(folder):
    """The entries of a journal whose checksum is right."""
    entries = []
    place = os.path.join(folder, ".labelpipe")
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
        if not name.startswith("journal-"):
            continue
        with open(os.path.join(place, name), "rb") as file:
            for line in file.read().split(b"\n"):
                body, _, seal = line.rpartition(b',"sum":"')
                value = 0xCBF29CE484222325
                for byte in body:
                    value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
                if seal == b"%016x\"}" % value:
                    entries.append(json.loads(line))
    return entries
