"""When runs reached what: targets of a problem and the first hitting times of its runs.

=========== ==============================================================================
symbol      meaning
=========== ==============================================================================
f*          best known objective of a problem, or the best of the compared runs
f* + d      an objective target; d falls log-spaced from 10^2 to 10^-8 times max(1, |f*|)
V           a violation target, log-spaced above the least known violation: what a run reaches
            while it is infeasible; a problem that is feasible from the start has none
tau         evaluations at the first sample at or below a target; infinite if there is none
=========== ==============================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.scores.collection import Collection

PRECISIONS = 10.0 ** np.arange(2.0, -8.1, -0.2)  # d, 51 of them as COCO has
VIOLATIONS = 10.0 ** np.arange(4.0, -8.1, -1.0)  # V above the least violation that is possible


@dataclass(frozen=True, eq=False)
class Targets:
    """What the runs on one problem are asked to reach, from easy to hard."""

    best: float  # f*; NaN where no run and no source knows a feasible point
    least: float  # least known violation: 0 where a feasible point is known
    known: bool  # whether f* is the suite's; otherwise the best of the compared runs
    objective: FloatArray  # f* + d
    violation: FloatArray  # V

    @property
    def count(self) -> int:
        """How many there are."""
        return self.objective.size + self.violation.size


def targets(
    cells: Sequence[FloatArray],
    best_known: float | None = None,
    precisions: FloatArray = PRECISIONS,
    relative: bool = True,
) -> Targets:
    """Return the targets of one problem.

    Parameters
    ----------
    cells : sequence of array, shape (trials, samples, 2)
        Min_EV and LCV of the compared runs, one array per series.
    best_known : float, optional
        The suite's own best value; a better one among the runs takes its place.
    precisions : array
        Distances d of the objective targets.
    relative : bool
        Whether d counts in units of max(1, |f*|); COCO's are absolute.
    """
    final = np.concatenate([cell[:, -1] for cell in cells])
    reached = final[np.isfinite(final[:, 0]), 0]
    seen = float(reached.min()) if reached.size else np.nan
    known = best_known is not None and not seen < best_known
    best = float(best_known) if known and best_known is not None else seen
    least = 0.0 if np.isfinite(best) else float(final[:, 1].min())
    scale = max(1.0, abs(best)) if relative and np.isfinite(best) else 1.0
    objective = best + precisions * scale if np.isfinite(best) else np.empty(0)
    ever = any((cell[:, 0, 1] > 0).any() for cell in cells)
    return Targets(best, least, known, objective, least + VIOLATIONS if ever else np.empty(0))


def hitting_times(evaluations: FloatArray, cell: FloatArray, aims: Targets) -> FloatArray:
    """Return tau of every run and target, shape (trials, targets): violations first.

    Parameters
    ----------
    evaluations : array, shape (samples,)
        Evaluations at the samples.
    cell : array, shape (trials, samples, 2)
        Min_EV and LCV of the runs.
    aims : Targets
        What is to be reached.
    """
    by_violation = _first(evaluations, cell[:, :, 1], aims.violation)
    by_objective = _first(evaluations, cell[:, :, 0], aims.objective)
    return np.hstack([by_violation, by_objective])


def _first(evaluations: FloatArray, curves: FloatArray, aims: FloatArray) -> FloatArray:
    """Return the evaluations at which curves first are at their targets, easy ones first."""
    best = np.fmin.accumulate(curves, axis=1)  # NaN while a run has no value
    after = np.append(evaluations, np.inf)
    descending = best[:, ::-1]  # backwards it ascends, NaN last: a binary search finds the place
    within = np.array([curve.searchsorted(aims, side="right") for curve in descending])
    places = curves.shape[1] - within.reshape(len(curves), aims.size)
    return np.asarray(after[places])


def known_evaluations(collection: Collection, p: int, a: int) -> FloatArray:
    """Return the evaluations at the samples of a cell.

    Files do not tell how many the initial population took: it then counts as the next sample.
    """
    if not collection.grids:
        raise ValueError(
            "the collection must know the evaluations at its samples: make it by `collect`"
        )
    grid = collection.grids[p][a]
    return np.fmin.accumulate(grid[::-1])[::-1] if np.isnan(grid).any() else grid


def all_targets(
    collection: Collection,
    best_known: Sequence[float | None] | None = None,
    precisions: FloatArray = PRECISIONS,
    relative: bool = True,
) -> list[Targets]:
    """Return the targets of every problem of a collection."""
    known = best_known or [None] * len(collection.cells)
    return [
        targets(row, best, precisions, relative)
        for row, best in zip(collection.cells, known, strict=True)
    ]
