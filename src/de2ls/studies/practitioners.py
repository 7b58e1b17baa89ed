"""`minimize` beside other people's solvers, on problems as practitioners have them.

Every solver meets every problem with several seeds. A run is measured by the relative error of its
best feasible point, (f - f*) / max(1, |f*|), after some budgets. Solvers that plan by their budget
run once for each; the others run once, and their shorter budgets are read from the same run.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.scores.tables import Column, Table, Value, best_cells
from de2ls.studies.optima import COCO, best_value, is_known
from de2ls.studies.rivals import SOLVERS, Meter, measure
from de2ls.studies.runs import SOLVED, Case, Run
from de2ls.suites.registry import get_suite

SEEN = {2, 5, 10}  # dimensions of COCO's first instances on which CHORUS was designed
OURS = "chorus"

Figures = dict[tuple[str, ProblemKey], FloatArray]  # of all seeds, by solver and problem


def problems(
    suites: Sequence[str],
    dims: Sequence[int],
    instances: Sequence[int] = (1,),
    known: bool = True,
) -> list[ProblemKey]:
    """Return the problems of some suites, only those whose best value is known or all.

    `dims` and `instances` count where a suite has such a setting.
    """
    found: list[ProblemKey] = []
    for name in suites:
        suite = get_suite(name)
        free = {"dim": list(dims), "instance": list(instances)}
        settings = {setting: free[setting] for setting in suite.settings if setting in free}
        found += [key for key in suite.problems(**settings) if not known or is_known(key)]
    return found


def cases(
    keys: Iterable[ProblemKey], solvers: Sequence[str], seeds: int, budgets: Sequence[int]
) -> Iterator[Case]:
    """Yield the runs of a comparison, seed by seed: what a stopped one leaves is balanced."""
    chosen = list(keys)
    for seed in range(1, seeds + 1):
        for key in chosen:
            for solver in solvers:
                for budget in budgets if SOLVERS[solver].knows_budget else [max(budgets)]:
                    yield Case(solver, key, seed, budget)


def solver_run(case: Case, max_seconds: float) -> Run:
    """Make one run of a solver, of at most so much CPU time."""
    problem = get_suite(case.key.suite).load(case.key)
    return timed(case, SOLVERS[case.solver].solve, problem, max_seconds)


def timed(
    case: Case,
    solve: Callable[..., None],
    problem: Problem,
    max_seconds: float = np.inf,
    history: Callable[[Meter], Sequence[tuple[int, float]]] = lambda meter: meter.history,
) -> Run:
    """Make a run and measure it; `history` tells what it is measured by."""
    best = best_value(case.key)
    cpu, wall = time.process_time(), time.perf_counter()
    meter = measure(solve, problem, case.seed, case.budget * case.key.dim, max_seconds)
    return Run(
        case,
        _errors(history(meter), best),
        _errors(meter.strict if case.key.suite == COCO else [], best),
        best=best,
        violation=meter.violation,
        used=meter.used,
        ended=meter.ended,
        cpu=time.process_time() - cpu,
        wall=time.perf_counter() - wall,
    )


def _errors(history: Sequence[tuple[int, float]], best: float) -> FloatArray:
    found = np.array(history, dtype=float).reshape(-1, 2)
    if not np.isnan(best):
        found[:, 1] = (found[:, 1] - best) / max(1.0, abs(best))
    return found


def at_budget(runs: Iterable[Run], budget: int, figure: Callable[[Run, float], float]) -> Figures:
    """Return a figure of every run after `budget` D evaluations, by solver and problem.

    A solver that does not know its budget is read from the shortest run that is long enough.
    """
    chosen: dict[tuple[str, ProblemKey, int], Run] = {}
    for run in runs:
        case = run.case
        exact = case.solver not in SOLVERS or SOLVERS[case.solver].knows_budget
        if case.budget == budget or (case.budget > budget and not exact):
            place = case.solver, case.key, case.seed
            other = chosen.get(place)
            if other is None or other.case.budget > case.budget:
                chosen[place] = run
    found: dict[tuple[str, ProblemKey], list[float]] = defaultdict(list)
    for (solver, key, _), run in chosen.items():
        found[solver, key].append(figure(run, budget * key.dim))
    return {place: np.array(values) for place, values in found.items()}


def group(key: ProblemKey) -> str:
    """Return which problems are counted together; COCO's by dimension and what design has seen."""
    if key.suite != COCO:
        return key.suite
    seen = key["instance"] == 1 and key.dim in SEEN
    return f"{key.suite}, D = {key.dim}, {'seen in design' if seen else 'unseen'}"


