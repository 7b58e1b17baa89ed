"""Trust-region method on regression models, for noisy, stepped or partly undefined outputs.

Model points are the nearest ones that any arm evaluated, with relative variance
W = 1 + (r/2)^6, r = distance / Delta: the error of a quadratic is cubic. A step minimises

    phi(z) = f(z) + kappa S sum_j over_j(z) / s_j,   S = |grad f| + 0.3 |H_f|

with quadratic f and constraints (S-l1-QP inside, no evaluations), inequalities aimed at
-aim sd_j / s_j. It is compared with the centre by the fitted values of a new fit that holds the
trial points: a lucky value does not block, a lucky trial does not mislead. The new fit, moved to
the new centre, is the next step's model.

| symbol | here | meaning |
|---|---|---|
| Delta | `radius` | radius of the trust region |
| sd_j, s_j | `sd`, `scale` | noise and scale of constraint j |
| kappa | `kappa` | penalty in units of S; tenfold only if a multiplier is at its limit |
| r | `ratio` | smoothed decrease over the predicted one |

End: the predicted decrease below the merit's noise four times in a row, Delta below its limit, or
a window of evaluations in which no more than noise was gained.
"""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import BIG, Archive, Batches
from de2ls.algorithms.chorus.merit import Merit
from de2ls.algorithms.chorus.optima import End
from de2ls.algorithms.chorus.regression import Fit, coefficients, fit
from de2ls.algorithms.chorus.watch import Watch

AIMS = (0.0, 2.5)  # in units of sd, tried beside 1
TAME = 10.0  # constraints are logarithmic beyond so many times their typical deviation
CROWD = 0.05  # of the radius: what lies within is a crowd
CUT = 3.0  # outputs may differ from the centre by so many times what a cubic allows


def tamed(c: FloatArray, s: FloatArray) -> FloatArray:
    """Return constraints, those over s in size made logarithmic; zeros and signs stay."""
    s = np.where(s > 0.0, s, np.inf)
    over = np.abs(c) > s
    if not over.any():
        return c
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(over, np.sign(c) * s * (1.0 + np.log(np.abs(c) / s)), c)


def within_cubic(r: FloatArray, Y: FloatArray, k: int) -> FloatArray:
    """Return the outputs, those farther off than a cubic through the near ones allows cut back.

    A pole or an exponential would drown all that is near by values that no weight makes up for.
    """
    if len(r) <= k:
        return Y.copy()
    reach = max(2.0, float(np.partition(r, k)[k]))
    centre = Y[r.argmin()]
    spread = np.abs(Y[r <= reach] - centre).max(0)
    limit = CUT * spread * np.maximum(1.0, r / reach)[:, None] ** 3
    cut: FloatArray = np.clip(Y, centre - limit, centre + limit)
    return cut


