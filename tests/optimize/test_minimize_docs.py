"""The code in docs/minimize.md and in the docstrings runs as it stands there."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_guide(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / "minimize.md").read_text(), re.M | re.S)
    assert len(blocks) == 11
    names = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/minimize.md", "exec"), names)  # one after the other, as read
    printed = capsys.readouterr().out
    assert "True Done: " in printed
    assert "[array([ True])] [array([" in printed
    assert "division by zero" in printed
    assert (tmp_path / "search.png").stat().st_size > 10_000
    assert (tmp_path / "search.npz").exists()


@pytest.mark.parametrize(
    "link", sorted(set(re.findall(r"\]\(([^)#]+)\)", (DOCS / "minimize.md").read_text())))
)
def test_links(link):
    assert (DOCS / link).exists()


@pytest.mark.parametrize(
    "module",
    ["optimize.minimizer", "optimize.optimizer", "interop.scipy", "interop.pymoo", "problems.wrap"],
)
def test_docstrings(module):
    if module == "interop.pymoo":
        pytest.importorskip("pymoo")
    name = f"de2ls.{module}"
    imported = __import__(name, fromlist=["x"])
    result = doctest.testmod(imported, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    assert result.attempted > 0 or module == "problems.wrap"
