"""What holds for every generator of batches: budget, box, record, ask and tell, saving, errors."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import de2ls
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.batches import Space
from de2ls.algorithms.config import Config, parameter
from de2ls.optimize.search import EvaluationError
from de2ls.problems.problem import Problem
from de2ls.trials.driver import Driver, new_driver
from de2ls.trials.run import PausedTrial, make_record
from de2ls.trials.saved import load_driver
from tests.helpers import in_python, watched
from tests.trials.examples import assert_same_bits, ball, crowded, free, hopeless

EXAMPLES = Path(__file__).parents[2] / "examples"
ES = get_algorithm(str(EXAMPLES / "evolution_strategy.py"))
T = 777  # no multiple of a batch


@dataclass(frozen=True, kw_only=True)
class WalkConfig(Config):
    """Parameters of the walk."""

    size: int = parameter(7, "points in a batch", 1)
    batches: int = 10_000  # a plain field is a parameter too


@de2ls.algorithm("walk", config=WalkConfig)
def walk(space: Space, rng: np.random.Generator, budget: int, config: WalkConfig) -> Any:
    """Move from the best point, in batches of one size, and end early if told so."""
    y = yield space.x0 if len(space.x0) else space.sample(rng, 1)
    for batch in range(config.batches):
        space.counters["batches"] = batch + 1
        scale = 0.1 * (1.0 - batch * config.size / budget) if np.isfinite(y.f).any() else 1.0
        y = yield space.clip(space.sample(rng, config.size) * scale)
    return "enough"


GENERATORS = [ES, walk]
PROBLEMS = [ball(2), ball(5), free(3), crowded(4), hopeless(3)]


def named(items: list[Any]) -> Any:
    return pytest.mark.parametrize("algorithm", items, ids=lambda item: item.name)


def expected(problem: Problem, F: np.ndarray, n0: int) -> tuple[np.ndarray, int]:
    """Return curve and index of the incumbent by the rules, from all results in order."""
    v = np.asarray(problem.violation(*problem.split(F)))
    feasible = v <= problem.feasible_tol
    rows = []
    for k in range(1 + -(-T // (10 * problem.dim))):
        n = max(n0, min(10 * problem.dim * k, T))
        best = F[:n, 0][feasible[:n]]
        rows.append((n, best.min() if best.size else np.nan, v[:n].min()))
    keys = [(not ok, f if ok else w) for ok, f, w in zip(feasible, F[:, 0], v, strict=True)]
    return np.array(rows), min(range(len(keys)), key=keys.__getitem__)


@named(GENERATORS)
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_record_follows_from_the_points_in_order(algorithm: Algorithm, problem: Problem) -> None:
    observed, witness = watched(problem)
    record = de2ls.run_trial(algorithm, observed, 3, T)
    X, F = np.array(witness.points), np.array(witness.results)
    assert len(X) == record.n_evals == T
    assert (problem.lower <= X).all()
    assert (problem.upper >= X).all()
    curve, best = expected(problem, F, 15 if algorithm is ES else 1)
    np.testing.assert_array_equal(record.curve, curve)
    assert (record.f, record.x.tolist()) == (F[best, 0], X[best].tolist())
    assert (record.stop, record.algorithm) == ("budget", algorithm.identity)
    assert record.label == algorithm.name


@named(GENERATORS)
def test_compiled_and_python_problems_are_one(algorithm: Algorithm) -> None:
    problem = de2ls.cec2017(4, 5, instance=1)
    compiled = de2ls.run_trial(algorithm, problem, 7, T, trace=True)
    assert_same_bits(compiled, de2ls.run_trial(algorithm, watched(problem)[0], 7, T, trace=True))
    other = de2ls.run_trial(algorithm, problem, 8, T)
    assert other.curve.tobytes() != compiled.curve.tobytes()


@named(GENERATORS)
def test_many_candidates_out_told_in_any_order(algorithm: Algorithm) -> None:
    """Points of a batch do not see each other: any order gives the points of the trial."""
    whole, witness = watched(ball(3))
    de2ls.run_trial(algorithm, whole, 5, T)
    rng = np.random.default_rng(1)
    driver, points = new_driver(algorithm, ball(3), 5, T), {}
    while not driver.finished:
        numbers = driver.ask(int(rng.integers(1, 40)))
        points |= dict(zip(numbers, driver.points(numbers), strict=True))
        waiting = rng.permutation(list(driver.pending)).tolist()
        for number in waiting[: rng.integers(1, len(waiting) + 1)]:
            driver.tell([number], [evaluated(driver.problem, points[number])])
    assert driver.n_evals == T
    np.testing.assert_array_equal([points[k] for k in sorted(points)], witness.points)


def evaluated(problem: Problem, x: np.ndarray) -> np.ndarray:
    out = np.empty(1 + problem.n_constraints)
    problem.evaluate_into(x, out, np.empty(0))
    return out


@named(GENERATORS)
def test_saved_and_continued(algorithm: Algorithm, tmp_path: Path) -> None:
    whole = de2ls.run_trial(algorithm, ball(4), 11, T, trace=True)
    trial = PausedTrial(algorithm, ball(4), 11, T)
    for evals in (1, 13, 1, 200, 5, 300):
        trial.run(evals).save(tmp_path / "trial.npz")
        trial = PausedTrial.load(tmp_path / "trial.npz", ball(4), algorithm)
    assert_same_bits(whole, trial.run().record(trace=True))
    trial.save(tmp_path / "trial.npz")  # one that is over
    again = PausedTrial.load(tmp_path / "trial.npz", ball(4), algorithm)
    assert again.finished
    assert_same_bits(whole, again.record(trace=True))


def test_a_changed_search_is_not_continued(tmp_path: Path) -> None:
    def make(scale: float) -> Algorithm:
        @de2ls.algorithm("scaled")
        def scaled(space: Space, rng: np.random.Generator, budget: int, config: Config) -> Any:
            del budget, config
            while True:
                yield scale * space.sample(rng, 5)

        return scaled

    PausedTrial(make(0.5), free(2), 1, 100).run(7).save(tmp_path / "trial.npz")
    with pytest.raises(ValueError, match=r"scaled.*other points"):
        load_driver(tmp_path / "trial.npz", free(2), make(0.25))


@named(GENERATORS)
def test_points_without_a_value_count_as_worst(algorithm: Algorithm) -> None:
    def function(x: np.ndarray, out: np.ndarray) -> None:
        out[:] = x.sum() if x[0] <= 0.0 else np.nan

    record = de2ls.run_trial(algorithm, in_python(free(3), function), 5, T)
    assert record.n_invalid > 10
    assert np.isfinite(record.f)
    assert record.x[0] <= 0.0


def test_what_the_search_sees_of_a_point_without_a_value() -> None:
    seen = []

    @de2ls.algorithm("spy")
    def spy(space: Space, rng: np.random.Generator, budget: int, config: Config) -> Any:
        del rng, budget, config
        seen.append((yield np.array([[0.5, 0.5], [1.0, 1.0]])))
        yield np.array([space.lower])

    def function(x: np.ndarray, out: np.ndarray) -> None:
        out[:] = (np.nan, 2.0) if x[0] == 0.5 else (1.0, 3.0)

    problem = in_python(ball(2), function)
    de2ls.run_trial(spy, Problem("p", [0, 0], [1, 1], 1, 0, function=problem.function), 1, 8)
    (y,) = seen
    assert (y.f.tolist(), y.v.tolist()) == ([np.inf, 1.0], [np.inf, 3.0])
    assert (y.g.tolist(), y.h.shape) == ([[2.0], [3.0]], (2, 0))


def test_an_early_end_says_why_and_counts() -> None:
    record = de2ls.run_trial(walk, free(2), 1, 1000, {"size": 9, "batches": 3})
    assert (record.n_evals, record.stop) == (28, "enough")
    assert record.counters == {"batches": 3.0}
    assert record.config == {"size": 9, "batches": 3}
    assert record.curve.shape == (51, 3)
    assert (record.curve[2:, 1] == record.f).all()
    result = de2ls.minimize(free(2), algorithm=walk, seed=1, config={"batches": 3}, max_evals=99)
    assert "enough" in result.message


@pytest.mark.parametrize(
    ("points", "error"),
    [
        (lambda s: np.vstack([s.lower, s.upper + 1e-9]), "coordinate 0 of point 1"),
        (lambda s: np.array([[0.0, np.nan, 0.0]]), "coordinate 1 of point 0"),
        (lambda s: s.lower, r"shape \(n, 3\).*got shape \(3,\)"),
        (lambda s: np.zeros((4, 2)), r"shape \(n, 3\).*got shape \(4, 2\)"),
        (lambda s: np.empty((0, 3)), r"n > 0"),
        (lambda s: "here", "got 'here'"),
    ],
)
def test_bad_points_are_errors_that_name_the_algorithm(
    points: Callable[[Space], Any], error: str
) -> None:
    @de2ls.algorithm("careless")
    def careless(space: Space, rng: np.random.Generator, budget: int, config: Config) -> Any:
        del rng, budget, config
        yield space.x0 if len(space.x0) else np.array([space.lower])
        yield points(space)

    with pytest.raises(ValueError, match=f"algorithm careless .*{error}"):
        de2ls.run_trial(careless, free(3), 1, 100)


@pytest.mark.parametrize("vectorized", [False, True])
def test_minimize_says_that_the_algorithm_failed(vectorized: bool) -> None:
    """Not the user's function; and what was found before is kept."""

    @de2ls.algorithm("broken")
    def broken(space: Space, rng: np.random.Generator, budget: int, config: Config) -> Any:
        del rng, budget, config
        yield np.array([space.lower])
        raise ZeroDivisionError("of its own")

    def square(x: Any) -> Any:
        return (np.asarray(x) ** 2).sum(0)

    with pytest.raises(EvaluationError, match=r"algorithm broken failed with Zero.*own") as caught:
        de2ls.minimize(square, [(-2, 3)], algorithm=broken, vectorized=vectorized)
    assert caught.value.x is None
    assert caught.value.result is not None
    assert caught.value.result.fun == 4.0


