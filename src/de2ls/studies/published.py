"""The published figures: the tables of the DE-2LS paper (28 problems, D = 30, 25 runs)."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from de2ls._checks import FloatArray

RUNS = 25
PARTS = {"accuracy": "accuracy", "speed": "speed", "uscore": "total", "rank": "rank"}
LAST_ROW = "Total"


@dataclass(frozen=True, eq=False)
class PublishedScore:
    """U-scores of a table; arrays have shape (problems, algorithms)."""

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    arrays: dict[str, FloatArray]  # accuracy, speed, total, and rank where the table has it
    sums: dict[str, dict[str, float]]  # the same, summed over the problems as printed


@dataclass(frozen=True)
class PublishedMean:
    """One cell of the table of means; None where the paper prints nothing."""

    mean: float | None
    deviation: float | None
    feasible: float  # share of the runs
    violation: float | None


@cache
def by_problem(name: str) -> PublishedScore:
    """Return a function-wise table: ``head_to_head`` or ``four_algorithms``."""
    header, *rows = _rows(name)
    places = [tuple(text.split("_", 1)) for text in header[1:]]
    algorithms = tuple(dict.fromkeys(algorithm for _, algorithm in places))
    values = np.array([row[1:] for row in rows], dtype=np.float64)
    arrays: dict[str, FloatArray] = {}
    sums: dict[str, dict[str, float]] = {}
    for text in dict.fromkeys(part for part, _ in places):
        columns = [places.index((text, algorithm)) for algorithm in algorithms]
        arrays[PARTS[text]] = values[:-1, columns]
        sums[PARTS[text]] = dict(zip(algorithms, values[-1, columns].tolist(), strict=True))
    problems = tuple(row[0] for row in rows[:-1])
    if rows[-1][0] != LAST_ROW:
        raise ValueError(f"the last row of {name}.csv must be {LAST_ROW!r}, got {rows[-1][0]!r}")
    return PublishedScore(algorithms, problems, arrays, sums)


@cache
def ablation() -> dict[str, dict[str, float]]:
    """Return the totals of the ablation: accuracy, speed, total and rank of each variant."""
    _, *rows = _rows("ablation")
    parts = ("accuracy", "speed", "total", "rank")
    return {part: {row[0]: float(row[1 + j]) for row in rows} for j, part in enumerate(parts)}


@cache
def means() -> dict[tuple[str, str], PublishedMean]:
    """Return the table of means by problem and algorithm."""
    header, *rows = _rows("mean_std")
    algorithms = [text.removesuffix("_mean") for text in header if text.endswith("_mean")]
    found = {}
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        for name in algorithms:
            found[row[0], name] = PublishedMean(
                _number(cells[f"{name}_mean"]),
                _number(cells[f"{name}_std"]),
                float(cells[f"{name}_feasible_percent"]) / 100,
                _number(cells[f"{name}_mean_cv"]),
            )
    return found


def _rows(name: str) -> list[list[str]]:
    text = (files("de2ls.studies") / "tables" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()))


def _number(text: str) -> float | None:
    return float(text) if text else None
