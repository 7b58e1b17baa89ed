"""``de2ls score``."""

import csv
import io
import json
import os
import re
from contextlib import nullcontext

import numpy as np
import pytest

from de2ls.campaigns.store import Store
from de2ls.cli import main
from de2ls.cli import score as command
from de2ls.scores import score

from ..scores.records import field


@pytest.fixture
def records():
    return field(("y", "x"), (1, 2, 3), range(1, 13), np.random.default_rng(6))


@pytest.fixture
def store(tmp_path, records):
    path = tmp_path / "results.db"
    with Store.open(path) as opened:
        for record in records:
            opened.add(record)
    return path


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["score", *map(str, arguments)])
        written = capsys.readouterr()
        return end.value.code or 0, written.out, written.err

    return call


def test_the_command_says_what_the_library_says(run, store, records):
    code, out, err = run(store, "--format", "json", "--seed", 5)
    assert (code, err) == (0, "")
    (found,) = json.loads(out)["groups"]
    expected = score(records, seed=5)
    assert found["group"] == "cec2017, D = 2, definition report, instance 0"
    assert found["algorithms"] == ["y", "x"]
    assert found["problems"] == ["C01", "C02", "C03"]
    assert found["trials"] == 12
    assert list(found["tables"]) == list(expected.tables())
    for name, table in expected.tables().items():
        assert found["tables"][name] == table.to_dicts()


def test_selection_and_order(run, store):
    _, out, _ = run(
        store,
        "--algorithms",
        "x,y",
        "--problems",
        "1,3",
        "--format",
        "csv",
        "--tables",
        "by_problem",
    )
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["problem", "x", "y"]
    assert [row[0] for row in rows[1:]] == ["C01", "C03", "Total"]


def test_every_format(run, store):
    _, out, _ = run(store)
    assert "U-scores, 3 problems, 12 trials each (cec2026)" in out
    assert "Pairs of algorithms" in out
    assert "[bold]" not in out
    _, out, _ = run(store, "--format", "markdown", "--tables", "totals")
    assert out.splitlines()[2] == "| algorithm | U-score | rank sum | accuracy | speed |"
    _, out, _ = run(store, "--format", "latex", "--tables", "totals,summary")
    assert out.count(r"\begin{table}") == 2
    _, out, _ = run(store, "--format", "csv", "--protocol", "cec2024", "--bootstrap", "0")
    assert out.startswith(
        "# U-scores, 3 problems, 12 trials each (cec2024); cec2017, D = 2, definition report, "
        "instance 0\nalgorithm,U-score,rank"
    )


def test_unequal_trials(run, tmp_path, records):
    path = tmp_path / "unequal.db"
    with Store.open(path) as opened:
        for record in records[:-1]:
            opened.add(record)
    code, out, err = run(path)
    assert (code, out) == (1, "")
    assert err.startswith(
        "error: trials that do not belong together: 11 trials instead of 12: x on C03 (11 "
    )
    code, out, err = run(path, "--allow-unequal", "--tables", "totals")
    assert code == 0
    assert err.startswith("warning: unequal trials accepted: 11 trials instead of 12")
    assert "11 trials instead of 12" in out


def test_mistakes_are_told_in_one_line(run, store, tmp_path):
    for arguments, message in [
        ((store, "--algorithms", "x,z"), "holds no series 'z'; it holds y, x"),
        ((store, "--problems", "9"), "holds no trials of that kind: 'de2ls store info"),
        ((store, "--problems", "one"), "holds no trials of that kind: 'de2ls store info"),
        ((store, "--algorithms", "x,y,x"), "algorithms must"),
        ((store, "--tables", "total"), "tables must"),
        ((store, "--tables", ","), "tables must"),
        ((store, "--tables", "friedman"), "friedman here: it needs three algorithms and two"),
        ((store, "--tables", "pairs", "--bootstrap", "0"), "needs two algorithms and a bootstrap"),
        ((store, "--tables", "rank_sum", "--algorithms", "x"), "it needs two algorithms"),
        ((store, "--bootstrap", "10"), "bootstrap"),
        ((store, "--bootstrap", "999999999999"), "bootstrap"),
        ((store, "--protocol", "cec2025"), "cec2025"),
        ((tmp_path / "missing.db",), "missing.db"),
    ]:
        code, out, err = run(*arguments)
        assert code != 0
        assert out == ""
        assert message in err
        assert len(err.splitlines()) == 1


