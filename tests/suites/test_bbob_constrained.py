"""COCO's constrained suite: what the table says against COCO's own answers."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from de2ls.suites.bbob_constrained import BBOB_CONSTRAINED as SUITE
from de2ls.suites.registry import load

cocoex = pytest.importorskip("cocoex", reason="needs the extra coco")


@pytest.mark.parametrize("dim", [2, 3, 10, 40])
def test_numbers_of_constraints_are_those_of_coco(dim):
    for key in SUITE.problems(dim=dim):
        problem = load(key)
        assert (problem.dim, problem.n_ineq, problem.n_eq) == (dim, *SUITE.facts(key)[1:])
        assert problem.key == key


def test_a_problem_is_the_one_of_its_instance():
    key = SUITE.problems(dim=5, instance="1,3")[54 + 9]
    assert (key.label, key.dim) == ("f10_i3", 5)
    theirs = cocoex.Suite("bbob-constrained", "", "dimensions: 5 function_indices: 10")
    other = theirs.get_problem_by_function_dimension_instance(10, 5, 3)
    x = np.linspace(-2, 3, 5)
    f, g, _ = load(key).evaluate(x)
    assert f == other(x)
    np.testing.assert_array_equal(g, other.constraint(x))


def mixed_difference(problem):
    """Return how much two coordinates act together, relative to what each does alone."""
    at = np.random.default_rng(0).uniform(-3, 3, problem.dim)
    steps = 0.7 * np.eye(problem.dim)
    found = []
    for a, b in itertools.combinations(steps, 2):
        F = problem.evaluate_many([at, at + a, at + b, at + a + b]).f
        found.append(abs(F[3] - F[1] - F[2] + F[0]) / (abs(F[1] - F[0]) + abs(F[2] - F[0])))
    return max(found)


def test_the_group_of_separable_objectives():
    keys = SUITE.problems(dim=5)
    groups = SUITE.groups(keys)
    assert len(groups["separable"]) == 24
    for key in keys[::6]:
        assert (mixed_difference(load(key)) < 1e-9) == (key in groups["separable"])
    assert [key.label for key in groups["6 + 3 D active"]] == [f"f{6 * i}_i1" for i in range(1, 10)]


@pytest.mark.parametrize("settings", [{"dim": 7}, {"instance": 0}])
def test_what_the_suite_lacks(settings):
    with pytest.raises(ValueError, match=f"{next(iter(settings))} must be"):
        SUITE.problems(**settings)


def test_without_coco_the_extra_is_named():
    code = (
        "import sys; sys.modules['cocoex'] = None; import de2ls;"
        "suite = de2ls.suite('bbob-constrained'); keys = suite.problems(); assert len(keys) == 54\n"
        "try: suite.load(keys[0])\n"
        "except ImportError as error: assert 'de2ls[coco]' in str(error)\n"
        "else: raise AssertionError"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
