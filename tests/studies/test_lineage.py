"""The study over the years at a small size, with real trials."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import de2ls
from de2ls.studies.lineage import (
    BOUND,
    CONSTRAINED,
    YEARS,
    Decade,
    _name_dots,
    reproduce_lineage,
)
from de2ls.studies.scale import Runner
from tests.studies.support import Counting, rows

pytest.importorskip("minionpy")
SIZE = Decade(
    dim=10,
    runs=2,
    max_evals=1500,
    problems=(1, 4),
    names=("jso", "l-srtde", "cl-srde", "ude"),
    instance=1,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lineage")
    runs = []
    for _ in range(2):
        runs.append(Counting())
        runner = Runner(folder / "trials.db", 1, runs[-1])
        output = reproduce_lineage(SIZE, runner, folder / "out", "x", [CONSTRAINED, BOUND])
    return folder / "out", output, [counting.labels for counting in runs]


def test_each_stands_where_it_belongs_and_runs_once(made):
    _, _, (first, second) = made
    assert first == {"jso": 8, "ude": 8, "l-srtde": 4, "cl-srde": 4}
    assert not second


def test_a_ranking_for_each_suite(made):
    folder, output, _ = made
    for suite, absent in ((CONSTRAINED, "L-SRTDE"), (BOUND, "CL-SRDE")):
        table = output.tables[f"{suite}-ranking"]
        names = [row[table.header.index("algorithm")] for row in table.rows]
        years = {row[table.header.index("algorithm")]: row[2] for row in table.rows}
        assert set(names) == {"jSO", "UDE", "L-SRTDE", "CL-SRDE"} - {absent}
        assert years["jSO"] == 2017
        shares = [row[table.header.index("share %")].value for row in table.rows]
        assert sum(shares) == pytest.approx(100.0)
        assert shares == sorted(shares, reverse=True)
    assert len(rows(folder / "trials.csv")) == 24
    assert (folder / "years.png").stat().st_size > 5000


def test_profiles_and_who_is_told_from_whom(made):
    folder, output, _ = made
    for suite in (CONSTRAINED, BOUND):
        table = output.tables[f"{suite}-profiles"]
        ends = [row[-1].value for row in table.rows]
        assert len(ends) == 3
        assert ends == sorted(ends, reverse=True)
        for name in ("profiles", "superiority"):
            assert (folder / f"{suite}-{name}.png").stat().st_size > 5000


def test_names_in_the_figure_over_the_years_cover_nothing():
    """Five dots of one year within the height of one line, and a long name that meets a dot."""
    dots = {f"of 2017, {i}": (2017, 5.0 + 0.01 * i) for i in range(5)}
    dots |= {"a name of some length": (2018, 5.0), "next": (2019, 5.0), "far": (2024, 9.0)}
    figure = Figure(figsize=(9.6, 4.0))
    axes = figure.subplots()
    axes.set(xlim=(2016.6, 2027.4), ylim=(4.0, 10.0))
    _name_dots(axes, dots)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert [text.get_text() for text in axes.texts if text.xyann[1] == 0.0].count("far") == 1
    for i, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:i])
        assert not any(one.contains(*axes.transData.transform(dot)) for dot in dots.values())


def test_the_options_that_make_the_same_study():
    assert Decade().options == "--dim 30 --runs 25 --seed 1 --instance 0"
    assert SIZE.options.endswith(
        "--instance 1 --evals 1500 --problems 1,4 --algorithms jso,l-srtde,cl-srde,ude"
    )


def test_every_algorithm_of_the_lineage_has_its_year():
    assert set(YEARS) <= set(de2ls.algorithm_names())
    assert np.isin(list(YEARS.values()), range(2017, 2027)).all()
    with pytest.raises(ValueError, match="names must be"):
        Decade(names=("jsso",))
