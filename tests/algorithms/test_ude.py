"""UDE-III and UDE-IV step by step, with results made up by hand.

A small trial: NP = 8, T = 2, so that a generation has 12 trials: 0, 1, 2 of the best member,
3, 4, 5 of the second, then one of each other. The members' coordinates are their numbers 0..7.
"""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

import de2ls
from de2ls.algorithms import ude, ude_selection
from de2ls.algorithms.ude import UDE3Config, UDE4Config
from de2ls.engine.state import Candidate
from tests.algorithms.puppet import NOT_BETTER, Puppet
from tests.helpers import compiled

SMALL: dict[str, Any] = {"np": 8, "t": 2, "lp": 2, "h": 3, "p_min": 2, "p_max": 4, "d_min": 0.0}
EIGHT = [(float(i), 0.0) for i in range(8)]
FAIL = (NOT_BETTER, NOT_BETTER)


def small(
    values: list[tuple[float, ...]] = EIGHT, algorithm: str = "ude3", T: int = 1200, **config: Any
) -> Puppet:
    puppet = Puppet(algorithm, T, n_ineq=len(values[0]) - 1, **SMALL | config)
    puppet.begin(values)
    return puppet


def generation(puppet: Puppet, results: dict[int, tuple[float, ...]]) -> list[Candidate]:
    """Ask all trials of a generation, then tell them; those without a result fail."""
    cands = [puppet.must_ask() for _ in range(12)]
    for k, cand in enumerate(cands):
        puppet.tell(cand, *results.get(k, FAIL))
    return cands


def population(puppet: Puppet) -> list[float]:
    """The objectives of P, best first."""
    order = puppet.state.rank[0, :8]
    return puppet.state.top["f"][order].tolist()


def stag(puppet: Puppet) -> list[int]:
    return puppet.state.slot["stag"][puppet.state.rank[0, :8]].tolist()


def archive(puppet: Puppet) -> list[float]:
    order = puppet.state.rank[1, : puppet.now["n_archive"]]
    return puppet.state.top["f"][order].tolist()


def wins_and_losses(puppet: Puppet, generation: int) -> list[tuple[int, int]]:
    cells = puppet.state.memory[:, generation % puppet.state.cfg[0]["lp"]]
    return [(int(cell["wins"]), int(cell["losses"])) for cell in cells]


# --- parameters, evaluations ---------------------------------------------------------------------


def test_parameters() -> None:
    """Of the specification's table; then its open points, and what UDE-IV changes."""
    three = {
        "np": 100,
        "t": 25,
        "lp": 25,
        "h": 100,
        "mu0": 0.5,
        "sigma": 0.1,
        "p_min": 5,
        "p_max": 20,
        "pc": 0.5,
        "lambda_": 6.0,
        "cp_max": 33.0,
        "delta": 0.01,
        "sg": 50,
        "sprop": 0.5,
        "d_min": 1.0,
        "ranking": "both",
        "prob": 1.0,
        "force_jrand": False,
        "top_counting": "program",
        "initial_order": "sof",
        "sort_first": True,
        "replaced": "best",
    }
    assert UDE3Config().as_dict() == three
    assert UDE3Config().n_trials == 3 * 25 + 75 == 150
    changed = {"sg": 25, "sprop": 0.4, "ranking": "none", "prob": 0.75}
    assert UDE4Config().as_dict() == three | changed


@pytest.mark.parametrize("algorithm", ["ude3", "ude4"])
def test_3999_generations_and_599950_evaluations(algorithm: str) -> None:
    """100 + 150 3999 = 599950; Gmax = 600000 / 150 = 4000. (A sphere, so that it takes no time.)"""
    import numba

    from de2ls.problems.problem import CompiledKernel, Problem

    @numba.njit
    def sphere(x: Any, params: Any, work: Any, out: Any) -> None:
        out[0] = x[0] * x[0]

    box = np.full(30, 1.0)
    problem = Problem("sphere", -box, box, 0, 0, kernel=CompiledKernel(sphere, np.empty(0)))
    trial = de2ls.trials.PausedTrial(algorithm, problem, 1).run()
    now = trial.driver.now
    assert (now["generation"], now["n_generations"], now["n"]) == (4000, 4000, 599_950)
    record = trial.record()
    assert (record.n_evals, record.stop) == (599_950, "generations")
    assert record.curve.shape == (2001, 3)
    assert record.curve[-1].tolist() == [600_000.0, *record.curve[-2, 1:].tolist()]


