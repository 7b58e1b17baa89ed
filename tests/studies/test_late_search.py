import numpy as np
import pytest

from de2ls.studies.late_search import (
    MORE_RUNS,
    WITH,
    WITHOUT,
    late_plan,
    late_search,
    more_plan,
)
from de2ls.studies.scale import Scale
from tests.scores.records import make_record
from tests.studies.support import gathered_of

RUNS = 20


COUNTS = {"ls_calls": 2, "ls_evaluations": 60, "ls_improved": 1, "ls_gain": 0.5}


def gathered(ends):
    """Return pairs on problems, given their ends with and without the search."""
    return gathered_of(
        [
            make_record(
                label, int(name[1:]), run, [[value, 0.0]], max_evals=1000, counters=counters
            )
            for name, pair in ends.items()
            for label, values, counters in zip((WITH, WITHOUT), pair, (COUNTS, {}), strict=True)
            for run, value in enumerate(values, start=1)
        ]
    )


@pytest.fixture
def found():
    base = np.arange(1.0, RUNS + 1)
    few = base.copy()
    few[:3] -= 0.25
    return late_search(
        gathered(
            {
                "C01": (base, base),  # nothing happens
                "C02": (base - 0.5, base),  # every pair improves
                "C03": (base + 0.5, base),  # every pair gets worse
                "C04": (few, base),  # three pairs improve
            }
        ),
        budget=1000,
    )


def test_verdicts_follow_the_sign_test(found):
    assert [found.verdict(p) for p in range(4)] == [
        *("no effect seen", "improves", "worsens", "cannot be decided")
    ]
    assert found.undecided() == ["C04"]


def test_the_table_counts_pairs_changes_and_cost(found):
    table = found.table()
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    for row in rows:
        assert row["better"] + row["equal"] + row["worse"] == row["pairs"] == RUNS
        assert row["cost % of the budget"] == 6.0
        assert row["calls"] == 2
        assert row["calls that improved %"] == 50
        assert row["gain in the calls"] == 0.5
    assert [row["better"] for row in rows] == [0, RUNS, 0, 3]
    # Only pairs that differ count: not the 17 equal ones of C04.
    assert [row["median change"] for row in rows] == [None, -0.5, 0.5, -0.25]


def test_claims_sum_over_all_problems(found):
    better, sooner = found.claims()
    assert better.here.value == pytest.approx(100 * 23 / 43)
    assert better.verdict == "cannot be decided"
    assert better.runs == RUNS
    assert sooner.statement.endswith("sooner more often than later")


def test_more_runs_are_planned_where_needed(found):
    scale = Scale(instance=1)
    plan = more_plan(found, scale.problems(), 25, seed=1)
    assert [problem.number for problem in plan.problems] == [4]
    assert plan.runs == tuple(range(26, MORE_RUNS + 1))
    assert plan.paired


def test_pairs_share_their_seeds():
    trials = list(late_plan(Scale(instance=1, numbers=(1, 2)).problems(), range(1, 4), 1).trials())
    seeds = {}
    for trial in trials:
        seeds.setdefault((trial.problem.name, trial.run), set()).add(trial.seed)
    assert len(trials) == 12
    assert all(len(found) == 1 for found in seeds.values())
    assert len({seed for found in seeds.values() for seed in found}) == 6
