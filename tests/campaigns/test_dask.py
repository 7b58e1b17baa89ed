"""Campaigns on a real Dask cluster of processes on this machine."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from de2ls.campaigns import CampaignError, run_campaign
from de2ls.campaigns.dask_executor import dask_workers

from .support import command, de2ls, fingerprints, rest, small_plan

pytest.importorskip("distributed")

PLAN = ("--algorithms", "de2ls,rdex", "--problems", "1,4", "--dim", "4", "--instance", "1")
SEARCH = """
import de2ls


@de2ls.algorithm("mine")
def mine(space, rng, budget, config):
    while True:
        yield space.sample(rng, 40)
"""
PROBLEMS = """
import de2ls


def problems(dim):
    def bowl(x):
        return float(x @ x)

    def slope(x):
        return float(x.sum())

    right = {"type": "ineq", "fun": lambda x: x[0] - 0.5}
    return [de2ls.problem(fun, [(-1, 1)] * dim, constraints=right) for fun in (bowl, slope)]
"""
QUIET = {**os.environ, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=QUIET,
        start_new_session=True,
    )


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each a process of its own, without anyone to restart them."""
    file = tmp_path / "scheduler.json"
    address = ("--scheduler-file", str(file))
    processes = [
        start(
            *("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"),
            *("--no-dashboard", *address),
        )
    ]
    processes += [
        start(
            *("distributed.cli.dask_worker", *address, "--no-nanny", "--nthreads", "1"),
            *("--no-dashboard", "--local-directory", str(tmp_path), "--name", name),
        )
        for name in ("first", "second")
    ]
    deadline = time.monotonic() + 60
    while not (file.exists() and file.stat().st_size):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield json.loads(file.read_text())["address"], processes
    for process in reversed(processes):
        process.kill()
        process.wait()


@pytest.mark.parametrize("address", ["here", "tcp://here", "nonsense://", "bar://here:1"])
def test_what_is_no_address_is_refused_before_anyone_connects(address):
    with pytest.raises(CampaignError, match=f"dask must be local or an address .*'{address}'"):
        dask_workers(address, 1)


def test_a_cluster_that_loses_a_worker_completes_with_equal_results(cluster, tmp_path):
    address, (_, *workers) = cluster
    path, alone = tmp_path / "dask.db", tmp_path / "threads.db"
    arguments = ("run", *PLAN, "--runs", "8", "--max-evals", "100000", "--json")
    process = subprocess.Popen(
        command(*arguments, "--dask", address, "--store", str(path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=QUIET,
    )
    events = [json.loads(process.stdout.readline()) for _ in range(10)]  # in the middle
    os.kill(workers[0].pid, signal.SIGKILL)
    output, errors = rest(process)
    events += [json.loads(line) for line in output.splitlines()]
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert events[0]["event"] == "start"
    assert f"Dask cluster at {address}" in events[0]["workers"]
    assert events[-1]["event"] == "end"
    assert (events[-1]["stored"], events[-1]["left"], events[-1]["failed"]) == (32, 0, 0)
    assert workers[1].poll() is None
    assert de2ls(*arguments, "--store", str(alone)).returncode == 0
    assert fingerprints(path) == fingerprints(alone)
    assert len(fingerprints(path)) == 32


def test_a_lost_scheduler_ends_the_campaign_and_loses_nothing(cluster, tmp_path):
    address, (scheduler, *_) = cluster
    path = tmp_path / "dask.db"
    arguments = (
        "run",
        *PLAN,
        "--runs",
        "8",
        "--max-evals",
        "100000",
        "--json",
        "--store",
        str(path),
    )
    process = subprocess.Popen(
        command(*arguments, "--dask", address),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    events = [json.loads(process.stdout.readline()) for _ in range(6)]
    scheduler.kill()
    output, errors = rest(process)
    events += [json.loads(line) for line in output.splitlines()]
    assert process.returncode == 1
    assert "error: the connection to the Dask cluster is lost: the trials stored so far" in errors
    assert "Traceback" not in errors
    trials = sum(event["event"] == "trial" for event in events)
    assert 5 <= trials < 32
    assert len(fingerprints(path)) == trials
    again = de2ls(*arguments)  # with threads
    assert again.returncode == 0
    assert json.loads(again.stdout.splitlines()[0])["to_run"] == 32 - trials


def test_a_local_cluster(tmp_path):
    path, alone = tmp_path / "dask.db", tmp_path / "threads.db"
    arguments = ("run", *PLAN, "--runs", "3", "--max-evals", "600", "--workers", "2")
    done = de2ls(*arguments, "--dask", "local", "--store", str(path))
    assert done.returncode == 0, done.stderr
    assert "running 12 on 2 workers of a local Dask cluster" in done.stdout
    run_campaign(small_plan(), alone)
    assert fingerprints(path) == fingerprints(alone)


def test_what_users_bring_runs_on_a_cluster_too(tmp_path):
    (tmp_path / "mine.py").write_text(SEARCH)
    (tmp_path / "own.py").write_text(PROBLEMS)
    files = {"algorithms": str(tmp_path / "mine.py"), "problems": str(tmp_path / "own.py")}
    plan = small_plan(**files, dim="2,3", instance=None, runs=2, max_evals=200)
    run_campaign(plan, tmp_path / "dask.db", 2, dask="local")
    run_campaign(plan, tmp_path / "threads.db", 2, "threads")
    assert len(fingerprints(tmp_path / "dask.db")) == 8
    assert fingerprints(tmp_path / "dask.db") == fingerprints(tmp_path / "threads.db")


@pytest.mark.slow  # waits 10 s
def test_a_scheduler_that_does_not_answer(tmp_path):
    address = "tcp://127.0.0.1:9"
    with pytest.raises(CampaignError, match=f"no Dask scheduler answers at {address}: "):
        run_campaign(small_plan(), tmp_path / "a.db", dask=address)
