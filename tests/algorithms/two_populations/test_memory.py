"""The success-history memory: weighted Lehmer means by hand, degenerate cases, range."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from de2ls.algorithms.two_populations.generation import blend
from tests.helpers import compiled

CELL = np.dtype([("cr", "f8"), ("f", "f8")])
SUCCESS = np.dtype([("cr", "f8"), ("f", "f8"), ("weight", "f8")])
Success = tuple[float, float, float]


def learn(
    successes: list[Success], cursor: int = 0, rate: float = 0.5, cells: int = 5
) -> tuple[np.ndarray, int]:
    """Return a memory (CR 1, F 0.3) and its cursor after one generation's successes."""
    found = np.zeros(cells, CELL)
    found["cr"], found["f"] = 1.0, 0.3
    record = np.array(successes, SUCCESS)
    next_cursor = compiled(blend)(found, cursor, record, len(successes), rate)
    return found, next_cursor


def test_lehmer_mean_by_hand() -> None:
    """Weights 1/4, 3/4; CR: (1/4 0.04 + 3/4 0.36) / (1/4 0.2 + 3/4 0.6) = 0.28 / 0.5 = 0.56.

    F: (1/4 0.25 + 3/4 0.01) / (1/4 0.5 + 3/4 0.1) = 0.07 / 0.2 = 0.35.
    """
    found, cursor = learn([(0.2, 0.5, 2.0), (0.6, 0.1, 6.0)], cursor=2)
    assert found["cr"] == pytest.approx([1.0, 1.0, 0.78, 1.0, 1.0], abs=1e-15)
    assert found["f"] == pytest.approx([0.3, 0.3, 0.325, 0.3, 0.3], abs=1e-15)
    assert cursor == 3


def test_cursor_wraps_at_the_number_of_cells() -> None:
    assert learn([(0.5, 0.5, 1.0)], cursor=4)[1] == 0
    assert learn([(0.5, 0.5, 1.0)], cursor=0, cells=1)[1] == 0


def test_only_the_counted_successes_are_used() -> None:
    found = np.zeros(5, CELL)
    record = np.array([(0.5, 0.5, 1.0), (0.9, 0.9, 100.0)], SUCCESS)
    compiled(blend)(found, 0, record, 1, 0.5)
    assert found[0]["cr"] == found[0]["f"] == 0.25


def test_all_weights_zero_gives_the_mean_one() -> None:
    found, _ = learn([(0.2, 0.1, 0.0), (0.4, 0.2, 0.0)])
    assert found[0]["cr"] == 1.0
    assert found[0]["f"] == 0.65


def test_vanishing_denominator_gives_the_mean_one() -> None:
    """Each of CR and F by itself: sum w x of 1e-8 is too small, 2e-8 is not."""
    found, _ = learn([(0.2, 1e-8, 1.0)])
    assert found[0]["cr"] == pytest.approx(0.6)
    assert found[0]["f"] == 0.65
    found, _ = learn([(0.2, 2e-8, 1.0)])
    assert found[0]["f"] == pytest.approx(0.15 + 1e-8)
    found, _ = learn([(0.2, 0.0, 1.0)])
    assert found[0]["f"] == 0.65


def test_tiny_weights_count_relative_to_each_other() -> None:
    found, _ = learn([(0.2, 0.5, 2e-200), (0.6, 0.1, 6e-200)])
    assert found[0]["cr"] == pytest.approx(0.78)


@pytest.mark.parametrize("weight", [np.inf, np.nan])
def test_weights_without_a_finite_value_are_left_out(weight: float) -> None:
    found, cursor = learn([(0.2, 0.5, 1.0), (0.9, 0.9, weight)])
    expected, _ = learn([(0.2, 0.5, 1.0)])
    assert (found == expected).all()
    assert cursor == 1


@pytest.mark.parametrize(("rate", "cr"), [(0.0, 1.0), (0.25, 0.8), (1.0, 0.2)])
def test_rate_is_the_weight_of_the_new_mean(rate: float, cr: float) -> None:
    assert learn([(0.2, 0.5, 1.0)], rate=rate)[0][0]["cr"] == pytest.approx(cr)


@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 1.0),
            st.floats(0.0, 1.0),
            st.one_of(st.floats(0.0, np.inf), st.just(np.nan)),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_memory_stays_in_the_unit_interval(successes: list[Success]) -> None:
    found, _ = learn(successes)
    for name in ("cr", "f"):
        assert (found[name] >= 0.0).all()
        assert (found[name] <= 1.0).all()
