"""The archive of replaced parents, which widens the choice of the last partner."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, kernel

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2^64 / 1.618: spreads neighbouring bits


class Archive:
    """Parents that were replaced.

    Parameters
    ----------
    capacity : int
        How many it will hold at first; room for more is made when it is needed.
    dim : int
        D.
    """

    def __init__(self, capacity: int, dim: int) -> None:
        self.rows = np.empty((max(1, capacity), dim))
        self.n = 0

    @property
    def x(self) -> FloatArray:
        """The parents, one per row."""
        return self.rows[: self.n]

    def overwrite(self, rng: RandomState, x: FloatArray, which: Mask, capacity: int) -> None:
        """Append the marked members while there is room, then put each in a random one's place."""
        self.make_room(capacity)
        self.n = overwrite(rng, self.rows, self.n, x, which, capacity)

    def mingle(self, rng: RandomState, x: FloatArray, which: Mask, capacity: int) -> None:
        """Add all marked members that are new, then keep a random subset."""
        self.make_room(self.n + len(x))
        self.n = append_new(self.rows, self.n, x, which)
        self.n = thin(rng, self.rows, self.n, capacity)

    def make_room(self, size: int) -> None:
        """Have at least so many rows: compiled code does not notice where they end."""
        if size > len(self.rows):
            more = np.empty((size - self.n, self.rows.shape[1]))
            self.rows = np.concatenate((self.x, more))

    def thin(self, rng: RandomState, capacity: int) -> None:
        """Remove random ones beyond the capacity."""
        self.n = thin(rng, self.rows, self.n, capacity)

    def cut(self, capacity: int) -> None:
        """Remove the last ones beyond the capacity."""
        self.n = min(self.n, capacity)


@kernel
def overwrite(
    rng: RandomState, rows: FloatArray, n: int, x: FloatArray, which: Mask, capacity: int
) -> int:
    """Do so in the first n rows; return how many there are now."""
    for i in range(which.size):
        if which[i] and n < capacity:
            rows[n] = x[i]
            n += 1
        elif which[i] and capacity > 0:
            rows[random.integer(rng, n)] = x[i]
    return n


@kernel
def append_new(rows: FloatArray, n: int, x: FloatArray, which: Mask) -> int:
    """Append marked rows that are not there yet; a table of these by hashes tells which are."""
    rows, x = borrow(rows), borrow(x)
    count = which.sum()
    if count == 0:
        return n
    size = 4
    while size < 8 * count:  # so that most rows that are there find an empty place in it
        size *= 2
    table, new = np.full(size, -1, np.int64), which.copy()
    for i in range(which.size):
        if which[i]:
            place = _place(table, x, x[i])
            new[i] = table[place] < 0
            table[place] = i if new[i] else table[place]
    for k in range(n):
        same = table[_place(table, x, rows[k])]
        if same >= 0:
            new[same] = False
    for i in range(which.size):
        if new[i]:
            rows[n] = x[i]
            n += 1
    return n


@block
def _place(table: IntArray, rows: FloatArray, x: FloatArray) -> int:
    """Return where a row stands in the table, or where it would."""
    mask, bits = table.size - 1, np.uint64(0)
    for j in (0, x.size // 2, x.size - 1):  # three coordinates tell most rows apart
        bits = (bits ^ np.float64(x[j]).view(np.uint64)) * MIX
    place = np.int64(bits >> np.uint64(33)) & mask
    while table[place] >= 0 and _differ(rows[table[place]], x):
        place = (place + 1) & mask
    return int(place)


@block
def _differ(a: FloatArray, b: FloatArray) -> bool:
    j = 0
    while j < a.size and a[j] == b[j]:
        j += 1
    return j < a.size


@kernel
def thin(rng: RandomState, rows: FloatArray, n: int, capacity: int) -> int:
    """Remove random ones of n rows beyond the capacity; return how many are left."""
    while n > capacity:
        n -= 1
        rows[random.integer(rng, n + 1)] = rows[n]
    return n
