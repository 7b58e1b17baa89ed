"""The epsilon level: its index, and the selection of an order statistic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from de2ls.algorithms.two_populations import generation
from de2ls.engine.state import MEMBER
from tests.helpers import compiled

VALUES = st.one_of(
    st.lists(st.floats(0.0, np.inf), min_size=1, max_size=40),
    st.lists(st.sampled_from([0.0, 1.0, 2.0, np.inf]), min_size=1, max_size=40),
)


@pytest.mark.parametrize(
    ("n", "p", "index"),
    [
        (300, 0.0005, 239),  # 240 (0.9995)^2 = 239.76
        (300, 0.5, 60),  # 240 / 4
        (10, 0.5, 2),
        (9, 0.5, 1),  # 1.8
        (4, 0.79, 0),  # 3.2 (0.21)^2 = 0.14
        (4, 1.0, 0),
    ],
)
def test_index_by_hand(n: int, p: float, index: int) -> None:
    assert compiled(generation.level_index)(n, p, 0.8) == index


@given(VALUES, st.data())
def test_select_is_an_entry_of_the_sorted_values(values: list[float], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(values)))
    k = data.draw(st.integers(0, n - 1))
    scratch = np.array(values)
    assert compiled(generation.select)(scratch, n, k) == sorted(values[:n])[k]
    assert scratch[n:].tolist() == values[n:]  # what lies behind is left alone


@given(VALUES, st.data())
def test_level_takes_the_violations_of_the_first_members(
    values: list[float], data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, len(values)))
    k = data.draw(st.integers(0, n - 1))
    members = np.zeros(len(values), MEMBER)
    members["v"] = values
    members["f"] = -np.arange(len(values))
    before = members.copy()
    level = compiled(generation.level)(members, n, k, np.empty(len(values)))
    assert level == sorted(values[:n])[k]
    assert (members == before).all()
