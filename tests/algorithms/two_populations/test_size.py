"""The population size that is due."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from de2ls.algorithms.two_populations.generation import linear_size
from tests.helpers import compiled


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
