"""What holds for every algorithm: one statement, however it is driven; box, budget, records."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import de2ls
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.config import table
from de2ls.engine.state import State
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from tests.helpers import in_python, watched
from tests.trials.examples import ask_and_tell, assert_same_bits, loaded, record_of

NAMES = de2ls.algorithm_names()
COMPILED = [name for name in NAMES if get_algorithm(name).step is not None]
T = 4100  # 26 generations of UDE-III and UDE-IV end at 4000
UDE = ("ude3", "ude4")


def problem() -> Problem:
    """C04 in five dimensions: two inequalities, many local optima."""
    return de2ls.cec2017(4, 5, instance=1)


def same(one: State, other: State) -> bool:
    return all(
        np.array_equal(a, b) if a.dtype.names else np.array_equal(a, b, equal_nan=True)
        for a, b in zip(one, other, strict=True)
    )


def test_registered_names() -> None:
    assert NAMES == [
        "chorus",
        "de2ls",
        "rdex",
        "cl-srde",
        "ude3",
        "ude4",
        "rde26",
        "rdex-cask",
        "de-rand-1-bin",
        "jso",
        "dish",
        "lshade44",
        "lshade44-iepsilon",
        "nl-shade-rsp",
        "l-srtde",
        "lshade-spacma",
        "ea4eig",
        "imode",
        "ebo-cmar",
        "mlshade-rl",
        "ude",
    ]
    titles = [get_algorithm(name).title for name in NAMES]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_python_and_ask_tell_are_one(name: str) -> None:
    compiled = record_of(name, problem(), 7, T)
    assert_same_bits(compiled, record_of(name, watched(problem())[0], 7, T))
    assert_same_bits(compiled, record_of(name, problem(), 7, T, drive=ask_and_tell))


@pytest.mark.parametrize("name", NAMES)
def test_points_budget_and_incumbent(name: str) -> None:
    """Every point lies in the box; the record follows from the points, in order."""
    seen_by, witness = watched(problem())
    record = de2ls.run_trial(name, seen_by, 3, T)
    X, F = np.array(witness.points), np.array(witness.results)
    assert len(X) == record.n_evals <= T
    assert (seen_by.lower <= X).all()
    assert (seen_by.upper >= X).all()
    assert record.n_evals == (4000 if name in UDE else T)
    assert record.stop == ("generations" if record.n_evals < T else "budget")
    violation = seen_by.violation(*seen_by.split(F))
    feasible = violation <= seen_by.feasible_tol
    assert record.feasible
    assert record.f == F[feasible, 0].min()
    for n, min_ev, lcv in record.curve:
        n = min(int(n), record.n_evals)
        so_far = F[:n, 0][feasible[:n]]
        least = so_far.min() if so_far.size else np.nan
        np.testing.assert_equal(min_ev, 0.0 if abs(least) < 1e-8 else least)
        assert lcv == (0.0 if violation[:n].min() < 1e-8 else violation[:n].min())


@pytest.mark.parametrize("name", COMPILED)
def test_saved_and_continued(name: str, tmp_path: Path) -> None:
    whole = Driver(name, problem(), 11, T)
    whole.run()
    driver = Driver(name, problem(), 11, T)
    for until in (37, 101, 250, 1003, 2000, 3899):
        driver.run(until)
        driver.save(tmp_path / "trial.npz")
        driver = loaded(tmp_path / "trial.npz", problem())
        assert driver.n_evals == until
    driver.run()
    assert same(driver.state, whole.state)
    driver.run()  # a trial that is over stays as it is
    assert same(driver.state, whole.state)


@pytest.mark.parametrize("name", COMPILED)
def test_points_without_a_value_count_as_worst(name: str) -> None:
    """NaN in a third of the box: counted, never the incumbent, never in a memory."""
    base = problem()
    work = np.empty(base.kernel.n_work if base.kernel else 0)

    def function(x: np.ndarray, out: np.ndarray) -> None:
        base.evaluate_into(x, out, work)
        if x[0] > 3.0:
            out[0] = np.nan

    driver = Driver(name, in_python(base, function), 5, T)
    driver.run()
    now, state = driver.now, driver.state
    assert now["n_invalid"] > 10
    assert np.isfinite(now["best_f"])
    assert state.best[0] <= 3.0
    for field in state.memory.dtype.names or ():
        assert np.isfinite(state.memory[field]).all()
    population = state.top[: now["n_pop"]]
    assert np.isfinite(population["f"]).mean() > 0.9


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", COMPILED)
def test_many_candidates_out_told_in_any_order(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    driver = Driver(name, problem(), seed, T)
    trial = driver
    out = np.empty(1 + driver.problem.n_constraints)
    best, evaluations = (True, np.inf), 0
    while not driver.finished:
        trial.ask(int(rng.integers(1, 40)))
        assert trial.pending, "neither a candidate to have nor one to wait for"
        waiting = list(trial.pending)
        for number in rng.permutation(waiting)[: rng.integers(1, len(waiting) + 1)].tolist():
            (x,) = trial.points([number])
            assert (x >= driver.problem.lower).all()
            assert (x <= driver.problem.upper).all()
            driver.problem.evaluate_into(x, out, driver.work)
            g, h = driver.problem.split(out)
            violation = driver.problem.violation(g, h)
            infeasible = violation > driver.problem.feasible_tol
            best = min(best, (infeasible, violation if infeasible else float(out[0])))
            trial.tell([number], [out])
            evaluations += 1
    assert evaluations == driver.n_evals <= T
    assert trial.asked <= T
    now = driver.now
    assert best == (False, now["best_f"])
    assert 4 <= now["n_pop"] <= now["n0"]


@pytest.mark.parametrize("name", UDE)
def test_whole_generations_are_the_same_in_any_order(name: str) -> None:
    """Trials of one generation do not see each other: batches change nothing."""
    rng = np.random.default_rng(3)
    whole, driver = Driver(name, problem(), 9, T), Driver(name, problem(), 9, T)
    whole.run()
    trial = driver
    out = np.empty(1 + driver.problem.n_constraints)
    while not driver.finished:
        trial.ask(1000)
        for number in rng.permutation(list(trial.pending)).tolist():
            driver.problem.evaluate_into(trial.points([number])[0], out, driver.work)
            trial.tell([number], [out])
    driver.close_curve()
    for name_of_field in ("best_f", "best_cv", "n", "generation"):
        assert driver.now[name_of_field] == whole.now[name_of_field]
    assert driver.state.top["f"].tolist() == whole.state.top["f"].tolist()
    assert np.array_equal(driver.state.memory, whole.state.memory)


@pytest.mark.parametrize("name", NAMES)
def test_configuration_is_described_and_checked(name: str) -> None:
    config_class = get_algorithm(name).config_class
    config = config_class()
    assert json.loads(json.dumps(config.as_dict())) == config.as_dict()
    for field, default, span, meaning in table(config_class):
        assert getattr(config, field) == default
        assert span
        assert meaning
    with pytest.raises(ValueError, match="config has no field"):
        config_class.make({"nonsense": 1})


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("cl-srde", {"n0_per_dim": 0.0}, "n0_per_dim must be a finite number of at least 0.1"),
        ("rde26", {"h": 0}, "h must"),
        ("rde26", {"bound_mix": 1.5}, "bound_mix must be"),
        ("rdex-cask", {"archive": 0}, "archive must"),
        ("ude4", {"prob": -0.1}, "prob must be"),
        ("de-rand-1-bin", {"np": 3}, "np must"),
    ],
)
def test_retuned_parameters_keep_their_ranges(
    name: str, config: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        get_algorithm(name).config_class.make(config)


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_solves_an_easy_problem(name: str) -> None:
    """C01 in five dimensions at the full budget, feasible within 1e-8 of its optimum."""
    record = de2ls.run_trial(name, de2ls.cec2017(1, 5, instance=1), 2)
    assert record.feasible
    assert abs(record.f) < 1e-8
