"""The numbered steps of a generation, one by one, by hand."""

from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest
from scipy import stats

from de2ls.algorithms.two_populations import generation, operators, trial
from de2ls.algorithms.two_populations.operators import NEW, POOL, A, B
from de2ls.engine.state import SEARCH, Candidate, State
from tests.algorithms.support import (
    Points,
    begun,
    box_problem,
    eps_order,
    make_state,
    points_of,
    vectors_of,
)
from tests.helpers import compiled

LEVEL = 1e-3  # of the distribution tests, whose seeds are fixed
INF = np.inf

begin_generation = compiled(generation.begin_generation)


# --- steps 1 to 4 ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("s", "mF"), [(0.125, 0.5), (0.0, 0.0), (1.0, 1.0)])
def test_1_f_mean_is_the_cube_root_of_the_success_rate(s: float, mF: float) -> None:
    state, _ = make_state([(0.0, 0.0)] * 10)
    state.now[0]["sr"] = s
    begin_generation(state)
    assert state.now[0]["f_mean"] == pytest.approx(mF, rel=1e-15)


@pytest.mark.parametrize(
    ("n", "index"),
    [
        (10, 7),  # 0.8 10 (0.99)^2 = 7.84
        (500, 2),  # 8 / 4
        (640, 1),  # 8 (0.36)^2 = 1.04
        (650, 0),  # 0.98
        (800, 0),  # at p = 0.8 the level still stands
    ],
)
def test_2_level_is_an_order_statistic_of_the_front(n: int, index: int) -> None:
    violations = [0.7, 0.1, 0.9, 0.3, 0.5, 0.2, 0.8, 0.6, 0.4, 1.0]
    top = [(0.0, 0.05)] * 10  # P does not count
    state, _ = make_state([(0.0, v) for v in violations], top, n=n)
    begin_generation(state)
    assert state.now[0]["eps"] == sorted(violations)[index]


@pytest.mark.parametrize("n", [801, 950])
def test_2_level_is_zero_late(n: int) -> None:
    state, _ = make_state([(0.0, 0.5)] * 10, n=n)
    begin_generation(state)
    assert state.now[0]["eps"] == 0.0


def test_2_only_the_first_n_slots_count_for_the_level() -> None:
    state, _ = make_state([(0.0, 0.5)] * 6, N0=10, n=10)
    state.front[6:]["v"] = 0.01
    begin_generation(state)
    assert state.now[0]["eps"] == 0.5


def test_3_orders_of_both_populations() -> None:
    front = [(3.0, 0.0), (1.0, 0.9), (2.0, 0.0), (2.0, 0.0), (0.0, 0.7), (9.0, 0.9)]
    top = [(1.0, 0.0), (5.0, 0.3), (5.0, 0.1), (-9.0, 0.9), (0.0, 0.8), (7.0, 0.0)]
    state, _ = make_state(front, top, n=100)  # e = trunc(4.8 0.81) = 3: the level is 0.7
    begin_generation(state)
    assert state.now[0]["eps"] == 0.7
    # Q: slots 4 (f 0), 3 and 2 (f 2, the higher first), 0 within 0.7; then 5 and 1 (v 0.9)
    assert state.rank[B, :6].tolist() == [4, 3, 2, 0, 5, 1]
    # P: 0, 2 and 1 (f 5), 5 within 0.7; then 4 (v 0.8), 3 (v 0.9)
    assert state.rank[A, :6].tolist() == [0, 2, 1, 5, 4, 3]


@pytest.mark.parametrize(
    ("N", "n", "np1", "np2"),
    [
        (100, 500, 30, 12),  # 17 (1 - 0.25) = 12.75
        (100, 0, 30, 17),
        (10, 500, 3, 2),  # 1.275: a value up to 1 becomes 2
        (4, 500, 2, 2),  # 1.2 becomes 2
        (19, 100, 5, 3),  # 5.7; 3.23 0.95 = 3.07
        (18, 100, 5, 2),  # 5.4; 3.06 0.95 = 2.907
    ],
)
def test_4_numbers_of_attractors(N: int, n: int, np1: int, np2: int) -> None:
    state, _ = make_state([(0.0, 0.0)] * N, n=n)
    begin_generation(state)
    assert (state.now[0]["n_base"], state.now[0]["n_eb"]) == (np1, np2)


