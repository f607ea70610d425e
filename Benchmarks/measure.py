"""Runs programs and says what they took."""
import os
import statistics
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Run:
    """One run of a program and of all processes it started and waited for. Seconds and MB."""
    wall: float
    cpu: float
    memory: float
    text: str


class Failed(Exception):
    """A program did not do its work: there is no time to speak of."""


def run(command, env=None, cwd=None, feed=None):
    """Runs a program to its end.

    `memory` is the largest resident set of any one of its processes.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, **(env or {})}, cwd=cwd, text=True)
    text, _ = communicate(process, feed)
    wall = time.perf_counter() - start
    usage = process.usage
    if process.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))[:200]} ended with {process.returncode}: {text[-600:]}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def communicate(process, feed):
    """The output, and the usage of the process by wait4."""
    if feed:
        process.stdin.write(feed)
        process.stdin.close()
    text = process.stdout.read()
    _, status, process.usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return text, None


def alternating(repeats, *works):
    """Each work in turn, `repeats` times; a list of results for each work."""
    results = [[] for _ in works]
    for _ in range(repeats):
        for result, work in zip(results, works):
            result.append(work())
    return results


def median(values):
    return statistics.median(values)


def tree(pid):
    """A process and those below it."""
    pids = [pid]
    for at in pids:
        try:
            with open(f"/proc/{at}/task/{at}/children") as file:
                pids += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return pids


def ticks(pids):
    """CPU seconds that living processes have used."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return total / os.sysconf("SC_CLK_TCK")


def resident(pids):
    """What living processes hold together: what is written of each, and what is read of files of the one that reads most (they
    read the same libraries). MB"""
    written, read = 0, 0
    for pid in pids:
        figures = {}
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                for line in file:
                    name, _, rest = line.partition(":")
                    if name in ("Rss", "Anonymous"):
                        figures[name] = int(rest.split()[0])
        except OSError:
            continue
        if len(figures) == 2:
            written += figures["Anonymous"]
            read = max(read, figures["Rss"] - figures["Anonymous"])
    return (written + read) / 1024


def descriptors(pids):
    """The most descriptors that one of the processes has open."""
    most = 0
    for pid in pids:
        try:
            most = max(most, len(os.listdir(f"/proc/{pid}/fd")))
        except OSError:
            pass
    return most


def peak_memory(command, env=None):
    """The most that a program and its processes held together, looked at every 5 ms. MB"""
    process = subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, **(env or {})})
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, resident(tree(process.pid)))
        time.sleep(0.005)
    if process.returncode != 0:
        raise Failed(f"{command[0]} ended with {process.returncode}")
    return peak
