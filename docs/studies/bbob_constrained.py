"""COCO's suite `bbob-constrained` by `minimize`, SciPy's DE and COBYLA, at equal budgets.

    python docs/studies/bbob_constrained.py [--dimensions 2,3,5,10,20] [--workers 2]

First instance of the 54 functions, 2000 D evaluations; COBYLA is NLopt's (extra `studies`). Runs
what is missing in docs/results/bbob-constrained/runs.csv, then writes the table there. An
evaluation is one point, objective and constraints together; all solvers are measured by the best
feasible point they saw.
"""

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cocoex
import numpy as np
from runs_table import Rows, run_missing

import de2ls
from de2ls.interop.coco import from_coco
from de2ls.problems import Problem

SUITE, FUNCTIONS, PER_DIM = "bbob-constrained", range(1, 55), 2000
TARGETS = 10.0 ** np.arange(2.0, -6.1, -0.2)  # distances to the optimum, 41 of them
RESULTS = Path(__file__).parents[1] / "results" / "bbob-constrained"
FIELDS = ["solver", "function", "dim", "evaluations", "distance"]


class BudgetUsedUpError(Exception):
    """No evaluation is left."""


class Meter:
    """Counts evaluations, remembers the last point's values and the best feasible objective."""

    def __init__(self, problem: Problem, budget: int) -> None:
        self.problem = problem
        self.left = self.budget = budget
        self.best = np.inf
        self._last: tuple[bytes, Any] = (b"", None)

    def values(self, x: Any) -> Any:
        """Return f and g of a point; asking again for the last one costs nothing."""
        point = np.clip(x, self.problem.lower, self.problem.upper)
        if self._last[0] != point.tobytes():
            if self.left == 0:
                raise BudgetUsedUpError
            self.left -= 1
            values = self.problem.evaluate(point)
            if self.problem.is_feasible(values.g, values.h):
                self.best = min(self.best, values.f)
            self._last = (point.tobytes(), values)
        return self._last[1]


def by_de2ls(meter: Meter, start: Any, polish: bool = False) -> None:
    """Run `de2ls.minimize` with its defaults, or with a local search at the end."""
    del start

    def fgh(x: Any) -> Any:
        f, g, _ = meter.values(x)
        return f, g, ()

    p = meter.problem
    de2ls.minimize(
        fgh,
        p.bounds,
        n_ineq=p.n_ineq,
        algorithm="de2ls",
        max_evals=meter.budget,
        seed=1,
        polish=polish,
    )


def by_scipy(meter: Meter, start: Any) -> None:
    """Run SciPy's differential evolution with its defaults, without polishing, to the end."""
    from scipy.optimize import NonlinearConstraint, differential_evolution

    del start
    limits = NonlinearConstraint(lambda x: meter.values(x).g, -np.inf, 0)
    differential_evolution(
        lambda x: meter.values(x).f,
        meter.problem.bounds,
        constraints=limits,
        polish=False,
        tol=0,
        maxiter=meter.budget,
        rng=1,
    )


def by_cobyla(meter: Meter, start: Any) -> None:
    """Run NLopt's COBYLA from COCO's initial point, then from random ones, until the end.

    A start ends when its steps are down to 1e-8 of the box.
    """
    import nlopt

    p, rng = meter.problem, np.random.default_rng(1)

    def objective(x: Any, gradient: Any) -> float:
        del gradient
        return float(meter.values(x).f)

    def constraints(result: Any, x: Any, gradient: Any) -> None:
        del gradient
        result[:] = meter.values(x).g

    while True:
        solver = nlopt.opt(nlopt.LN_COBYLA, p.dim)
        solver.set_lower_bounds(p.lower)
        solver.set_upper_bounds(p.upper)
        solver.set_min_objective(objective)
        solver.add_inequality_mconstraint(constraints, np.zeros(p.n_ineq))
        solver.set_xtol_abs(1e-8 * (p.upper - p.lower))
        with contextlib.suppress(nlopt.RoundoffLimited):
            solver.optimize(start)
        start = rng.uniform(p.lower, p.upper)


SOLVERS: dict[str, Callable[[Meter, Any], None]] = {
    "de2ls": by_de2ls,
    "de2ls, polished": partial(by_de2ls, polish=True),
    "SciPy DE": by_scipy,
    "COBYLA": by_cobyla,
}


def coco_problem(function: int, dim: int) -> Any:
    """Return a problem of the suite."""
    chosen = f"dimensions: {dim} function_indices: {function} instance_indices: 1"
    return cocoex.Suite(SUITE, "", chosen)[0]


def optimum(function: int, dim: int) -> float:
    """Return the best objective, at the point that COCO writes into a file."""
    problem, here = coco_problem(function, dim), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            problem._best_parameter("print")
            point = np.loadtxt("._bbob_problem_best_parameter.txt")
        finally:
            os.chdir(here)
    return float(problem(point))


def one_run(solver: str, function: int, dim: int) -> dict[str, Any]:
    """Return the row of one run."""
    theirs = coco_problem(function, dim)
    meter = Meter(from_coco(theirs), PER_DIM * dim)
    with contextlib.suppress(BudgetUsedUpError):
        SOLVERS[solver](meter, theirs.initial_solution)
    distance = meter.best - optimum(function, dim)
    row = (solver, function, dim, meter.budget - meter.left, distance)
    return dict(zip(FIELDS, row, strict=True))


def table(rows: Rows, dimensions: list[int]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| D | solver | targets reached | optimum within 1e-6 | feasible point | evaluations |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for dim in dimensions:
        for solver in SOLVERS:
            mine = [r for (s, _, d), r in rows.items() if (s, d) == (solver, dim)]
            if not mine:
                continue
            distance = np.array([float(r["distance"]) for r in mine])
            reached = (distance[:, np.newaxis] <= TARGETS).mean()
            used = np.mean([int(r["evaluations"]) for r in mine])
            lines.append(
                f"| {dim} | {solver} | {reached:.1%} | {int((distance <= 1e-6).sum())} | "
                f"{int(np.isfinite(distance).sum())} | {used:,.0f} |"
            )
    return "\n".join(lines)


TEXT = """# bbob-constrained

`python docs/studies/bbob_constrained.py`: first instance of the 54 functions, at most 2000 D
evaluations each; de2ls {version} with its defaults, and with `polish=True`, which ends a run with a
local search within the same budget; SciPy's `differential_evolution` (defaults, without polishing,
run to the end of the budget) and NLopt's COBYLA (from COCO's initial point, then from random points
until the budget is used up). One seed each.

Targets are the 41 distances 10^2, 10^1.8, ..., 10^-6 to the optimum; the share is that of all pairs
of function and target reached by a feasible point. Then the number of functions, of 54, with the
optimum found within 1e-6 and with any feasible point, and the mean number of evaluations used.
The command keeps the single runs in `runs.csv` beside this page.

The functions are smooth or nearly so, and the budget is small. With its defaults de2ls reaches
fewer targets than COBYLA, which models them linearly, in all dimensions but 5; with `polish=True`
it reaches the most in all. SciPy's differential evolution reaches the fewest.

{table}
"""


def main() -> None:
    """Run what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", default="2,3,5,10,20")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    dimensions = [int(d) for d in given.dimensions.split(",")]
    wanted = [(s, k, dim) for dim in dimensions for s in SOLVERS for k in FUNCTIONS]
    rows = run_missing(RESULTS / "runs.csv", FIELDS, wanted, one_run, given.workers)
    text = TEXT.format(version=de2ls.__version__, table=table(rows, sorted({k[2] for k in rows})))
    (RESULTS / "README.md").write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
