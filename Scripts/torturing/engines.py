"""The engines that the documentation names, each really started, with its script as it stands there."""

import contextlib
import pwd
import socket

from common import *

SCRIPTS = os.path.join(ROOT, "Documentation", "engines")
PICTURES = 24


def engines(row, long):
    with Scratch() as scratch:
        pictures(scratch.at("in"), PICTURES, 320, 240)
        os.makedirs(scratch.at("bin"))
        os.symlink(LABELPIPE, scratch.at("bin", "labelpipe"))
        environment = {"PATH": scratch.at("bin") + ":" + os.environ["PATH"]}
        tool(LABELPIPE, "run", PIPELINE, scratch.at("in"), "--output", scratch.at("whole"))
        whole, _ = tree(scratch.at("whole"))
        made = {"xargs": by_xargs, "GNU parallel": by_parallel}
        if long:
            made |= {"Slurm": by_slurm, "Spark": by_spark}
        for name, engine in made.items():
            output = scratch.at(name.split()[-1])
            try:
                said = engine(scratch, output, environment)
            except Missing as missing:
                row.problem(f"{name} not tried: {missing}")
                continue
            files, strays = tree(output)
            row.figure(f"{name}: {len(files)} of {PICTURES} pictures, {sum(files.get(path) != whole[path] for path in whole)} other "
                       f"than one run's, {len(strays)} left over; {said}")
            row.require(files == whole and not strays, f"{name}: its pictures are not those of one run")


def needs(program):
    path = shutil.which(program)
    if path is None:
        raise Missing(f"{program} is not installed")
    return path


def by_xargs(scratch, output, environment):
    needs("xargs")
    done = run([os.path.join(SCRIPTS, "xargs.sh"), PIPELINE, scratch.at("in"), output], environment=environment)
    return f"code {done.code}"


def by_parallel(scratch, output, environment):
    needs("parallel")
    done = run([os.path.join(SCRIPTS, "parallel.sh"), PIPELINE, scratch.at("in"), output], environment=environment)
    return f"code {done.code}, {verdicts(done.output)}"


def verdicts(text):
    states = [json.loads(line)["status"] for line in text.splitlines() if line]
    return f"{states.count('done')} of {len(states)} verdicts done"


# A cluster of this machine alone, with nothing of a real one: no keys, no accounts, no limits by cgroups.
CLUSTER = """\
ClusterName=labelpipe
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort=36817
SlurmdPort=36818
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=4096 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


@contextlib.contextmanager
def cluster(scratch):
    """The daemons of Slurm, for as long as it takes."""
    folder = scratch.at("slurm")
    for name in ("state", "spool"):
        os.makedirs(os.path.join(folder, name))
    path = os.path.join(folder, "slurm.conf")
    with open(path, "w") as file:
        file.write(CLUSTER.format(
            host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.getuid()).pw_name, folder=folder,
            cores=os.cpu_count()))
    environment = {**os.environ, "SLURM_CONF": path}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    daemons = [subprocess.Popen([needs(name), "-D", "-f", path], env=environment, **quiet) for name in ("slurmctld", "slurmd")]
    try:
        yield {"SLURM_CONF": path}
    finally:
        for daemon in daemons:
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def by_slurm(scratch, output, environment):
    needs("sbatch")
    if os.cpu_count() < 2:
        raise Missing("the script asks for two processors a task")
    with cluster(scratch) as own:
        # `--wait`: back when every task of the array has ended, with the worst of their codes.
        done = run(
            ["sbatch", "--wait", "--output", scratch.at("task-%a.log"), os.path.join(SCRIPTS, "slurm.sh"), PIPELINE,
             scratch.at("in"), output], timeout=300, environment={**environment, **own}, cwd=scratch.path)
    if done.code is None or "Submitted" not in done.output:
        raise Missing(f"Slurm ran nothing here: {done.output[-200:]} {done.errors[-300:]}")
    reports = [name for name in os.listdir(scratch.path) if name.startswith("Slurm.") and name.endswith(".ndjson")]
    shares = sorted(sum(1 for _ in open(scratch.at(name))) for name in reports)
    return f"code {done.code}, {len(reports)} tasks with {shares} pictures"


def by_spark(scratch, output, environment):
    submit = os.environ.get("TORTURE_SPARK") or needs("spark-submit")
    needs("java")
    with open(scratch.at("jobs.ndjson"), "w") as file:
        for name in sorted(os.listdir(scratch.at("in"))):
            file.write(json.dumps({"pipeline": PIPELINE, "input": scratch.at("in", name), "output": output + "/"}) + "\n")
    done = run(
        [submit, "--master", "local[2]", os.path.join(SCRIPTS, "spark.py"), scratch.at("jobs.ndjson"), scratch.at("verdicts")],
        timeout=300, environment={**environment, "PATH": os.path.dirname(submit) + ":" + environment["PATH"]})
    parts = [name for name in sorted(os.listdir(scratch.at("verdicts"))) if name.startswith("part-")] if done.code == 0 else []
    said = "".join(open(scratch.at("verdicts", name)).read() for name in parts)
    if done.code != 0:
        raise Missing(f"Spark ended with {done.code}: {done.errors[-300:]}")
    return f"code 0, {len(parts)} partitions, {verdicts(said)}"
