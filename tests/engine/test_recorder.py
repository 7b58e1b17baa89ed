"""The recorder: violations, validity, incumbent, curve rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from de2ls.engine import recorder
from de2ls.engine.state import Candidate, State, new_candidate, new_state
from de2ls.problems.problem import Problem
from tests.helpers import compiled

INF, NAN = np.inf, np.nan


def problem(n_ineq: int = 0, n_eq: int = 0, **options: Any) -> Problem:
    return Problem("p", [0.0, 0.0], [1.0, 1.0], n_ineq, n_eq, function=lambda *_: None, **options)


def fresh(described: Problem, budget: int = 100, n0: int = 4) -> tuple[State, Candidate]:
    """Return the state and the candidate of a trial before its first evaluation."""
    config = np.zeros(1, np.dtype([("nothing", "f8")]))
    return new_state(described, config, 1, budget, n0, 8), new_candidate(described)


def observe(
    state: State, cand: Candidate, *values: float, x: tuple[float, float] = (0.5, 0.5)
) -> tuple[float, float]:
    cand.x[:] = x
    cand.out[:] = values
    return compiled(recorder.observe)(state, cand)


# --- violation ------------------------------------------------------------------------------------


def test_mean_and_summed_violation_by_hand() -> None:
    """g = -1, 0, 2 and h = 1e-4 (within), -0.5, 1.00001e-4: cv = 2.500100001, v = cv / 6."""
    state, cand = fresh(problem(3, 3))
    f, v = observe(state, cand, 7.0, -1.0, 0.0, 2.0, 1e-4, -0.5, 1.00001e-4)
    assert f == 7.0
    assert v == pytest.approx(2.500100001 / 6.0, rel=1e-15)
    assert state.now[0]["best_cv"] == pytest.approx(2.500100001, rel=1e-15)


def test_excess_counts_beyond_the_tolerance() -> None:
    state, cand = fresh(problem(0, 2, eq_tol=0.1, excess=True))
    assert observe(state, cand, 0.0, -0.5, 0.1)[1] == pytest.approx(0.2)


def test_weights_act_on_the_search_not_on_the_record() -> None:
    state, cand = fresh(problem(1, 1))
    state.weight[:] = [3.0, 0.5]
    assert observe(state, cand, 0.0, 1.0, 2.0)[1] == 2.0  # (3 1 + 0.5 2) / 2
    assert state.now[0]["best_cv"] == 3.0


def test_without_constraints_every_point_is_feasible() -> None:
    state, cand = fresh(problem())
    assert observe(state, cand, 5.0) == (5.0, 0.0)
    assert state.now[0]["best_cv"] == 0.0


VALUE = st.one_of(st.floats(-3.0, 3.0), st.sampled_from([0.0, 1e-4, -1e-4, INF, -INF]))


@given(st.lists(VALUE, max_size=4), st.lists(VALUE, max_size=4), st.booleans())
def test_violation_is_the_problems_own(g: list[float], h: list[float], excess: bool) -> None:
    described = problem(len(g), len(h), excess=excess)
    state, cand = fresh(described)
    _, v = observe(state, cand, 1.0, *g, *h)
    assert v == pytest.approx(described.violation(g, h, "mean"), rel=1e-14, abs=0.0)
    assert state.now[0]["best_cv"] == pytest.approx(described.violation(g, h), rel=1e-14, abs=0.0)


# --- validity -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        (NAN, 0.0, 0.0),
        (1.0, NAN, 0.0),
        (1.0, 0.0, NAN),
        (1.0, NAN, INF),
        (NAN, NAN, NAN),
        (-INF, 0.0, 0.0),
    ],
)
def test_an_invalid_point_is_the_worst_and_is_counted(values: tuple[float, ...]) -> None:
    state, cand = fresh(problem(1, 1))
    assert observe(state, cand, *values) == (INF, INF)
    assert state.now[0]["n_invalid"] == 1
    assert state.now[0]["n"] == 1


@pytest.mark.parametrize("values", [(INF, 0.0, 0.0), (1.0, INF, 0.0), (1.0, -INF, -INF)])
def test_infinite_values_are_valid(values: tuple[float, ...]) -> None:
    state, cand = fresh(problem(1, 1))
    f, v = observe(state, cand, *values)
    assert f == values[0]
    assert v == (INF if INF in values[1:] or -INF in values[2:] else 0.0)
    assert state.now[0]["n_invalid"] == 0


# --- incumbent ------------------------------------------------------------------------------------


def is_better(new: tuple[float, float], old: tuple[float, float], tol: float) -> bool:
    """Whether (f, cv) strictly improves: feasible first, then by f, the infeasible by cv."""
    feasible, old_feasible = new[1] <= tol, old[1] <= tol
    if feasible != old_feasible:
        return feasible
    return new[0] < old[0] if feasible else new[1] < old[1]


@pytest.mark.parametrize(
    ("new", "old", "better"),
    [
        ((9.0, 0.0), (1.0, 0.5), True),  # feasible beats infeasible
        ((1.0, 0.5), (9.0, 0.0), False),
        ((1.0, 0.1), (2.0, 0.0), True),  # both within the tolerance 0.1: by f
        ((2.0, 0.0), (2.0, 0.1), False),  # equal f: no strict improvement
        ((9.0, 0.4), (1.0, 0.5), True),  # both infeasible: by violation
        ((1.0, 0.5), (9.0, 0.5), False),
    ],
)
def test_what_is_better_by_hand(
    new: tuple[float, float], old: tuple[float, float], better: bool
) -> None:
    assert compiled(recorder.better)(*new, *old, 0.1) is better
    assert is_better(new, old, 0.1) is better


POINT = st.tuples(
    st.one_of(st.sampled_from([0.0, 1.0, -2.0, INF, NAN]), st.floats(-5.0, 5.0)),
    st.one_of(st.sampled_from([-1.0, 0.0, 0.1, 0.2, INF, NAN]), st.floats(-1.0, 3.0)),
)


@given(st.lists(POINT, min_size=1, max_size=30), st.sampled_from([0.0, 0.1, 0.5]))
def test_incumbent_is_the_best_of_all_points(points: list[tuple[float, float]], tol: float) -> None:
    state, cand = fresh(problem(1, feasible_tol=tol))
    best: tuple[int, float, float] | None = None
    for i, (f, g) in enumerate(points):
        observe(state, cand, f, g, x=(i / 64.0, 0.5))
        if np.isnan(f) or np.isnan(g) or f == g == INF:  # nothing to hold on to
            continue
        if best is None or is_better((f, max(0.0, g)), best[1:], tol):
            best = (i, f, max(0.0, g))
    now = state.now[0]
    if best is None:
        assert (now["best_n"], now["best_f"], now["best_cv"]) == (0, INF, INF)
        assert state.best[1] == 0.5  # a point all the same
        return
    i, f, cv = best
    assert now["best_n"] == i + 1
    assert state.best.tolist() == [i / 64.0, 0.5, *points[i]]
    assert (now["best_f"], now["best_cv"], now["best_v"]) == (f, cv, cv)


def test_points_outside_the_box_count_only_as_evaluations() -> None:
    state, cand = fresh(problem(1), budget=40, n0=4)
    state.now[0]["watch_box"] = 1
    observe(state, cand, 5.0, 1.0)
    observe(state, cand, 1.0, 0.0, x=(-0.1, 0.5))
    observe(state, cand, 1.0, 0.0, x=(0.5, 1.1))
    observe(state, cand, 9.0, 2.0, x=(0.0, 1.0))  # the bounds belong to the box
    now = state.now[0]
    assert (now["n"], now["n_outside"], now["best_f"], now["best_n"]) == (4, 2, 5.0, 1)
    assert state.curve[0, :3].tolist() == pytest.approx([4.0, NAN, 1.0], nan_ok=True)


# --- the curve ------------------------------------------------------------------------------------


def run(described: Problem, budget: int, n0: int, points: list[tuple[float, ...]]) -> np.ndarray:
    state, cand = fresh(described, budget, n0)
    for values in points:
        observe(state, cand, *values)
    return state.curve


@pytest.mark.parametrize(
    ("budget", "n0", "evaluations"),
    [
        (100, 20, [20, 20, 40, 60, 80, 100]),  # D = 2: a sample per 20 evaluations
        (100, 50, [50, 50, 50, 60, 80, 100]),
        (90, 10, [10, 20, 40, 60, 80, 90]),  # the last step is shorter
        (8, 4, [4, 8]),
        (20, 20, [20, 20]),
        (21, 4, [4, 20, 21]),
    ],
)
def test_rows_and_their_evaluations(budget: int, n0: int, evaluations: list[int]) -> None:
    points = [(float(budget - i),) for i in range(budget)]  # every point is the best so far
    curve = run(problem(), budget, n0, points)
    assert len(curve) == 1 + -(-budget // 20)
    assert curve[:, 0].tolist() == evaluations
    assert curve[:, 1].tolist() == [budget - n + 1 for n in evaluations]


def test_min_ev_is_missing_until_a_point_is_feasible() -> None:
    points = [(1.0, 3.0)] * 4 + [(0.0, 2.0)] * 16 + [(9.0, 0.0)] * 20
    curve = run(problem(1), 40, 4, points)
    assert np.isnan(curve[:2, 1]).all()
    assert curve[2, 1] == 9.0
    assert curve[:, 2].tolist() == [3.0, 2.0, 0.0]


def test_lcv_is_the_lowest_violation_of_all_points() -> None:
    """With a tolerance the incumbent may have a larger violation than a point before it."""
    points = [(5.0, 0.0)] * 4 + [(1.0, 0.4)] * 36
    curve = run(problem(1, feasible_tol=0.5), 40, 4, points)
    assert curve[:, 1].tolist() == [5.0, 1.0, 1.0]
    assert curve[:, 2].tolist() == [0.0, 0.0, 0.0]


@given(st.lists(POINT, min_size=40, max_size=40), st.sampled_from([0.0, 0.5]))
def test_curves_fall(points: list[tuple[float, float]], tol: float) -> None:
    curve = run(problem(1, feasible_tol=tol), 40, 4, points)
    feasible = ~np.isnan(curve[:, 1])
    assert (np.diff(feasible.astype(int)) >= 0).all()  # once feasible, always
    assert (curve[feasible, 1][1:] <= curve[feasible, 1][:-1]).all()
    assert (curve[1:, 2] <= curve[:-1, 2]).all()
    violations = [INF if np.isnan(f) or np.isnan(g) else max(0.0, g) for f, g in points]
    assert curve[:, 2].tolist() == [min(violations[:n]) for n in (4, 20, 40)]
