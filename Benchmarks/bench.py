"""Measures the program beside its peers: every row alternates with its peer in one run, outputs are checked before their time
counts, and what falls short is said.  Started by Scripts/bench."""
import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

import rows
from measure import Failed
from subject import Bench


def machine():
    """What the figures were measured on."""
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) / 1024 / 1024
    with open("/etc/os-release") as file:
        system = next(line for line in file if line.startswith("PRETTY_NAME")).split("=", 1)[1].strip().strip('"')
    said = [subprocess.run(command, capture_output=True, text=True).stdout
            for command in (["vips", "--version"], ["mogrify", "-version"], ["gm", "version"])]
    named = re.compile(r"(\w*vips|\w+Magick)[- ]([\d.-]*\d)")
    versions = [" ".join(found.groups()) for found in map(named.search, said) if found]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in ("pyvips", "Pillow", "skia-python")]
    return {"processor": model, "cores": os.cpu_count(), "memoryGB": round(memory), "system": system,
            "kernel": platform.release(), "peers": versions,
            "load": round(os.getloadavg()[0], 1), "date": datetime.date.today().isoformat()}


def shown(figure):
    if figure.unit == "×":
        return f"{figure.value:.2f} ×"
    return f"{figure.value:.0f} {figure.unit}".strip()


def goal(figure):
    return f"{'≥' if figure.is_least else '≤'} {figure.limit:g} {figure.unit}".strip()


def table(results):
    lines = ["| what | measured | to reach | |", "|---|---|---|---|"]
    for result in results:
        for figure in result["figures"]:
            lines.append(f"| {result['what']}: {figure.name} | {shown(figure)} | {goal(figure)} | "
                         f"{'' if figure.is_reached else 'falls short'} |")
        if result["failure"]:
            lines.append(f"| {result['what']} | not measured: {result['failure']} | | falls short |")
    return "\n".join(lines)


def write_readme(file, about, results):
    """Puts the table between the marks of the file; where only some rows were measured, theirs replace the ones there."""
    with open(file) as source:
        text = source.read()
    begin, end = "<!-- speed: measured by Scripts/bench --readme README.md -->\n", "<!-- /speed -->"
    head, rest = text.split(begin)
    old, tail = rest.split(end, 1)
    new = table(results).split("\n")
    if len(results) == len(rows.ALL):
        old = [f"{machine_text(about)}.", "", *new, ""]
    else:
        names = [result["what"] for result in results]
        old = old.split("\n")
        for name in names:
            own = [line for line in new if line.startswith(f"| {name}: ") or line.startswith(f"| {name} |")]
            places = [at for at, line in enumerate(old) if line.startswith(f"| {name}: ") or line.startswith(f"| {name} |")]
            if not places:
                raise SystemExit(f"{file} has no row {name!r}: measure all rows once")
            old[places[0]:places[-1] + 1] = own
    with open(file, "w") as target:
        target.write(head + begin + "\n".join(old) + end + tail)


def machine_text(about):
    return (f"{about['processor']}, {about['cores']} cores, {about['memoryGB']} GB, {about['system']}, Linux {about['kernel']}; "
            f"{', '.join(about['peers'])}; {about['date']}, load {about['load']} when it ended")


def main():
    names = [row.__name__ for row in rows.ALL]
    parser = argparse.ArgumentParser(prog="Scripts/bench", description="Measures labelpipe beside its peers.")
    parser.add_argument("rows", nargs="*", help=f"only these: {' '.join(names)}")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tools", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--readme", help="a file whose table between the marks is replaced, row by row")
    parser.add_argument("--keep", help="a folder for the pictures, kept between runs")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.rows if name not in names]
    if unknown:
        parser.error(f"no row is called {unknown[0]}: {' '.join(names)}")
    # Nobody syncs to a disk here: what is measured is the work.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the scratch folder goes
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    scratch = tempfile.mkdtemp(prefix="labelpipe-bench-", dir=memory)
    disk = arguments.keep or os.path.join(scratch, "pictures")
    os.makedirs(disk, exist_ok=True)
    bench = Bench(arguments.program, scratch, disk, sys.executable, arguments.tools, arguments.repeats)
    results = []
    try:
        for row in rows.ALL:
            if arguments.rows and row.__name__ not in arguments.rows:
                continue
            what = row.__doc__.strip()
            print(what, file=sys.stderr)
            result = {"row": row.__name__, "what": what, "figures": [], "failure": None}
            try:
                result["figures"] = row(bench)
            except Failed as failure:
                result["failure"] = str(failure).replace("\n", " ")
            except Exception:
                traceback.print_exc()
                result["failure"] = "the measurement itself failed"
            for figure in result["figures"]:
                print(f"  {figure.name}: {shown(figure)} ({goal(figure)})"
                      f"{'' if figure.is_reached else '  FALLS SHORT'}", file=sys.stderr)
            if result["failure"]:
                print(f"  FAILED: {result['failure']}", file=sys.stderr)
            results.append(result)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    about = machine()
    print(machine_text(about))
    print()
    print(table(results))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"machine": about, "rows": [
                {**result, "figures": [{**vars(figure), "reached": bool(figure.is_reached)} for figure in result["figures"]]}
                for result in results]}, file, indent=1)
    if arguments.readme:
        write_readme(arguments.readme, about, results)
    short = [figure for result in results for figure in result["figures"] if not figure.is_reached]
    return 1 if short or any(result["failure"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
