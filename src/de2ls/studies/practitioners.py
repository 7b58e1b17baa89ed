"""`minimize` beside other people's solvers, on problems as practitioners have them.

Every solver meets every problem with several seeds. A run is measured by the relative error of its
best feasible point, (f - f*) / max(1, |f*|), after 50 D, 200 D and 2,000 D evaluations. Solvers
that plan by their budget run once for each; the others run once, and their shorter budgets are
read from the same run. Finished runs are kept in a CSV file: what is there is not run again.
"""

import csv
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.scores.tables import Column, Table
from de2ls.studies.rivals import SOLVERS, measure
from de2ls.suites.registry import get_suite

BUDGETS = (50, 200, 2000)  # evaluations per dimension
SOLVED = 1e-4  # relative error
FIELDS = ("solver", "suite", "problem", "key", "seed", "budget", "seconds", "history")
MAX_SECONDS = 20.0  # of CPU in one run: COBYQA needs milliseconds per evaluation


class Case(NamedTuple):
    """One run to make: a solver, a problem, a seed and a budget in evaluations per dimension."""

    solver: str
    key: ProblemKey
    seed: int
    budget: int


@dataclass(frozen=True)
class Run:
    """A finished run: the evaluations at which its best feasible point improved, and its error."""

    case: Case
    seconds: float
    history: FloatArray  # (improvements, 2): evaluations, relative error

    def error(self, evaluations: float) -> float:
        """Return the relative error after so many evaluations; infinite while infeasible."""
        done = self.history[self.history[:, 0] <= evaluations]
        return float(done[-1, 1]) if len(done) else np.inf

    @property
    def solved_at(self) -> float:
        """Evaluations per dimension until the error was at most 1e-4."""
        close = self.history[self.history[:, 1] <= SOLVED, 0]
        return float(close[0]) / self.case.key.dim if len(close) else np.inf


def problems(suites: Sequence[str], dims: Sequence[int], instance: int = 1) -> list[ProblemKey]:
    """Return the problems of some suites whose best value is known; `dims` where one is free."""
    found: list[ProblemKey] = []
    for name in suites:
        suite = get_suite(name)
        free = {"dim": list(dims), "instance": instance}
        settings = {setting: free[setting] for setting in suite.settings if setting in free}
        found += [key for key in suite.problems(**settings) if suite.best_known(key) is not None]
    return found


def cases(
    keys: Iterable[ProblemKey], solvers: Sequence[str], seeds: int, budgets: Sequence[int] = BUDGETS
) -> Iterator[Case]:
    """Yield the runs of a comparison, seed by seed: what a stopped one leaves is balanced."""
    chosen = list(keys)
    for seed in range(1, seeds + 1):
        for key in chosen:
            for solver in solvers:
                for budget in budgets if SOLVERS[solver].knows_budget else [max(budgets)]:
                    yield Case(solver, key, seed, budget)


def one_run(case: Case) -> Run:
    """Make one run."""
    suite = get_suite(case.key.suite)
    best = suite.best_known(case.key)
    if best is None:
        raise ValueError(f"{case.key} has no best known value to measure against")
    begin = time.process_time()
    problem = suite.load(case.key)
    meter = measure(case.solver, problem, case.seed, case.budget * case.key.dim, MAX_SECONDS)
    history = np.array(meter.history, dtype=float).reshape(-1, 2)
    history[:, 1] = (history[:, 1] - best) / max(1.0, abs(best))
    return Run(case, time.process_time() - begin, history)


