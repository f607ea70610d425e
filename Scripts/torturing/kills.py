"""SIGKILL at every mutating call of one picture, and at random moments of a batch."""

import collections
import os
import re

from common import *

MUTATING = ["openat", "write", "pwrite64", "linkat", "renameat", "renameat2", "unlinkat", "mkdirat", "fsync", "ftruncate", "close",
            "sendmsg"]


def placed(row, long):
    need("strace", "strace")
    with Scratch() as scratch:
        pictures(scratch.at("in"), 1, 640, 480)
        reference = scratch.at("reference")
        subject = command(scratch.at("in"), reference, "--jobs", "1")
        log = scratch.at("trace")
        done = run(["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(MUTATING), *subject], timeout=120)
        if done.code != 0:
            raise Missing(f"strace cannot follow: {done.errors.strip()[-300:]}")
        counts, most = collections.Counter(), collections.Counter()
        with open(log, errors="replace") as file:
            for line in file:
                match = re.match(r"(\d+) +(\w+)\(", line)
                if match:
                    counts[match.groups()] += 1
        for (_, call), count in counts.items():
            most[call] = max(most[call], count)
        good, _ = tree(reference)
        places = [(call, k) for call in MUTATING for k in range(1, most[call] + 1)]
        total = len(places)
        if not long:
            places = chance.sample(places, 25)
        fired = torn = strays = left = wrong = 0
        for call, k in places:
            out = scratch.at("out")
            shutil.rmtree(out, ignore_errors=True)
            done = run(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={k}",
                 *command(scratch.at("in"), out, "--jobs", "1")], timeout=30)
            fired += done.code != 0
            files, dots = tree(out)
            torn += any(files[name] != good[name] for name in files)
            strays = max(strays, len(dots))
            run(command(scratch.at("in"), out, "--resume"), timeout=60)
            files, dots = tree(out)
            left += len(dots)
            wrong += files != good
        row.figure(f"{fired} of {len(places)} kills fired (of {total} places): {torn} torn files, at most {strays} strays, "
                   f"{left} after the next run, {wrong} trees not the same after --resume")
        row.require(fired >= len(places) * 0.8, "too few kills fired")
        row.require(torn == 0 and strays <= 1 and left == 0 and wrong == 0, "SIGKILL left something behind")


def moments(row, long):
    count, rounds = (1000, 200) if long else (120, 8)
    with Scratch() as scratch:
        pictures(scratch.at("in"), count)
        started = time.monotonic()
        done = run(command(scratch.at("in"), scratch.at("reference"), "--jobs", "2"), timeout=600)
        whole = time.monotonic() - started
        row.require(done.code == 0, f"the undisturbed run ended with {done.code}: {done.errors[-200:]}")
        good, _ = tree(scratch.at("reference"))
        torn = left = 0
        strays = again = told = wrong = 0
        out = scratch.at("out")
        for index in range(rounds):
            report = scratch.at("report")
            before = len(journal(out)) if os.path.isdir(out) else 0
            process = subprocess.Popen(
                command(scratch.at("in"), out, "--jobs", "2", "--resume", "--report", report), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.02, max(0.3, whole / 8)))
            process.kill()
            process.wait()
            end = time.monotonic() + 5
            while orphans(process.pid) and time.monotonic() < end:
                time.sleep(0.01)
            row.require(not orphans(process.pid), "a worker outlived its supervisor by 5 s")
            files, dots = tree(out) if os.path.isdir(out) else ({}, [])
            torn += sum(files[name] != good[name] for name in files)
            strays = max(strays, len(dots))
            if len(files) == len(good):
                done = run(command(scratch.at("in"), out, "--resume"), timeout=600)
                files, dots = tree(out)
                wrong += files != good
                left += len(dots)
                lines = [entry for entry in journal(out) if "key" in entry]
                told += len(lines)
                again += len(lines) - len({entry["output"][0] for entry in lines})
                shutil.rmtree(out)
        done = run(command(scratch.at("in"), out, "--resume"), timeout=600)
        files, dots = tree(out)
        wrong += files != good
        left += len(dots)
        lines = [entry for entry in journal(out) if "key" in entry]
        told += len(lines)
        again += len(lines) - len({entry["output"][0] for entry in lines})
        share = 100 * (1 - again / max(1, told))
        row.figure(f"{rounds} random moments of a batch of {count}: {torn} torn files, at most {strays} strays, {left} after the next "
                   f"run, {wrong} trees not the same, {share:.2f} % of finished work not done again")
        row.require(torn == 0 and strays <= 2 and left == 0 and wrong == 0, "SIGKILL left something behind")
        row.require(share >= 99.9, f"only {share:.2f} % of finished work was kept")


# Half transparent: what is drawn on twice is not what is drawn on once.
LABEL = ('{"labelpipe":1,"output":[{"effect":"image.source"},{"effect":"layout.place","anchor":"center","label":['
         '{"effect":"shape.ellipse","size":[60,40]},{"effect":"fill.solid","color":"#ff000060"}]}]}')


def in_place(row, long):
    count, rounds = 80, 60 if long else 4
    with Scratch() as scratch:
        pictures(scratch.at("in"), count, ext="png")
        document, place = scratch.at("label.json"), scratch.at("place")
        with open(document, "w") as file:
            file.write(LABEL)

        def subject(*more):
            return [LABELPIPE, "run", document, place, "--in-place", "--quiet", "--jobs", "2", *more]

        shutil.copytree(scratch.at("in"), place)
        before, _ = tree(place)
        started = time.monotonic()
        done = run(subject(), timeout=120)
        whole = time.monotonic() - started
        row.require(done.code == 0, f"the undisturbed run ended with {done.code}: {done.errors[-200:]}")
        good, _ = tree(place)
        torn = twice = left = fired = 0
        for _ in range(rounds):
            shutil.rmtree(place)
            shutil.copytree(scratch.at("in"), place)
            for turn in range(3):
                process = subprocess.Popen(subject(*["--resume"] * (turn > 0)), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0.02, whole))
                fired += process.poll() is None
                process.kill()
                process.wait()
                files, _ = tree(place)
                torn += sum(files.get(name) not in (before[name], good[name]) for name in good)
            done = run(subject("--resume"), timeout=120)
            files, strays = tree(place)
            twice += sum(files.get(name) != good[name] for name in good)
            left += len(strays)
            row.require(done.code == 0, f"--resume ended with {done.code}: {done.errors[-200:]}")
        row.figure(f"{fired} SIGKILLs of {rounds} batches of {count} in place: {torn} pictures neither old nor new at some moment, "
                   f"{twice} not as drawn once after --resume, {left} left over")
        row.require(fired >= rounds, "too few kills fired")
        row.require(torn == twice == left == 0, "work in place was drawn on twice or lost")
