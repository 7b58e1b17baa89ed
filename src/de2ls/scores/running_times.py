"""Running times to chosen targets, and quality at chosen budgets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.collection import Collection
from de2ls.scores.hitting import Targets, all_targets, hitting_times, known_evaluations
from de2ls.scores.profiles import LIMITS, RESAMPLES, sources
from de2ls.scores.tables import Column, Estimate, Table, Tabular, Value

PRECISIONS = np.array([1e0, 1e-2, 1e-4, 1e-6, 1e-8])
FRACTIONS = (0.01, 0.1, 1.0)  # of the budget
QUANTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False)
class RunningTimes(Tabular):
    """Expected running times (fixed target); arrays have shape (problems, series, targets).

    ERT is the sum of the evaluations of all runs, each until it reached the target or ended,
    divided by the number of runs that reached it.
    """

    series: tuple[str, ...]
    problems: tuple[str, ...]
    precisions: FloatArray  # (targets,): distance to the best value, in units of max(1, |best|)
    ert: FloatArray
    low: FloatArray
    high: FloatArray
    successes: np.ndarray
    trials: np.ndarray  # (problems, series)
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return one row per problem and series: ERT with its interval, and successes."""
        columns = [Column("problem"), Column("algorithm")]
        for precision in self.precisions:
            columns += [
                Column(f"ERT to {precision:g}", ",.0f", ",.0f"),
                Column(f"runs at {precision:g}"),
            ]
        rows: list[tuple[Value, ...]] = []
        for p, problem in enumerate(self.problems):
            for a, name in enumerate(self.series):
                cells: list[Value] = [problem, name]
                for t in range(self.precisions.size):
                    hits = int(self.successes[p, a, t])
                    parts = (self.ert[p, a, t], self.low[p, a, t], self.high[p, a, t])
                    cells.append(Estimate(*map(float, parts)) if hits else None)
                    cells.append(f"{hits}/{self.trials[p, a]}")
                rows.append(tuple(cells))
        note = (
            "ERT: evaluations of all runs until the target or the end, divided by the runs that "
            "reached it; targets: distance to the best value, in units of max(1, |best|); "
            f"[low, high]: {LEVEL:.0%} of resamples, inf where one has no success"
        )
        return Table(
            "Expected running times", tuple(columns), tuple(rows), notes=(note, *self.notes)
        )


