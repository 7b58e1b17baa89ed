"""What the run knows of the solution: the local optima met, the model at the best, when to end.

Two ends of local searches are one optimum if they agree within 1e-4 of the box and in their
values. An independent search began at a random point, a user's point or another arm's proposal,
not at the incumbent.
"""

from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import as_good
from de2ls.algorithms.chorus.box import UnitBox

NEAR = 1e-4  # of the box


class End(NamedTuple):
    """Where a local search ended."""

    u: FloatArray
    f: float
    v: float  # summed violation
    converged: bool  # not stopped by its evaluations, and with usable values
    g: FloatArray | None = None  # slopes at u, in the unit box
    J: FloatArray | None = None
    c: FloatArray | None = None  # constraints
    multipliers: FloatArray | None = None
    settled: bool = True  # not given up while models still promised gains
    kinked: bool = False  # among cuts, of which some may be missing


class Optimum:
    """A local optimum and how many independent searches ended there.

    It is doubtful if it was found under an alarm of noise: its values may be those of models.
    """

    def __init__(self, end: End, independent: bool, doubtful: bool) -> None:
        self.end, self.searches, self.doubtful = end, int(independent), doubtful

    def same(self, end: End, size: float) -> bool:
        """Whether a search ended here; ends differ in accuracy."""
        f, other = self.end.f, end.f
        close = abs(f - other) < 1e-3 * (abs(f) + 1e-6)
        return bool(
            (close or as_good(max(f, other), min(f, other), size))
            and abs(self.end.v - end.v) < 1e-3 * (abs(self.end.v) + 1e-6)
            and np.abs(self.end.u - end.u).max() < NEAR
        )

    def noted(self, box: UnitBox, m: int) -> dict[str, Any]:
        """Return it in the problem's own units, with the slopes of f and its m constraints."""
        end, slopes = self.end, None
        # A relaxed search knows no constraints.
        if end.g is not None and end.J is not None and len(end.J) == m:
            slopes = np.vstack([end.g, end.J]) / box.width[box.free]  # by continuous coordinates
        return {
            "x": box.lower + end.u * box.width,
            "f": float(end.f),
            "violation": float(end.v),
            "room": None if end.c is None else -end.c,  # up to the limits of g
            "slopes": slopes,
            "searches": self.searches,
        }


class Optima:
    """The local optima met so far, at most `most`."""

    def __init__(self, feasible_tol: float, most: int) -> None:
        self.tol, self.most = feasible_tol, most
        self.found: list[Optimum] = []

    def rank(self, end: End) -> tuple[float, float]:
        """Return the key of an end by feasibility rules."""
        return (0.0, end.f) if end.v <= self.tol else (end.v, end.f)

    def add(self, end: End, independent: bool, size: float = 0.0, doubtful: bool = False) -> None:
        """Keep an end; `size` is the typical size of the objective's changes."""
        known = next((optimum for optimum in self.found if optimum.same(end, size)), None)
        if known is None:
            self.found.append(Optimum(end, independent, doubtful))
        else:
            known.searches += int(independent)
            settled = end.settled or known.end.settled  # one search that settled is enough
            taken = self.rank(end) <= self.rank(known.end)
            if doubtful != known.doubtful:
                taken = known.doubtful
            known.end = (end if taken else known.end)._replace(settled=settled)
            known.doubtful = known.doubtful and doubtful
        self.found.sort(key=lambda optimum: self.rank(optimum.end))
        del self.found[self.most :]

    def forget_doubtful(self) -> None:
        """Forget what was found under an alarm that is withdrawn."""
        self.found = [optimum for optimum in self.found if not optimum.doubtful]

    @property
    def best(self) -> End | None:
        """The best end, or None."""
        return self.found[0].end if self.found else None

    def known(self, size: float) -> list[Optimum]:
        """Return the ends to report; `size` is the typical size of the objective's changes.

        A search that was given up may have ended anywhere, but not if its value is the best one:
        `at_value` counts these too.
        """
        best = self.found[0].end.f if self.found else 0.0
        return [
            o
            for i, o in enumerate(self.found)
            if i == 0 or o.end.settled or (o.end.v <= self.tol and as_good(o.end.f, best, size))
        ]

    @property
    def many(self) -> bool:
        """Whether most independent searches settle far above the best value."""
        found = self._settled()
        worse = _worse(found)
        return sum(worse) > max(2, 2 * (sum(o.searches for o in found) - sum(worse)))

    @property
    def several(self) -> bool:
        """Whether searches have settled far above the best value."""
        return bool(_worse(self._settled()))

    def _settled(self) -> list[Optimum]:
        return [o for o in self.found if o.end.v <= self.tol and o.end.settled]

    def at_value(self, f: float, size: float) -> int:
        """Return how many independent searches ended at a feasible point of objective `f`."""
        found = (o for o in self.found if o.end.v <= self.tol)
        return sum(o.searches for o in found if as_good(o.end.f, f, size))


def _worse(found: list[Optimum]) -> list[int]:
    """Return how many independent searches ended at each optimum far above the first, the best."""
    best = found[0].end.f if found else 0.0
    return [o.searches for o in found if o.end.f - best > 1e-3 * (abs(best) + 1e-6)]
