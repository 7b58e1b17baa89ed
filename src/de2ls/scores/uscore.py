"""U-scores: what algorithms earn on each problem, and the totals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._lists import count
from de2ls.scores.collection import Collection
from de2ls.scores.pairwise import Pairwise
from de2ls.scores.tables import Column, Table, Tabular, Value, best_cells
from de2ls.scores.target import Target, mean_ranks


class Scorer(Protocol):
    """A protocol at work on the trials of one problem."""

    parts: ClassVar[tuple[str, ...]]

    def points(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return the points (parts, resamples, algorithms) of drawn trials."""

    def totals(self, draws: NDArray[np.intp]) -> FloatArray:
        """Return the sum of the parts, shape (resamples, algorithms)."""


PROTOCOLS: dict[str, type[Pairwise] | type[Target]] = {"cec2026": Pairwise, "cec2024": Target}


@dataclass(frozen=True, eq=False)
class Score(Tabular):
    """U-scores of algorithms on problems; arrays have shape (problems, algorithms).

    `accuracy` and `speed` are None under ``cec2024``, which knows only the total.
    """

    protocol: str
    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    n_trials: int  # per algorithm and problem
    total: FloatArray  # U
    accuracy: FloatArray | None = None  # A
    speed: FloatArray | None = None  # S
    warnings: tuple[str, ...] = ()

    @property
    def ranks(self) -> FloatArray:
        """Ranks per problem: 1 for the largest U; equal ones share the mean."""
        return mean_ranks(-self.total)

    def sums(self) -> dict[str, FloatArray]:
        """Return the totals over the problems, one number per algorithm: A, S, U and rank."""
        return {name: values.sum(axis=0) for name, values in self.arrays().items()}

    def arrays(self) -> dict[str, FloatArray]:
        """Return total, rank, and accuracy and speed where the protocol has them, by name."""
        found = {"total": self.total, "rank": self.ranks}
        parts = {"accuracy": self.accuracy, "speed": self.speed}
        return found | {name: values for name, values in parts.items() if values is not None}

    def order(self) -> NDArray[np.intp]:
        """Return the places of the algorithms, the largest total first."""
        return np.argsort(-self.total.sum(axis=0), kind="stable")

    def gain(self, a: str, b: str) -> float:
        """Return the relative gain of `a` over `b` in percent: (U_a - U_b) / U_b * 100."""
        U = self.total.sum(axis=0)
        U_a, U_b = U[self._index(a)], U[self._index(b)]
        return float((U_a - U_b) / U_b * 100) if U_b else float("nan")

    def table(self) -> Table:
        """Return the totals: one row per algorithm, the best first."""
        sums = self.sums()
        order = self.order()
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (self.algorithms[a], *(float(sums[part][a]) for part in sums)) for a in order
        )
        bold = {
            (row, 1 + j)
            for j, part in enumerate(sums)
            for _, row in best_cells([sums[part][order].tolist()], 0, largest=part != "rank")
        }
        problems = count(len(self.problems), "problem")
        title = f"U-scores, {problems}, {count(self.n_trials, 'trial')} each"
        columns = (Column("algorithm"), *(Column(HEADINGS[part]) for part in sums))
        return Table(f"{title} ({self.protocol})", columns, rows, frozenset(bold), self.warnings)

    def by_problem(self, part: str = "total") -> Table:
        """Return one part per problem and algorithm, with the totals as last row.

        Parameters
        ----------
        part : {"total", "accuracy", "speed", "rank"}
            What to show.
        """
        arrays = self.arrays()
        values = arrays[_checks.choice("part", part, arrays)]
        values = np.vstack([values, values.sum(axis=0)])
        rows: list[tuple[Value, ...]] = [
            (name, *row)
            for name, row in zip((*self.problems, "Total"), values.tolist(), strict=True)
        ]
        columns = (Column("problem"), *map(Column, self.algorithms))
        title = f"{BY_PROBLEM[part].capitalize()} by problem ({self.protocol})"
        bold = best_cells(values.tolist(), largest=part != "rank")
        return Table(title, columns, tuple(rows), bold, self.warnings)

    def _index(self, algorithm: str) -> int:
        return self.algorithms.index(_checks.choice("algorithm", algorithm, self.algorithms))


