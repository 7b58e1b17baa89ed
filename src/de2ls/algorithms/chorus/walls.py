"""Walls: planes that keep the steps of a local search from regions without values.

A simulator that fails tells nothing but that it failed. Planes a'd = b are put between the points
with and without values near the iterate u, in the middle of the widest gap: a is the shortest way
from one convex hull to the other,

    min | sum_i lambda_i p_i - sum_j mu_j q_j |,   lambda, mu >= 0,   sum lambda = sum mu = 1

Where one plane does not do, as in a corner, others keep out what is left. A step that ends without
a value costs one evaluation and moves a plane. As walls are bent, and their planes uncertain, steps
keep clear of them: b is less by a share of the radius that grows with each step that is lost, and
is halved until the clear step promises a fair part of what the step without it does.

| symbol | here | meaning |
|---|---|---|
| p, q | `valued`, `lost` | points with and without values, as steps from u |
| a, b | `Wall` | normal of a plane, towards what has no value; its distance from u |
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from de2ls._checks import FloatArray

REACH = 3.0  # radii within which points are looked at
MOST = 3  # planes
SUM = 1e4  # weight of the sums of lambda and mu beside distances in radii
APART = 1e-6  # of the radius: hulls that come nearer overlap
CLEAR_LEAST, CLEAR_MOST = 0.005, 0.4  # of the radius: clearance
CLEAR_FIRST = 0.05
FAIR = 0.3  # of the gain without clearance: the least that a clear step must promise


class Wall(NamedTuple):
    """The half-space a'd <= b of steps d; b < 0 asks for a step inward."""

    a: FloatArray
    b: float


class Failures:
    """What points beside ends without values have told: are there walls, or is it chance."""

    def __init__(self) -> None:
        self.alone, self.together = 0, 0

    def note(self, alone: bool) -> None:
        """Count a failure: whether the point beside it has a value."""
        self.alone += alone
        self.together += not alone

    @property
    def are_walls(self) -> bool:
        """Whether a failure where a wall is near may be believed at once."""
        return self.together > 2 * self.alone

    @property
    def by_chance(self) -> bool:
        """Whether points fail alone so often that planes would mislead."""
        return self.alone > 1 and self.together <= 2 * self.alone


class Walls:
    """The points of a search that planes are made of."""

    def __init__(self, n: int) -> None:
        self.n, self.most = n, 2 * n + 8
        self.clear = 0.0
        self._valued: list[FloatArray] = []
        self._lost: list[FloatArray] = []

    def learn(self, points: Sequence[FloatArray], valued: Sequence[bool], lost: bool) -> None:
        """Take in the points of a step and whether they have values.

        Those without are no wall unless the step was `lost`: a simulator may fail by chance.
        """
        for u, has_value in zip(points, valued, strict=True):
            if has_value or lost:
                (self._valued if has_value else self._lost).append(u)
        del self._valued[: -self.most], self._lost[: -self.most]

    def keep_off(self) -> None:
        """Double the clearance."""
        self.clear = min(CLEAR_MOST, max(CLEAR_FIRST, 2.0 * self.clear))

    def approach(self) -> None:
        """Halve the clearance."""
        self.clear = 0.5 * self.clear if self.clear > CLEAR_LEAST else 0.0

    def near(self, u: FloatArray, radius: float) -> list[Wall]:
        """Return the planes that matter to steps from `u` within `radius`."""
        lost = _steps(self._lost, u, REACH * radius)
        if not len(lost):
            return []
        valued = np.vstack([np.zeros(self.n), _steps(self._valued, u, REACH * radius)]) / radius
        lost = lost / radius
        walls: list[Wall] = []
        while len(lost) and len(walls) < MOST:
            wall, lost = _first(valued, lost)
            walls.append(Wall(wall.a, wall.b * radius))
        return walls

    def cleared(self, walls: Sequence[Wall], u: FloatArray, radius: float) -> list[Wall]:
        """Return the planes moved inward by the clearance, at most half as far as there is room."""
        low, high = np.maximum(-radius, -u), np.minimum(radius, 1.0 - u)
        rooms = [0.5 * float(np.minimum(a * low, a * high).sum()) for a, _ in walls]
        least = self.clear * radius
        return [Wall(a, max(b - least, room)) for (a, b), room in zip(walls, rooms, strict=True)]


def _steps(points: list[FloatArray], u: FloatArray, reach: float) -> FloatArray:
    """Return the steps from `u` to other points within reach, nearest first."""
    d = np.array(points).reshape(-1, len(u)) - u
    length = np.abs(d).max(axis=1)
    order = np.argsort(length, kind="stable")
    steps: FloatArray = d[order[(length[order] <= reach) & (length[order] > 0.0)]]
    return steps


def _first(valued: FloatArray, lost: FloatArray) -> tuple[Wall, FloatArray]:
    """Return the plane before the nearest lost point, and the lost points it does not keep out.

    Where that point lies among those with values, the farther ones of these are left aside.
    """
    wall, k = _between(valued, lost), len(valued)
    while wall is None:
        wall = _between(valued[:k], lost[:1])
        k = (k + 1) // 2
    beyond = lost @ wall.a > wall.b
    beyond[0] = True
    return wall, lost[~beyond]


def _between(valued: FloatArray, lost: FloatArray) -> Wall | None:
    """Return the plane in the middle of the gap between two hulls; None if they overlap."""
    if len(valued) == len(lost) == 1:
        way, least = lost[0] - valued[0], 0.0
    else:
        way, least = _shortest_way(valued, lost), APART
    length = float(np.sqrt(way @ way))
    if length <= least:
        return None
    a = way / length
    low, high = float((valued @ a).max()), float((lost @ a).min())
    return Wall(a, max(0.5 * (low + high), 0.0)) if low < high else None


def _shortest_way(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the shortest way from the hull of the rows of `p` to that of `q`; 0 if unknown."""
    (k, n), m = p.shape, len(q)
    A, b = np.zeros((n + 2, k + m)), np.zeros(n + 2)
    A[:n, :k], A[:n, k:] = p.T, -q.T
    A[n, :k] = A[n + 1, k:] = b[n:] = SUM
    try:
        weights, _ = nnls(A, b)
    except RuntimeError:  # too many iterations: as if the hulls overlapped
        return np.zeros(n)
    here, there = weights[:k], weights[k:]
    way: FloatArray = there @ q / there.sum() - here @ p / here.sum()
    return way
