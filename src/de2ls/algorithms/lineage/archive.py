"""The archive of replaced parents, which widens the choice of the last partner."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


class Archive:
    """Parents that were replaced.

    Parameters
    ----------
    capacity : int
        The largest number it will ever be asked to hold.
    dim : int
        D.
    """

    def __init__(self, capacity: int, dim: int) -> None:
        self._rows = np.empty((max(1, capacity), dim))
        self.n = 0

    @property
    def x(self) -> FloatArray:
        """The parents, one per row."""
        return self._rows[: self.n]

    def overwrite(self, rng: RandomState, parents: FloatArray, capacity: int) -> None:
        """Append while there is room, then put each parent in a random one's place."""
        self.n = _overwrite(rng, self._rows, self.n, parents, capacity)

    def mingle(self, rng: RandomState, parents: FloatArray, capacity: int) -> None:
        """Add all that are new, then keep a random subset."""
        if self.n + len(parents) > len(self._rows):
            self._rows = np.concatenate((self.x, np.empty_like(parents)))
        self.n = _append_new(self._rows, self.n, parents)
        self.thin(rng, capacity)

    def thin(self, rng: RandomState, capacity: int) -> None:
        """Remove random ones beyond the capacity."""
        self.n = _thin(rng, self._rows, self.n, capacity)

    def cut(self, capacity: int) -> None:
        """Remove the last ones beyond the capacity."""
        self.n = min(self.n, capacity)


@kernel
def _overwrite(
    rng: RandomState, rows: FloatArray, n: int, parents: FloatArray, capacity: int
) -> int:
    for i in range(parents.shape[0]):
        if n < capacity:
            rows[n] = parents[i]
            n += 1
        elif capacity > 0:
            rows[random.integer(rng, n)] = parents[i]
    return n


@kernel
def _append_new(rows: FloatArray, n: int, parents: FloatArray) -> int:
    first = rows[:, 0].copy()  # side by side: most comparisons end here
    for i in range(parents.shape[0]):
        known = False
        for k in range(n):
            if first[k] == parents[i, 0] and (rows[k] == parents[i]).all():
                known = True
                break
        if not known:
            rows[n] = parents[i]
            first[n] = parents[i, 0]
            n += 1
    return n


@kernel
def _thin(rng: RandomState, rows: FloatArray, n: int, capacity: int) -> int:
    while n > capacity:
        n -= 1
        rows[random.integer(rng, n + 1)] = rows[n]
    return n
