"""Whole trials: budget, record, incumbent, box, invalid values."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import de2ls
from de2ls._checks import FloatArray
from de2ls.algorithms.de2ls import DE2LSConfig
from de2ls.engine.state import LOCAL, SEARCH
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord
from de2ls.trials.run import make_record, run_trial
from tests.helpers import Witness, in_python, watched
from tests.trials.examples import ball, crowded, free, hopeless, inside_box, summed_violation

ALGORITHMS = ["rdex", "de2ls"]
CASES = [ball(2), ball(5), free(3), crowded(4), hopeless(3)]
some_trials = settings(max_examples=30)  # each example is a whole trial


def watch(
    algorithm: str, problem: Problem, seed: int, T: int, config: dict[str, Any] | None = None
) -> tuple[TrialRecord, Witness]:
    """Run a trial and return its record and all its evaluations."""
    observed, witness = watched(problem)
    return run_trial(algorithm, observed, seed, T, config, trace=True), witness


def expected_record(problem: Problem, witness: Witness, T: int, n0: int) -> dict[str, Any]:
    """Return what the record must say, from all evaluated points and the rules alone."""
    samples = [n0] + [
        max(n0, min(10 * problem.dim * k, T))
        for k in range(1, 1 + math.ceil(T / (10 * problem.dim)))
    ]
    best, min_ev, lcv = 0, math.nan, math.inf
    curve = []
    zero = 1e-8 if problem.key.suite == "cec2017" else 0.0
    states: list[tuple[int, float, float]] = []
    for i, out in enumerate(witness.results):
        f, cv = float(out[0]), summed_violation(problem, out)
        feasible = cv <= problem.feasible_tol
        best_out = witness.results[best]
        best_cv = summed_violation(problem, best_out)
        first_feasible = feasible and best_cv > problem.feasible_tol
        if first_feasible or (f < best_out[0] if feasible else cv < best_cv):
            best = i
        lcv = min(lcv, cv)
        if feasible and not f >= min_ev:
            min_ev = f
        states.append((best, min_ev, lcv))
    for n in samples:
        _, e, c = states[n - 1]
        curve.append([n, 0.0 if abs(e) < zero else e, 0.0 if c < zero else c])
    return {"best": states[-1][0], "curve": np.array(curve)}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("problem", CASES, ids=lambda p: p.name)
@pytest.mark.parametrize("T", [1200, 1234])
def test_record_follows_from_the_evaluated_points(algorithm: str, problem: Problem, T: int) -> None:
    record, witness = watch(algorithm, problem, 7, T)
    assert record.n_evals == len(witness.points) == T
    assert inside_box(problem, witness.points).all()
    expected = expected_record(problem, witness, T, 10 * problem.dim)
    np.testing.assert_array_equal(record.curve, expected["curve"])
    best = expected["best"]
    assert record.x.tobytes() == witness.points[best].tobytes()
    out = witness.results[best]
    assert record.f == out[0]
    assert [*record.g, *record.h] == out[1:].tolist()
    assert record.violation == summed_violation(problem, out)
    assert record.feasible == problem.is_feasible(record.g, record.h)
    assert (record.stop, record.n_invalid, record.n_outside) == ("budget", 0, 0)


def test_searches_of_all_shapes_get_somewhere() -> None:
    """Known optima: the ball's corner, the free bowl's 0; no feasible point where there is none."""
    assert run_trial("de2ls", free(3), 1, 6000).min_ev == 0.0
    record = run_trial("de2ls", ball(2), 1, 6000)
    assert record.f == pytest.approx(-1.0 - 4.0 / 3.0)
    assert run_trial("de2ls", crowded(4), 1, 20_000).feasible
    record = run_trial("de2ls", hopeless(3), 1, 6000)
    assert not record.feasible
    assert math.isnan(record.min_ev)
    assert record.lcv == pytest.approx(1.0)


# --- budget ---------------------------------------------------------------------------------------


@some_trials
@given(
    T=st.one_of(st.sampled_from([8, 9, 10, 39, 40, 41, 60, 61]), st.integers(8, 700)),
    seed=st.integers(0, 2**64),
    algorithm=st.sampled_from(ALGORITHMS),
)
def test_budget_is_used_exactly(T: int, seed: int, algorithm: str) -> None:
    """D = 3, N0 = 30: also below N0, inside a generation and inside a local search."""
    record, witness = watch(algorithm, ball(3), seed, T)
    assert record.n_evals == record.max_evals == len(witness.points) == T
    assert len(record.curve) == 1 + math.ceil(T / 30)
    n0 = 30 if T >= 60 else max(4, T // 2)
    assert record.curve[0, 0] == n0
    assert record.curve[-1, 0] == T
    expected = expected_record(ball(3), witness, T, n0)
    np.testing.assert_array_equal(record.curve, expected["curve"])


@pytest.mark.parametrize("T", range(571, 600))
def test_budget_ends_inside_a_local_search(T: int) -> None:
    """A call at once when p >= 0.95, longer than what is left: it must be cut short."""
    config = {"ls_fsr": 0.95, "ls_br": 0.5, "ls_sr": 0.95, "n0": 10}
    record, witness = watch("de2ls", ball(3), 5, T, config)
    assert len(witness.points) == T
    log = record.counters
    assert log["ls_calls"] == 1
    assert 0 < log["ls_evaluations"] <= T - math.ceil(0.95 * T)


def test_a_call_takes_its_share_of_the_budget() -> None:
    """trunc(0.005 T) = 30 evaluations for each of two calls; they are told apart in the log."""
    record, _ = watch("de2ls", hopeless(3), 5, 6000, {"ls_min_rate": 0.0})
    assert record.counters["ls_calls"] == 2
    assert record.counters["ls_evaluations"] == 60


def test_default_budget_and_curve() -> None:
    record = run_trial("de2ls", de2ls.cec2017(1, dim=2, instance=1), 1)
    assert record.max_evals == record.n_evals == 40_000
    assert record.curve.shape == (2001, 3)
    assert record.curve[:3, 0].tolist() == [20.0, 20.0, 40.0]
    assert (record.curve[0] == record.curve[1]).all()  # N0 = 10 D: the same state
    assert record.curve[-1, 0] == 40_000


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"max_evals": 7}, ValueError, "max_evals must be an integer .*8.*got 7"),
        (
            {"max_evals": 1e4 + 0.5},
            (TypeError, ValueError),
            "max_evals must be an integer .*got 10000.5",
        ),
        ({"seed": -1}, ValueError, "seed must"),
        ({"seed": None}, TypeError, "seed must be an integer"),
        ({"algorithm": "de2s"}, ValueError, r"algorithm must be one of .*did you mean 'de2ls'"),
        ({"config": {"ls_srr": 1}}, ValueError, r"no field 'ls_srr' \(did you mean 'ls_sr'\?\)"),
        ({"config": {"n0": 301}, "max_evals": 300}, ValueError, "n0 must be at most max_evals=300"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"algorithm": "de2ls", "problem": ball(3), "seed": 1, "max_evals": 300} | arguments
    with pytest.raises(error, match=message):
        run_trial(**given)


def test_a_number_is_no_problem() -> None:
    with pytest.raises(TypeError, match=r"problem must be a Problem, as .*, got 22"):
        run_trial("de2ls", 22, seed=1)  # type: ignore[arg-type]


def test_a_line_is_searched() -> None:
    def parabola(x: FloatArray, out: FloatArray) -> None:
        out[0] = (x[0] - 0.3) ** 2

    record = run_trial("de2ls", Problem("line", [0.0], [1.0], 0, 0, function=parabola), 1, 2000)
    assert record.x == pytest.approx([0.3], abs=1e-4)


def test_a_record_shows_the_design() -> None:
    box = [(2, 2), de2ls.choices([1.5, 2.5, 4.0]), (0, 3)]
    p = de2ls.problem(
        lambda x: x[0] + (x[1] - 2.4) ** 2 + (x[2] - 0.8) ** 2, box, integrality=[0, 0, 1]
    )
    record = run_trial("de2ls", p, 1, 400)
    assert record.x.tolist() == [2.0, 2.5, 1.0]
    assert record.f == pytest.approx(2.0 + 0.01 + 0.04)


# --- invariants of the state ----------------------------------------------------------------------


@some_trials
@given(
    seed=st.integers(0, 2**32),
    T=st.integers(50, 800),
    n0=st.integers(4, 40),
    box=st.sampled_from(["repair", "published"]),
)
def test_state_stays_in_range(seed: int, T: int, n0: int, box: str) -> None:
    """At every evaluation: size between 4 and N0, memories and rates in [0, 1], level >= 0."""
    driver = Driver("de2ls", crowded(2), seed, T, {"n0": n0, "box": box, "ls_sg": 1})
    while not driver.finished:
        driver.run(driver.n_evals + 1)
        now = driver.now
        assert 4 <= now["n_pop"] <= n0
        if now["phase"] == SEARCH:
            assert 0 <= now["pointer"] < now["n_pop"]
        for values in (driver.state.memory["cr"], driver.state.memory["f"]):
            assert (values >= 0.0).all()
            assert (values <= 1.0).all()
        assert 0.0 <= now["sr"] <= 1.0
        assert 0.0 <= now["eb_rate"] <= 1.0
        assert now["eps"] >= 0.0
    assert driver.now["eps"] == 0.0 or n0 > T / 5  # the level ends at 0 (p > 0.8)


def any_value(field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Values of a parameter all over its range, both ends included."""
    rules = field.metadata
    if rules["options"]:
        return st.sampled_from(rules["options"])
    low, high = rules["low"], rules["high"]
    if isinstance(field.default, int):
        return st.integers(low, 8 if high is None else high)
    return st.floats(low, 50.0 if high is None else high)


