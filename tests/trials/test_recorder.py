"""The recorder of batches: compiled and plain scans see the same, whatever the results are."""

from dataclasses import replace

import numpy as np
import pytest

import de2ls
from de2ls.trials.recorder import Recorder
from tests.helpers import in_python


def some_results(rng: np.random.Generator, n: int, columns: int) -> np.ndarray:
    """Values on both sides of 0, many of them equal, a few without meaning."""
    out = np.round(rng.normal(size=(n, columns)), 1) * 10.0 ** rng.integers(-5, 2)
    strange = rng.random(out.shape) < 0.03
    out[strange] = rng.choice([np.nan, np.inf, -np.inf], strange.sum())
    return out


@pytest.mark.parametrize("excess", [False, True])
@pytest.mark.parametrize("number", [4, 6, 11])  # inequalities, equalities, both
def test_the_compiled_scan_equals_the_plain_one(number: int, excess: bool) -> None:
    problem = replace(de2ls.cec2017(number, 5, instance=1), excess=excess)
    rng = np.random.default_rng(number)
    recorders = [Recorder(each, 3000) for each in (problem, in_python(problem, lambda x, out: 0))]
    for each in recorders:
        each.n0 = 40
    while recorders[0].n < 3000:
        n = int(rng.integers(1, 130))
        X = rng.uniform(problem.lower, problem.upper, (n, 5))
        if rng.random() < 0.3:
            X[rng.integers(n), rng.integers(5)] = rng.choice([np.nan, 1e4, -1e4])
        assert recorders[0].all_inside(X) == recorders[1].all_inside(X)
        out = some_results(rng, n, 1 + problem.n_constraints)
        for one, other in zip(*(each.observe(X, out) for each in recorders), strict=True):
            assert np.array_equal(one, other)
        for name in Recorder.SCALARS:
            assert getattr(recorders[0], name) == getattr(recorders[1], name), name
        assert np.array_equal(recorders[0].best, recorders[1].best, equal_nan=True)
    assert recorders[0].n_invalid > 0
    assert np.isfinite(recorders[0].curve[-1, 2])
    assert np.array_equal(recorders[0].curve, recorders[1].curve, equal_nan=True)
