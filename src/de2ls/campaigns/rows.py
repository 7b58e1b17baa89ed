"""Between the rows of a store's tables and the objects that users see."""

import json
import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.campaigns import codec
from de2ls.trials.record import LocalSearchLog, TrialRecord

_KEY_FIELDS = ("suite", "number", "dim", "definition", "instance")

_TRIALS = """
    FROM trials
    JOIN series ON series.id = series_id
    JOIN problems ON problems.id = problem_id
"""
_SUMMARY = """label, algorithm, key, run, seed, max_evals, n_evals, f, violation,
    feasible, min_ev, lcv, stop, wall_time"""
_WITH_CURVE = "JOIN curves ON curves.trial_id = trials.id"
_ORDER = "ORDER BY series_id, suite, number, dim, definition, instance, key, run"

SELECT_IDS = f"SELECT trials.id {_TRIALS} {{where}} {_ORDER}"
SELECT_SUMMARIES = f"SELECT {_SUMMARY} {_TRIALS} {{where}} {_ORDER}"
SELECT_CURVE = f"SELECT {_SUMMARY}, curve {_TRIALS} {_WITH_CURVE} WHERE trials.id = ?"
SELECT_RECORD = f"""SELECT * {_TRIALS} {_WITH_CURVE}
    JOIN details ON details.trial_id = trials.id
    JOIN environments ON environments.id = environment_id
    WHERE trials.id = ?"""

_SELECTORS = {
    "labels": "label",
    "problems": "number",
    "suites": "suite",
    "dims": "dim",
    "definitions": "definition",
    "instances": "instance",
    "runs": "run",
}


@dataclass(frozen=True)
class TrialSummary:
    """One line of a listing: a stored trial without its arrays."""

    label: str
    algorithm: str
    problem: Mapping[str, Any]
    run: int
    seed: int
    max_evals: int
    n_evals: int
    f: float
    violation: float
    feasible: bool
    min_ev: float
    lcv: float
    stop: str
    wall_time: float


@dataclass(frozen=True, eq=False)
class TrialCurve(TrialSummary):
    """A stored trial with its curve, which is what a score reads."""

    curve: FloatArray  # (rows, 3): FEs, Min_EV, LCV


def condition(selection: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the WHERE clause of a selection and its values; None selects everything."""
    clauses = []
    values: list[Any] = []
    for name, wanted in selection.items():
        if name not in _SELECTORS:
            raise TypeError(f"trials are selected by {', '.join(_SELECTORS)}; got {name!r}")
        if wanted is None:
            continue
        several = [wanted] if isinstance(wanted, str | int) else list(wanted)
        clauses.append(f"{_SELECTORS[name]} IN ({', '.join('?' * len(several))})")
        values += several
    return (f"WHERE {' AND '.join(clauses)}" if clauses else "", values)


def summary(row: sqlite3.Row) -> TrialSummary:
    """Return the summary in a row of `SELECT_SUMMARIES`."""
    return TrialSummary(**_summary_fields(row))


def with_curve(row: sqlite3.Row) -> TrialCurve:
    """Return the summary and the curve in a row of `SELECT_CURVE`."""
    return TrialCurve(**_summary_fields(row), curve=codec.decode_table(row["curve"]))


def _summary_fields(row: sqlite3.Row) -> dict[str, Any]:
    reals = {name: _real(row[name]) for name in ("f", "violation", "min_ev", "lcv")}
    names = ("label", "algorithm", "run", "seed", "max_evals", "n_evals", "stop", "wall_time")
    others = {name: row[name] for name in names}
    return {**others, **reals, "feasible": bool(row["feasible"]), "problem": _mapping(row["key"])}


def record(row: sqlite3.Row) -> TrialRecord:
    """Return the record in a row of `SELECT_RECORD`."""
    return TrialRecord(
        algorithm=row["algorithm"],
        config=_mapping(row["config"]),
        problem=_mapping(row["key"]),
        seed=row["seed"],
        max_evals=row["max_evals"],
        n_evals=row["n_evals"],
        curve=codec.decode_table(row["curve"]),
        x=codec.decode_vector(row["x"]),
        f=_real(row["f"]),
        g=codec.decode_vector(row["g"]),
        h=codec.decode_vector(row["h"]),
        violation=_real(row["violation"]),
        feasible=bool(row["feasible"]),
        stop=row["stop"],
        label=row["label"],
        trace=None if row["trace"] is None else codec.decode_table(row["trace"]),
        local_search=LocalSearchLog(
            row["ls_calls"], row["ls_evaluations"], row["ls_improved"], _real(row["ls_gain"])
        ),
        n_invalid=row["n_invalid"],
        version=row["version"],
        environment=_mapping(row["description"]),
        wall_time=row["wall_time"],
        n_outside=row["n_outside"],
    )


def trial_values(trial: TrialRecord, run: int) -> dict[str, Any]:
    """Return the columns of the table `trials`, without the references."""
    log = trial.local_search
    return {
        "run": int(run),
        "seed": _checks.integer("seed", trial.seed, 0, 2**63 - 1),
        "max_evals": int(trial.max_evals),
        "n_evals": int(trial.n_evals),
        "f": float(trial.f),
        "violation": float(trial.violation),
        "feasible": int(trial.feasible),
        "min_ev": trial.min_ev,
        "lcv": trial.lcv,
        "stop": trial.stop,
        "n_invalid": int(trial.n_invalid),
        "n_outside": int(trial.n_outside),
        "ls_calls": int(log.calls),
        "ls_evaluations": int(log.evaluations),
        "ls_improved": int(log.improved),
        "ls_gain": float(log.gain),
        "wall_time": float(trial.wall_time),
        "checksum": codec.checksum(trial, run),
    }


def problem_values(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of the table `problems`."""
    return {"key": codec.to_json(problem), **{name: problem.get(name) for name in _KEY_FIELDS}}


def problem_name(problem: Mapping[str, Any]) -> str:
    """Return what messages call a problem, such as ``cec2017 C01 D=30 report/0``."""
    if problem.get("suite") == "cec2017":
        return "cec2017 C{number:02d} D={dim} {definition}/{instance}".format(**problem)
    return f"{problem.get('suite') or problem.get('name', 'problem')} D={problem.get('dim')}"


def _real(value: float | None) -> float:
    return math.nan if value is None else value


@lru_cache(maxsize=4096)
def _mapping(text: str) -> Mapping[str, Any]:
    mapping: dict[str, Any] = json.loads(text)
    return mapping