def test_a_generation_starts_afresh() -> None:
    front = [(3.0, 0.0), (1.0, 0.9), (2.0, 0.0), (INF, INF)]
    state, _ = make_state(front, n=100)
    now = state.now[0]
    now["issued"], now["told"], now["n_success"] = 4, 4, 2
    state.slot["last"][:4], state.slot["flag"][:4] = [7.0, 8.0, 9.0, 6.0], [1, 0, 1, 0]
    begin_generation(state)
    assert (now["issued"], now["told"], now["n_success"], now["phase"]) == (0, 0, 0, SEARCH)
    assert state.slot["start"][:4].tolist() == [3.0, 1.0, 2.0, INF]  # m_i = f(Q_i)
    assert state.slot["last"][:4].tolist() == [7.0, 8.0, 9.0, 6.0]  # t_i and b_i stay
    assert state.slot["flag"][:4].tolist() == [1, 0, 1, 0]


def test_initial_values() -> None:
    state, _ = make_state([(0.0, 0.0)] * 20)
    now = state.now[0]
    assert (now["sr"], now["eb_rate"], now["pointer"], now["cursor"]) == (0.5, 0.7, 0, 0)
    assert state.memory["cr"].tolist() == [1.0] * 5
    assert state.memory["f"].tolist() == [0.3] * 5
    assert (state.slot["last"] == INF).all()
    assert (state.slot["flag"] == 0).all()


# --- step 5: which step, and its draws ------------------------------------------------------------


@numba.njit
def draw_kinds(state: Any, count: int) -> int:
    """Return how many of `count` trials would be made by the EB step."""
    eb = 0
    for _ in range(count):
        if trial.is_eb_step(state):
            eb += 1
    return eb


@pytest.mark.parametrize(
    ("n", "rho", "share"),
    [(899, 1.0, 0.0), (900, 1.0, 1.0), (900, 0.0, 0.0), (950, 0.3, 0.3), (999, 0.7, 0.7)],
)
def test_5_eb_steps_are_late_and_have_the_rate_rho(n: int, rho: float, share: float) -> None:
    state, _ = make_state([(0.0, 0.0)] * 4, n=n)
    state.now[0]["eb_rate"] = rho
    count = draw_kinds(state, 20_000)
    assert stats.binomtest(count, 20_000, share).pvalue > LEVEL


@numba.njit
def draw_base(state: Any, c: int, rows: Any, rates: Any) -> None:
    for i in range(rows.shape[0]):
        rows[i, 0], rows[i, 1], rows[i, 2], rates[i, 0], rates[i, 1] = operators.base_step(state, c)


@numba.njit
def draw_eb(state: Any, c: int, rows: Any, rates: Any) -> None:
    for i in range(rows.shape[0]):
        rows[i, 0], rows[i, 1], rows[i, 2], rates[i, 0], rates[i, 1] = operators.eb_step(state, c)


def sample(draw: Any, state: State, c: int, count: int = 100_000) -> tuple[np.ndarray, np.ndarray]:
    """Return the slots (a, r1, r2) and the rates (F, CR) of many steps for the target c."""
    rows, rates = np.empty((count, 3), np.int64), np.empty((count, 2))
    draw(state, c, rows, rates)
    slot_of = {int(m["row"]): i for i, m in enumerate(state.top)}
    slot_of |= {int(m["row"]): i for i, m in enumerate(state.front)}
    return np.vectorize(slot_of.__getitem__)(rows), rates


def joint_probabilities(
    n: int, c: int, order_a: list[int], order_b: list[int], wa: Any, w1: Any, w2: Any
) -> dict[tuple[int, int, int], float]:
    """Return the exact probability of every (a, r1, r2), redraws included.

    A redraw leaves the other weights as they are: the chance of what is excluded is spread over
    the rest. `wa`, `w1` and `w2` are weights by rank.
    """

    def conditional(ranks: list[int], weights: Any, excluded: set[int]) -> dict[int, float]:
        pairs = zip(ranks, weights, strict=False)
        kept = {slot: weight for slot, weight in pairs if slot not in excluded}
        return {slot: weight / sum(kept.values()) for slot, weight in kept.items()}

    result = {}
    for a, pa in conditional(order_a, wa, {c}).items():
        for r1, p1 in conditional(order_b, w1, {a}).items():
            for r2, p2 in conditional(order_a, w2, {a, r1}).items():
                result[a, r1, r2] = pa * p1 * p2
    assert sum(result.values()) == pytest.approx(1.0)
    return result


def assert_frequencies(slots: np.ndarray, expected: dict[tuple[int, int, int], float]) -> None:
    seen = Counter(tuple(int(i) for i in triple) for triple in slots)
    assert set(seen) <= set(expected)  # nothing that is excluded
    counts = [seen[triple] for triple in expected]
    frequencies = [probability * len(slots) for probability in expected.values()]
    assert stats.chisquare(counts, frequencies).pvalue > LEVEL


