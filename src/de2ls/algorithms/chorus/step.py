"""One step of the local method: the scaled subproblem at an iterate, its merit, its arcs.

Units: steps in the radius Delta, the objective in S = |g| Delta, constraint j in s_j Delta with s_j
the norm of its slope. Merit and model, with the penalty rho = kappa |g|:

    phi(u) = f(u) + rho sum_j excess_j(u) / s_j
    pred   = phi(u) - [max_k (a_k + g_k'd) + d'Bd/2 + f + rho sum_j excess_j(c + J d) / s_j]

kappa grows tenfold while that lowers the linearised violation by 10 %, and shrinks when none is
left: a soft penalty lets steps follow curved constraints.

Line search: t = 1 along d, which is enough where it stays inside the trust region and brings what
the model said; else 0.4, 0.1, 2.5; then the parabola's vertex, or 6 and 15 if 2.5 was best;
where less than half of pred came, three points on the arc u + t d + t^2 b that follows bent
constraints, b from the subproblem with the constraints as found at u + d. The full step on the
arc is corrected again while that halves its violation or what it lacks; once it is near, on the
shortest way to the constraints that hold it, d <- d - J^+ c: the subproblem would move it along
them, by its own accuracy, and where they bend at every scale it comes no nearer.
"""

import math
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import USABLE, Batches
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.config import ChorusConfig
from de2ls.algorithms.chorus.differences import View
from de2ls.algorithms.chorus.model import Bundle
from de2ls.algorithms.chorus.qp import ElasticQP, Solution

LINE = [1.0, 0.4, 0.1, 2.5]
ALONG = np.array(LINE)[:, None]
FURTHER = [6.0, 15.0]
ARC = [1.0, 0.3, 0.1]
AFAR = 0.01  # of the slope that the curvature lets expect at the constraints: the least unit of f
SAME = 1e-13  # of a step: corrections below it are none
ACTIVE = 1e-6  # in units of the objective's slope: multiplier of a constraint that holds a step
CORRECTIONS = 16  # most of a step whose constraints bend further; some are enough as a rule


Three = tuple[float, float, float]


