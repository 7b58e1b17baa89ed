"""The bound-constrained suites against minionpy, the organisers' shifts, and bad input."""

from pathlib import Path

import numpy as np
import pytest

import de2ls
from de2ls.problems.key import ProblemKey
from de2ls.suites.cec_bound import CEC2017_BOUND, CEC2022_BOUND, BoundSuite

minionpy = pytest.importorskip("minionpy")
DATA = Path(minionpy.__file__).parent / "cec_input_data"
BOTH = [CEC2017_BOUND, CEC2022_BOUND]


def test_what_there_is():
    suite = de2ls.suite("cec2017-bound")
    keys = suite.problems()
    assert [key.name for key in keys] == [1, *range(3, 31)]
    assert {key.dim for key in keys} == {30}
    assert keys[1].label == "F03"
    assert len(suite.problems(dim="10,30,50,100")) == 4 * 29
    groups = {kind: len(found) for kind, found in suite.groups(keys).items()}
    assert groups == {"unimodal": 2, "multimodal": 7, "hybrid": 10, "composed": 10}
    assert len(de2ls.suite("cec2022-bound").problems(dim=10)) == 12


CASES = [(suite, dim) for suite in BOTH for dim in suite.dims]


def minionpys(suite: BoundSuite, number: int, X: np.ndarray) -> np.ndarray:
    """Values of minionpy, by the contests' rule."""
    f = np.array(getattr(minionpy, f"CEC{suite.year}Functions")(number, X.shape[1])(X.tolist()))
    optimum = suite.optima[number]
    return np.where(f - optimum < 1e-8, optimum, f)


@pytest.mark.parametrize(("suite", "dim"), CASES, ids=lambda case: getattr(case, "name", case))
def test_values_are_minionpys(suite: BoundSuite, dim: int):
    """In the box, outside, near the optimum and at the shift of every part."""
    rng = np.random.default_rng(1)
    folder = DATA / f"input_data_{suite.year}"
    for key in suite.problems(dim=dim):
        problem = suite.load(key)
        shifts = np.loadtxt(folder / f"shift_data_{key.name}.txt", ndmin=2)[:, :dim]
        near = [shifts[0] + size * rng.standard_normal((50, dim)) for size in (1.0, 1e-3, 1e-6)]
        box, outside = rng.uniform(-100, 100, (200, dim)), rng.uniform(-300, 300, (20, dim))
        X = np.concatenate([box, outside, shifts, *near])
        found, expected = problem.evaluate_many(X), minionpys(suite, int(key.name), X)
        np.testing.assert_array_less(
            np.abs(found.f - expected), 1e-9 * np.maximum(1.0, expected), err_msg=key.label
        )
        assert problem.evaluate(X[3]).f == found.f[3]
        assert found.g.shape == found.h.shape == (X.shape[0], 0)


def test_they_are_compiled():
    problem = CEC2022_BOUND.load(ProblemKey("cec2022-bound", 7, 10))
    assert problem.kernel is not None
    assert problem.compiled() is problem


@pytest.mark.parametrize(("suite", "dim"), CASES, ids=lambda case: getattr(case, "name", case))
def test_the_optimum_stands_at_the_organisers_shift(suite: BoundSuite, dim: int):
    """Within 1e-8 of it the value is the optimum itself: the contests' rule."""
    folder = DATA / f"input_data_{suite.year}"
    for key in suite.problems(dim=dim):
        best = np.loadtxt(folder / f"shift_data_{key.name}.txt", ndmin=2)[0, :dim]
        if (suite.year, key.name) == (2017, 9):  # Levy's optimum is at 1 after shift and rotation
            rotation = np.loadtxt(folder / f"M_9_D{dim}.txt")
            best = best + np.linalg.solve(rotation, np.ones(dim))
        problem = suite.load(key)
        assert problem.evaluate(best).f == suite.best_known(key) == problem.best_known
        assert problem.evaluate(best - 0.5).f > problem.best_known


def test_a_trial_runs_on_it():
    problem = CEC2017_BOUND.load(ProblemKey("cec2017-bound", 1, 10))
    record = de2ls.run_trial("de2ls", problem, 1, 20_000)
    assert record.feasible
    assert record.n_evals == 20_000
    assert 100.0 <= record.f < 1e6


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (ProblemKey("cec2017-bound", 2, 10), "number must be"),
        (ProblemKey("cec2017-bound", 31, 10), "number must be"),
        (ProblemKey("cec2017-bound", 1, 20), "dim must be"),
    ],
)
def test_what_there_is_not(key: ProblemKey, message: str):
    with pytest.raises(ValueError, match=message):
        CEC2017_BOUND.load(key)


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "minionpy", None)
    with pytest.raises(ImportError, match=r"de2ls\[lineage\]"):
        CEC2017_BOUND.make(ProblemKey("cec2017-bound", 1, 10))
