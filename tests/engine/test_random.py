"""The draws against plain integers, exact weights and SciPy's distributions.

Distribution tests use fixed seeds. Level: p > 1e-3, so that a draw from the right distribution
would fail one such test in a thousand seeds; with 200,000 draws a Kolmogorov-Smirnov distance of
0.0044 is already rejected.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from de2ls.engine import random
from tests.engine.support import draws, state_that_draws, xoshiro
from tests.helpers import compiled

LEVEL = 1e-3
COUNT = 200_000
WORDS = st.integers(0, 2**64 - 1)
LAST = 2**53 - 1  # numerator of the largest uniform draw


# --- bits and uniform numbers ---------------------------------------------------------------------


def test_bits_are_those_of_the_published_generator() -> None:
    """The first ten outputs from the state 1, 2, 3, 4, as public implementations list them."""
    rng = np.array([1, 2, 3, 4], np.uint64)
    assert [int(compiled(random.next_bits)(rng)) for _ in range(10)] == [
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625,
        8476171486693032832,
        10595114339597558777,
        2904607092377533576,
    ]


@given(st.lists(WORDS, min_size=4, max_size=4))
def test_bits_and_state_follow_the_recurrence(words: list[int]) -> None:
    rng = np.array(words, np.uint64)
    for _ in range(5):
        assert int(compiled(random.next_bits)(rng)) == xoshiro(words)
        assert rng.tolist() == words


def test_many_uniform_numbers_are_those_drawn_one_by_one() -> None:
    one, many, out = random.seed_state(5), random.seed_state(5), np.empty(9)
    compiled(random.uniforms)(many, out)
    assert out.tolist() == [compiled(random.uniform)(one) for _ in range(9)]
    assert many.tolist() == one.tolist()


@given(st.integers(0, LAST))
@example(0)
@example(LAST)
def test_uniform_takes_the_upper_53_bits(numerator: int) -> None:
    u = compiled(random.uniform)(state_that_draws(numerator))
    assert u == numerator / 2**53
    assert 0.0 <= u < 1.0


def test_uniform_distribution() -> None:
    sample = draws(random.uniform, 1, COUNT)
    assert stats.kstest(sample, "uniform").pvalue > LEVEL
    # also the low digits: fractions of 1000 u, and pairs of successive draws
    assert stats.kstest(1000.0 * sample % 1.0, "uniform").pvalue > LEVEL
    cells = (16 * sample[::2]).astype(int) * 16 + (16 * sample[1::2]).astype(int)
    assert stats.chisquare(np.bincount(cells, minlength=256)).pvalue > LEVEL


def test_seeds_give_the_states_of_numpys_seed_sequence() -> None:
    for seed in (0, 1, 2**200):
        expected = np.random.SeedSequence(seed).generate_state(4, np.uint64)
        assert_array_equal(random.seed_state(seed), expected)
        assert random.seed_state(seed).dtype == np.uint64


@given(st.integers(0, LAST), st.integers(1, 10_000))
@example(LAST, 3)
def test_integer_is_the_truncated_share(numerator: int, count: int) -> None:
    value = compiled(random.integer)(state_that_draws(numerator), count)
    exact = Fraction(numerator, 2**53) * count
    # rounding the product may carry a draw just below a whole number over to it
    assert value in {math.floor(exact), math.floor(exact + Fraction(count, 2**53))}
    assert 0 <= value < count


@pytest.mark.parametrize("count", [2, 5, 30, 300])
def test_integer_distribution(count: int) -> None:
    sample = draws(random.integer, count, COUNT, count).astype(int)
    assert stats.chisquare(np.bincount(sample, minlength=count)).pvalue > LEVEL


@pytest.mark.parametrize("excluded", [(0, 0, 0), (1, 4, 1), (0, 2, 5)])
def test_integer_except_is_uniform_over_the_rest(excluded: tuple[int, int, int]) -> None:
    sample = draws(random.integer_except, 11, COUNT, 6, *excluded).astype(int)
    rest = sorted(set(range(6)) - set(excluded))
    assert set(sample.tolist()) == set(rest)
    assert stats.chisquare(np.bincount(sample, minlength=6)[rest]).pvalue > LEVEL


# --- normal and Cauchy ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mean", "deviation"), [(0.0, 1.0), (0.7, 0.05), (-3.0, 2.0)])
def test_normal_distribution(mean: float, deviation: float) -> None:
    sample = draws(random.normal, 2, COUNT, mean, deviation)
    assert stats.kstest(sample, stats.norm(mean, deviation).cdf).pvalue > LEVEL
    # the tails, which the distance above hardly sees: shares beyond 3 deviations
    beyond = int((np.abs(sample - mean) > 3.0 * deviation).sum())
    assert stats.binomtest(beyond, COUNT, 2.0 * stats.norm.sf(3.0)).pvalue > LEVEL


def test_normal_without_deviation_is_its_mean() -> None:
    assert set(draws(random.normal, 3, 100, 0.25, 0.0)) == {0.25}


@pytest.mark.parametrize(("location", "scale"), [(0.0, 1.0), (0.3, 0.1), (-40.0, 7.0)])
def test_cauchy_distribution(location: float, scale: float) -> None:
    sample = draws(random.cauchy, 4, COUNT, location, scale)
    assert stats.kstest(sample, stats.cauchy(location, scale).cdf).pvalue > LEVEL
    beyond = int((np.abs(sample - location) > 100.0 * scale).sum())
    assert stats.binomtest(beyond, COUNT, 2.0 * stats.cauchy.sf(100.0)).pvalue > LEVEL
    assert np.isfinite(sample).all()


@pytest.mark.parametrize("mean", [0.0, 0.5 ** (1 / 3), 1.0])
def test_normal_in_unit_is_the_truncated_normal(mean: float) -> None:
    sample = draws(random.normal_in_unit, 5, COUNT, mean, 0.05)
    truncated = stats.truncnorm(-mean / 0.05, (1.0 - mean) / 0.05, mean, 0.05)
    assert stats.kstest(sample, truncated.cdf).pvalue > LEVEL
    assert sample.min() >= 0.0
    assert sample.max() <= 1.0


@pytest.mark.parametrize("location", [0.0, 0.3, 1.0])
def test_cauchy_in_unit_is_the_truncated_cauchy(location: float) -> None:
    sample = draws(random.cauchy_in_unit, 6, COUNT, location, 0.1)
    whole = stats.cauchy(location, 0.1)
    inside = whole.cdf(1.0) - whole.cdf(0.0)
    cdf = lambda x: (whole.cdf(x) - whole.cdf(0.0)) / inside  # noqa: E731
    assert stats.kstest(sample, cdf).pvalue > LEVEL
    assert sample.min() >= 0.0
    assert sample.max() <= 1.0


@pytest.mark.parametrize("mean", [0.0, 0.9, 1.0])
def test_normal_clipped_has_the_tails_mass_on_the_bounds(mean: float) -> None:
    sample = draws(random.normal_clipped, 7, COUNT, mean, 0.1)
    whole = stats.norm(mean, 0.1)
    for bound, mass in ((0.0, whole.cdf(0.0)), (1.0, whole.sf(1.0))):
        at_bound = int((sample == bound).sum())
        assert stats.binomtest(at_bound, COUNT, mass).pvalue > LEVEL
    inside = sample[(sample > 0.0) & (sample < 1.0)]
    truncated = stats.truncnorm(-mean / 0.1, (1.0 - mean) / 0.1, mean, 0.1)
    assert stats.kstest(inside, truncated.cdf).pvalue > LEVEL
    assert sample.min() >= 0.0
    assert sample.max() <= 1.0


# --- ranks ----------------------------------------------------------------------------------------


def exact_rank(u: Fraction, weights: list[float] | list[Fraction]) -> int:
    """Return the first rank whose partial sum of weights exceeds u times the whole sum."""
    total, partial = sum(Fraction(w) for w in weights), Fraction(0)
    for i, weight in enumerate(weights):
        partial += Fraction(weight)
        if partial > u * total:
            return i
    return len(weights) - 1


def near(u: Fraction) -> set[Fraction]:
    """Return u and its neighbours within the rounding errors of the engine's formula."""
    slack = Fraction(1, 2**48)
    return {max(Fraction(0), u - slack), u, min(Fraction(1), u + slack)}


