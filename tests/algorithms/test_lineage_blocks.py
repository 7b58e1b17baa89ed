"""The blocks of the lineage, each against a calculation or a distribution."""

import math

import numpy as np
import pytest
from scipy import stats

from de2ls.algorithms.batches import Space
from de2ls.algorithms.lineage import cma, draws, sizes, symmetric, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.butterfly_trials import cross_by_profile, set_profile
from de2ls.algorithms.lineage.choice import OperatorWeights, Roulette, by_chance
from de2ls.algorithms.lineage.contest import contest, relative_gains, shares
from de2ls.algorithms.lineage.ea4eig import EA4EigConfig, start
from de2ls.algorithms.lineage.individual import (
    cobide_parameters,
    cross_by_rank,
    ide_donors,
    replace_worst,
)
from de2ls.algorithms.lineage.lshade44 import IEpsilonConfig, ImprovedLevel
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run, better_of
from de2ls.algorithms.lineage.memory import TERMINAL, Memory, lehmer, means
from de2ls.algorithms.lineage.nl_shade_rsp import NLSHADERSPConfig, elite_size
from de2ls.algorithms.lineage.population import Population, keep_best
from de2ls.engine.random import seed_state
from tests.helpers import compiled
from tests.trials.examples import free

BOX = np.array([[-1.0, -2.0], [3.0, 2.0]])


def members(f: list[float], v: list[float]) -> Members:
    return Members(np.arange(2.0 * len(f)).reshape(-1, 2), np.array(f), np.array(v))


def test_replaced_members() -> None:
    some = members([1.0, 2.0, 3.0], [0.0, 0.1, 0.2])
    others = Members(-some.x, np.array([7.0, 8.0, 9.0]), np.array([0.7, 0.8, 0.9]))
    some.replace(np.array([True, False, True]), others)
    assert some.f.tolist() == [7.0, 2.0, 9.0]
    assert some.v.tolist() == [0.7, 0.1, 0.9]
    assert some.x.tolist() == [[-0.0, -1.0], [2.0, 3.0], [-4.0, -5.0]]


# --- order and contest ----------------------------------------------------------------------------


