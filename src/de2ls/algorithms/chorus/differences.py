"""Slopes by finite differences, and the outputs as the local method sees them.

A view holds the objective and the constraints of one mode: "con" the problem itself, "f" the
objective alone, "c" the constraints alone, "v" the violation as an objective. Inequalities are
aimed at g <= tol - min(0.01 tol, 1e-9 size). An equality that has shown only one sign is a square
of something and has no slope at its zero: it is replaced by sign(h) sqrt|h|, its tolerance by the
root, until it shows the other sign.

| symbol | here | meaning |
|---|---|---|
| f, c | `View.split` | objective and constraints of rows, by mode |
| b | `band` | half widths of the equalities |
| s_j | `scale` | norm of constraint j's slope |
| h_i | `steps` | difference step of coordinate i |
"""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import BIG, USABLE, Archive, Batches, Rows

TURNS = (-1.0, -3.0, -1.0)  # where a neighbour is undefined: turn, lengthen, turn again
SHORT = 0.01  # of an inequality's tolerance: a search aims short of it by so much at the most
ROUNDING = 1e-9  # of its typical size: the same


def within(slack: FloatArray, size: FloatArray) -> FloatArray:
    """Return limits of inequalities, short of their tolerances by what rounding may need.

    By a share of the tolerance, but no more than a tiny part of the constraint's typical size (0:
    unknown). In a wide tolerance a share leaves a gap with better points, into which other arms
    creep: then no search ends at the best value.
    """
    narrow: FloatArray = (1.0 - SHORT) * slack
    return np.where(size > 0.0, np.maximum(narrow, slack - ROUNDING * size), narrow)


class View:
    """Objective and constraints of one mode."""

    def __init__(self, archive: Archive, mode: str) -> None:
        self.archive, self.mode = archive, mode
        self.ng, self.nh = (archive.ng, archive.nh) if mode in ("con", "c") else (0, 0)
        self.m = self.ng + self.nh
        self.slack = within(archive.slack[: self.ng], archive.size[1 : 1 + self.ng])
        self.band = archive.eq_tol[: self.nh] * (1.0 - 1e-9)
        self.root = archive.squares[: self.nh]
        self.band = np.where(self.root, np.sqrt(self.band), self.band)
        self.rooted = (self.ng + np.flatnonzero(self.root)).tolist()  # their columns

    @property
    def outdated(self) -> bool:
        """Whether an equality whose root is taken has shown the other sign since."""
        return bool(self.rooted) and bool((self.root & ~self.archive.squares).any())

    def split(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Return objective (k,) and constraints (k, m) of rows."""
        f = rows.v if self.mode == "v" else rows.out[:, 0]
        if self.mode == "c":  # a point without objective is not restored
            f = np.where(rows.usable, 0.0, BIG)
        c = rows.out[:, 1:].copy() if self.m else np.zeros((len(f), 0))
        if self.m:
            if self.ng:
                c[:, : self.ng] -= self.slack
            for j in self.rooted:
                h = c[:, j]
                np.copysign(np.sqrt(np.abs(h)), h, out=h)
        return f, c

    def over(self, c: FloatArray) -> FloatArray:
        """Return by how much each constraint is violated; `c` is (..., m)."""
        if not self.nh:
            return np.maximum(c, 0.0)
        over = c.copy()
        h = over[..., self.ng :]
        np.abs(h, out=h)
        h -= self.band
        return np.maximum(over, 0.0, out=over)

    def excess(self, c: FloatArray, scale: FloatArray) -> Any:
        """Return the l1 violation in units of `scale`."""
        return np.add.reduce(self.over(c) / scale, -1) if self.m else np.zeros(c.shape[:-1])


def usable_slopes(g: FloatArray, J: FloatArray) -> bool:
    """Whether slopes can be used."""
    largest = np.maximum.reduce(np.abs(g)) < 1e40  # False for NaN
    return bool(largest and np.maximum.reduce(np.abs(J), None, initial=0.0) < 1e40)


def turned(u: FloatArray, steps: Any) -> FloatArray:
    """Return steps from `u` that stay in the unit box."""
    steps = np.zeros(len(u)) + steps
    kept: FloatArray = np.where(u + steps > 1.0, -steps, steps)
    return kept


def forward(view: View, u: FloatArray, f: float, c: FloatArray, steps: FloatArray) -> Batches:
    """Return slopes g, J by forward differences (n evaluations)."""
    rows = yield u + np.diag(steps)
    if not rows.usable.all():
        rows, steps = yield from _turned(rows, u, steps.copy())
    F, C = view.split(rows)
    return (F - f) / steps, ((C - c) / steps[:, None]).T


def _turned(rows: Rows, u: FloatArray, steps: FloatArray) -> Batches:
    """Return rows at other steps where those of `rows` hold no values, and all steps."""
    out, v = rows.out.copy(), rows.v.copy()
    for turn in TURNS:
        bad = np.flatnonzero(~(np.abs(out).max(1) < USABLE))
        if not len(bad):
            break
        new = steps[bad] * turn
        steps[bad] = np.where((u[bad] + new > 1.0) | (u[bad] + new < 0.0), -0.7 * new, new)
        again = yield u + np.diag(steps)[bad]
        out[bad], v[bad] = again.out, again.v
    return Rows(out, v), steps


def central(view: View, u: FloatArray, f: float, c: FloatArray, h: FloatArray) -> Batches:
    """Return slopes g, J by central differences (2n evaluations)."""
    n = len(u)
    up, down = np.minimum(h, 1.0 - u), np.minimum(h, u)
    rows = yield np.concatenate([u + np.diag(up), u - np.diag(down)])
    if not rows.usable.all():
        return (yield from forward(view, u, f, c, turned(u, h)))
    F, C = view.split(rows)
    span = up + down
    return (F[:n] - F[n:]) / span, ((C[:n] - C[n:]) / span[:, None]).T