def test_a_problem_that_was_asked_for_in_vain_is_named(run, store):
    code, out, err = run(
        store, "--problems", "2,4-5,C07", "--tables", "by_problem", "--format", "csv"
    )
    assert code == 0
    assert [line.split(",")[0] for line in out.splitlines()] == ["problem", "C02", "Total"]
    assert err == "".join(
        f"warning: {store} holds no such trial on problem {number}\n" for number in ("4-5", "C07")
    )


def test_one_is_singular(run, store):
    _, out, _ = run(store, "--problems", "2", "--tables", "totals", "--format", "markdown")
    assert out.startswith("**U-scores, 1 problem, 12 trials each (cec2026); cec2017, D = 2, ")


def test_help_shows_examples(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "de2ls score results.db" in out


def test_a_damaged_problem_key_is_noticed(run, store):
    """One flipped bit, in the table or in its index: no other score without a word."""
    sound = run(store)
    content = store.read_bytes()
    places = [found.end() - 1 for found in re.finditer(b'"number": 2', content)]
    codes = []
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1  # 2 becomes 3
        store.write_bytes(damaged)
        code, out, err = run(store)
        codes.append(code)
        assert (code, out, err) == sound or (out == "" and f"{store} is damaged" in err)
    assert 3 in codes


def test_groups_are_scored_one_by_one_and_named(run, store):
    others = field(("y", "x"), (1, 2), range(1, 13), np.random.default_rng(7), dim=3)
    with Store.open(store) as opened:
        for record in others:
            opened.add(record)
    code, out, err = run(store, "--format", "json")
    assert (code, err) == (0, "")
    first, second = json.loads(out)["groups"]
    assert [group["problems"] for group in (first, second)] == [
        ["C01", "C02", "C03"],
        ["C01", "C02"],
    ]
    assert second["tables"]["totals"] == score(others).tables()["totals"].to_dicts()
    for kind, title in (
        ("markdown", "**U-scores"),
        ("latex", r"\caption{U-scores"),
        ("csv", "# U-scores"),
    ):
        _, out, _ = run(store, "--format", kind, "--tables", "totals")
        titles = [line for line in out.splitlines() if line.startswith(title)]
        assert ["D = 2" in line for line in titles] == [True, False]
        assert ["D = 3" in line for line in titles] == [False, True]
    _, out, _ = run(store, "--dim", "3", "--format", "json")
    assert [group["group"] for group in json.loads(out)["groups"]] == [second["group"]]
    _, out, _ = run(store, "--dim", "2,3", "--suite", "cec2017", "--format", "json")
    assert len(json.loads(out)["groups"]) == 2


def test_a_single_csv_table_names_its_group_among_several(run, store):
    """Friedman's test needs three algorithms: of the two groups only one has its table."""
    with Store.open(store) as opened:
        for record in field(("y", "x", "z"), (1, 2), range(1, 13), np.random.default_rng(7), dim=3):
            opened.add(record)
    code, out, _ = run(store, "--tables", "friedman", "--format", "csv")
    title, heading, *_ = out.splitlines()
    assert code == 0
    assert title.startswith("# ")
    assert "D = 3" in title
    assert "," in heading


@pytest.mark.parametrize("problems", ["2", "C02", "2-2"])
def test_problems_go_by_number_label_or_range(run, store, problems):
    _, out, _ = run(store, "--problems", problems, "--tables", "by_problem", "--format", "csv")
    assert [line.split(",")[0] for line in out.splitlines()] == ["problem", "C02", "Total"]


def test_mixed_environments_are_a_warning_here_too(run, store, records):
    from dataclasses import replace

    with Store.open(store) as opened:
        for record in records[:36]:
            key = replace(record.key, series="z")
            opened.add(replace(record, key=key, version="0.2.0", environment={"cpu": "other"}))
    code, _, err = run(store, "--tables", "totals")
    assert code == 0
    assert "different environments are mixed" in err


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="one process reads there")
@pytest.mark.parametrize(("large", "started"), [(0, 1), (10_000_000, 0)])
def test_only_a_large_store_is_read_by_two_processes(store, run, monkeypatch, large, started):
    calls = []

    def second_process(prepare):
        calls.append(prepare)
        return nullcontext()

    expected = run(store)
    monkeypatch.setattr(command, "second_process", second_process)
    monkeypatch.setattr(command, "_LARGE", large)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert run(store) == expected
    assert len(calls) == started
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert run(store) == expected
    assert len(calls) == started
