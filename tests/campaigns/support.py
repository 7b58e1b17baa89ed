"""Records made by hand, small real plans, and the command line as a real process."""

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from de2ls.campaigns import Plan, Store
from de2ls.campaigns.codec import fingerprint
from de2ls.problems.key import ProblemKey
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord

KEY = ProblemKey.make("cec2017", 1, 3, definition="report", instance=1)


def make_record(
    label: str = "series", problem: ProblemKey = KEY, run: int = 1, **changes: Any
) -> TrialRecord:
    """Return a record with values in every field, some of them replaced."""
    curve = np.array([[30.0, np.nan, 2.5], [60.0, 7.25, 0.0], [90.0, 7.25, 0.0]])
    record = TrialRecord(
        key=TrialKey(label, problem, run),
        algorithm="de2ls",
        config={"ls_mc": 3, "ls_sr": 0.1, "box": "inside"},
        seed=2**62 + 1,
        max_evals=90,
        n_evals=90,
        curve=curve,
        x=np.array([0.1, -0.0, 5e-324]),
        f=7.25,
        g=np.array([-1.0]),
        h=np.array([]),
        violation=0.0,
        feasible=True,
        stop="budget",
        trace=np.array([[30.0, 1.5], [20.0, 0.5], [10.0, 0.0]]),
        counters={"ls_calls": 2, "ls_evaluations": 20, "ls_improved": 1, "ls_gain": 0.125},
        n_invalid=4,
        version="0.1.0",
        environment={"cpu": "imaginary", "numpy": "2"},
        wall_time=0.7,
        n_outside=0,
    )
    return dataclasses.replace(record, **changes)


def assert_same(a: TrialRecord, b: TrialRecord) -> None:
    """Every field agrees, arrays bit by bit."""
    for field in dataclasses.fields(TrialRecord):
        mine, other = getattr(a, field.name), getattr(b, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.shape == other.shape, field.name
            assert mine.tobytes() == other.tobytes(), field.name
        elif isinstance(mine, float) and np.isnan(mine):
            assert np.isnan(other), field.name
        else:
            assert mine == other, field.name


def small_plan(**changes: Any) -> Plan:
    """Return a plan of real trials that takes a fraction of a second.

    ``dim=None`` and ``instance=None`` leave them to the problems, as files need it.
    """
    settings = {
        "algorithms": "de2ls,rdex",
        "problems": "1,4",
        "dim": 4,
        "instance": 1,
        "runs": 3,
        "max_evals": 600,
    }
    return Plan.from_settings({**settings, **changes})


def fingerprints(path: Path) -> dict[TrialKey, bytes]:
    """Return what the seeds determine of every trial in a store, by what identifies the trial."""
    with Store.open(path, readonly=True) as store:
        return {record.key: fingerprint(record) for record in store.records()}


def command(*arguments: str) -> list[str]:
    """Return the command line of a real ``de2ls`` process."""
    return [sys.executable, "-m", "de2ls", *arguments]


def de2ls(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``de2ls`` as a process of its own."""
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=300, check=False, **options
    )


def rest(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return what a process of which lines were read still says, and wait for its end.

    `communicate` would lose the lines that were read ahead of those taken so far.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    with process:  # closes the pipes in the end
        return process.stdout.read(), process.stderr.read()
