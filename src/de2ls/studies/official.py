"""The official result of the CEC 2026 competition on the same 28 problems.

The totals are facts and stand here; the function-wise table is read from a file where one is at
hand (option ``--official``, environment variable ``DE2LS_CEC2026_OFFICIAL``).
"""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from de2ls._checks import FloatArray

VARIABLE = "DE2LS_CEC2026_OFFICIAL"

TOTALS = {
    "RDE26": 192754,
    "RDEx": 158971,
    "RDEx-CASK": 145189,
    "DE-2LS": 143146,
    "AEBDE": 133596,
    "UDE-III": 119536,
    "UDE-IV": 111680,
    "CL-SRDE": 109526,
}


@dataclass(frozen=True, eq=False)
class OfficialTable:
    """U-scores of the official entries; shape (problems, algorithms)."""

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    uscore: FloatArray


def official_table(path: str | Path | None) -> OfficialTable | None:
    """Return the function-wise table of a file: of `path`, or of the environment variable's.

    Its columns are ``problem`` and ``uscore_<algorithm>``; others are not read.
    """
    place = path or os.environ.get(VARIABLE)
    if not place:
        return None
    with Path(place).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [text for text in (rows[0] if rows else {}) if text.startswith("uscore_")]
    if not names or "problem" not in rows[0]:
        raise ValueError(f"{place} must have columns problem and uscore_<algorithm>")
    values = np.array([[float(row[name]) for name in names] for row in rows])
    problems = tuple(row["problem"] for row in rows)
    return OfficialTable(tuple(name.removeprefix("uscore_") for name in names), problems, values)
