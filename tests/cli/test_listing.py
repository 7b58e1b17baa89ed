"""``de2ls list problems | algorithms``."""

import pytest

from de2ls import algorithm_names
from de2ls.cli import main


def listed(what, capsys, *options):
    with pytest.raises(SystemExit) as end:
        main(["list", what, *options])
    assert not end.value.code
    return capsys.readouterr().out.splitlines()


def test_problems(capsys):
    lines = listed("problems", capsys)
    rows = [line.split() for line in lines if line.strip().startswith("C") and " g, " in line]
    assert [row[0] for row in rows] == [f"C{k:02d}" for k in range(1, 29)]
    infeasible = [row[0] for row in rows if row[-3:] == ["no", "feasible", "point"]]
    assert infeasible == ["C17", "C19", "C26", "C28"]
    assert " ".join(rows[5]).endswith("30 0 g, 6 h 0 separable, with equalities")
    assert "Settings: dim (30 by default), definition (report by default)" in lines[-1]


def test_problems_of_other_suites(capsys, tmp_path):
    lines = listed("problems", capsys, "--suite", "cec2006")
    (row,) = [line.split() for line in lines if line.split()[:1] == ["G6"]]
    assert row[-12:-8] == ["0", "h", "-6961.813876", "inequalities"]
    lines = listed("problems", capsys, "--suite", "bbob-constrained", "--dim", "3")
    assert len([line for line in lines if "_i1 " in line]) == 54
    file = tmp_path / "mine.py"
    file.write_text("bounds = [(0, 1)] * 2\n\ndef fun(x):\n    return x[0]\n")
    lines = listed("problems", capsys, "--suite", str(file))
    assert "mine mine 2 0 g, 0 h" in [" ".join(line.split()) for line in lines]


def test_suites(capsys):
    names = [line.split()[0] for line in listed("suites", capsys) if line.strip()]
    assert {"cec2017", "cec2006", "bbob-constrained"} <= set(names)


def test_algorithms(capsys):
    assert listed("algorithms", capsys) == list(algorithm_names())
