"""The paper's reproduction at a small size, with real trials."""

import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from de2ls.cli import main
from de2ls.studies import published
from de2ls.studies.late_search import WITH, WITHOUT, late_search
from de2ls.studies.paper import (
    ABLATION,
    FOUR,
    PARAMETERS,
    paper_output,
    parameters_table,
    reproduce_paper,
    series,
)
from de2ls.studies.scale import QUICK, Runner, Scale
from tests.scores.records import make_record
from tests.studies.support import SMALL, Counting, gathered_of, rows

pytestmark = pytest.mark.xdist_group("paper")  # one worker makes the trials


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    counting = Counting()
    runner = Runner(folder / "trials.db", 2, counting)
    output = reproduce_paper(SMALL, runner, folder / "out", "de2ls reproduce paper")
    return folder, output, counting.labels


def test_the_papers_series_are_thirteen():
    labels = [s.label for s in series()]
    assert len(labels) == len(set(labels)) == 13
    assert labels[:4] == ["de2ls", "rdex", "cl-srde", "ude3"]
    assert set(ABLATION.values()) == set(published.ablation()["total"])
    assert list(FOUR.values()) == list(published.by_problem("four_algorithms").algorithms)
    full = Scale()
    assert len(full.plan(series())) == 28 * 25 * 13
    assert full.is_published
    assert not any(scale.is_published for scale in (QUICK, SMALL, Scale(instance=1)))


def test_parameters_are_the_published_ones():
    table = parameters_table(Scale())
    assert len(table.rows) == 4 + len(PARAMETERS)
    for name, here, past, _ in table.rows:
        assert here == past, name


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--problems", "27-29"), "problems must"),
        (("--runs", "0"), "runs must"),
    ],
)
def test_a_size_out_of_range_is_refused_before_anything_is_made(tmp_path, capsys, options, fault):
    store = tmp_path / "trials.db"
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "paper", *options, "--instance", "1", "--store", str(store)])
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith(f"error: {fault} ")
    assert not store.exists()


def test_all_trials_are_run_once(made):
    _, _, labels = made
    expected = dict.fromkeys([s.label for s in series()], 4)
    assert labels == {**expected, "de2ls-paired": 4, "rdex-paired": 4}


def test_fewer_runs_are_a_part_of_the_same_trials(made):
    folder, _, _ = made
    counting = Counting()
    less = replace(SMALL, runs=1)
    runner = Runner(folder / "trials.db", 2, counting)
    output = reproduce_paper(less, runner, folder / "less", "de2ls reproduce paper")
    assert not counting.labels
    more = [row for row in rows(folder / "out" / "trials.csv") if row["run"] == "1"]
    assert rows(folder / "less" / "trials.csv") == more
    assert "only 1 trial" in " ".join(output.tables["claims"].notes)


def test_every_table_and_figure_of_the_paper_is_written(made):
    folder, output, _ = made
    names = {path.name for path in (folder / "out").iterdir()}
    for table in ("claims", "parameters", "gains", "head-to-head", "head-to-head-uscore", "four",
                  "four-uscore", "four-rank", "means", "ablation", "late-search"):  # fmt: skip
        assert {f"{table}.md", f"{table}.csv"} <= names
    assert {"README.md", "trials.csv", "totals.png", "ablation.png"} <= names
    readme = (folder / "out" / "README.md").read_text(encoding="utf-8")
    for name in output.tables:
        assert name == "claims" or f"({name}.md)" in readme
    assert "totals.png)\n\n*Four algorithms. Total accuracy, speed and U-score; " in readme
    assert "published figures.*" not in readme  # they are of another size
    assert "command: `de2ls reproduce paper`" in readme
    assert "campaign seed 1" in readme
    assert str(folder) not in readme
    verdicts = {row["verdict"] for row in rows(folder / "out" / "claims.csv")}
    assert verdicts <= {"holds", "does not hold", "cannot be decided at 2 runs"}


def test_means_can_be_rebuilt_from_the_final_values(made):
    folder, _, _ = made
    ends = rows(folder / "out" / "trials.csv")
    assert len(ends) == 15 * 4
    names = {name: label for label, name in FOUR.items()}
    for row in rows(folder / "out" / "means.csv"):
        place = names[row["algorithm"]], row["problem"]
        cell = [end for end in ends if (end["series"], end["problem"]) == place]
        values = [float(end["Min_EV"]) for end in cell if end["Min_EV"]]
        assert float(row["feasible %"]) == 100 * len(values) / len(cell)
        if row["mean"]:
            assert float(row["mean"]) == pytest.approx(np.mean(values), rel=1e-12)
            assert float(row["deviation"]) == pytest.approx(np.std(values, ddof=1), rel=1e-9)


def test_pairs_coincide_until_the_local_search(made):
    from de2ls.campaigns import Store

    folder, _, _ = made
    with Store.open(folder / "trials.db", readonly=True) as store:
        for number in SMALL.numbers:
            for run in (1, 2):
                with_, without = (store.record(label, run, problems=number)
                                  for label in ("de2ls-paired", "rdex-paired"))  # fmt: skip
                assert with_.seed == without.seed
                before = with_.curve[:, 0] < 0.85 * with_.max_evals
                assert before.sum() > 1000
                np.testing.assert_array_equal(with_.curve[before], without.curve[before])
                assert with_.counters["ls_calls"] > 0


