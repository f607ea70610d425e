"""Runs the table "Figures for the faults" and tells its figures. main.py [--all] [--only NAME…] [--page FILE]"""

import argparse
import datetime
import platform
import sys
import traceback

import engines
import faults
import kills
import memory
import mixed
import power
import sharing
from common import *

ROWS = [
    ("faults", faults.faults, "every read, write, open, link, rename, fsync, close of one picture failed once",
     "0 wrong pixels called right, 0 partial files, 0 hangs, the right error each time"),
    ("kills", kills.placed, "SIGKILL at every mutating call of one picture", "0 partial files, stray ≤ jobs and 0 after the next run"),
    ("moments", kills.moments, "SIGKILL at random moments of a batch",
     "resumed tree identical byte for byte, ≥ 99.9 % of finished work not done again"),
    ("in-place", kills.in_place, "SIGKILL at random moments of a batch in place",
     "every picture is the old or the new one, and after --resume drawn on once"),
    ("power", power.power, "power cut at each publishing step", "no torn file; nothing journalled as done that is not there whole"),
    ("memory", memory.ladder, "memory ladder 64 MB to 1 GB, step 16",
     "each ends within 10 s with a named error or success; the supervisor always survives; other pictures are done"),
    ("bombs", memory.bombs, "generated bombs and traps (pixels, frames, metadata, SVG, names, fonts, documents)",
     "each refused within 1 s and 150 MB"),
    ("two", sharing.two, "two processes, one folder, a third swapping symlinks", "each output exactly once, nothing outside the folder"),
    ("interrupts", sharing.interrupts, "SIGINT under load", "prompt back within 500 ms in 99 of 100, no orphan, resumable"),
    ("labels", memory.labels, "labels in one worker", "memory slope ≤ 0.5 kB per 1,000 after warm-up, no descriptor or temporary file left"),
    ("graphs", memory.graphs, "graph of 20,000 nodes in a chain, a fan of 20,000, JSON 128 deep",
     "checked in 100 ms, run on 64 px in 2 s and 64 MB; deeper JSON refused"),
    ("engines", engines.engines, "xargs, GNU parallel, a Slurm array and Spark run the documentation's scripts",
     "the same pictures as one run; an engine that cannot be had is a failure"),
    ("mixed", mixed.mixed, "real and damaged files, sorted beforehand by Pillow, djpeg, pngcheck, gifbuild and tiffinfo; killed and resumed",
     "every good one done, every bad one named, exit 1; byte for byte what one undisturbed run gives"),
]


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def page(path, rows, seconds):
    results = {}
    head = ("# Torture: the last results\n\nMade by `Scripts/torture --all`; a row that was run alone (`--only`) replaces its own lines. "
            "A fault or an engine that cannot be had counts as a failure and says why.\n")
    if os.path.exists(path):
        with open(path) as file:
            for part in file.read().split("\n## ")[1:]:
                results[part.split("\n", 1)[0]] = part.split("\n", 1)[1].strip()
    for row in rows:
        lines = [f"*{row.asked[0]}*; to reach: {row.asked[1]}", ""]
        lines += [f"- {figure}" for figure in row.figures]
        lines += [f"- **not reached**: {problem}".replace("\n", " ") for problem in row.problems]
        lines += ["", f"{datetime.date.today()}, {machine()}, seed {SEED}, {row.seconds:.0f} s: {'**failed**' if row.problems else 'reached'}"]
        results[row.name] = "\n".join(lines)
    with open(path, "w") as file:
        file.write(head + "".join(f"\n## {name}\n\n{results[name]}\n" for name, *_ in ROWS if name in results))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", nargs="+", choices=[name for name, *_ in ROWS])
    parser.add_argument("--page")
    options = parser.parse_args()
    print(f"seed {SEED} ({'long' if options.all else 'short'} form)", flush=True)
    rows = []
    started = time.monotonic()
    for name, body, what, asked in ROWS:
        if options.only and name not in options.only:
            continue
        row = Row(name, (what, asked))
        began = time.monotonic()
        print(f"{name}: {what}", flush=True)
        try:
            body(row, options.all)
        except Missing as missing:
            row.problem(f"not tried: {missing}")
        except Exception:
            row.problem("the harness failed: " + traceback.format_exc())
        row.seconds = time.monotonic() - began
        for figure in row.figures:
            print(f"  {figure}")
        for problem in row.problems:
            print(f"  FAILED: {problem}")
        print(f"  {row.seconds:.0f} s", flush=True)
        rows.append(row)
        if options.page:
            page(options.page, rows, time.monotonic() - started)
    failed = [row.name for row in rows if row.problems]
    print(f"{len(rows) - len(failed)} of {len(rows)} rows reach what is asked for" + (f"; not: {' '.join(failed)}" if failed else ""))
    sys.exit(1 if failed else 0)


main()
