"""Borrowed arrays: the same memory, no reference counts."""

import sys
from typing import Any, NamedTuple

import numba
import numpy as np

from de2ls.jit.borrow import borrow


class Pair(NamedTuple):
    numbers: np.ndarray
    records: np.ndarray


@numba.njit
def add(pair: Any, times: int) -> float:
    """Write through borrowed arrays, handed on from call to call."""
    total = 0.0
    for _ in range(times):
        borrowed = borrow(pair)
        total += step(borrowed, borrow(borrowed.numbers))
    return total


@numba.njit
def step(pair: Any, numbers: Any) -> float:
    numbers[0] += 1.0
    pair.records[1].n += 2
    row = pair.numbers[1:]
    return float(row[0])


def test_borrowed_arrays_are_the_originals() -> None:
    pair = Pair(np.array([0.0, 5.0]), np.zeros(2, [("f", "f8"), ("n", "i8")]))
    counts = [sys.getrefcount(array) for array in pair]
    assert add(pair, 1000) == 5000.0
    assert pair.numbers.tolist() == [1000.0, 5.0]
    assert pair.records["n"].tolist() == [0, 2000]
    assert [sys.getrefcount(array) for array in pair] == counts
