"""When runs reached what: targets of a problem and the first hitting times of its runs.

=========== ==============================================================================
symbol      meaning
=========== ==============================================================================
f*          best known objective of a problem, or the best of the compared runs
f* + d      an objective target; d falls log-spaced from 10^2 to 10^-8 times max(1, |f*|)
V           a violation target, log-spaced above the tolerance; an infeasible run counts here
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
    return Targets(best, least, known, objective, least + VIOLATIONS)


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
    # Negated, the running minimum ascends, and a binary search finds the first sample in reach.
    ascending = -np.where(np.isnan(curves), np.inf, curves)
    np.maximum.accumulate(ascending, axis=1, out=ascending)
    after = np.append(evaluations, np.inf)
    places = [curve.searchsorted(-aims) for curve in ascending]
    return after[np.array(places, dtype=np.intp).reshape(len(curves), aims.size)]


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
