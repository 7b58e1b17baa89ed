"""The field of CEC 2026 at a small size, with real trials."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from de2ls.scores import Collection, bootstrap, score
from de2ls.studies.cec2026 import (
    FIELD,
    official_by_problem,
    official_ranks,
    reproduce_cec2026,
    shares,
)
from de2ls.studies.official import TOTALS, VARIABLE, OfficialTable, official_table
from de2ls.studies.paper import FOUR, reproduce_paper
from de2ls.studies.scale import Runner
from tests.studies.support import SMALL, Counting, rows

# D = 4: below it the two definitions of C09 coincide.
SCALE = replace(SMALL, numbers=(4, 9), whole=False, dim=4)

pytestmark = pytest.mark.xdist_group("field")  # one worker makes the trials


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The paper first, then the field into the same store."""
    folder = tmp_path_factory.mktemp("field")
    reproduce_paper(SCALE, Runner(folder / "trials.db", 2), folder / "paper", "paper")
    counting = Counting()
    runner = Runner(folder / "trials.db", 2, counting)
    output = reproduce_cec2026(SCALE, runner, folder / "out", "cec2026", None)
    return folder, output, counting.labels


def test_official_totals_share_all_points_of_eight_entries():
    # 28 problems; 200 trials, each pair of which gives two points.
    assert sum(TOTALS.values()) == pytest.approx(28 * 200 * 199, abs=4)  # printed as integers
    assert set(FIELD.values()) == set(TOTALS) - {"AEBDE"}
    assert list(official_ranks(list(FIELD.values())).values()) == [1, 2, 3, 4, 5, 6, 7]


def test_trials_of_the_paper_are_not_run_again(made):
    _, _, labels = made
    report = {label: 4 for label in FIELD if label not in FOUR}
    other = dict.fromkeys(FIELD, 2)  # C09 with the other definition
    assert labels == {label: report.get(label, 0) + other[label] for label in FIELD}


def test_the_other_definition_replaces_only_what_differs(made):
    folder, output, _ = made
    ends = rows(folder / "out" / "trials.csv")
    counts = Counter((row["problem"], row["definition"]) for row in ends)
    assert counts == {("C04", "report"): 14, ("C09", "report"): 14, ("C09", "cpp2017"): 14}
    table = output.tables["definitions"]
    for name in ("share %, report", "share %, cpp2017"):
        place = table.header.index(name)
        assert sum(row[place].value for row in table.rows) == pytest.approx(100)


def test_tables_and_figures_are_written(made):
    folder, _, _ = made
    names = {path.name for path in (folder / "out").iterdir()}
    for table in ("ranking", "definitions", "pairs", "rank-sum", "friedman", "summary", "uscores"):
        assert {f"{table}.md", f"{table}.csv"} <= names
    assert {"totals.png", "ranks.png", "critical-difference.png", "superiority.png"} <= names
    ranking = rows(folder / "out" / "ranking.csv")
    assert [float(row["rank"]) for row in ranking] == sorted(float(r["rank"]) for r in ranking)
    assert sum(float(row["share %"]) for row in ranking) == pytest.approx(100)
    assert "by-problem-official.md" not in names
    # the official result is of D = 30: nothing of it stands here, and the text says so
    for table in ("ranking", "definitions"):
        assert not any("official" in name for name in rows(folder / "out" / f"{table}.csv")[0])
    assert "is left out" in (folder / "out" / "README.md").read_text(encoding="utf-8")


def test_shares_carry_the_intervals_of_the_totals():
    rng = np.random.default_rng(0)
    E = np.minimum.accumulate(rng.exponential(1, (2, 3, 5, 8)), axis=-1)
    curves = np.stack([E, np.zeros_like(E)], axis=-1)
    found = bootstrap(Collection.from_curves({name: curves[:, i] for i, name in enumerate("abc")}))
    whole = 2 * 15 * 14  # two problems, 15 trials, two points per pair
    totals, limits = found.score.total.sum(axis=0), found.interval("total")
    for a, share in enumerate(shares(found)):
        assert share.value == pytest.approx(100 * totals[a] / whole)
        assert share.high == pytest.approx(100 * limits[a, 1] / whole)


def test_the_official_table_is_read_from_a_file(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert official_table(None) is None
    path = tmp_path / "official.csv"
    path.write_text("problem,uscore_B,rank_B,uscore_A,rank_A\nC01,30,1,10,2\nC02,5,2,15,1\n")
    monkeypatch.setenv(VARIABLE, str(path))
    table = official_table(None)
    assert (table.algorithms, table.problems) == (("B", "A"), ("C01", "C02"))
    assert table.uscore.tolist() == [[30, 10], [5, 15]]
    path.write_text("problem,score\nC01,3\n")
    with pytest.raises(ValueError, match="must have columns problem and uscore_"):
        official_table(path)


def test_ranks_stand_beside_the_official_ones():
    curves = np.zeros((1, 2, 3, 2))
    names = {"A": curves + 1.0 * np.array([1, 0]), "B": curves + 2.0 * np.array([1, 0])}
    assessed = score(Collection.from_curves(names, ["C02"]))
    official = OfficialTable(("B", "A"), ("C01", "C02"), np.array([[30.0, 10.0], [15.0, 5.0]]))
    table = official_by_problem(assessed, official)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert (row["A rank"], row["A official rank"]) == (1, 2)
    assert (row["A official share %"], row["B official share %"]) == (25, 75)
