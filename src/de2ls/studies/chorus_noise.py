"""Solvers on disturbed problems: noise, rounding, undefined values, measured by the true values.

A disturbance is a function of the point, as in a simulation: the same point gives the same values.
Solvers see the disturbed values alone, and report their best point by them. A run counts by the
true objective at that point, and by nothing if the point is truly infeasible.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls._version import __version__
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.scores.tables import Column, Table, Value, best_cells
from de2ls.studies.practitioners import (
    at_budget,
    cases,
    groups,
    solver_table,
    solvers_of,
    timed,
    title_of,
)
from de2ls.studies.rivals import SLACK, SOLVERS, Meter
from de2ls.studies.runs import SOLVED, Case, Run
from de2ls.suites.registry import get_suite

LENGTH = 1e-5  # of the box, over which correlated noise changes
WAVES = 64  # whose sum it is
LOST = 0.1  # share of the points without values


class Place(NamedTuple):
    """Where a disturbance is asked for: the problem, the point in the unit box, random numbers."""

    problem: Problem
    u: FloatArray
    rng: np.random.Generator  # seeded by the point
    seed: int


def _independent(out: FloatArray, place: Place, eps: float) -> None:
    some = slice(1 + place.problem.n_ineq)
    out[some] *= 1.0 + eps * place.rng.standard_normal(out[some].size)


def _correlated(out: FloatArray, place: Place, eps: float) -> None:
    some = slice(1 + place.problem.n_ineq)
    rng = np.random.default_rng(place.seed)
    phase = rng.standard_normal((WAVES, place.u.size)) @ place.u / LENGTH
    shifts = rng.uniform(0.0, 2.0 * np.pi, (WAVES, out[some].size))
    out[some] *= 1.0 + eps * np.sqrt(2.0 / WAVES) * np.cos(phase[:, None] + shifts).sum(0)


def _on_equalities(out: FloatArray, place: Place, eps: float) -> None:
    some = slice(1 + place.problem.n_ineq, None)
    out[some] += eps * place.rng.standard_normal(out[some].size)


def _rounded(out: FloatArray, place: Place, eps: float) -> None:
    del place
    digits = round(-np.log10(eps))
    out[:] = [float(f"{value:.{digits - 1}e}") for value in out]


def _lost(out: FloatArray, place: Place, eps: float) -> None:
    del eps
    if place.rng.random() < LOST:
        out[:] = np.nan


@dataclass(frozen=True)
class Disturbance:
    """What is done to the values of a problem."""

    title: str
    apply: Callable[[FloatArray, Place, float], None] | None = None  # changes f, g, h in place
    eps: float = 0.0  # its size
    equalities: bool = False  # whether it concerns these alone, in absolute size

    @property
    def solved(self) -> float:
        """The error up to which a problem counts as solved."""
        return 10.0 * self.eps + SOLVED

    @property
    def slack(self) -> float:
        """By how much a true constraint may exceed its tolerance."""
        return SLACK + (10.0 * self.eps if self.equalities else 0.0)


LEVELS = {
    "exact": Disturbance("none"),
    "1e-9": Disturbance("1e-9, relative, on f and g", _independent, 1e-9),
    "1e-6": Disturbance("1e-6, relative, on f and g", _independent, 1e-6),
    "1e-3": Disturbance("1e-3, relative, on f and g", _independent, 1e-3),
    "h": Disturbance("1e-6, absolute, on h", _on_equalities, 1e-6, equalities=True),
    "digits": Disturbance("values of 4 digits", _rounded, 1e-4),
    "nan": Disturbance("10 % without values", _lost),
    "waves-1e-6": Disturbance("1e-6, correlated over 1e-5 of the box", _correlated, 1e-6),
    "waves-1e-3": Disturbance("1e-3, correlated over 1e-5 of the box", _correlated, 1e-3),
}


def disturbed(problem: Problem, level: str, seed: int) -> Problem:
    """Return the problem as solvers see it."""
    what = LEVELS[level]

    def function(x: FloatArray, out: FloatArray) -> None:
        x = problem.round(np.asarray(x, float))
        f, g, h = problem.evaluate(x)
        out[:] = [f, *g, *h]
        if what.apply is not None:
            rng = np.random.default_rng([seed, *np.ascontiguousarray(x).view(np.uint64)])
            u = (x - problem.lower) / (problem.upper - problem.lower)
            what.apply(out, Place(problem, u, rng, seed), what.eps)

    return replace(problem, kernel=None, many=None, function=function)


def noise_cases(
    keys: Iterable[ProblemKey],
    levels: Sequence[str],
    solvers: Sequence[str],
    seeds: int,
    budgets: Sequence[int],
) -> Iterator[Case]:
    """Yield the runs, seed by seed; noise on equalities where there are some."""
    with_h = {key: get_suite(key.suite).load(key).n_eq > 0 for key in keys}
    for case in cases(with_h, solvers, seeds, budgets):
        for level in levels:
            if with_h[case.key] or not LEVELS[level].equalities:
                yield case._replace(setting=level)


def noise_run(case: Case, max_seconds: float) -> Run:
    """Make one run of a solver on a disturbed problem; measured by the true values."""
    problem = get_suite(case.key.suite).load(case.key)
    slack = LEVELS[case.setting].slack

    def truth(meter: Meter) -> list[tuple[int, float]]:
        return [
            (n, _true_value(problem, x, slack))
            for (n, _), x in zip(meter.history, meter.points, strict=True)
        ]

    seen = disturbed(problem, case.setting, case.seed)
    return timed(case, SOLVERS[case.solver].solve, seen, max_seconds, truth)


def _true_value(problem: Problem, x: FloatArray, slack: float) -> float:
    """Return the objective at a point; infinite where a constraint is broken by more than that."""
    f, g, h = problem.evaluate(x)
    over = np.append(g, np.abs(h)) - problem.tolerances
    return f if not (over > slack).any() else np.inf


def noise_table(runs: Sequence[Run], budget: int) -> Table:
    """Return the problems solved in the median of the seeds, a row per suite and level."""
    solvers = solvers_of(runs)
    rows: list[tuple[Value, ...]] = []
    shares: list[list[float]] = []
    for name, keys in groups(runs).items():
        for level, what in LEVELS.items():
            mine = [run for run in runs if run.case.setting == level]
            errors = at_budget(mine, budget, Run.error)
            count = [
                [
                    float(np.sort(errors[solver, key])[len(errors[solver, key]) // 2])
                    <= what.solved
                    for key in keys
                    if (solver, key) in errors
                ]
                for solver in solvers
            ]
            if any(count):
                cells = (f"{sum(one)} / {len(one)}" if one else None for one in count)
                rows.append((name, what.title, what.solved, *cells))
                shares.append([float(np.mean(one)) if one else np.nan for one in count])
    columns = (Column("problems"), Column("disturbance"), Column("error up to"), *(
        Column(title_of(solver)) for solver in solvers
    ))  # fmt: skip
    note = "k / n: of the n problems on which the solver was run"
    title = f"Problems solved in the median of the seeds, {budget:,} D evaluations"
    return Table(title, columns, tuple(rows), best_cells(shares, 3), notes=(note,))


TEXT = """# CHORUS and others under noise

