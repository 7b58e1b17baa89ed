"""The published tables keep the identities of the score, so that a slip of a digit would show."""

import numpy as np
import pytest

from de2ls.studies import published


@pytest.mark.parametrize(("name", "algorithms"), [("head_to_head", 2), ("four_algorithms", 4)])
def test_points_of_each_problem_are_those_of_all_pairs(name, algorithms):
    table = published.by_problem(name)
    trials = algorithms * published.RUNS
    assert table.problems == tuple(f"C{k:02d}" for k in range(1, 29))
    for part in ("accuracy", "speed"):
        assert (table.arrays[part].sum(axis=1) == trials * (trials - 1) / 2).all()
    both = table.arrays["accuracy"] + table.arrays["speed"]
    assert (both == table.arrays["total"]).all()
    for part, values in table.arrays.items():
        sums = dict(zip(table.algorithms, values.sum(axis=0).tolist(), strict=True))
        assert table.sums[part] == sums


def test_published_ranks_follow_from_the_scores():
    table = published.by_problem("four_algorithms")
    order = (-table.arrays["total"]).argsort(axis=1).argsort(axis=1) + 1
    assert (order == table.arrays["rank"]).all()


def test_gains_are_those_of_the_abstract():
    sums = published.by_problem("head_to_head").sums
    gains = {p: 100 * (sums[p]["DE-2LS"] / sums[p]["RDEx"] - 1) for p in sums}
    assert {p: round(gain, 2) for p, gain in gains.items()} == {
        "accuracy": 6.17,
        "speed": 4.99,
        "total": 5.58,
    }


def test_the_ablation_shares_all_points_among_ten_variants():
    table = published.ablation()
    trials = 10 * published.RUNS
    for part in ("accuracy", "speed"):
        assert sum(table[part].values()) == 28 * trials * (trials - 1) / 2
    for name, total in table["total"].items():
        assert total == table["accuracy"][name] + table["speed"][name]
    assert sum(table["rank"].values()) == 28 * 55


def test_means_are_complete():
    table = published.means()
    assert len(table) == 28 * 4
    assert table["C06", "RDEx"] == published.PublishedMean(None, None, 0.96, None)
    assert table["C17", "UDE-III"].violation == 29.42
    for cell in table.values():
        assert (cell.mean is not None) == (cell.feasible == 1)
        assert (cell.violation is not None) == (cell.feasible == 0)
    assert np.isfinite([cell.mean for cell in table.values() if cell.mean is not None]).all()
