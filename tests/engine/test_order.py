"""The eps-order and its incremental updates, against a full sort by the definition."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from de2ls.engine import order
from de2ls.engine.state import MEMBER
from tests.helpers import compiled

FEW = st.sampled_from([0.0, 0.5, 1.0, 2.0])  # few values, so that ties abound
POINT = st.tuples(
    st.one_of(FEW, st.sampled_from([-np.inf, np.inf, -1.0])), st.one_of(FEW, st.just(np.inf))
)
POINTS = st.lists(POINT, min_size=1, max_size=12)
EPS = st.one_of(FEW, st.just(np.inf), st.just(0.7))


def members(points: list[tuple[float, float]]) -> np.ndarray:
    result = np.zeros(len(points), MEMBER)
    result["f"] = [f for f, _ in points]
    result["v"] = [v for _, v in points]
    return result


def full_sort(found: np.ndarray, positions: Any, eps: float) -> list[int]:
    """Return the positions, best first: v <= eps by f, the others by v, ties by position."""

    def key(i: int) -> tuple[bool, float, int]:
        within = found["v"][i] <= eps
        return (not within, float(found["f"][i] if within else found["v"][i]), -i)

    return sorted(positions, key=key)


@given(POINTS, EPS, st.randoms(use_true_random=False))
def test_sort_gives_the_eps_order_from_any_start(
    points: list[tuple[float, float]], eps: float, shuffler: Any
) -> None:
    found, start = members(points), list(range(len(points)))
    shuffler.shuffle(start)
    ranks = np.array([*start, -7])  # one entry behind the n sorted ones
    compiled(order.sort)(found, ranks, len(points), eps)
    assert ranks.tolist() == [*full_sort(found, range(len(points)), eps), -7]


def test_order_by_hand() -> None:
    """eps = 1: positions 1, 3, 4 within; 0, 2, 5 beyond. Ties 3 = 4 in f and 0 = 5 in v."""
    found = members([(-9.0, 3.0), (5.0, 1.0), (0.0, 2.0), (4.0, 0.0), (4.0, 0.5), (7.0, 3.0)])
    ranks = np.arange(6)
    compiled(order.sort)(found, ranks, 6, 1.0)
    assert ranks.tolist() == [4, 3, 1, 2, 5, 0]


@given(POINT, POINT)
def test_superior_compares_violations_first(a: tuple[float, float], b: tuple[float, float]) -> None:
    assert compiled(order.superior)(*a, *b) == ((a[1], a[0]) < (b[1], b[0]))


@given(POINTS, EPS)
def test_precedes_is_a_strict_total_order(points: list[tuple[float, float]], eps: float) -> None:
    ranks = {i: r for r, i in enumerate(full_sort(members(points), range(len(points)), eps))}
    for a, (fa, va) in enumerate(points):
        for b, (fb, vb) in enumerate(points):
            before = compiled(order.precedes)(fa, va, a, fb, vb, b, eps)
            assert before == (ranks[a] < ranks[b])


@given(POINTS, EPS, st.lists(st.tuples(st.integers(0, 11), POINT), max_size=20))
def test_any_replacements_keep_the_order_of_a_full_sort(
    points: list[tuple[float, float]],
    eps: float,
    replacements: list[tuple[int, tuple[float, float]]],
) -> None:
    n, found = len(points), members(points)
    ranks = np.arange(n)
    compiled(order.sort)(found, ranks, n, eps)
    for position, (f, v) in replacements:
        slot = position % n
        old = compiled(order.rank_in)(found, ranks, n, slot, eps)
        assert ranks[old] == slot
        found[slot]["f"], found[slot]["v"] = f, v
        compiled(order.update)(found, ranks, n, old, eps)
        assert ranks.tolist() == full_sort(found, range(n), eps)


@given(POINTS, EPS)
def test_insertions_one_by_one_give_the_order(
    points: list[tuple[float, float]], eps: float
) -> None:
    found, ranks = members(points), np.full(len(points), -1)
    for i in range(len(points)):
        compiled(order.insert)(found, ranks, i, i, eps)
        assert ranks[: i + 1].tolist() == full_sort(found, range(i + 1), eps)


@given(POINTS, EPS, st.integers(0, 12))
def test_two_orders_merge_into_one(points: list[tuple[float, float]], eps: float, cut: int) -> None:
    """As survivors (lower positions) and successes (higher ones) do at a generation's end."""
    found, total = members(points), len(points)
    n = min(cut, total)
    first = np.array(full_sort(found, range(n), eps), np.int64)
    second = np.array(full_sort(found, range(n, total), eps), np.int64)
    merged = np.full(total, -1)
    compiled(order.merge)(found, first, n, second, total - n, merged, eps)
    assert merged.tolist() == full_sort(found, range(total), eps)
