from dataclasses import replace

import numpy as np
import pytest

from de2ls.reports.palette import looks
from de2ls.scores import Collection
from de2ls.studies.procedure import procedure

GRID = np.arange(1, 101) * 100.0


def falling(start, end, arrival):
    """Return a curve that falls from start to end and arrives at a sample."""
    curve = np.full(100, end)
    curve[:arrival] = np.linspace(start, end, arrival)
    return np.stack([curve, np.zeros(100)], axis=1)[None]


def collection_of(**pairs):
    curves = {name: [pair[k] for pair in pairs.values()] for k, name in enumerate("ab")}
    return replace(Collection.from_curves(curves, list(pairs)), grids=((GRID, GRID),) * len(pairs))


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_points_thresholds_and_times_are_those_of_the_score():
    # a ends lower but b, which ends at 3, is there first: the points are divided.
    a, b = falling(10.0, 1.0, 91), falling(10.0, 3.0, 41)
    names = ("a", "b")
    collection = collection_of(C01=(a, b))
    figure = procedure(collection, looks(names))
    reached = int(np.argmax(a[0, :, 0] <= 3.0 + 1e-8))
    assert texts(figure) == [
        "a: E* = 1, 1 point",
        "b: E* = 3, 0 points",
        "θ = 3, the worse end",
        f"a: τ = {int(GRID[reached]):,}, 0 points",
        "b: τ = 4,100, 1 point",
    ]
    assert "C01" in figure.axes[0].get_ylabel()


def test_the_pair_that_tells_most_is_chosen():
    same = falling(10.0, 1.0, 50)
    collection = collection_of(
        C01=(same, same), C02=(falling(10.0, 1.0, 91), falling(10.0, 3.0, 41))
    )
    figure = procedure(collection, looks("ab"))
    assert "C02" in figure.axes[0].get_ylabel()


@pytest.mark.parametrize(("first", "end"), [(1.0, 1.0), (1.0, 1.0000001), (0.0, 0.0)])
def test_without_ends_that_differ_nothing_is_drawn(first, end):
    pair = (falling(10.0, first, 50), falling(10.0, end, 60))
    collection = collection_of(C01=pair)
    assert procedure(collection, looks("ab")) is None