class SmoothedSearch:
    """One run of the method from `u`; `run` is the generator of batches."""

    def __init__(
        self,
        archive: Archive,
        face: Any,
        u: FloatArray,
        mode: str,
        radius: float,
        max_evals: int,
        polish: bool = False,
        tol: float | None = None,
    ) -> None:
        self.a, self.face, self.config = archive, face, archive.config
        self.mode = mode
        self.n, self.u, self.radius = len(u), u, radius
        self.tol = archive.config.smoothed_tol if tol is None else tol
        self.ng, self.nh = (archive.ng, archive.nh) if mode != "f" else (0, 0)
        self.m = self.ng + self.nh
        self.slack = 0.9 * archive.slack[: self.ng]
        self.band = 0.7 * archive.eq_tol[: self.nh]
        self.most = int(min(2 * coefficients(self.n), self.config.model_points * self.n + 40))
        self.max_evals, self.began = max_evals, archive.evals
        self.kappa, self.quiet, self.designs = 3.0, 0, 0
        self.f = self.v = np.inf  # fitted values at the centre
        self.polish = polish
        self.watch = Watch(archive, self.config.smoothed_window * (self.n + 1), race=False)

    def run(self) -> Batches:
        """Search; returns an `End`."""
        rows = yield self.u[None]
        if not rows.usable.any():  # undefined here: a usable neighbour
            around = self.a.rng.uniform(-1e-3, 1e-3, (4, self.n))
            rows = yield np.clip(self.u + around, 0.0, 1.0)
            if not rows.usable.any():
                return End(self.u, BIG, BIG, False)
        self.f = float(rows.out[rows.usable.argmax(), 0])
        known: Fit | None = None
        self.watch.begin(np.inf, np.inf)
        while self.a.evals - self.began < self.max_evals:
            if known is None:
                known = yield from self._first_fit()
                if known is None:
                    break
            known = yield from self._step(known)
            if self.quiet >= 4 or self.radius < self.tol or self._stalls():
                return End(self.u, self.f, self.v, True)
        return End(self.u, self.f, self.v, False)

    def _stalls(self) -> bool:
        """Whether nothing but noise was gained for a while; a polish must gain at the incumbent."""
        if not self.a.noisy:
            return False
        if self.polish and self.a.feasible:
            return self.watch.stalls(self.a.best_f, 0.0)
        return self.watch.stalls(self.f, self.v)

    def _data(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return scaled points, outputs and relative variances near the centre."""
        U, out, r = self.face.near(self.u, self.most, CROWD * self.radius)
        r = r / self.radius
        keep = r < 12.0
        r, Y = r[keep], out[keep][:, : 1 + self.m]
        if self.m:
            Y[:, 1:] = tamed(Y[:, 1:], TAME * self.a.size[1 : 1 + self.m])
        Y = within_cubic(r, Y, self.n + 2)
        if self.mode in ("c", "v"):
            Y[:, 0] = 0.0
        return (U[keep] - self.u) / self.radius, Y, 1.0 + (0.5 * r) ** 6

    def _first_fit(self) -> Batches:
        """Fit at the centre, after a design of points where there are too few."""
        while True:
            Z, Y, W = self._data()
            if (1.0 / W).sum() >= self.n + 2 and len(Z) >= self.n + 3:
                return fit(Z, Y, W)
            if self.designs > 3 or self.a.left <= 0:
                return None
            few = self.n > 12 and self.designs == 0
            yield self._design(self.n + 2 if few else 2 * self.n)
            self.designs += 1
            Z, Y, W = self._data()
            if len(Z) >= self.n + 3:
                return fit(Z, Y, W)
            self.radius *= 0.5

    def _design(self, k: int) -> FloatArray:
        """Return points that span the trust region: both ways along the axes, inside the box."""
        E = np.concatenate([np.eye(self.n), -np.eye(self.n)])
        if k < 2 * self.n:
            E = E[self.a.rng.permutation(2 * self.n)]
        offset = self.radius * (E[:k] + self.a.rng.uniform(-0.1, 0.1, (min(k, 2 * self.n), self.n)))
        X = self.u + offset
        return np.clip(np.where((X > 1.0) | (X < 0.0), self.u - 0.6 * offset, X), 0.0, 1.0)

    def _poor(self, known: Fit) -> FloatArray:
        """Return points along directions that the models hardly know."""
        poor = np.flatnonzero(known.info < 0.7)[-max(2, self.n // 3) :]
        V = known.axes[poor]
        V = V / np.abs(V).max(1, keepdims=True) * self.a.rng.choice([-1.0, 1.0], (len(V), 1))
        X = self.u + self.radius * V
        out = (X > 1.0) | (X < 0.0)
        inside: FloatArray = np.clip(np.where(out, self.u - self.radius * V, X), 0.0, 1.0)
        return inside

    def _step(self, known: Fit) -> Batches:
        """Make one step from the models around the centre; returns the next step's models."""
        merit = Merit(known.models, self.ng, self.slack, self.band)
        merit.kappa = self.kappa
        lo = np.maximum(-1.0, -self.u / self.radius)
        hi = np.minimum(1.0, (1.0 - self.u) / self.radius)
        sd = known.sd[1:] / merit.scale
        aim, zero = np.minimum(sd, 0.3), np.zeros(self.n)
        z = self._best_step(merit, lo, hi, aim)
        trials = [z]
        for t in AIMS if self.m else ():
            other, _ = merit.minimise(z, lo, hi, np.minimum(t * sd, 0.5), 2)
            if all(np.abs(other - x).max() > 0.02 for x in trials):
                trials.append(other)
        pred = merit(zero, aim) - merit(z, aim)
        noise = self._noise(known) / merit.units
        active = noise[1:][merit.models.c[1:] > -2.0 * sd - 0.3].sum()
        hidden = noise[0] + 0.3 * self.kappa * active
        flat = pred < hidden or pred * merit.unit < 1e-12 * abs(known.models.c[0])
        self.quiet = self.quiet + 1 if flat else 0
        U = np.clip(self.u + self.radius * np.array(trials), 0.0, 1.0)
        yield np.concatenate([U, self._poor(known)])
        data = self._data()
        if len(data[0]) < self.n + 3:
            self.radius *= 0.5
            return None
        new = fit(*data)
        merit.use(new.models)
        values = [merit(x, aim) for x in trials]
        j = int(np.argmin(values))
        gain = merit(zero, aim) - values[j]
        ratio = gain / pred if pred > 0 else -1.0
        old, centre = self.radius, zero
        size = float(np.abs(z).max())
        if gain > 0 and ratio > 0.05:
            self.u, centre = U[j], (U[j] - self.u) / self.radius
            if ratio > 0.7 and np.abs(trials[j]).max() > 0.8:
                self.radius = min(0.4, 2.0 * self.radius)
            elif ratio < 0.25 or size < 0.3:
                self.radius *= 0.6
        else:
            self.radius *= 0.5 if size > 0.5 else max(0.3, size)
        here = new.models(centre)
        self.f = float(here[0])
        g, h = here[1 : 1 + self.ng], np.abs(here[1 + self.ng :])
        over = np.where(h > self.a.eq_tol[: self.nh], h, 0.0).sum()
        self.v = float(np.maximum(g, 0.0).sum() + over)
        return self._moved(new, data, centre, self.radius / old)

    def _noise(self, known: Fit) -> FloatArray:
        """Return the noise of the outputs, of which the models' errors are no part."""
        if not self.a.noisy:
            return known.sd
        noise: FloatArray = np.minimum(known.sd, 3.0 * self.a.noise_at(known.models.c))
        return noise

    def _best_step(
        self, merit: Merit, lo: FloatArray, hi: FloatArray, aim: FloatArray
    ) -> FloatArray:
        """Minimise the merit; the penalty grows only if that buys feasibility."""
        z, multipliers = merit.minimise(np.zeros(self.n), lo, hi, aim, 6)
        if not self.m:
            return z
        largest = float(np.abs(multipliers).max())
        if merit.over(z, aim) > 1e-6 and largest > 0.9 * self.kappa and self.kappa <= 1e3:
            merit.kappa = 10.0 * self.kappa
            stricter, _ = merit.minimise(z, lo, hi, aim, 4)
            if merit.over(stricter, aim) < 0.7 * merit.over(z, aim):
                z, self.kappa = stricter, merit.kappa
        else:
            self.kappa = max(2.0, 0.6 * self.kappa, min(self.kappa, 2.0 * largest))
        merit.kappa = self.kappa
        return z

    def _moved(self, new: Fit, data: Any, centre: FloatArray, factor: float) -> Fit | None:
        """Return a fit around the new centre, or None where its points have become too few."""
        r = np.abs(data[0] - centre).max(1) / factor
        if (1.0 / (1.0 + (0.5 * r) ** 6)).sum() < self.n + 2:
            return None
        return Fit(new.models.moved(centre, factor), new.sd, new.axes, new.info / factor)
