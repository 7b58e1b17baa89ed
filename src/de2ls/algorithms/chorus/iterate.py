"""The iterate of the local method: what is known there, its slopes, its subproblem.

| symbol | here | meaning |
|---|---|---|
| u, f, c, v | the same | point, objective, constraints, summed violation |
| g, J | the same | slopes of objective and constraints |
| B | `B` | curvature of the Lagrangian; None: not known yet |
| h | `h` | difference steps; fine forward ones are at most `step_limit`, 2 sqrt(eta) |

The first search from a new point begins with coarse slopes, h a share of the radius: what matters
for steps of that length is the trend, not the ripples on it. They end with the first steps that
are short, or where they fail. Equalities are bent too much for them.
"""

import math
from collections.abc import Sequence

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import BIG, USABLE, Archive, Batches
from de2ls.algorithms.chorus.differences import View, central, forward, turned, usable_slopes
from de2ls.algorithms.chorus.model import TINY, Bundle, Cut
from de2ls.algorithms.chorus.qp import Solution
from de2ls.algorithms.chorus.step import LINE, Step
from de2ls.algorithms.chorus.subproblem import Point, scales
from de2ls.algorithms.chorus.walls import FAIR, Wall, Walls

LONGEST, NOISY_LONGEST = 1e-4, 1e-2  # of the box: forward steps
HAIR = 1e-4  # of the box: an iterate that lies farther outside is not near its end
INSIDE = (1.0, 4.0, 16.0, 64.0)  # multiples of what it lies outside
LOWER = 0.95  # of the violation: what a tenth of a step must leave at the most
INSIDE_TRIES = 3
REACH = 40.0  # radius of the step inside, in units of its margin

Slopes = tuple[FloatArray, FloatArray, Cut]  # g, J and the cut they make


