"""RDEx-CASK's own parts, by hand: sizes, archive, counters, reported best, smoothed EB rate."""

import numpy as np
import pytest

from de2ls.algorithms import rdex_cask, resolve_config
from tests.algorithms.puppet import NOT_BETTER, Puppet
from tests.helpers import compiled

TWELVE = [(float(i), 0.0) for i in range(12)]


def begun(values: list[tuple[float, ...]] = TWELVE, T: int = 12_000) -> Puppet:
    puppet = Puppet("rdex-cask", T, n0=len(values), stagnation=3)
    puppet.begin(values)
    return puppet


def archive(puppet: Puppet) -> list[float]:
    """First coordinates of the archived vectors, in the order of their cells."""
    first = 3 * puppet.now["n0"]
    return puppet.state.x[first : first + puppet.now["n_archive"], 0].tolist()


def reported(puppet: Puppet) -> tuple[float, float]:
    return float(puppet.now["reported_f"]), float(puppet.now["reported_v"])


# --- parameters and sizes ------------------------------------------------------------------------


def test_parameters() -> None:
    """What the specification lists; the rest is RDEx's."""
    own = {
        "h": 10,
        "sr_exponent": 0.4,
        "eb_rate": 0.5,
        "perturb_rate": 0.0,
        "f2_gamma": 0.1,
        "archive": 50,
        "stagnation": 180,
        "kick_archive": 0.65,
        "kick_sr": 0.1,
        "kick_cr": 0.95,
        "stray_kicks": 0.0,
        "eb_learning": 0.3,
        "eb_return": 0.1,
    }
    assert resolve_config("rdex-cask") == resolve_config("rdex") | own


def test_anchors_of_the_first_generations() -> None:
    """N0 = 300: sizes 300, 299 (5 times), 298; n = 600, 899, 1198, 1497, 1796, 2095 at the ends."""
    puppet = Puppet("rdex-cask", 600_000, dim=30)
    puppet.begin([(float(i), 0.0) for i in range(300)])
    now, sizes, ends = puppet.now, [], []
    assert (now["n_base"], now["n_eb"]) == (90, 50)  # 0.3 300; 51 (1 - 0.5 300 / 600000) = 50.99
    assert now["f_mean"] == pytest.approx(0.5**0.4)
    assert now["eb_rate"] == 0.5
    assert (puppet.state.memory["cr"].tolist(), puppet.state.memory["f"].tolist()) == (
        [1.0] * 10,
        [0.3] * 10,
    )
    for _ in range(6):
        sizes.append(int(now["n_pop"]))
        puppet.fail(sizes[-1])
        ends.append(int(now["n"]))
    sizes.append(int(now["n_pop"]))
    assert sizes == [300, 299, 299, 299, 299, 299, 298]
    assert ends == [600, 899, 1198, 1497, 1796, 2095]


def test_first_level_has_index_239() -> None:
    puppet = Puppet("rdex-cask", 600_000, dim=30)
    violations = np.random.default_rng(1).permutation(300) / 7.0
    puppet.begin([(0.0, float(v)) for v in violations])
    assert puppet.now["eps"] == np.sort(violations)[239]


# --- archive -------------------------------------------------------------------------------------


def test_archive_takes_what_a_success_overwrites() -> None:
    puppet = begun()
    assert puppet.now["n_archive"] == 0
    for expected in ([0.0], [0.0, 1.0], [0.0, 1.0, 2.0]):  # the pointer's slots in turn
        puppet.tell(puppet.must_ask(), -1.0, 0.0)
        assert archive(puppet) == expected


def test_archive_refuses_members_beyond_the_level() -> None:
    """Level of rank 9 among the violations 11, 10, ..., 0: 9."""
    puppet = begun([(float(i), 11.0 - i) for i in range(12)])
    assert puppet.now["eps"] == 9.0
    for expected in ([], [], [2.0], [2.0, 3.0]):  # slots 0 and 1 violate by 11 and 10
        puppet.tell(puppet.must_ask(), -1.0, 0.0)
        assert archive(puppet) == expected