`{command}` (de2ls {version}) made or completed the runs in [runs.csv](runs.csv), of which this page
is made: {seeds} seeds at the most.

A disturbance depends on the point and the seed alone: who asks again gets the same values, as from
a simulation. Solvers see disturbed values only; the point that a run reports is the best of those
that look feasible by them. It counts by its true values: solved if (f - f*) / max(1, |f*|) is at
most 10 eps + {solved:g}, eps being the size of the disturbance (0 where values are undefined, 1e-4
for four digits), and no true constraint exceeds its tolerance by more than {slack:g}, or by 10 eps
more where the noise on equalities is absolute. Correlated noise is a sum of {waves} waves of random
directions whose lengths are those of a Gaussian process with the given correlation. The limit of
CPU time of a run was {seconds:g} s in this call.

{tables}
"""


def write_noise_page(
    runs: Sequence[Run],
    budgets: Sequence[int],
    folder: Path,
    command: str,
    max_seconds: float,
) -> Table:
    """Write the page into a folder; return the table of the longest budget."""
    tables = [noise_table(runs, budget) for budget in budgets]
    text = TEXT.format(
        command=command,
        version=__version__,
        seeds=len({run.case.seed for run in runs}),
        solved=SOLVED,
        slack=SLACK,
        waves=WAVES,
        seconds=max_seconds,
        tables="\n".join(table.to_markdown() for table in [*tables, solver_table(runs)]),
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(text, encoding="utf-8")
    return tables[-1]