def test_bad_statements_of_algorithms() -> None:
    with pytest.raises(TypeError, match="plain must"):
        de2ls.algorithm("plain")(lambda *arguments: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(ValueError, match="name must be"):
        de2ls.algorithm("a:b")
    with pytest.raises(TypeError, match="config must be a subclass"):
        de2ls.algorithm("a", config=dict)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="algorithm must be"):
        get_algorithm(3)  # type: ignore[arg-type]


def test_minimize_and_optimizer_drive_it() -> None:
    def fun(x: np.ndarray) -> Any:
        return float(x @ x), [1.0 - x[0], 10.0 - 100.0 * x[1]]

    seen = []

    def watched_fun(x: np.ndarray) -> Any:
        seen.append(x.copy())
        f, g = fun(x)
        return f, g, []

    box, x0 = [(-5, 5)] * 2, [2.0, 3.0]
    result = de2ls.minimize(
        watched_fun, box, n_ineq=2, algorithm=walk, max_evals=300, seed=1, x0=x0
    )
    opt = de2ls.Optimizer(box, n_ineq=2, algorithm=walk, max_evals=300, seed=1, x0=x0)
    points = []
    while not opt.finished:
        c = opt.ask()
        points.append(c.x)
        opt.tell(c, *fun(c.x))
    assert points[0].tolist() == x0
    np.testing.assert_array_equal(points, seen)
    assert opt.result().fun == result.fun
    assert result.nfev == 300


