import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from de2ls.scores import Collection, bootstrap, uscore
from de2ls.scores.pairwise import Pairwise
from de2ls.scores.target import Target, mean_ranks

from . import oracle
from .strategies import curves


def ends_only(**finals):
    """Return curves of one problem and one sample with these final objectives."""
    return {
        name: np.stack([np.asarray(E, float), np.zeros(len(E))], axis=1)[None, :, None, :]
        for name, E in finals.items()
    }


@st.composite
def resamples(draw):
    fields = draw(curves())
    cells = [array[0] for array in fields.values()]
    n = len(cells[0])
    drawn = [draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)) for _ in cells]
    return cells, drawn


@settings(max_examples=150, deadline=None)
@given(resamples())
def test_a_resample_scores_as_the_drawn_trials_would(case):
    cells, drawn = case
    n = len(cells[0])
    positions = np.concatenate([np.array(own) + a * n for a, own in enumerate(drawn)])
    # Drawn curves scored pair by pair: a trial drawn twice meets its copy.
    resampled = [cell[own].tolist() for cell, own in zip(cells, drawn, strict=True)]
    accuracy, speed = Pairwise(cells, n, 1e-8).points(positions[None])[:, 0]
    assert (accuracy.tolist(), speed.tolist()) == oracle.cec2026(resampled)
    total = Target(cells, n, 1e-8).points(positions[None])[0, 0]
    assert total.tolist() == oracle.cec2024(resampled)


@pytest.mark.parametrize("protocol", ["cec2026", "cec2024"])
def test_the_score_itself_stands_beside_its_resamples(protocol):
    rng = np.random.default_rng(0)
    fields = {name: np.abs(rng.normal(size=(3, 6, 5, 2))).round(1) for name in "xyz"}
    collection = Collection.from_curves(fields)
    b = bootstrap(collection, protocol, seed=4)
    expected = uscore(fields, protocol)
    assert (b.score.total == expected.total).all()
    assert b.resamples == 1000
    # Invariants hold in every resample: totals over algorithms, ranks.
    pairs = 18 * 17 / 2 * 2 if protocol == "cec2026" else 3 * 6 * 6
    assert (b.samples["total"].sum(axis=1) == 3 * pairs).all()
    assert (b.samples["rank"].sum(axis=1) == 3 * 6).all()
    low, high = b.interval().T
    assert (low <= high).all()
    again = bootstrap(collection, protocol, seed=4)
    assert (again.samples["total"] == b.samples["total"]).all()
    other = bootstrap(collection, protocol, seed=5)
    assert (other.samples["total"] != b.samples["total"]).any()


def test_resamples_vary_as_theory_says():
    # Distinct ends, x and y interleaved; the variance of w'Pw over two independent multinomial
    # draws follows from the rows' and columns' means of P.
    E = np.random.default_rng(3).permutation(50).astype(float)
    x, y = E[:25], E[25:]
    P = (x[:, None] < y).astype(float)
    n = 25
    rows, columns = P.mean(axis=1), P.mean(axis=0)
    interaction = P - rows[:, None] - columns + P.mean()
    # var(sum) = n^3 var(rows) + n^3 var(columns) + n^2 var(interaction), n draws from each
    variance = n**3 * (rows.var() + columns.var()) + n**2 * interaction.var()
    b = bootstrap(Collection.from_curves(ends_only(x=x, y=y)), resamples=20_000)
    sampled = b.samples["accuracy"][:, 0]
    assert sampled.mean() == pytest.approx(P.sum() + 300, abs=4 * math.sqrt(variance / 20_000))
    # relative standard error of a variance from 20,000 nearly normal draws: 1 %
    assert sampled.var() == pytest.approx(variance, rel=0.04)


def test_intervals_cover_the_expected_score():
    # x is normal around 0, y around 0.5; one sample: speed points are all shared.
    n, repeats, shift = 25, 300, 0.5
    rng = np.random.default_rng(11)
    wins = NormalDist().cdf(shift / math.sqrt(2))
    expected = n * (n - 1) / 2 + n * n * wins + (2 * n) * (2 * n - 1) / 4
    covered = 0
    for _ in range(repeats):
        x, y = rng.normal(size=n), rng.normal(shift, size=n)
        low, high = bootstrap(Collection.from_curves(ends_only(x=x, y=y))).interval()[0]
        covered += low <= expected <= high
    # nominal 95 %; four standard errors of 300 repeats are 5 %
    assert covered / repeats >= 0.90


