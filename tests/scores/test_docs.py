"""The examples of docs/scores.md run."""

import doctest
import re
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scores.md"


def test_examples_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(block, names)
    out = capsys.readouterr().out
    assert "| mine |" in out
    assert "totals U-scores, 28 problems, 25 trials each (cec2026)" in out


def test_every_rule_is_explained():
    from de2ls.competition import rules

    source = Path(rules.__file__).read_text()
    names = set(re.findall(r'"((?:\w+ )?(?:objective|violation|evaluations))"', source))
    assert len(names) >= 10
    page = PAGE.read_text()
    assert [name for name in sorted(names) if name not in page] == []


def test_examples_in_docstrings_run():
    module = import_module("de2ls.scores.uscore")  # the package has a function of that name
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
