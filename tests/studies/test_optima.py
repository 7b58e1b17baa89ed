"""What errors are measured from."""

import numpy as np
import pytest

from de2ls.problems.key import ProblemKey
from de2ls.studies.optima import best_value, is_known
from de2ls.suites.registry import get_suite


def test_suites_say_their_best_values():
    assert best_value(ProblemKey("cec2006", 8, 2)) == pytest.approx(-0.0958250414180359)
    unknown = get_suite("cec2017").problems(dim=10, instance=1)[16]  # C17 has no feasible point
    assert not is_known(unknown)
    assert np.isnan(best_value(unknown))


def test_no_feasible_point_is_below_the_optimum_of_coco(tmp_path, monkeypatch):
    pytest.importorskip("cocoex")
    monkeypatch.chdir(tmp_path)
    suite = get_suite("bbob-constrained")
    rng = np.random.default_rng(1)
    for instance in (1, 2):
        key = suite.problems(dim=2, instance=instance)[0]  # a sphere with one constraint
        assert is_known(key)
        problem, best = suite.load(key), best_value(key)
        X = rng.uniform(problem.lower, problem.upper, (4000, 2))
        values = [problem.evaluate(x) for x in X]
        least = min(v.f for v in values if problem.is_feasible(v.g, v.h))
        assert best <= least < best + 3.0  # about 20 points per unit of area, slopes of about 10
    assert not list(tmp_path.iterdir())