ANY_CONFIG = st.fixed_dictionaries(
    {},
    optional={
        field.name: any_value(field)
        for field in dataclasses.fields(DE2LSConfig)
        if field.default is not None
    },
)


@settings(max_examples=100)
@given(config=ANY_CONFIG, seed=st.integers(0, 1000), T=st.integers(16, 200))
def test_any_configuration_within_its_ranges_works(
    config: dict[str, Any], seed: int, T: int
) -> None:
    record, witness = watch("de2ls", ball(2), seed, T, config)
    assert record.n_evals == len(witness.points) == T
    outside = int((~inside_box(ball(2), witness.points)).sum())
    assert record.n_outside == outside
    if config.get("box") != "published":
        assert outside == 0
    n0 = int(record.curve[0, 0])
    np.testing.assert_array_equal(
        record.curve[:, 0], expected_record(ball(2), witness, T, n0)["curve"][:, 0]
    )


def test_trace_of_size_and_level() -> None:
    record, _ = watch("rdex", hopeless(5), 3, 5000)
    assert record.trace is not None
    size, level = record.trace.T
    assert (size[0], size[-1]) == (50, 4)
    assert (np.diff(size) <= 0).all()
    late = record.curve[:, 0] > 0.8 * 5000 + 50  # a generation begun after p = 0.8
    assert (level[late] == 0.0).all()
    early = (record.curve[:, 0] > 50) & (record.curve[:, 0] <= 4000)  # at N0 there is no level yet
    assert (level[early] > 0.0).all()
    assert run_trial("rdex", ball(2), 3, 100).trace is None


