"""The arm for rugged problems: differential evolution with two populations, by whole generations.

The operators are those of RDEx (see `two_populations`): the top P holds the best N points found and
attracts, the front Q holds the newest successes and supplies the parents. Here a generation is
drawn at once, as arrays, and its successes enter at its end.

    a  uniform among the best 0.3 N of P,  r1 from Q by rank, weight exp(-7 i / N),  r2 from P
    F  ~ N(s^(1/3), 0.05) in [0, 1],  CR ~ N(M_k, 0.1) in [0, 1]
    donor = Q_c + F (P_a - Q_c) + F (Q_r1 - P_r2)
    eps = the e-th smallest v in Q,  e = 0.8 N (1 - p)^2;  0 if p > 0.8
    N = N_0 + (4 - N_0) p

| symbol | here | meaning |
|---|---|---|
| P, Q | `top`, `front` | top population and front |
| N, N_0 | `size` | their size, at the start |
| s | `rate` | share of successes in the last generation |
| M | `memory` | success history of CR |
| p | `progress` | share of the run's horizon that is over, by the clock of the whole search |

p follows the whole search's evaluations, so that a run ends in time whatever its share of them is.
"""

from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches, Rows

CELLS = 5


class Members(NamedTuple):
    """A population: points, objectives, violations."""

    u: FloatArray
    f: FloatArray
    v: FloatArray

    def take(self, i: Any) -> "Members":
        """Return the members `i`."""
        return Members(self.u[i], self.f[i], self.v[i])

    def join(self, other: "Members") -> "Members":
        """Return both populations as one."""
        return Members(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def order(self, eps: float) -> Any:
        """Return the eps-order: violations up to `eps` do not count."""
        return np.lexsort((self.f, np.where(self.v <= eps, 0.0, self.v)))


class TwoPopulations:
    """One run of the arm, of `horizon` evaluations of the whole search."""

    def __init__(self, a: Archive, size: int, horizon: int) -> None:
        self.a, self.size, self.horizon = a, size, horizon
        self.began = a.evals
        self.rate, self.memory, self.cell = 0.5, np.ones(CELLS), 0
        self.pointer = 0

    @property
    def progress(self) -> float:
        """Share of the horizon that is over."""
        return min(1.0, (self.a.evals - self.began) / max(1, self.horizon))

    def _members(self, U: FloatArray, rows: Rows) -> Members:
        v = np.where(rows.v <= self.a.feasible_tol, 0.0, rows.v)
        return Members(U, rows.out[:, 0].copy(), v)

    def run(self, U: FloatArray) -> Batches:
        """Run from the points `U`."""
        rows = yield U
        self.front = self._members(U, rows)
        self.top = self.front
        quiet = 0
        while self.progress < 1.0 and quiet < 60:
            p, n = self.progress, len(self.front.f)
            eps = 0.0
            if p <= 0.8:
                eps = float(np.sort(self.front.v)[min(n - 1, int(0.8 * n * (1.0 - p) ** 2))])
            self.top = self.top.take(self.top.order(eps)[:n])
            trials, target, CR = self._trials(eps)
            new = self._members(trials, (yield trials))
            won, weight = self._successes(new, self.front.take(target), eps)
            self.rate = len(won) / n
            quiet = 0 if len(won) else quiet + 1
            if len(won):
                self._learn(CR[won], weight[won])
            self._replace(new.take(won))
            size = max(4, int(self.size + (4 - self.size) * p))
            if size < n:
                self.front = self.front.take(np.sort(self.front.order(eps)[:size]))
                self.pointer %= size
            if np.ptp(self.front.u, axis=0).max() < 1e-12:
                break

    def _trials(self, eps: float) -> tuple[FloatArray, Any, FloatArray]:
        """Return a generation of trials, their targets and their crossover rates."""
        rng: Any = self.a.rng
        Q, P = self.front, self.top
        n, dim = Q.u.shape
        c = rng.integers(n, size=n)
        best = rng.integers(max(2, int(0.3 * n)), size=n)
        rank = -np.log1p(rng.random(n) * np.expm1(-7.0)) * (n / 7.0)
        r1 = Q.order(eps)[np.minimum(rank.astype(int), n - 1)]
        r2 = rng.integers(n, size=n)
        mean = self.rate ** (1.0 / 3.0)
        F = np.abs(rng.normal(mean, 0.05, n))
        F = np.where(F > 1.0, np.maximum(0.0, 2.0 - F), F)[:, None]
        CR = np.clip(rng.normal(self.memory[rng.integers(CELLS, size=n)], 0.1), 0.0, 1.0)
        parent = Q.u[c]
        donor = parent + F * (P.u[best] - parent) + F * (Q.u[r1] - P.u[r2])
        cross = rng.random((n, dim)) < CR[:, None]
        cross[np.arange(n), rng.integers(dim, size=n)] = True
        perturbed = rng.random(n) < self.a.config.perturb_rate
        kicked = parent + self.a.config.perturb_scale * rng.standard_cauchy((n, dim))
        rest = np.where(perturbed[:, None], kicked, parent)
        U = np.where(cross, donor, rest)
        U = np.where(U < 0.0, 0.5 * parent, np.where(U > 1.0, 0.5 * (parent + 1.0), U))
        return U, c, cross.mean(1)

    def _successes(self, new: Members, old: Members, eps: float) -> tuple[Any, FloatArray]:
        """Return which trials beat their targets, and by how much."""
        u_new, u_old = np.where(new.v <= eps, 0.0, new.v), np.where(old.v <= eps, 0.0, old.v)
        by_f = (new.f <= old.f) & ((new.v <= eps) | (u_new == u_old))
        won = by_f | (u_new < u_old)
        weight = np.where(by_f, old.f - new.f, u_old - u_new)
        return np.flatnonzero(won), weight

    def _learn(self, CR: FloatArray, weight: FloatArray) -> None:
        """Blend the weighted Lehmer mean of what made successes into the memory."""
        total = float(weight @ CR)
        mean = float(weight @ CR**2) / total if np.isfinite(total) and total > 0 else 1.0
        self.memory[self.cell] = 0.5 * (self.memory[self.cell] + min(1.0, mean))
        self.cell = (self.cell + 1) % CELLS

    def _replace(self, won: Members) -> None:
        """Write successes over the front's oldest places; they join the top."""
        if not len(won.f):
            return
        n = len(self.front.f)
        place = (self.pointer + np.arange(len(won.f))) % n
        for own, new in zip(self.front, won, strict=True):
            own[place] = new
        self.pointer = int(place[-1] + 1) % n
        self.top = self.top.join(won)


def rugged(a: Archive) -> Batches:
    """Run two populations again and again, each larger; every second one knows the incumbent."""
    size, warm = a.config.rugged_per_dim * a.n, False
    while True:
        share = max(a.config.rugged_share * a.left, min(a.left, a.config.rugged_least * a.n))
        fitting = max(12, int(share / 60))
        U = a.random(int(min(max(20, size), fitting)))
        if a.best_u is not None and warm:
            U[0] = a.best_u
        warm = not warm
        yield from TwoPopulations(a, len(U), int(share)).run(U)
        if a.m:
            a.propose(a.incumbent)
        size = min(1.5 * size, 40.0 * a.n)
        yield None
