"""SciPy is the reference of the distributions that the package has itself, for their speed."""

import numpy as np
import pytest
from scipy import stats

from de2ls.scores.distributions import chi_square_above, normal_two_sided, studentized_range
from de2ls.scores.statistics import mann_whitney
from de2ls.scores.target import mean_ranks


@pytest.mark.parametrize("z", [-0.1, 0.0, 0.3, 1.96, 8.0, 30.0])
def test_normal(z):
    expected = min(1.0, 2 * stats.norm.sf(z))
    assert normal_two_sided(z) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("freedom", [1, 2, 3, 6, 7, 30])
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 5.0, 80.0, 900.0])
def test_chi_square(x, freedom):
    assert chi_square_above(x, freedom) == pytest.approx(stats.chi2.sf(x, freedom), rel=1e-12)


@pytest.mark.parametrize("count", [2, 3, 7, 20, 100])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 0.999])
def test_studentized_range(level, count):
    expected = stats.studentized_range.ppf(level, count, np.inf)
    assert studentized_range(level, count) == pytest.approx(expected, rel=1e-9)


def test_mann_whitney():
    rng = np.random.default_rng(1)
    for _ in range(200):  # few and many trials, with ties and without
        n, m, values = rng.integers(2, [30, 30, 400])
        x, y = rng.integers(0, values, n), rng.integers(0, values, m) + 1
        test = stats.mannwhitneyu(x, y)
        U, p = mann_whitney(x, y)
        assert test.statistic == U
        assert p == pytest.approx(test.pvalue, rel=1e-12)


@pytest.mark.parametrize("shape", [(1,), (9,), (4, 1), (50, 7), (2, 3, 5)])
def test_mean_ranks(shape):
    values = np.random.default_rng(2).integers(0, 5, shape)
    np.testing.assert_array_equal(mean_ranks(values), stats.rankdata(values, axis=-1))
