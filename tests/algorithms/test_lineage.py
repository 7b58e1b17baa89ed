"""What holds for the searches of the lineage: any driver, bad input, their blocks by hand."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import de2ls
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.lineage import polish
from de2ls.algorithms.lineage.members import LineageConfig
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from de2ls.trials.driver import new_driver
from de2ls.trials.run import make_record
from de2ls.trials.saved import load_driver
from tests.helpers import in_python, watched
from tests.trials.examples import assert_same_bits, free, hopeless

BATCHES = [  # whose trials of a generation do not see each other
    *("jso", "dish", "lshade44", "lshade44-iepsilon", "nl-shade-rsp", "lshade-spacma"),
    *("ea4eig", "imode", "ebo-cmar", "mlshade-rl", "ude"),
]
NAMES = [*BATCHES, "l-srtde"]
POLISHED = ("imode", "ebo-cmar", "mlshade-rl")
T = 3000


def problem() -> Problem:
    """C04 in five dimensions: two inequalities, many local optima."""
    return de2ls.cec2017(4, 5, instance=1)


def run_in_python(code: str) -> None:
    """Run a program in a process without compilation, for a minute at most."""
    subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
        timeout=60,
    )


@pytest.mark.parametrize("name", BATCHES)
def test_told_in_any_order_and_saved_in_between(name: str, tmp_path: Path) -> None:
    """Trials of one generation do not see each other: batches and pauses change nothing."""
    rng = np.random.default_rng(4)
    whole, driver = (new_driver(name, problem(), 9, T) for _ in range(2))
    whole.run()
    out = np.empty(1 + whole.problem.n_constraints)
    while not driver.finished:
        if rng.random() < 0.05:
            driver.save(tmp_path / "trial.npz")
            driver = load_driver(tmp_path / "trial.npz", problem())
        driver.ask(int(rng.integers(1, 60)))
        for number in rng.permutation(list(driver.pending)).tolist():
            driver.problem.evaluate_into(driver.points([number])[0], out, driver.work)
            driver.tell([number], [out.copy()])
    records = [make_record(each) for each in (whole, driver)]
    assert records[0].x.tolist() == records[1].x.tolist()
    assert records[0].f == records[1].f
    assert records[0].n_evals == records[1].n_evals == T


@pytest.mark.parametrize("name", NAMES)
def test_the_same_in_python_and_compiled(name: str) -> None:
    one = de2ls.run_trial(name, problem(), 7, T, trace=True)
    assert_same_bits(one, de2ls.run_trial(name, watched(problem())[0], 7, T, trace=True))


@pytest.mark.parametrize("name", NAMES)
def test_points_without_a_value_count_as_worst(name: str) -> None:
    """NaN in a third of the box: counted, never the incumbent, no harm to the search."""
    base = problem()
    work = np.empty(base.kernel.n_work if base.kernel else 0)

    def function(x: np.ndarray, out: np.ndarray) -> None:
        base.evaluate_into(x, out, work)
        if x[0] > 3.0:
            out[0] = np.nan

    record = de2ls.run_trial(name, in_python(base, function), 5, T)
    assert record.n_invalid > 10
    assert np.isfinite(record.f)
    assert record.x[0] <= 3.0
    plain = de2ls.run_trial(name, in_python(base, lambda x, out: out.fill(np.nan)), 5, 400)
    assert plain.n_invalid == plain.n_evals == 400


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dim", [2, 3])
def test_few_dimensions(name: str, dim: int) -> None:
    record = de2ls.run_trial(name, free(dim), 3, 4000)
    assert record.n_evals == 4000
    assert record.f < 1e-4


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("budget", [8, 33, 150])
def test_a_small_budget_reduces_the_first_population(name: str, budget: int) -> None:
    record = de2ls.run_trial(name, free(12), 3, budget)
    assert record.n_evals == budget
    assert np.isfinite(record.f)


def test_imode_in_thirty_dimensions_keeps_half_of_a_small_budget() -> None:
    """6 D^2 = 5400 members would not fit into 3000 evaluations."""
    driver = new_driver("imode", free(30), 1, 3000)
    assert len(driver.ask(10_000)) == 1500


@pytest.mark.parametrize("name", NAMES)
def test_a_population_that_is_asked_for_must_fit(name: str) -> None:
    with pytest.raises(ValueError, match="n0 must be at most"):
        de2ls.run_trial(name, free(3), 1, 100, config={"n0": 101})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("handling", ["epsilon", "feasibility"])
def test_both_orders_of_the_infeasible(name: str, handling: str) -> None:
    record = de2ls.run_trial(name, problem(), 2, T, config={"handling": handling})
    assert record.feasible
    lost = de2ls.run_trial(name, hopeless(3), 2, 1000, config={"handling": handling})
    assert not lost.feasible
    assert 1.0 <= lost.violation < 1.1


@pytest.mark.parametrize("name", POLISHED)
def test_the_local_search_is_counted(name: str) -> None:
    """From the first generation on, always: its evaluations are within the budget and recorded."""
    config = {"ls_from": 0.0, "ls_first": 1.0, "ls_after_failure": 1.0, "ls_after_success": 1.0}
    record = de2ls.run_trial(name, free(5), 2, 2000, config=config)
    assert record.n_evals == 2000
    assert record.counters["ls_calls"] > 0
    assert record.counters["ls_improved"] > 0
    assert 0 < record.counters["ls_evaluations"] < 2000
    calls = record.counters["ls_calls"]
    assert record.counters["ls_evaluations"] <= 40 * calls
    assert record.f < 1e-12


@pytest.mark.parametrize("name", POLISHED)
def test_the_local_search_starts_from_the_best_of_all_points(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a population has forgotten it, as EBOwithCMAR's second one does."""
    base, search, values, starts = free(5), polish.descent, [], []
    work = np.empty(base.kernel.n_work if base.kernel else 0)

    def function(x: np.ndarray, out: np.ndarray) -> None:
        base.evaluate_into(x, out, work)
        values.append(out[0])

    def noted(run: Any, start: Any, limit: int, tolerance: float) -> Any:
        starts.append((start.f[0], min(values)))
        return (yield from search(run, start, 1, tolerance))

    monkeypatch.setattr(polish, "descent", noted)
    config = {"n0": 10, "ls_from": 0.0, "ls_first": 1.0, "ls_after_failure": 1.0}
    de2ls.run_trial(name, in_python(base, function), 2, 2000, config=config)
    assert len(starts) > 10
    assert all(start == best for start, best in starts)


