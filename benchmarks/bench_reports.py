"""Score, report and export of 7 series x 28 problems x 51 runs x 2001 samples, each a command.

Seconds by the clock, which count on a quiet machine; CPU seconds of all threads and processes; and
peak memory of its largest process: a report draws in a second one, of about 120 MB. Bars: score
3 s, report 15 s and 500 MB with a page of 5 MB, export 20 s, info of a store with 100,000 trials
2 s.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from de2ls.campaigns import Store
from de2ls.problems.key import ProblemKey
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord

SERIES = ("de2ls", "rdex", "cl-srde", "ude3", "ude4", "rde26", "rdex-cask")
PROBLEMS = range(1, 29)
RUNS = range(1, 52)
SAMPLES = 2001
DIM = 30


def curve(rng: np.random.Generator, samples: int = SAMPLES) -> np.ndarray:
    """Return a curve that falls in steps; about one trial in ten ends infeasible."""
    steps = (rng.random(samples) < 0.2) * rng.exponential(size=samples)
    depth = np.cumsum(steps) * rng.uniform(0.2, 1.0)
    stuck = rng.random() < 0.1
    violation = 50.0 * np.exp(-depth / 100.0) if stuck else np.maximum(0.0, 50.0 - depth)
    objective = np.where(violation == 0.0, 1000.0 * np.exp(-depth / 20.0), np.nan)
    evaluations = 10.0 * DIM * np.maximum(1, np.arange(samples))
    return np.column_stack([evaluations, objective, violation])


def trials(
    series: tuple[str, ...] = SERIES, runs: range = RUNS, samples: int = SAMPLES
) -> Iterator[TrialRecord]:
    """Yield a whole campaign of synthetic trials."""
    rng = np.random.default_rng(1)
    for label in series:
        for number in PROBLEMS:
            key = ProblemKey.make("cec2017", number, DIM, definition="report", instance=0)
            for run in runs:
                table = curve(rng, samples)
                end = int(table[-1, 0])
                yield TrialRecord(
                    key=TrialKey(label, key, run),
                    algorithm=label,
                    config={},
                    seed=run,
                    max_evals=end,
                    n_evals=end,
                    f=float(table[-1, 1]),
                    violation=float(table[-1, 2]),
                    feasible=bool(table[-1, 2] == 0.0),
                    stop="budget",
                    curve=table,
                    x=rng.random(DIM),
                    g=rng.random(2),
                    h=np.empty(0),
                    version="synthetic",
                    wall_time=1.0,
                )


def make_store(path: Path) -> Path:
    """Fill a store, unless it is there already."""
    if not path.exists():
        with Store.open(path) as store, store.transaction():
            for record in trials():
                store.insert(record)
    return path


def make_large(path: Path) -> Path:
    """Fill a store with 100,000 short trials: 36 series x 28 problems x 100 runs."""
    if not path.exists():
        labels = tuple(f"series {i}" for i in range(1, 37))
        with Store.open(path) as store, store.transaction():
            for record in trials(labels, range(1, 101), samples=11):
                store.insert(record)
    return path


def measure(*arguments: str) -> tuple[float, float, float]:
    """Return seconds, CPU seconds and peak megabytes of ``de2ls`` with these arguments."""
    command = [sys.executable, "-m", "de2ls", *arguments]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    wall = time.perf_counter() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print seconds, megabytes and the size of the page."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(os.environ.get("DE2LS_BENCH_FOLDER", temporary))
        store, large = str(make_store(folder / "scale.db")), str(make_large(folder / "large.db"))
        for bar, arguments in [
            ("3 s", ("score", store)),
            ("15 s, 500 MB", ("report", store, "-o", str(folder / "report"))),
            ("20 s", ("export", store, "-o", str(folder / "files"))),
            ("20 s", ("export", store, "-o", str(folder / "ioh"), "--format", "ioh")),
            ("2 s", ("store", "info", large)),
        ]:
            wall, spent, peak = measure(*arguments)
            what = " ".join(arguments).replace(f"{folder}/", "")
            print(f"{what:40s} {wall:5.1f} s {spent:5.1f} s CPU {peak:5.0f} MB  (bar {bar})")
        size = (folder / "report" / "index.html").stat().st_size / 1e6
        print(f"{'page':40s} {size:5.1f} MB  (bar 5 MB)")


if __name__ == "__main__":
    main()
