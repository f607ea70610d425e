"""Every system call of one picture failed once, by strace."""

import collections
import os
import re

from common import *

ERRORS = ["EIO", "ENOSPC", "EINTR"]
CALLS = {
    call: ERRORS
    for call in ("read", "pread64", "write", "pwrite64", "openat", "linkat", "renameat", "renameat2", "fsync", "close", "mkdirat",
                 "unlinkat", "ftruncate", "lseek", "newfstatat", "fstat", "sendmsg", "recvmsg")
}
# What runs out: descriptors and memory.
CALLS["openat"] = [*ERRORS, "EMFILE", "ENOMEM"]


class Subject:
    """What is tortured: how it is started, and how its output is judged."""

    def __init__(self, name, start, output):
        self.name, self.start, self.output = name, start, output


def labelpipe(scratch, name):
    return Subject("labelpipe", lambda output: command(scratch.at("in", name), output, "--overwrite", "--jobs", "1"), name)


def plain_copy(scratch, name):
    return Subject("vips copy", lambda output: ["vips", "copy", scratch.at("in", name), os.path.join(output, name)], name)


def positions(subject, scratch):
    """How often each call is made by the thread that makes it most often."""
    log = scratch.at("trace")
    out = scratch.at("count")
    os.makedirs(out, exist_ok=True)
    done = run(["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(CALLS), *subject.start(out)], timeout=120)
    if done.code != 0:
        raise Missing(f"strace cannot follow {subject.name}: code {done.code}: {done.errors.strip()[-300:]}")
    counts = collections.Counter()
    with open(log, errors="replace") as file:
        for line in file:
            match = re.match(r"(\d+) +(\w+)\(", line)
            if match:
                counts[match.groups()] += 1
    most = collections.Counter()
    for (_, call), count in counts.items():
        most[call] = max(most[call], count)
    good = digest(os.path.join(out, subject.output))
    places = [(call, error, k) for call, errors in CALLS.items() for error in errors for k in range(1, most[call] + 1)]
    return places, good


def sweep(subject, scratch, places, good, row):
    figures = collections.Counter()
    examples = {}
    old = b"OLD" * 1000
    for number, (call, error, k) in enumerate(places):
        out = scratch.at("sweep")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        target = os.path.join(out, subject.output)
        with open(target, "wb") as file:
            file.write(old)
        done = run(
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={k}",
             *subject.start(out)], timeout=30)
        figures["positions"] += 1
        files, strays = tree(out)
        content = files.get(subject.output)
        what = []
        if done.hung:
            what.append("hang")
        if content is not None and content not in (good, hashlib.sha256(old).hexdigest()):
            what.append("wrong pixels called right" if done.code == 0 else "partial file")
        if content is None:
            what.append("old output lost")
        if done.code == 0 and content == hashlib.sha256(old).hexdigest():
            what.append("called right and not done")
        # Where the message itself could not be written, the code has to do.
        if done.code not in (0, None) and call != "write" and not done.errors.strip() and not done.output.strip():
            what.append("no message")
        if strays and not done.hung:
            what.append("stray file")
        if done.code in (139, 134, 135, 255) or done.code is not None and done.code < 0:
            what.append("supervisor crashed")
        figures["failed"] += done.code != 0
        for word in what:
            figures[word] += 1
            examples.setdefault(word, []).append(f"{call}:{error}:{k} code {done.code} {done.errors.strip()[-100:]!r}")
        if row and number % 500 == 499:
            print(f"  {number + 1} of {len(places)}: {dict(figures)}", flush=True)
    return figures, examples


BAD = ["wrong pixels called right", "partial file", "hang", "old output lost", "called right and not done", "no message", "stray file",
       "supervisor crashed"]


def faults(row, long):
    need("strace", "strace")
    with Scratch() as scratch:
        pictures(scratch.at("in"), 1, 640, 480)
        pictures(scratch.at("in"), 1, 320, 240, "png")
        known = plain_copy(scratch, "00000.jpg")
        places, good = positions(known, scratch)
        some = chance.sample(places, min(len(places), 400 if long else 60))
        # Calls on the picture itself come last: the sample must have some of them.
        some += [place for place in places if place[0] in ("read", "write", "pread64", "lseek") and place not in some][-60:]
        bad, _ = sweep(known, scratch, some, good, None)
        row.figure(f"plain vips copy, {bad['positions']} positions: {bad['partial file']} partial files, "
                   f"{bad['wrong pixels called right']} wrong pixels called right")
        row.require(bad["partial file"] and bad["wrong pixels called right"],
                    "the harness does not find plain vips copy guilty, so it proves nothing")
        tried = 0
        # A JPEG that is spliced, and a PNG that libvips encodes.
        for name in ("00000.jpg", "00000.png"):
            subject = labelpipe(scratch, name)
            places, good = positions(subject, scratch)
            if not long:
                places = chance.sample(places, 30)
            figures, examples = sweep(subject, scratch, places, good, row if long else None)
            tried += figures["positions"]
            row.figure(f"labelpipe, {name[-3:]}, {figures['positions']} positions, {figures['failed']} of them failed the picture: "
                       + ", ".join(f"{figures[word]} {word}" for word in BAD))
            for word in BAD:
                row.require(figures[word] == 0, f"{name[-3:]}: {figures[word]} × {word}, at {examples.get(word)}")
        if long:
            row.require(tried >= 3000, f"only {tried} positions")
