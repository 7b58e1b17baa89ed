"""Between the rows of a store's tables and the objects that users see."""

import json
import math
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._lists import several
from de2ls.campaigns import codec
from de2ls.problems.key import ProblemKey
from de2ls.problems.selection import chosen
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord, TrialSummary

_TRIALS = """
    FROM trials
    JOIN series ON series.id = series_id
    JOIN problems ON problems.id = problem_id
"""
_WITH_ENVIRONMENT = "JOIN environments ON environments.id = environment_id"
_REALS = ("f", "violation")  # SQLite keeps NaN as NULL
_PLAIN = (
    "algorithm",
    "seed",
    "max_evals",
    "n_evals",
    "stop",
    "n_invalid",
    "n_outside",
    "version",
    "wall_time",
)

# What a stored sum covers: all that a record is made of, as SQLite has it. The order counts.
_SMALL = (
    *("label", "config", "key", "run", "feasible", "min_ev", "lcv", "counters", "description"),
    *_PLAIN,
    *_REALS,
)
_BLOBS = ("checksum", "curve", "x", "g", "h", "trace")

SELECT_IDS = f"SELECT trials.id, series_id, problem_id, run {_TRIALS} {{where}}"
SELECT_PROBLEMS = f"SELECT DISTINCT problem_id {_TRIALS} {{where}}"
SELECT_SUMMARIES = f"SELECT * {_TRIALS} {_WITH_ENVIRONMENT} {{where}}"
# `stored_sum` is NULL where the schema has none.
SELECT_RECORDS = f"""SELECT {", ".join((*_SMALL, *_BLOBS))}, trials.id AS place, {{stored_sum}}
    {_TRIALS} {_WITH_ENVIRONMENT}
    JOIN curves ON curves.trial_id = trials.id
    JOIN details ON details.trial_id = trials.id
    WHERE trials.id IN ({{marks}})"""


def condition(
    selection: Mapping[str, Any], problems: Mapping[ProblemKey, int]
) -> tuple[str, list[Any]]:
    """Return the WHERE clause of a selection and its values; None selects everything.

    Parameters
    ----------
    selection : mapping
        `labels`, `runs`, and what `de2ls.problems.selection.chosen` takes.
    problems : mapping
        The store's problems and their ids.
    """
    labels, runs, rest = split(selection)
    columns: dict[str, list[Any] | None] = {"label": labels, "run": runs}
    if rest:
        known = {
            "problems",
            "keys",
            "suites",
            "dims",
            *(name for key in problems for name, _ in key.variant),
        }
        for name in rest:
            if problems and name not in known:
                names = ", ".join(sorted({"labels", "runs", *known}))
                raise ValueError(f"trials here are selected by {names}; got {name!r}")
        columns["problem_id"] = [problems[key] for key in chosen(problems, **rest)]
    given = {name: values for name, values in columns.items() if values is not None}
    clauses = [f"{name} IN ({', '.join('?' * len(values))})" for name, values in given.items()]
    where = f"WHERE {' AND '.join(clauses)}" if clauses else ""
    return where, [value for values in given.values() for value in values]


def split(
    selection: Mapping[str, Any],
) -> tuple[list[str] | None, list[int] | None, dict[str, Any]]:
    """Return the labels and runs of a selection, and what it says of the problems."""
    rest = {name: wanted for name, wanted in selection.items() if wanted is not None}
    labels, runs = rest.pop("labels", None), rest.pop("runs", None)
    return labels and several(labels), runs and several(runs), rest


def summary(row: sqlite3.Row) -> TrialSummary:
    """Return the summary in a row of `SELECT_SUMMARIES`."""
    return TrialSummary(**_fields(row), min_ev=_real(row["min_ev"]), lcv=_real(row["lcv"]))


def record(row: sqlite3.Row) -> TrialRecord:
    """Return the record in a row of `SELECT_RECORDS`."""
    values = dict(zip((*_SMALL, *_BLOBS), row, strict=False))  # faster than the row to look into
    return TrialRecord(
        **_fields(values),
        curve=codec.decode_table(values["curve"]),
        x=codec.decode_vector(values["x"]),
        g=codec.decode_vector(values["g"]),
        h=codec.decode_vector(values["h"]),
        trace=None if values["trace"] is None else codec.decode_table(values["trace"]),
    )


def is_sound(row: sqlite3.Row, record: TrialRecord) -> bool:
    """Whether a row of `SELECT_RECORDS`, and the record made of it, are what was stored."""
    known = row["stored_sum"]
    if known is None:
        return bool(row["checksum"] == codec.checksum(record))
    return bool(known == stored_sum(row))


def stored_sum(row: sqlite3.Row) -> bytes:
    """Return the SHA-256 of all that is stored of the trial in a row of `SELECT_RECORDS`.

    It says that the bytes are those that were written. The checksum of the record says the same
    of what they stand for, which is ten times as much to hash.
    """
    small, blobs = row[: len(_SMALL)], row[len(_SMALL) : len(_SMALL) + len(_BLOBS)]
    lengths = [None if blob is None else len(blob) for blob in blobs]
    return sha256(b"".join([json.dumps([small, lengths]).encode(), *filter(None, blobs)])).digest()


def failed_key(row: sqlite3.Row) -> TrialKey:
    """Return the trial of a row of the table `failures`, with the label of its series."""
    return TrialKey(row["label"], problem_key(row["problem"]), row["run"])


def _fields(row: sqlite3.Row | Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in _PLAIN},
        **{name: _real(row[name]) for name in _REALS},
        "key": TrialKey(row["label"], problem_key(row["key"]), row["run"]),
        "config": _mapping(row["config"]),
        "feasible": bool(row["feasible"]),
        "counters": _mapping(row["counters"]),
        "environment": _mapping(row["description"]),
    }


def check_evaluations(trial: TrialRecord) -> None:
    """Refuse a record whose `n_evals` contradicts its curve, its budget or why it ended.

    A trial that ends before its budget repeats its last sample up to the budget.
    """
    evals = _checks.integer("n_evals", trial.n_evals, 0, trial.max_evals)
    counts = trial.curve[:, 0]
    if trial.stop == "budget" and evals < trial.max_evals:
        reason = f"the budget of {trial.max_evals} is used up"
    elif counts[-1] < evals:
        reason = f"the curve ends at {counts[-1]:g} evaluations"
    elif not _is_constant(trial.curve[counts > evals, 1:]):
        reason = "the curve changes after them"
    else:
        return
    raise ValueError(f"n_evals of {trial.key} must agree with its curve: {reason}, got {evals}")


def _is_constant(samples: FloatArray) -> bool:
    return bool(np.array_equal(samples[1:], samples[:-1], equal_nan=True))


def trial_values(trial: TrialRecord) -> dict[str, Any]:
    """Return the columns of the table `trials`, without the references."""
    return {
        "run": trial.run,
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
        "counters": codec.to_json(trial.counters),
        "wall_time": float(trial.wall_time),
        "checksum": codec.checksum(trial),
    }


@lru_cache(maxsize=4096)
def problem_key(text: str) -> ProblemKey:
    """Return the key in a row of the table `problems`; refuse a text that is not its own form."""
    key = ProblemKey.from_dict(json.loads(text))
    if key.to_json() != text:
        raise ValueError(f"{text} is not the key of a problem")
    return key


def _real(value: float | None) -> float:
    return math.nan if value is None else value


@lru_cache(maxsize=4096)
def _mapping(text: str) -> Mapping[str, Any]:
    mapping: dict[str, Any] = json.loads(text)
    return mapping
