"""Trust-region S-l1-QP with finite differences, a cheap line search, arcs and cuts.

An iteration solves the `subproblem` at u, tries several points along its step d (a slope costs n
evaluations, a point one), takes the one of best merit, and computes the slopes there.

| symbol | here | meaning |
|---|---|---|
| Delta | `radius` | radius of the trust region, in the maximum norm of the unit box |
| d, t | `Step.d`, `t` | step of the subproblem; multiple of it |
| r | `ratio` | decrease of the merit over the predicted one |
| K | `n_cuts` | cuts in use: 1 on smooth functions, more where kinks were met |

- Differences: h_i = 2 sqrt(eps |f| / B_ii), under noise 2 sqrt(sigma / B_ii); central ones once
  h B_ii / 2 exceeds a tenth of pred / |d|.
- Kinks: on a smooth function f(u + d) - f(u) = (g(u) + g(u + d))'d / 2 up to third order. Several
  steps that break this rule, and that no cubic through their ends explains, switch the bundle on.
  Then slopes are taken a little aside (on a kink differences mix the pieces), and a rejected step
  whose objective surprised adds its cut.
- Strictness: what landed outside by v is aimed inside by 2 v, at a cost of a tenth of pred. An end
  that lies outside by a hair and is better than all feasible points goes inside, by 1, 4, 16 and
  64 times what it is outside, whatever that costs.
- Walls: a step whose end has no value is lost. It costs one evaluation, moves a plane, and after
  n + 1 of them Delta is halved; along a bound a point aside tells whether the wall recedes there.
- End: Delta below its limit, three gains in a row that vanish, or the evaluations granted.
"""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import BIG, Archive, Batches
from de2ls.algorithms.chorus.iterate import Iterate, Slopes
from de2ls.algorithms.chorus.model import TINY, updated
from de2ls.algorithms.chorus.noise import probe
from de2ls.algorithms.chorus.optima import End
from de2ls.algorithms.chorus.qp import Solution
from de2ls.algorithms.chorus.step import Step
from de2ls.algorithms.chorus.subproblem import Point
from de2ls.algorithms.chorus.watch import Watch


def _f(point: Point) -> float:
    return point.f