FRONT: Points = [(4.0, 0.0), (1.0, 0.0), (3.0, 0.0), (5.0, 0.0), (2.0, 0.0), (0.0, 0.0)]
TOP: Points = [(0.5, 0.0), (0.4, 0.0), (0.9, 0.0), (0.1, 0.0), (0.2, 0.0), (0.3, 0.0)]
ORDER_B = [5, 1, 4, 2, 0, 3]
ORDER_A = [3, 4, 5, 1, 0, 2]


@pytest.mark.parametrize("c", [3, 2])  # among the attractors, and not
def test_5b_members_of_the_base_step(c: int) -> None:
    state, _ = begun(FRONT, TOP)
    assert state.rank[A, :6].tolist() == ORDER_A
    assert state.rank[B, :6].tolist() == ORDER_B
    state.now[0]["n_base"] = 3
    slots, _ = sample(draw_base, state, c)
    wexp = np.exp(-7.0 * np.arange(6) / 6)
    assert_frequencies(
        slots, joint_probabilities(6, c, ORDER_A, ORDER_B, [1.0] * 3, wexp, [1.0] * 6)
    )


@pytest.mark.parametrize("c", [4, 2])
def test_5c_members_of_the_eb_step(c: int) -> None:
    """With equal objectives best, mid, worst are P_a, Q_r1, P_r2, so that they can be told."""
    state, _ = begun(FRONT, TOP)
    state.now[0]["n_eb"] = 3
    for members in (state.top, state.front):
        members["f"] = 1.0  # the orders A and B are kept
    slots, _ = sample(draw_eb, state, c)
    wlin = [6, 5, 4, 3, 2, 1]
    assert_frequencies(slots, joint_probabilities(6, c, ORDER_A, ORDER_B, wlin[:3], wlin, wlin))


@pytest.mark.parametrize(
    ("f", "order"),
    [
        ((1.0, 2.0, 3.0), "abc"),
        ((1.0, 3.0, 2.0), "acb"),
        ((2.0, 1.0, 3.0), "bac"),
        ((3.0, 1.0, 2.0), "bca"),
        ((2.0, 3.0, 1.0), "cab"),
        ((3.0, 2.0, 1.0), "cba"),
        ((1.0, 1.0, 1.0), "abc"),  # ties keep the sequence
        ((2.0, 1.0, 1.0), "bca"),
        ((1.0, 1.0, 0.0), "cab"),
        ((1.0, 2.0, 2.0), "abc"),
        ((2.0, 1.0, 2.0), "bac"),
        ((INF, INF, 1.0), "cab"),
    ],
)
def test_5c_best_mid_worst_by_objective(f: tuple[float, float, float], order: str) -> None:
    rows = compiled(operators.by_objective)(f[0], 0, f[1], 1, f[2], 2)
    assert "".join("abc"[row] for row in rows) == order


def test_5c_violations_do_not_count_in_that_order() -> None:
    """P_a feasible with f = 0.1.. against an infeasible front with f = -1: Q_r1 is the best."""
    state, _ = begun([(-1.0, 9.0)] * 6, TOP, n=900)
    rows, rates = np.empty((100, 3), np.int64), np.empty((100, 2))
    draw_eb(state, 0, rows, rates)
    front_rows = set(state.front["row"].tolist())
    assert all(best in front_rows for best in rows[:, 0].tolist())


def test_5b_rates_of_the_base_step() -> None:
    state, _ = begun(FRONT, TOP)
    state.now[0]["f_mean"] = 0.95
    state.memory["cr"] = [0.05, 0.3, 0.5, 0.7, 0.98]
    state.memory["f"] = 0.1  # plays no part
    _, rates = sample(draw_base, state, 0)
    truncated = stats.truncnorm(-0.95 / 0.05, 0.05 / 0.05, 0.95, 0.05)
    assert stats.kstest(rates[:, 0], truncated.cdf).pvalue > LEVEL
    assert_clipped_mixture(rates[:, 1], [0.05, 0.3, 0.5, 0.7, 0.98])


def test_5c_rates_of_the_eb_step() -> None:
    state, _ = begun(FRONT, TOP, n=900)
    state.now[0]["f_mean"] = 0.99  # plays no part
    state.memory["cr"] = [0.05, 0.3, 0.5, 0.7, 0.98]
    state.memory["f"] = [0.0, 0.2, 0.6, 0.9, 1.0]
    _, rates = sample(draw_eb, state, 0)
    parts = [stats.cauchy(centre, 0.1) for centre in (0.0, 0.2, 0.6, 0.9, 1.0, 0.4)]

    def cdf(x: np.ndarray) -> np.ndarray:
        """Each part redrawn by itself, so that all have the same weight."""
        return np.mean([(p.cdf(x) - p.cdf(0)) / (p.cdf(1) - p.cdf(0)) for p in parts], axis=0)

    assert stats.kstest(rates[:, 0], cdf).pvalue > LEVEL
    assert_clipped_mixture(rates[:, 1], [0.05, 0.3, 0.5, 0.7, 0.98, 0.9])


