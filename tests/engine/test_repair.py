"""Bound repair of a coordinate."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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
