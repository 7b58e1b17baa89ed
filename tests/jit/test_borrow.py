"""Borrowed arrays: the same memory, no reference counts."""

import subprocess
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


UNKNOWN_LAYOUT = """
from numba.core import datamodel
manager = datamodel.default_manager
class Unknown:
    def get_member_fe_type(self, name):
        raise KeyError(name)
lookup, manager.lookup = manager.lookup, lambda kind: Unknown()
import de2ls.jit.borrow
manager.lookup = lookup
import numba, numpy as np
from de2ls.jit.borrow import borrow
@numba.njit
def double(x):
    same = borrow(x)
    same[0] *= 2
    return same
x = np.array([21.0])
print(double(x)[0], x[0], de2ls.jit.borrow._layout_is_known())
"""


def test_an_unknown_layout_of_arrays_leaves_them_as_they_are() -> None:
    """With Numba's layout unknown at import, a borrowed array is the array itself."""
    process = subprocess.run(
        [sys.executable, "-c", UNKNOWN_LAYOUT], capture_output=True, text=True, check=True
    )
    assert process.stdout == "42.0 42.0 True\n"
