"""The late local search: comparison, trigger, budget, scan, injection, by hand."""

import numpy as np
import pytest

from de2ls.algorithms import late_local_search
from de2ls.algorithms.two_populations import generation, trial
from de2ls.engine.state import LOCAL, SEARCH, Candidate, State, new_candidate
from tests.algorithms.support import begun, box_problem, make_state, points_of, vectors_of
from tests.helpers import compiled

INF = np.inf

is_due = compiled(late_local_search.is_due)
begin_call = compiled(late_local_search.begin_call)
ask_local = compiled(late_local_search.ask_local)
tell_local = compiled(late_local_search.tell_local)
inject = compiled(late_local_search.inject)


# --- the comparison -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "better"),
    [
        # both within d = 0.1: by objective alone
        ((1.0, 0.1), (2.0, 0.0), True),
        ((2.0, 0.0), (1.0, 0.1), False),
        ((2.0, 0.0), (2.0, 0.1), False),
        # one within
        ((9.0, 0.1), (1.0, 0.2), True),
        ((1.0, 0.2), (9.0, 0.1), False),
        # both beyond: by violation, then by objective
        ((9.0, 0.2), (1.0, 0.3), True),
        ((1.0, 0.3), (9.0, 0.2), False),
        ((1.0, 0.2), (2.0, 0.2), True),
        ((2.0, 0.2), (1.0, 0.2), False),
        ((2.0, 0.2), (2.0, 0.2), False),
        ((INF, INF), (INF, INF), False),
        ((1.0, 0.0), (INF, INF), True),
        ((INF, INF), (1.0, 0.5), False),
    ],
)
def test_better_by_hand(x: tuple[float, float], y: tuple[float, float], better: bool) -> None:
    assert compiled(late_local_search.better)(*x, *y, 0.1) is better


def test_violations_closer_than_1e_16_are_equal() -> None:
    better, v = compiled(late_local_search.better), 1e-3
    next_v = float(np.nextafter(v, 1.0))  # 2.2e-19 away
    assert better(1.0, next_v, 2.0, v, 1e-4)  # a hair more violation, lower objective
    assert not better(3.0, next_v, 2.0, v, 1e-4)
    assert better(3.0, v, 2.0, next_v, 1e-4)  # less violation is less all the same
    assert not better(1.0, v + 2e-16, 2.0, v, 1e-4)


# --- counter and trigger --------------------------------------------------------------------------


def stagnating(n: int, counter: int, v: float = 0.0, eps: float = 0.0, calls: int = 0) -> State:
    """Return a trial (T = 10000) whose remembered incumbent has not got better."""
    state, _ = make_state([(0.0, 0.0)] * 4, n=n, T=10_000)
    now = state.now[0]
    now["best_f"], now["best_v"], now["eps"] = 5.0, v, eps
    now["ls_seen_f"], now["ls_seen_v"] = 5.0, v
    now["ls_counter"], now["ls_calls"] = counter, calls
    return state


@pytest.mark.parametrize(
    ("n", "counter", "due"),
    [
        # the counter of this generation is one more
        (8500, 7, True),
        (8499, 7, False),  # p < LS_SR
        (8500, 6, False),  # fewer than LS_SG generations
        (9499, 6, False),
        (9500, 0, True),  # p >= LS_FSR: in any case
        (9499, 7, True),
    ],
)
def test_trigger_at_its_thresholds(n: int, counter: int, due: bool) -> None:
    state = stagnating(n, counter)
    assert is_due(state) is due
    assert state.now[0]["ls_counter"] == counter + 1


@pytest.mark.parametrize(
    ("v", "eps", "n", "due"),
    [
        (1e-4, 0.0, 8500, True),  # v <= max(delta, eps), with delta = 1e-4
        (1.01e-4, 0.0, 8500, False),
        (0.5, 0.5, 8500, True),
        (0.51, 0.5, 8500, False),
        (0.51, 0.5, 9500, True),  # then the violation does not matter
    ],
)
def test_trigger_needs_an_incumbent_within_the_level(
    v: float, eps: float, n: int, due: bool
) -> None:
    assert is_due(stagnating(n, 7, v, eps)) is due


@pytest.mark.parametrize(("calls", "due"), [(0, True), (1, True), (2, False), (3, False)])
def test_trigger_ends_with_the_last_call(calls: int, due: bool) -> None:
    for n in (8500, 9500):
        assert is_due(stagnating(n, 7, calls=calls)) is due


def test_no_call_without_an_evaluation_left() -> None:
    assert is_due(stagnating(9999, 7)) is True
    assert is_due(stagnating(10_000, 7)) is False


def test_without_calls_the_trigger_never_fires() -> None:
    state = stagnating(9500, 7)
    state.cfg[0]["ls_mc"] = 0
    assert is_due(state) is False


