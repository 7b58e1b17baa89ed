import base64
import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from de2ls.reports.curves import best_value, columns, packed, page_curves, quartiles, steps
from de2ls.scores import Collection


def test_quartiles_are_values_of_trials_and_unknown_ones_come_last():
    curves = np.array([[np.nan, 5.0], [np.nan, 1.0], [7.0, 2.0], [np.nan, 3.0], [np.nan, 4.0]])
    low, median, high = quartiles(curves)
    assert low.tolist() == [np.inf, 2.0]
    assert median.tolist() == [np.inf, 3.0]
    assert high.tolist() == [np.inf, 4.0]
    assert quartiles(curves[2:3]).tolist() == [[7.0, 2.0]] * 3


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_quartiles_keep_their_order_and_shares(trials, seed):
    curves = np.random.default_rng(seed).normal(size=(trials, 3))
    low, median, high = quartiles(curves)
    assert (low <= median).all()
    assert (median <= high).all()
    # Half of the trials lie at the median or below, up to the one trial that it is.
    below = (curves <= median).sum(axis=0)
    assert (abs(below - (trials + 1) / 2) <= 1).all()


def expanded(step_curve, samples):
    """Return the curve that a page draws from positions and values."""
    positions, values = step_curve
    curve = np.full(samples, np.nan)
    for position, value in zip(positions, values, strict=True):
        curve[position:] = np.inf if value is None else value
    return curve


@given(st.lists(st.one_of(st.floats(1e-8, 1e12), st.just(0.0), st.just(np.inf)), min_size=1))
def test_steps_keep_four_digits_of_every_value(values):
    curve = np.array(values)
    drawn = expanded(steps(curve), len(curve))
    infinite = np.isinf(curve)
    assert (np.isinf(drawn) == infinite).all()
    np.testing.assert_allclose(drawn[~infinite], curve[~infinite], rtol=5.001e-4)


def test_steps_hold_only_changes():
    assert steps(np.array([np.nan, 3.0, 3.0, 3.0, 0.0])) == [[0, 1, 4], [None, 3, 0]]


@pytest.mark.filterwarnings("error")
def test_steps_at_the_ends_of_the_range_of_numbers():
    """The smallest floats have fewer digits, and 0 is what is left of the very smallest."""
    curve = np.array([1.79e308, 1.23456e300, 1.23456e-300, 1.23456e-307, 2.3e-308, 5e-324])
    places, values = steps(curve)
    assert places == [0, 1, 2, 3, 4, 5]
    rounded = [1.79e308, 1.235e300, 1.235e-300, 1.2e-307, 2e-308, 0.0]
    assert values == pytest.approx(rounded, rel=1e-12, abs=0.0)


def test_a_page_shows_first_and_last_sample_and_the_early_ones():
    assert columns(41).tolist() == list(range(41))
    shown = columns(2001)
    assert (shown[0], shown[-1]) == (0, 2000)
    assert set(range(10)) <= set(shown.tolist())
    assert len(shown) < 400
    assert max(np.diff(shown)) <= 7


def test_the_best_value_is_that_of_feasible_trials():
    feasible = np.array([[[4.0, 0.0], [3.0, 0.0]]])
    infeasible = np.array([[[np.nan, 2.0], [np.nan, 1.0]]])
    assert best_value((feasible, infeasible), 1e-8) == 3.0
    assert best_value((infeasible,), 1e-8) == 0.0


def test_page_curves_give_the_objective_by_its_distance_from_the_best():
    # Two values that agree in eight digits: the distance keeps the digits that tell them apart.
    cell = np.array([[[36.52000001, 0.0]], [[36.52000131, 0.0]]])
    collection = replace(
        Collection.from_curves({"x": cell[None]}), grids=((np.array([600.0]),),), runs=(((1, 2),),)
    )
    content = page_curves(collection, 0)
    (series,) = content["series"]
    assert content["best"] == 36.52000001
    assert series["trials"][0]["gap"] == [[0], [0]]
    assert series["trials"][1]["gap"][1] == [pytest.approx(1.3e-6, rel=1e-3)]
    assert series["x"] == [600]


def test_packed_content_returns_and_is_the_same_each_time():
    content = {"best": 1.5, "series": [None, 2]}
    text = packed(content)
    assert json.loads(gzip.decompress(base64.b64decode(text))) == content
    assert packed(content) == text
