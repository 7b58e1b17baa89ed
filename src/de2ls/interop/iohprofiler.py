"""IOHprofiler: trials as the JSON and .dat files that IOHanalyzer reads.

One folder per series; in it a JSON file per problem that lists the runs, and a .dat file per
dimension with the improvements of each run. IOHanalyzer knows no constraints: its `raw_y` is
Min_EV, infinite until a run has a feasible point; the violation (LCV) stands beside it.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls._version import __version__
from de2ls.trials.record import TrialRecord

VERSION = "0.3.5"  # of the format
ATTRIBUTES = ("evaluations", "raw_y", "violation")


def write_ioh(records: Iterable[TrialRecord], folder: str | Path) -> list[Path]:
    """Write trials for IOHanalyzer.

    Parameters
    ----------
    records : iterable of TrialRecord
        Read once, one after the other.
    folder : str or Path
        Created if it is missing; each series gets a folder of its own in it.

    Returns
    -------
    list of Path
        The JSON files.
    """
    metas: dict[Path, dict[str, Any]] = {}
    started: set[Path] = set()
    numbers: dict[tuple[str, str], int] = {}
    for record in records:
        key = record.problem
        number = key.number or numbers.setdefault((key.suite, key.label), 1 + len(numbers))
        name = safe_name(key.label)
        place = Path(folder) / safe_name(record.label)
        meta = metas.setdefault(
            place / f"IOHprofiler_f{number}_{name}.json", _meta(record, number, key.label)
        )
        path = f"data_f{number}_{name}/IOHprofiler_f{number}_DIM{key.dim}.dat"
        data = place / path
        data.parent.mkdir(parents=True, exist_ok=True)
        with data.open("a" if data in started else "w", encoding="ascii") as file:
            file.write(_lines(record.curve))
        started.add(data)
        _scenario(meta, key.dim, path)["runs"].append(_run(record))
    for listing, meta in metas.items():
        listing.write_text(json.dumps(meta, indent=1), encoding="utf-8")
    return list(metas)


def improvements(curve: FloatArray) -> FloatArray:
    """Return the rows of a curve (FEs, Min_EV, LCV) at which a value changes, and the last."""
    values = np.nan_to_num(curve[:, 1:], nan=np.inf)
    changed = (values[1:] != values[:-1]).any(axis=1)
    shown = np.concatenate([[True], changed])
    shown[-1] = True
    return np.column_stack([curve[shown, 0], values[shown]])


def safe_name(text: str) -> str:
    """Return a text as the name of a file or folder."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "series"


def _lines(curve: FloatArray) -> str:
    rows = [f"{int(fes)} {min_ev:.10g} {lcv:.10g}" for fes, min_ev, lcv in improvements(curve)]
    return "\n".join([" ".join(ATTRIBUTES), *rows]) + "\n"


def _meta(record: TrialRecord, number: int, name: str) -> dict[str, Any]:
    return {
        "version": VERSION,
        "suite": record.problem.suite or "own problems",
        "function_id": number,
        "function_name": name,
        "maximization": False,
        "algorithm": {"name": record.label, "info": f"{record.algorithm}, de2ls {__version__}"},
        "attributes": list(ATTRIBUTES),
        "scenarios": [],
    }


def _scenario(meta: dict[str, Any], dim: int, path: str) -> dict[str, Any]:
    scenarios: list[dict[str, Any]] = meta["scenarios"]
    found = [scenario for scenario in scenarios if scenario["dimension"] == dim]
    if not found:
        found = [{"dimension": dim, "path": path, "runs": []}]
        scenarios += found
    return found[0]


def _run(record: TrialRecord) -> dict[str, Any]:
    instance = record.problem.get("instance", 1)
    best = improvements(record.curve)
    reached = int(best[np.argmin(best[:, 1]), 0])
    return {
        "instance": instance if isinstance(instance, int) else 1,
        "evals": record.n_evals,
        "best": {
            "evals": reached,
            "y": record.min_ev if np.isfinite(record.min_ev) else None,
            "x": record.x.tolist(),
        },
    }