def test_ask_beyond_the_batch_says_so(tmp_path: Path) -> None:
    opt = de2ls.Optimizer([(-5, 5)] * 2, algorithm=ES, max_evals=300, seed=1)
    out = opt.ask(100)
    assert len(out) == 15
    with pytest.raises(RuntimeError, match=r"15 .* are out"):
        opt.ask()
    for c in out[1:]:
        opt.tell(c, float(c.x @ c.x))
    opt.save(tmp_path / "opt.npz")
    again = de2ls.Optimizer.load(tmp_path / "opt.npz")
    for each in (opt, again):
        (waiting,) = each.pending()
        each.tell(waiting, 0.5)
    np.testing.assert_array_equal([c.x for c in opt.ask(100)], [c.x for c in again.ask(100)])


@pytest.mark.parametrize("drive", ["direct", "batches"])
def test_rules_stop_it(drive: str) -> None:
    how: dict[str, Any] = {} if drive == "direct" else {"batch": 6}

    def search(**rules: Any) -> Any:
        return de2ls.minimize(free(2), algorithm=walk, max_evals=5000, seed=1, **rules, **how)

    target = search(target=0.1)
    assert target.fun <= 0.1
    assert target.status == 1
    assert target.nfev < 5000
    assert search(stall=50).nfev < 5000
    assert search(max_time=0.0).status == 4
    assert search(callback=lambda intermediate_result: True).nfev < 20