def running_times(
    collection: Collection,
    best_known: Sequence[float | None] | None = None,
    precisions: Sequence[float] = tuple(PRECISIONS),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> RunningTimes:
    """Return expected running times to targets at chosen distances from the best value.

    Parameters
    ----------
    collection : Collection
        The runs.
    best_known : sequence of float or None, optional
        Best value of each problem; by default the best of the compared runs.
    precisions : sequence of float
        Distances, in units of max(1, |best|).
    resamples, seed : int
        Of the bootstrap.
    """
    chosen = np.array([_checks.real("precisions", value, 0.0) for value in precisions])
    aims = all_targets(collection, best_known, chosen)
    shape = len(collection.keys), len(collection.algorithms), chosen.size
    ert, low, high = (np.full(shape, np.inf) for _ in range(3))
    successes = np.zeros(shape, dtype=int)
    trials = np.array([[len(cell) for cell in row] for row in collection.cells])
    rng = np.random.default_rng(seed)
    for p, row in enumerate(collection.cells):
        for a, cell in enumerate(row):
            grid = known_evaluations(collection, p, a)
            tau = _objective_times(grid, cell, aims[p], chosen.size)
            hit = np.isfinite(tau)
            spent = np.where(hit, tau, grid[-1])
            successes[p, a] = hit.sum(axis=0)
            ert[p, a] = expected_time(spent, hit, np.ones((1, len(tau))))[0]
            n = len(tau)
            drawn = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
            spread = expected_time(spent, hit, drawn)
            # by the order of the values: infinities may occur
            low[p, a], high[p, a] = np.quantile(spread, LIMITS, axis=0, method="inverted_cdf")
    names = collection.algorithms, collection.problems
    notes = sources(aims, collection.problems)
    return RunningTimes(*names, chosen, ert, low, high, successes, trials, notes)


def _objective_times(grid: FloatArray, cell: FloatArray, aims: Targets, count: int) -> FloatArray:
    if not np.isfinite(aims.best):
        return np.full((len(cell), count), np.inf)
    return hitting_times(grid, cell, aims)[:, aims.violation.size :]


def expected_time(spent: FloatArray, hit: np.ndarray, counts: np.ndarray) -> FloatArray:
    """Return ERT of drawn runs (draws, targets); infinite where none of them has a success.

    Parameters
    ----------
    spent : array, shape (runs, targets)
        Evaluations until the target, or until the end.
    hit : array of bool, shape (runs, targets)
        Whether the target was reached.
    counts : array, shape (draws, runs)
        How often each run was drawn.

    Examples
    --------
    >>> spent, hit = np.array([[10.0], [30.0], [100.0]]), np.array([[True], [True], [False]])
    >>> float(expected_time(spent, hit, np.ones((1, 3)))[0, 0])
    70.0
    """
    successes = counts @ hit
    with np.errstate(divide="ignore"), one_thread:
        return np.asarray((counts @ spent) / successes)


@dataclass(frozen=True, eq=False)
class FixedBudget(Tabular):
    """Quantiles of quality at shares of the budget, shape (problems, series, shares, quantiles).

    Runs are ordered with feasible ones first by Min_EV, then the others by LCV; a quantile that
    falls on an infeasible run is NaN in `objective` and has its violation in `violation`.
    """

    series: tuple[str, ...]
    problems: tuple[str, ...]
    fractions: tuple[float, ...]
    objective: FloatArray
    violation: FloatArray

    def table(self) -> Table:
        """Return one row per problem and series: median and quartiles at each share."""
        columns = [Column("problem"), Column("algorithm")]
        columns += [Column(f"after {share:.0%}", ".5g", ".5g") for share in self.fractions]
        rows: list[tuple[Value, ...]] = []
        for p, problem in enumerate(self.problems):
            for a, name in enumerate(self.series):
                rows.append(
                    (problem, name, *(self._cell(p, a, i) for i in range(len(columns) - 2)))
                )
        note = (
            "median [quartiles] of Min_EV, inf where the quartile's run is infeasible; "
            "CV: violation where the median run is"
        )
        return Table("Quality at chosen budgets", tuple(columns), tuple(rows), notes=(note,))

    def _cell(self, p: int, a: int, i: int) -> Value:
        low, middle, high = map(float, self.objective[p, a, i])
        if np.isnan(middle):
            return f"CV {self.violation[p, a, i, 1]:.3g}"
        return Estimate(middle, low, np.inf if np.isnan(high) else high)


def fixed_budget(collection: Collection, fractions: Sequence[float] = FRACTIONS) -> FixedBudget:
    """Return the quartiles of quality after shares of the budget."""
    shares = tuple(_checks.real("fractions", value, 0.0, 1.0) for value in fractions)
    shape = len(collection.keys), len(collection.algorithms), len(shares), len(QUANTILES)
    objective, violation = np.full(shape, np.nan), np.full(shape, np.nan)
    for p, row in enumerate(collection.cells):
        for a, cell in enumerate(row):
            grid = known_evaluations(collection, p, a)
            for i, share in enumerate(shares):
                place = max(0, int(np.searchsorted(grid, share * grid[-1], side="right")) - 1)
                f, v = cell[:, place].T
                order = np.lexsort((v, np.where(np.isnan(f), np.inf, f)))
                picks = order[[round(q * (len(order) - 1)) for q in QUANTILES]]
                objective[p, a, i], violation[p, a, i] = f[picks], v[picks]
    names = collection.algorithms, collection.problems
    return FixedBudget(*names, shares, objective, violation)
