import time

import pytest

from de2ls.campaigns import estimate as module
from de2ls.campaigns.estimate import estimate

from .support import small_plan

SLEEPY = """
import time
bounds = [(0, 1), (0, 1)]

def fun(x):
    time.sleep(0.002)
    return x[0]
"""


def test_counts_are_exact():
    plan = small_plan(dim="2,3", max_evals=None)
    cost = estimate(list(plan.trials()))
    assert (cost.trials, cost.evaluations) == (24, 12 * 40_000 + 12 * 60_000)
    assert (cost.measured, cost.pairs) == (8, 8)
    assert cost.worker_seconds > 0


def test_a_function_of_known_cost_is_estimated_well(tmp_path):
    file = tmp_path / "sleepy.py"
    file.write_text(SLEEPY)
    own = {"problems": str(file), "dim": None, "instance": None}
    plan = small_plan(**own, algorithms="de2ls", runs=50, max_evals=1000)
    begin = time.perf_counter()
    cost = estimate(list(plan.trials()))
    spent = time.perf_counter() - begin
    at_least = 50 * 1000 * 0.002  # sleep never takes less
    assert cost.worker_seconds > at_least
    assert cost.worker_seconds < 50 * 1000 * spent / 8  # at least 8 calls were made


def test_after_its_time_the_rest_is_taken_as_the_mean(monkeypatch):
    monkeypatch.setattr(module, "_IN_ALL", -1.0)
    monkeypatch.setattr(module, "_seconds_per_evaluation", lambda _: 0.5)
    cost = estimate(list(small_plan().trials()))
    assert (cost.measured, cost.pairs) == (1, 4)
    assert cost.worker_seconds == pytest.approx(12 * 600 * 0.5)


def test_nothing_to_run():
    cost = estimate([])
    assert (cost.trials, cost.evaluations, cost.worker_seconds) == (0, 0, 0)