@pytest.mark.parametrize(
    ("best", "counter"),
    [
        ((4.9, 0.0), 0),  # better: remembered, the counter starts again
        ((5.0, 0.0), 8),  # equal
        ((4.9, 1e-4), 0),  # within delta objectives decide
        ((4.9, 2e-4), 8),  # beyond delta it is worse
    ],
)
def test_counter(best: tuple[float, float], counter: int) -> None:
    state = stagnating(100, 7)
    now = state.now[0]
    now["best_f"], now["best_v"] = best
    is_due(state)
    assert now["ls_counter"] == counter
    remembered = best if counter == 0 else (5.0, 0.0)
    assert (now["ls_seen_f"], now["ls_seen_v"]) == remembered


def test_the_first_generation_remembers_its_incumbent() -> None:
    state, _ = make_state([(0.0, 0.0)] * 4, n=10)
    now = state.now[0]
    now["best_f"], now["best_v"] = 3.0, 0.5
    is_due(state)
    assert (now["ls_counter"], now["ls_seen_f"], now["ls_seen_v"]) == (0, 3.0, 0.5)


# --- a call begins --------------------------------------------------------------------------------


def before_call(n: int = 8500, T: int = 10_000, dim: int = 2, **config: float) -> State:
    """Return a trial with the incumbent f = 5 at x = 1, 2, 3, ... before its first call."""
    problem = box_problem(dim, -100.0, 100.0)
    state, _ = make_state([(9.0, 0.0)] * 4, n=n, T=T, problem=problem, **config)
    now = state.now[0]
    now["best_f"], now["best_v"], now["best_cv"] = 5.0, 0.0, 0.0
    state.best[:dim] = np.arange(1.0, dim + 1.0)
    return state


def centre_of(state: State) -> np.ndarray:
    return state.x[3 * state.now[0]["n0"]]


@pytest.mark.parametrize(
    ("n", "T", "dim", "left"),
    [
        (8500, 10_000, 2, 50),  # trunc(0.005 T)
        (8500, 10_199, 2, 50),  # 50.995
        (1700, 2000, 3, 10),
        (1700, 2000, 10, 20),  # at least 2 D
        (1981, 2000, 10, 19),  # at most what is left
        (1999, 2000, 2, 1),
    ],
)
def test_budget_of_a_call(n: int, T: int, dim: int, left: int) -> None:
    state = before_call(n, T, dim)
    begin_call(state)
    now = state.now[0]
    assert now["ls_left"] == left
    assert (now["ls_calls"], now["phase"], now["ls_rate"]) == (1, LOCAL, 0.015)


def test_a_call_starts_from_the_incumbent() -> None:
    state = before_call()
    begin_call(state)
    assert centre_of(state).tolist() == [1.0, 2.0]
    assert (state.now[0]["ls_centre_f"], state.now[0]["ls_centre_v"]) == (5.0, 0.0)


@pytest.mark.parametrize(
    ("last", "taken"),
    [
        ((4.0, 1e-4), True),  # better within delta, though it is no incumbent
        ((5.0, 0.0), False),
        ((4.0, 2e-4), False),
        ((6.0, 0.0), False),
    ],
)
def test_a_later_call_starts_from_the_last_centre_if_better(
    last: tuple[float, float], taken: bool
) -> None:
    state = before_call()
    now = state.now[0]
    now["ls_calls"] = 1
    now["ls_centre_f"], now["ls_centre_v"] = last
    centre_of(state)[:] = 7.0
    begin_call(state)
    assert centre_of(state).tolist() == ([7.0, 7.0] if taken else [1.0, 2.0])
    assert (now["ls_centre_f"], now["ls_centre_v"]) == (last if taken else (5.0, 0.0))
    assert now["ls_calls"] == 2


# --- the scan -------------------------------------------------------------------------------------


def in_call(
    n: int = 8500, T: int = 10_000, dim: int = 2, **config: float
) -> tuple[State, Candidate]:
    """Return a trial whose first call has begun, with the step 3 = 0.015 200."""
    state = before_call(n, T, dim, **config)
    begin_call(state)
    return state, new_candidate(box_problem(dim))


def scan(state: State, cand: Candidate, results: list[tuple[float, float]]) -> list[list[float]]:
    """Ask and tell; return the points."""
    points = []
    for f, v in results:
        assert ask_local(state, cand)
        assert cand.info[0]["kind"] == LOCAL
        points.append(cand.x.tolist())
        tell_local(state, cand, f, v)
    return points


WORSE = (9.0, 0.0)


def test_coordinates_in_order_minus_then_plus_then_half_the_step() -> None:
    state, cand = in_call()
    points = scan(state, cand, [WORSE] * 8)
    assert points == [
        [-2.0, 2.0],
        [4.0, 2.0],
        [1.0, -1.0],
        [1.0, 5.0],
        [-0.5, 2.0],
        [2.5, 2.0],
        [1.0, 0.5],
        [1.0, 3.5],
    ]
    assert state.now[0]["ls_moved"] == 0
    assert state.now[0]["ls_improved"] == 0


