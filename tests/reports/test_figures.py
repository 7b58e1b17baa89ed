import hashlib

import pytest
from matplotlib.image import imread

from de2ls.campaigns import Store
from de2ls.reports.figures import figures, looks_of, save, style, totals
from de2ls.reports.material import load
from tests.reports.support import HOSTILE, SERIES, fill


@pytest.fixture(scope="module")
def drawn(material):
    return figures(material)


def texts(figure):
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_every_figure_is_drawn_with_labelled_axes(drawn):
    assert list(drawn) == [
        *("totals", "heat-map", "accuracy-speed", "superiority", "critical-difference"),
        *("variants", "convergence-min-ev", "convergence-lcv"),
    ]
    units = {
        "totals": "points",
        "heat-map": "share of the problem's points (equal: 0.333)",
        "accuracy-speed": "speed (points)",
        "superiority": "share of resamples",
        "critical-difference": "mean rank (1 is best)",
        "variants": "U-score minus that of de2ls (points)",
        "convergence-min-ev": "Min_EV minus the best final Min_EV (units of the objective)",
        "convergence-lcv": "LCV (summed violation)",
    }
    for name, unit in units.items():
        assert unit in texts(drawn[name]), name


def test_bars_and_points_stand_where_the_score_says(material, drawn):
    score = material.assessment.score
    panel = drawn["totals"].axes[-1]
    by_name = dict(zip([t.get_text() for t in drawn["totals"].axes[0].get_yticklabels()],
                       [bar.get_width() for bar in panel.patches], strict=True))  # fmt: skip
    assert by_name == dict(zip(score.algorithms, score.total.sum(axis=0), strict=True))
    markers = [line for line in drawn["accuracy-speed"].axes[0].lines if line.get_label() == "rdex"]
    assert markers[0].get_xdata() == score.speed.sum(axis=0)[1]
    assert markers[0].get_ydata() == score.accuracy.sum(axis=0)[1]


def test_problems_without_feasible_points_say_so(drawn):
    assert texts(drawn["convergence-min-ev"]).count("no feasible point") == 1


def test_labels_are_text_and_never_mathematics(tmp_path):
    path = tmp_path / "a.db"
    with Store.open(path) as store:
        fill(store, {"a$b$": SERIES["de2ls"], HOSTILE: SERIES["rdex"]}, numbers=(1,), runs=2)
    figure = figures(load(path))["totals"]
    save(figure, tmp_path, "totals", ("png",))
    labels = figure.axes[0].get_yticklabels()
    assert sorted(label.get_text() for label in labels) == [HOSTILE, "a$b$"]
    assert not any(label.get_parse_math() for label in labels)


def test_files_are_pictures_and_the_same_each_time(material, tmp_path):
    styles = looks_of(material)
    for place in ("a", "b"):
        with style():
            figure = totals(material.assessment, styles)
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
    two = figures(load(store, {"labels": ["de2ls", "rdex"]}, protocol="cec2024"))
    assert list(two) == [
        *("totals", "heat-map", "superiority", "convergence-min-ev", "convergence-lcv")
    ]
