"""``de2ls list problems | algorithms``."""

import pytest

from de2ls import algorithm_names
from de2ls.cli import main


def listed(what, capsys):
    with pytest.raises(SystemExit) as end:
        main(["list", what])
    assert not end.value.code
    return capsys.readouterr().out.splitlines()


def test_problems(capsys):
    lines = listed("problems", capsys)
    rows = [line.split() for line in lines if line.strip().startswith("C") and "±" in line]
    assert [row[0] for row in rows] == [f"C{k:02d}" for k in range(1, 29)]
    infeasible = [row[0] for row in rows if row[-1] == "none"]
    assert infeasible == ["C17", "C19", "C26", "C28"]
    assert rows[5][-9:] == ["10", "30", "50", "100", "±20", "0", "g,", "6", "h", "yes"][1:]


def test_algorithms(capsys):
    assert listed("algorithms", capsys) == list(algorithm_names())