def test_the_target_ends_a_batch_at_its_point() -> None:
    observed, witness = watched(free(2))
    result = de2ls.minimize(observed, algorithm=ES, max_evals=5000, seed=1, target=0.05)
    values = [out[0] for out in witness.results]
    assert result.nfev == len(values) == 1 + next(i for i, f in enumerate(values) if f <= 0.05)


def test_discrete_coordinates() -> None:
    space = Space.of(de2ls.problem(lambda x: x[0], [(0, 3), (0, 1)], integrality=[True, False]))
    assert space.discrete.tolist() == [True, False]
    rounded = space.round(np.array([[1.2, 0.3], [2.9, 0.7]]))
    assert rounded[:, 1].tolist() == [0.3, 0.7]
    assert (rounded == space.round(rounded)).all()


def test_order_is_the_rule_of_the_incumbent() -> None:
    space = Space.of(ball(2, feasible_tol=0.5))
    f, v = np.array([3.0, 1.0, 0.0, 2.0, np.inf]), np.array([0.4, 0.0, 0.9, 0.6, np.inf])
    assert space.order(f, v).tolist() == [1, 0, 3, 2, 4]


def test_nothing_is_compiled_for_a_plain_function() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(EXAMPLES)!r})\n"
        "from evolution_strategy import es\n"
        "import de2ls\n"
        "de2ls.minimize(lambda x: float(x @ x), [(-1, 1)] * 3, algorithm=es, max_evals=300)\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_found_in_files_and_modules(tmp_path: Path) -> None:
    text = (EXAMPLES / "evolution_strategy.py").read_text()
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(text)
    two.write_text(text + '\nother = de2ls.algorithm("other")(es.search)\n')
    found = get_algorithm(str(one))
    assert found.name == "es"
    assert get_algorithm(found.reference) == found
    assert get_algorithm(f"{two}:other").name == "other"
    with pytest.raises(ValueError, match="it defines es, other"):
        get_algorithm(str(two))
    with pytest.raises(ValueError, match="must be one of es, other"):
        get_algorithm(f"{two}:esx")
    with pytest.raises(FileNotFoundError, match=r"no algorithm file .*three"):
        get_algorithm(str(tmp_path / "three.py"))
    assert get_algorithm(f"{__name__}:walk") is walk
    with pytest.raises(ValueError, match="cannot be found"):
        get_algorithm("de2ls.nowhere:es")
    with pytest.raises(TypeError, match="must be an Algorithm"):
        get_algorithm("math:sin")
    one.write_text(text + "\n# changed\n")
    with pytest.raises(ValueError, match="text has changed"):
        get_algorithm(found.reference)
    assert get_algorithm(str(one)).identity != found.identity


def test_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is installed beside this one, with an algorithm of its own."""
    package = tmp_path / "plugged.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[de2ls.algorithms]\nplugged = plugged:es\n")
    (tmp_path / "plugged.py").write_text((EXAMPLES / "evolution_strategy.py").read_text())
    monkeypatch.syspath_prepend(tmp_path)
    assert get_algorithm("plugged").name == "es"
    assert get_algorithm("plugged").source == "plugged:es"
    with pytest.raises(ValueError, match="did you mean 'plugged'"):
        get_algorithm("pluged")


def test_a_driver_that_keeps_nothing_cannot_be_saved(tmp_path: Path) -> None:
    driver: Driver = new_driver(walk, free(2), 1, 50, saveable=False)
    driver.run()
    assert make_record(driver).n_evals == 50
    with pytest.raises(RuntimeError, match="cannot be saved"):
        driver.save(tmp_path / "trial.npz")
