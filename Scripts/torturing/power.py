"""The power goes off at each step of publishing: an ext4 of our own, shut down by ioctl."""

import fcntl
import os

from common import *

# _IOR('X', 125, __u32) and its flag: nothing that is still in memory reaches the disk.
SHUTDOWN, WITHOUT_LOG = 0x8004587D, 2
STEPS = ["openat", "write", "fsync", "linkat", "mkdirat", "close"]


def power(row, long):
    need("mkfs.ext4", "e2fsprogs")
    need("strace", "strace")
    times = 25 if long else 1
    cuts = torn = lost = fired = 0
    with Scratch() as scratch:
        pictures(scratch.at("in"), 12, 400, 300)
        run(command(scratch.at("in"), scratch.at("reference")), timeout=120)
        good, _ = tree(scratch.at("reference"))
        disk, place = scratch.at("disk"), scratch.at("place")
        os.makedirs(place)
        for step in STEPS:
            for _ in range(times):
                tool("dd", "if=/dev/zero", f"of={disk}", "bs=1M", "count=24")
                tool("mkfs.ext4", "-q", "-F", disk)
                try:
                    tool("mount", "-o", "loop", disk, place)
                except Missing as error:
                    raise Missing(f"no file system can be mounted here, so the power is not cut: {error}")
                mounted = True
                try:
                    out = os.path.join(place, "out")
                    k = chance.randint(1, 30)
                    log = scratch.at("log")
                    open(log, "w").close()
                    process = subprocess.Popen(
                        ["strace", "-f", "-qq", "-o", log, "-e", f"trace={step}", "-e", f"inject={step}:delay_exit=400000:when={k}",
                         *command(scratch.at("in"), out, "--jobs", "2")],
                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                    # Inside the delay of the call, or when the run has got about that far.
                    end = time.monotonic() + chance.uniform(0.5, 2.5)
                    while process.poll() is None and time.monotonic() < end:
                        with open(log, errors="replace") as file:
                            if "(DELAYED)" in file.read():
                                fired += 1
                                break
                        time.sleep(0.005)
                    descriptor = os.open(place, os.O_RDONLY)
                    fcntl.ioctl(descriptor, SHUTDOWN, WITHOUT_LOG.to_bytes(4, "little"))
                    os.close(descriptor)
                    cuts += 1
                    try:
                        os.killpg(process.pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                    process.wait()
                    time.sleep(0.1)
                    # Until the last of its processes has gone.
                    for _ in range(400):
                        if subprocess.run(["umount", place], capture_output=True).returncode == 0:
                            mounted = False
                            break
                        time.sleep(0.05)
                    if mounted:
                        raise Missing("the file system that was shut down cannot be unmounted")
                    tool("mount", "-o", "loop", disk, place)
                    mounted = True
                    files, _ = tree(out) if os.path.isdir(out) else ({}, [])
                    torn += sum(files[name] != good[name] for name in files)
                    for entry in journal(out) if os.path.isdir(out) else []:
                        for name in entry.get("output", []):
                            lost += files.get(name) != good[name]
                finally:
                    if mounted:
                        subprocess.run(["umount", place], capture_output=True)
    row.figure(f"{cuts} cuts at {len(STEPS)} steps ({fired} inside a call): {torn} torn files, "
               f"{lost} journalled as done and not there whole")
    row.require(torn == 0 and lost == 0, "a cut left something that is not so")
