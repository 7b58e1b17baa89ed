"""Runs of solvers on problems, kept in a CSV file: what is there is not made again."""

import csv
import json
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls._processes import begin_worker
from de2ls.problems.key import ProblemKey
from de2ls.scores.hitting import PRECISIONS

BUDGETS = (50, 200, 2000, 20_000)  # evaluations per dimension at which errors are kept exactly
SOLVED = 1e-4  # relative error
FIELDS = (
    "solver",
    "suite",
    "problem",
    "key",
    "seed",
    "budget",
    "setting",
    "cpu",
    "wall",
    "used",
    "ended",
    "best",
    "violation",
    "history",
    "strict",
)


class Case(NamedTuple):
    """One run to make: a solver, a problem, a seed and a budget in evaluations per dimension."""

    solver: str
    key: ProblemKey
    seed: int
    budget: int
    setting: str = ""  # what else tells runs of a study apart: noise, workers, an arm


@dataclass(frozen=True)
class Run:
    """A finished run, by the evaluations at which its best feasible point improved.

    A history has rows of evaluations and error, (f - f*) / max(1, |f*|); or f itself where no best
    value is known.
    """

    case: Case
    history: FloatArray  # of points feasible within a slack
    strict: FloatArray = field(default_factory=lambda: np.empty((0, 2)))  # without the slack
    best: float = np.nan  # f*
    violation: float = 0.0  # the least
    used: int = 0  # evaluations
    ended: str = ""  # "time" if the limit of time has ended it
    cpu: float = 0.0  # seconds
    wall: float = 0.0

    def error(self, evaluations: float) -> float:
        """Return the error after so many evaluations; infinite while infeasible."""
        done = self.history[self.history[:, 0] <= evaluations]
        return float(done[-1, 1]) if len(done) else np.inf

    @property
    def solved_at(self) -> float:
        """Evaluations per dimension until the error was at most 1e-4."""
        close = self.history[self.history[:, 1] <= SOLVED, 0]
        return float(close[0]) / self.case.key.dim if len(close) else np.inf

    def targets(self, evaluations: float, precisions: FloatArray = PRECISIONS) -> float:
        """Return the share of COCO's targets that feasible points have reached."""
        done = self.strict[self.strict[:, 0] <= evaluations]
        if not len(done):
            return 0.0
        distance = done[-1, 1] * max(1.0, abs(self.best))
        return float(np.mean(distance <= precisions))


def run_missing(
    path: Path, wanted: Iterable[Case], make: Callable[[Case], Run], workers: int
) -> list[Run]:
    """Make the runs that the file lacks, append each as it ends, and return all in the file."""
    from rich.console import Console
    from rich.progress import track

    known = read(path)
    missing = [case for case in wanted if case not in known]
    if missing:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow(FIELDS)
                file.flush()
            made = _made(make, missing, workers)
            for run in track(made, "runs", len(missing), console=Console(stderr=True)):
                writer.writerow(_row(run))
                file.flush()
    return list(read(path).values())


def _made(
    make: Callable[[Case], Run], cases: Sequence[Case], workers: int
) -> Generator[Run, None, None]:
    """Yield runs as they end; one worker is this process itself."""
    if workers == 1:
        yield from map(make, cases)
        return
    # A fork would copy locks that threads of this process hold, and could wait for them forever.
    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=begin_worker
    )
    try:
        for end in as_completed([pool.submit(make, case) for case in cases]):
            yield end.result()
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupted study does not wait for its rest


def read(path: Path) -> dict[Case, Run]:
    """Return the runs in a file; none if there is no file."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != FIELDS:
            raise ValueError(f"{path} must have the columns {', '.join(FIELDS)}; move it away")
        runs = map(_run, rows)
        return {run.case: run for run in runs}


def _row(run: Run) -> list[Any]:
    case, key = run.case, run.case.key
    return [
        case.solver,
        key.suite,
        key.label,
        key.to_json(),
        case.seed,
        case.budget,
        case.setting,
        f"{run.cpu:.2f}",
        f"{run.wall:.2f}",
        run.used,
        run.ended,
        repr(run.best),
        f"{run.violation:.6g}",
        _text(_thinned(run)),
        _text(_target_hits(run)),
    ]


def _text(history: FloatArray) -> str:
    return " ".join(f"{int(n)}:{error:.9g}" for n, error in history)


def _thinned(run: Run) -> FloatArray:
    """Return the first improvement that solves, and the last one before each budget."""
    n, error = run.history.T
    budgets = {*BUDGETS, run.case.budget}
    last = {int((n <= budget * run.case.key.dim).sum()) - 1 for budget in budgets}
    solving = np.flatnonzero(error <= SOLVED)[:1]
    return run.history[sorted({i for i in last if i >= 0} | set(solving.tolist()))]


def _target_hits(run: Run) -> FloatArray:
    """Return the improvements by which a target was reached."""
    reached = [run.targets(n) for n in run.strict[:, 0]]
    return run.strict[np.flatnonzero(np.diff(reached, prepend=0.0) > 0)]


def _run(row: Mapping[str, str]) -> Run:
    key = ProblemKey.from_dict(json.loads(row["key"]))
    return Run(
        Case(row["solver"], key, int(row["seed"]), int(row["budget"]), row["setting"]),
        _history(row["history"]),
        _history(row["strict"]),
        best=float(row["best"]),
        violation=float(row["violation"]),
        used=int(row["used"]),
        ended=row["ended"],
        cpu=float(row["cpu"]),
        wall=float(row["wall"]),
    )


def _history(text: str) -> FloatArray:
    pairs = [tuple(map(float, pair.split(":"))) for pair in text.split()]
    return np.array(pairs, dtype=float).reshape(-1, 2)
