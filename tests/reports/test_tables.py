import csv
import io
import shutil
import subprocess

import pytest
from markdown_it import MarkdownIt

from de2ls.campaigns import Store
from de2ls.campaigns.plan import Plan
from de2ls.reports.material import load
from de2ls.reports.tables import (
    configuration,
    machine_tables,
    provenance,
    report_tables,
    variants,
    write_tables,
)
from de2ls.scores import Column, Table
from tests.reports import latex
from tests.reports.support import HOSTILE, fill


def rows_of(table):
    return list(csv.DictReader(io.StringIO(table.to_csv())))


def test_every_table_of_the_report_is_there(material):
    assert list(report_tables(material)) == [
        *("totals", "pairs", "rank_sum", "friedman", "summary"),
        *("uscores", "ranks", "accuracy", "speed", "leads", "profiles", "profiles_by_problem"),
        *("running_times", "fixed_budget", "effects", "variants", "configuration", "provenance"),
    ]
    assert list(machine_tables(material)) == ["summary", "trials", "superiority"]


def test_csv_files_hold_the_score(material):
    score = material.assessment.score
    rows = rows_of(report_tables(material)["uscores"])
    assert [row["problem"] for row in rows] == [*score.problems, "Total"]
    for p, row in enumerate(rows[:-1]):
        assert [float(row[name]) for name in score.algorithms] == score.total[p].tolist()
    matrix = rows_of(machine_tables(material)["superiority"])
    share = material.assessment.bootstrap.superiority()
    assert [float(row["RDEx"]) for row in matrix] == share[:, 1].tolist()


def test_trials_hold_every_final_value(material):
    rows = rows_of(machine_tables(material)["trials"])
    assert len(rows) == len(material.trials)
    for row, trial in zip(rows, material.trials, strict=True):
        assert (row["series"], int(row["run"])) == (material.names[trial.label], trial.run)
        assert row["seed"] == str(trial.seed)
        assert float(row["LCV"]) == trial.lcv
        assert str(float(row["Min_EV"])) == str(trial.min_ev)


def test_variants_are_series_of_one_algorithm(material):
    found = variants(material)
    assert (found.algorithm, found.reference) == ("DE-2LS", "DE-2LS")
    assert found.changes == {"DE-2LS": {}, HOSTILE: {"ls_mc": 1}}
    assert found.gain["DE-2LS"] == (0, 0, 0)
    totals = material.assessment.score.total.sum(axis=0)
    assert found.gain[HOSTILE].value == totals[2] - totals[0]
    assert found.gain[HOSTILE].low <= found.gain[HOSTILE].value <= found.gain[HOSTILE].high


def test_configuration_and_provenance_name_every_series(material):
    rows = rows_of(configuration(material))
    assert rows[0] == {"parameter": "label", "DE-2LS": "de2ls", "RDEx": "rdex", HOSTILE: HOSTILE}
    assert rows[1] == {
        "parameter": "algorithm",
        "DE-2LS": "de2ls",
        "RDEx": "rdex",
        HOSTILE: "de2ls",
    }
    by_name = {row["parameter"]: row for row in rows}
    assert (by_name["ls_mc"]["DE-2LS"], by_name["ls_mc"]["RDEx"]) == ("2", "")
    table = provenance(material)
    assert [(row["series"], row["trials"], row["budget"]) for row in rows_of(table)] == [
        ("DE-2LS", "12", "2,000"), ("RDEx", "12", "2,000"), (HOSTILE, "12", "2,000"),
    ]  # fmt: skip
    assert table.notes == ("de2ls 0.1.0: 36 trials of the store; cpu imaginary, numpy 2",)


def test_provenance_names_the_plans_of_what_is_reported_once(tmp_path):
    def plan(**settings):
        usual = {"algorithms": "de2ls,rdex", "problems": "1", "dim": 5, "instance": 1, "runs": 3}
        return Plan.from_settings(usual | settings)

    plans = [plan(), plan(problems="4"), plan(dim=6), plan(algorithms="ude3"), plan(problems="17")]
    made = {s.label: (s.algorithm, dict(s.config)) for s in plans[0].series}
    with Store.open(tmp_path / "a.db") as store:
        for one in plans:
            store.add_plan(one.as_dict())
        fill(store, made, numbers=(1, 4), runs=3)
    notes = provenance(load(tmp_path / "a.db")[0]).notes[1:]  # the first one names the versions
    assert notes == ("plan: 2 series, 1 problems, 3 runs, seed 1, separate random numbers",)


def test_latex_tables_compile(material, tmp_path):
    tables = report_tables(material)
    write_tables(tmp_path, tables)
    for name in tables:
        text = (tmp_path / f"{name}.tex").read_text(encoding="utf-8")
        assert latex.faults(text) == [], name
        assert r"\toprule" in text
    assert r"\textbf{" in (tmp_path / "totals.tex").read_text(encoding="utf-8")
    if shutil.which("pdflatex"):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (r"\begin{tabular}{lr} a & b & c \\", "row with 3 cells"),
        (r"\begin{tabular}{l}{ \\", "unbalanced braces"),
        (r"\begin{tabular}{l}a_b \\", "special letter _"),
        (r"\begin{tabular}{l}a\nonsense \\", r"unknown \nonsense"),
    ],
)
def test_the_check_of_latex_finds_faults(text, fault):
    assert fault in latex.faults(text)


def test_markdown_renders_as_tables(material, tmp_path):
    tables = report_tables(material)
    write_tables(tmp_path, tables)
    parser = MarkdownIt("commonmark").enable("table")
    for name, table in tables.items():
        html = parser.render((tmp_path / f"{name}.md").read_text(encoding="utf-8"))
        assert html.count("<tr>") == len(table.rows) + 1, name
        assert "<script>" not in html
        assert (HOSTILE in table.header) <= ("&lt;script&gt;" in html)


def test_only_what_is_asked_for_is_written(tmp_path):
    table = Table("t", (Column("a"),), ((1,),))
    write_tables(tmp_path, {"x": table}, {"y": table}, latex=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.md", "y.csv"]