class Point(NamedTuple):
    """An evaluated point of the local search."""

    u: FloatArray
    f: float
    c: FloatArray
    v: float  # summed violation
    merit: float
    t: float


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
    ) -> None:
        self.view, self.config = view, config
        self.tried: list[Point] = []
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

    def corrected(self, at: Point) -> FloatArray | None:
        """Return the step for constraints that hold at `at` and have the slopes of u."""
        found = self._solve(at.c - self.J @ (at.u - self.u), self.kappa)
        return None if found is None else found.step * self.radius

    def _again(self, at: Point) -> FloatArray | None:
        """Return another correction of the step to `at`; None if there is none.

        Near the constraints it is the shortest way to those that hold the step.
        """
        now = at.u - self.u
        way = self._way(at)
        if way is not None and np.abs(way).max() <= self.config.fine * np.abs(now).max():
            step: FloatArray | None = now - way
        else:
            step = self.corrected(at)
        return None if step is None or same_step(step, now, SAME) else step

    def _way(self, at: Point) -> FloatArray | None:
        """Return the shortest way to `at` from the constraints that hold the step."""
        held = np.abs(self.pull) > ACTIVE
        if not held.any():
            return None
        limit = -self.margin
        limit[self.view.ng :] = np.sign(self.pull[self.view.ng :]) * self.band
        lacks = (at.c / self.scale - limit * self.radius)[held]
        J = self.J[held] / self.scale[held, None]
        return np.asarray(np.linalg.lstsq(J, lacks)[0], float)

    def restoring(self) -> FloatArray | None:
        """Return the step that keeps the margin, whatever that costs."""
        self.rho = self.config.kappa_max * self.g_norm
        found = self._solve(self.c, self.config.kappa_max)
        return None if found is None else found.step * self.radius

    def multipliers(self, solution: Solution) -> FloatArray:
        """Return the constraints' multipliers in units of f and c."""
        return solution.multipliers * self.unit / (self.radius * self.scale)

    def line(self) -> Batches:
        """Try points along the step; returns that at t = 1 and the best."""
        here = self.f + self.rho * self.v0
        first = 1 if self.view.archive.space.workers <= 1 else len(LINE)  # idle workers cost more
        points = yield from self.evaluate(LINE[:first], self.u + ALONG[:first] * self.d)
        if first == 1:
            if self._foreseen(here - points[0].merit):
                return points[0], points[0]
            points += yield from self.evaluate(LINE[1:], self.u + ALONG[1:] * self.d)
        merit = [p.merit for p in points]
        j = merit.index(min(merit))
        t: list[float] = []
        if j == 3:
            t = list(FURTHER)
        elif all(map(math.isfinite, merit[:3])):
            full, middle, short, far = merit
            low = vertex(
                *(
                    ((0.4, 1.0, 2.5), (middle, full, far)),
                    ((0.1, 0.4, 1.0), (short, middle, full)),
                    ((0.0, 0.1, 0.4), (here, short, middle)),
                )[j]
            )
            t = [] if low is None else [low]
        more = [self.u + s * self.d for s in t]
        poor = merit[j] > here - 0.5 * self.pred
        if self.view.m and poor and abs(points[0].f) < USABLE:
            step = self.corrected(points[0])
            if step is not None and not same_step(step, self.d):
                more += [self.u + s * self.d + s * s * (step - self.d) for s in ARC]
                t += ARC
        if more:
            points += yield from self.evaluate(t, np.array(more))
        if len(points) > len(LINE) + 2:
            points += yield from self._follow(points[-len(ARC)])
        return points[0], min(points, key=lambda p: p.merit)

    def _foreseen(self, gain: float) -> bool:
        """Whether a step inside the trust region brought what the model said."""
        inside = float(np.abs(self.d).max()) < 0.9 * self.radius
        return inside and abs(gain - self.pred) <= self.config.foreseen * self.pred

    def _follow(self, at: Point) -> Batches:
        """Correct a long step again and again while that brings it nearer to bent constraints.

        It comes nearer if half of the violation vanishes, or half of what it lacks in merit: a
        correction from outside may land inside, too far from the constraints.
        """
        points: list[Point] = []
        goal = self.f + self.rho * self.v0 - 0.5 * self.pred
        lacks, over = at.merit - goal, float(self.view.excess(at.c, self.scale))
        while len(points) < CORRECTIONS and lacks > 0.0:
            step = self._again(at)
            if step is None:
                break
            points += yield from self.evaluate([1.0], self.u + step[None])
            at, before = points[-1], (lacks, over)
            lacks, over = at.merit - goal, float(self.view.excess(at.c, self.scale))
            if not (lacks < 0.5 * before[0] or over < 0.5 * before[1]):
                break
        return points

    def evaluate(self, t: list[float], U: FloatArray) -> Batches:
        """Evaluate points at multiples `t` of the step."""
        U = boxed(U)
        rows = yield U
        f, c = self.view.split(rows)
        merit = self.merit(f, c)
        values = (f.tolist(), c, rows.v.tolist(), merit.tolist(), t)
        found = [Point(*p) for p in zip(U, *values, strict=True)]
        self.tried += found
        return found


def scales(J: FloatArray) -> FloatArray:
    """Return the norms of the constraints' slopes, 1 where there is no slope."""
    norm = np.sqrt(np.add.reduce(J * J, 1))
    return np.where(norm > 0, norm, 1.0)


def same_step(a: FloatArray, b: FloatArray, share: float = 1e-6) -> bool:
    """Whether two steps are one: a point is not evaluated twice."""
    return bool(np.abs(a - b).max() <= share * np.abs(b).max())


def vertex(t: Three, y: Three) -> float | None:
    """Return the minimum of the parabola through three points, kept between the outer ones."""
    if not all(map(math.isfinite, y)):
        return None
    left, right = t[1] - t[0], t[2] - t[1]
    down, up = (y[1] - y[0]) / left, (y[2] - y[1]) / right
    curve = (up - down) / (t[2] - t[0])
    if not curve > 0:
        return None
    at = 0.5 * (t[0] + t[1]) - down / (2.0 * curve)
    return min(max(at, t[0] + 0.05 * (t[2] - t[0])), t[2])
