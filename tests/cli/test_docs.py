"""The commands and programs in the documentation run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(console|python|toml)(?: file=(\S+))?\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("name", ["campaigns.md", "cli.md", "reports.md", "suites.md"])
def test_blocks_run_in_their_order(name, called, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, file, text in BLOCK.findall((DOCS / name).read_text(encoding="utf-8")):
        if file:
            Path(file).write_text(text)
        elif kind == "python":
            exec(compile(text, name, "exec"), {})
            ran += 1
        elif kind == "console":
            for line in text.splitlines():
                program, *arguments = shlex.split(line.removeprefix("$ "))
                code, _, err = called(*arguments)
                assert (program, code) == ("de2ls", 0), f"{line}: {err}"
                ran += 1
    assert ran >= 2


def test_the_plan_in_the_documentation_is_a_plan(tmp_path):
    from de2ls.campaigns import Plan

    texts = [
        t for kind, _, t in BLOCK.findall((DOCS / "campaigns.md").read_text()) if kind == "toml"
    ]
    (tmp_path / "plan.toml").write_text(texts[0])
    plan = Plan.from_file(tmp_path / "plan.toml")
    assert len(plan) == 2 * 28 * 25
    assert [series.label for series in plan.series] == ["de2ls", "MC1"]


def test_exit_codes_and_events_are_documented():
    from de2ls import cli

    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| (\d+) \|", text, re.M)
    assert codes == [str(code) for code in (0, cli.FAILED, cli.USAGE, cli.STORE, cli.INTERRUPTED)]
    for command in cli.COMMANDS:
        assert f"`{command}`" in text