def test_a_budget_that_ends_with_a_generation_is_used_up() -> None:
    record = de2ls.run_trial("ude3", de2ls.cec2017(1, 5, instance=1), 1, 100 + 4 * 150)
    assert (record.n_evals, record.stop) == (700, "budget")


def test_budget_must_hold_one_generation() -> None:
    problem = de2ls.cec2017(1, 5, instance=1)
    with pytest.raises(ValueError, match=r"max_evals must be at least 250 .* got 249"):
        de2ls.run_trial("ude3", problem, 1, 249)
    assert de2ls.run_trial("ude3", problem, 1, 250).n_evals == 250


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"t": 100}, "t must"),
        ({"p_max": 101}, "p_max must"),
        ({"p_min": 21}, "p_max must"),
        ({"ranking": "all"}, "ranking must be one of"),
        ({"force_jrand": 1}, "force_jrand must be True or False, got 1"),
    ],
)
def test_parameters_that_do_not_fit(config: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        UDE3Config.make(config)


# --- 5 and 7: initial order and level -------------------------------------------------------------


def test_initial_population_is_sorted_by_violation_then_objective() -> None:
    values = [(5.0, 0.0), (1.0, 2.0), (3.0, 0.0), (0.0, 2.0), (9.0, 1.0), (3.0, 0.0), (8.0, 1.0)]
    puppet = small([*values, (-7.0, 9.0)])
    assert puppet.state.rank[0, :8].tolist() == [2, 5, 0, 6, 4, 3, 1, 7]  # 2 = 5: the earlier first


def test_initial_population_sorted_by_objective() -> None:
    """For one generation: the next sort is by violation first."""
    puppet = small([(8.0 - i, float(i)) for i in range(8)], initial_order="objective")
    assert puppet.state.rank[0, :8].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    generation(puppet, {})
    assert puppet.state.rank[0, :8].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_level_by_hand() -> None:
    """Two inequalities: the largest sum is 8, the mean 4. cp = (ln 8 + 6) / ln 2 = 11.656...

    Gmax = 1200 / 12 = 100: eps(G) = 4 (1 - G / 100)^cp up to G = 50, then 0.
    """
    puppet = small([(0.0, 1.0, -5.0)] * 7 + [(0.0, 3.0, 5.0)])
    cp = (math.log(8) + 6) / math.log(2)
    now = puppet.now
    assert (now["eps0"], now["n_generations"], now["generation"]) == (4.0, 100, 2)
    assert now["cp"] == pytest.approx(cp, rel=1e-14)
    for G in range(2, 53):
        expected = 4.0 * (1 - G / 100) ** cp if G <= 50 else 0.0
        assert now["eps"] == pytest.approx(expected, rel=1e-12)
        generation(puppet, {})


@pytest.mark.parametrize(
    ("violation", "cp"),
    [
        (1e9, 33.0),  # (ln 1e9 + 6) / ln 2 = 38.6
        (math.exp(-6) * 0.9, 0.0),  # would be negative
        (math.exp(-6) * 4, 2.0),
    ],
)
def test_limits_of_the_exponent(violation: float, cp: float) -> None:
    puppet = small([(0.0, 0.0)] * 7 + [(0.0, violation)])
    assert puppet.now["cp"] == pytest.approx(cp, rel=1e-14, abs=1e-14)


def test_level_of_a_feasible_population_is_zero() -> None:
    puppet = small()
    assert (puppet.now["eps0"], puppet.now["eps"]) == (0.0, 0.0)


def test_members_without_a_value_do_not_set_the_level() -> None:
    puppet = small([(0.0, 2.0)] * 7 + [(np.nan, 0.0)])
    assert puppet.now["eps0"] == 2.0
    assert puppet.state.rank[0, 7] == 7


# --- 6: trial vectors ----------------------------------------------------------------------------


def test_order_of_trials_and_strategies() -> None:
    """Three of each top target, one of each other; all may be out at once, then none is left."""
    puppet = small()
    cands = [puppet.must_ask() for _ in range(12)]
    assert [int(cand.info[0]["slot"]) for cand in cands] == list(range(12))
    assert [int(cand.info[0]["flag"]) for cand in cands[:6]] == [0, 1, 2, 0, 1, 2]
    assert puppet.ask() is None
    for cand in cands[:-1]:
        puppet.tell(cand, *FAIL)
    assert puppet.ask() is None
    puppet.tell(cands[-1], *FAIL)
    assert puppet.ask() is not None


@pytest.mark.parametrize("s", [0, 1, 2])
@pytest.mark.parametrize("i", [0, 1, 6])
def test_parents_differ(i: int, s: int) -> None:
    puppet = small(algorithm="ude4", prob=0.5)
    draw = compiled(ude.parents)
    bases: Counter[str] = Counter()
    for _ in range(400):
        base, a, b, c = draw(puppet.state, i, s)
        assert len({i, a, b, c}) == 4
        assert {a, b, c} <= set(range(8))
        if s == 2:
            assert a < 4  # the elite
        if s == 0:
            assert base == a
        elif base != i:
            assert (s, i) == (2, 6)  # rand-to-pbest: in the bottom only
            assert base not in (a, b, c)
        bases["other" if base != i else "target"] += 1
    if (s, i) == (2, 6):
        assert stats.binomtest(bases["other"], 400, 0.5).pvalue > 1e-6


@pytest.mark.parametrize(
    ("ranking", "top", "bottom"),
    [("both", 1, 1), ("top", 1, 0), ("bottom", 0, 1), ("none", 0, 0)],
)
def test_ranked_draws(ranking: str, top: int, bottom: int) -> None:
    """By rank the last position is never drawn for a and b; uniformly it is, and always for c."""
    puppet = small(ranking=ranking)
    draw = compiled(ude.parents)
    for i, ranked in ((0, top), (6, bottom)):
        drawn = np.array([draw(puppet.state, i, 1)[1:] for _ in range(400)])
        assert (7 in drawn[:, 0]) == (not ranked)
        assert (7 in drawn[:, 1]) == (not ranked)
        assert 7 in drawn[:, 2]


def test_rank_weights() -> None:
    """Position r has the weight 7 - r; without the target 0: 6, 5, 4, 3, 2, 1 of 21."""
    puppet = small()
    draw = compiled(ude.draw)
    drawn = Counter(draw(puppet.state.rng, 8, True, 0, 0, 0, 0) for _ in range(4200))
    expected = [200.0 * (7 - r) for r in range(1, 7)]
    observed = [drawn[r] for r in range(1, 7)]
    assert sum(observed) == 4200
    assert stats.chisquare(observed, expected).pvalue > 1e-6


def test_mutant_and_crossover_by_hand() -> None:
    """Positions are members: x_base + F (x_a - x_base) + F (x_b - x_c) at CR = 1."""
    puppet = small()
    x, cross = np.empty(3), compiled(ude.cross)
    cross(puppet.state, x, 0, 2, 3, 6, 4, 0.5, 1.0)
    assert x.tolist() == [2 + 0.5 * 1 + 0.5 * 2] * 3
    cross(puppet.state, x, 0, 2, 2, 7, 1, 50.0, 1.0)  # 2 + 50 6 = 302 beyond the bound
    assert x.tolist() == [100.0] * 3
    cross(puppet.state, x, 0, 2, 2, 1, 7, 50.0, 1.0)
    assert x.tolist() == [-100.0] * 3
    cross(puppet.state, x, 5, 2, 3, 6, 4, 0.5, 0.0)  # nothing is forced
    assert x.tolist() == [5.0] * 3


def test_one_coordinate_may_be_forced() -> None:
    puppet = small(force_jrand=True)
    x, cross = np.empty(3), compiled(ude.cross)
    places = set()
    for _ in range(30):
        cross(puppet.state, x, 5, 2, 3, 6, 4, 0.5, 0.0)
        assert sorted(x) == [3.5, 5.0, 5.0]
        places.add(int(np.argmin(x)))
    assert places == {0, 1, 2}


def test_rates() -> None:
    """F is Cauchy around the cell, redrawn while <= 0, cut at 1; CR normal, clipped; none in s = 2.

    Kolmogorov-Smirnov tests against the laws above the cut, at a level of 1e-6.
    """
    puppet = Puppet("ude3", 600_000, mu0=0.4)
    puppet.begin([(float(i), 0.0) for i in range(100)])
    F, CR = [], []
    for _ in range(40):
        for k in range(150):
            cand = puppet.must_ask()
            if k < 75:
                F.append(float(cand.info[0]["F"]))
                (CR if k % 3 != 1 else []).append(float(cand.info[0]["CR"]))
                assert k % 3 != 1 or cand.info[0]["CR"] == 1.0
            puppet.tell(cand, *FAIL)
    law = stats.cauchy(0.4, 0.1)
    below = law.cdf(0.0)
    uncut = [f for f in F if f < 1.0]
    top = (law.cdf(1.0) - below) / (1 - below)
    assert min(F) > 0.0
    assert max(F) == 1.0
    assert stats.binomtest(len(uncut), len(F), top).pvalue > 1e-6
    cdf = lambda f: (law.cdf(f) - below) / (law.cdf(1.0) - below)  # noqa: E731
    assert stats.kstest(uncut, cdf).pvalue > 1e-6
    assert stats.kstest(CR, stats.norm(0.4, 0.1).cdf).pvalue > 1e-6


# --- 8: memories ---------------------------------------------------------------------------------


def test_memory_by_hand() -> None:
    """Strategy 1 gains 2 and 6 on the two top targets, strategy 3 gains 1 on the second alone."""
    puppet = small()
    cands = generation(puppet, {0: (-2.0, 0.0), 3: (-5.0, 0.0), 5: (0.0, 0.0), 2: (9.0, 0.0)})
    F, CR = ([float(cands[k].info[0][name]) for k in (0, 3, 5)] for name in ("F", "CR"))
    memory = puppet.state.memory
    assert memory["f"][0].tolist() == pytest.approx(
        [(2 * F[0] ** 2 + 6 * F[1] ** 2) / (2 * F[0] + 6 * F[1]), 0.5, 0.5]
    )
    assert memory["cr"][0].tolist() == pytest.approx([(2 * CR[0] + 6 * CR[1]) / 8, 0.5, 0.5])
    assert memory["f"][1].tolist() == [0.5] * 3  # no success: no update, no step of its position
    assert memory["f"][2].tolist() == pytest.approx([F[2], 0.5, 0.5])
    assert memory["cr"][2].tolist() == pytest.approx([CR[2], 0.5, 0.5])
    assert memory["updates"][:, 0].tolist() == [1, 0, 1]


def test_gains_by_violation_are_means_over_the_constraints() -> None:
    """Infeasible targets gain by violation alone, whatever the objective; nc = 2."""
    puppet = small([(0.0, 2.0, 4.0)] * 8)
    cands = generation(puppet, {0: (50.0, 1.0, 1.0), 3: (-9.0, 3.0, 3.0), 1: (-9.0, 9.0, 0.0)})
    memory = puppet.state.memory
    assert memory["f"][0, 0] == pytest.approx(float(cands[0].info[0]["F"]))  # weight (6 - 2) / 2
    assert memory["updates"][:, 0].tolist() == [1, 0, 0]  # equal or larger violation: no success


def test_bottom_trials_do_not_teach() -> None:
    puppet = small()
    generation(puppet, dict.fromkeys(range(6, 12), (-9.0, 0.0)))
    assert (puppet.state.memory["f"] == 0.5).all()


def test_an_infinite_gain_is_skipped() -> None:
    puppet = small([(np.nan, 0.0)] * 8)
    generation(puppet, {0: (1.0, 0.0)})
    assert (puppet.state.memory["f"] == 0.5).all()
    assert population(puppet)[0] == 1.0


# --- 9: strategy adaptation ----------------------------------------------------------------------


def test_counts_of_the_program() -> None:
    """Best of three: a win at once; the selection counts for every target."""
    puppet = small()
    cands = generation(puppet, {1: (-1.0, 0.0), 2: (0.5, 0.0), 5: (3.0, 0.0), 6: (0.0, 0.0)})
    expected = [[0, 0] for _ in range(3)]
    expected[1][0] += 2  # target 0: strategy 2 is best and replaces it
    expected[2][0] += 1  # target 1: strategy 3 is best
    expected[2][1] += 1  # and fails
    for k in range(6, 12):
        expected[cands[k].info[0]["flag"]][0 if k == 6 else 1] += 1
    assert wins_and_losses(puppet, 2) == [tuple(pair) for pair in expected]


def test_counts_of_the_report() -> None:
    """Best of three wins, the other two lose; the selection counts for bottom targets only."""
    puppet = small(top_counting="report")
    cands = generation(puppet, {1: (-1.0, 0.0), 5: (3.0, 0.0), 6: (0.0, 0.0)})
    expected = [[0, 2], [1, 1], [1, 1]]
    for k in range(6, 12):
        expected[cands[k].info[0]["flag"]][0 if k == 6 else 1] += 1
    assert wins_and_losses(puppet, 2) == [tuple(pair) for pair in expected]


def test_probabilities_by_hand() -> None:
    """LP = 2: generation 3 uses the counts of 1 (none) and 2, generation 4 those of 2 and 3."""
    puppet = small()
    now, memory = puppet.now, puppet.state.memory
    assert (now["q1"], now["q12"]) == (0.33, 0.66)
    memory["wins"][:, 0], memory["losses"][:, 0] = [3, 0, 1], [1, 4, 0]  # of generation 2
    compiled(ude.begin_generation)(puppet.state)
    rates = [3 / 4 + 0.01, 0.01, 1 + 0.01]
    assert now["generation"] == 3
    assert now["q1"] == pytest.approx(rates[0] / sum(rates))
    assert now["q12"] == pytest.approx((rates[0] + rates[1]) / sum(rates))
    memory["wins"][:, 1], memory["losses"][:, 1] = [1, 2, 0], [0, 0, 0]  # of generation 3
    compiled(ude.begin_generation)(puppet.state)
    rates = [4 / 5 + 0.01, 2 / 6 + 0.01, 1 + 0.01]
    assert now["q1"] == pytest.approx(rates[0] / sum(rates))
    assert now["q12"] == pytest.approx((rates[0] + rates[1]) / sum(rates))
    assert wins_and_losses(puppet, 4) == [(0, 0)] * 3  # a new window cell
    assert wins_and_losses(puppet, 3) == [(1, 0), (2, 0), (0, 0)]


def test_a_strategy_without_trials_keeps_the_floor() -> None:
    puppet = small()
    assert compiled(ude.success_rate)(puppet.state, 1) == 0.01


def test_bottom_strategies_follow_the_probabilities() -> None:
    puppet = small()
    puppet.now["q1"], puppet.now["q12"] = 0.0, 1.0
    assert {int(cand.info[0]["flag"]) for cand in generation(puppet, {})[6:]} == {1}
    puppet.now["q1"], puppet.now["q12"] = 0.0, 0.0
    assert {int(cand.info[0]["flag"]) for cand in generation(puppet, {})[6:]} == {2}


# --- 4, 10 and 11: selection, sorting, archive ----------------------------------------------------


@pytest.mark.parametrize(
    ("trial", "target", "eps", "replaces"),
    [
        ((1.0, 0.0), (2.0, 0.0), 0.0, True),
        ((2.0, 0.0), (2.0, 0.0), 0.0, False),  # a tie keeps the target
        ((9.0, 1.0), (2.0, 2.0), 0.0, True),
        ((1.0, 2.0), (2.0, 2.0), 0.0, True),  # equal violation: objective
        ((9.0, 1.0), (2.0, 2.0), 2.0, False),  # both within the level: objective alone
        ((1.0, 2.0), (2.0, 0.0), 2.0, True),
        ((1.0, 2.1), (2.0, 0.0), 2.0, False),
        ((9.0, 2.1), (2.0, 3.0), 2.0, True),
        ((9.0, 0.0), (2.0, 3.0), 2.0, True),
        ((math.inf, math.inf), (2.0, 3.0), 2.0, False),
    ],
)
def test_epsilon_test(
    trial: tuple[float, float], target: tuple[float, float], eps: float, replaces: bool
) -> None:
    assert compiled(ude_selection.replaces)(*trial, *target, eps) == replaces


def test_selection_sorts_and_archives() -> None:
    """Targets 0..7. Trial 1 is the best of target 0, trial 3 (a tie with 4) of target 1.

    Those of the targets 3 and 6 succeed, the others fail; of a top target only the best counts.
    """
    puppet = small()
    cands = generation(
        puppet,
        {
            0: (0.8, 0.0),
            1: (0.5, 0.0),
            3: (0.9, 0.0),
            4: (0.9, 0.0),
            6: (20.0, 0.0),  # target 2
            7: (2.5, 0.0),  # target 3
            8: (30.0, 0.0),
            9: (10.0, 0.0),
            10: (1.5, 0.0),  # target 6
            11: (1.0, 4.0),
        },
    )
    assert population(puppet) == [0.0, 0.9, 1.5, 2.0, 2.5, 4.0, 5.0, 7.0]
    assert stag(puppet) == [1, 0, 0, 1, 0, 1, 1, 1]
    assert archive(puppet) == [0.5, 10.0, 20.0, 30.0, 1.0]  # feasible ones first, by objective
    second = puppet.state.top[puppet.state.rank[0, 1]]
    assert puppet.state.x[second["row"]].tolist() == cands[3].x.tolist()
    assert cands[3].x.tolist() != cands[4].x.tolist()


def test_vectors_follow_their_members() -> None:
    puppet = small()
    cands = generation(puppet, {0: (-1.0, 0.0), 9: (0.5, 0.0)})
    state = puppet.state
    order = state.rank[0, :8]
    rows = state.top["row"][order]
    expected = [cands[0].x.tolist(), cands[9].x.tolist()]
    expected += [[float(i)] * 3 for i in (1, 2, 3, 4, 6, 7)]
    assert state.x[rows].tolist() == expected
    assert len(set(state.top["row"].tolist() + state.front["row"].tolist())) == 28  # no row twice


def test_archive_keeps_the_best_np() -> None:
    """Two generations of eight failures each; ties keep the earlier one."""
    puppet = small()
    first = {1: (101.0, 0.0), 3: (102.0, 0.0)} | {k: (100.0 + k - 3, 0.0) for k in range(6, 12)}
    generation(puppet, first)
    assert archive(puppet) == [101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0]
    kept = puppet.state.rank[1, :8].copy()
    second = {0: (104.0, 0.0), 3: (200.0, 0.0)} | dict.fromkeys(range(6, 12), (108.0, 0.0))
    generation(puppet, second)
    assert archive(puppet) == [101.0, 102.0, 103.0, 104.0, 104.0, 105.0, 106.0, 107.0]
    assert puppet.state.rank[1, :4].tolist() == kept[:4].tolist()  # the newer 104 comes behind


def test_order_of_tells_does_not_matter() -> None:
    """All of a generation out, told in any order: the same state as one by one."""
    states = []
    for order in (range(12), [7, 3, 11, 0, 5, 1, 9, 2, 10, 4, 8, 6]):
        puppet = small()
        for _ in range(30):
            cands = [puppet.must_ask() for _ in range(12)]
            for k in order:
                x = cands[k].x
                puppet.tell(cands[k], float(np.sum((x - 1.0) ** 2)), float(x[0] - x[1]))
        states.append(puppet.state)
    one, other = (state._replace(x=state.x[state.top["row"]]) for state in states)
    for name in ("x", "memory", "rank", "curve", "best", "rng"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name != "memory")


# --- 12: stagnation ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failures", "replaced"),
    [
        ([9, 9, 9, 0, 0, 0, 0, 9], False),  # 4 members are not more than half of 8
        ([0, 9, 9, 9, 9, 9, 0, 0], True),
        ([9, 9, 9, 9, 3, 0, 0, 0], False),  # 3 (then 4) failures are not more than SG = 4
        ([9, 9, 9, 9, 4, 0, 0, 0], True),
    ],
)
def test_best_stagnated_member_is_replaced(failures: list[int], replaced: bool) -> None:
    """Of members with more than SG failures; they are told of one more generation first."""
    puppet = small(sg=4, sprop=0.5)
    puppet.state.slot["stag"][:8] = failures
    generation(puppet, dict.fromkeys(range(12), (50.0, 0.0)))
    assert puppet.now["n_archive"] == 8
    first = next(i for i, count in enumerate(failures) if count + 1 > 4)
    expected = [float(i) for i in range(8)]
    counts = [count + 1 for count in failures]
    if replaced:
        expected[first], counts[first] = 50.0, 0
    assert population(puppet) == expected  # not sorted again
    assert stag(puppet) == counts