def run_missing(path: Path, wanted: Iterable[Case], workers: int) -> list[Run]:
    """Make the runs that the file lacks, append each as it ends, and return all wanted ones."""
    from rich.console import Console
    from rich.progress import track

    asked = list(wanted)
    known = read(path)
    missing = [case for case in asked if case not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file, ProcessPoolExecutor(workers) as pool:
        writer = csv.writer(file)
        if fresh:
            writer.writerow(FIELDS)
        ends = as_completed([pool.submit(one_run, case) for case in missing])
        for end in track(ends, "runs", len(missing), console=Console(stderr=True)):
            run = end.result()
            known[run.case] = run
            writer.writerow(_row(run))
            file.flush()
    return [known[case] for case in asked]


def read(path: Path) -> dict[Case, Run]:
    """Return the runs in a file; none if there is no file."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        runs = map(_run, csv.DictReader(file))
        return {run.case: run for run in runs}


def _row(run: Run) -> list[Any]:
    case, key = run.case, run.case.key
    text = " ".join(f"{int(n)}:{error:.3g}" for n, error in _thinned(run))
    identity = [case.solver, key.suite, key.label, key.to_json(), case.seed, case.budget]
    return [*identity, f"{run.seconds:.2f}", text]


def _thinned(run: Run) -> FloatArray:
    """Return the improvements by a tenth of the error, and the last one before each budget."""
    n, error = run.history.T
    last = [int((n <= budget * run.case.key.dim).sum()) - 1 for budget in BUDGETS]
    kept: list[int] = []
    for i, value in enumerate(error):
        if not kept or value < 0.9 * error[kept[-1]] or value <= SOLVED < error[kept[-1]]:
            kept.append(i)
    return run.history[sorted({*kept, *(i for i in last if i >= 0)})]


def _run(row: Mapping[str, str]) -> Run:
    key = ProblemKey.from_dict(json.loads(row["key"]))
    pairs = [tuple(map(float, text.split(":"))) for text in row["history"].split()]
    case = Case(row["solver"], key, int(row["seed"]), int(row["budget"]))
    return Run(case, float(row["seconds"]), np.array(pairs, dtype=float).reshape(-1, 2))


def errors(runs: Iterable[Run], budget: int) -> dict[tuple[str, ProblemKey], FloatArray]:
    """Return the errors of all seeds after `budget` D evaluations, by solver and problem."""
    found: dict[tuple[str, ProblemKey], list[float]] = defaultdict(list)
    for run in runs:
        case = run.case
        if case.budget == budget or (
            case.budget > budget and not SOLVERS[case.solver].knows_budget
        ):
            found[case.solver, case.key].append(run.error(budget * case.key.dim))
    return {place: np.array(values) for place, values in found.items()}


def solved_table(runs: Sequence[Run]) -> Table:
    """Return the problems solved in the median of the seeds, by suite, dimension and budget."""
    solvers = list(dict.fromkeys(run.case.solver for run in runs))
    groups: dict[str, set[ProblemKey]] = defaultdict(set)
    for run in runs:
        groups[_group(run.case.key)].add(run.case.key)
    rows: list[tuple[Any, ...]] = []
    for group, keys in groups.items():
        for budget in BUDGETS:
            found = errors(runs, budget)
            counts = [_solved(found, solver, keys) for solver in solvers]
            if any(count is not None for count in counts):
                rows.append((group, f"{budget} D", len(keys), *counts))
    columns = (Column("problems"), Column("budget"), Column("of"), *(
        Column(SOLVERS[solver].title) for solver in solvers
    ))  # fmt: skip
    title = f"Problems solved to {SOLVED:g} in the median of the seeds"
    return Table(title, columns, tuple(rows))


def _group(key: ProblemKey) -> str:
    return f"{key.suite}, D = {key.dim}" if key.suite == "bbob-constrained" else key.suite


def _solved(
    found: Mapping[tuple[str, ProblemKey], FloatArray], solver: str, keys: Iterable[ProblemKey]
) -> int | None:
    cells = [found[solver, key] for key in keys if (solver, key) in found]
    if not cells:
        return None
    return sum(bool(np.sort(cell)[len(cell) // 2] <= SOLVED) for cell in cells)


def time_table(runs: Iterable[Run]) -> Table:
    """Return the CPU time per evaluation of the longest runs, in the median."""
    spent: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        if run.case.budget == max(BUDGETS) and len(run.history):
            spent[run.case.solver].append(run.seconds / (run.case.budget * run.case.key.dim))
    rows = tuple(
        (SOLVERS[solver].title, float(np.median(values)) * 1e6) for solver, values in spent.items()
    )
    columns = (Column("solver"), Column("CPU per evaluation, us", ".0f"))
    return Table(f"Time of runs of {max(BUDGETS):,} D evaluations, in the median", columns, rows)


def draw_profiles(runs: Sequence[Run], path: Path) -> None:
    """Draw the share of (problem, seed) pairs solved against evaluations per dimension."""
    from matplotlib.figure import Figure

    from de2ls.reports.palette import looks

    longest = [run for run in runs if run.case.budget == max(BUDGETS)]
    groups = list(dict.fromkeys(_group(run.case.key) for run in longest))
    solvers = list(dict.fromkeys(run.case.solver for run in longest))
    figure = Figure(figsize=(4.2 * len(groups), 3.8), layout="constrained")
    axes = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    look = looks(solvers)
    for axis, group in zip(axes, groups, strict=True):
        for solver in solvers:
            at = np.sort(
                [
                    run.solved_at
                    for run in longest
                    if run.case.solver == solver and _group(run.case.key) == group
                ]
            )
            share = np.arange(1, at.size + 1) / max(1, at.size)
            axis.step(
                at,
                share,
                where="post",
                label=SOLVERS[solver].title,
                color=look[solver].light,
                linestyle=(0, look[solver].dash) if look[solver].dash else "-",
            )
        axis.set(xscale="log", xlim=(1, max(BUDGETS)), ylim=(0, 1), title=group)
        axis.set_xlabel("evaluations / D")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel(f"share of runs within {SOLVED:g}")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False)
    figure.savefig(path, dpi=150)


TEXT = """# `minimize` beside other solvers

`{command}`: {problems} problems, {seeds} seeds. An evaluation is one point, objective and
constraints together, counted alike for all. A run counts by its best feasible point: no constraint
over its tolerance by more than 1e-6. A run may take {seconds:.0f} s of CPU time.

{solved}

![Share of runs within 1e-4 of the best known value](profiles.png)

{times}
"""


def report(runs: Sequence[Run], folder: Path, command: str) -> Table:
    """Write tables and figure into a folder; return the table of solved problems."""
    solved = solved_table(runs)
    draw_profiles(runs, folder / "profiles.png")
    text = TEXT.format(
        command=command,
        problems=len({run.case.key for run in runs}),
        seeds=len({run.case.seed for run in runs}),
        seconds=MAX_SECONDS,
        solved=solved.to_markdown(),
        times=time_table(runs).to_markdown(),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    return solved