def test_a_better_point_becomes_the_centre_and_the_scan_starts_again() -> None:
    state, cand = in_call()
    results = [WORSE, WORSE, (4.0, 0.0), WORSE, (3.0, 0.0), WORSE, WORSE, WORSE, WORSE, WORSE]
    points = scan(state, cand, results)
    assert points == [
        [-2.0, 2.0],
        [4.0, 2.0],
        [1.0, -1.0],  # better: the new centre
        [-2.0, -1.0],
        [4.0, -1.0],  # better again
        [1.0, -1.0],
        [7.0, -1.0],
        [4.0, -4.0],
        [4.0, 2.0],
        [2.5, -1.0],  # a whole scan without success: half the step
    ]
    now = state.now[0]
    assert (now["ls_centre_f"], now["ls_moved"], now["ls_improved"]) == (3.0, 1, 1)


def test_after_a_success_the_step_stays() -> None:
    """Two scans without success, then one: the step is a quarter and stays so."""
    state, cand = in_call()
    scan(state, cand, [WORSE] * 8)
    points = scan(state, cand, [(4.0, 0.0), WORSE, WORSE])
    assert points == [[0.25, 2.0], [-0.5, 2.0], [1.0, 2.0]]


def test_within_delta_objectives_decide_in_the_scan() -> None:
    state, cand = in_call()
    scan(state, cand, [(4.0, 1.01e-4)])
    assert state.now[0]["ls_moved"] == 0
    scan(state, cand, [(4.0, 1e-4)])
    assert (state.now[0]["ls_centre_f"], state.now[0]["ls_centre_v"]) == (4.0, 1e-4)


def test_equal_points_do_not_move_the_centre() -> None:
    state, cand = in_call()
    scan(state, cand, [(5.0, 0.0)] * 4)
    assert state.now[0]["ls_moved"] == 0


def test_a_coordinate_outside_becomes_the_midpoint_to_the_bound() -> None:
    state, cand = in_call()
    centre_of(state)[:] = [-99.0, 98.0]
    assert scan(state, cand, [WORSE] * 4) == [
        [-99.5, 98.0],  # -102 lies outside: (-99 - 100) / 2
        [-96.0, 98.0],
        [-99.0, 95.0],
        [-99.0, 99.0],  # 101 lies outside: (98 + 100) / 2
    ]


def test_steps_follow_the_width_of_each_coordinate() -> None:
    state, cand = in_call()
    state.box[:, 1] = [0.0, 10.0]
    assert scan(state, cand, [WORSE] * 4)[2:] == [[1.0, 1.85], [1.0, 2.15]]


def test_a_call_ends_with_its_budget() -> None:
    state, cand = in_call(n=1980, T=2000, dim=3)  # 10 evaluations
    scan(state, cand, [WORSE] * 10)
    assert not ask_local(state, cand)
    assert state.now[0]["ls_evaluations"] == 10


def test_a_call_ends_at_the_smallest_step() -> None:
    """0.015 / 2^21 = 7.15e-9 is the first step up to 1e-8: 21 scans of 4."""
    state, cand = in_call(n=0, T=100_000)
    scan(state, cand, [WORSE] * (21 * 4))
    assert not ask_local(state, cand)
    assert state.now[0]["ls_left"] == 500 - 84


def test_a_step_equal_to_the_smallest_is_none() -> None:
    state, cand = in_call(ls_isr=2e-8)
    scan(state, cand, [WORSE] * 4)  # 2e-8, then 1e-8
    assert not ask_local(state, cand)


def test_results_of_an_earlier_call_change_nothing() -> None:
    state, cand = in_call()
    assert ask_local(state, cand)
    state.now[0]["ls_calls"] = 2  # another call has begun since
    tell_local(state, cand, -9.0, 0.0)
    state.now[0]["ls_calls"] = 1
    state.now[0]["phase"] = SEARCH  # or the search goes on
    tell_local(state, cand, -9.0, 0.0)
    assert state.now[0]["ls_centre_f"] == 5.0
    assert state.now[0]["ls_evaluations"] == 2


# --- injection ------------------------------------------------------------------------------------


def after_call(
    front: list[tuple[float, float]],
    top: list[tuple[float, float]],
    centre: tuple[float, float],
    eps: float = 0.0,
    moved: bool = True,
) -> State:
    """Return a trial at the end of a call whose centre lies at 50."""
    state, _ = begun(front, top, eps=eps)
    compiled(generation.close_generation)(state)
    now = state.now[0]
    now["ls_centre_f"], now["ls_centre_v"], now["ls_moved"] = *centre, moved
    centre_of(state)[:] = 50.0
    inject(state)
    return state


FRONT = [(3.0, 0.0), (7.0, 0.0), (5.0, 0.0), (6.0, 0.0)]
TOP = [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]


def test_the_centre_replaces_the_worst_of_both() -> None:
    state = after_call(FRONT, TOP, (2.5, 0.0))
    assert points_of(state.front, 4) == [(3.0, 0.0), (2.5, 0.0), (5.0, 0.0), (6.0, 0.0)]
    assert vectors_of(state, state.front, 4) == [20.0, 50.0, 22.0, 23.0]
    assert points_of(state.top, 4) == [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (2.5, 0.0)]
    assert vectors_of(state, state.top, 4) == [10.0, 11.0, 12.0, 50.0]


def test_the_centre_replaces_only_what_is_worse() -> None:
    state = after_call(FRONT, TOP, (4.0, 0.0))
    assert vectors_of(state, state.front, 4) == [20.0, 50.0, 22.0, 23.0]
    assert vectors_of(state, state.top, 4) == [10.0, 11.0, 12.0, 13.0]  # 4 is no better than 4
    state = after_call(TOP, FRONT, (4.5, 0.0))
    assert vectors_of(state, state.front, 4) == [20.0, 21.0, 22.0, 23.0]
    assert vectors_of(state, state.top, 4) == [10.0, 50.0, 12.0, 13.0]


def test_a_call_without_success_injects_nothing() -> None:
    state = after_call(FRONT, TOP, (-9.0, 0.0), moved=False)
    assert vectors_of(state, state.front, 4) == [20.0, 21.0, 22.0, 23.0]
    assert vectors_of(state, state.top, 4) == [10.0, 11.0, 12.0, 13.0]


@pytest.mark.parametrize(("eps", "taken"), [(0.5, True), (0.0, False)])
def test_injection_compares_at_the_level(eps: float, taken: bool) -> None:
    """A centre with v = 0.2 against feasible members."""
    state = after_call(FRONT, TOP, (-1.0, 0.2), eps=eps)
    assert (50.0 in vectors_of(state, state.front, 4)) is taken
    assert (50.0 in vectors_of(state, state.top, 4)) is taken


def test_the_worst_is_the_last_in_eps_order() -> None:
    front = [(1.0, 0.9), (9.0, 0.0), (0.0, 0.95), (8.0, 0.5)]
    state = after_call(front, front, (10.0, 0.0), eps=0.5)
    assert vectors_of(state, state.front, 4) == [20.0, 21.0, 50.0, 23.0]
    assert vectors_of(state, state.top, 4) == [10.0, 11.0, 50.0, 13.0]


def with_a_success(f: float) -> State:
    """Return a trial after a generation with one success, at slot 4 of the pool."""
    state, cand = begun(FRONT, TOP, eps=0.0)
    cand.x[:] = f
    cand.info[0]["slot"], cand.info[0]["f_target"] = 1, 7.0
    compiled(trial.tell_trial)(state, cand, f, 0.0)
    compiled(generation.close_generation)(state)
    now = state.now[0]
    now["ls_centre_f"], now["ls_centre_v"], now["ls_moved"] = 1.5, 0.0, 1
    centre_of(state)[:] = 50.0
    inject(state)
    return state


def test_the_worst_of_p_may_be_a_success_of_this_generation() -> None:
    state = with_a_success(6.5)
    assert vectors_of(state, state.top, 5) == [10.0, 11.0, 12.0, 13.0, 50.0]
    compiled(generation.merge)(state)
    assert vectors_of(state, state.top, 4) == [10.0, 50.0, 11.0, 12.0]


def test_the_worst_of_p_may_be_a_survivor() -> None:
    state = with_a_success(3.5)
    assert vectors_of(state, state.top, 5) == [10.0, 11.0, 12.0, 50.0, 3.5]
    compiled(generation.merge)(state)
    assert vectors_of(state, state.top, 4) == [10.0, 50.0, 11.0, 12.0]


def test_injection_leaves_everything_else() -> None:
    state = after_call(FRONT, TOP, (2.5, 0.0))
    now = state.now[0]
    assert (now["sr"], now["cursor"], now["pointer"], now["n_success"]) == (0.0, 0, 0, 0)
    assert state.memory["cr"].tolist() == [1.0] * 5
    assert state.memory["f"].tolist() == [0.3] * 5


def test_the_next_generation_sees_the_injected_point() -> None:
    """m_i is the objective at the generation's start, after the injection."""
    state = after_call(FRONT, TOP, (2.5, 0.0))
    compiled(generation.merge)(state)
    compiled(generation.begin_generation)(state)
    assert state.slot["start"][:4].tolist() == [3.0, 2.5, 5.0, 6.0]
