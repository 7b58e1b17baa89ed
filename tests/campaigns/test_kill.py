"""A campaign killed at random moments and resumed each time equals one that was left alone."""

import json
import random
import subprocess
import time

import pytest

from de2ls.campaigns import Store

from .support import command, de2ls, fingerprints

PLAN = ("--algorithms", "de2ls,rdex", "--problems", "1,4,13,20", "--dim", "4", "--instance", "1")


def kill_at_random(arguments, rng, delay):
    """Run until a random moment, half of the times after the first trials began; return events.

    The other half falls anywhere since the start of the process: into its imports, the opening of
    the store, the compilation.
    """
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    if rng.random() < 0.5:
        process.stdout.readline()  # the event "start"
        time.sleep(rng.uniform(0, delay))
    else:
        time.sleep(rng.uniform(0, 2.0))
    process.kill()
    output, _ = process.communicate()
    lines = output.splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def check_kills(tmp_path, kills, runs, delay):
    path, undisturbed = tmp_path / "killed.db", tmp_path / "undisturbed.db"
    plan = ("run", *PLAN, "--runs", str(runs), "--max-evals", "10000", "--workers", "2", "--json")
    arguments = command(*plan, "--store", str(path))
    rng = random.Random(2026)
    stored, unfinished = {}, 0
    for _ in range(kills):
        events = kill_at_random(arguments, rng, delay)
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
        unfinished += 0 < len(now) < 8 * runs
    assert unfinished > kills / 2  # the kills did hit a campaign at work

    assert de2ls(*plan, "--store", str(path)).returncode == 0
    assert de2ls(*plan, "--store", str(undisturbed)).returncode == 0
    killed = fingerprints(path)
    assert len(killed) == 8 * runs
    assert killed == fingerprints(undisturbed)
    with Store.open(path, readonly=True) as store:
        assert store.verify().sound
        assert len(store.info().plans) == 1


def test_a_campaign_killed_a_few_times(tmp_path):
    check_kills(tmp_path, kills=5, runs=8, delay=0.2)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_campaign_killed_fifty_times(tmp_path):
    check_kills(tmp_path, kills=50, runs=60, delay=0.3)
