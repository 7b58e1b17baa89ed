"""The table of means: what each algorithm reached on each problem."""

from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls._lists import count
from de2ls.scores.collection import Collection
from de2ls.scores.pairwise import ends, tie
from de2ls.scores.tables import Column, Table, Tabular, Value

RULE = (
    "mean ± deviation (n - 1) of the final Min_EV where all trials are feasible, else the "
    "feasibility rate; CV: mean final LCV where none is"
)


@dataclass(frozen=True, eq=False)
class Summary(Tabular):
    """Means over the trials of each cell; arrays have shape (problems, algorithms)."""

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    n_trials: int  # of the smallest cell
    mean: FloatArray  # of the final Min_EV; NaN unless all trials are feasible
    deviation: FloatArray  # with n - 1; NaN unless all trials are feasible and n > 1
    feasible: FloatArray  # share of feasible trials
    violation: FloatArray  # mean final LCV; NaN unless no trial is feasible

    def table(self) -> Table:
        """Return every number in a column of its own; `compact` is for readers."""
        columns = [Column("problem")]
        for name in self.algorithms:
            columns += [
                Column(f"{name} mean", ".3E"),
                Column(f"{name} deviation", ".3E"),
                Column(f"{name} feasible %", ".3g"),
                Column(f"{name} mean CV", ".6g"),
            ]
        rows = []
        for p, problem in enumerate(self.problems):
            cells: list[Value] = [problem]
            for a in range(len(self.algorithms)):
                numbers = (self.mean, self.deviation, 100 * self.feasible, self.violation)
                cells += [None if np.isnan(v[p, a]) else float(v[p, a]) for v in numbers]
            rows.append(tuple(cells))
        return Table(self._title(), tuple(columns), tuple(rows), notes=(RULE,))

    def compact(self) -> Table:
        """Return one cell per algorithm and problem, the best of each problem in bold."""
        rows: list[tuple[Value, ...]] = [
            (problem, *(self._cell(p, a) for a in range(len(self.algorithms))))
            for p, problem in enumerate(self.problems)
        ]
        columns = (Column("problem"), *map(Column, self.algorithms))
        return Table(self._title(), columns, tuple(rows), self._best(), (RULE,))

    def to_markdown(self) -> str:
        """Return the compact table in Markdown."""
        return self.compact().to_markdown()

    def to_latex(self) -> str:
        """Return the compact table in LaTeX, with booktabs rules."""
        return self.compact().to_latex()

    def _title(self) -> str:
        return f"Final values of {count(self.n_trials, 'trial')}"

    def _cell(self, p: int, a: int) -> str:
        if self.feasible[p, a] == 1.0:
            deviation = self.deviation[p, a]
            spread = "" if np.isnan(deviation) else f" ± {deviation:.3E}"
            return f"{self.mean[p, a]:.3E}{spread}"
        if self.feasible[p, a] == 0.0:
            return f"0 %, CV {self.violation[p, a]:.6g}"
        return f"{100 * self.feasible[p, a]:.3g} %"

    def _best(self) -> frozenset[tuple[int, int]]:
        """Return the cells with the highest feasibility rate and, among them, the best value."""
        best: set[tuple[int, int]] = set()
        for p, rate in enumerate(self.feasible if len(self.algorithms) > 1 else ()):
            value = np.where(
                rate == 1.0, self.mean[p], np.where(rate == 0.0, self.violation[p], 0.0)
            )
            leading = np.flatnonzero(rate == rate.max())
            ties = tie(value[leading], value[leading].min())
            best.update((p, 1 + int(a)) for a in leading[ties])
        return frozenset(best)


def summary(collection: Collection) -> Summary:
    """Return mean, deviation and feasibility of each cell.

    Parameters
    ----------
    collection : Collection
        The trials.
    """
    shape = (len(collection.problems), len(collection.algorithms))
    mean, deviation, rate, violation = (np.full(shape, np.nan) for _ in range(4))
    for p, (row, tol) in enumerate(zip(collection.cells, collection.feasible_tols, strict=True)):
        for a, cell in enumerate(row):
            E, C, feasible = ends(cell, tol)
            rate[p, a] = feasible.mean()
            if feasible.all():
                mean[p, a] = E.mean()
                deviation[p, a] = E.std(ddof=1) if len(E) > 1 else np.nan
            elif not feasible.any():
                violation[p, a] = C.mean()
    return Summary(
        collection.algorithms,
        collection.problems,
        collection.n_trials,
        mean,
        deviation,
        rate,
        violation,
    )
