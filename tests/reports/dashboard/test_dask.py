"""The dashboard beside a campaign on a real Dask cluster."""

import contextlib
import os
import subprocess

import pytest

from tests.campaigns.support import command
from tests.reports.dashboard.support import PATIENCE, dashboard

pytest.importorskip("distributed")

TRIALS, ALLOWED = 8, 3

# Workers evaluate only while fewer trials are stored than a file allows: nothing depends on time.
GATED = """
import time
from pathlib import Path
from de2ls.campaigns import Store

bounds = [(0, 1), (0, 1)]

def stored():
    with Store.open({store!r}, readonly=True) as store:
        return len(list(store.trials()))

def fun(x):
    while stored() >= int(Path({allowed!r}).read_text()):
        time.sleep(0.02)
    return x[0] + x[1] ** 2
"""


def allow(file, count):
    """Write a file that others read, at once."""
    new = file.with_suffix(".new")
    new.write_text(str(count))
    new.replace(file)


def until(events, reached):
    """Return the first news of which `reached` holds.

    The stream itself never ends: without a campaign that writes there would be nothing to wait for.
    """
    for name, now in events:
        if name == "progress" and "error" not in now:  # a store that is being made is one
            if reached(now):
                return now
            assert now["writer"], now["failures"]
    pytest.fail("the stream has ended")


@pytest.mark.timeout(2 * PATIENCE)
def test_the_stream_follows_a_campaign_on_a_dask_cluster(tmp_path):
    path, allowed, problem = tmp_path / "results.db", tmp_path / "allowed", tmp_path / "gated.py"
    problem.write_text(GATED.format(store=str(path), allowed=str(allowed)))
    allow(allowed, 0)
    with contextlib.ExitStack() as stack:
        campaign = stack.enter_context(
            subprocess.Popen(
                command(
                    *("run", "--problems", str(problem), "--algorithms", "de-rand-1-bin"),
                    *("--runs", str(TRIALS), "--max-evals", "100", "--store", str(path)),
                    *("--dask", "local", "--workers", "2", "--quiet"),
                ),
                env={**os.environ, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"},
            )
        )
        stack.callback(campaign.kill)
        while not path.exists() or path.stat().st_size == 0:
            assert campaign.poll() is None
            with contextlib.suppress(subprocess.TimeoutExpired):
                campaign.wait(0.1)
        events = stack.enter_context(stack.enter_context(dashboard(path)).events())

        now = until(events, lambda now: now["series"])  # the plan is noted
        assert now["writer"].startswith("process ")
        assert [(one["done"], one["planned"]) for one in now["series"]] == [(0, TRIALS)]

        allow(allowed, ALLOWED)
        now = until(events, lambda now: now["series"][0]["done"] >= ALLOWED)
        assert now["writer"]  # it has more to do: what it stores is seen while it runs

        allow(allowed, TRIALS)
        now = until(events, lambda now: not now["writer"])
        assert [(one["done"], one["failed"]) for one in now["series"]] == [(TRIALS, 0)]
        assert campaign.wait(PATIENCE) == 0