def test_archive_is_cyclic() -> None:
    puppet = Puppet("rdex-cask", 12_000, n0=12, archive=3)
    puppet.begin(TWELVE)
    for _ in range(5):
        puppet.tell(puppet.must_ask(), -1.0, 0.0)
    assert archive(puppet) == [3.0, 4.0, 2.0]
    assert (puppet.now["n_archive"], puppet.now["archive_next"]) == (3, 2)


@pytest.mark.parametrize(
    ("n_archive", "N", "stagnates", "share"),
    [
        (50, 300, False, 50 / 350),
        (50, 150, False, 0.25),
        (50, 33, False, 50 / 83),
        (50, 4, False, 50 / 54),
        (50, 300, True, 0.65),
        (50, 4, True, 50 / 54),
        (0, 300, True, 0.0),
    ],
)
def test_share_of_the_archive(n_archive: int, N: int, stagnates: bool, share: float) -> None:
    """5000 draws within 4.5 standard errors of the share (a chance of 7e-6 to err)."""
    puppet = Puppet("rdex-cask", 600_000, dim=30, seed=5)
    puppet.now["n_archive"], puppet.now["n_pop"] = n_archive, N
    uses = compiled(rdex_cask.uses_archive)
    found = np.mean([uses(puppet.state, stagnates) for _ in range(5000)])
    assert found == pytest.approx(share, abs=4.5 * np.sqrt(share * (1 - share) / 5000))


# --- the donor -----------------------------------------------------------------------------------


def one_point(**config: float) -> Puppet:
    """P and Q in the point 50, the archive's one vector is 40, the reported best -70.

    F = mF = 1 and F2 = 1 without spread; CR = 1.
    """
    puppet = Puppet(
        "rdex-cask", 12_000, n0=12, f_sigma=0.0, f2_gamma=0.0, sr=1.0, cr_sigma=0.0, **config
    )
    puppet.begin(TWELVE)
    puppet.state.x[: 3 * 12] = 50.0
    puppet.state.x[3 * 12] = 40.0
    puppet.state.x[3 * 12 + 50] = -70.0
    puppet.now["n_archive"] = 1
    return puppet


@pytest.mark.parametrize(
    ("fails", "expected"),
    [
        (0, {50.0, 60.0}),  # 50 + (50 - 50) + (50 - z), z = 50 or 40
        (180, {-60.0}),  # 50 + (-70 - 50) + (50 - 40): the kick, here always with the archive
    ],
)
def test_donor_by_hand(fails: int, expected: set[float]) -> None:
    puppet = one_point(kick_archive=1.0)
    puppet.state.slot["fails"] = fails
    assert {x for _ in range(200) for x in puppet.must_ask().x.tolist()} == expected


def test_f2_scales_the_difference_alone() -> None:
    """F = 1 moves to the reported best; F2 is another draw, spread over [0, 1], and not noted."""
    puppet = one_point(kick_archive=1.0)
    puppet.state.cfg[0]["f2_gamma"] = 0.1
    puppet.state.slot["fails"] = 180
    cands = [puppet.must_ask() for _ in range(200)]
    assert {float(cand.info[0]["F"]) for cand in cands} == {1.0}
    F2 = np.array([(cand.x[0] + 70.0) / 10.0 for cand in cands])
    assert ((F2 >= 0.0) & (F2 <= 1.0)).all()
    assert len(set(F2.tolist())) == 200


def test_eb_steps_know_neither_archive_nor_kick() -> None:
    puppet = one_point()
    puppet.state.slot["fails"] = 180
    puppet.now["n"], puppet.now["eb_rate"] = 10_800, 1.0
    for _ in range(50):
        cand = puppet.must_ask()
        assert cand.info[0]["flag"] == 1
        assert cand.x.tolist() == [50.0] * 3


# --- counters ------------------------------------------------------------------------------------


def test_failures_count_and_a_success_resets_its_target() -> None:
    puppet = begun()
    fails = puppet.state.slot["fails"]
    counts = np.zeros(12, int)
    for cand in puppet.fail(6):
        counts[cand.info[0]["slot"]] += 1
    assert fails[:12].tolist() == counts.tolist()
    fails[:12] = 7
    cand = puppet.must_ask()
    puppet.tell(cand, -1.0, 0.0)
    expected = [7] * 12
    expected[cand.info[0]["slot"]] = 0  # not the slot that was overwritten
    assert fails[:12].tolist() == expected


