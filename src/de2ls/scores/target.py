"""Protocol ``cec2024``: one ranking of all trials per problem, towards a common target.

The target is the median of the finite final Min_EV. Trials are ranked in three tiers, best last:
infeasible at the end (by LCV), feasible but above the target (by final Min_EV), at or below it (by
the sample from which on the trial stays at or below it). Ties share mean ranks, the worst trial has
rank 1, and U_a = sum of a's ranks - n (n + 1) / 2.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.scores.pairwise import ends


def mean_ranks(values: FloatArray | NDArray[np.int64]) -> FloatArray:
    """Return the ranks along the last axis, 1 for the smallest; equal values share the mean."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    new = np.ones(values.shape, dtype=np.bool_)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    final = np.roll(new, -1, axis=-1)  # the last of its equals; the last of all is one
    last = np.minimum.accumulate(np.where(final, place, place.size)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, 1 + (first + last) / 2, axis=-1)
    return ranks


class Target:
    """The ranking of one problem's trials, for any draw of them; each draw has its own target."""

    parts: ClassVar[tuple[str, ...]] = ("total",)

    def __init__(self, cells: Sequence[FloatArray], n: int, tol: float) -> None:
        sizes = np.array([len(cell) for cell in cells])
        if (sizes != n).any():
            raise ValueError(
                "protocol 'cec2024' needs equal numbers of trials: its target is the median of all "
                f"trials, which unequal numbers would bend; got {sizes.tolist()} and n = {n}"
            )
        trials = np.concatenate(cells)
        self._E, C, self._feasible = ends(trials, tol)
        # Merits within a tier, as integers: more is better.
        self._by_violation = _merit(C)
        self._by_objective = _merit(self._E)
        # The worst value from each sample on descends; negated, a binary search works on it.
        backwards = np.where(np.isfinite(trials[:, :, 0]), -trials[:, :, 0], -np.inf)[:, ::-1]
        worst = np.minimum.accumulate(backwards, axis=1)
        self._staying = np.ascontiguousarray(worst[:, ::-1])
        self._starts = np.cumsum(sizes) - sizes
        self._within = n * (n + 1) / 2

    @classmethod
    def ended(
        cls, cells: Sequence[FloatArray], n: int, tol: float, lasts: Iterable[int]
    ) -> Iterator[Self]:
        """Yield the ranking of the trials had they ended at each of these samples."""
        for last in lasts:
            yield cls([cell[:, : last + 1] for cell in cells], n, tol)

    def points(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return U of each algorithm for each row of drawn trials; see `Pairwise.points`."""
        target = _finite_medians(self._E[draws])
        merits = self._merits(target)
        ranks = mean_ranks(np.take_along_axis(merits, draws, axis=1))
        return (np.add.reduceat(ranks, self._starts, axis=1) - self._within)[None]

    def totals(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return U of each algorithm for each row of drawn trials, without an axis of parts."""
        return np.asarray(self.points(draws)[0])

    def _merits(self, target: FloatArray) -> NDArray[np.int64]:
        """Return one integer per target and trial that orders the trials, best last."""
        samples = self._staying.shape[1]
        tier = max(samples, len(self._E)) + 1
        distinct, position = np.unique(target, return_inverse=True)
        arrival = np.array([curve.searchsorted(-distinct) for curve in self._staying])
        on_target = (self._feasible[:, None]) & (self._E[:, None] <= distinct)
        feasible = np.where(on_target, 2 * tier + samples - arrival, tier + self._by_objective)
        merits = np.where(self._feasible[:, None], feasible, self._by_violation)
        return merits[:, position].T


def _merit(values: FloatArray) -> NDArray[np.int64]:
    """Return the positions of the values in descending order, equal ones alike, as a column."""
    distinct, position = np.unique(values, return_inverse=True)
    return (len(distinct) - 1 - position).astype(np.int64)[:, None]


def _finite_medians(values: FloatArray) -> FloatArray:
    """Return the median of each row's finite values; NaN where there is none."""
    ordered = np.sort(np.where(np.isfinite(values), values, np.inf), axis=1)
    count = np.isfinite(values).sum(axis=1)
    rows = np.arange(len(values))
    middle = ordered[rows, np.maximum(count - 1, 0) // 2] + ordered[rows, count // 2]
    return np.where(count > 0, middle / 2, np.nan)
