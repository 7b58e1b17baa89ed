"""Every command of the README but ``make test`` and ``make install`` works as it stands there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOT_RUN = {"make test", "make install"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)


def commands() -> list[str]:
    lines = (line.split("#")[0].strip() for block in blocks("sh") for line in block.splitlines())
    return [line for line in lines if line]


def run(command: list[str], folder: Path, **variables: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_readme_has_what_is_tested_here() -> None:
    assert len(blocks("python")) == 2
    assert {"make demo", "make test"} <= set(commands())
    assert any("de2ls run" in command for command in commands())


@pytest.mark.parametrize("number", [0, 1])
def test_python_of_the_readme_runs(number: int, tmp_path: Path) -> None:
    printed = run([sys.executable, "-c", blocks("python")[number]], tmp_path)
    assert "True" in printed if number == 0 else "de2ls" in printed


def test_commands_of_the_readme_run_in_their_order(tmp_path: Path) -> None:
    own = Path(sys.executable).parent / "de2ls"
    for command in commands():
        if command.startswith(".venv/bin/de2ls"):
            run([str(own), *shlex.split(command)[1:]], tmp_path)
    assert (tmp_path / "report" / "index.html").stat().st_size > 10_000


def test_the_demo_ends_in_a_score_table_and_a_report(tmp_path: Path) -> None:
    assert "make demo" in set(commands()) - NOT_RUN
    printed = run(["make", "demo"], ROOT)
    assert "de2ls" in printed
    assert "rdex" in printed
    assert (ROOT / "report" / "index.html").stat().st_size > 10_000