def test_counters_shift_with_the_front() -> None:
    """T = 36: after the first 12 trials N = trunc(12 - 8 24 / 36) = 6; the worst six, slots 6..11,
    go. Without a success there is no permutation; the dropped cells keep what they held."""
    puppet = begun(T=36)
    slot = puppet.state.slot
    puppet.fail(11)
    slot["fails"][:12] = np.arange(100, 112)
    (last,) = puppet.fail(1)
    assert puppet.now["n_pop"] == 6
    expected = np.arange(100, 106)
    if last.info[0]["slot"] < 6:
        expected[last.info[0]["slot"]] += 1
    assert slot["fails"][:6].tolist() == expected.tolist()


def test_a_gap_in_the_front_moves_the_counters_behind_it() -> None:
    """One slot goes, the worst, which is slot 3; the last cell keeps its value."""
    values = [(float(i) if i != 3 else 99.0, 0.0) for i in range(12)]
    puppet = begun(values, T=96)  # N = trunc(12 - 8 24 / 96) = 10: slots 3 and 11 go
    puppet.fail(11)
    puppet.state.slot["fails"][:12] = np.arange(100, 112)
    (last,) = puppet.fail(1)
    counters = list(range(100, 112))
    counters[last.info[0]["slot"]] += 1
    del counters[11], counters[3]
    assert puppet.now["n_pop"] == 10
    assert puppet.state.slot["fails"][:10].tolist() == counters


def test_counters_follow_the_order_of_the_pool() -> None:
    """Three successes are better than all of P: positions 14, 13, 12 of the pool come first.

    These lie beyond the 12 counters and bring 0; then follow the counters of the positions 0..7,
    which P's order leaves in place. N falls to 11: slot 11 goes, nothing moves.
    """
    puppet = begun(T=600_000)
    for _ in range(3):
        puppet.tell(puppet.must_ask(), -1.0, 0.0)
    puppet.fail(8)
    puppet.state.slot["fails"][:12] = np.arange(100, 112)
    (last,) = puppet.fail(1)
    before = list(range(100, 112))
    before[last.info[0]["slot"]] += 1
    assert puppet.now["n_pop"] == 11
    assert puppet.state.slot["fails"][:11].tolist() == [0, 0, 0, *before[:8]]


def test_stagnating_slots_are_kicked_toward_the_reported_best() -> None:
    """With F = 1 and no difference between the parents a kicked trial goes there itself."""
    puppet = Puppet("rdex-cask", 600_000, n0=12, f_sigma=0.0, sr=1.0)
    puppet.begin(TWELVE)
    state = puppet.state
    state.x[: 3 * 12] = 50.0  # P and Q in one point
    state.x[3 * 12 + 50] = -70.0
    state.slot["fails"][:6] = 180
    state.slot["fails"][6:] = 179
    kicked = 0
    for _ in range(60):
        cand = puppet.must_ask()
        moved = cand.x[cand.x != 50.0]
        if cand.info[0]["slot"] < 6:
            assert moved.tolist() == [-70.0] * max(1, len(moved))
            kicked += 1
        else:
            assert len(moved) == 0
    assert kicked >= 10


@pytest.mark.parametrize(("sr", "raised"), [(0.05, True), (0.1, False)])
def test_a_kick_raises_cr_while_successes_are_rare(sr: float, raised: bool) -> None:
    """CR is clipped to 0 by the memory; a raised one, 0.95, crosses about 38 of 40 coordinates."""
    puppet = Puppet("rdex-cask", 600_000, dim=40, n0=12, sr=sr, mcr=0.0, cr_sigma=0.0)
    puppet.begin(TWELVE)
    puppet.state.slot["fails"][:6] = 180
    for _ in range(60):
        info = puppet.must_ask().info[0]
        if raised and info["slot"] < 6:
            assert info["CR"] > 0.7
        else:
            assert info["CR"] == 1 / 40  # the forced coordinate alone


