"""What test modules share: callable forms of compiled functions, small problems, processes."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numba
import numpy as np

from de2ls.problems.problem import Problem

LONGEST = 120.0  # seconds after which a process that hangs is killed


@cache
def compiled(function: Any) -> Any:
    """Return a block or routine of the engine in a form that Python can call."""
    return numba.njit(error_model="numpy")(function.py_func)


class Witness:
    """A function of a problem that remembers every point and result it saw, in order."""

    def __init__(self, function: Callable[[np.ndarray, np.ndarray], None]) -> None:
        self.function = function
        self.points: list[np.ndarray] = []
        self.results: list[np.ndarray] = []

    def __call__(self, x: np.ndarray, out: np.ndarray) -> None:
        self.function(x, out)
        self.points.append(x.copy())
        self.results.append(out.copy())


def first_difference(points: list[np.ndarray], others: list[np.ndarray]) -> int | None:
    """Return where two sequences of points first differ; None if they are the same to the bit."""
    pairs = zip(points, others, strict=True)
    return next((i for i, (x, y) in enumerate(pairs) if not np.array_equal(x, y)), None)


def watched(problem: Problem) -> tuple[Problem, Witness]:
    """Return the problem evaluated from Python, and the witness of its evaluations."""
    work = np.empty(problem.kernel.n_work if problem.kernel else 0)
    witness = Witness(lambda x, out: problem.evaluate_into(x, out, work))
    return in_python(problem, witness), witness


def in_python(problem: Problem, function: Callable[..., None]) -> Problem:
    """Return a copy of `problem` whose values come from `function`, called from Python."""
    return Problem(
        problem.name,
        problem.lower,
        problem.upper,
        problem.n_ineq,
        problem.n_eq,
        function=function,
        eq_tol=problem.eq_tol,
        ineq_tol=problem.ineq_tol,
        excess=problem.excess,
        feasible_tol=problem.feasible_tol,
        key=problem.key,
    )


@contextmanager
def killed_in_the_end(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a process of its own session, and its children, at the end of the block or of time."""

    def kill() -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(LONGEST, kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        kill()


BOWL_AND_SLOPE = """\
import de2ls
groups = {'round': ['bowl']}
best_known = {'bowl': 0.5}
def problems(dim):
    box = [(0, 1)] * dim
    return {name: de2ls.problem(sum, box) for name in ('bowl', 'slope')}
"""  # a user's file that says more of its problems
