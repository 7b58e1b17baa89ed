"""Bound repair of a coordinate, and the population size that is due."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from de2ls.engine.reduction import linear_size
from de2ls.engine.repair import toward_bound
from tests.helpers import compiled

NUMBER = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("value", "parent", "expected"),
    [
        (-3.0, 1.0, -0.5),  # (1 - 2) / 2
        (9.0, 1.0, 3.0),  # (1 + 5) / 2
        (-2.0, 1.0, -2.0),  # a bound is inside
        (5.0, 1.0, 5.0),
        (4.9, 1.0, 4.9),
        (-2.5, -2.0, -2.0),  # parent on the bound
        (-np.inf, 1.0, -0.5),
        (np.inf, 1.0, 3.0),
        (-9.0, -6.0, -4.0),  # a parent outside (box="published"): the midpoint all the same
        (7.0, 8.0, 6.5),
        (-3.0, 8.0, 3.0),
    ],
)
def test_midpoint_by_hand(value: float, parent: float, expected: float) -> None:
    assert compiled(toward_bound)(value, parent, -2.0, 5.0, 0.5) == expected


def test_mix_is_the_weight_of_the_bound() -> None:
    assert compiled(toward_bound)(-9.0, 3.0, -2.0, 5.0, 0.21) == pytest.approx(0.79 * 3.0 - 0.42)
    assert compiled(toward_bound)(9.0, 3.0, -2.0, 5.0, 0.21) == pytest.approx(0.79 * 3.0 + 1.05)


@given(NUMBER, NUMBER, st.floats(0.0, 1e6), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
@example(1.0, 0.1, 0.2, 0.0, 0.21)
@example(-1.0, 0.1, 0.2, 0.0, 0.21)
@example(7.0, 0.3, 0.4, 1.0, 0.9)
@example(0.0, 430185.53866962186, 0.0, 0.0, 0.609375)  # a box without width
def test_repaired_values_lie_in_the_box(
    value: float, low: float, width: float, share: float, mix: float
) -> None:
    high = low + width
    parent = min(high, low + share * width)
    repaired = compiled(toward_bound)(value, parent, low, high, mix)
    assert low <= repaired <= high
    if low <= value <= high:
        assert repaired == value


@pytest.mark.parametrize(
    ("n", "size"),
    [
        (0, 300),
        (600, 299),  # 300 - 296 600 / 600000 = 299.704
        (2027, 299),  # 299.00001...
        (2028, 298),  # 298.9995...
        (300_000, 152),
        (599_999, 4),  # 4.0005
        (600_000, 4),
    ],
)
def test_size_by_hand(n: int, size: int) -> None:
    assert compiled(linear_size)(300, 4, n, 600_000) == size


@given(st.integers(4, 1000), st.integers(8, 10**7), st.data())
def test_size_falls_and_never_below_the_smallest(n0: int, budget: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, budget - 1))
    now, then = (compiled(linear_size)(n0, 4, m, budget) for m in (n, n + 1))
    assert 4 <= then <= now <= n0
    assert now == (n0 * budget + (4 - n0) * n) // budget  # exact integer arithmetic
