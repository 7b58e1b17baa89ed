"""The paper's reproduction at a small size, with real trials."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from de2ls.reports.reproduce import published
from de2ls.reports.reproduce.paper import (
    ABLATION,
    FOUR,
    PARAMETERS,
    parameters_table,
    reproduce_paper,
    series,
)
from de2ls.reports.reproduce.scale import QUICK, Runner, Scale
from tests.reports.reproduce.support import SMALL, Counting, rows

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


def test_all_trials_are_run_once(made):
    _, _, labels = made
    expected = dict.fromkeys([s.label for s in series()], 4)
    assert labels == {**expected, "de2ls-paired": 4, "rdex-paired": 4}


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
    assert "command: `de2ls reproduce paper`" in readme
    assert "campaign seed 1" in readme
    assert str(folder) not in readme
    verdicts = {row["verdict"] for row in rows(folder / "out" / "claims.csv")}
    assert verdicts <= {"holds", "holds not", "cannot be decided at 2 runs"}


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
                assert with_.local_search.calls > 0


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
        wait_for_trials(tmp_path / "a.db", 5)
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


def wait_for_trials(path, count):
    deadline = time.monotonic() + 600
    while trials_in(path) < count:
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