# --- invalid and infinite values ------------------------------------------------------------------


def spoilt(problem: Problem, spoil: Any) -> Problem:
    """Return the problem with `spoil(x, out)` applied to every result."""

    def fill(x: np.ndarray, out: np.ndarray) -> None:
        problem.evaluate_into(x, out, np.empty(0))
        spoil(x, out)

    return in_python(problem, fill)


@pytest.mark.parametrize("where", [0, 1], ids=["objective", "constraint"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_nan_is_counted_and_never_the_incumbent(algorithm: str, where: int) -> None:
    """NaN in the best half of the box: what is found lies in the other half."""

    def spoil(x: np.ndarray, out: np.ndarray) -> None:
        if x[0] < 0.0:
            out[where] = np.nan

    observed, witness = watched(spoilt(ball(3), spoil))
    record = run_trial(algorithm, observed, 3, 3000)
    invalid = sum(bool(np.isnan(out).any()) for out in witness.results)
    assert record.n_invalid == invalid > 100
    assert record.feasible
    assert record.x[0] >= 0.0
    assert np.isfinite(record.curve[-1]).all()
    valid = [out for out in witness.results if not np.isnan(out).any()]
    assert record.f == min(out[0] for out in valid if out[1] <= 0.0)


def test_nan_members_leave_finite_memories() -> None:
    """Where most initial points are invalid, they are replaced and teach nothing infinite."""

    def spoil(x: np.ndarray, out: np.ndarray) -> None:
        if x[1] > -1.0:
            out[0] = np.nan

    driver = Driver("de2ls", spoilt(ball(3), spoil), 3, 3000)
    driver.run(30)
    assert np.isinf(driver.state.front["f"][:30]).sum() > 20
    while not driver.finished:
        driver.run(driver.n_evals + 100)
        for values in (driver.state.memory["cr"], driver.state.memory["f"]):
            assert ((values >= 0.0) & (values <= 1.0)).all()
    assert np.isfinite(driver.state.front["f"][:4]).all()


@pytest.mark.parametrize("problem", [free(2), ball(2)], ids=lambda p: p.name)
def test_everything_nan_still_gives_a_record(problem: Problem) -> None:
    record = run_trial("de2ls", spoilt(problem, lambda x, out: out.fill(np.nan)), 1, 300)
    assert record.n_invalid == record.n_evals == 300
    assert not record.feasible
    assert (record.f, record.violation) == (np.inf, np.inf)
    assert np.isnan(record.curve[:, 1]).all()
    assert np.isinf(record.curve[:, 2]).all()
    assert record.x.shape == (2,)
    assert (record.x >= problem.lower).all()


def test_minus_infinity_is_no_optimum() -> None:
    def spoil(x: np.ndarray, out: np.ndarray) -> None:
        if x[0] < 0.0:
            out[0] = -np.inf

    record = run_trial("de2ls", spoilt(free(2), spoil), 1, 1000)
    assert record.n_invalid > 0
    assert record.f >= 0.0


def test_infinite_objective_outside_the_feasible_region() -> None:
    """A common habit: f = inf where a constraint is violated. The violation must lead the way.

    The feasible part is a thousandth of the box, so that chance alone does not find it.
    """

    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[1] = np.abs(x - 0.7).max() - 0.05
        out[0] = np.inf if out[1] > 0.0 else x.sum()

    problem = Problem("inf", np.zeros(3), np.ones(3), 1, 0, function=fill)
    for seed in range(5):
        record = run_trial("rdex", problem, seed, 3000)
        assert record.feasible
        assert record.f == pytest.approx(3 * 0.65, abs=1e-3)
        assert record.n_invalid == 0


def test_infinite_constraint_counts_as_the_largest_violation() -> None:
    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[0] = x.sum()
        out[1] = np.inf if x[0] > 0.1 else 0.05 - x[0]

    problem = Problem("inf g", np.zeros(3), np.ones(3), 1, 0, function=fill)
    record = run_trial("de2ls", problem, 2, 5000)
    assert record.f == pytest.approx(0.05, abs=1e-6)
    assert record.n_invalid == 0


# --- the published box rule -----------------------------------------------------------------------


def test_published_box_counts_only_points_inside() -> None:
    """The bowl's optimum lies outside: only what leaves the box would go below its corner."""
    problem = in_python(free(3), lambda x, out: out.fill(float(x.sum())))
    config = {"box": "published"}
    record, witness = watch("rdex", problem, 1, 3000, config)
    inside = inside_box(problem, witness.points)
    assert record.n_outside == int((~inside).sum()) > 0
    values = np.array([out[0] for out in witness.results])
    assert record.f == values[inside].min() > values.min()
    assert record.curve[-1, 1] == record.f
    assert record.config["box"] == "published"
    repaired, witness = watch("rdex", problem, 1, 3000)
    assert repaired.n_outside == 0


# --- the record -----------------------------------------------------------------------------------


def test_record_names_what_made_it() -> None:
    problem = de2ls.cec2017(4, dim=3, instance=2)
    record = run_trial("de2ls", problem, 12, 500, {"ls_sr": 0.5}, label="series", run=7)
    assert record.key == TrialKey("series", problem.key, 7)
    assert record.algorithm == "de2ls"
    assert record.config["ls_sr"] == 0.5
    assert record.config["ls_isr"] == 0.015
    assert record.problem == problem.key
    assert (record.seed, record.max_evals, record.label) == (12, 500, "series")
    assert record.version == de2ls.__version__
    assert {"cpu", "python", "numpy", "numba", "llvmlite"} <= set(record.environment)
    assert record.wall_time > 0.0
    other_rule = dataclasses.replace(problem, excess=True)
    assert run_trial("rdex", other_rule, 12, 500).problem == problem.key.varied(excess=True)
    plain = run_trial("rdex", ball(2), 1, 100)
    assert plain.problem == ProblemKey("", "ball 2", 2)
    assert plain.label == "rdex"


def test_min_ev_and_lcv_below_1e_8_are_written_as_zero_in_the_competition_only() -> None:
    def fill(x: np.ndarray, out: np.ndarray) -> None:
        out[:] = [-9e-9, 2e-8 if x[0] > 0.5 else 9e-9]

    tiny = Problem("tiny", [0.0] * 2, [1.0] * 2, 1, 0, function=fill, feasible_tol=1e-8)
    assert run_trial("rdex", tiny, 1, 100).curve[-1, 1:].tolist() == [-9e-9, 9e-9]
    record = run_trial("rdex", dataclasses.replace(tiny, key=ProblemKey("cec2017", 1, 2)), 1, 100)
    assert (record.curve[:, 1:] == 0.0).all()
    assert (record.min_ev, record.lcv) == (0.0, 0.0)
    assert (record.f, record.violation) == (-9e-9, 9e-9)  # the point itself is as it is


def test_local_search_log() -> None:
    """It says what the calls cost and gained; RDEx has none."""
    driver = Driver("de2ls", free(8), 4, 1500, {"ls_sg": 0, "ls_br": 0.04})
    gain, best = 0.0, np.inf
    while not driver.finished:
        in_call = driver.cand.info[0]["kind"] == LOCAL
        driver.run(driver.n_evals + 1)
        if in_call and np.isfinite(best):
            gain += best - float(driver.now["best_f"])
        best = float(driver.now["best_f"]) if driver.now["best_cv"] <= 0.0 else np.inf
    log = make_record(driver).counters
    assert (log["ls_calls"], log["ls_evaluations"], log["ls_improved"]) == (2, 120, 2)
    assert log["ls_gain"] == pytest.approx(gain, rel=1e-12)
    assert log["ls_gain"] > 0.0
    assert run_trial("rdex", free(8), 4, 1500).counters == {}
