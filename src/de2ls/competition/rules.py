"""What the competition's rules say about a record, and which values contradict them.

Min_EV is the best objective so far among feasible points (in the contests LCV <= 1e-8) and NaN
while there is none; LCV is the lowest violation so far; in the contests values below 1e-8 are
written as 0. Row 0 is the state after the initial population of N0, row k that after
max(N0, min(10 D k, T)) evaluations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.suites.suite import RecordRule

ROWS = 2001  # of a record with the full budget of 20000 D evaluations
RUNS = 25

INFINITE_OBJECTIVE = "infinite objective"
BEYOND_REPAIR = ("missing violation", "negative violation")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """A contradiction to the rules in a file; values of one run under one rule are counted."""

    file: str
    rule: str  # short name, the same for all findings of a kind
    text: str
    row: int | None = None  # line of the first such value, from 1; None: the file as a whole
    run: int | None = None  # from 1
    count: int = 1  # how many values

    def __str__(self) -> str:
        where = self.file if self.row is None else f"{self.file}, row {self.row}"
        run = "" if self.run is None else f", run {self.run}"
        more = f" ({self.count} such values)" if self.count > 1 else ""
        return f"{where}{run}: {self.text}{more}"


def check_values(
    file: str, values: FloatArray, rule: RecordRule, row_of: Callable[[int, int, int], int]
) -> list[Finding]:
    """Return what contradicts the rules in Min_EV and LCV.

    Parameters
    ----------
    file : str
        What the findings call the file.
    values : array, shape (runs, samples, 2)
        Min_EV and LCV.
    rule : RecordRule
        By which the suite's trials are recorded.
    row_of : callable
        The file's row of (run, sample, quantity), all from 0.
    """
    findings = []
    for found in _contradictions(values, rule):
        for run in np.flatnonzero(found.wrong.any(axis=1)):
            sample = int(found.wrong[run].argmax())
            E, C = values[run, sample].tolist()
            text = found.text.format(E=E, C=C)
            row = row_of(int(run), sample, found.quantity)
            count = int(found.wrong[run].sum())
            findings.append(Finding(file, found.name, text, row, int(run) + 1, count))
    return findings


class Contradiction(NamedTuple):
    """A rule and the values that contradict it."""

    name: str
    quantity: int  # 0: Min_EV, 1: LCV
    wrong: Mask
    text: str  # what to say of one value, with E and C to be filled in


def _feasible(values: FloatArray, rule: RecordRule) -> Mask:
    """Return which samples know a feasible point; without a tolerance Min_EV alone tells it."""
    if rule.feasible_tol is None:
        return ~np.isnan(values[:, :, 0])
    return values[:, :, 1] <= rule.feasible_tol


def _contradictions(values: FloatArray, rule: RecordRule) -> list[Contradiction]:
    E, C = values[:, :, 0], values[:, :, 1]
    feasible = _feasible(values, rule)
    valid = feasible & np.isfinite(E)
    best = np.minimum.accumulate(np.where(valid, E, np.inf), axis=1)
    lowest = np.fmin.accumulate(C, axis=1)
    return [
        Contradiction(
            "infeasible objective",
            0,
            np.isfinite(E) & ~feasible & ~np.isnan(C),
            "Min_EV is {E!r} although LCV is {C!r}: NaN belongs there while no point is feasible",
        ),
        Contradiction(
            "missing objective",
            0,
            feasible & np.isnan(E),
            "Min_EV is NaN although LCV is {C!r}: a feasible point has an objective",
        ),
        Contradiction(
            INFINITE_OBJECTIVE, 0, np.isinf(E), "Min_EV is {E!r}: it must be finite or NaN"
        ),
        Contradiction("missing violation", 1, np.isnan(C), "LCV is NaN: it must be a number"),
        Contradiction(
            "negative violation", 1, C < 0, "LCV is {C!r}: a sum of violations is not negative"
        ),
        Contradiction(
            "rising objective",
            0,
            valid & (best < E),
            "Min_EV rises to {E!r}: it is the best objective so far",
        ),
        Contradiction(
            "rising violation", 1, lowest < C, "LCV rises to {C!r}: it is the lowest so far"
        ),
        Contradiction(
            "small objective",
            0,
            valid & (E != 0) & (np.abs(E) < rule.zero),
            f"Min_EV is {{E!r}}: below {rule.zero:g} it is written as 0",
        ),
        Contradiction(
            "small violation",
            1,
            (C > 0) & (rule.zero > C),
            f"LCV is {{C!r}}: below {rule.zero:g} it is written as 0",
        ),
    ]


def corrected(values: FloatArray, rule: RecordRule) -> FloatArray:
    """Return values as the rules want them: masked, best so far, small ones zero.

    An objective is dropped where the sample's own LCV says that no feasible point is known. What a
    file does not hold cannot be restored: a missing objective stays missing.
    """
    E, C = values[:, :, 0], values[:, :, 1]
    objective = np.where(_feasible(values, rule) & np.isfinite(E), E, np.nan)
    objective = np.fmin.accumulate(objective, axis=1)
    violation = np.minimum.accumulate(C, axis=1)
    return np.stack(
        [
            np.where(np.abs(objective) < rule.zero, 0.0, objective),
            np.where(violation < rule.zero, 0.0, violation),
        ],
        axis=2,
    )


def check_evaluations(
    file: str, evaluations: FloatArray, dim: int | None, row_of: Callable[[int], int]
) -> list[Finding]:
    """Return what contradicts the rules in the column of evaluations.

    Parameters
    ----------
    file : str
        What the findings call the file.
    evaluations : array, shape (samples,)
        The column.
    dim : int or None
        The dimension, where it is known; else the commonest step tells it.
    row_of : callable
        The file's row of a sample, both counted as in `check_values`.
    """
    expected = expected_evaluations(evaluations, dim)
    wrong = ~(evaluations == expected)
    if not wrong.any():
        return []
    sample = int(wrong.argmax())
    text = f"FEs are {evaluations[sample]:.17g}, by the rules {expected[sample]:.17g}"
    rule = "unknown evaluations" if np.isnan(evaluations[sample]) else "evaluations"
    return [Finding(file, rule, text, row_of(sample), count=int(wrong.sum()))]


def expected_evaluations(evaluations: FloatArray, dim: int | None) -> FloatArray:
    """Return the column that the rules give for this N0, T and step, with or without row 0."""
    known = evaluations[np.isfinite(evaluations)]
    start, budget = (known[0], known.max()) if known.size else (np.nan, np.nan)
    step = commonest_step(evaluations) if dim is None else 10.0 * dim
    k = np.arange(len(evaluations))
    candidates = [np.maximum(start, np.minimum(step * (k + first), budget)) for first in (0, 1)]
    return max(candidates, key=lambda column: int((column == evaluations).sum()))


def commonest_step(evaluations: FloatArray) -> float:
    """Return by how much evaluations go up most often; NaN where they never do."""
    steps = np.diff(evaluations[np.isfinite(evaluations)])
    steps, counts = np.unique(steps[steps > 0], return_counts=True)
    return float(steps[counts.argmax()]) if steps.size else float("nan")


def other_dimension(evaluations: FloatArray, dim: int) -> bool:
    """Whether most of the evaluations are not those of this dimension."""
    known = np.isfinite(evaluations)
    right = evaluations == expected_evaluations(evaluations, dim)
    return bool(2 * right[known].sum() < known.sum())