class Iterate:
    """The iterate of a local search from `u` with trust region `radius`."""

    def __init__(self, archive: Archive, u: FloatArray, mode: str, radius: float) -> None:
        self.a, self.config = archive, archive.config
        self.view = View(archive, mode)
        self.n = len(u)
        self.u, self.radius = u, radius
        self.n_cuts = 1
        self.kappa = self.config.kappa_min
        first = archive.searches == 0 and mode == "con" and radius >= self.config.radius
        self.coarse = first and not archive.nh and self.config.coarse > 0
        self.central = False
        self.sharp = False  # slopes at the iterate are central, others not yet
        self.first = True  # no step was taken yet
        self.B: FloatArray | None = None
        self.margin = np.zeros(self.view.m)
        self.walls = Walls(self.n)

    f: float
    c: FloatArray
    v: float
    g: FloatArray
    J: FloatArray
    bundle: Bundle

    def _begin(self) -> Batches:
        """Evaluate the first point and its slopes; returns whether they are usable."""
        rows = yield self.u[None]
        f, c = self.view.split(rows)
        self.f, self.c, self.v = float(f[0]), c[0], float(rows.v[0])
        if not rows.usable[0]:
            return False
        return (yield from self._look())

    def _renew(self) -> Batches:
        """Look anew at an iterate where an equality has turned out to be no square."""
        self.view = View(self.a, self.view.mode)
        self.B = None
        self.margin = np.zeros(self.view.m)
        return (yield from self._begin())

    def _look(self) -> Batches:
        """Take slopes at the iterate; returns whether they are usable."""
        h = self._coarse_step if self.coarse else self.step_limit
        g, J = yield from forward(self.view, self.u, self.f, self.c, turned(self.u, h))
        return self._use(g, J)

    def _use(self, g: FloatArray, J: FloatArray) -> bool:
        """Take slopes over, if they are usable."""
        usable = usable_slopes(g, J)
        if usable:
            self.g, self.J = g, J
            self.bundle = Bundle(Cut(self.f, g, self.u))
        return usable

    @property
    def step_limit(self) -> float:
        """Largest forward step: it grows with the noise."""
        most = NOISY_LONGEST if self.a.noisy else LONGEST
        return min(max(2.0 * math.sqrt(self.a.eta.max()), 1e-7), most)

    @property
    def _coarse_step(self) -> float:
        return self.config.coarse * self.radius

    def _first_curvature(self, norm: float) -> float:
        """Return the curvature for which the slope left by the constraints makes a full step.

        Among cuts the slope that is left is that of their mixture, which says nothing yet.
        """
        if not self.view.m or self.n_cuts > 1:
            return 0.1 * norm / self.radius
        flat = np.eye(self.n) * (1e-6 * norm / self.radius)
        sub = self._subproblem(flat, self.radius, self.margin)
        solution = sub.solve(self.kappa)
        if solution is None:
            return 0.1 * norm / self.radius
        left = self.g + self.J.T @ sub.multipliers(solution)
        inside = (self.u > 0.0) & (self.u < 1.0)
        rest = float(np.linalg.norm(left[inside]))
        return 0.1 * max(rest, 1e-6 * norm) / self.radius

    def _subproblem(
        self, B: FloatArray, radius: float, margin: FloatArray, walls: Sequence[Wall] = ()
    ) -> Step:
        return Step(
            self.view, self.config, self.u, self.f, self.c, self.g, self.J, B,
            self.bundle, radius, margin, walls,
        )  # fmt: skip

    def _solved(self, B: FloatArray) -> tuple[Step, Solution | None]:
        """Return the subproblem and its solution, which keeps clear of walls."""
        used = self.config.walls and not self.a.failures.by_chance
        walls = self.walls.near(self.u, self.radius) if used else []
        sub = self._subproblem(B, self.radius, self.margin, walls)
        solution = sub.solve(self.kappa)
        while walls and solution is not None and self.walls.clear > 0.0:
            cleared = self.walls.cleared(walls, self.u, self.radius)
            clear = self._subproblem(B, self.radius, self.margin, cleared)
            found = clear.solve(self.kappa)
            if found is not None and clear.pred >= FAIR * sub.pred:
                return clear, found
            self.walls.approach()
        return sub, solution

    def _go_inside(self) -> Batches:
        """Make an end feasible that lies a hair outside and may be the best point."""
        a = self.a
        if a.noisy or not self.view.m or self.view.mode != "con":
            return
        for again in range(INSIDE_TRIES):
            hopeful = not a.feasible or self.f < a.best_f
            if self.v <= a.feasible_tol or not hopeful:
                return
            tried = yield from self._inside(fresh=again > 0)
            if not tried:
                return
            best = min(tried, key=lambda p: (max(p.v, a.feasible_tol), p.f))
            if best.v < self.v:
                self.u, self.f, self.c, self.v = best.u, best.f, best.c, best.v

    def _inside(self, fresh: bool) -> Batches:
        """Return points that should lie inside by multiples of what the iterate lies outside.

        Slopes that did not lead there are taken anew, as near as they are needed.
        """
        hair = self._hair()
        if hair > HAIR:
            return []
        if fresh:
            h = turned(self.u, min(max(100.0 * hair, 1e-11), 1e-7))
            if not self._use(*(yield from forward(self.view, self.u, self.f, self.c, h))):
                return []
            hair = self._hair()
        B = np.eye(self.n) if self.B is None else self.B
        steps = []
        for k in INSIDE:
            sub = self._subproblem(B, REACH * k * hair, np.full(self.view.m, k * hair))
            d = sub.restoring()
            steps += [] if d is None else [d]
        if not steps:
            return []
        return (yield from sub.evaluate([1.0] * len(steps), self.u + np.array(steps)))

    def _hair(self) -> float:
        """Return how far the iterate lies outside, at least what rounding can tell."""
        return max(float((self.view.over(self.c) / scales(self.J)).max()), 1e-15)

    def _slopes(self, sub: Step, best: Point) -> Batches:
        """Return slopes and the cut at `best`, or None if they are undefined."""
        at = best
        if self.coarse:
            h: FloatArray | float = self._coarse_step
        elif self.n_cuts > 1:
            aside = self.a.rng.uniform(-1.0, 1.0, self.n) * (0.03 * self.radius)
            (near,) = yield from sub.evaluate([0.0], (best.u + aside)[None])
            at = near if abs(near.f) < BIG else best
            h = min(max(1e-3 * self.radius, 1e-12), 1e-7)
        else:
            assert self.B is not None
            curve = np.maximum(np.diag(self.B), TINY)
            limit = self.step_limit
            h = self._steps(best.f, curve)
            d = best.u - self.u
            left = abs(sub.pred) / (math.sqrt(d @ d) + TINY)
            hidden = 0.5 * float((h * curve).max()) > 0.1 * left
            # under noise h is long: what it hides from a short step it may show a later, longer one
            self.central = hidden or (self.central and not self.a.noisy)
            if self.central:
                h = min(max(0.1 * float(np.abs(d).max()), 0.1 * limit), 100.0 * limit)
                g, J = yield from central(self.view, at.u, at.f, at.c, np.full(self.n, h))
        if self.n_cuts > 1 or not self.central:  # also the coarse ones
            g, J = yield from forward(self.view, at.u, at.f, at.c, turned(at.u, h))
        return (g, J, Cut(at.f, g, at.u)) if usable_slopes(g, J) else None

    def _steps(self, f: float, curve: FloatArray) -> FloatArray:
        """Return forward steps that balance the errors of rounding, or noise, and curvature."""
        least, most = 1e-2 * self.step_limit, self.step_limit
        if not self.a.noisy:  # in a small trust region nearer is better
            least = min(least, 0.1 * self.radius)
            most = min(most, max(1e-2 * self.radius, 1e-3 * most))
        error = max(2.2e-16 * abs(f), self.a.f_noise(f))
        h: FloatArray = np.minimum(np.maximum(2.0 * np.sqrt(error / curve), least), most)
        return h

    def _bend(self, sub: Step, multipliers: FloatArray) -> None:
        """Learn curvature from a rejected step that did lower the violation.

        At the minimum of the objective there is no slope, and none of the curvature is known: only
        such a step tells what it costs to reach the constraints.
        """
        near = min(sub.tried[: len(LINE)], key=lambda p: p.t)
        lower = float(self.view.excess(near.c, sub.scale)) < LOWER * sub.v0
        if self.a.noisy or not lower or not near.f < USABLE:
            return
        assert self.B is not None
        d = near.u - self.u
        bent = multipliers @ (near.c - self.c - self.J @ d)
        lacks = 2.0 * (near.f - self.f - self.g @ d + bent) - d @ self.B @ d
        if lacks > 0.0 and d @ d > 0.0:
            # before the first step nothing is known of other directions: they may bend as much
            along = np.eye(self.n) if self.first else np.outer(d, d) / (d @ d)
            self.B = self.B + along * (lacks / (d @ d))

    def _sharpen(self, length: float) -> Batches:
        """Take finer differences at the iterate before the rejection of a step is believed."""
        if self.coarse:
            self.radius = 0.4 * min(max(length, 0.1 * self.radius), self.radius)
            self.coarse = self.radius > self.config.coarse_least
            yield from self._look()
            return
        self.sharp = True
        h = np.full(self.n, min(30.0 * self.step_limit, 0.1))
        g, J = yield from central(self.view, self.u, self.f, self.c, h)
        self._use(g, J)
        self.radius *= 0.3
