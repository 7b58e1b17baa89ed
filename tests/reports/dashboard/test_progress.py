"""Progress and provisional scores of stores made by hand."""

import json

import pytest

from de2ls.campaigns import Store
from de2ls.problems.key import ProblemKey
from de2ls.reports.dashboard.progress import measured_pace, progress
from de2ls.reports.dashboard.provisional import balanced, provisional
from de2ls.reports.dashboard.watch import stamp_of
from de2ls.scores import collect, uscore
from tests.campaigns.support import KEY, make_record
from tests.reports.support import SERIES, fill

CONFIG = make_record().config


def key(number, dim=3):
    return ProblemKey.make("cec2017", number, dim, definition="report", instance=1)


def plan(labels, numbers, runs, max_evals=90):
    return {
        "series": [{"label": label, "algorithm": "de2ls", "config": CONFIG} for label in labels],
        "problems": [key(number).as_dict() for number in numbers],
        "runs": list(runs),
        "seed": 1,
        "max_evals": max_evals,
        "paired": False,
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.db"


def cells_of(now):
    """Return (done, planned, failed) by problem and series."""
    return {
        (name, series["label"]): tuple(cell[:3])
        for group in now["groups"]
        for name, row in zip(group["problems"], group["cells"], strict=True)
        for series, cell in zip(now["series"], row, strict=True)
        if cell is not None
    }


def test_what_is_done_is_counted_against_all_plans(path):
    with Store.open(path) as store:
        store.add_plan(plan(["a", "b"], (1, 2), (1, 2, 3)))
        store.add_plan(plan(["a"], (1,), (3, 4)))  # run 3 is planned twice
        for label, number, run in (("a", 1, 1), ("a", 1, 4), ("b", 2, 3)):
            store.add(make_record(label=label, problem=key(number), run=run))
        store.add(make_record(label="a", problem=key(2), run=9))  # nobody planned it
        store.add(make_record(label="a", problem=key(5), run=1))
        store.add_failure(make_record(label="b", problem=key(1), run=2).key, "ValueError: no")
    now = progress(path)
    assert cells_of(now) == {
        ("C01", "a"): (2, 4, 0),
        ("C01", "b"): (0, 3, 1),
        ("C02", "a"): (1, 4, 0),
        ("C02", "b"): (1, 3, 0),
        ("C05", "a"): (1, 1, 0),
    }
    sums = {s["label"]: (s["done"], s["planned"], s["failed"]) for s in now["series"]}
    assert sums == {"a": (4, 9, 0), "b": (1, 6, 1)}
    assert now["failures"] == [
        {"label": "b", "problem": "C01", "key": "C01 D=3 report/1", "run": 2,
         "reason": "ValueError: no"}
    ]  # fmt: skip
    assert (now["recent"][0]["problem"], now["recent"][0]["run"]) == ("C05", 1)


def test_an_empty_store_has_no_progress(path):
    Store.open(path).close()
    now = progress(path)
    assert (now["series"], now["groups"], now["pace"], now["secondsLeft"]) == ([], [], None, None)
    assert provisional(path) == {"titles": {}, "groups": []}


def result(stored, max_evals=1000, wall_time=1.0):
    return {"stored": stored, "n_evals": 500, "max_evals": max_evals, "wall_time": wall_time}


def test_the_pace_is_that_of_the_results_since_the_last_pause():
    last = [result(t) for t in (1010.0, 1008.0, 1004.0, 1000.0, 400.0, 399.0)]
    assert measured_pace(last) == {"trials": 0.3, "evaluations": 150.0, "budget": 300.0}
    slow = [result(t, wall_time=900.0) for t in (1010.0, 1008.0, 1004.0, 1000.0, 400.0, 399.0)]
    assert measured_pace(slow)["trials"] == pytest.approx(5 / 611)  # no pause: trials last long
    assert measured_pace([result(5.0), result(None)]) is None  # of an older schema
    assert measured_pace([result(5.0)]) is None
    assert measured_pace([result(5.0), result(5.0)]) is None  # merged at once


def test_the_time_left_follows_the_budgets_that_are_missing(path):
    with Store.open(path) as store:
        store.add_plan(plan(["a"], (1,), range(1, 11), max_evals=90))
        for run in (1, 2):
            store.add(make_record(label="a", problem=key(1), run=run))
        store.add_failure(make_record(label="a", problem=key(1), run=3).key, "no")
    now = progress(path)
    assert now["secondsLeft"] == pytest.approx(7 * 90 / now["pace"]["budget"])


def test_a_balanced_part_is_the_largest_one():
    runs = {"a": {1: range(1, 6), 2: range(1, 6), 3: (1,)}, "b": {1: (2, 3, 4, 9), 2: (3, 4, 5)}}
    stored = {
        (label, key(number)): {run: 100 * number + run for run in chosen}
        for label, problems in runs.items()
        for number, chosen in problems.items()
    }
    block = balanced(stored, [key(1), key(2), key(3)])
    assert block.labels == ("a", "b")
    assert block.trials == {key(1): (2, 3, 4), key(2): (3, 4, 5)}
    assert (block.problems, block.is_sample) == (3, False)
    few = balanced(stored, [key(1), key(2)], most=8)
    assert few.trials == {key(1): (2, 3), key(2): (3, 4)}
    assert few.is_sample
    assert balanced(stored, [key(3)]).labels == ("a",)
    fewest = balanced(stored, [key(1), key(2)], most=2)
    assert len(fewest.trials) == 1
    disjoint = {("a", key(1)): {1: 1}, ("b", key(1)): {2: 2}}
    assert balanced(disjoint, [key(1)]) is None


def test_provisional_scores_are_those_of_the_balanced_part(path):
    with Store.open(path) as store:
        fill(store, SERIES, numbers=(1, 4), runs=2)
        fill(store, {"de2ls": SERIES["de2ls"]}, numbers=(5,), runs=1)  # the others lack it
        records = [record for record in store.records() if record.problem.name != 5]
    expected = uscore(collect(records))
    (group,) = provisional(path)["groups"]
    assert (group["runs"], group["problems"], group["ofProblems"]) == (2, 2, 3)
    assert group["isSample"] is False
    totals = dict(zip(expected.algorithms, expected.total.sum(axis=0).tolist(), strict=True))
    assert {row["label"]: row["total"] for row in group["rows"]} == totals
    assert [row["total"] for row in group["rows"]] == sorted(totals.values(), reverse=True)
    for row in group["rows"]:
        low, high = row["limits"]
        assert low <= row["total"] <= high


def test_one_run_has_no_interval_and_one_series_no_score(path, tmp_path):
    with Store.open(path) as store:
        fill(store, SERIES, numbers=(1,), runs=1)
    (group,) = provisional(path)["groups"]
    assert [row["limits"] for row in group["rows"]] == [None] * 3
    other = tmp_path / "one.db"
    with Store.open(other) as store:
        store.add(make_record(problem=KEY))
    (group,) = provisional(other)["groups"]
    assert group["rows"] == []
    assert "two series" in group["reason"]


def test_trials_that_must_not_be_mixed_are_said_and_not_scored(path):
    with Store.open(path) as store:
        store.add(make_record(label="a"))
        store.add(make_record(label="b", max_evals=100, stop="early"))
    (group,) = provisional(path)["groups"]
    assert group["rows"] == []
    assert "budget" in group["reason"] or "max_evals" in group["reason"]


def test_readers_leave_the_stamp_as_it_was(path):
    with Store.open(path) as store:
        store.add(make_record())
    before = stamp_of(path)
    with Store.open(path, readonly=True) as store:
        store.query("SELECT count(*) FROM trials")
        assert stamp_of(path) == before
    assert stamp_of(path) == before
    with Store.open(path) as store:
        store.add(make_record(run=2))
        assert stamp_of(path) != before
    json.dumps(stamp_of(path))