class LocalSearch(Iterate):
    """One run of the method from `u`; `run` is the generator of batches."""

    def __init__(
        self,
        archive: Archive,
        u: FloatArray,
        mode: str,
        radius: float,
        max_evals: int,
        race: bool = False,
    ) -> None:
        super().__init__(archive, u, mode, radius)
        self.first_radius = radius
        self.max_evals, self.began = max_evals, archive.evals
        window = self.config.noisy_window if archive.noisy else self.config.local_window
        self.watch = Watch(archive, window * (self.n + 1), race and mode == "con")
        self.most_cuts = min(self.config.cuts_most, self.n + self.config.cuts_more)
        self.rejected = self.small = self.kinks = self.bad = self.lost = 0
        self.converged = False
        self.best: Point | None = None  # feasible
        self.multipliers: FloatArray | None = None
        self.noisy = archive.noisy  # known before: kinks cannot be told from it
        lately = archive.evals - archive.probed < 3 * (self.n + 1)
        self.suspect = self.noisy or (lately and archive.evals > 20 * (self.n + 1))

    def run(self) -> Batches:
        """Search; returns an `End`."""
        if not (yield from self._begin()):
            return End(self.u, self.f, self.v, False)
        self.converged = True
        self.watch.begin(self.f, self.v)
        settled = True
        while not (yield from self._iterate()):
            if self.a.evals - self.began >= self.max_evals or self.watch.over:
                self.converged = settled = False
                break
            if self.watch.stalls(self.f, self.v):
                settled = False
                break
            if self.view.outdated and not (yield from self._renew()):
                self.converged = settled = False
                break
        yield from self._go_inside()
        J: FloatArray | None = self.J
        multipliers = self.multipliers
        if self.view.root.any():  # slopes and multipliers of the roots are not those of h
            J = multipliers = None
        if self.view.m < self.a.m:  # a relaxed search knows none
            multipliers = None
        kinked = self.n_cuts > 1
        return End(*self._end(), self.converged, self.g, J, self.c, multipliers, settled, kinked)

    def _end(self) -> tuple[FloatArray, float, float]:
        """Return the iterate, or the best feasible point where that is as good."""
        best, tol = self.best, self.a.feasible_tol
        if best and self.v > tol and best.f - self.f <= 1e-6 * (abs(self.f) + 1e-6):
            return best.u, best.f, best.v
        return self.u, self.f, self.v

    def _iterate(self) -> Batches:
        """Make one iteration; returns whether the search is over."""
        norm = math.sqrt(self.g @ self.g)
        if norm == 0 and not self.view.over(self.c).any():
            return True
        if self.B is None:
            self.B = np.eye(self.n) * self._first_curvature(norm or 1.0)
        sub, solution = self._solved(self.B)
        if solution is None:
            self.B = None
            self.bundle.keep(1)
            self.radius *= 0.3
            return self.radius < self.config.local_tol
        self.kappa = sub.kappa
        self.multipliers = sub.multipliers(solution)
        start, sharp = self.u, self.central or self.sharp
        full, best = yield from sub.line()
        self.walls.learn([p.u for p in sub.tried], [p.valued for p in sub.tried], sub.lost)
        self.lost = self.lost + 1 if sub.lost else 0
        if sub.lost:
            return (yield from self._retreat(sub))
        feasible = [p for p in sub.tried if p.v <= self.a.feasible_tol]
        self.best = min([*feasible, *([self.best] if self.best else [])], key=_f, default=None)
        gain = self.f + sub.rho * sub.v0 - best.merit
        ratio = gain / sub.pred if sub.pred > 0 else -1.0
        taken = gain > 0 and ratio > 1e-4
        self._aim(sub, best)
        over = sub.objective(full.u - self.u) + 0.1 * sub.pred
        null = not taken and self.n_cuts > 1 and full.f < BIG and full.f - self.f > over
        slopes: Slopes | None = None
        if taken or null:
            best = best if taken else full
            slopes = yield from self._slopes(sub, best)
        if taken and slopes is None:
            taken = False
            self.radius *= 0.5
        if taken and slopes is not None:
            done = self._accept(sub, solution, best, gain, slopes)
        elif not (self.central or self.sharp) and self.n_cuts == 1:
            self._bend(sub, self.multipliers)
            yield from self._sharpen(float(np.abs(sub.d).max()))
            done = False
        else:
            done = self._reject(sub, best, slopes if null else None)
        merit = self.f + sub.rho * float(self.view.excess(self.c, sub.scale))
        settled = np.abs(best.u - start).max() < 0.5 * self.radius or self.radius > 0.09
        self.watch.judge(merit, abs(sub.pred) + max(gain, 0.0), bool(settled))
        done = (yield from self._suspect()) or done
        self.bundle.keep(self.n_cuts)
        if sub.pred <= 0 and sharp:
            self.bad += 1
            self.B, self.radius = None, 0.3 * self.radius
        least = max(self._negligible(), self.a.f_noise(self.f))
        flat = 0 < sub.pred <= least and sub.v0 <= 0
        return done or self.radius < self._tolerance() or self.bad > self.config.local_bad or flat

    def _retreat(self, sub: Step) -> Batches:
        """Stay where a step was lost, and shrink if many were; returns whether it is over."""
        self.walls.keep_off()
        if self.lost > self.n:
            self.lost, self.radius = 0, 0.5 * self.radius
            end = self.u + sub.d
            held = np.flatnonzero(((end <= 0.0) | (end >= 1.0)) & (sub.d == 0.0))
            if held.size:  # all steps are alike there
                i = self.a.rng.choice(held)
                end[i] += sub.radius if end[i] <= 0.0 else -sub.radius
                aside = yield from sub.evaluate([1.0], end[None])
                self.walls.learn([p.u for p in aside], [p.valued for p in aside], True)
        return self.radius < self._tolerance()

    def _negligible(self) -> float:
        """Return the gain below which a search ends.

        On the way to the problem it may be rough, unless there is time to follow a valley: beside
        the deviation across the box what remains there looks like nothing.
        """
        short = self.a.budget <= self.config.rough_budget * self.a.n
        if self.view.mode == "f" and self.a.m and short:
            return self.config.rough * (abs(self.f) + float(self.a.size[0]))
        return 1e-16 * (abs(self.f) + 1e-8)

    def _tolerance(self) -> float:
        return max(self.config.local_tol, 1e-4 * (self.step_limit - 1e-7))

    def _aim(self, sub: Step, best: Point) -> None:
        """Aim inside what landed a hair outside."""
        if self.view.m:
            over = 2.0 * self.view.over(best.c) / sub.scale
            limit = 0.1 * abs(sub.pred) / max(sub.g_norm, TINY)
            self.margin = np.minimum(np.maximum(over, 0.3 * self.margin), limit)

    def _accept(
        self, sub: Step, solution: Solution, best: Point, gain: float, slopes: Slopes
    ) -> bool:
        """Move to `best`; returns whether the search is over."""
        assert self.B is not None
        g, J, cut = slopes
        d = best.u - self.u
        own = solution.cut_weights[-1]
        y = g - self.g if own >= 0.9 else np.zeros(self.n)  # several pieces: curvature unknown
        if self.view.m and self.multipliers is not None:
            y = y + self.multipliers @ (J - self.J)
        self.B = updated(self.B, d, y, self.first)
        self.first = False
        before, after = float(self.g @ d), float(g @ d)
        error = abs(best.f - self.f - 0.5 * (before + after)) / (abs(before) + abs(after) + TINY)
        # cuts that hold the step and recur are pieces of the function
        used = self.n_cuts > 1 and own < 0.99 and self.bundle.knows(g)
        kinked = error > 0.05 and not self.coarse and not self.noisy
        kinked = kinked and not sub.smooth(best, before, after)
        self.kinks = min(6, self.kinks + 1) if kinked else max(0, self.kinks - (not used))
        self.u, self.f, self.c, self.v = best.u, best.f, best.c, best.v
        self.g, self.J = g, J
        self.bundle.accept(cut)
        self.rejected, self.sharp = 0, False
        if self.config.cuts and self.n_cuts == 1 and self.kinks >= 4:
            self.n_cuts, self.B = self.most_cuts, None
        elif self.kinks == 0:
            self.n_cuts = 1
        length = float(np.abs(d).max())
        self.coarse = self.coarse and length >= self.config.coarse_least
        if best.t > 1 or (best.t > 0.5 and length > 0.9 * self.radius):
            self.radius = min(0.5, 2.5 * self.radius)
        elif best.t <= 0.3:
            self.radius = max(0.3 * self.radius, 2.0 * length)
        self.radius = min(0.5, self.radius)
        self.small = self.small + 1 if gain < 1e-13 * (abs(self.f) + 1e-6) else 0
        return self.small >= 3

    def _reject(self, sub: Step, best: Point, slopes: Slopes | None) -> bool:
        """Stay: learn the cut of a null step, or shrink."""
        self.rejected += 1
        d = best.u - self.u
        length = float(np.abs(d).max())
        promising = sub.pred > 1e-10 * (abs(self.f) + 1e-6)  # more than rounding
        if self.n_cuts > 1:
            new = slopes is not None and self.bundle.learn(slopes[2])
            learns = new and self.rejected < 2 * self.most_cuts
            if slopes and learns and promising and self._kinked(slopes[0], length):
                self.watch.begin(self.f, self.v)  # pieces show one by one: that is no stall
            self.radius *= 1.0 if learns else 0.4
            return False
        assert self.B is not None
        self.radius = 0.1 * self.radius if length == 0 else min(0.1 * self.radius, 2.0 * length)
        modelled = sub.objective(d) + 0.5 * float(d @ self.B @ d)
        surprised = promising and best.f - self.f > 0.5 * modelled
        full = sub.tried[0]
        surprised = surprised and not sub.smooth(full, float(self.g @ (full.u - self.u)))
        if self.config.cuts and not self.noisy and self.rejected >= 2 and surprised:
            # the objective, not a constraint or its bend, is to blame: a kink
            self.n_cuts, self.B, self.kinks = self.most_cuts, None, 4
            self.radius = min(30.0 * self.radius, self.first_radius)
        return False

    def _kinked(self, g: FloatArray, length: float) -> bool:
        """Whether the slope changes faster than curvature could explain."""
        most = self.config.kink * float(self.a.size[0]) * length
        return float(np.linalg.norm(g - self.g)) > most

    def _suspect(self) -> Batches:
        """Probe for noise where differences may be at fault; returns whether it was found."""
        if self.suspect or (self.rejected < 2 and self.kinks < 3):
            return False
        self.suspect = True
        yield from probe(self.a, self.u)
        if self.a.noisy:
            self.converged = False
        return self.a.noisy
