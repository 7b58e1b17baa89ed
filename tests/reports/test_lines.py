"""Line charts of the views, and the comparison of dimensions."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.text import Text

from de2ls.campaigns import Store
from de2ls.reports.dimensions import dimensions, growth_of
from de2ls.reports.figures import BAND, LINE
from de2ls.reports.lines import profile, small_profiles, spread
from de2ls.reports.material import load
from de2ls.reports.palette import looks
from de2ls.reports.svg import inline_svg
from de2ls.scores.profiles import Profile
from tests.reports.support import SERIES, fill


def test_labels_that_would_meet_are_spread_about_their_places():
    places = spread([0.5, 0.5, 0.9, 0.52], space=0.1)
    assert places[2] == 0.9
    assert sorted(places[[0, 1, 3]]) == pytest.approx(
        [0.5067 - 0.1, 0.5067, 0.5067 + 0.1], abs=1e-4
    )
    assert spread([0.1, 0.3], space=0.1).tolist() == [0.1, 0.3]
    assert spread([1.0, 0.0, 0.99], space=0.1) == pytest.approx([1.0, 0.0, 0.9])


def made(count):
    share = np.linspace(0, 1, count * 4).reshape(count, 4)
    names = tuple(f"series {a}" for a in range(count))
    return Profile("made", names, ("C01",), np.array([1.0, 10, 100, 1000]), share, share, share)


@pytest.mark.parametrize(("count", "shown"), [(2, True), (5, False)])
def test_bands_of_many_series_are_shown_by_the_pointer_only(count, shown):
    found = made(count)
    styles = looks(found.series)
    figure = profile(found, styles)
    bands = figure.findobj(lambda artist: artist.get_gid() == BAND)
    assert [band.get_visible() for band in bands] == [shown] * count
    svg = inline_svg(figure, "made", styles)
    assert svg.count(f'class="{BAND} hidden"') == (0 if shown else count)
    assert svg.count(f'class="{LINE} hidden"') == (0 if shown else count)
    assert [band.get_visible() for band in bands] == [shown] * count  # as before
    assert all(f">{name}</text>" in svg for name in found.series)


@pytest.mark.parametrize("count", [2, 19])
def test_names_meet_neither_each_other_nor_the_charts(count):
    found = made(count)
    styles = looks(found.series)
    named = profile(replace(found, share=np.ones_like(found.share)), styles)
    named.draw_without_rendering()
    boxes = map(Text.get_window_extent, named.axes[0].texts)  # without the leading lines
    texts = sorted(boxes, key=lambda box: box.y0)
    assert len(texts) == count
    assert all(low.y1 <= high.y0 for low, high in pairwise(texts))
    assert all(box.y0 >= 0 and box.x1 <= named.bbox.x1 and box.y1 <= named.bbox.y1 for box in texts)
    small = small_profiles({f"set {i}": found for i in range(5)}, styles)
    legend = small.legends[0].get_window_extent()
    titles = [axes.title.get_window_extent() for axes in small.axes[:5]]
    assert legend.x0 >= 0
    assert legend.x1 <= small.bbox.x1
    assert legend.y0 >= max(box.y1 for box in titles)


def test_growth_of_running_times():
    assert growth_of((5, 10, 20), (np.inf, 30.0, 240.0)) == 3.0
    assert growth_of((5, 10), (np.inf, 30.0)) is None


def test_dimensions_are_compared_series_by_series(tmp_path):
    with Store.open(tmp_path / "a.db") as store:
        for dim in (10, 5):
            fill(store, SERIES, numbers=(1, 4), runs=2, dim=dim, samples=11)
    materials = load(tmp_path / "a.db")
    (found,) = dimensions(materials)
    assert found.dims == (5, 10)
    assert found.series == materials[0].collection.algorithms
    tables = found.tables()
    assert list(tables) == ["scaling", "points_by_dimension"]
    points = tables["points_by_dimension"].to_dicts()
    for m, dim in zip(found.materials, found.dims, strict=True):
        total = m.assessment.score.total.sum(axis=0)
        shares = [row[f"D = {dim}"] for row in points]
        assert shares == pytest.approx((100 * total / total.sum()).tolist())
    times = found.materials[0].views.running_times
    row = tables["scaling"].to_dicts()[0]
    hits = times.successes[0, 0, times.precisions.tolist().index(1e-2)]
    assert row["runs, D = 5"] == f"{hits}/2"
    assert list(found.figures(looks(found.series))) == ["scaling", "points-by-dimension"]


def test_one_dimension_is_compared_with_nothing(material):
    assert dimensions([material]) == []
