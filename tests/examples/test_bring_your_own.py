"""The comparison that a user brings an algorithm and problems to: killed, resumed, scored."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from de2ls.campaigns import Store

SCRIPT = Path(__file__).parents[2] / "examples" / "bring_your_own" / "compare.sh"


@pytest.mark.slow  # the report alone draws some eighty figures
@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_script_of_a_new_user(tmp_path):
    command = tmp_path / "de2ls"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m de2ls "$@"\n')
    command.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(SCRIPT), str(tmp_path / "out"), "2", "200"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=900,  # the first time, everything is compiled
        check=False,
    )
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "out" / "first.log").read_text().splitlines()
    events = [json.loads(line) for line in log if line.startswith("{")]
    assert events[0]["to_run"] == 96
    assert 1 <= sum(event["event"] == "trial" for event in events) < 96
    assert "96 trials planned" in done.stdout
    with Store.open(tmp_path / "out" / "results.db", readonly=True) as store:
        keys = [record.key for record in store.records()]
    assert len(set(keys)) == len(keys) == 3 * (12 + 2 * 2) * 2
    assert {key.series for key in keys} == {"es", "de2ls", "rdex"}
    scores = (tmp_path / "out" / "scores.txt").read_text()
    assert all(text in scores for text in ("G12", "disk", "bowls", "D = 5", "D = 10"))
    assert (tmp_path / "out" / "report" / "index.html").stat().st_size > 10_000
