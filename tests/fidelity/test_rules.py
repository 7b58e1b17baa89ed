"""The comparison itself: it must accept equal distributions and reject different ones."""

import numpy as np
import pytest

from tests.fidelity.rules import Verdict, compare, p_value, ranks


def sample(min_ev: list[float], lcv: list[float]) -> np.ndarray:
    return np.stack([min_ev, lcv], axis=1).astype(float)


def test_feasible_runs_stand_before_infeasible_ones() -> None:
    ours = sample([3.0, np.nan, 1.0], [0.0, 2.0, 0.0])
    theirs = sample([np.nan, 2.0], [1.0, 0.0])
    mine, others = ranks(ours, theirs)
    # order: 1.0, 2.0, 3.0 feasible, then violations 1.0, 2.0
    assert mine.tolist() == [2, 4, 0]
    assert others.tolist() == [3, 1]


def test_values_below_the_rounding_are_equal() -> None:
    ours = sample([1e-9, -4e-9, 9e-9, -9e-9, 1e-8, 5.0 + 1e-10], [0.0] * 6)
    theirs = sample([0.0, 5.0], [0.0, 0.0])
    mine, others = ranks(ours, theirs)
    # below 1e-8 all are 0, before they are rounded: 9e-9 does not become 1e-8
    assert mine.tolist() == [0, 0, 0, 0, 1, 2]
    assert others.tolist() == [0, 2]


def test_separated_samples_have_the_exact_p_value() -> None:
    low = sample([1, 2, 3], [0, 0, 0])
    high = sample([4, 5, 6], [0, 0, 0])
    # 2 of the 20 arrangements of 3 + 3 runs separate them completely
    assert p_value(low, high) == pytest.approx(2 / 20)


def test_a_shifted_distribution_is_rejected_and_an_equal_one_is_not() -> None:
    rng = np.random.default_rng(5)
    shape = (28, 25, 5)
    lcv = np.zeros(shape)
    reference = np.stack([rng.normal(size=shape), lcv], axis=-1)
    same = np.stack([rng.normal(size=shape), lcv], axis=-1)
    shifted = np.stack([rng.normal(2.0, 1.0, size=shape), lcv], axis=-1)
    assert compare(same, reference).passes
    assert not compare(shifted, reference).passes


def test_both_rules_decide() -> None:
    assert Verdict(np.full((28, 5), 0.5)).passes
    one_tiny = np.full((28, 5), 0.5)
    one_tiny[3, 2] = 9e-5
    assert not Verdict(one_tiny).passes
    many_small = np.full((28, 5), 0.5)
    many_small[:3, :4] = 0.04  # 12 of 140: more than 8 %
    assert not Verdict(many_small).passes
