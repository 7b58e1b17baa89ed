"""Campaigns: two threads against one, bytes per trial, and a store of 100,000 trials.

The threads run the same plan (all problems at D = 30, full budget) in the same run, in alternating
blocks so that a drift of the machine meets both. Bar: 1.85 times the trials per minute. In the
large store info, a filtered listing and opening one trial must each take under a second.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from de2ls.campaigns import Plan, Store, run_campaign
from de2ls.campaigns.codec import encode_table
from de2ls.campaigns.executors import compile_kernels
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord

BLOCKS = 2
LABELS = [f"series {i}" for i in range(1, 41)]
PROBLEMS = range(1, 26)
RUNS = range(1, 101)  # 40 x 25 x 100 = 100,000 trials


def measure_threads(folder: Path) -> Path:
    """Print the trials per minute of one and of two threads; return a store of real trials."""
    settings = {"algorithms": "de2ls", "problems": "1-28", "dim": 30, "instance": 1, "runs": 1}
    plan = Plan.from_settings(settings)
    compile_kernels(list(plan.trials()))
    wall = {1: 0.0, 2: 0.0}
    for block in range(BLOCKS):
        for workers in wall:
            begin = time.perf_counter()
            path = folder / f"{workers} threads, block {block}.db"
            outcome = run_campaign(plan, path, workers=workers, executor="threads")
            wall[workers] += time.perf_counter() - begin
            assert outcome.left == 0
    rates = {workers: 60 * BLOCKS * len(plan) / seconds for workers, seconds in wall.items()}
    for workers, rate in rates.items():
        print(f"{workers} thread(s): {rate:6.1f} trials per minute")
    print(f"ratio {rates[2] / rates[1]:.2f}  (bar: 1.85)")
    return path


def measure_bytes(path: Path) -> TrialRecord:
    """Print what a real trial takes in the store; return one."""
    with Store.open(path, readonly=True) as store:
        info = store.info()
        records = list(store.records())
    sizes = np.array([len(encode_table(record.curve)) for record in records])
    raw = records[0].curve.nbytes
    print(f"{info.bytes_per_trial:,.0f} bytes per trial in a store of {info.trials} real trials")
    print(
        f"curve: {raw:,} bytes become {sizes.mean():,.0f} "
        f"(smallest {sizes.min():,}, largest {sizes.max():,}): factor {raw / sizes.mean():.1f}"
    )
    return records[int(np.argsort(sizes)[len(sizes) // 2])]


def measure_large(folder: Path, sample: TrialRecord) -> None:
    """Fill a store with copies of a real trial and print how long looking into it takes."""
    path = folder / "large.db"
    count = len(LABELS) * len(PROBLEMS) * len(RUNS)
    begin = time.perf_counter()
    with Store.open(path) as store, store.transaction():
        for label in LABELS:
            for number in PROBLEMS:
                problem = replace(sample.problem, name=number)
                for run in RUNS:
                    key = TrialKey(label, problem, run)
                    store.insert(replace(sample, key=key, seed=run))
    seconds = time.perf_counter() - begin
    print(
        f"{count:,} trials stored in {seconds:.0f} s, {1e3 * seconds / count:.2f} ms each; "
        f"{path.stat().st_size / 1e6:,.0f} MB"
    )
    looks: dict[str, Callable[[Store], Any]] = {
        "info": lambda store: store.info(),
        "listing of one series (2,500 trials)": lambda store: list(store.trials(labels=LABELS[7])),
        "listing of one cell (100 trials)": lambda store: list(
            store.trials(labels=LABELS[7], problems=9)
        ),
        "opening one trial": lambda store: store.record(LABELS[7], 50, problems=9),
        "curves of 4 series x 5 problems x 25 runs": lambda store: list(
            store.records(labels=LABELS[:4], problems=range(1, 6), runs=range(1, 26))
        ),
    }
    for name, look in looks.items():
        begin = time.perf_counter()
        with Store.open(path, readonly=True) as store:
            look(store)
        print(f"{name:42} {time.perf_counter() - begin:6.3f} s")


def main() -> None:
    """Print all measurements."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = measure_threads(folder)
        measure_large(folder, measure_bytes(path))
