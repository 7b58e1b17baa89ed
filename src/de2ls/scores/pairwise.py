"""Protocol ``cec2026``: every pair of trials gives one point for accuracy and one for speed.

=========== ==============================================================================
symbol      meaning
=========== ==============================================================================
E*, C*      final Min_EV and LCV of a trial; feasible: C* <= tolerance and E* finite
theta       what both trials of a pair reach: the worse of their ends
tau         first sample at which a trial is at theta or below; no such sample: infinity
n, m        trials per algorithm, algorithms
=========== ==============================================================================
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.suites.suite import CEC_TOL

TIE = 1e-8  # ends this close share the point
RELATIVE_TIE = 1e-12  # the same for large numbers, relative to max(1, |u|, |v|)


class Ends(NamedTuple):
    """Final state of each trial."""

    E: FloatArray
    C: FloatArray
    feasible: NDArray[np.bool_]


def ends(trials: FloatArray, tol: float = CEC_TOL) -> Ends:
    """Return the final states of trials (trials, samples, 2); `tol` is the feasible LCV."""
    E, C = trials[:, -1, 0], trials[:, -1, 1]
    return Ends(E, C, (tol >= C) & np.isfinite(E))


def tie(u: FloatArray, v: FloatArray) -> NDArray[np.bool_]:
    """Whether two ends count as equal; NaN ties with nothing."""
    scale = np.maximum(1.0, np.maximum(np.abs(u), np.abs(v)))
    with np.errstate(invalid="ignore"):  # inf - inf
        near: NDArray[np.bool_] = np.abs(u - v) <= np.maximum(TIE, RELATIVE_TIE * scale)
    same: NDArray[np.bool_] = u == v
    return near | same


def accuracy_points(trials: FloatArray, tol: float = CEC_TOL) -> FloatArray:
    """Return the matrix of what trial x earns against trial y by their ends: 0, 0.5 or 1."""
    E, C, feasible = ends(trials, tol)
    both = feasible[:, None] & feasible
    only = feasible[:, None] & ~feasible
    neither = ~feasible[:, None] & ~feasible
    wins = only | (both & (E[:, None] < E)) | (neither & (C[:, None] < C))
    ties = (both & tie(E[:, None], E)) | (neither & tie(C[:, None], C))
    return np.where(ties, 0.5, wins)


def speed_points(trials: FloatArray, tol: float = CEC_TOL) -> FloatArray:
    """Return the matrix of what trial x earns against trial y by time of arrival: 0, 0.5 or 1."""
    E, C, feasible = ends(trials, tol)
    tau = np.zeros((len(trials), len(trials)), dtype=np.intp)
    by_objective = np.ix_(feasible, feasible)
    if feasible.any():
        tau[by_objective] = _arrivals(trials[feasible, :, 0], E[feasible])
    if not feasible.all():
        by_violation = _arrivals(trials[:, :, 1], C)
        by_violation[by_objective] = tau[by_objective]
        tau = by_violation
    return np.where(tau == tau.T, 0.5, tau < tau.T)


def _arrivals(curves: FloatArray, final: FloatArray) -> NDArray[np.intp]:
    """Return tau of trial x towards theta = max(final_x, final_y).

    A trial arrives the earlier, the higher the threshold; so the maximum of the thresholds is
    reached at the minimum of their times.
    """
    thresholds, position = np.unique(final + TIE, return_inverse=True)
    # Negated, the running minimum ascends and a binary search finds the first arrival.
    ascending = -curves
    ascending[~np.isfinite(ascending)] = -np.inf
    np.maximum.accumulate(ascending, axis=1, out=ascending)
    tau = np.array([curve.searchsorted(-thresholds) for curve in ascending])[:, position]
    towards: NDArray[np.intp] = np.minimum(tau, np.diagonal(tau)[:, None])
    return towards


class Pairwise:
    """What the trials of one problem earn against those of other algorithms.

    Points between trials do not depend on which trials are drawn, so a resample is a sum over
    the matrices with the numbers of draws as weights. The pairs within an algorithm give it
    n (n - 1) / 2 points whatever happens (a trial ties with its own copy) and are left out of the
    matrices. With unequal numbers of trials a pair of algorithms with n_a and n_b trials counts
    n^2 / (n_a n_b), n being the smallest number: the expected score of n trials drawn from each.
    """

    parts: ClassVar[tuple[str, ...]] = ("accuracy", "speed")

    def __init__(self, cells: Sequence[FloatArray], n: int, tol: float) -> None:
        sizes = np.array([len(cell) for cell in cells])
        trials = np.concatenate(cells)
        algorithm = np.repeat(np.arange(len(cells)), sizes)
        weight = n / sizes[algorithm]
        between = (algorithm[:, None] != algorithm) * weight[:, None] * weight
        self._matrices = (
            accuracy_points(trials, tol) * between,
            speed_points(trials, tol) * between,
        )
        self._starts = np.cumsum(sizes) - sizes
        self._within = n * (n - 1) / 2

    def points(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return the sums A and S of each algorithm for each row of drawn trials.

        Parameters
        ----------
        draws : array of int, shape (resamples, trials)
            Positions of the trials, those of one algorithm after those of the other, as many of
            each as it has; ``arange(trials)`` is the score itself.

        Returns
        -------
        array, shape (2, resamples, algorithms)
        """
        resamples, size = draws.shape
        cell = np.arange(resamples)[:, None] * size + draws
        counts = np.bincount(cell.ravel(), minlength=resamples * size).reshape(draws.shape)
        weights = counts.astype(np.float64)
        sums = [
            np.add.reduceat(weights * (weights @ matrix.T), self._starts, axis=1)
            for matrix in self._matrices
        ]
        return np.stack(sums) + self._within