HEADINGS = {"accuracy": "accuracy", "speed": "speed", "total": "U-score", "rank": "rank sum"}
BY_PROBLEM = {**HEADINGS, "rank": "rank"}  # a problem has ranks; their sum is a total


def uscore(
    curves: Mapping[str, Any] | Collection,
    protocol: str = "cec2026",
    *,
    problems: Sequence[str] | None = None,
    allow_unequal: bool = False,
) -> Score:
    """Score algorithms by the rules of the CEC competitions.

    Parameters
    ----------
    curves : mapping of name to array_like, or Collection
        For each algorithm an array (problems, trials, samples, 2) of Min_EV (NaN while no feasible
        point is known) and LCV. `collect` makes a collection from trial records.
    protocol : {"cec2026", "cec2024"}
        Points of all pairs for accuracy and speed, or ranks towards the median as target.
    problems : sequence of str, optional
        Names of the problems; by default their numbers from 1 on.
    allow_unequal : bool
        Accept different numbers of trials (``cec2026`` only): the score is then the expected one of
        equally many trials drawn from each algorithm, and carries a warning.

    Returns
    -------
    Score
        With `accuracy`, `speed` and `total` as arrays (problems, algorithms).

    Notes
    -----
    A score is one draw from a distribution: see `de2ls.scores.bootstrap` for how certain it is.

    Examples
    --------
    >>> import numpy as np, de2ls
    >>> better = np.array([[[[5.0, 0.0], [1.0, 0.0]]]])  # one problem, one trial, two samples
    >>> worse = np.array([[[[np.nan, 3.0], [2.0, 0.0]]]])
    >>> s = de2ls.uscore({"better": better, "worse": worse})
    >>> s.accuracy.tolist(), s.speed.tolist(), s.total.tolist()
    ([[1.0, 0.0]], [[0.5, 0.5]], [[1.5, 0.5]])
    """
    if not isinstance(curves, Collection):
        curves = Collection.from_curves(curves, problems, allow_unequal)
    found = scorers(curves, protocol)
    points = [
        scorer.points(np.arange(sum(map(len, row)))[None])[:, 0]
        for scorer, row in zip(found, curves.cells, strict=True)
    ]
    return score_of(curves, protocol, points)


def scorers(collection: Collection, protocol: str) -> Iterator[Scorer]:
    """Yield the protocol at work on each problem of a collection: a large thing, one by one."""
    scorer = PROTOCOLS[_checks.choice("protocol", protocol, PROTOCOLS)]
    _refuse_bad_violations(collection)
    for row, tol in zip(collection.cells, collection.feasible_tols, strict=True):
        yield scorer(row, collection.n_trials, tol)


def score_of(collection: Collection, protocol: str, by_problem: Sequence[FloatArray]) -> Score:
    """Return the score, given the points (parts, algorithms) of each problem."""
    points = np.stack(by_problem, axis=1)
    parts = dict(zip(PROTOCOLS[protocol].parts, points, strict=True))
    return Score(
        protocol,
        collection.algorithms,
        collection.problems,
        collection.n_trials,
        total=points.sum(axis=0),
        accuracy=parts.get("accuracy"),
        speed=parts.get("speed"),
        warnings=(*collection.warnings, *_contradictions(collection)),
    )


def _refuse_bad_violations(collection: Collection) -> None:
    for p, row in enumerate(collection.cells):
        for a, cell in enumerate(row):
            bad = ~(cell[:, :, 1] >= 0)
            if bad.any():
                trial, sample = np.argwhere(bad)[0]
                raise ValueError(
                    f"LCV must be at least 0, got {cell[trial, sample, 1]:g} for "
                    f"{collection.algorithms[a]} on problem {collection.problems[p]}, "
                    f"trial {trial}, sample {sample}"
                )


def _contradictions(collection: Collection) -> list[str]:
    """Return a warning where the records contain objectives of infeasible points."""
    found = []
    for a, name in enumerate(collection.algorithms):
        wrong = [
            problem
            for problem, row, tol in zip(
                collection.problems, collection.cells, collection.feasible_tols, strict=True
            )
            if (np.isfinite(row[a][:, :, 0]) & (row[a][:, :, 1] > tol)).any()
        ]
        if wrong:
            found.append(
                f"{name} has a Min_EV where LCV is above the tolerance on {', '.join(wrong)}: "
                "objectives of infeasible points, which make it look faster than it was"
            )
    return found