def test_sorting_may_follow_the_replacement() -> None:
    """The newcomer, the worst of all, then stands last, with its count of failures at 0."""
    puppet = small(sg=0, sort_first=False)
    generation(puppet, dict.fromkeys(range(12), (50.0, 0.0)))
    assert population(puppet) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 50.0]
    assert stag(puppet) == [1] * 7 + [0]


def test_any_stagnated_member_may_be_replaced() -> None:
    """Each of the six with more than SG = 4 failures, and none of the others."""
    places = set()
    for seed in range(60):
        puppet = small(sg=4, replaced="random", seed=seed)
        puppet.state.slot["stag"][:8] = [9, 0, 9, 9, 9, 0, 9, 9]
        generation(puppet, dict.fromkeys(range(12), (50.0, 0.0)))
        places.add(population(puppet).index(50.0))
    assert places == {0, 2, 3, 4, 6, 7}


def test_no_replacement_while_close_together() -> None:
    """Members 0..7 in 3 coordinates: sqrt(3) (3.5 + 2.5 + 1.5 + 0.5) / 4 from their mean."""
    limit = 2 * math.sqrt(3)
    for d_min, expected in ((limit * 1.001, 0.0), (limit * 0.999, 50.0)):
        puppet = small(sg=0, d_min=d_min)
        assert compiled(ude_selection.spread)(puppet.state) == pytest.approx(limit, rel=1e-14)
        generation(puppet, dict.fromkeys(range(12), (50.0, 0.0)))
        assert population(puppet)[0] == expected


def test_replacement_is_a_copy() -> None:
    """The chosen entry stays in the archive, with a row of its own."""
    puppet = small(sg=0)
    cands = generation(puppet, dict.fromkeys(range(12), (50.0, 0.0)))
    state = puppet.state
    assert archive(puppet) == [50.0] * 8
    member = state.top[state.rank[0, 0]]
    assert member["f"] == 50.0
    assert state.x[member["row"]].tolist() in [cand.x.tolist() for cand in cands]
    assert member["row"] not in state.top["row"][8:]