def test_differences_gains_and_superiority():
    rng = np.random.default_rng(8)
    better, worse = rng.random(25), rng.random(25) + 2
    b = bootstrap(Collection.from_curves(ends_only(x=better, y=worse, z=worse)))
    difference = b.difference("x", "y")
    totals = b.score.total.sum(axis=0)
    assert difference.value == totals[0] - totals[1]
    assert difference.low <= difference.value <= difference.high
    assert b.difference("y", "x").value == -difference.value
    gain = b.gain("x", "y")
    assert gain.value == b.score.gain("x", "y")
    assert 0 < gain.low <= gain.value <= gain.high
    above = b.superiority()
    assert above[0, 1] == 1.0
    assert above[1, 0] == 0.0
    assert np.diag(above).tolist() == [0, 0, 0]
    assert 0.3 < above[1, 2] < 0.7  # the same trials, drawn independently
    pairs = b.pairs().to_dicts()
    assert [(row["a"], row["b"]) for row in pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert pairs[0]["P(a > b)"] == 1.0
    assert pairs[0]["gain % low"] == gain.low


def test_ties_throughout_leave_nothing_to_chance():
    b = bootstrap(Collection.from_curves(ends_only(x=np.ones(12), y=np.ones(12))))
    assert (b.interval()[0] == b.score.total[0, 0]).all()
    assert b.superiority().tolist() == [[0, 0], [0, 0]]
    assert b.warnings == ()


def test_few_trials_are_warned_of():
    b = bootstrap(Collection.from_curves(ends_only(x=[1.0], y=[2.0])))
    assert b.warnings == ("only 1 trial per cell: these intervals are too narrow",)
    assert b.warnings[0] in b.to_markdown()


def test_the_table_carries_intervals():
    rng = np.random.default_rng(1)
    b = bootstrap(Collection.from_curves(ends_only(x=rng.random(12), y=rng.random(12))))
    (row,) = [row for row in b.table().to_dicts() if row["algorithm"] == "y"]
    assert row["U-score"] == b.score.total.sum(axis=0)[1]
    assert [row["U-score low"], row["U-score high"]] == b.interval()[1].tolist()
    assert [row["rank sum low"], row["rank sum high"]] == b.interval("rank")[1].tolist()


def test_bad_arguments_are_refused():
    collection = Collection.from_curves(ends_only(x=[1.0], y=[2.0]))
    with pytest.raises(ValueError, match="resamples"):
        bootstrap(collection, resamples=999)
    with pytest.raises(ValueError, match="seed must be"):
        bootstrap(collection, seed=-1)
    with pytest.raises(ValueError, match="part must be one of"):
        bootstrap(collection).interval("totals")
    with pytest.raises(ValueError, match="level must be"):
        bootstrap(collection).interval(level=95)


def test_mean_ranks():
    from scipy.stats import rankdata

    values = np.random.default_rng(0).integers(0, 5, (4, 3, 9))
    np.testing.assert_array_equal(mean_ranks(values), rankdata(values, axis=-1))


def test_resampling_depends_on_values_and_seed_only():
    # names, the order of series, of problems and of trials have no part in an interval
    rng = np.random.default_rng(5)
    fields = {name: np.abs(rng.normal(size=(3, 6, 5, 2))).round(1) for name in "xyz"}
    fields["y"][1] = fields["x"][1]  # two series that coincide on one problem
    before = bootstrap(Collection.from_curves(fields), seed=2)
    mixed = {f"new {name}": fields[name][[2, 0, 1]][:, rng.permutation(6)] for name in "zyx"}
    after = bootstrap(Collection.from_curves(mixed), seed=2)
    for part in before.samples:
        assert (after.interval(part)[::-1] == before.interval(part)).all()
        assert (after.samples[part][:, ::-1] == before.samples[part]).all()


def test_bits_that_mean_the_same_give_the_same_draws():
    x, y = np.array([1.0, 0.0, 2.0, 3.0]), np.array([1.5, 0.0, 2.5, 4.0])
    plain = ends_only(x=x, y=y)
    signed = ends_only(x=x, y=y)
    signed["x"][0, 1, 0, 0] = -0.0
    first, second = (bootstrap(Collection.from_curves(fields)) for fields in (plain, signed))
    assert (first.samples["total"] == second.samples["total"]).all()


def test_no_interval_excludes_its_estimate():
    # On every problem x is a little worse, so that its rank sum is the largest there is; resamples
    # turn many of them round, and all of them have a smaller one.
    one = ends_only(y=[0, 3, 4, 7, 8], x=[1, 2, 5, 6, 9])  # y wins 13 pairs of 25
    fields = {name: np.repeat(curves, 31, axis=0) for name, curves in one.items()}
    b = bootstrap(Collection.from_curves(fields))
    assert b.score.sums()["rank"][1] == 62
    assert np.quantile(b.samples["rank"][:, 1], 0.975) < 62
    for part, sums in b.score.sums().items():
        low, high = b.interval(part).T
        assert (low <= sums).all()
        assert (sums <= high).all()
    for estimate in (b.difference("x", "y"), b.gain("x", "y")):
        assert estimate.low <= estimate.value <= estimate.high


def test_resamples_are_bounded():
    collection = Collection.from_curves(ends_only(x=[1.0], y=[2.0]))
    with pytest.raises(ValueError, match="resamples"):
        bootstrap(collection, resamples=999_999_999_999)
