"""``de2ls data status | install | fetch``."""

import os
import subprocess
import sys

import pytest

from de2ls.cli import main
from de2ls.suites.cec2017 import data


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command as a user with an empty home."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["data", *arguments])
        written = capsys.readouterr()
        return end.value.code or 0, written.out, written.err

    return call


def test_status_of_nothing(run, monkeypatch):
    monkeypatch.delenv(data.DATA_VARIABLE, raising=False)
    code, out, _ = run("status")
    assert code == 0
    assert f"{data.DATA_VARIABLE}: not set" in out
    assert f"used: {data.user_folder()}" in out
    assert "0 of 72 official files are in place." in out
    assert "missing: M1_5_D10.txt" in out
    assert "de2ls data fetch" in out


def test_status_of_a_damaged_folder(run, tmp_path, monkeypatch):
    (tmp_path / "shift_data_1.txt").write_text("1 2 3")
    monkeypatch.setenv(data.DATA_VARIABLE, str(tmp_path))
    _, out, _ = run("status")
    assert f"used: {tmp_path}" in out
    assert "not the official file: shift_data_1.txt" in out


@pytest.mark.official
def test_install_then_status(run, monkeypatch):
    code, out, _ = run("install", str(data.data_folder()))
    assert code == 0
    assert f"installed into {data.user_folder()}" in out
    monkeypatch.delenv(data.DATA_VARIABLE)
    _, out, _ = run("status")
    assert "72 of 72 official files are in place." in out
    assert "fetch" not in out


def test_install_of_the_wrong_folder(run, tmp_path):
    code, _, err = run("install", str(tmp_path))
    assert code == 1
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "lacks M1_5_D10.txt" in err


def test_fetch_from_nowhere_says_so_in_one_line(tmp_path):
    url = "http://127.0.0.1:1/data.zip"
    done = subprocess.run(
        [sys.executable, "-c", "from de2ls.cli import main; main()", "data", "fetch", "--url", url],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == f"downloading {url}\n"
    assert done.stderr.startswith(f"error: could not download {url}")
    assert done.stderr.count("\n") == 1