def test_5c_one_cell_serves_both_rates() -> None:
    """Cells (F 0, CR 0) and (F 1, CR 1), no noise; F 0.4 with CR 0.9 stands for k2 = 5."""
    state, _ = begun(FRONT, TOP, n=900, eb_gamma=0.0, cr_sigma=0.0)
    state.memory["cr"] = state.memory["f"] = [0.0, 0.0, 1.0, 1.0, 1.0]
    _, rates = sample(draw_eb, state, 0, 6000)
    pairs = Counter(map(tuple, rates.tolist()))
    assert set(pairs) == {(0.0, 0.0), (1.0, 1.0), (0.4, 0.9)}
    counts = [pairs[0.0, 0.0], pairs[1.0, 1.0], pairs[0.4, 0.9]]
    assert stats.chisquare(counts, [2000, 3000, 1000]).pvalue > LEVEL


def assert_clipped_mixture(rates: np.ndarray, centres: list[float]) -> None:
    """CR: one of the cells with equal chance, normal with deviation 0.1, clipped to [0, 1]."""
    parts = [stats.norm(centre, 0.1) for centre in centres]
    for bound, mass in (
        (0.0, np.mean([p.cdf(0.0) for p in parts])),
        (1.0, np.mean([p.sf(1.0) for p in parts])),
    ):
        assert stats.binomtest(int((rates == bound).sum()), len(rates), mass).pvalue > LEVEL
    inside = rates[(rates > 0.0) & (rates < 1.0)]
    cdf = lambda x: np.mean([p.cdf(x) for p in parts], axis=0)  # noqa: E731
    low, high = cdf(0.0), cdf(1.0)
    assert stats.kstest(inside, lambda x: (cdf(x) - low) / (high - low)).pvalue > LEVEL


# --- step 5d: crossover ---------------------------------------------------------------------------


@numba.njit
def cross_many(
    state: Any, cand: Any, F: float, F2: float, CR: float, perturb: float, out: Any, rates: Any
) -> None:
    """Cross slot 0 of Q with P_1, Q_2 and P_3 many times."""
    toward, plus, minus = state.top[1].row, state.front[2].row, state.top[3].row
    for i in range(out.shape[0]):
        operators.cross(state, cand, 0, toward, plus, minus, F, F2, CR, perturb)
        out[i] = cand.x
        rates[i] = cand.info[0].CR


def crossed(
    state: State,
    cand: Candidate,
    CR: float,
    *,
    F: float = 0.5,
    perturb: float = 0.0,
    count: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    points, rates = np.empty((count, cand.x.size)), np.empty(count)
    cross_many(state, cand, F, F, CR, perturb, points, rates)
    return points, rates


def four_parents(dim: int, **options: Any) -> tuple[State, Candidate]:
    """Q_0 = 1, P_1 = 3, Q_2 = 6, P_3 = 2 in every coordinate; the box is [-10, 10]."""
    state, cand = make_state([(0.0, 0.0)] * 4, problem=box_problem(dim), **options)
    for members, i, value in (
        (state.front, 0, 1.0),
        (state.top, 1, 3.0),
        (state.front, 2, 6.0),
        (state.top, 3, 2.0),
    ):
        state.x[members[i]["row"]] = value
    return state, cand


def test_5d_donor_by_hand() -> None:
    """1 + 0.5 (3 - 1) + 0.5 (6 - 2) = 4."""
    points, rates = crossed(*four_parents(3), CR=1.0)
    assert points.tolist() == [[4.0, 4.0, 4.0]]
    assert rates.tolist() == [1.0]


def test_5d_donor_beyond_a_bound_becomes_the_midpoint_to_the_parent() -> None:
    state, cand = four_parents(3)
    state.box[:, 0] = [-10.0, 3.0]  # the donor 4 is too high: (1 + 3) / 2
    state.box[:, 1] = [0.0, 4.0]  # on the bound
    state.x[state.top[1]["row"], 2] = -30.0  # 1 - 15.5 + 2 = -12.5: (1 - 10) / 2
    points, _ = crossed(state, cand, CR=1.0)
    assert points.tolist() == [[2.0, 4.0, -4.5]]


def test_5d_without_crossover_one_coordinate_changes() -> None:
    points, rates = crossed(*four_parents(5), CR=0.0, count=10_000)
    changed = points == 4.0
    assert (changed.sum(axis=1) == 1).all()
    assert (points[~changed] == 1.0).all()
    assert (rates == 0.2).all()  # CRa = 1 / 5
    assert stats.chisquare(changed.sum(axis=0)).pvalue > LEVEL  # jrand is uniform


def test_5d_coordinates_cross_with_probability_cr() -> None:
    points, rates = crossed(*four_parents(5), CR=0.3, count=10_000)
    changed = (points == 4.0).sum(axis=1)
    assert rates.tolist() == pytest.approx((changed / 5).tolist())
    others = stats.binom(4, 0.3).pmf(np.arange(5))  # beside jrand
    counts = np.bincount(changed, minlength=6)
    assert counts[0] == 0
    assert stats.chisquare(counts[1:], 10_000 * others).pvalue > LEVEL


def test_5d_perturbed_coordinates_are_cauchy() -> None:
    points, rates = crossed(*four_parents(5), CR=0.0, perturb=1.0, count=10_000)
    stays = points != 4.0
    assert (stays.sum(axis=1) == 4).all()
    assert (rates == 0.2).all()  # perturbed coordinates do not come from the donor
    moved = points[stays]
    inside = stats.cauchy(1.0, 0.1)
    # beyond the bounds the midpoints -4.5 and 5.5 stand for what would leave the box
    for midpoint, mass in ((-4.5, inside.cdf(-10.0)), (5.5, inside.sf(10.0))):
        count = int((moved == midpoint).sum())
        assert count > 0
        assert stats.binomtest(count, moved.size, mass).pvalue > LEVEL
    rest = moved[(moved != -4.5) & (moved != 5.5)]
    low, high = inside.cdf(-10.0), inside.cdf(10.0)
    assert stats.kstest(rest, lambda x: (inside.cdf(x) - low) / (high - low)).pvalue > LEVEL


def test_5d_published_perturbation_leaves_the_box() -> None:
    state, cand = four_parents(5, box="published")
    points, _ = crossed(state, cand, CR=0.0, perturb=1.0, count=10_000)
    moved = points[points != 4.0]
    assert stats.kstest(moved, stats.cauchy(1.0, 0.1).cdf).pvalue > LEVEL
    assert (np.abs(moved) > 10.0).any()


def test_5d_a_fifth_of_the_trials_is_perturbed() -> None:
    state, cand = four_parents(5)
    rate = float(state.cfg[0]["perturb_rate"])
    points, _ = crossed(state, cand, CR=0.0, perturb=rate, count=10_000)
    perturbed = (points == 1.0).sum(axis=1) == 0  # all four others or none
    assert set((points == 1.0).sum(axis=1).tolist()) == {0, 4}
    assert stats.binomtest(int(perturbed.sum()), 10_000, 0.2).pvalue > LEVEL


# --- steps 5e and 5f: success ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "target", "weight"),
    [
        # both within the level 0.5
        ((1.0, 0.0), (3.0, 0.0), 2.0),
        ((1.0, 0.5), (3.0, 0.2), 2.0),
        ((3.0, 0.0), (3.0, 0.5), 0.0),  # a tie succeeds
        ((3.1, 0.0), (3.0, 0.5), None),
        # the trial within, the target beyond
        ((1.0, 0.5), (3.0, 0.6), 2.0),  # by objective
        ((3.0, 0.5), (1.0, 0.75), 0.75),  # by violation: u(trial) = 0
        # the trial beyond, the target within
        ((-9.0, 0.6), (3.0, 0.5), None),
        # both beyond
        ((9.0, 0.75), (1.0, 1.0), 0.25),
        ((1.0, 0.75), (3.0, 1.0), 0.25),  # by violation, though the objective is better too
        ((1.0, 1.0), (3.0, 1.0), 2.0),  # equal violation: by objective
        ((3.0, 1.0), (3.0, 1.0), 0.0),
        ((3.1, 1.0), (3.0, 1.0), None),
        ((1.0, 1.1), (3.0, 1.0), None),
        # without a finite value
        ((1.0, 0.0), (INF, INF), INF),
        ((INF, 0.75), (INF, 1.0), 0.25),
        ((INF, 0.1), (INF, 0.2), 0.0),
        ((INF, 0.0), (1.0, 0.75), 0.75),
    ],
)
def test_5f_success_by_hand(
    result: tuple[float, float], target: tuple[float, float], weight: float | None
) -> None:
    found = compiled(trial.improvement)(*result, *target, 0.5)
    assert found == (-1.0 if weight is None else weight)


def tell(state: State, cand: Candidate, c: int, f: float, v: float, **info: float) -> bool:
    """Tell the result of a trial for slot c; its vector is f everywhere."""
    cand.x[:] = f
    cand.info[0]["slot"] = c
    cand.info[0]["f_target"] = state.front[c]["f"]
    cand.info[0]["v_target"] = state.front[c]["v"]
    for name, value in info.items():
        cand.info[0][name] = value
    return bool(compiled(trial.tell_trial)(state, cand, f, v))


def test_5f_a_success_enters_p_and_the_pointers_slot_of_q() -> None:
    """It is judged against slot 3 but overwrites slot 1, to which the pointer points."""
    state, cand = begun([(f, 0.0) for f in (5.0, 6.0, 7.0, 8.0)])
    state.now[0]["pointer"] = 1
    assert not tell(state, cand, 3, 7.5, 0.0, F=0.4, CR=0.6, flag=1)
    assert points_of(state.front, 4) == [(5.0, 0.0), (7.5, 0.0), (7.0, 0.0), (8.0, 0.0)]
    assert vectors_of(state, state.front, 4) == [20.0, 7.5, 22.0, 23.0]
    assert points_of(state.top, 5)[4] == (7.5, 0.0)
    assert vectors_of(state, state.top, 5) == [10.0, 11.0, 12.0, 13.0, 7.5]
    now = state.now[0]
    assert (now["pointer"], now["n_success"], now["told"]) == (2, 1, 1)
    assert state.slot[0][["cr", "f", "weight"]].tolist() == (0.6, 0.4, 0.5)
    assert (state.slot[3]["last"], state.slot[3]["flag"]) == (7.5, 1)
    assert state.rank[B, :4].tolist() == [0, 2, 1, 3]  # B follows at once
    assert state.rank[A, :4].tolist() == [0, 1, 2, 3]  # A does not


def test_5f_a_failure_leaves_its_objective_and_flag() -> None:
    state, cand = begun([(f, 0.0) for f in (5.0, 6.0, 7.0, 8.0)])
    state.slot["flag"][2] = 1
    before = state.front.copy()
    tell(state, cand, 2, 7.5, 0.0, flag=0)
    assert (state.front == before).all()
    now = state.now[0]
    assert (now["pointer"], now["n_success"], now["told"]) == (0, 0, 1)
    assert (state.slot[2]["last"], state.slot[2]["flag"]) == (7.5, 0)


def test_5f_an_invalid_trial_fails_even_against_an_invalid_target() -> None:
    state, cand = begun([(INF, INF)] * 4)
    tell(state, cand, 2, INF, INF, flag=1)
    assert state.now[0]["n_success"] == 0


def test_5f_an_infinite_objective_may_succeed_by_violation() -> None:
    state, cand = begun([(INF, v) for v in (1.0, 2.0, 3.0, 4.0)], eps=0.0)
    tell(state, cand, 2, INF, 2.5)
    assert state.now[0]["n_success"] == 1
    assert state.slot[0]["weight"] == 0.5


def test_5f_the_pointer_wraps_at_the_current_size() -> None:
    state, cand = begun([(f, 0.0) for f in (5.0, 6.0, 7.0, 8.0)], N0=9)
    state.now[0]["pointer"] = 3
    tell(state, cand, 3, 1.0, 0.0)
    tell(state, cand, 2, 2.0, 0.0)
    assert state.now[0]["pointer"] == 1
    assert [f for f, _ in points_of(state.front, 4)] == [2.0, 6.0, 7.0, 1.0]
    assert [f for f, _ in points_of(state.top, 6)] == [5.0, 6.0, 7.0, 8.0, 1.0, 2.0]


def test_5_a_generation_has_n_trials() -> None:
    state, cand = begun([(f, 0.0) for f in (5.0, 6.0, 7.0, 8.0)], N0=9)
    assert [tell(state, cand, 0, 9.0, 0.0) for _ in range(4)] == [False, False, False, True]


def test_5f_successes_are_judged_by_the_level_of_the_generation() -> None:
    state, cand = begun([(5.0, 0.4), (6.0, 0.6), (7.0, 0.9), (8.0, 1.0)], eps=0.5)
    tell(state, cand, 0, 4.0, 0.45)  # within the level
    tell(state, cand, 3, 1.0, 0.95)  # beyond it, by violation
    assert state.now[0]["n_success"] == 2
    assert state.slot["weight"][:2].tolist() == pytest.approx([1.0, 0.05])
    assert state.rank[B, :4].tolist() == eps_order(points_of(state.front, 4), 0.5)


# --- step 6: the EB rate --------------------------------------------------------------------------


