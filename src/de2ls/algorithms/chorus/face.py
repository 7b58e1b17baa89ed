"""Faces: the continuous coordinates of a point, its discrete ones fixed.

The local methods know continuous coordinates only. On a problem with discrete ones they run on a
face and their points are put into the whole space on the way out.
"""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import USABLE, Archive, Batches


class Face:
    """The points of the unit box that share the discrete coordinates of `base`.

    A `relaxed` face is the whole box: discrete coordinates move as if they were continuous.
    """

    def __init__(self, archive: Archive, base: FloatArray, relaxed: bool = False) -> None:
        self.a = archive
        self.whole = relaxed or not archive.discrete.size
        # by admissible values: two searches of one face must not look like two
        self.base = base if self.whole else archive.points(base[None])[1][0]

    def down(self, u: FloatArray) -> FloatArray:
        """Return the continuous coordinates of a point."""
        return u if self.whole else u[self.a.free]

    def up(self, U: FloatArray) -> FloatArray:
        """Return points of the face as points of the whole space."""
        if self.whole:
            return U
        whole = np.repeat(self.base[None], len(np.atleast_2d(U)), axis=0)
        whole[:, self.a.free] = U
        return whole if U.ndim == 2 else whole[0]

    def run(self, batches: Batches) -> Batches:
        """Run a search of the face in the whole space."""
        if self.whole:
            return (yield from batches)
        rows: Any = None
        try:
            while True:
                U = next(batches) if rows is None else batches.send(rows)
                assert U is not None
                rows = yield self.up(U)
        except StopIteration as end:
            return end.value

    def near(
        self, u: FloatArray, k: int, inner: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the `k` points seen nearest to `u` with their outputs and distances.

        At most a quarter of them lie within `inner`, the latest there: a crowd at the centre tells
        nothing of slopes.
        """
        U, out = self.a.memory.recent(self.a.config.model_memory)
        off: Any = np.zeros(len(U), bool)
        if not self.whole:
            fixed = self.a.discrete
            off = (np.abs(U[:, fixed] - self.base[fixed]) >= 1e-9).any(1)
            U = U[:, self.a.free]
        if not np.abs(out).max(initial=0.0) < USABLE:
            off |= ~(np.abs(out).max(1) < USABLE)
        d = np.zeros(len(U))
        for x, centre in zip(U.T, u.tolist(), strict=True):  # less time than all at once
            np.maximum(d, np.abs(x - centre), out=d)
        d[off] = np.inf
        d[np.flatnonzero(d < inner)[: -max(1, k // 4)]] = np.inf
        i = np.argpartition(d, k)[:k] if len(d) > k else np.arange(len(d))
        i = i[np.isfinite(d[i])]
        return U[i], out[i], d[i]
