"""The scaled subproblem of the local method at an iterate, and its merit.

Units: steps in the radius Delta, the objective in S = |g| Delta, constraint j in s_j Delta with s_j
the norm of its slope. Merit and model, with the penalty rho = kappa |g|:

    phi(u) = f(u) + rho sum_j excess_j(u) / s_j
    pred   = phi(u) - [max_k (a_k + g_k'd) + d'Bd/2 + f + rho sum_j excess_j(c + J d) / s_j]

kappa grows tenfold while that lowers the linearised violation by 10 %, and shrinks when none is
left: a soft penalty lets steps follow curved constraints.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import USABLE
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.config import ChorusConfig
from de2ls.algorithms.chorus.differences import View
from de2ls.algorithms.chorus.model import Bundle
from de2ls.algorithms.chorus.qp import ElasticQP, Solution
from de2ls.algorithms.chorus.walls import Wall

AFAR = 0.01  # of the slope that the curvature lets expect at the constraints: the least unit of f


class Point(NamedTuple):
    """An evaluated point of the local search."""

    u: FloatArray
    f: float
    c: FloatArray
    v: float  # summed violation
    merit: float
    t: float

    @property
    def valued(self) -> bool:
        """Whether it has a value."""
        return abs(self.f) < USABLE


class Subproblem:
    """The subproblem at the iterate (u, f, c) with slopes g, J, curvature B and radius Delta."""

    def __init__(
        self,
        view: View,
        config: ChorusConfig,
        u: FloatArray,
        f: float,
        c: FloatArray,
        g: FloatArray,
        J: FloatArray,
        B: FloatArray,
        bundle: Bundle,
        radius: float,
        margin: FloatArray,
        walls: Sequence[Wall] = (),
    ) -> None:
        self.view, self.config = view, config
        self.tried: list[Point] = []
        self.walled, self.lost = bool(walls), False  # a wall is near; the step ends in one
        self.pull = np.zeros(view.m)  # multipliers of the last solution
        self.u, self.f, self.c, self.J, self.B, self.radius = u, f, c, J, B, radius
        self.scale = scales(J)
        self.v0 = float(view.excess(c, self.scale))
        # at its own minimum the objective has no slope: what counts is that at the constraints
        there = AFAR * float(np.trace(B)) / len(u) * min(self.v0, radius)
        self.g_norm = max(math.sqrt(g @ g), there) or 1.0
        self.unit = self.g_norm * radius
        self.offset, self.slopes = bundle.model(u, f)
        self.band = view.band / (self.scale[view.ng :] * radius)
        self.margin = np.minimum(margin / radius, 0.05)
        self.qp = ElasticQP(
            B * (radius * radius / self.unit),
            self.slopes * (radius / self.unit),
            J / self.scale[:, None],
            view.ng,
            np.maximum(-1.0, -u / radius),
            np.minimum(1.0, (1.0 - u) / radius),
            [Wall(wall.a, wall.b / radius) for wall in walls],
        )

    def _solve(self, c: FloatArray, kappa: float) -> Solution | None:
        scaled = c / (self.scale * self.radius)
        found = self.qp.solve(self.offset / self.unit, scaled, self.band, self.margin, kappa)
        if found is not None:
            self.pull = found.multipliers
        return found

    def solve(self, kappa: float) -> Solution | None:
        """Find the step; sets `kappa`, `rho`, `d` and `pred`."""
        found: Solution | None = None
        margins = bool(self.margin.any())
        small = max(1e-9, 0.01 * self.v0 / self.radius)
        for _ in range(3):
            new = self._solve(self.c, kappa)
            if new is None:
                break
            if found is not None and new.violation > 0.9 * found.violation:
                kappa /= self.config.kappa_growth
                break
            found = new
            if not self.view.m or found.violation < small or kappa >= self.config.kappa_max:
                break
            kappa *= self.config.kappa_growth
        if found is None:
            return None
        if self.view.m and found.violation < 1e-9:
            kappa = max(self.config.kappa_min, self.config.kappa_decay * kappa)
        self.kappa, self.rho = kappa, kappa * self.g_norm
        self.d = boxed(self.u + found.step * self.radius) - self.u
        self.pred = self.predict(self.d)
        if self.unit * self.margin.sum() > 0.2 * self.pred:  # it would cost too much
            self.margin = np.zeros(self.view.m)
            return self.solve(kappa) if margins else found
        return found

    def objective(self, d: FloatArray) -> float:
        """Return the linear part of the modelled change of f."""
        return float(np.maximum.reduce(self.offset + self.slopes @ d))

    def predict(self, d: FloatArray) -> float:
        """Return the modelled decrease of the merit."""
        change = self.objective(d) + 0.5 * float(d @ self.B @ d)
        if self.view.m:
            linear = float(self.view.excess(self.c + self.J @ d, self.scale))
            change += self.rho * (linear - self.v0)
        return -change

    def merit(self, f: FloatArray, c: FloatArray) -> FloatArray:
        """Return the merit of points; infinite where it is undefined."""
        value = f + self.rho * self.view.excess(c, self.scale) if self.view.m else f
        if math.isfinite(np.add.reduce(value)):
            return value
        return np.where(np.isfinite(value), value, np.inf)

    def restoring(self) -> FloatArray | None:
        """Return the step that keeps the margin, whatever that costs."""
        self.rho = self.config.kappa_max * self.g_norm
        found = self._solve(self.c, self.config.kappa_max)
        return None if found is None else found.step * self.radius

    def multipliers(self, solution: Solution) -> FloatArray:
        """Return the constraints' multipliers in units of f and c."""
        return solution.multipliers * self.unit / (self.radius * self.scale)


def scales(J: FloatArray) -> FloatArray:
    """Return the norms of the constraints' slopes, 1 where there is no slope."""
    norm = np.sqrt(np.add.reduce(J * J, 1))
    return np.where(norm > 0, norm, 1.0)
