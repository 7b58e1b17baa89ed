"""Line charts of the views, and the comparison of dimensions."""

import numpy as np
import pytest

from de2ls.campaigns import Store
from de2ls.reports.dimensions import dimensions, growth_of
from de2ls.reports.figures import BAND, LINE
from de2ls.reports.lines import profile, spread
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