def rate_after(
    last: list[float], start: list[float], flags: list[int], N: int | None = None
) -> float:
    state, _ = make_state([(0.0, 0.0)] * (N or len(last)), N0=max(4, len(last)))
    slots = state.slot[: len(last)]
    slots["last"], slots["start"], slots["flag"] = last, start, flags
    state.now[0]["eb_rate"] = 0.123
    compiled(generation.adapt_eb_rate)(state)
    return float(state.now[0]["eb_rate"])


def test_6_rho_is_the_eb_steps_share_of_the_gains() -> None:
    """EB gains 3 (slot 0) and 1 (slot 3), base gain 2 (slot 1); slot 2 lost."""
    assert rate_after([1.0, 2.0, 9.0, 4.0], [4.0, 4.0, 4.0, 5.0], [1, 0, 1, 1]) == 4.0 / 6.0


@pytest.mark.parametrize(
    ("last", "flags"),
    [
        ([1.0, 2.0, 9.0, 9.0], [1, 1, 1, 1]),  # no base step
        ([1.0, 2.0, 9.0, 9.0], [0, 0, 0, 0]),  # no EB step
        ([9.0, 9.0, 9.0, 9.0], [1, 0, 1, 0]),  # no gain
        ([1.0, 5.0, 9.0, 9.0], [1, 0, 1, 0]),  # the base step's only gain is 0
        ([INF, INF, INF, INF], [0, 0, 0, 0]),  # no trial yet
    ],
)
def test_6_rho_is_its_default_while_undecided(last: list[float], flags: list[int]) -> None:
    assert rate_after(last, [5.0] * 4, flags) == 0.7


def test_6_only_the_first_n_slots_count() -> None:
    last, start, flags = [4.0, 5.0, 5.0, 5.0, 0.0], [5.0] * 5, [1, 0, 0, 0, 0]
    assert rate_after(last, start, flags, N=4) == 0.7  # the base gain of slot 4 is gone
    assert rate_after(last, start, flags, N=5) == 1.0 / 6.0


def test_6_members_without_a_value_give_no_credit() -> None:
    assert rate_after([1.0, 2.0, 3.0, 3.0], [INF, 4.0, 5.0, 9.0], [1, 0, 1, 2]) == 2.0 / 10.0
    assert rate_after([-1e308, 2.0, 3.0, 3.0], [1e308, 4.0, 5.0, 9.0], [1, 0, 1, 0]) == 0.7


# --- steps 7 to 9: success rate, reduction, memory ------------------------------------------------


def test_7_success_rate_and_8_reduction_by_hand() -> None:
    """N0 = 8, T = 1000: at n = 300 the size is trunc(8 - 1.2) = 6. Two of eight succeed."""
    front = [(1.0, 0.0), (9.0, 0.0), (2.0, 0.0), (3.0, 0.0), (9.0, 0.0), (4.0, 0.0)]
    state, cand = begun([*front, (5.0, 0.0), (6.0, 0.0)], n=300, eps=0.0)
    state.slot["last"][:8], state.slot["flag"][:8] = np.arange(8.0), [0, 1] * 4
    state.now[0]["pointer"] = 6
    for _ in range(2):
        tell(state, cand, 7, 5.5, 0.0)
    # slots 6 and 7 of Q are 5.5 now; the worst, slots 1 and 4, are dropped, gaps close
    slots_before = state.slot[["last", "flag"]].copy()
    compiled(generation.close_generation)(state)
    now = state.now[0]
    assert (now["sr"], now["n_pop"], now["pool"]) == (0.25, 6, 10)
    assert [f for f, _ in points_of(state.front, 6)] == [1.0, 2.0, 3.0, 4.0, 5.5, 5.5]
    assert vectors_of(state, state.front, 6) == [20.0, 22.0, 23.0, 25.0, 5.5, 5.5]
    assert (state.slot[["last", "flag"]] == slots_before).all()  # t and b do not move
    assert state.rank[B, :6].tolist() == [0, 1, 2, 3, 5, 4]
    assert sorted(state.front["row"].tolist()) == list(range(16, 24))  # no row is lost


def test_8_among_equals_the_lower_slot_is_dropped() -> None:
    state, _ = begun([(1.0, 0.0)] * 8, n=200, eps=0.0)  # trunc(8 - 0.8) = 7
    compiled(generation.close_generation)(state)
    assert vectors_of(state, state.front, 7) == [21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0]


