"""The G suite: values worked out by hand, and agreement with pymoo's definitions."""

import numpy as np
import pytest

from de2ls.suites.cec2006 import CEC2006, DEFINITIONS, cec2006


def test_g1_at_its_optimum():
    f, g, _ = cec2006(1).evaluate([1] * 9 + [3] * 3 + [1])
    assert f == -15
    assert g.tolist() == [0, 0, 0, -5, -5, -5, 0, 0, 0]


def test_g11_at_its_exact_optimum():
    f, _, h = cec2006(11).evaluate([np.sqrt(0.5), 0.5])
    assert f == pytest.approx(0.75, abs=1e-15)
    assert h[0] == pytest.approx(0.0, abs=1e-15)


def test_g12_measures_the_nearest_ball():
    assert cec2006(12).evaluate([5, 5, 5])[:2] == (-1.0, [-0.0625])
    # (0.2, 9.8, 4.4) is nearest to (1, 9, 4): 0.64 + 0.64 + 0.16
    assert cec2006(12).evaluate([0.2, 9.8, 4.4]).g[0] == pytest.approx(1.44 - 0.0625)


def test_g24_at_a_corner():
    f, g, _ = cec2006(24).evaluate([1.0, 2.0])
    assert f == -3
    assert g.tolist() == [-2 + 8 - 8 + 2 - 2, -4 + 32 - 88 + 96 + 2 - 36]


@pytest.mark.parametrize("k", [0, 20, 25])
def test_numbers_without_a_problem(k):
    with pytest.raises(ValueError, match="k must"):
        cec2006(k)


@pytest.mark.parametrize("k", DEFINITIONS)
def test_agrees_with_pymoo(k):
    get_problem = pytest.importorskip("pymoo.problems", reason="needs pymoo").get_problem
    ours, theirs = cec2006(k), get_problem(f"g{k}")
    np.testing.assert_array_equal(ours.lower, theirs.xl)
    np.testing.assert_array_equal(ours.upper, theirs.xu)
    X = np.random.default_rng(k).uniform(ours.lower, ours.upper, (100, ours.dim))
    F, G, H = ours.evaluate_many(X)
    values = theirs.evaluate(X, return_as_dictionary=True)
    if k == 11:  # an inequality there
        G, H = H, G
    np.testing.assert_allclose(F, values["F"][:, 0], rtol=1e-12)
    for mine, name in ((G, "G"), (H, "H")):
        expected = values.get(name, np.empty((100, 0)))
        assert mine.shape == expected.shape
        assert (np.abs(mine - expected) <= 1e-12 * np.abs(expected).max(axis=0, initial=1)).all()


@pytest.mark.parametrize("key", CEC2006.problems(), ids=str)
def test_the_group_by_feasible_region_agrees_with_a_sample(key):
    problem = CEC2006.load(key)
    X = np.random.default_rng(1).uniform(problem.lower, problem.upper, (100_000, problem.dim))
    _, G, H = problem.evaluate_many(X)
    share = "above" if problem.is_feasible(G, H).mean() > 0.01 else "below"
    assert f"{share} 1 % feasible" in CEC2006.tags(key)


def test_optima_inside_and_on_the_constraints():
    inside, active = [CEC2006.load(CEC2006.problems()[k - 1]) for k in (8, 1)]
    assert (inside.evaluate([1.22797, 4.24537]).g < -0.1).all()
    assert (active.evaluate([1] * 9 + [3] * 3 + [1]).g == 0).any()
    groups = CEC2006.groups(CEC2006.problems())
    assert [key.label for key in groups["optimum inside"]] == ["G8", "G12"]
    assert len(groups["with equalities"]) == 10
