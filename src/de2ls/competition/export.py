"""Writing the competition's result files: ``<name>_CEC26_CSOP_F<k>.txt``."""

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls.competition.files import PROBLEMS
from de2ls.scores.collection import collect
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
    """Write one result file; reading it gives the same bits.

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
    if not name or name.startswith(".") or _UNFIT.search(name):
        raise ValueError(f"name must be fit for a file name, got {name!r}")
    column = np.asarray(evaluations, dtype=np.float64)
    runs = np.asarray(values, dtype=np.float64)
    if runs.ndim != 3 or runs.shape[1:] != (column.size, 2):
        raise ValueError(
            f"values must have shape (runs, {column.size}, 2) beside {column.size} evaluations, "
            f"got {runs.shape}"
        )
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder) / f"{name}_CEC26_CSOP_F{problem}.txt"
    rows = runs.transpose(1, 0, 2).reshape(column.size, -1)
    partial = path.with_suffix(".part")  # a file is there as a whole or not at all
    with partial.open("w", encoding="ascii", newline="\n") as out:
        for count, row in zip(column.tolist(), rows.tolist(), strict=True):
            out.write(" ".join([_count(count), *map(_text, row)]) + "\n")
    partial.replace(path)
    return path


def write_records(records: Iterable[TrialRecord], folder: str | os.PathLike[str]) -> list[Path]:
    """Write records as result files, one folder per series, runs in their order.

    Parameters
    ----------
    records : iterable of TrialRecord
        Of the CEC 2017 suite; in each series of one definition, instance, dimension and budget.
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
        collection = collect(trials, allow_unequal=True)
        for p, key in enumerate(collection.keys):
            if key.suite != "cec2017" or key.number is None:
                raise ValueError(f"{key} is not of the CEC 2017 suite: no file can be written")
            _check_grid([trial for trial in trials if trial.problem == key])
            grid, values = collection.grids[p][0], collection.cells[p][0]
            paths.append(write_file(Path(folder) / label, label, key.number, grid, values))
    return paths


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
