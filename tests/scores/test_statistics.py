import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from de2ls.scores import Collection, collect, friedman, paired, rank_sum, uscore
from de2ls.scores.statistics import Friedman, holm, quality

from .records import make_record
from .test_bootstrap import ends_only


def collection_of(**finals):
    return Collection.from_curves(ends_only(**finals), ["C01"])


def test_quality_puts_feasible_trials_first():
    trials = np.array(
        [
            [[5.0, 0.0]],
            [[np.nan, 2.0]],
            [[5.0 + 5e-9, 0.0]],  # ties with the first
            [[-1.0, 0.0]],
            [[np.nan, 0.5]],
            [[np.nan, 2.0 + 9e-9]],
        ]
    )
    assert quality(trials).tolist() == [1, 3, 1, 0, 2, 3]


def test_holm_on_a_worked_case():
    # sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1, then made monotone
    corrected = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    np.testing.assert_allclose(corrected, [0.03, 0.06, 0.06, 0.02], rtol=1e-12)
    assert holm(np.array([0.6, 0.9])).tolist() == [1.0, 1.0]


def test_rank_sum_of_separated_samples_is_exact():
    # Of the 70 ways to choose 4 of 8 places two are as extreme as complete separation.
    result = rank_sum(collection_of(x=[1, 2, 3, 4], y=[5, 6, 7, 8]))
    assert result.p[0, 0, 1] == pytest.approx(2 / 70, rel=1e-12)
    assert result.p[0, 1, 0] == result.p[0, 0, 1]
    assert result.effect[0].tolist() == [[0.5, 1.0], [0.0, 0.5]]
    assert result.marks("x", "y") == ["+"]
    assert result.marks("y", "x") == ["-"]
    assert result.marks("x", "y", alpha=0.01) == ["≈"]


def test_rank_sum_follows_feasibility_before_objectives():
    x = np.array([[9.0, 0.0]] * 5 + [[np.nan, 1.0]] * 5)
    y = np.array([[np.nan, 2.0]] * 10)
    fields = {"x": x[None, :, None, :], "y": y[None, :, None, :]}
    result = rank_sum(Collection.from_curves(fields))
    assert result.effect[0, 0, 1] == 1.0
    places_x, places_y = [0] * 5 + [1] * 5, [2] * 10
    expected = mannwhitneyu(places_x, places_y).pvalue
    assert result.p[0, 0, 1] == pytest.approx(expected, rel=1e-13)


def test_rank_sum_of_equal_ends_finds_nothing():
    noise = 1.0 + 1e-10 * np.arange(12)  # far below the tolerance of a tie
    result = rank_sum(collection_of(x=noise, y=np.ones(12)))
    assert result.p.tolist() == [[[1.0, 1.0], [1.0, 1.0]]]
    assert result.marks("x", "y") == ["≈"]


def test_families_of_the_correction():
    rng = np.random.default_rng(0)
    one = ends_only(x=rng.normal(size=15), y=rng.normal(1, size=15), z=rng.normal(0.5, size=15))
    two = ends_only(x=rng.normal(size=15), y=rng.normal(1, size=15), z=rng.normal(0.5, size=15))
    fields = {name: np.concatenate([one[name], two[name]]) for name in one}
    collection = Collection.from_curves(fields)
    raw = np.array(
        [
            [
                mannwhitneyu(*(fields[n][p, :, 0, 0] for n in pair)).pvalue
                for pair in ("xy", "xz", "yz")
            ]
            for p in range(2)
        ]
    )
    within = rank_sum(collection)
    across = rank_sum(collection, family="all")
    upper = ([0, 0, 1], [1, 2, 2])
    for p in range(2):
        np.testing.assert_allclose(within.p[p][upper], holm(raw[p]), rtol=1e-12)
    np.testing.assert_allclose(
        np.concatenate([across.p[p][upper] for p in range(2)]), holm(raw.ravel()), rtol=1e-12
    )
    with pytest.raises(ValueError, match="family must"):
        rank_sum(collection, family="pair")


def test_table_of_marks():
    fields = ends_only(x=[1, 2, 3, 4], y=[5, 6, 7, 8], z=[1, 2, 3, 4])
    result = rank_sum(Collection.from_curves(fields, ["C01"]))
    # Three pairs: p = 2/70 twice and 1; Holm makes 6/70 of the smallest, which is no win.
    rows = result.table().to_dicts()
    assert rows[0]["y"] == "≈"
    assert rows[0]["p y"] == pytest.approx(6 / 70)
    assert rows[-1] == {"problem": "+/≈/-", "y": "0/1/0", "p y": None, "z": "0/1/0", "p z": None}
    assert list(result.table("z").to_dicts()[0]) == ["problem", "x", "p x", "y", "p y"]


def consistent_score(problems):
    """Return a score in which x beats y beats z everywhere."""
    fields = ends_only(x=[1, 1], y=[2, 2], z=[3, 3])
    return uscore({name: np.repeat(array, problems, axis=0) for name, array in fields.items()})


