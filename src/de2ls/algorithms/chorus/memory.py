"""The ring of points seen: the latest ones with their outputs."""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray


class Memory:
    """Keeps the latest `capacity` points of n coordinates with k outputs."""

    def __init__(self, capacity: int, n: int, k: int) -> None:
        self.capacity = capacity
        self.u, self.out = np.empty((capacity, n)), np.empty((capacity, k))
        self.n_seen = 0

    def add(self, U: FloatArray, out: FloatArray) -> None:
        """Write points over the oldest ones."""
        at, k = self.n_seen % self.capacity, len(U)
        place: Any = slice(at, at + k)
        if at + k > self.capacity:
            place = (at + np.arange(k)) % self.capacity
        self.u[place], self.out[place] = U, out
        self.n_seen += k

    def seen(self) -> tuple[FloatArray, FloatArray]:
        """Return the points and their outputs."""
        k = min(self.n_seen, self.capacity)
        return self.u[:k], self.out[:k]

    def recent(self, most: int) -> tuple[FloatArray, FloatArray]:
        """Return the latest of them, at most so many, in the order in which they came."""
        k = min(self.n_seen, self.capacity, most)
        end = (self.n_seen - 1) % self.capacity + 1
        # a copy, by negative indices, only where they lie on both sides of the ring's end
        place: Any = slice(end - k, end) if k <= end else np.arange(end - k, end)
        return self.u[place], self.out[place]
