"""COCO: runs on its constrained suite `bbob-constrained`, with an observer."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from de2ls import _checks
from de2ls._extras import extra
from de2ls.optimize.minimizer import minimize
from de2ls.problems.problem import Problem
from de2ls.suites.bbob_constrained import from_coco

with extra("coco"):
    import cocoex

__all__ = ["CocoRun", "Solver", "de2ls_solver", "from_coco", "run"]

Solver = Callable[[Problem, int, int], Any]  # problem, budget, seed


class CocoRun(NamedTuple):
    """One run of the suite."""

    function: int
    instance: int
    dim: int
    evaluations: int  # of the objective; the constraints are evaluated as often
    best: float  # best objective of a feasible point
    solved: bool  # whether COCO counts its final target as hit


def de2ls_solver(problem: Problem, budget: int, seed: int) -> None:
    """Solve by `de2ls.minimize` with its defaults."""
    minimize(problem, max_evals=budget, seed=seed)


def run(
    result_folder: str | Path | None = None,
    *,
    solver: Solver = de2ls_solver,
    dimensions: Sequence[int] = (2, 3, 5, 10, 20),
    functions: Sequence[int] | None = None,
    instance: int = 1,
    budget_per_dim: int = 2000,
    seed: int = 1,
    suite: str = "bbob-constrained",
) -> Iterator[CocoRun]:
    """Run a solver on the suite, one result after the other.

    Parameters
    ----------
    result_folder : path, optional
        Where COCO's observer writes its data, for `cocopp`; not observed if left out. COCO puts it
        below the folder `exdata` of the working directory.
    solver : callable
        ``solver(problem, budget, seed)``; by default `de2ls.minimize`.
    dimensions, functions : sequence of int
        Which problems; all functions by default.
    instance : int
        Which instance of each.
    budget_per_dim : int
        Evaluations per dimension.
    seed : int
        Handed to the solver.
    suite : str
        Name of the suite.

    Yields
    ------
    CocoRun
        What was reached.
    """
    _checks.integer("budget_per_dim", budget_per_dim, 4)
    _check_choice(suite, dimensions, functions or (), instance)
    chosen = f"dimensions: {','.join(map(str, dimensions))} instance_indices: {instance}"
    if functions is not None:
        chosen += f" function_indices: {','.join(map(str, functions))}"
    observer = None
    if result_folder is not None:
        options = f'result_folder: "{result_folder}" algorithm_name: de2ls'
        observer = cocoex.Observer(suite, options)
    for coco_problem in cocoex.Suite(suite, "", chosen):
        if observer is not None:
            coco_problem.observe_with(observer)
        try:
            problem = from_coco(coco_problem)
            solver(problem, budget_per_dim * problem.dim, seed)
            number, dim, number_of_instance = coco_problem.id_triple
            yield CocoRun(
                int(number),
                int(number_of_instance),
                int(dim),
                int(coco_problem.evaluations),
                float(coco_problem.best_observed_fvalue1),
                bool(coco_problem.final_target_hit),
            )
        finally:
            coco_problem.free()  # the observer writes the rest of its data


def _check_choice(
    suite: str, dimensions: Sequence[int], functions: Sequence[int], instance: int
) -> None:
    """Refuse what the suite does not have: COCO would run all of it instead."""
    parts = [re.search(r"_f(\d+)_i\d+_d(\d+)$", name) for name in cocoex.Suite(suite, "", "").ids()]
    pairs = [(int(part[1]), int(part[2])) for part in parts if part is not None]
    have = {
        "dimensions": {dim for _, dim in pairs},
        "functions": {function for function, _ in pairs},
        "instance": set(range(1, pairs.count(pairs[0]) + 1)),
    }
    asked = {"dimensions": dimensions, "functions": functions, "instance": [instance]}
    for name, values in asked.items():
        for value in values:
            if value not in have[name]:
                known = ", ".join(map(str, sorted(have[name])))
                raise ValueError(f"{name} of {suite} must be among {known}; got {value!r}")