@pytest.mark.parametrize("count", [4, 17, 300])
def test_exponential_rank_distribution(count: int) -> None:
    tail = 1.0 - math.exp(-7.0)
    sample = draws(random.exponential_rank, 8, COUNT, 7.0, tail, count).astype(int)
    weights = np.exp(-7.0 * np.arange(count) / count)
    expected = COUNT * weights / weights.sum()
    assert stats.chisquare(np.bincount(sample, minlength=count), expected).pvalue > LEVEL


@given(st.integers(0, LAST), st.integers(4, 400), st.sampled_from([0.5, 3.0, 7.0]))
@example(LAST, 4, 7.0)
@example(0, 4, 7.0)
def test_exponential_rank_inverts_the_partial_sums(
    numerator: int, count: int, pressure: float
) -> None:
    tail = -math.expm1(-pressure)
    rank = compiled(random.exponential_rank)(state_that_draws(numerator), pressure, tail, count)
    weights = [math.exp(-pressure * i / count) for i in range(count)]
    assert rank in {exact_rank(u, weights) for u in near(Fraction(numerator, 2**53))}


@pytest.mark.parametrize(("total", "count"), [(4, 4), (4, 2), (30, 5), (300, 300)])
def test_linear_rank_distribution(total: int, count: int) -> None:
    sample = draws(random.linear_rank, 9, COUNT, total, count).astype(int)
    weights = (total - np.arange(count)).astype(float)
    expected = COUNT * weights / weights.sum()
    assert stats.chisquare(np.bincount(sample, minlength=count), expected).pvalue > LEVEL


