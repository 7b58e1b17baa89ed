"""Every command of the README but ``make test`` works as it stands there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)


def commands() -> list[str]:
    lines = (line.split("#")[0].strip() for block in blocks("sh") for line in block.splitlines())
    return [line for line in lines if line]


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_first_example_prints_what_the_readme_says(tmp_path: Path) -> None:
    assert run([sys.executable, "-c", blocks("python")[0]], tmp_path) == blocks("output")[0]


def test_the_comparison_in_python_prints_a_score_of_both(tmp_path: Path) -> None:
    printed = run([sys.executable, "-c", blocks("python")[1]], tmp_path)
    assert "de2ls" in printed
    assert "rdex" in printed


def test_commands_of_the_readme_run_in_their_order(tmp_path: Path) -> None:
    given = [shlex.split(command)[1:] for command in commands() if command.startswith("de2ls ")]
    assert [words[0] for words in given] == ["run", "score", "report"]
    for words in given:
        run([sys.executable, "-m", "de2ls", *words], tmp_path)
    assert (tmp_path / "report" / "index.html").stat().st_size > 10_000


@pytest.mark.demo
def test_the_demo_ends_in_a_score_table_and_a_report() -> None:
    assert {"make demo", "make test"} <= set(commands())
    printed = run(["make", "demo"], ROOT)
    assert "de2ls" in printed
    assert "rdex" in printed
    assert (ROOT / "report" / "index.html").stat().st_size > 10_000


def test_every_file_that_the_readme_names_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", (ROOT / "README.md").read_text())
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []
