"""The arm of the trend: where quadratic models of wide boxes have their optimum.

Ripples that stop every local search are noise to a regression over many points. In each of three
boxes around the last centre random points are evaluated, all outputs are fitted by `regression`,
and the models' constrained optimum in the box is the next centre; the local method starts from the
last one. By turns it begins with the whole box, and with the second box around the incumbent.

| symbol | here | meaning |
|---|---|---|
| R | `RADII` | half widths of the boxes, of the unit box |
| N | `points` | points in a box, `trend_points` times the coefficients of a quadratic |
"""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import Archive, Batches, better
from de2ls.algorithms.chorus.local import solve
from de2ls.algorithms.chorus.merit import Merit
from de2ls.algorithms.chorus.regression import coefficients, fit

RADII = (0.5, 0.25, 0.12)
KAPPA = 30.0  # penalty of the models' constraints, in units of the objective's
STEPS = 20  # of the models' minimisation
TAILS = (5.0, 95.0)  # percentiles; outputs farther out than three times their distance are cut
LARGEST = 2500  # points that one regression takes


def affordable(a: Archive) -> bool:
    """Whether a trend takes a small share of the evaluations that are left."""
    points = a.config.trend_points * coefficients(a.n)
    few = len(RADII) * points <= a.config.trend_share * a.left
    return few and points <= LARGEST and a.n > 1 and not (a.noisy or a.discrete.size)


def trend(a: Archive) -> Batches:
    """Follow the trend again and again, by turns from the whole box and around the incumbent."""
    around, fails = False, 0
    while affordable(a) and fails < a.config.trend_patience:
        before = a.score
        start, radii = (a.incumbent, RADII[1:]) if around else (np.full(a.n, 0.5), RADII)
        around = a.feasible and not around
        centre = yield from _follow(a, start, radii)
        most = int(a.config.short_most * (a.n + 1))
        yield from solve(a, centre, "con", a.config.trend_radius, most, race=True)
        fails = 0 if better(a.score, before) else fails + 1
        a.count("trends")
        yield None


def _follow(a: Archive, centre: FloatArray, radii: tuple[float, ...]) -> Batches:
    """Follow the trend inwards; returns the last centre."""
    n, points = a.n, int(a.config.trend_points * coefficients(a.n))
    U, Y = np.empty((0, n)), np.empty((0, 1 + a.m))
    for radius in radii:
        low, high = np.maximum(0.0, centre - radius), np.minimum(1.0, centre + radius)
        inside = (np.abs(U - centre) <= radius).all(1)
        U, Y = U[inside], Y[inside]
        X = low + (high - low) * a.random(points - len(U))
        rows = yield X
        U = np.concatenate([U, X[rows.usable]])
        Y = np.concatenate([Y, rows.out[rows.usable, : 1 + a.m]])
        if len(U) < n + 3:
            break
        centre = _optimum(a, centre, radius, (U - centre) / radius, without_tails(Y))
    return centre


def _optimum(
    a: Archive, centre: FloatArray, radius: float, Z: FloatArray, Y: FloatArray
) -> FloatArray:
    """Return the constrained optimum of the models in the box around the centre."""
    models = fit(Z, Y, np.ones(len(Z))).models
    merit = Merit(models, a.ng, a.slack, 0.7 * a.eq_tol)
    merit.kappa = KAPPA
    lo, hi = np.maximum(-1.0, -centre / radius), np.minimum(1.0, (1.0 - centre) / radius)
    z, _ = merit.minimise(np.zeros(a.n), lo, hi, np.zeros(a.m), STEPS)
    moved: FloatArray = np.clip(centre + radius * z, 0.0, 1.0)
    return moved


def without_tails(Y: FloatArray) -> FloatArray:
    """Return outputs, those far beyond the usual range cut: a pole would drown all others."""
    low, high = np.percentile(Y, TAILS, axis=0)
    reach = 3.0 * (high - low)
    cut: FloatArray = np.clip(Y, low - reach, high + reach)
    return cut
