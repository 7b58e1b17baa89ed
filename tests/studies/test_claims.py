import numpy as np
import pytest

from de2ls.scores import Bootstrap, Estimate, Score
from de2ls.studies.claims import (
    DOES_NOT_HOLD,
    HOLDS,
    OPEN,
    amounts,
    claims_table,
    exceeds,
    gain,
    lead,
    prediction,
    share,
)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 5, HOLDS), (-5, -0.1, DOES_NOT_HOLD), (-1, 5, OPEN), (0, 5, OPEN), (-5, 0, OPEN)],
)
def test_larger_is_decided_by_the_side_of_the_level(low, high, verdict):
    estimate = Estimate((low + high) / 2, low, high)
    assert exceeds("a > b", estimate, None).verdict == verdict
    shifted = Estimate(*(value + 50 for value in estimate))
    assert exceeds("a > b", shifted, None, level=50).verdict == verdict


def test_a_size_is_judged_by_what_a_second_draw_could_reach():
    near = Estimate(6.0, 4.0, 8.0)  # a second draw: 6 - 2.83 .. 6 + 2.83
    assert amounts("size", near, 8.7).verdict == HOLDS
    assert amounts("size", near, 8.9).verdict == DOES_NOT_HOLD
    assert amounts("size", near, 3.1).verdict == DOES_NOT_HOLD
    wide = Estimate(2.0, -3.0, 7.0)
    assert amounts("size", wide, 5.0).verdict == OPEN  # it could reach both
    assert amounts("size", wide, 9.5).verdict == DOES_NOT_HOLD


def test_two_draws_differ_with_twice_the_variance():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 200_000))
    reach = prediction(Estimate(0.0, -1.959964, 1.959964)).high
    assert abs(np.mean(abs(first - second) > reach) - 0.05) < 0.002  # four standard errors


def made(accuracy, speed, samples):
    """Return a bootstrap of one problem with given points and resamples of the total."""
    total = np.add(accuracy, speed)
    score = Score("cec2026", ("a", "b", "c"), ("C01",), 2, np.array([total], dtype=float),
                  np.array([accuracy], dtype=float), np.array([speed], dtype=float))  # fmt: skip
    return Bootstrap(
        score, 0, {"total": np.array(samples, float), "rank": np.array(samples, float)}
    )


def test_gain_and_lead_come_from_the_resamples():
    samples = [[10.0, 8.0, 4.0]] * 500 + [[12.0, 8.0, 11.0]] * 500
    bootstrap = made([6, 4, 3], [5, 4, 4], samples)
    found = gain(bootstrap, "total", "a", "b")
    assert found == (pytest.approx(37.5), pytest.approx(25.0), pytest.approx(50.0))
    # a - b is 2 or 4, a - c is 6 or 1; the points themselves are 11, 8 and 7.
    assert lead(bootstrap, "total", "a", ["b"]) == (3.0, 2.0, 4.0)
    assert lead(bootstrap, "total", "a", ["b", "c"]) == (3.0, 1.0, 4.0)
    # Few ranks are good: a has rank 1, b and c have 2 and 3.
    assert lead(bootstrap, "rank", "a", ["b", "c"]).value == 1.0


def test_one_rival_of_many_is_ahead_only_beyond_a_higher_level():
    # b is ahead of a in 98 % of the resamples: enough against one rival, too few against two.
    samples = [[10.0, 11.0, 1.0]] * 980 + [[10.0, 9.0, 1.0]] * 20
    bootstrap = made([6, 6, 1], [4, 5, 0], samples)
    assert exceeds("a leads", lead(bootstrap, "total", "a", ["b"]), None).verdict == DOES_NOT_HOLD
    assert exceeds("a leads", lead(bootstrap, "total", "a", ["b", "c"]), None).verdict == OPEN


def test_shares_have_exact_intervals():
    # Clopper and Pearson: with none of n the upper limit is 1 - (alpha / 2) ** (1 / n).
    value, low, high = share(0, 25)
    assert (value, low) == (0.0, 0.0)
    assert high == pytest.approx(100 * (1 - 0.025 ** (1 / 25)))
    assert share(0, 0)[1:] == (0.0, 100.0)


def test_the_table_says_at_how_many_runs_a_claim_is_open():
    open_ = Estimate(0.0, -1.0, 1.0)
    claims = [
        exceeds("first", open_, 5.0),
        exceeds("second", open_, None, runs=100),
        exceeds("third", Estimate(2.0, 1.0, 3.0), None),
    ]
    table = claims_table("claims", claims, 25, ["careful"])
    assert [row[-1] for row in table.rows] == [
        *("cannot be decided at 25 runs", "cannot be decided at 100 runs", "holds")
    ]
    assert table.notes[-1] == "careful"


def test_one_run_decides_nothing_and_a_share_of_nothing_is_not_shown():
    claims = [exceeds("first", Estimate(2.0, 2.0, 2.0), None), exceeds("second", share(0, 0), None)]
    table = claims_table("claims", claims, 1)
    assert [row[-1] for row in table.rows] == ["cannot be decided at 1 run"] * 2
    assert [row[1] for row in table.rows] == [Estimate(2.0, 2.0, 2.0), None]