# --- the reported best ---------------------------------------------------------------------------


def test_reported_best_by_its_flawed_rule() -> None:
    puppet = Puppet("rdex-cask", 12_000, n0=12)
    told = [
        ((5.0, 3.0), (5.0, 3.0)),  # the first
        ((9.0, 2.0), (9.0, 2.0)),  # less violation
        ((1.0, 2.5), (9.0, 2.0)),  # more violation
        ((8.0, 2.0), (8.0, 2.0)),  # equal violation replaces
        ((8.5, 0.0), (8.0, 2.0)),  # feasible, but not better in f: the flaw
        ((7.0, 1.0), (7.0, 1.0)),
        ((7.0, 0.0), (7.0, 0.0)),  # feasible with equal f
        ((6.0, 0.5), (7.0, 0.0)),
        ((7.5, 0.0), (7.0, 0.0)),
        ((np.nan, 0.0), (7.0, 0.0)),
        ((6.5, 0.0), (6.5, 0.0)),
        ((6.6, 0.0), (6.5, 0.0)),
    ]
    for i, (values, expected) in enumerate(told):
        puppet.begin([values])
        assert reported(puppet) == expected, i
    assert puppet.now["best_f"] == 6.5


def test_incumbent_is_the_feasible_point_that_the_rule_misses() -> None:
    puppet = Puppet("rdex-cask", 12_000, n0=12)
    puppet.begin([(1.0, 2.0), (5.0, 0.0)])
    assert reported(puppet) == (1.0, 2.0)
    assert (puppet.now["best_f"], puppet.now["best_cv"]) == (5.0, 0.0)


# --- EB rate -------------------------------------------------------------------------------------


def test_eb_rate_is_smoothed() -> None:
    """Gains 3 (EB) and 1 (base): 0.7 0.5 + 0.3 0.75; without credit 0.9 of it + 0.1 0.5."""
    puppet = begun()
    slot, now = puppet.state.slot, puppet.now
    slot["start"][:12] = 10.0
    slot["last"][:12] = [7.0, 9.0, *[11.0] * 10]
    slot["flag"][:12] = [1, 0, *[1] * 10]
    adapt = compiled(rdex_cask.adapt_eb_rate)
    adapt(puppet.state)
    assert now["eb_rate"] == pytest.approx(0.575, rel=1e-15)
    slot["flag"][0] = 0
    adapt(puppet.state)
    assert now["eb_rate"] == pytest.approx(0.9 * 0.575 + 0.05, rel=1e-15)


def test_eb_rate_survives_gains_beyond_all_numbers() -> None:
    """A gain of 2e308 overflows: it is no credit, and the rate stays a number."""
    puppet = begun()
    slot = puppet.state.slot
    slot["start"][:12], slot["last"][:12] = 1e308, [-1e308, 0.0, *[np.inf] * 10]
    slot["flag"][:2] = [1, 0]
    puppet.now["eb_rate"] = 0.8
    compiled(rdex_cask.adapt_eb_rate)(puppet.state)
    assert puppet.now["eb_rate"] == pytest.approx(0.9 * 0.8 + 0.1 * 0.5, rel=1e-15)


def test_stray_kicks_only_if_asked_for() -> None:
    """By default no trial is kicked before its slot stagnates; with a rate of 1 every early one."""
    for rate, n, share in ((0.0, 100, 0.0), (1.0, 100, 1.0), (1.0, 3000, 0.0)):
        puppet = Puppet("rdex-cask", 12_000, n0=12, stray_kicks=rate)
        puppet.now["n"] = n
        stray = compiled(rdex_cask.is_stray)
        assert np.mean([stray(puppet.state) for _ in range(50)]) == share


def test_a_trial_without_value_is_a_failure() -> None:
    puppet = begun()
    cand = puppet.must_ask()
    puppet.tell(cand, np.nan, NOT_BETTER)
    assert puppet.state.slot["fails"][cand.info[0]["slot"]] == 1
    assert puppet.now["n_success"] == 0