def test_friedman_on_a_worked_case():
    # Ranks 1, 2, 3 on 4 problems: chi-square = 12 * 4 / (3 * 4) * (1 + 0 + 1) = 8, two degrees
    # of freedom: p = exp(-4).
    result = friedman(consistent_score(4))
    assert result.mean_ranks.tolist() == [1.0, 2.0, 3.0]
    assert result.statistic == pytest.approx(8.0)
    assert result.p == pytest.approx(math.exp(-4))
    # q(0.05, 3) = 2.343 in the tables of the Nemenyi test
    assert result.critical_difference == pytest.approx(2.343 * math.sqrt(12 / 24), abs=5e-4)
    assert result.groups() == [("x", "y"), ("y", "z")]
    assert "not distinguished: x, y; y, z" in result.to_markdown()


@pytest.mark.parametrize(
    ("m", "q"), [(3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (8, 3.031), (10, 3.164)]
)
def test_critical_values_agree_with_the_published_table(m, q):
    # Critical values of the two-tailed Nemenyi test at 0.05 in Demsar (2006), table 5.
    fields = ends_only(**{f"a{i}": [float(i)] for i in range(m)})
    score = uscore({name: np.repeat(array, 2, axis=0) for name, array in fields.items()})
    expected = q * math.sqrt(m * (m + 1) / 12)
    assert friedman(score).critical_difference == pytest.approx(expected, rel=5e-4)


def test_friedman_of_ties_only():
    fields = ends_only(x=[1.0], y=[1.0], z=[1.0])
    score = uscore({name: np.repeat(array, 3, axis=0) for name, array in fields.items()})
    result = friedman(score)
    assert (result.statistic, result.p) == (0.0, 1.0)
    assert result.groups() == [("x", "y", "z")]


def test_friedman_needs_three_algorithms():
    with pytest.raises(ValueError, match=r"3 algorithms.*got 2 and 1"):
        friedman(uscore(ends_only(x=[1.0], y=[2.0])))


def test_groups_are_the_largest_ones():
    result = Friedman(("d", "a", "c", "b"), 9, np.array([4.0, 1.0, 2.4, 1.5]), 0, 0, 1.0, 0.05)
    assert result.groups() == [("a", "b"), ("b", "c"), ("d",)]


def shared_seeds():
    """Series x and y on C01: y is the same until the end, where a late step differs by seed."""
    start = [[np.nan, 5.0], [3.0, 0.0]]
    x_ends = {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0, 6: 1.0}
    y_ends = {1: 2.0, 2: 2.0, 3: 2.5, 4: 1.0, 5: 0.5, 7: 0.0}
    for label, finals in (("x", x_ends), ("y", y_ends)):
        for seed, final in finals.items():
            yield make_record(label, 1, seed, [*start, [final, 0.0]])


def test_paired_comparison():
    result = paired(collect(shared_seeds()), "x", "y")
    assert result.n_pairs.tolist() == [5]  # seeds 6 and 7 have no partner
    assert result.identical.tolist() == [1]
    assert result.accuracy.tolist() == [[3, 1, 1]]
    # Both reach the worse end at the last sample, so that every speed point is shared.
    assert result.speed.tolist() == [[0, 5, 0]]
    # Sign test, 3 of 4: 2 * (C(4,3) + C(4,4)) / 2^4
    assert result.p[0] == pytest.approx(10 / 16)
    assert result.p_all == pytest.approx(10 / 16)
    assert result.difference.tolist() == [-1.0]  # the median of -1, -1, -1.5, 0, 0.5
    other = paired(collect(shared_seeds()), "y", "x")
    assert other.accuracy.tolist() == [[1, 1, 3]]
    row = result.table().to_dicts()[-1]
    assert (row["problem"], row["pairs"], row["accuracy +"]) == ("Total", 5, 3)


def test_paired_speed():
    fast = make_record("x", 1, 1, [[2.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
    slow = make_record("y", 1, 1, [[3.0, 0.0], [3.0, 0.0], [2.0, 0.0]])
    result = paired(collect([fast, slow]), "x", "y")
    assert result.speed.tolist() == [[1, 0, 0]]


def test_paired_comparison_of_infeasible_ends():
    x = make_record("x", 17, 1, [[np.nan, 5.0], [np.nan, 2.0]])
    y = make_record("y", 17, 1, [[np.nan, 5.0], [np.nan, 3.0]])
    result = paired(collect([x, y]), "x", "y")
    assert result.accuracy.tolist() == [[1, 0, 0]]
    assert np.isnan(result.difference[0])
    assert result.table().to_dicts()[0]["median difference"] is None


def test_paired_comparison_needs_shared_seeds():
    records = [make_record("x", 1, 1), make_record("y", 1, 2)]
    with pytest.raises(ValueError, match="x and y share no seed on C01"):
        paired(collect(records), "x", "y")
    with pytest.raises(ValueError, match="needs seeds"):
        paired(collection_of(x=[1.0], y=[2.0]), "x", "y")
