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

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.suites.suite import CEC_TOL

TIE = 1e-8  # ends this close share the point
RELATIVE_TIE = 1e-12  # the same for large numbers, relative to max(1, |u|, |v|)
_HALF = np.float32(0.5)


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
    with np.errstate(invalid="ignore"):  # inf - inf
        near: NDArray[np.bool_] = np.abs(u - v) <= np.maximum(_reach(u), _reach(v))
    same: NDArray[np.bool_] = u == v
    return near | same


def _reach(value: FloatArray) -> FloatArray:
    """Return how far from a value another one may be that counts as equal."""
    return np.maximum(TIE, RELATIVE_TIE * np.maximum(1.0, np.abs(value)))


def accuracy_points(trials: FloatArray, tol: float = CEC_TOL) -> FloatArray:
    """Return the matrix of what trial x earns against trial y by their ends: 0, 0.5 or 1."""
    E, C, feasible = ends(trials, tol)
    value = np.where(feasible, E, C)
    alike = feasible[:, None] == feasible  # both by objective, or both by violation
    wins = np.where(alike, value[:, None] < value, feasible[:, None])
    ties = alike & tie(value[:, None], value)
    return np.where(ties, _HALF, wins)


def descents(cells: Sequence[FloatArray]) -> FloatArray:
    """Return the least Min_EV and LCV up to each sample, shape (2, trials, samples).

    NaN while there is none; minus infinity is no record: only a finite value reaches anything.
    """
    curves = np.empty((2, sum(map(len, cells)), cells[0].shape[1]))
    for quantity, values in enumerate(curves):
        np.concatenate([cell[:, :, quantity] for cell in cells], out=values)
        values[values == -np.inf] = np.nan
        if not _descend(values):
            np.fmin.accumulate(values, axis=1, out=values)
    return curves


def _descend(curves: FloatArray) -> bool:
    """Whether each curve is its own least value so far, as those of a recorder are."""
    earlier, later = curves[:, :-1], curves[:, 1:]
    fall = later <= earlier
    fall |= np.isnan(earlier)
    return bool(fall.all())


def speed_points(
    trials: FloatArray, tol: float = CEC_TOL, best: FloatArray | None = None
) -> FloatArray:
    """Return the matrix of what trial x earns against trial y by time of arrival: 0, 0.5 or 1.

    Of trials whose `descents` are given as `best` only the last sample is read.
    """
    E, C, feasible = ends(trials, tol)
    by_objective, by_violation = descents([trials]) if best is None else best
    if feasible.all():
        return _earlier(by_objective, E)
    points = _earlier(by_violation, C)
    if feasible.any():
        both = np.ix_(feasible, feasible)
        points[both] = _earlier(by_objective, E)[both]
    return points


def _earlier(best: FloatArray, final: FloatArray) -> FloatArray:
    """Return what trial x earns by its arrival at theta = max(final_x, final_y).

    In the order of their ends theta is the end of the later one, y, and tau_y its first sample
    there; x is earlier if it has arrived one sample before, and equal if it arrives with y.
    """
    theta = final + TIE
    tau = (best <= theta[:, None]).argmax(axis=1)
    before = (best[:, np.maximum(tau - 1, 0)] <= theta) & (tau > 0)
    arrived = best[:, tau] <= theta
    sooner = before.astype(np.int8) + arrived  # [x, y]: twice what x earns
    place = np.empty(len(final), np.intp)
    place[np.argsort(final, kind="stable")] = np.arange(len(final))
    twice = np.where(place[:, None] < place, sooner, 2 - sooner.T)
    np.fill_diagonal(twice, 1)
    return np.asarray(twice * _HALF)


class Pairwise:
    """What the trials of one problem earn against those of other algorithms.

    Points between trials do not depend on which trials are drawn, so a resample is a sum over
    the matrices with the numbers of draws as weights. The pairs within an algorithm give it
    n (n - 1) / 2 points whatever happens; the matrices, in which a trial also ties with itself,
    give it n^2 / 2. With unequal numbers of trials those of an algorithm with n_a weigh n / n_a,
    n being the smallest number: the expected score of n trials drawn from each.
    """

    parts: ClassVar[tuple[str, ...]] = ("accuracy", "speed")

    def __init__(
        self, cells: Sequence[FloatArray], n: int, tol: float, best: FloatArray | None = None
    ) -> None:
        sizes = np.array([len(cell) for cell in cells])
        trials = np.concatenate([cell[:, -1:] for cell in cells])
        best = descents(cells) if best is None else best
        # Equal numbers give sums of halves far below 2^23, which single precision holds exactly.
        kind = np.float32 if (sizes == n).all() else np.float64
        self._weight = np.repeat(n / sizes, sizes).astype(kind)
        self._matrices = accuracy_points(trials, tol), speed_points(trials, tol, best)
        self._starts = np.cumsum(sizes) - sizes
        self._too_many = n / 2  # of the pairs within an algorithm

    @classmethod
    def ended(
        cls, cells: Sequence[FloatArray], n: int, tol: float, lasts: Iterable[int]
    ) -> Iterator[Self]:
        """Yield what the trials earn had they ended at each of these samples."""
        best = descents(cells)
        for last in lasts:
            yield cls([cell[:, last : last + 1] for cell in cells], n, tol, best[..., : last + 1])

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
        weights = self._weights(draws)
        return np.stack([self._sums(weights, matrix) for matrix in self._matrices])

    def totals(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return A + S of each algorithm for each row of drawn trials: half the work of both."""
        return self._sums(self._weights(draws), self._matrices[0] + self._matrices[1], parts=2)

    def _weights(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return how much each trial counts in each row of draws."""
        resamples, size = draws.shape
        counts = np.bincount(
            (np.arange(resamples)[:, None] * size + draws).ravel(), minlength=resamples * size
        )
        weights: FloatArray = counts.astype(self._weight.dtype).reshape(draws.shape)
        np.multiply(weights, self._weight, out=weights)
        return weights

    def _sums(self, weights: FloatArray, matrix: FloatArray, parts: int = 1) -> FloatArray:
        with one_thread:
            earned = weights * (weights @ matrix.T)
        sums = np.add.reduceat(earned, self._starts, axis=1, dtype=np.float64)
        return np.asarray(sums - parts * self._too_many)
