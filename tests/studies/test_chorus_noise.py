"""Disturbed problems, measured by their true values."""

import numpy as np
import pytest

from de2ls.problems import problem
from de2ls.problems.key import ProblemKey
from de2ls.studies import chorus_noise as study
from de2ls.studies.runs import Case, Run
from tests.studies.test_practitioners import columns

G6 = ProblemKey("cec2006", 6, 2)  # two inequalities
G11 = ProblemKey("cec2006", 11, 2)  # an equality
X = np.random.default_rng(2).uniform(1.0, 9.0, (400, 2))


def plain():
    """f = 3, one inequality of 4, one equality of 5 wherever one looks."""
    return problem(lambda x: (3.0, [4.0], [5.0]), [(0, 10)] * 2, n_ineq=1, n_eq=1)


def values(level, seed=1, points=X):
    seen = study.disturbed(plain(), level, seed)
    return np.array([np.concatenate([[e.f], e.g, e.h]) for e in map(seen.evaluate, points)])


@pytest.mark.parametrize("level", ["1e-9", "1e-6", "1e-3", "waves-1e-6", "waves-1e-3"])
def test_relative_noise_has_its_size_and_leaves_equalities(level):
    """400 draws know a deviation to 1 / sqrt(800) = 3.5 %; 20 % are over five times that."""
    out = values(level)
    deviation = (out[:, :2] / [3.0, 4.0]).std(axis=0)
    np.testing.assert_allclose(deviation, study.LEVELS[level].eps, rtol=0.2)
    assert (out[:, 2] == 5.0).all()


def test_noise_on_equalities_is_absolute():
    out = values("h")
    assert (out[:, :2] == [3.0, 4.0]).all()
    assert out[:, 2].std() == pytest.approx(1e-6, rel=0.2)


def test_undefined_values_are_a_tenth():
    lost = np.isnan(values("nan")).all(axis=1)
    assert 0.04 < lost.mean() < 0.16  # four deviations of sqrt(0.09 / 400)


def test_four_digits_are_left():
    seen = study.disturbed(problem(lambda x: 0.00123456 * x[0], [(1, 2)]), "digits", 1)
    assert seen.evaluate([1.0]).f == 0.001235


def test_waves_are_smooth_within_their_length():
    near, far = X[:1] + 1e-7, X[:1] + 1e-2  # a thousandth of 1e-5 of the box, and far outside
    here = values("waves-1e-3", points=X[:1])
    assert np.abs(values("waves-1e-3", points=near) - here).max() < 4 * 3e-5
    assert np.abs(values("waves-1e-3", points=far) - here).max() > 1e-4


def test_the_same_point_and_seed_give_the_same_values():
    assert (values("1e-3") == values("1e-3")).all()
    assert (values("1e-3")[:, :2] != values("1e-3", seed=2)[:, :2]).all()


def test_noise_on_equalities_needs_some():
    cases = study.noise_cases([G6, G11], ["1e-3", "h"], ["cobyla"], 1, [200])
    assert [(case.key, case.setting) for case in cases] == [
        (G6, "1e-3"),
        (G11, "1e-3"),
        (G11, "h"),
    ]


def test_a_run_counts_by_true_values():
    """Noise alone would lower the reported value of G6, about -6962, far below the true optimum."""
    run = study.noise_run(Case("cobyla", G6, 1, 100, "1e-3"), max_seconds=10.0)
    assert run.used == 200
    assert run.error(200) > -1e-6  # the optimum is a bound of true feasible values


def test_what_is_solved_depends_on_the_level(tmp_path):
    def run(level, seed, error):
        return Run(Case("cobyla", G6, seed, 200, level), np.array([[100.0, error]]), used=400)

    runs = [run(level, seed, 5e-3) for level in ("1e-6", "1e-3") for seed in (1, 2)]
    table = study.noise_table(runs, 200)
    # 10 eps + 1e-4 is 1.1e-4 and 0.0101
    assert columns(table, "COBYLA multi-start") == [("0 / 1",), ("1 / 1",)]
    study.write_noise_page(runs, [200], tmp_path, "a command", 60.0)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    for part in ("a command", "2 seeds", "10 eps", "1e-3, relative, on f and g", "60 s"):
        assert part in text
