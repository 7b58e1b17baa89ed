import csv
import io
import sys

import pytest

from de2ls.scores import Column, Estimate, Table
from de2ls.scores.tables import best_cells

NASTY = r"a|b_c & 100% #1 {x} $y$ ~ ^ \ <script> *bold* [link]"


@pytest.fixture
def table():
    return Table(
        "Totals",
        (Column("name"), Column("score", ".1f"), Column("gain %", ".2f", ".1f")),
        (("x", 1.23456, Estimate(5.0, -1.25, 7.5)), (NASTY, 2, None)),
        bold=frozenset({(0, 1)}),
        notes=("a note_1",),
    )


def test_markdown(table):
    lines = table.to_markdown().splitlines()
    assert lines[0] == "**Totals**"
    assert lines[2] == "| name | score | gain % |"
    assert lines[3] == "| :--- | ---: | ---: |"
    assert lines[4] == "| x | **1.2** | 5.00 [-1.2, 7.5] |"
    assert lines[5] == (
        r"| a\|b\_c & 100% #1 {x} $y$ ~ ^ \\ \<script\> \*bold\* \[link\] | 2.0 | – |"
    )
    assert lines[7] == r"a note\_1"


def test_latex(table):
    lines = table.to_latex().splitlines()
    assert r"\caption{Totals}" in lines
    assert r"\begin{tabular}{lrr}" in lines
    assert [line for line in lines if line.endswith("rule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]
    assert r"name & score & gain \% \\" in lines
    assert r"x & \textbf{1.2} & 5.00 [-1.2, 7.5] \\" in lines
    escaped = (
        r"a\textbar{}b\_c \& 100\% \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} "
        r"\textbackslash{} \textless{}script\textgreater{} {*}bold{*} {[}link{]}"
    )
    assert rf"{escaped} & 2.0 & -- \\" in lines
    assert lines[-2].endswith(r"a note\_1")


def test_csv_keeps_every_digit_and_spreads_intervals(table):
    rows = list(csv.reader(io.StringIO(table.to_csv())))
    assert rows == [
        ["name", "score", "gain %", "gain % low", "gain % high"],
        ["x", "1.23456", "5.0", "-1.25", "7.5"],
        [NASTY, "2", "", "", ""],
    ]


def test_dicts_are_fit_for_json():
    table = Table("t", (Column("a"), Column("b")), ((float("nan"), "x"), (1.5, None)))
    assert table.to_dicts() == [{"a": None, "b": "x"}, {"a": 1.5, "b": None}]


def test_frame(table):
    pd = pytest.importorskip("pandas")
    frame = table.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["name", "score", "gain %", "gain % low", "gain % high"]
    assert frame["score"].tolist() == [1.23456, 2.0]
    assert frame["gain % high"].tolist()[0] == 7.5


def test_frame_without_pandas_says_what_to_do(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'de2ls\[pandas\]'"):
        table.to_frame()


def test_terminal(table):
    from rich.console import Console

    console = Console(width=120, file=io.StringIO(), force_terminal=False)
    console.print(table.to_rich())
    text = console.file.getvalue()
    assert "1.2" in text
    assert "5.00 [-1.2, 7.5]" in text
    assert "*bold* [link]" in text  # users' text is no markup
    assert "a note_1" in text


def test_malformed_tables_are_refused():
    with pytest.raises(ValueError, match=r"row 1 .* 2 cells"):
        Table("t", (Column("a"),), ((1,), (1, 2)))
    with pytest.raises(ValueError, match="more than one column 'a'"):
        Table("t", (Column("a"), Column("a")), ())


def test_best_cells():
    nan = float("nan")
    assert best_cells([[1, 3, 3], [nan, 1, 2], [nan, nan, nan]]) == {(0, 2), (0, 3), (1, 3)}
    assert best_cells([[1, 3, 1]], first_column=0, largest=False) == {(0, 0), (0, 2)}
