"""Problems of all shapes for the tests of whole trials, and ways to drive them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from de2ls.trials.record import TrialRecord
from de2ls.trials.run import make_record
from de2ls.trials.saved import load_driver


def ball(dim: int, **options: Any) -> Problem:
    """Minimise the sum outside a ball: one inequality, a box that differs per coordinate."""

    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[0] = x.sum()
        out[1] = 1.0 - x @ x

    lower = -1.0 - np.arange(dim) / 3.0
    upper = 0.5 + 2.0 * np.arange(dim)
    return Problem(f"ball {dim}", lower, upper, 1, 0, function=fill, **options)


def free(dim: int) -> Problem:
    """No constraint at all."""

    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[0] = ((x - 0.3) ** 2).sum()

    return Problem("free", np.full(dim, -1.0), np.full(dim, 2.0), 0, 0, function=fill)


def crowded(dim: int) -> Problem:
    """Twelve inequalities and three equalities."""

    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[0] = np.abs(x).sum()
        out[1:13] = np.cos(np.arange(12.0) + x[0]) - 1.5 + x[1] * np.arange(12) / 12.0
        out[13:] = [x[0] - x[1], x.sum() - 0.1, x[0] * x[1] - 0.04]

    return Problem("crowded", np.full(dim, -3.0), np.full(dim, 5.0), 12, 3, function=fill)


def hopeless(dim: int) -> Problem:
    """No feasible point."""

    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[0] = x[0]
        out[1] = 1.0 + x @ x

    return Problem("hopeless", np.full(dim, -1.0), np.full(dim, 1.0), 1, 0, function=fill)


def summed_violation(problem: Problem, out: np.ndarray) -> float:
    """Return the summed violation of f, g, h, one term after the other."""
    g, h = problem.split(out)
    terms = [max(0.0, value) for value in g.tolist()]
    terms += [abs(value) if abs(value) > problem.eq_tol else 0.0 for value in h.tolist()]
    total = 0.0
    for term in terms:
        total += term
    return total


def inside_box(problem: Problem, points: list[np.ndarray]) -> np.ndarray:
    """Return which points lie in the box."""
    rows = np.array(points)
    return np.logical_and(rows >= problem.lower, rows <= problem.upper).all(axis=1)


def loaded(path: Path, problem: Problem) -> Driver:
    """Return the driver of a saved trial of a compiled algorithm."""
    driver = load_driver(path, problem)
    assert isinstance(driver, Driver)
    return driver


def ask_and_tell(driver: Driver) -> None:
    """Drive a trial to its end with one candidate out at a time."""
    loop = driver
    problem = driver.problem
    out, work = np.empty(1 + problem.n_constraints), driver.work
    while numbers := loop.ask(1):
        (x,) = loop.points(numbers)
        problem.evaluate_into(x, out, work)
        loop.tell([numbers[0]], [out])
    driver.close_curve()


def record_of(
    algorithm: str,
    problem: Problem,
    seed: int,
    max_evals: int,
    config: dict[str, Any] | None = None,
    drive: Callable[[Driver], None] = Driver.run,
) -> TrialRecord:
    """Return the record of a trial that `drive` drives."""
    driver = Driver(algorithm, problem, seed, max_evals, config)
    drive(driver)
    return make_record(driver, trace=True)


def assert_same_bits(first: TrialRecord, second: TrialRecord) -> None:
    """Everything that a trial found, compared to the last bit."""
    for name in ("curve", "trace", "x", "g", "h"):
        a, b = getattr(first, name), getattr(second, name)
        assert a.tobytes() == b.tobytes(), name
    for name in ("f", "violation", "n_evals", "n_invalid", "n_outside", "counters", "stop"):
        assert getattr(first, name) == getattr(second, name), name