def test_the_order_with_a_level() -> None:
    """Within 0.5 by f; beyond by v; equal violations by f."""
    some = members([5.0, 4.0, 3.0, 2.0, 1.0], [0.0, 0.5, 2.0, 2.0, 1.0])
    assert some.order(0.5).tolist() == [1, 0, 4, 3, 2]
    assert some.order(0.0).tolist() == [0, 1, 4, 3, 2]
    assert some.order(9.0).tolist() == [4, 3, 2, 1, 0]
    assert some.best(2, 0.5).f.tolist() == [5.0, 4.0]  # they keep their places
    assert some.sorted(0.5).f.tolist() == [4.0, 5.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("level", [0.0, 2.0])
def test_the_best_stay_in_the_order_they_stand_in(level: float) -> None:
    """Equal members among them: the first of these stay."""
    rng = np.random.default_rng(3)
    x, f = rng.random((40, 2)), rng.integers(0, 5, 40).astype(float)
    v = rng.integers(0, 5, 40).astype(float)
    f[7] = v[7] = np.inf
    pop = Population.of(Members(x.copy(), f.copy(), v.copy()), 0, [])
    compiled(keep_best)(pop, 15, level)
    kept = np.sort(np.lexsort((np.arange(40), f, np.where(v <= level, 0.0, v)))[:15])
    assert pop.now["n"] == 15
    assert pop.x[:15].tolist() == x[kept].tolist()
    assert pop.f[:15].tolist() == f[kept].tolist()
    assert pop.v[:15].tolist() == v[kept].tolist()


def test_a_contest_by_objective_and_by_violation() -> None:
    inf = np.inf
    parents = members([5.0, 5.0, 5.0, 5.0, inf, inf], [0.0, 1.0, 0.0, 1.0, inf, inf])
    trials = members([4.0, 9.0, 4.0, 5.0, 3.0, inf], [0.0, 0.7, 1.0, 1.0, 2.0, inf])
    result = contest(parents, trials, 0.5)
    assert result.by_f.tolist() == [True, False, False, True, False, True]
    assert result.gain == pytest.approx([1.0, 0.3, -1.0, 0.0, inf, -inf])
    assert result.won.tolist() == [True, True, False, False, True, False]
    assert result.held.tolist() == [True, True, False, True, True, False]
    assert result.n_won == 3
    assert relative_gains(result, parents) == pytest.approx([0.2, 0.3, 0.0, 0.0, 1.0, 0.0])


def test_gains_of_two_kinds_count_by_their_numbers() -> None:
    """Three by f (1, 2, 5) and one by v (0.1): weights 3/4 of 1/8, 2/8, 5/8, and 1/4."""
    parents = members([10.0, 10.0, 10.0, 0.0], [0.0, 0.0, 0.0, 0.3])
    trials = members([9.0, 8.0, 5.0, 7.0], [0.0, 0.0, 0.0, 0.2])
    result = contest(parents, trials, 0.0)
    assert result.weights == pytest.approx([0.75 / 8, 1.5 / 8, 3.75 / 8, 0.25])


def test_shares_of_gains_over_points_without_a_value() -> None:
    inf, three = np.inf, np.array([True, True, True])
    assert shares(np.array([1.0, 3.0, inf]), three) == pytest.approx([1 / 7, 3 / 7, 3 / 7])
    assert shares(np.array([inf, 5.0, inf]), ~np.eye(3, dtype=bool)[1]).tolist() == [0.5, 0.0, 0.5]
    assert shares(np.zeros(3), three).tolist() == [0.0, 0.0, 0.0]


def test_the_better_of_a_member_and_others() -> None:
    best = members([3.0], [0.0])
    assert better_of(best, members([1.0, 4.0], [0.1, 0.0])) is best
    found = better_of(best, members([2.0, 1.0, 1.0], [0.0, 0.0, 0.0]))
    assert (found.f.tolist(), found.x.tolist()) == ([1.0], [[2.0, 3.0]])


def test_samples_replace_the_worst_in_turn() -> None:
    """Of members 1, 5, 9, 0: 7 replaces 9, 8 nothing, 6 replaces the 7, 2 the 6."""
    state = start(free(2), EA4EigConfig(n0=10), 1, 100)
    state.now[0]["n_pop"] = 4
    state.top["f"][:4], state.front["f"][:4] = (1.0, 5.0, 9.0, 0.0), (7.0, 8.0, 6.0, 2.0)
    state.top["v"][:4] = state.front["v"][:4] = 0.0
    state.x[:] = np.arange(state.x.size).reshape(state.x.shape)
    third = state.x[10 + 3].copy()
    assert compiled(replace_worst)(state) == 3
    assert state.top["f"][:4].tolist() == [1.0, 5.0, 2.0, 0.0]
    assert state.x[2].tolist() == third.tolist()


def test_the_common_level() -> None:
    """Ten members, the third smallest violation (20 %) at t = 0, (1 - 1/2)^5 of it at 0.4 T."""
    run = Run(Space.of(free(2)), np.random.default_rng(1), 1000, LineageConfig())
    run.first(Members(np.zeros((10, 2)), np.zeros(10), np.arange(10.0)))
    assert run.level == 2.0
    run.t = 400
    assert run.level == pytest.approx(2.0 / 32)
    run.t = 800
    assert run.level == 0.0


def test_the_elite_is_part_of_the_population() -> None:
    """N (p_start + p_rise r) in the middle of a run, and never more than N."""
    for config, size in (({}, 15), ({"p_start": 1.0, "p_rise": 1.0}, 50)):
        cfg = NLSHADERSPConfig(**config).as_record()
        assert compiled(elite_size)(cfg[0], 50, 0.5) == size


def test_the_improved_level() -> None:
    pop = Members(np.zeros((20, 2)), np.zeros(20), np.arange(20.0))
    level = ImprovedLevel(IEpsilonConfig(), pop)
    assert level.level == 18.0  # one of twenty is beyond it
    level.follow(pop, pop, 0.1)
    assert level.level == pytest.approx(16.2)
    feasible = Members(pop.x, pop.f, np.zeros(20))
    level.follow(feasible, feasible, 0.2)
    assert level.level == pytest.approx(1.1 * 19.0)
    level.follow(feasible, feasible, 0.8)
    assert level.level == 0.0


# --- memory, archive, choice, sizes ---------------------------------------------------------------


def test_the_memory_by_hand() -> None:
    w, f, cr = np.array([0.25, 0.75]), np.array([0.4, 0.8]), np.array([0.2, 0.6])
    assert compiled(lehmer)(w, f) == pytest.approx((0.25 * 0.16 + 0.75 * 0.64) / 0.7)
    memory = Memory(2, 0.5, 0.5)
    memory.learn(w, f, cr)
    assert memory.f.tolist() == pytest.approx([0.52 / 0.7, 0.5])
    assert memory.cr.tolist() == pytest.approx([0.28 / 0.5, 0.5])
    memory.learn(w, f, np.zeros(2))
    assert memory.cr[1] == TERMINAL
    memory.k = 1
    memory.learn(w, f, cr)
    assert memory.cr[1] == TERMINAL  # for ever
    memory.learn(np.zeros(2), f, cr)
    assert memory.k == 0  # nothing was learned


@pytest.mark.parametrize("before", np.linspace(0.0, 1.0, 20).tolist())
def test_a_terminal_cell_stays_so_whatever_was_in_it(before: float) -> None:
    """In floating point x + (-1 - x) is not always -1."""
    memory, one = Memory(1, 0.5, before), np.ones(1)
    memory.learn(one, one, np.zeros(1))
    memory.learn(one, one, one)
    assert memory.cr[0] == pytest.approx(TERMINAL)


def test_a_memory_that_averages_leaves_its_terminal_value() -> None:
    memory = Memory(1, 0.5, 0.5, 0.5)
    memory.learn(np.ones(1), np.array([0.9]), np.zeros(1))
    assert (memory.f[0], memory.cr[0]) == pytest.approx((0.7, -0.25))
    memory.learn(np.ones(1), np.array([0.9]), np.ones(1))
    assert memory.cr[0] == pytest.approx(0.375)


def test_the_arithmetic_mean_of_cr() -> None:
    found = means(np.array([0.25, 0.75]), np.ones(2), np.array([0.2, 0.6]), True)
    assert found == pytest.approx((1.0, 1.0, 0.5))


def test_the_archive() -> None:
    rng, archive = seed_state(1), Archive(6, 1)
    some = np.array([[1.0], [9.0], [2.0], [3.0]])
    archive.overwrite(rng, some, some[:, 0] < 9.0, 2)
    assert archive.n == 2
    assert archive.x[0, 0] == 3.0 or archive.x[1, 0] == 3.0
    some = np.array([[3.0], [4.0], [8.0], [4.0], [5.0]])
    archive.mingle(rng, some, some[:, 0] < 8.0, 6)
    assert sorted(archive.x[:, 0].tolist())[-3:] == [3.0, 4.0, 5.0]
    assert archive.n == 4
    archive.thin(rng, 3)
    assert archive.n == len(set(archive.x[:, 0].tolist())) == 3
    archive.cut(1)
    assert archive.n == 1


def test_an_archive_makes_room_for_more_than_it_began_with() -> None:
    """NL-SHADE-RSP keeps Nmin parents at least, also where its archive is none at first."""
    archive, some = Archive(0, 2), np.arange(8.0).reshape(4, 2)
    archive.overwrite(seed_state(1), some[:1], np.ones(1, dtype=bool), 1)
    archive.overwrite(seed_state(1), some[1:], np.ones(3, dtype=bool), 4)
    assert archive.x.tolist() == some.tolist()
    assert archive.x.base is not None
    assert len(archive.x.base) >= 4


def test_an_archive_without_copies() -> None:
    """Also of rows that share coordinates, as those on a bound do."""
    rng, archive = np.random.default_rng(3), Archive(500, 3)
    everything = rng.integers(0, 4, (400, 3)).astype(float)
    for part in np.split(everything, 8):
        archive.mingle(seed_state(1), part, np.ones(50, dtype=bool), 500)
    expected = np.unique(everything, axis=0)
    assert np.unique(archive.x, axis=0).tolist() == expected.tolist()
    assert archive.n == len(expected)


def test_the_roulette_restarts() -> None:
    roulette, rng = Roulette(4, 2.0, 0.05), seed_state(2)
    counts = np.bincount(roulette.draw(rng, 40_000), minlength=4)
    assert stats.chisquare(counts).pvalue > 1e-3
    roulette.wins[:] = (100.0, 2.0, 2.0, 2.0)
    roulette.draw(rng, 10)
    assert roulette.wins.tolist() == [2.0] * 4
    roulette.wins[:] = (8.0, 2.0, 4.0, 2.0)
    counts = np.bincount(roulette.draw(rng, 40_000), minlength=4)
    assert stats.chisquare(counts, 40_000 * np.array([0.5, 0.125, 0.25, 0.125])).pvalue > 1e-3


def test_weights_of_operators() -> None:
    """Mean relative gains 0.2 and 0.05 give 0.8 and 0.2; equal ones unless both gained."""
    operators = OperatorWeights(2, 0.1)
    parents = members([10.0, 10.0, 10.0, 10.0], [0.0] * 4)
    result = contest(parents, members([6.0, 10.5, 9.0, 10.0], [0.0] * 4), 0.0)
    gains = relative_gains(result, parents)
    operators.learn(gains, np.array([0, 0, 1, 1]))
    assert operators.q == pytest.approx([0.8, 0.2])
    operators.learn(gains, np.array([0, 0, 0, 1]))
    assert operators.q.tolist() == [0.5, 0.5]


def test_operators_by_chance() -> None:
    """The last gets the rest, also where the others have more than 1 together."""
    draw, rng = compiled(by_chance), seed_state(5)
    for q, share in (([0.2, 0.3, 0.9], [0.2, 0.3, 0.5]), ([0.9, 0.9, 0.1], [0.9, 0.1, 0.0])):
        drawn = [draw(rng, np.array(q)) for _ in range(4000)]
        counts = np.bincount(drawn, minlength=3)
        assert counts / 4000 == pytest.approx(share, abs=0.03)


def test_sizes() -> None:
    assert [sizes.rounded(value) for value in (2.5, 3.5, 2.4)] == [3, 4, 2]
    assert sizes.linear(100, 4, 0.5) == 52
    assert sizes.power(900, 4, 0.5) == sizes.rounded(900 - 896 * math.sqrt(0.5))
    assert sizes.power(900, 4, 1.0) == 4


@pytest.mark.parametrize(("dim", "count"), [(10, 2163), (30, 2745), (50, 3022), (100, 3401)])
def test_generations_of_the_linear_plan(dim: int, count: int) -> None:
    """The constants in the programs of EBOwithCMAR and mLSHADE-RL."""
    assert sizes.generations(18 * dim, 4, 10_000 * dim) == count


# --- draws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("location", [0.5, -0.3, 1.0])
def test_a_positive_cauchy_draw(location: float) -> None:
    draw, rng = compiled(draws.positive_cauchy), seed_state(3)
    drawn = [draw(rng, location, 0.1) for _ in range(4000)]
    cauchy = stats.cauchy(location, 0.1)
    below = cauchy.cdf(0.0)
    assert stats.kstest(drawn, lambda x: (cauchy.cdf(x) - below) / (1.0 - below)).pvalue > 1e-3
    far = [draw(rng, -1e9, 0.1) for _ in range(1000)]
    assert np.mean([value > 1.0 for value in far]) > 0.99


def test_partners_are_different() -> None:
    draw, rng = compiled(draws.partners), seed_state(4)
    for n, n_pool in ((4, 4), (5, 9), (30, 60)):
        for i in range(n):
            r1, r2, r3 = draw(rng, i, n, n_pool)
            assert len({i, r1, r2, r3}) == 4
            assert max(r1, r3) < n
            assert r2 < n_pool


def test_a_clipped_normal_draw() -> None:
    draw, rng = compiled(draws.clipped_normal), seed_state(5)
    assert draw(rng, -1.0, 0.1) == 0.0
    drawn = [draw(rng, 0.5, 0.1) for _ in range(2000)]
    assert stats.kstest(drawn, stats.norm(0.5, 0.1).cdf).pvalue > 1e-3


def test_three_members_best_first() -> None:
    """Members 2, 0, 3, 1 from best to worst; one may be drawn twice."""
    order = np.array([2, 0, 3, 1])
    rank, sort = compiled(draws.ranks)(order), compiled(draws.best_first)
    assert rank.tolist() == [1, 3, 0, 2]
    assert sort(order, rank, 0, 1, 2) == (2, 0, 1)
    assert sort(order, rank, 1, 3, 0) == (0, 3, 1)
    assert sort(order, rank, 2, 3, 1) == (2, 3, 1)
    assert sort(order, rank, 0, 0, 3) == (0, 0, 3)


# --- donors, repair and crossover -----------------------------------------------------------------


def test_donors_by_their_formulas() -> None:
    rng = np.random.default_rng(7)
    x, a, b, c = rng.random((4, 3))
    v = np.empty(3)
    compiled(variation.to_pbest)(v, x, a, b, c, 0.3, 0.7)
    assert v == pytest.approx(x + 0.3 * (a - x) + 0.7 * (b - c))
    compiled(variation.joint_step)(v, x, a, b, c, 0.7)
    assert v == pytest.approx(x + 0.7 * (a - x + b - c))
    compiled(variation.base_and_difference)(v, a, b, c, 0.7)
    assert v == pytest.approx(a + 0.7 * (b - c))


def test_the_last_partner_is_a_member_or_one_of_the_archive() -> None:
    x, archive = np.array([[0.0], [1.0]]), np.array([[10.0], [11.0]])
    pooled = compiled(variation.pooled)
    assert [pooled(x, archive, r)[0] for r in range(4)] == [0.0, 1.0, 10.0, 11.0]


def test_repair() -> None:
    x = np.array([[0.0, 0.0], [2.0, 1.0]])
    outside = np.array([[-3.0, 1.0], [4.0, -9.0]])
    middle, mirrored, reflected, drawn = (outside.copy() for _ in range(4))
    for row, parent in zip(middle, x, strict=True):
        compiled(variation.midpoint)(row, parent, BOX)
    assert middle.tolist() == [[-0.5, 1.0], [2.5, -0.5]]
    for row in mirrored:
        compiled(variation.mirror)(row, BOX)
    assert mirrored.tolist() == [[1.0, 1.0], [2.0, -1.0]]
    for row, parent, other in zip(reflected, x, drawn, strict=True):
        compiled(variation.reflect_parent)(row, parent, BOX)
        compiled(variation.redraw)(seed_state(7), other, BOX)
    assert reflected.tolist() == [[-1.0, 1.0], [-1.0, -2.0]]
    assert drawn[0, 1] == 1.0
    assert ((drawn >= BOX[0]) & (drawn <= BOX[1])).all()


def test_binomial_crossover() -> None:
    x, rng, cross = np.zeros((2000, 10)), seed_state(8), compiled(variation.binomial)

    def taken(rate: float, forced: bool) -> np.ndarray:
        v = np.ones((2000, 10))
        for row, parent in zip(v, x, strict=True):
            cross(rng, row, parent, rate, forced, np.empty(10))
        return v

    assert taken(0.3, True).mean() == pytest.approx(0.3 + 0.7 / 10, abs=0.01)
    assert taken(0.0, False).sum(axis=1).tolist() == [1.0] * 2000
    some = taken(0.3, False)
    assert some.mean() == pytest.approx(0.3 + 0.7**10 / 10, abs=0.01)
    assert some.sum(axis=1).min() == 1.0


def test_crossover_by_a_profile() -> None:
    """Rates 1 and 0 for the nearer and the farther half: five in a row, and one that is forced."""
    rng, cross = seed_state(9), compiled(cross_by_profile)
    rates, none = np.tile([1.0] * 3 + [0.0] * 4 + [1.0] * 3, 2), np.zeros(20)
    counts, first = np.zeros(10), np.zeros(10)
    for _ in range(5000):
        v = np.ones(10)
        cross(rng, v, np.zeros(10), rates, np.empty(10))
        near = [v[k : k + 6].all() for k in range(5)] + [
            v[k:].all() and v[: k - 4].all() for k in range(5, 10)
        ]
        assert any(near)
        assert v.sum() in (6.0, 7.0)
        counts += v
        w = np.ones(10)
        cross(rng, w, np.zeros(10), none, np.empty(10))
        assert w.sum() == 1.0
        first += w
    assert counts / 5000 == pytest.approx(np.full(10, 0.64), abs=0.03)  # 0.6 + 0.4 / 10
    assert first / 5000 == pytest.approx(np.full(10, 0.1), abs=0.02)


@pytest.mark.parametrize(
    ("dim", "rates"),
    [(1, [8.0]), (4, [8.0, 4.0, 4.0, 8.0]), (5, [8.0, 4.0, 2.0, 2.0, 4.0])],
)
def test_profile(dim: int, rates: list[float]) -> None:
    profile = np.empty(2 * dim)
    compiled(set_profile)(profile, 8.0, 0.5)
    assert profile.tolist() == 2 * rates


@pytest.mark.parametrize("cyclic", [False, True])
def test_exponential_crossover(cyclic: bool) -> None:
    """A run of coordinates, of mean length 1 / (1 - CR) where there is room."""
    taken, rng, cross = np.ones((4000, 40)), seed_state(9), compiled(variation.exponential)
    for row in taken:
        cross(rng, row, np.zeros(40), 0.5, cyclic)
    lengths = taken.sum(axis=1)
    ends = (np.diff(taken, axis=1, append=taken[:, :1]) != 0).sum(axis=1)
    assert (ends <= 2).all()  # one run, where the first follows the last
    assert lengths.mean() == pytest.approx(2.0, abs=0.15)
    wraps = (taken[:, 0] == 1) & (taken[:, -1] == 1)
    assert wraps.any() == cyclic


def test_parameters_of_the_individual_algorithms() -> None:
    config, draw, rng = EA4EigConfig().as_record(), compiled(cobide_parameters), seed_state(2)
    own = np.array([draw(rng, config[0]) for _ in range(3000)]).T
    assert ((own > 0.0) & (own <= 1.0) | (own == 0.0)).all()
    assert np.median(own[1, own[1] < 0.5]) == pytest.approx(0.1, abs=0.03)
    box = np.array([np.zeros(60), np.ones(60)])
    taken = np.ones((200, 60))
    compiled(cross_by_rank)(seed_state(2), taken, np.zeros((200, 60)), box, 0.1)
    assert np.corrcoef(taken.mean(axis=1), np.arange(200))[0, 1] > 0.9
    x = np.random.default_rng(1).uniform(BOX[0], BOX[1], (20, 2))
    donors = x.copy()
    compiled(ide_donors)(seed_state(3), donors, x, BOX, 0.1, 0.01, 0.1, True)
    assert np.isfinite(donors).all()
    assert (donors != x).any(axis=1).all()


@pytest.mark.parametrize("forced", [False, True])
def test_crossover_in_a_basis(forced: bool) -> None:
    """All axes give the donor, one axis a step along it; unit axes are the plain crossover."""
    rng = np.random.default_rng(6)
    x, v = rng.random((2, 50, 3))
    axes, cross = np.linalg.qr(rng.random((3, 3)))[0], compiled(variation.cross_in_basis)
    u = v.copy()
    cross(seed_state(1), u, x, np.ones(50), axes, forced)
    assert u == pytest.approx(v)
    u = v.copy()
    cross(seed_state(1), u, x, np.zeros(50), axes, forced)
    moved = np.abs((u - x) @ axes.T) > 1e-9
    assert (moved.sum(axis=1) == 1).all()
    assert ((u - x) @ axes.T)[moved] == pytest.approx(((v - x) @ axes.T)[moved])
    u = v.copy()
    cross(seed_state(1), u, x, np.full(50, 0.5), np.eye(3), forced)
    assert (np.isclose(u, x) | np.isclose(u, v)).all()


def test_the_basis_of_points_on_a_line() -> None:
    """Around the line along (3, 4): it is an axis, and all are orthonormal."""
    rng = np.random.default_rng(8)
    line = 5.0 + rng.standard_normal((40, 1)) * np.array([3.0, 4.0, 0.0])
    axes = compiled(variation.basis)(line + 1e-6 * rng.standard_normal((40, 3)))
    assert np.abs(axes @ [0.6, 0.8, 0.0]).max() == pytest.approx(1.0)
    assert axes @ axes.T == pytest.approx(np.eye(3))


# --- covariance matrix adaptation -----------------------------------------------------------------


def test_weights_and_rates_by_hand() -> None:
    w = cma.log_weights(2.0)
    raw = [math.log(2.5), math.log(2.5) - math.log(2.0)]
    assert w == pytest.approx(np.array(raw) / sum(raw))
    assert cma.effective(np.full(4, 0.25)) == pytest.approx(4.0)
    rates = cma.Rates.of(10, 4.0)
    assert rates.c1 == pytest.approx(2.0 / (11.3**2 + 4.0))
    assert rates.cs == pytest.approx(6.0 / 19.0)


def test_the_model_finds_the_axes_of_an_ellipsoid() -> None:
    """Minimise x^2 + 100 y^2: the shape stretches along x and the mean goes to 0."""
    rng, box = np.random.default_rng(11), np.array([[-100.0, -100.0], [100.0, 100.0]])
    weights = cma.log_weights(10)
    mueff, sigma, y = cma.effective(weights), 10.0, np.empty((20, 2))
    rates = cma.Rates.of(2, mueff)
    shape = cma.Shape(np.array([30.0, 20.0]), *np.empty((3, 2)), *np.empty((2, 2, 2)))
    cma.forget(shape)
    for generation in range(1, 120):
        unit = cma.units(box, sigma)
        cma.sample(shape, unit, rng.standard_normal((20, 2)), y)
        best = y[np.argsort(y[:, 0] ** 2 + 100.0 * y[:, 1] ** 2)[:10]]
        fading = (1.0 - rates.cs) ** (2.0 * generation)
        lesson = cma.Lesson(mueff, fading, 2.0 + 4.0 / 3.0, True, 100.0)
        sigma = cma.learn(shape, sigma, unit, rates, weights @ best, best, weights, lesson)
        assert cma.decompose(shape, 0.0)
    assert np.abs(shape.mean).max() < 1e-6
    order = np.argsort(shape.lengths)
    assert shape.lengths[order[1]] / shape.lengths[order[0]] == pytest.approx(10.0, rel=0.6)
    assert abs(shape.axes[order[1], 0]) > 0.95
    shape.c[:] = np.nan
    assert not cma.decompose(shape, 0.0)


def test_a_floor_under_the_lengths() -> None:
    """Squares 1 and 1e-20 with the floor 1e-14: the second is lifted, in C too."""
    c = np.diag([1.0, 1e-20])
    shape = cma.Shape(*np.zeros((4, 2)), c, np.empty((2, 2)))
    assert cma.decompose(shape, 1e-14)
    assert np.sort(shape.lengths) == pytest.approx([1e-7, 1.0])
    assert np.diag(c) == pytest.approx([1.0, 1e-14])
    c[1, 1] = -1.0
    assert not cma.decompose(shape, 0.0)


def test_normal_numbers_by_pairs() -> None:
    draw, rng = compiled(cma.draw), seed_state(3)
    rows = np.full((2000, 3), np.nan)
    for row in rows:
        draw(rng, row)
    for column in rows.T:
        assert stats.kstest(column, stats.norm.cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(rows.T) - np.eye(3)).max() < 0.1


# --- symmetric matrices ---------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 30, 41])
def test_eigenvectors(dim: int) -> None:
    """C = B' diag(d) B and B B' = I up to some hundred roundings; the eigenvalues are NumPy's."""
    rng = np.random.default_rng(dim)
    root = rng.standard_normal((dim, dim)) * 10.0 ** rng.uniform(-3.0, 3.0, dim)
    few = rng.standard_normal((max(1, dim // 3), dim))
    for c in (root @ root.T, few.T @ few, np.eye(dim), np.zeros((dim, dim)), np.ones((dim, dim))):
        squares, axes = np.empty(dim), np.empty((dim, dim))
        assert symmetric.decompose(c, squares, axes)
        small = 1e-13 * max(1.0, np.abs(c).max())
        assert np.abs(axes @ axes.T - np.eye(dim)).max() < 1e-13
        assert np.abs((axes.T * squares) @ axes - c).max() < 10.0 * small
        assert np.abs(np.sort(squares) - np.linalg.eigvalsh(c)).max() < 10.0 * small


def test_a_matrix_that_is_not_finite_has_no_eigenvectors() -> None:
    c = np.eye(3)
    c[0, 1] = np.inf
    assert not symmetric.decompose(c, np.empty(3), np.empty((3, 3)))


@pytest.mark.parametrize("n", [1, 4, 7])
def test_sums_of_squares_and_of_rows(n: int) -> None:
    rng = np.random.default_rng(n)
    rows, weights, c, out = rng.random((n, 3)), rng.random(n), np.ones((3, 3)), np.empty(3)
    compiled(symmetric.add_squares)(c, 2.0, weights, rows)
    assert c == pytest.approx(1.0 + 2.0 * (rows.T * weights) @ rows)
    compiled(symmetric.combine)(out, weights, rows)
    assert out == pytest.approx(weights @ rows)