@pytest.mark.parametrize("name", NAMES)
def test_starting_points_come_first(name: str) -> None:
    start = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    driver = new_driver(name, free(3), 1, 500, x0=start)
    numbers = driver.ask(2)
    assert driver.points(numbers).tolist() == start.tolist()


@pytest.mark.parametrize("name", BATCHES)
def test_default_sizes(name: str) -> None:
    """N0 at D = 10 and 30, as the specifications of the programs have it."""
    expected: dict[str, tuple[int, int]] = {
        **dict.fromkeys(("jso", "dish"), (182, 466)),
        **dict.fromkeys(("lshade44", "lshade44-iepsilon", "lshade-spacma"), (180, 540)),
        **dict.fromkeys(("ebo-cmar", "mlshade-rl"), (180, 540)),
        "nl-shade-rsp": (300, 900),
        "imode": (600, 5400),
        **dict.fromkeys(("ea4eig", "ude"), (100, 100)),
    }
    config: Any = get_algorithm(name).config_class()
    assert isinstance(config, LineageConfig)
    sizes = tuple(config.n0 or config.default_size(dim) for dim in (10, 30))
    assert sizes == expected[name]


@pytest.mark.parametrize(
    ("name", "config"), [("nl-shade-rsp", {"pressure": 30.0}), ("ea4eig", {"ide_sigma": 100.0})]
)
def test_a_draw_that_would_hardly_end_is_not_allowed(name: str, config: dict[str, Any]) -> None:
    """It is repeated until a partner is another one, or until F lies in (0, 1]."""
    with pytest.raises(ValueError, match=next(iter(config))):
        get_algorithm(name).config_class.make(config)


def test_the_default_size_of_l_srtde() -> None:
    """20 D, and half of a small budget."""
    config: Any = get_algorithm("l-srtde").config_class()
    assert [config.initial_size(dim, 10_000 * dim) for dim in (10, 30)] == [200, 600]
    assert config.initial_size(10, 300) == 150


@pytest.mark.parametrize("handling", ["epsilon", "feasibility"])
def test_l_srtde_has_the_common_level(handling: str) -> None:
    """Its first level is that of a fifth of the first population; it falls by a power of 5 to 0."""
    base = hopeless(3)
    driver = Driver("l-srtde", base, 4, T, {"handling": handling})
    first = advance(driver, 60)
    eps0 = np.sort(1.0 + (first**2).sum(axis=1))[12] if handling == "epsilon" else 0.0
    seen = {60: float(driver.now["eps"])}
    while not driver.finished:
        advance(driver, 1)
        if driver.now["told"] == 0:  # a generation begins
            seen[int(driver.now["n"])] = float(driver.now["eps"])
    assert len(seen) > 50
    for n, level in seen.items():
        assert level == pytest.approx(eps0 * max(0.0, 1.0 - n / (0.8 * T)) ** 5, rel=1e-12), n


def advance(driver: Driver, count: int) -> np.ndarray:
    """Ask for some points, tell their values and return them."""
    numbers = driver.ask(count)
    points = driver.points(numbers)
    out = np.empty((len(numbers), 1 + driver.problem.n_constraints))
    for x, row in zip(points, out, strict=True):
        driver.problem.evaluate_into(x, row, driver.work)
    driver.tell(numbers, list(out))
    return points


def test_the_centre_of_f_of_l_srtde_is_at_most_one() -> None:
    """F is drawn anew until it lies in [0, 1], which it never would around 2."""
    code = (
        "import de2ls\n"
        "p = de2ls.problem(lambda x: float(x @ x), [(-5, 5)] * 2)\n"
        "config = {'mf_base': 1.0, 'mf_amp': 1.0}\n"
        "assert de2ls.run_trial('l-srtde', p, 1, max_evals=200, config=config).n_evals == 200\n"
    )
    run_in_python(code)


@pytest.mark.parametrize("config", [{"archive": 0.0}, {"n0": 10, "n_min": 60}])
def test_no_archive_and_a_growing_one_are_written_inside(config: dict[str, Any]) -> None:
    """Compiled code does not notice where an array ends; plain Python does."""
    code = (
        "import de2ls, numpy as np\n"
        "p = de2ls.problem(lambda x: float(x @ x), [(-5, 5)] * 2)\n"
        f"r = de2ls.run_trial('nl-shade-rsp', p, 1, max_evals=400, config={config})\n"
        "assert r.n_evals == 400 and r.f < 1.0\n"
    )
    run_in_python(code)