def test_8_the_worst_is_the_last_in_eps_order() -> None:
    front = [(9.0, 0.5), (1.0, 0.6), (0.0, 0.9), (2.0, 0.0)] + [(3.0, 0.1)] * 4
    state, _ = begun(front, n=200, eps=0.5)
    compiled(generation.close_generation)(state)
    assert vectors_of(state, state.front, 3) == [20.0, 21.0, 23.0]  # the largest violation goes
    assert state.now[0]["n_pop"] == 7


def test_8_the_pointer_is_taken_modulo_the_new_size() -> None:
    state, _ = begun([(float(i), 0.0) for i in range(8)], n=300, eps=0.0)
    state.now[0]["pointer"] = 7
    compiled(generation.close_generation)(state)
    compiled(generation.merge)(state)
    begin_generation(state)
    assert (state.now[0]["n_pop"], state.now[0]["pointer"]) == (6, 1)


def test_8_the_size_never_falls_below_four() -> None:
    state, _ = begun([(float(i), 0.0) for i in range(8)], n=1000, eps=0.0)
    compiled(generation.close_generation)(state)
    assert state.now[0]["n_pop"] == 4


def test_9_memory_learns_only_from_successes() -> None:
    state, cand = begun([(5.0, 0.0)] * 4)
    compiled(generation.close_generation)(state)
    assert state.memory["cr"].tolist() == [1.0] * 5
    assert state.now[0]["cursor"] == 0
    begin_generation(state)
    tell(state, cand, 0, 4.0, 0.0, F=0.5, CR=0.2)  # weight 1
    tell(state, cand, 1, 2.0, 0.0, F=0.1, CR=0.6)  # weight 3
    compiled(generation.close_generation)(state)
    assert state.memory["cr"].tolist() == pytest.approx([0.78, 1.0, 1.0, 1.0, 1.0])
    assert state.memory["f"].tolist() == pytest.approx([0.325, 0.3, 0.3, 0.3, 0.3])
    assert state.now[0]["cursor"] == 1


# --- step 11: the merge ---------------------------------------------------------------------------


def test_11_p_is_the_best_of_survivors_and_successes() -> None:
    front = [(9.0, 0.0)] * 4
    top = [(4.0, 0.0), (2.0, 0.0), (3.0, 0.3), (5.0, 0.9)]
    state, cand = begun(front, top, eps=0.0, n=200)
    for f in (3.0, 4.0, 8.0):
        tell(state, cand, 3, f, 0.0)
    compiled(generation.close_generation)(state)
    compiled(generation.merge)(state)
    # 2, 3, the new 4, the old 4 | 8, then v = 0.3, v = 0.9
    assert points_of(state.top, 4) == [(2.0, 0.0), (3.0, 0.0), (4.0, 0.0), (4.0, 0.0)]
    assert vectors_of(state, state.top, 4) == [11.0, 3.0, 4.0, 10.0]
    assert sorted(state.top["row"].tolist()) == list(range(8))


def test_11_new_successes_displace_equal_old_members() -> None:
    state, cand = begun([(5.0, 0.5)] * 4, eps=0.0)
    for _ in range(3):
        tell(state, cand, 0, 5.0, 0.5)
    compiled(generation.close_generation)(state)
    compiled(generation.merge)(state)
    assert vectors_of(state, state.top, 4) == [5.0, 5.0, 5.0, 13.0]


def test_11_all_successes_compete_when_the_size_falls() -> None:
    """N falls from 8 to 6 in a generation with one success, appended behind the eight."""
    state, cand = begun([(float(i), 0.0) for i in range(8)], n=300, eps=0.0)
    tell(state, cand, 7, 0.5, 0.0)
    compiled(generation.close_generation)(state)
    compiled(generation.merge)(state)
    assert [f for f, _ in points_of(state.top, 6)] == [0.0, 0.5, 1.0, 2.0, 3.0, 4.0]


def test_11_without_a_success_p_is_cut_unsorted() -> None:
    top = [(f, 0.0) for f in (9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 0.0, 4.0)]
    state, _ = begun([(0.0, 0.0)] * 8, top, n=300, eps=0.0)
    compiled(generation.close_generation)(state)
    compiled(generation.merge)(state)
    assert state.now[0]["n_pop"] == 6
    assert [f for f, _ in points_of(state.top, 6)] == [9.0, 1.0, 8.0, 2.0, 7.0, 3.0]


def test_11_orders_of_the_pool() -> None:
    state, cand = begun([(float(i), 0.0) for i in range(6)], eps=0.0)
    for f in (2.5, 0.5, 4.0):
        tell(state, cand, 5, f, 0.0)
    assert state.rank[NEW, :3].tolist() == [7, 6, 8]
    compiled(generation.close_generation)(state)
    assert state.rank[POOL, :9].tolist() == [0, 7, 1, 2, 6, 3, 8, 4, 5]