@given(st.integers(0, LAST), st.integers(2, 400), st.data())
def test_linear_rank_inverts_the_partial_sums(
    numerator: int, total: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(2, total))
    rank = compiled(random.linear_rank)(state_that_draws(numerator), total, count)
    weights = [Fraction(total - i) for i in range(count)]
    assert rank in {exact_rank(u, weights) for u in near(Fraction(numerator, 2**53))}


def test_linear_rank_by_hand() -> None:
    """Weights 4, 3, 2, 1: the shares end at 0.4, 0.7, 0.9 and 1."""
    for u, rank in ((0.0, 0), (0.39, 0), (0.41, 1), (0.69, 1), (0.71, 2), (0.89, 2), (0.91, 3)):
        assert compiled(random.linear_rank)(state_that_draws(int(u * 2**53)), 4, 4) == rank
    assert compiled(random.linear_rank)(state_that_draws(LAST), 4, 4) == 3
    # the first two of four have weights 4 and 3: the share of the first ends at 4/7
    for u, rank in ((0.57, 0), (0.575, 1)):
        assert compiled(random.linear_rank)(state_that_draws(int(u * 2**53)), 4, 2) == rank


# --- points ---------------------------------------------------------------------------------------


def test_uniform_point_fills_the_box() -> None:
    box = np.array([[-1.0, 10.0, 0.0], [1.0, 10.5, 1e-300]])
    rng = random.seed_state(10)
    sample = np.empty((2000, 3))
    for x in sample:
        compiled(random.uniform_point)(rng, box, x)
    assert (sample >= box[0]).all()
    assert (sample <= box[1]).all()
    for j in range(3):
        share = (sample[:, j] - box[0, j]) / (box[1, j] - box[0, j])
        assert stats.kstest(share, "uniform").pvalue > LEVEL


@given(st.floats(-1e300, 1e300), st.floats(1e-12, 1e300), st.integers(0, LAST))
@example(0.1, 0.2, LAST)
def test_uniform_point_never_leaves_the_box(low: float, width: float, numerator: int) -> None:
    box = np.array([[low], [max(low + width, np.nextafter(low, np.inf))]])
    x = np.empty(1)
    compiled(random.uniform_point)(state_that_draws(numerator), box, x)
    assert box[0, 0] <= x[0] <= box[1, 0]
