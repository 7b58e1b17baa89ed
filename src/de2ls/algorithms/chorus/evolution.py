"""Two arms of CMA-ES: on the objective alone, and on all outputs.

`relaxed` ignores the constraints, its end is a start for the local arm; the number of points per
generation doubles from run to run. `evolve` minimises the violation until a point is feasible, then
the augmented Lagrangian from random points, half as many points again each time; the local method
goes on where the points have come together. On the violation, too, runs begin at random points:
what local searches leave violated is rugged, and many points at once are needed; a run around the
incumbent follows when another arm has found less violation than the last one. Without
constraints and with discrete coordinates (by feasibility rules) cold runs (from a random point,
three times as many points each time) and warm ones (from the incumbent) take turns.
"""

import numpy as np

from de2ls.algorithms.chorus.archive import Archive, Batches, better
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.cma import CMA, default_lambda
from de2ls.algorithms.chorus.lagrangian import LagrangianCMA
from de2ls.algorithms.chorus.local import solve

TOGETHER = 1e-3  # spread at which the local method goes on
BY_RULES, ON_VIOLATION = (-5.0, -1.0), (-4.0, -1.5)  # powers of ten: step sizes around incumbents


def _most(a: Archive) -> int:
    """Return the most evaluations of a run of CMA-ES."""
    return int(a.config.cma_share * a.budget)


def relaxed(a: Archive) -> Batches:
    """CMA-ES on the objective alone."""
    lam, known = default_lambda(a.n), np.inf
    while a.m:
        sigma = a.config.cma_sigma if known < np.inf else 0.6 * a.config.cma_sigma
        es = CMA(a, 0.25 + 0.5 * a.random(1)[0], sigma, lam, "f")
        yield from es.run(_most(a))
        a.bases["relaxed"] = es.B * es.d
        if es.best_u is not None and es.best < known:
            a.propose(es.best_u)
        known = min(known, es.best)
        lam = min(2 * lam, 10 * a.n + 20)
        yield None


def evolve(a: Archive) -> Batches:
    """CMA-ES on the violation, then on the augmented Lagrangian or by feasibility rules."""
    base, many = default_lambda(a.n), a.config.evolve_per_dim * a.n
    lam, most = base, a.config.violation_per_dim * a.n
    es: CMA | None = None
    for turn in range(1_000_000):
        if a.m and not a.feasible:
            cold = es is None or not better((1, a.least_v), (1, es.best))
            es = _cold(a, max(base, int(most)), "v") if cold else _warm(a, base, "v", ON_VIOLATION)
            yield from _until_feasible(a, es)
            most = min(1.5 * most, 2.5 * a.config.violation_per_dim * a.n) if cold else most
            if es.best_u is not None:
                a.propose(es.best_u)
        elif a.m and not a.discrete.size:
            es = yield from _constrained(a, max(base, int(many)))
            many = min(1.5 * many, 10.0 * a.config.evolve_per_dim * a.n)
        else:
            cold = turn % 2 == 0
            es = _cold(a, lam, "rules") if cold else _warm(a, base, "rules", BY_RULES)
            yield from es.run(_most(a))
            lam = min(3 * lam, 10 * a.n + 20) if cold else lam
        a.bases["evolve"] = es.B
        yield None


def _cold(a: Archive, lam: int, mode: str) -> CMA:
    return CMA(a, 0.25 + 0.5 * a.random(1)[0], a.config.cma_sigma, lam, mode)


def _warm(a: Archive, lam: int, mode: str, sigmas: tuple[float, float]) -> CMA:
    return CMA(a, a.incumbent, 10.0 ** a.rng.uniform(*sigmas), lam, mode)


def _constrained(a: Archive, lam: int) -> Batches:
    """Run on the augmented Lagrangian from a random point, and locally from where it ends."""
    es = LagrangianCMA(a, 0.25 + 0.5 * a.random(1)[0], a.config.cma_sigma, lam, np.zeros(a.m))
    yield from es.run(_most(a), TOGETHER)
    yield from solve(a, boxed(es.mean), "con", 0.01, int(a.config.short_most * (a.n + 1)))
    return es


def _until_feasible(a: Archive, es: CMA) -> Batches:
    """Run on the violation until its own point is feasible."""
    batches = es.run(_most(a))
    U = next(batches, None)
    while U is not None:
        rows = yield U
        try:
            U = batches.send(rows)
        except StopIteration:
            return
        if es.best <= a.feasible_tol:
            return
