"""Two processes on one folder while a third swaps links; interruptions under load."""

import os
import threading

from common import *


def two(row, long):
    rounds = 200 if long else 5
    twice = outside = torn = missing = strays_left = 0
    with Scratch() as scratch:
        pictures(scratch.at("in", "a"), 6)
        pictures(scratch.at("in", "b"), 6)
        run(command(scratch.at("in"), scratch.at("reference"), "--recursive"))
        good, _ = tree(scratch.at("reference"))
        for _ in range(rounds):
            out, elsewhere = scratch.at("out"), scratch.at("elsewhere")
            for folder in (out, elsewhere):
                shutil.rmtree(folder, ignore_errors=True)
                os.makedirs(folder)
            stop = threading.Event()

            def swap():
                # A folder of the tree is a link that leads out, is gone, and is a folder again.
                while not stop.is_set():
                    try:
                        os.rename(os.path.join(out, "b"), os.path.join(out, ".b"))
                    except OSError:
                        pass
                    try:
                        os.symlink(elsewhere, os.path.join(out, "b"))
                        time.sleep(0.002)
                        os.unlink(os.path.join(out, "b"))
                        os.rename(os.path.join(out, ".b"), os.path.join(out, "b"))
                    except OSError:
                        pass
                    time.sleep(0.003)

            swapper = threading.Thread(target=swap)
            swapper.start()
            reports = [scratch.at("report1"), scratch.at("report2")]
            both = [
                subprocess.Popen(
                    command(scratch.at("in"), out, "--recursive", "--skip-existing", "--jobs", "2", "--report", report),
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for report in reports]
            for process in both:
                process.wait()
            stop.set()
            swapper.join()
            link = os.path.join(out, "b")
            if os.path.islink(link):
                os.unlink(link)
            hidden = os.path.join(out, ".b")
            if os.path.isdir(hidden) and not os.path.isdir(link):
                os.rename(hidden, link)
            files, _ = tree(out)
            if os.path.isdir(hidden):
                more, _ = tree(hidden)
                files.update({f"b/{name}": digest for name, digest in more.items()})
                shutil.rmtree(hidden)
            outside += len(os.listdir(elsewhere))
            torn += sum(good[name] != value for name, value in files.items())
            done = []
            for report in reports:
                with open(report) as file:
                    for line in file:
                        entry = json.loads(line)
                        if entry["status"] == "done":
                            done.append(entry["input"])
            # In folder b somebody took names away meanwhile: there both may have been right.
            twice += len([name for name in done if "/a/" in name]) - len({name for name in done if "/a/" in name})
            missing += len([name for name in good if name.startswith("a/") and name not in files])
            run(command(scratch.at("in"), out, "--recursive", "--resume"))
            files, strays = tree(out)
            strays_left += len(strays)
            missing += files != good
    row.figure(f"{rounds} times two processes on one folder, a third swapping links: {twice} outputs made twice, {missing} missing, "
               f"{torn} torn, {outside} files outside the folder, {strays_left} left over")
    row.require(twice == outside == torn == missing == strays_left == 0, "two processes were in each other's way")


def interrupts(row, long):
    rounds, count = (200, 240) if long else (10, 60)
    times, stayed, codes, wrong, ended = [], 0, {}, 0, 0
    with Scratch() as scratch:
        pictures(scratch.at("in"), count, 900, 700)
        run(command(scratch.at("in"), scratch.at("reference")), timeout=120)
        good, _ = tree(scratch.at("reference"))
        out = scratch.at("out")
        # A run that has ended before its signal is none that was interrupted: another takes its place, on an empty folder.
        while len(times) < rounds and ended < 3 * rounds:
            process = subprocess.Popen(
                command(scratch.at("in"), out, "--resume", "--jobs", "4"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(chance.uniform(0.08, 0.6))
            if process.poll() is not None:
                ended += 1
                row.require(process.returncode == 0, f"a run that nobody interrupted ended with {process.returncode}")
                shutil.rmtree(out)
                continue
            started = time.monotonic()
            # As a terminal does it: to the whole group.
            os.killpg(process.pid, signal.SIGINT)
            # One that was just starting has nothing to end, and goes as every program does: a shell says 130 of both.
            code = process.wait()
            code = 128 - code if code < 0 else code
            times.append(time.monotonic() - started)
            codes[code] = codes.get(code, 0) + 1
            stayed += len(orphans(process.pid))
            files, strays = tree(out) if os.path.isdir(out) else ({}, [])
            wrong += len(strays) + sum(good[name] != files[name] for name in files)
        done = run(command(scratch.at("in"), out, "--resume"), timeout=120)
        files, strays = tree(out)
        row.require(done.code == 0 and files == good and not strays, "--resume does not end what was interrupted")
    row.require(len(times) == rounds, f"only {len(times)} of {rounds} runs could be interrupted, {ended} ended before")
    if not times:
        return
    late = sum(seconds > 0.5 for seconds in times)
    times.sort()
    row.figure(f"{len(times)} interruptions: codes {codes}, prompt back after {1000 * times[len(times) // 2]:.0f} ms (median) and "
               f"{1000 * times[-1]:.0f} ms at most, {late} over 500 ms; {stayed} orphans, {wrong} files that are not whole")
    row.require(late <= max(1, len(times) // 100) and stayed == 0 and wrong == 0, "an interruption was late or left something")
    row.require(set(codes) <= {130, 0}, f"codes {codes}")