def groups(runs: Iterable[Run]) -> dict[str, list[ProblemKey]]:
    """Return the problems of the groups, in the order in which they appear."""
    found: dict[str, dict[ProblemKey, None]] = defaultdict(dict)
    for key in sorted({run.case.key for run in runs}):
        found[group(key)][key] = None
    return {name: list(keys) for name, keys in found.items()}


def solvers_of(runs: Iterable[Run]) -> list[str]:
    """Return the solvers that have runs, in the order of `SOLVERS`."""
    present = {run.case.solver for run in runs}
    return [name for name in SOLVERS if name in present] + sorted(present - set(SOLVERS))


class Shares:
    """Shares of what is asked that solvers reach in groups of problems, at budgets.

    Parameters
    ----------
    runs : sequence of Run
        All of them.
    budgets : sequence of int
        Evaluations per dimension.
    figure : callable
        ``figure(run, evaluations)``: a number for a run.
    reached : callable
        What the figures of a problem's seeds count for that problem, from 0 to 1.
    only : str, optional
        The one suite that counts.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        budgets: Sequence[int],
        figure: Callable[[Run, float], float],
        reached: Callable[[FloatArray], float],
        only: str | None = None,
    ) -> None:
        self.solvers = solvers_of(runs)
        self.rows: list[tuple[str, int, int, dict[str, tuple[float, int]]]] = []
        at = {budget: at_budget(runs, budget, figure) for budget in budgets}
        for name, keys in groups(runs).items():
            for budget in budgets if only in (None, keys[0].suite) else ():
                cells = {
                    solver: self._cell(at[budget], solver, keys, reached) for solver in self.solvers
                }
                if any(count for _, count in cells.values()):
                    self.rows.append((name, budget, len(keys), cells))

    @staticmethod
    def _cell(
        found: Figures, solver: str, keys: Sequence[ProblemKey], reached: Callable[..., float]
    ) -> tuple[float, int]:
        """Return the sum over the problems that the solver has met, and how many these are."""
        met = [reached(found[solver, key]) for key in keys if (solver, key) in found]
        return float(sum(met)), len(met)

    def table(self, title: str, cell: Callable[[float, int], Value], note: str) -> Table:
        """Return a row per group and budget, a column per solver, the best in bold."""
        rows: list[tuple[Value, ...]] = []
        ratios: list[list[float]] = []
        for name, budget, size, cells in self.rows:
            values = [cells[solver] for solver in self.solvers]
            shown = (cell(total, met) if met else None for total, met in values)
            rows.append((name, f"{budget:,} D", size, *shown))
            ratios.append([total / met if met else np.nan for total, met in values])
        columns = (Column("problems"), Column("budget"), Column("of"), *(
            Column(title_of(solver), ".1f") for solver in self.solvers
        ))  # fmt: skip
        return Table(title, columns, tuple(rows), best_cells(ratios, 3), notes=(note,))

    def leads(self, title: str) -> Table:
        """Return who leads where, and how far ahead of the best other one `minimize` is."""
        rows: list[tuple[Value, ...]] = []
        for name, budget, _, cells in self.rows:
            share = {s: 100 * total / met for s, (total, met) in cells.items() if met}
            most = max(share.values())
            others = [value for solver, value in share.items() if solver != OURS]
            ahead = share[OURS] - max(others) if OURS in share and others else None
            first = ", ".join(title_of(s) for s, value in share.items() if value == most)
            rows.append((name, f"{budget:,} D", first, most, ahead))
        columns = (
            Column("problems"),
            Column("budget"),
            Column("leads"),
            Column("share %", ".1f"),
            Column("minimize ahead by", "+.1f"),
        )
        note = "in points of percent; below 0: behind the best of the others"
        return Table(title, columns, tuple(rows), notes=(note,))


def title_of(solver: str) -> str:
    """Return what tables call a solver."""
    return SOLVERS[solver].title if solver in SOLVERS else solver


def solved_shares(runs: Sequence[Run], budgets: Sequence[int]) -> Shares:
    """Return which problems are solved in the median of the seeds."""
    return Shares(runs, budgets, Run.error, lambda e: float(np.sort(e)[len(e) // 2] <= SOLVED))


def solved_table(runs: Sequence[Run], budgets: Sequence[int]) -> Table:
    """Return the problems solved in the median of the seeds, by group and budget."""
    note = "k / n: of the n problems on which the solver was run"
    title = f"Problems solved to {SOLVED:g} in the median of the seeds"
    shares = solved_shares(runs, budgets)
    return shares.table(title, lambda total, met: f"{int(total)} / {met}", note)


def target_shares(runs: Sequence[Run], budgets: Sequence[int], precisions: FloatArray) -> Shares:
    """Return the shares of COCO's targets, all seeds together."""

    def figure(run: Run, evaluations: float) -> float:
        return run.targets(evaluations, precisions)

    return Shares(runs, budgets, figure, lambda shares: float(np.mean(shares)), only=COCO)


