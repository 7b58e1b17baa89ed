"""A step of the local method: its line search, and the arcs that follow bent constraints.

Line search: t = 1 along d, which is enough where it stays inside the trust region and brings what
the model said; else 0.4, 0.1, 2.5; then the parabola's vertex, or 6 and 15 if 2.5 was best;
where less than half of pred came, three points on the arc u + t d + t^2 b that follows bent
constraints, b from the subproblem with the constraints as found at u + d. The full step on the
arc is corrected again while that halves its violation or what it lacks; once it is near, on the
shortest way to the constraints that hold it, d <- d - J^+ c: the subproblem would move it along
them, by its own accuracy, and where they bend at every scale it comes no nearer.

An end without a value ends the line search where a wall is known to be near; elsewhere a point
beside it must have none either, or takes its place.
"""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import USABLE, Batches
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.subproblem import Point, Subproblem

LINE = [1.0, 0.4, 0.1, 2.5]
ALONG = np.array(LINE)[:, None]
FURTHER = [6.0, 15.0]
ARC = [1.0, 0.3, 0.1]
BESIDE = 0.9  # of a step whose end has no value: one that fails alone is no wall
SAME = 1e-13  # of a step: corrections below it are none
ACTIVE = 1e-6  # in units of the objective's slope: multiplier of a constraint that holds a step
CORRECTIONS = 16  # most of a step whose constraints bend further; some are enough as a rule
SMOOTH = 0.05  # of what bends a smooth function: the most that a cubic misses of it
BETWEEN = (0.05, 0.95)  # places on the way to an end where the cubic is compared


Three = tuple[float, float, float]


class Step(Subproblem):
    """A subproblem whose step is tried."""

    def line(self) -> Batches:
        """Try points along the step; returns that at t = 1, or beside it, and the best."""
        here = self.f + self.rho * self.v0
        first = 1 if self.view.archive.space.workers <= 1 else len(LINE)  # idle workers cost more
        points = yield from self.evaluate(LINE[:first], self.u + ALONG[:first] * self.d)
        if not points[0].valued:
            points = yield from self._confirmed(points)
            if self.lost:
                return points[0], points[0]
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
                    ((0.4, points[0].t, 2.5), (middle, full, far)),
                    ((0.1, 0.4, points[0].t), (short, middle, full)),
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

    def _confirmed(self, points: list[Point]) -> Batches:
        """Look beside an end without a value, unless walls are known; return the points to use."""
        failures = self.view.archive.failures
        if failures.by_chance or not self.config.walls:
            return points
        self.lost = self.walled and failures.are_walls
        if not self.lost:
            (beside,) = yield from self.evaluate([BESIDE], (self.u + BESIDE * self.d)[None])
            self.lost = not beside.valued
            if not self.walled:
                failures.note(alone=beside.valued)
            points = [beside, *points[1:]]
        return points

    def smooth(self, end: Point, before: float, after: float | None = None) -> bool:
        """Whether a cubic through both ends of the way to `end` meets the points between them.

        Through the values and the slopes `before` and `after` along the way; without the latter it
        is a parabola. False where no point lies between.

        What is left over of a smooth function is a term of the next order, which vanishes where the
        model is exact: k^2 (1 - k), or (k (1 - k))^2. Scaled to a largest value of 1 it is the unit
        in which a miss is measured, so that points near the ends must be met more closely.
        """
        d = end.u - self.u
        rest = end.f - self.f - (before if after is None else 0.5 * (before + after))
        found = False
        for p in self.tried:
            k = float(d @ (p.u - self.u)) / (float(d @ d) or 1.0)
            if BETWEEN[0] < k < BETWEEN[1] and same_step(p.u - self.u, k * d):
                found = True
                if after is None:
                    model, unit = k * before + k * k * rest, 6.75 * k * k * (1.0 - k)
                else:
                    bend = 0.5 * (after - before) + (3.0 - 2.0 * k) * rest
                    model, unit = k * before + k * k * bend, 16.0 * (k * (1.0 - k)) ** 2
                if not abs(p.f - self.f - model) <= SMOOTH * unit * abs(rest):
                    return False
        return found

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
