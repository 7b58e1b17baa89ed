"""The baseline by hand, and that it optimises."""

import numpy as np
import pytest

import de2ls
from tests.algorithms.puppet import Puppet

SIX = [(float(i), 0.0) for i in range(6)]


def begun(**config: float) -> Puppet:
    puppet = Puppet("de-rand-1-bin", 1000, np=6, **config)
    puppet.begin(SIX)
    return puppet


def test_targets_take_turns_and_donors_differ() -> None:
    """With CR = 1 all coordinates are x_a + F (x_b - x_c); members are 0..5 in each."""
    puppet = begun(cr=1.0, f=0.5)
    for k in range(60):
        cand = puppet.must_ask()
        assert cand.info[0]["slot"] == k % 6
        assert len(set(cand.x.tolist())) == 1
        others = set(range(6)) - {k % 6}
        donors = {a + 0.5 * (b - c) for a in others for b in others - {a} for c in others - {a, b}}
        assert cand.x[0] in donors


def test_one_coordinate_is_always_crossed() -> None:
    puppet = begun(cr=0.0, f=0.7)
    for k in range(60):
        cand = puppet.must_ask()
        assert (cand.x != float(k % 6)).sum() == 1


def test_outside_becomes_the_midpoint_to_the_bound() -> None:
    """Member 0 far off: x_a + F (x_b - x_c) beyond 100 gives (x_i + 100) / 2."""
    puppet = begun(cr=1.0, f=2.0)
    puppet.state.x[:] = [[-90.0], [90.0], [-90.0], [90.0], [-90.0], [90.0]]
    seen = set()
    for k in range(200):
        x = float(puppet.must_ask().x[0])
        seen.add((puppet.state.x[k % 6, 0], x))
    assert (90.0, 95.0) in seen  # 90 + 2 (90 + 90) is outside, as is every donor but x_a itself
    assert (-90.0, 5.0) in seen
    assert {x for _, x in seen} == {95.0, 5.0, -95.0, -5.0, 90.0, -90.0}


@pytest.mark.parametrize(
    ("result", "taken"),
    [
        ((-1.0, 0.0), True),
        ((0.0, 0.0), True),  # a tie
        ((0.1, 0.0), False),
        ((-9.0, 0.1), False),  # infeasible
        ((np.nan, 0.0), False),
    ],
)
def test_feasibility_rule(result: tuple[float, float], taken: bool) -> None:
    puppet = begun()
    cand = puppet.must_ask()
    puppet.tell(cand, *result)
    member = puppet.state.top[0]
    assert (member["f"] == result[0]) == taken
    assert np.array_equal(puppet.state.x[0], cand.x if taken else np.zeros(3))


def test_it_waits_for_the_initial_population() -> None:
    puppet = Puppet("de-rand-1-bin", 1000, np=4)
    cands = [puppet.ask() for _ in range(5)]
    assert cands[4] is None
    for cand in cands[:4]:
        assert cand is not None
        assert puppet.now["phase"] == 1
        puppet.tell(cand, 1.0, 0.0)
    assert puppet.ask() is not None


def test_it_optimises() -> None:
    record = de2ls.run_trial("de-rand-1-bin", de2ls.cec2017(1, 5, instance=1), 1)
    assert record.feasible
    assert record.f < 1e-8
    assert (record.n_evals, record.stop) == (100_000, "budget")


def test_budget_must_hold_the_population() -> None:
    with pytest.raises(ValueError, match="max_evals must"):
        de2ls.run_trial("de-rand-1-bin", de2ls.cec2017(1, 5, instance=1), 1, 99)
