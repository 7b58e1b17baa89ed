"""Writing result files: the competition's ``<name>_CEC26_CSOP_F<k>.txt``, or self-described."""

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.competition.files import PROBLEMS, SUITE, description
from de2ls.problems.key import ProblemKey
from de2ls.scores.collection import collect
from de2ls.scores.groups import grouped
from de2ls.scores.mixture import Fault, MixtureError
from de2ls.trials.record import TrialRecord

_UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f]')  # for file names, on some system


def write_file(
    folder: str | os.PathLike[str],
    name: str,
    problem: int,
    evaluations: Any,
    values: Any,
) -> Path:
    """Write one result file of the competition; reading it gives the same bits.

    Parameters
    ----------
    folder : path
        Where to write; made if it does not exist. An older file of the name is replaced.
    name : str
        The algorithm, as it is named in the file's name.
    problem : int
        The problem's number k, 1 to 28.
    evaluations : array_like, shape (samples,)
        The column of FEs; NaN where the number is not known.
    values : array_like, shape (runs, samples, 2)
        Min_EV and LCV.

    Returns
    -------
    Path
        The file.
    """
    problem = _checks.integer("problem", problem, 1, PROBLEMS)
    column = np.asarray(evaluations, dtype=np.float64)
    runs = np.asarray(values, dtype=np.float64)
    path = Path(folder) / f"{_fit(name)}_CEC26_CSOP_F{problem}.txt"
    return _write(path, column, runs)


def _write(path: Path, column: FloatArray, runs: FloatArray, first: str = "") -> Path:
    """Write evaluations and runs below the line `first`: the whole file or nothing."""
    if runs.ndim != 3 or runs.shape[1:] != (column.size, 2):
        raise ValueError(
            f"values must have shape (runs, {column.size}, 2) beside {column.size} evaluations, "
            f"got {runs.shape}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = runs.transpose(1, 0, 2).reshape(column.size, -1)
    partial = path.with_suffix(".part")
    with partial.open("w", encoding="ascii", newline="\n") as out:
        out.write(first)
        for count, row in zip(column.tolist(), rows.tolist(), strict=True):
            out.write(" ".join([_count(count), *map(_text, row)]) + "\n")
    partial.replace(path)
    return path


def write_records(records: Iterable[TrialRecord], folder: str | os.PathLike[str]) -> list[Path]:
    """Write records as result files, one folder per series, runs in their order.

    Parameters
    ----------
    records : iterable of TrialRecord
        Of any suites. A series on problems of CEC 2017 of one dimension, definition and instance
        becomes files of the competition; in others the first line of a file says whose runs it
        holds.
    folder : path
        Where the series' folders are made.

    Returns
    -------
    list of Path
        The files.
    """
    series: dict[str, list[TrialRecord]] = defaultdict(list)
    for record in records:
        series[record.label].append(record)
    paths = []
    for label, trials in series.items():
        groups = grouped(trial.problem for trial in trials)
        of_competition = [group.suite for group in groups] == [SUITE]
        for keys in groups.values():
            here = [trial for trial in trials if trial.problem in keys]
            collection = collect(here, allow_unequal=True)
            for p, key in enumerate(collection.keys):
                _check_grid([trial for trial in here if trial.problem == key])
                grid, values = collection.grids[p][0], collection.cells[p][0]
                if of_competition and key.number is not None:
                    path = write_file(Path(folder) / label, label, key.number, grid, values)
                else:
                    place = Path(folder) / _fit(label) / _file_name(label, key)
                    path = _write(place, grid, values, f"{description(label, key)}\n")
                paths.append(path)
    return paths


def _fit(name: str) -> str:
    """Return a name, or refuse it if files and folders cannot have it."""
    if not name or name.startswith(".") or _UNFIT.search(name):
        raise ValueError(f"name must be fit for a file name, got {name!r}")
    return name


def _file_name(label: str, key: ProblemKey) -> str:
    """Return a name with all that tells the problem apart."""
    return _UNFIT.sub("-", f"{label}_{key.suite}_{key}").replace(" ", "_") + ".txt"


def _check_grid(trials: list[TrialRecord]) -> None:
    grid = trials[0].curve[:, 0]
    odd = tuple(t for t in trials if not np.array_equal(t.curve[:, 0], grid, equal_nan=True))
    if odd:
        what = "one file has one column of evaluations, but other evaluations were recorded by"
        raise MixtureError([Fault("samples", what, odd)])


def _text(number: float) -> str:
    return "NaN" if math.isnan(number) else repr(number)


def _count(number: float) -> str:
    return str(int(number)) if number.is_integer() else _text(number)
