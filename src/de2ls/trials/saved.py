"""Saved trials: reading one, to continue it."""

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.problems.problem import Problem
from de2ls.trials.driver import SCHEMA, Driver, description, new_driver

Source = str | Path | IO[bytes]


def load_driver(path: Source, problem: Problem, algorithm: str | Algorithm | None = None) -> Driver:
    """Read a saved trial of `problem`; an algorithm that is in no file must be given again."""
    with _opened(path) as saved:
        return _from_arrays(path, problem, saved, algorithm)


def saved_notes(path: Source, name: str) -> tuple[dict[str, Any], Any]:
    """Return the header of a saved trial and the JSON of its extra array `name`, or None."""
    with _opened(path) as saved:
        header = json.loads(str(saved["header"])) if "header" in saved else {}
        return header, json.loads(str(saved[name])) if name in saved else None


def saved_history(path: Source) -> FloatArray:
    """Return the curve of a saved trial so far: rows of FEs, Min_EV and LCV."""
    with _opened(path) as saved:
        return np.asarray(saved["history"], dtype=np.float64)


@contextmanager
def _opened(path: Source) -> Iterator[Any]:
    if isinstance(path, str | Path) and Path(path).exists() and not zipfile.is_zipfile(path):
        raise ValueError(f"the file {str(path)!r} holds no saved trial")
    try:
        with np.load(path, allow_pickle=False) as saved:
            yield saved
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        raise ValueError(f"the file {str(path)!r} holds a damaged trial: {error}") from error


def _from_arrays(
    path: Source, problem: Problem, saved: Any, algorithm: str | Algorithm | None
) -> Driver:
    header = json.loads(str(saved["header"])) if "header" in saved else {}
    if header.get("schema") != SCHEMA:
        raise ValueError(
            f"the file {str(path)!r} holds a trial of schema {header.get('schema')}; "
            f"this version reads schema {SCHEMA}"
        )
    _require_same(header["problem"], description(problem))
    chosen = get_algorithm(header["algorithm"] if algorithm is None else algorithm)
    if chosen.reference != header["algorithm"]:
        raise ValueError(
            f"algorithm must be the saved trial's, {header['algorithm']}, got {chosen.reference}"
        )
    driver = new_driver(chosen, problem, header["seed"], header["max_evals"], header["config"])
    try:
        driver.restore(saved)
    except ValueError as error:
        raise ValueError(f"path {str(path)!r} cannot be continued: {error}") from error
    driver.wall_time = header.get("wall_time", 0.0)
    return driver


def _require_same(saved: dict[str, Any], given: dict[str, Any]) -> None:
    for name in sorted(saved.keys() | given.keys()):
        if saved.get(name) != given.get(name):
            raise ValueError(
                f"problem must be the saved trial's: its {name} is {saved.get(name)}, "
                f"got {given.get(name)}"
            )
