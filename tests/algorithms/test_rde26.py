"""RDE26's own parts, by hand: sizes, the race and who wins it."""

from typing import Any

import numpy as np
import pytest

import de2ls
from de2ls.engine.state import RIVAL, SEARCH
from tests.algorithms.puppet import NOT_BETTER, Puppet

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
