"""RDE26's own parts, by hand: sizes, the race and who wins it."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import de2ls
from de2ls.algorithms import rde26, resolve_config
from de2ls.engine.state import RIVAL, SEARCH
from tests.algorithms.puppet import NOT_BETTER, Puppet
from tests.helpers import compiled

FEASIBLE = [(float(i), 0.0) for i in range(299)]


def race(**config: Any) -> Puppet:
    """A trial of 12 feasible points, of which the best, slot 0 (elite of one), races."""
    puppet = Puppet("rde26", 12_000, n0=12, **config)
    puppet.begin([(float(i), 0.0) for i in range(12)])
    return puppet


def pair(puppet: Puppet) -> tuple[Any, Any]:
    """Go on to the next race and return the primary trial and its rival."""
    while True:
        u = puppet.must_ask()
        if u.info[0]["call"]:
            return u, puppet.must_ask(RIVAL)
        puppet.tell(u, NOT_BETTER, NOT_BETTER)


def test_parameters() -> None:
    assert resolve_config("rde26") == {
        "n0": None,
        "n0_per_dim": 9.98,
        "n_min": 4,
        "h": 11,
        "mcr": 0.94,
        "mf": 0.63,
        "learning_rate": 0.35,
        "sr": 0.5,
        "sr_exponent": 0.4,
        "f_sigma": 0.05,
        "cr_sigma": 0.09,
        "p_base": 0.5,
        "pressure": 13.98,
        "eps_factor": 0.8,
        "eps_cutoff": 0.75,
        "eb_start": 0.71,
        "eb_rate": 0.91,
        "p_eb": 0.4,
        "p_eb_slope": 0.35,
        "eb_gamma": 0.14,
        "eb_f": 0.43,
        "eb_cr": 0.63,
        "perturb_rate": 0.55,
        "perturb_scale": 0.3,
        "bound_mix": 0.21,
        "box": "repair",
        "race_elite": 0.08,
        "race_end": 0.76,
        "race_phi": 0.48,
        "race_delta": 1e-4,
        "race_cr_low": 0.26,
        "race_cr_high": 0.85,
        "race_sample": 0.27,
        "race_attraction": 0.62,
        "race_difference": 1.16,
        "race_draws": 7,
    }


def test_anchors_of_the_first_generation() -> None:
    """N0 = trunc(9.98 30) = 299; q = trunc(149.5); q2 = trunc(119.6 (1 - 0.35 299 / 600000))."""
    puppet = Puppet("rde26", 600_000, dim=30)
    puppet.begin(FEASIBLE)
    now = puppet.now
    assert (now["n0"], now["n_pop"], now["n_base"], now["n_eb"]) == (299, 299, 149, 119)
    assert now["eb_rate"] == 0.91
    assert now["f_mean"] == pytest.approx(0.5**0.4)
    assert puppet.state.memory["cr"].tolist() == [0.94] * 11
    assert puppet.state.memory["f"].tolist() == [0.63] * 11


def test_first_level_has_index_238() -> None:
    puppet = Puppet("rde26", 600_000, dim=30)
    violations = np.random.default_rng(1).permutation(299) / 7.0
    puppet.begin([(0.0, float(v)) for v in violations])
    assert puppet.now["eps"] == np.sort(violations)[238]


def test_elite_of_24_races() -> None:
    """t = trunc(0.08 299 + 0.5) = 24: the slots 0..23, whose objectives are the smallest."""
    puppet = Puppet("rde26", 600_000, dim=30)
    puppet.begin(FEASIBLE)
    raced, plain = set(), set()
    for _ in range(298):
        cand = puppet.must_ask()
        (raced if cand.info[0]["call"] else plain).add(int(cand.info[0]["slot"]))
        puppet.tell(cand, NOT_BETTER, NOT_BETTER)
        if cand.info[0]["call"]:
            puppet.tell(puppet.must_ask(RIVAL), NOT_BETTER, NOT_BETTER)
    assert raced <= set(range(24))
    assert len(raced) >= 8
    assert plain <= set(range(24, 299))
    assert puppet.now["n_pop"] == 299


def test_the_first_81_attract_the_rival() -> None:
    """t2 = trunc(0.27 299 + 0.5) = 81: the slots 0..80 but the target, here 3."""
    puppet = Puppet("rde26", 600_000, dim=30)
    puppet.begin(FEASIBLE)
    draw = compiled(rde26.rival_attractor)
    drawn = {draw(puppet.state, 3, -1) for _ in range(5000)}
    assert drawn == set(range(81)) - {3}


def test_rb_stands_in_where_every_draw_is_the_target() -> None:
    """A sample of one is the best slot, 0; for another target it is the attractor."""
    puppet = race(race_sample=0.0)
    draw = compiled(rde26.rival_attractor)
    assert draw(puppet.state, 0, 5) == 5
    assert draw(puppet.state, 1, 5) == 0


def test_an_attractor_has_seven_draws() -> None:
    """A sample of two, one of them the target: rB stands in with probability 2^-7."""
    puppet = race(race_sample=2 / 12)
    draw = compiled(rde26.rival_attractor)
    drawn = [draw(puppet.state, 0, 5) for _ in range(12_800)]
    assert set(drawn) == {1, 5}
    assert stats.binomtest(drawn.count(5), 12_800, 0.5**7).pvalue > 1e-6


def test_rival_by_hand() -> None:
    """Slot i of P and Q is i in every coordinate, the target 0: 0.62 F x + 1.16 F (rA - rC).

    x is one of the first trunc(0.27 12 + 0.5) = 3 of B, so 1 or 2; rA and rC are two of 1..11.
    """
    puppet = race(race_cr_low=1.0, race_cr_high=1.0)
    for _ in range(20):
        u, y = pair(puppet)
        F = float(u.info[0]["F"])
        assert (u.info[0]["slot"], y.info[0]["slot"], y.info[0]["CR"]) == (0, 0, 1.0)
        others = range(1, 12)
        rivals = [
            0.62 * F * x + 1.16 * F * (rA - rC)
            for x in (1, 2)
            for rA in others
            for rC in others
            if rA != rC
        ]
        assert len(set(y.x.tolist())) == 1
        assert np.abs(np.array(rivals) - y.x[0]).min() < 1e-12
        puppet.tell(u, NOT_BETTER, NOT_BETTER)
        puppet.tell(y, NOT_BETTER, NOT_BETTER)


@pytest.mark.parametrize(("mcr", "limited"), [(0.0, 0.26), (1.0, 0.85), (0.5, 0.5)])
def test_limits_of_the_rivals_crossover(mcr: float, limited: float) -> None:
    """Besides the forced one 49 coordinates cross with CR kept within [0.26, 0.85]."""
    puppet = Puppet("rde26", 12_000, dim=50, n0=12, mcr=mcr, cr_sigma=0.0, perturb_rate=0.0)
    puppet.begin([(float(i), 0.0) for i in range(12)])
    crossed = 0
    for _ in range(20):
        u, y = pair(puppet)
        crossed += round(50 * float(y.info[0]["CR"])) - 1
        puppet.tell(u, NOT_BETTER, NOT_BETTER)
        puppet.tell(y, NOT_BETTER, NOT_BETTER)
    assert stats.binomtest(crossed, 20 * 49, limited).pvalue > 1e-6


@pytest.mark.parametrize(
    ("feasible", "violation", "held"),
    [
        (6, 1e-3, True),  # 6 / 12 > 0.48
        (5, 1e-3, False),
        (5, 0.99e-4, True),  # a violation below delta counts as feasible
        (5, 1e-4, False),  # strictly below
    ],
)
def test_race_needs_a_feasible_share(feasible: int, violation: float, held: bool) -> None:
    puppet = Puppet("rde26", 12_000, n0=12)
    puppet.begin([(float(i), 0.0 if i < feasible else violation) for i in range(12)])
    calls = [cand.info[0]["call"] > 0 for cand in puppet_trials(puppet, 200)]
    assert any(calls) == held


def puppet_trials(puppet: Puppet, count: int) -> list[Any]:
    """Return trials asked without telling, so that the generation does not move on."""
    return [cand for cand in (puppet.ask() for _ in range(count)) if cand.info[0]["kind"] == SEARCH]


def test_no_race_late_nor_with_one_evaluation_left() -> None:
    late = race()
    late.now["n"] = 0.76 * 12_000
    assert not any(cand.info[0]["call"] for cand in puppet_trials(late, 100))
    last = race(race_end=1.0)
    last.now["n"] = 11_999
    assert not any(cand.info[0]["call"] for cand in puppet_trials(last, 100))
    early = race(race_end=1.0)
    early.now["n"] = 11_998
    assert any(cand.info[0]["call"] for cand in puppet_trials(early, 100))


@pytest.mark.parametrize("primary_first", [True, False])
@pytest.mark.parametrize(
    ("u", "y", "winner"),
    [
        ((-1.0, 0.0), (-2.0, 0.0), "y"),
        ((-2.0, 0.0), (-1.0, 0.0), "u"),
        ((-1.0, 0.0), (-1.0, 0.0), "y"),  # ties go to the rival
        ((-1.0, 0.0), (-9.0, 5.0), "u"),  # beyond the level only violation counts
        ((-1.0, 7.0), (-0.5, 5.0), "y"),
        ((-1.0, 0.0), (np.nan, 0.0), "u"),
        ((np.nan, 0.0), (-1.0, 0.0), "y"),
    ],
)
def test_who_wins(
    u: tuple[float, float], y: tuple[float, float], winner: str, primary_first: bool
) -> None:
    """The winner is judged against the target, whichever result comes first."""
    puppet = race()
    made = dict(zip("uy", pair(puppet), strict=True))
    points = {name: cand.x.copy() for name, cand in made.items()}
    values = {"u": u, "y": y}
    for name in "uy" if primary_first else "yu":
        puppet.tell(made[name], *values[name])
    now, state = puppet.now, puppet.state
    f, v = values[winner]
    assert state.slot["last"][0] == f
    assert now["n_success"] == (v == 0.0)  # the target, slot 0, has f = 0 and is feasible
    if v == 0.0:
        new = state.top[12]
        assert (new["f"], new["v"]) == (f, v)
        assert np.array_equal(state.x[new["row"]], points[winner])


def test_winner_is_credited_with_its_own_crossover_and_the_primary_f() -> None:
    puppet = race()
    u, y = pair(puppet)
    crossed = float(y.info[0]["CR"])
    assert y.info[0]["F"] == u.info[0]["F"]
    puppet.tell(u, -1.0, 0.0)
    puppet.tell(y, -2.0, 0.0)
    success = puppet.state.slot[0]
    assert (success["cr"], success["f"]) == (crossed, u.info[0]["F"])
    assert success["weight"] == 2.0  # the target's objective was 0


def test_a_race_counts_as_one_trial_and_two_evaluations() -> None:
    puppet = race()
    told, n = int(puppet.now["told"]), int(puppet.now["n"])
    u = puppet.must_ask()
    while not u.info[0]["call"]:
        puppet.tell(u, NOT_BETTER, NOT_BETTER)
        told, n = told + 1, n + 1
        u = puppet.must_ask()
    puppet.tell(u, NOT_BETTER, NOT_BETTER)
    assert (puppet.now["told"], puppet.now["n"]) == (told, n + 1)
    puppet.tell(puppet.must_ask(RIVAL), NOT_BETTER, NOT_BETTER)
    assert (puppet.now["told"], puppet.now["n"]) == (told + 1, n + 2)


def test_losers_reach_the_incumbent() -> None:
    """A rival within the level wins by its objective over a feasible trial: the record keeps that.

    Level: the violation of rank trunc(0.8 12 (1 - 0.001)^2) = 9 among six 0 and 1..6, which is 4.
    """
    puppet = Puppet("rde26", 12_000, n0=12)
    puppet.begin([(float(i), max(0.0, i - 5.0)) for i in range(12)])
    assert puppet.now["eps"] == 4.0
    u, y = pair(puppet)
    puppet.tell(u, -5.0, 0.0)
    puppet.tell(y, -10.0, 3.0)
    assert puppet.state.top[12]["f"] == -10.0
    assert (puppet.now["best_f"], puppet.now["best_cv"]) == (-5.0, 0.0)


def test_a_target_holds_one_race_at_a_time() -> None:
    puppet = race()
    u, y = pair(puppet)
    others = puppet_trials(puppet, 100)
    assert any(cand.info[0]["slot"] == u.info[0]["slot"] for cand in others)
    assert not any(cand.info[0]["call"] for cand in others)
    puppet.tell(u, NOT_BETTER, NOT_BETTER)
    puppet.tell(y, NOT_BETTER, NOT_BETTER)
    assert any(cand.info[0]["call"] for cand in puppet_trials(puppet, 100))


def test_rival_survives_a_generation_that_ends_meanwhile() -> None:
    """The position of a target may be gone when its rival is asked."""
    puppet = Puppet("rde26", 60, n0=12, race_end=1.0, race_elite=1.0)
    puppet.begin([(float(-i), 0.0) for i in range(12)])  # the best in the highest slot
    plain = []
    while not plain or not plain[-1].info[0]["call"] or plain[-1].info[0]["slot"] < 11:
        cand = puppet.ask()
        assert cand is not None
        plain.append(cand)
    u = plain.pop()
    for cand in plain:
        puppet.tell(cand, NOT_BETTER, NOT_BETTER)
    assert puppet.now["n_pop"] < 12
    y = puppet.must_ask(RIVAL)
    assert y.info[0]["slot"] == puppet.now["n_pop"] - 1
    puppet.tell(u, NOT_BETTER, NOT_BETTER)
    puppet.tell(y, -100.0, 0.0)
    assert puppet.now["best_f"] == -100.0


def test_sizes_without_a_race() -> None:
    """n = 598, 896, 1194 at the ends of the first generations of 299, 298, 298."""
    puppet = Puppet("rde26", 600_000, dim=30, race_end=0.0)
    puppet.begin(FEASIBLE)
    ends, sizes = [], []
    while len(ends) < 3:
        sizes.append(int(puppet.now["n_pop"]))
        puppet.fail(sizes[-1])
        assert puppet.now["told"] == 0
        ends.append(int(puppet.now["n"]))
    assert (sizes, ends) == ([299, 298, 298], [598, 896, 1194])


def test_races_take_place_on_the_suite() -> None:
    """With its first generations C01 is feasible almost everywhere: 8 % of the trials race."""
    record = de2ls.run_trial("rde26", de2ls.cec2017(1, 10, instance=1), 1, 20_000, trace=True)
    plain = de2ls.run_trial(
        "rde26", de2ls.cec2017(1, 10, instance=1), 1, 20_000, {"race_end": 0.0}, trace=True
    )
    assert record.n_evals == plain.n_evals == 20_000
    assert not np.array_equal(record.curve, plain.curve)
