import hashlib
import warnings

import numpy as np
import pytest
from matplotlib.image import imread

from de2ls.campaigns import Store
from de2ls.reports.figures import (
    critical_difference,
    heat_map,
    save,
    style,
    totals,
)
from de2ls.reports.material import load
from de2ls.reports.palette import looks
from de2ls.scores import Friedman
from tests.reports.support import HOSTILE, SERIES, drawn_of, figures_of, fill

CUT = '<script>document.title="own…'  # HOSTILE, as far as a figure has room for it


@pytest.fixture(scope="module")
def drawn(material):
    return figures_of(material, looks(material.collection.algorithms))


def texts(figure):
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_every_figure_is_drawn_with_labelled_axes(drawn):
    assert list(drawn) == [
        *("totals", "heat-map", "accuracy-speed", "superiority", "critical-difference"),
        *("variants", "leads", "profiles", "profiles-by-group", "profiles-by-problem"),
        *("effects", "parameters", "convergence-min-ev", "convergence-lcv"),
    ]
    units = {
        "totals": "points",
        "heat-map": "share of the problem's points (equal: 0.333)",
        "accuracy-speed": "speed (points)",
        "superiority": "share of resamples",
        "critical-difference": "mean rank (1 is best)",
        "variants": "U-score minus that of DE-2LS (points)",
        "leads": "share of all points (%)",
        "profiles": "targets reached (%)",
        "profiles-by-group": "evaluations / D",
        "profiles-by-problem": "evaluations / D",
        "effects": "mean U-score of the series with this value minus that of the others (points)",
        "parameters": "ls_mc",
        "convergence-min-ev": "Min_EV minus the best final Min_EV (units of the objective)",
        "convergence-lcv": "LCV (summed violation)",
    }
    for name, unit in units.items():
        assert unit in texts(drawn[name]), name


def test_bars_and_points_stand_where_the_score_says(material, drawn):
    score = material.assessment.score
    panel = drawn["totals"].axes[0]
    by_name = dict(zip([t.get_text() for t in drawn["totals"].axes[0].get_yticklabels()],
                       [bar.get_width() for bar in panel.patches], strict=True))  # fmt: skip
    assert by_name == dict(zip(["DE-2LS", "RDEx", CUT], score.total.sum(axis=0), strict=True))
    markers = [line for line in drawn["accuracy-speed"].axes[0].lines if line.get_label() == "RDEx"]
    assert markers[0].get_xdata() == score.speed.sum(axis=0)[1]
    assert markers[0].get_ydata() == score.accuracy.sum(axis=0)[1]


def test_problems_without_feasible_points_say_so(drawn):
    assert texts(drawn["convergence-min-ev"]).count("no feasible point") == 1


def test_labels_are_text_and_never_mathematics(tmp_path):
    path = tmp_path / "a.db"
    with Store.open(path) as store:
        fill(store, {"a$b$": SERIES["de2ls"], HOSTILE: SERIES["rdex"]}, numbers=(1,), runs=2)
    figure = drawn_of(load(path))["totals"]
    save(figure, tmp_path, "totals", ("png",))
    labels = figure.axes[0].get_yticklabels()
    assert sorted(label.get_text() for label in labels) == [CUT, "a$b$"]
    assert not any(label.get_parse_math() for label in labels)


def test_files_are_pictures_and_the_same_each_time(material, tmp_path):
    styles = looks(material.collection.algorithms)
    for place in ("a", "b"):
        with style():
            figure = totals(material.assessment.score, material.assessment.bootstrap, styles)
        save(figure, tmp_path / place, "totals")
    pixels = imread(tmp_path / "a" / "totals.png")
    assert pixels.shape[0] > 200
    assert pixels.shape[1] > 1000
    assert pixels.std() > 0.05
    assert (tmp_path / "a" / "totals.pdf").read_bytes().startswith(b"%PDF")
    for name in ("totals.png", "totals.pdf"):
        digests = {hashlib.sha256((tmp_path / p / name).read_bytes()).digest() for p in "ab"}
        assert len(digests) == 1


def test_two_series_have_no_critical_difference_and_one_protocol_no_parts(store):
    two = drawn_of(load(store, {"labels": ["de2ls", "rdex"]}, protocol="cec2024"))
    assert list(two) == [
        *("totals", "heat-map", "superiority", "leads", "profiles", "profiles-by-group"),
        *("profiles-by-problem", "convergence-min-ev", "convergence-lcv"),
    ]


def test_long_and_strange_labels_leave_room_and_stay_apart(tmp_path):
    longest = "a label that goes on and on, number "  # the ends are cut off: two names coincide
    labels = {f"{longest}{k}": SERIES["de2ls"] for k in (1, 2)} | {"日本": SERIES["rdex"]}
    path = tmp_path / "a.db"
    with Store.open(path) as store:
        fill(store, labels, numbers=(1, 4), runs=2)
    drawn = drawn_of(load(path))
    assert len(drawn["totals"].axes[0].patches) == 3
    for name, figure in drawn.items():
        save(figure, tmp_path, name, ("png",))  # warnings are errors here
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # measuring draws the letters once more
            figure.draw_without_rendering()
            boxes = [axes.get_tightbbox() for axes in figure.axes if axes.get_visible()]
        assert all(box.x0 > -1 and box.x1 < figure.bbox.width + 1 for box in boxes), name
        assert figure.axes[0].bbox.width > 100, name


def test_a_bar_of_the_critical_difference_covers_its_group_alone():
    # 2.4 - 1.1 exceeds the difference of 1.25 by a hair, 2.4 - 1.2 does not
    ranks, names = np.array([1.1, 1.2, 2.4]), ("a", "b", "c")
    friedman = Friedman(names, 9, ranks, 0.0, 1.0, 1.25, 0.05)
    with style():
        figure = critical_difference(friedman, looks(names))
    bars = [line for line in figure.axes[0].lines if line.get_linewidth() == 3.5]
    assert [line.get_xdata().tolist() for line in bars] == [[1.1, 1.2], [1.2, 2.4]]


def test_text_in_a_cell_can_be_read(material):
    """The contrast of every text is at least 4.5, what WCAG asks of small text."""
    with style():
        figure = heat_map(material.assessment.score)
    axes = figure.axes[0]
    share = np.asarray(axes.images[0].get_array())
    assert len(axes.texts) == share.size
    for text in axes.texts:
        column, row = text.get_position()
        cell = luminance(axes.images[0].to_rgba(share[[row], [column]])[0, :3])
        ink = {"k": 0.0, "w": 1.0}[text.get_color()]
        assert (max(cell, ink) + 0.05) / (min(cell, ink) + 0.05) >= 4.5


def luminance(colour):
    """Return the relative luminance of an sRGB colour by its definition."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
