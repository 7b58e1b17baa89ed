"""CL-SRDE by hand: its parameters, its plain steps, and ties on plateaus."""

import numpy as np

import de2ls
from de2ls.algorithms import resolve_config
from tests.algorithms.puppet import Puppet


def test_parameters() -> None:
    config = resolve_config("cl-srde")
    expected = {
        "n0_per_dim": 20.0,
        "n_min": 4,
        "h": 5,
        "mcr": 1.0,
        "learning_rate": 0.5,
        "sr": 0.5,
        "sr_exponent": 1 / 3,
        "f_sigma": 0.05,
        "cr_sigma": 0.1,
        "p_base": 0.3,
        "pressure": 7.0,
        "eps_factor": 0.8,
        "eps_cutoff": 0.8,
        "eb_start": 2.0,
        "perturb_rate": 0.0,
        "bound_mix": 0.5,
        "box": "repair",
    }
    assert {name: config[name] for name in expected} == expected


def test_it_is_rdex_with_three_parameters_changed() -> None:
    problem = de2ls.cec2017(4, 5, instance=1)
    changed = {"n0_per_dim": 20.0, "eb_start": 2.0, "perturb_rate": 0.0}
    one = de2ls.run_trial("cl-srde", problem, 3, 5000)
    other = de2ls.run_trial("rdex", problem, 3, 5000, changed)
    assert np.array_equal(one.curve, other.curve, equal_nan=True)
    assert np.array_equal(one.x, other.x)


def test_coordinates_are_crossed_or_stay_to_the_very_end() -> None:
    """No EB step and no perturbation: with CR = 0 exactly one coordinate moves, also late."""
    puppet = Puppet("cl-srde", 12_000, dim=5, n0=12, mcr=0.0, cr_sigma=0.0)
    puppet.begin([(float(i), 0.0) for i in range(12)])
    puppet.now["n"] = 11_500
    for _ in range(50):
        cand = puppet.must_ask()
        info = cand.info[0]
        assert info["flag"] == 0
        assert (cand.x != float(info["slot"])).sum() <= 1
        assert info["CR"] == 0.2


def test_ties_let_new_successes_into_the_top_population() -> None:
    """On a plateau (equal objective and violation) every success displaces an old member."""
    puppet = Puppet("cl-srde", 600_000, n0=12)
    puppet.begin([(1.0, 5.0)] * 12)
    state, now = puppet.state, puppet.now
    for k in range(12):
        puppet.tell(puppet.must_ask(), 1.0, 5.0 if k < 4 else 9.0)  # four ties, eight failures
        assert now["told"] == (k + 1) % 12
    rows = state.top["row"][: now["n_pop"]]
    initial = [float(i) for i in range(12)]
    survivors = [x for x in state.x[rows, 0].tolist() if x in initial]
    assert now["n_pop"] == 11
    assert len(survivors) == 11 - 4
    assert survivors == initial[:4:-1]  # among equals the higher positions stay
    assert state.memory["cr"][0] == (1.0 + 1.0) / 2  # gains of 0: the mean is 1
    assert state.memory["f"][0] == (0.3 + 1.0) / 2
    assert now["sr"] == 4 / 12
