"""A table of runs in a CSV file that grows: what is missing is run and appended."""

import csv
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

Key = tuple[str, int, int]  # solver and two numbers: the first three columns
Rows = dict[Key, dict[str, str]]


def read(path: Path) -> Rows:
    """Return the rows that are there."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {_key(list(row.values())): row for row in rows}


def _key(values: list[str]) -> Key:
    return values[0], int(values[1]), int(values[2])


def run_missing(
    path: Path,
    fields: list[str],
    wanted: Iterable[Key],
    one_run: Callable[[str, int, int], dict[str, Any]],
    workers: int,
) -> Rows:
    """Run what is missing, append each result as it comes, and return all rows."""
    known = read(path)
    missing = [key for key in wanted if key not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file, ProcessPoolExecutor(workers) as pool:
        writer = csv.DictWriter(file, fields)
        if not known:
            writer.writeheader()
        done = as_completed([pool.submit(one_run, *key) for key in missing])
        for run in track(done, "runs", len(missing), console=Console(stderr=True)):
            writer.writerow(run.result())
            file.flush()
    return read(path)