def target_table(runs: Sequence[Run], budgets: Sequence[int], precisions: FloatArray) -> Table:
    """Return the shares of COCO's targets by dimension and budget, in percent."""
    low, high = np.log10(precisions[[-1, 0]])
    note = (
        f"{precisions.size} targets from 10^{high:.0f} to 10^{low:.0f} above the optimum, all "
        "functions and seeds; a point counts only if it breaks no constraint at all, as in COCO"
    )
    shares = target_shares(runs, budgets, precisions)
    title = f"Share of COCO's targets down to 10^{low:.0f}, in percent"
    return shares.table(title, lambda total, met: 100 * total / met, note)


def solver_table(runs: Sequence[Run]) -> Table:
    """Return seeds, runs and times of each solver."""
    by_solver: Mapping[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_solver[run.case.solver].append(run)
    rows: list[tuple[Value, ...]] = []
    for solver in solvers_of(runs):
        mine = by_solver[solver]
        seeds: dict[Any, set[int]] = defaultdict(set)
        for run in mine:
            seeds[run.case.key].add(run.case.seed)
        counts = [len(found) for found in seeds.values()]
        long = [run for run in mine if run.case.budget == max(r.case.budget for r in mine)]
        used = [run for run in long if run.used]
        rows.append(
            (
                title_of(solver),
                min(counts),
                float(np.median(counts)),
                len(mine),
                sum(run.ended == "time" for run in mine),
                f"{max(run.case.budget for run in mine):,} D",
                float(np.median([run.wall for run in long])),
                float(np.median([run.cpu / run.used for run in used])) * 1e6 if used else None,
            )
        )
    columns = (
        Column("solver"),
        Column("seeds, least"),
        Column("seeds, median", ".0f"),
        Column("runs"),
        Column("cut by time"),
        Column("longest"),
        Column("wall time, s", ".2f"),
        Column("CPU per evaluation, us", ".0f"),
    )
    note = "times of the longest runs, in the median; the problems' own time is part of them"
    return Table("Runs and times", columns, tuple(rows), notes=(note,))