def test_a_second_call_runs_nothing_and_writes_the_same(made, tmp_path):
    folder, _, _ = made
    counting = Counting()
    reproduce_paper(
        SMALL, Runner(folder / "trials.db", 1, counting), tmp_path, "de2ls reproduce paper"
    )
    assert not counting.labels
    for path in (folder / "out").iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_another_dimension_compares_the_four_alone(tmp_path):
    counting = Counting()
    scale = replace(SMALL, whole=False, numbers=(7,), dim=2)
    output = reproduce_paper(scale, Runner(tmp_path / "a.db", 2, counting), tmp_path / "o", "x")
    assert set(counting.labels) == set(FOUR)
    assert "ablation" not in output.tables
    assert "late-search" not in output.tables


def test_an_interrupted_command_goes_on_where_it_stopped(made, tmp_path):
    folder, _, _ = made
    arguments = ["--quick", "--dim", "3", "--runs", "2", "--problems", "7,17", "--instance", "1"]
    command = [sys.executable, "-m", "de2ls", "reproduce", "paper", *arguments, "--workers", "1",
               "--store", str(tmp_path / "a.db"), "-o", str(tmp_path / "out")]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for_trials(process, tmp_path / "a.db", 5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    stored = trials_in(tmp_path / "a.db")
    assert 5 <= stored < 60
    assert not (tmp_path / "out").exists()
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    assert f"{stored} already stored" in done.stdout
    assert trials_in(tmp_path / "a.db") == 60
    for path in (folder / "out").iterdir():
        if path.name != "README.md":  # which names the command
            assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes(), path.name


def trials_in(path):
    if not path.exists():
        return 0
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT count(*) FROM trials").fetchone()[0]
    except sqlite3.OperationalError:  # not laid out yet
        return 0
    finally:
        connection.close()


def wait_for_trials(process, path, count):
    deadline = time.monotonic() + 600
    while trials_in(path) < count:
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < deadline, "no trial was stored"
        time.sleep(0.05)


def test_without_the_official_data_the_remedy_is_named(tmp_path):
    hidden = {name: text for name, text in os.environ.items() if name != "DE2LS_CEC2017_DATA"}
    command = [sys.executable, "-m", "de2ls", "reproduce", "paper", "--store", "a.db"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**hidden, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "de2ls data" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def synthetic(scale, labels, runs):
    """Return gathered trials of the paper's size without running them; curves have few samples."""
    rng = np.random.default_rng(7)
    counters = {"ls_calls": 2, "ls_evaluations": 60, "ls_improved": 1, "ls_gain": 0.1}
    records = []
    for number in scale.numbers:
        for label in labels:
            E = np.minimum.accumulate(rng.exponential(1, (runs, 6)), axis=1)
            samples = np.stack([E, np.zeros_like(E)], axis=2)
            records += [
                make_record(label, number, run, samples[run - 1], dim=30, counters=counters)
                for run in range(1, runs + 1)
            ]
    return gathered_of(records)


def test_at_the_papers_size_every_table_has_the_published_figures():
    scale = Scale()
    gathered = synthetic(scale, [s.label for s in series()], scale.runs)
    pairs = synthetic(scale, [WITH, WITHOUT], 100)
    output = paper_output(scale, gathered, (late_search(pairs, scale.budget), pairs))
    for name in ("claims", "gains", "head-to-head", "four", "ablation"):
        assert "published" in output.tables[name].header, name
    four = output.tables["four"]
    rows_ = [dict(zip(four.header, row, strict=True)) for row in four.rows]
    printed = {(row["algorithm"], row["quantity"]): row["published"] for row in rows_}
    assert printed["DE-2LS", "U-score"] == 80968
    assert printed["CL-SRDE", "rank sum"] == 95
    relative = {row["algorithm"]: row["published, %"] for row in rows_ if row["published, %"]}
    assert relative["UDE-III"] == pytest.approx(100 * (69220.5 / 78303.5 - 1))
    gains = output.tables["gains"]
    published_gains = [row[gains.header.index("published")] for row in gains.rows]
    assert [round(gain, 2) for gain in published_gains] == [6.17, 4.99, 5.58]
    by_problem = output.tables["four-rank"]
    assert by_problem.rows[-1][by_problem.header.index("DE-2LS published")] == 48
    means = output.tables["means"]
    assert "published mean CV" in means.header
    (note,) = [note for note in means.notes if "C19" in note]
    least = 10 * 29 * (math.exp(5) - 1)
    assert f"{least:.3f}" in note
    assert f"{least - 15:.1f}" in note
    claims = {row[0]: row for row in output.tables["claims"].rows}
    # Random curves have no leader: whoever scores more, it is by chance.
    order = claims["of four, DE-2LS has more U-score than CL-SRDE"]
    assert order[-1] == "cannot be decided at 25 runs"
    assert claims["head to head, it has 5.58 % more U-score"][2] == pytest.approx(5.577, abs=1e-3)
    most = claims["head to head, DE-2LS scores more than RDEx on most problems"]
    assert most[2] == 75  # 21 of 28
