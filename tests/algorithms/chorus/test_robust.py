"""CHORUS on hostile problems: exact budgets, points in the box, the same run again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from de2ls._checks import FloatArray
from tests.algorithms.chorus.support import Case, drive

N_INEQ = {"infinite g": 1, "constant": 1, "redundant": 20, "contradictory": 2, "many": 200}
N_EQ = {"no root": 1, "redundant": 2}


def sphere(X: FloatArray) -> Any:
    return ((X - 0.3) ** 2).sum(1)


def none(X: FloatArray) -> Any:
    return np.zeros((len(X), 0))


def mixed(X: FloatArray) -> Any:
    normals = np.random.default_rng(5).standard_normal((200, X.shape[1]))
    return X @ normals.T - 1.0


HOSTILE: dict[str, Callable[[FloatArray], tuple[Any, Any, Any]]] = {
    "NaN in most": lambda X: (np.where(X[:, 0] > -3, np.nan, sphere(X)), none(X), none(X)),
    "NaN everywhere": lambda X: (np.full(len(X), np.nan), none(X), none(X)),
    "infinite g": lambda X: (sphere(X), np.where(X[:, :1] > 0, np.inf, X[:, :1]), none(X)),
    "minus infinity": lambda X: (np.where(X[:, 0] > 2, -np.inf, sphere(X)), none(X), none(X)),
    "constant": lambda X: (np.ones(len(X)), np.zeros((len(X), 1)), none(X)),
    "no root": lambda X: (np.ones(len(X)), none(X), np.ones((len(X), 1))),
    "redundant": lambda X: (
        sphere(X),
        np.repeat(X[:, :1] - 0.1, 20, axis=1),
        np.repeat(X[:, -1:] + 0.2, 2, axis=1),
    ),
    "contradictory": lambda X: (
        sphere(X),
        np.column_stack([X[:, 0] - 1, 2 - X[:, 0]]),
        none(X),
    ),
    "many": lambda X: (X.sum(1), mixed(X), none(X)),
    "steps": lambda X: (np.floor(10 * sphere(X)), none(X), none(X)),
}


@pytest.mark.parametrize("dim", [1, 2, 7, 100])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_problems(name: str, dim: int) -> None:
    case = Case(HOSTILE[name], dim, n_ineq=N_INEQ.get(name, 0), n_eq=N_EQ.get(name, 0))
    for budget in (8, 57, 300):
        run = drive(case, budget, seed=1)
        assert run.n_evals == budget
        assert run.inside
        assert run.reason == "budget"
        assert run.counters.get("faults", 0) == 0


@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_seed_gives_the_same_points(workers: int) -> None:
    case = Case(HOSTILE["redundant"], 4, n_ineq=20, n_eq=2)
    one, two = (drive(case, 900, seed=5, workers=workers) for _ in range(2))
    assert np.array_equal(one.points, two.points)
    other = drive(case, 900, seed=6, workers=workers)
    assert not np.array_equal(one.points, other.points)


def test_widths_of_many_orders() -> None:
    width = 10.0 ** np.linspace(-8, 8, 9)
    case = Case(
        lambda X: (((X / width - 0.3) ** 2).sum(1), none(X), none(X)),
        9,
        lower=-width,
        upper=width,
    )
    run = drive(case, 600, seed=1)
    assert run.inside
    assert run.best < 1e-12


def test_contradictory_constraints_end_at_the_least_violation() -> None:
    """x <= 1 and x >= 2: every point between them has violation 1."""
    run = drive(Case(HOSTILE["contradictory"], 3, n_ineq=2), 600, seed=1)
    assert run.best == np.inf
    assert run.least_violation == pytest.approx(1.0, abs=1e-12)
