"""A campaign killed at random moments and resumed each time equals one that was left alone."""

import json
import random
import select
import subprocess
import time

import pytest

from de2ls.campaigns import Store

from .support import command, de2ls, fingerprints

PLAN = ("--algorithms", "de2ls,rdex", "--problems", "1,4,13,20", "--dim", "4", "--instance", "1")


def kill_at_random(arguments, rng, at_work, most):
    """Run and kill; return the events that were reported until then.

    Either at work, after a random number of stored trials and a random part of the next ones; or
    anywhere before: in the imports, the opening of the store, the loading of the kernels.
    """
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    lines = []
    if at_work:
        lines = [process.stdout.readline() for _ in range(rng.randint(1, most))]
        time.sleep(rng.uniform(0, 0.02))
    else:
        select.select([process.stdout], [], [], rng.uniform(0, most))  # at the latest at work
    process.kill()
    with process:
        lines += process.stdout.readlines()  # communicate would lose what was read ahead
    return [json.loads(line) for line in lines if line.endswith("\n")]


def check_kills(tmp_path, kills, runs):
    path, other = tmp_path / "killed.db", tmp_path / "undisturbed.db"
    plan = ("run", *PLAN, "--runs", str(runs), "--max-evals", "40000", "--workers", "2", "--json")
    arguments = command(*plan, "--store", str(path))
    trials = 8 * runs
    assert de2ls(*plan, "--store", str(other)).returncode == 0  # compiles what is needed
    begin = time.monotonic()
    assert de2ls(*plan, "--store", str(other)).returncode == 0  # finds nothing to do
    startup = 2 * (time.monotonic() - begin)
    rng = random.Random(2026)
    stored, unfinished = {}, 0
    for i in range(kills):
        at_work = i % 2 == 0
        events = kill_at_random(arguments, rng, at_work, trials // kills if at_work else startup)
        reported = sum(event["event"] == "trial" for event in events)
        if not path.exists():
            assert reported == 0
            continue
        with Store.open(path) as store:  # repairs what the kill left, as the next run would
            assert store.verify().sound
        now = fingerprints(path)
        assert stored.items() <= now.items()  # nothing stored is lost or changed
        assert len(now) >= len(stored) + reported  # what was reported had been stored
        stored = now
        unfinished += 0 < len(now) < trials
    assert unfinished >= kills // 2  # the kills did hit a campaign at work

    assert de2ls(*plan, "--store", str(path)).returncode == 0
    killed = fingerprints(path)
    assert len(killed) == trials
    assert killed == fingerprints(other)
    with Store.open(path, readonly=True) as store:
        assert store.verify().sound
        assert len(store.info().plans) == 1


def test_a_campaign_killed_a_few_times(tmp_path):
    check_kills(tmp_path, kills=5, runs=6)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_campaign_killed_fifty_times(tmp_path):
    check_kills(tmp_path, kills=50, runs=60)
