import json
import sqlite3
from dataclasses import replace

import pytest

from de2ls.campaigns import Store
from tests.campaigns.support import KEY, make_record


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.db"
    with Store.open(path) as store:
        for label in ("ours", "theirs"):
            for run in (1, 2):
                store.add(make_record(label=label, problem=replace(KEY, name=run), run=run))
    return path


def test_info(called, path):
    code, out, err = called("store", "info", path)
    assert (code, err) == (0, "")
    size = path.stat().st_size
    assert f"4 trials, {size / 1e6:.1f} MB, {size / 4:,.0f} bytes per trial, schema 5" in out
    assert "problems: 2 of cec2017 D=3 report/1" in out
    assert "4 trials run with de2ls 0.1.0, cpu imaginary, numpy 2" in out
    assert "warning" not in out
    with Store.open(path) as store:
        store.add(make_record(label="ours", environment={"cpu": "another"}, run=9))
        store.add(make_record(label="file", environment={"source": "F1.txt"}, version="", run=1))
    code, out, _ = called("store", "info", path)
    assert "warning: trials of different environments are mixed" in out
    assert "1 trial imported from 1 file" in out
    facts = json.loads(called("store", "info", path, "--json")[1])
    assert facts["trials"] == 6
    assert [series["label"] for series in facts["series"]] == ["ours", "theirs", "file"]
    assert len(facts["warnings"]) == 1


def test_info_of_an_empty_store_claims_nothing_of_trials(called, tmp_path):
    path = tmp_path / "empty.db"
    Store.open(path).close()
    code, out, _ = called("store", "info", path)
    assert code == 0
    assert "0 trials" in out
    assert "per trial" not in out


def test_the_work_of_a_short_campaign_is_not_zero_hours(called, path):
    lines = called("store", "info", path)[1].splitlines()
    (row,) = (line for line in lines if line.strip().startswith("ours"))
    assert row.split() == ["ours", "de2ls", "2", "2", "180", "1.4", "s"]


def test_brackets_in_a_label_are_text(called, path):
    with Store.open(path) as store:
        store.add(make_record(label="[red]x[/red]", run=1))
    for command in ("info", "list"):
        assert "[red]x[/red]" in called("store", command, path)[1]


def test_an_unknown_series_is_named(called, path):
    code, out, err = called("store", "list", path, "--algorithms", "our")
    assert (code, out) == (1, "")
    assert "holds no series 'our' (did you mean 'ours'?); it holds ours, theirs" in err


def test_list(called, path):
    code, out, _ = called("store", "list", path, "--algorithms", "ours", "--problems", "2")
    assert code == 0
    (row,) = (line for line in out.splitlines() if "ours" in line)
    assert row.split() == [
        *("ours", "C02", "D=3", "report/1", "2", "7.25", "0", "90", "0.70"),
        str(2**62 + 1),
    ]
    assert "theirs" not in out
    trials = [json.loads(line) for line in called("store", "list", path, "--json")[1].splitlines()]
    assert [(trial["label"], trial["run"]) for trial in trials] == [
        ("ours", 1),
        ("ours", 2),
        ("theirs", 1),
        ("theirs", 2),
    ]


def test_verify(called, path):
    assert called("store", "verify", path) == (0, f"{path}: 4 trials, all sound\n", "")
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("UPDATE trials SET n_evals = 91 WHERE run = 2")
    database.close()
    code, out, _ = called("store", "verify", path)
    assert code == 1
    assert "trial 2 (ours on C02 D=3 report/1, run 2): its content contradicts" in out
    assert out.splitlines()[-1] == f"{path}: 2 findings in 4 trials"


def test_merge(called, path, tmp_path):
    other = tmp_path / "other.db"
    with Store.open(other) as store:
        store.add(make_record(label="ours", problem=replace(KEY, name=2), run=2))
        store.add(make_record(label="ours", problem=replace(KEY, name=3), run=2))
    target = tmp_path / "all.db"
    code, out, err = called("store", "merge", target, path, other)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"{path}: 4 trials added, 0 there already",
        f"{other}: 1 trial added, 1 there already",
    ]
    with Store.open(target, readonly=True) as store:
        assert len(list(store.trials())) == 5


def test_vacuum(called, path, tmp_path):
    code, out, _ = called("store", "vacuum", path)
    assert code == 0
    assert out == f"{path}: {path.stat().st_size:,} bytes before, {path.stat().st_size:,} after\n"
    code, _, err = called("store", "vacuum", tmp_path / "none.db")
    assert code == 1
    assert "there is no store at" in err
    assert not (tmp_path / "none.db").exists()


def test_a_corrupt_store_is_one_line(called, path):
    content = bytearray(path.read_bytes())
    content[0:16] = b"no longer SQLite"
    path.write_bytes(content)
    for command in (["info"], ["verify"], ["list"], ["vacuum"]):
        code, _, err = called("store", *command, path)
        assert code == 3
        assert f"{path} is damaged or no SQLite file (file is not a database)" in err
        assert err.count("\n") == 1
    assert path.read_bytes() == bytes(content)
