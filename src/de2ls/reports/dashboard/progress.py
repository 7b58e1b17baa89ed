"""How far a campaign is, by a few aggregates over its store: quick also for 100,000 trials."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from de2ls.campaigns.rows import problem_key
from de2ls.campaigns.store import Store
from de2ls.engine.budget import checked_budget
from de2ls.problems.key import ProblemKey
from de2ls.reports.palette import looks
from de2ls.scores.groups import grouped

_RECENT = 12  # results that the page lists
_FAILURES = 50  # failures that the page lists
_PACE = 200  # results from which the rate is taken

Cell = tuple[str, ProblemKey]

_CELLS = """SELECT label, key, done, feasible, best FROM (
        SELECT series_id, problem_id, count(*) AS done, sum(feasible) AS feasible,
               min(min_ev) AS best
        FROM trials GROUP BY series_id, problem_id
    ) JOIN series ON series.id = series_id JOIN problems ON problems.id = problem_id"""
_AS_PLANNED = """SELECT label, key, done FROM (
        SELECT series_id, problem_id, count(*) AS done FROM trials
        WHERE run IN (SELECT value FROM json_each(?)) GROUP BY series_id, problem_id
    ) JOIN series ON series.id = series_id JOIN problems ON problems.id = problem_id"""
_LAST = """SELECT label, key, run, min_ev, lcv, feasible, n_evals, max_evals, wall_time, stored
    FROM trials JOIN series ON series.id = series_id JOIN problems ON problems.id = problem_id
    ORDER BY trials.id DESC LIMIT ?"""


@dataclass(frozen=True)
class Planned:
    """What all plans of a store ask of one series on one problem."""

    runs: frozenset[int]
    budget: int  # of each trial


def progress(path: Path) -> dict[str, Any]:
    """Return what the page shows of a store, as JSON data, without anything that needs curves.

    Parameters
    ----------
    path : Path
        The store's file; it is only read.
    """
    with Store.open(path, readonly=True) as store:
        plans = store.query("SELECT plan FROM plans ORDER BY id")
        planned = planned_cells(tuple(row["plan"] for row in plans))
        stored = {_cell(row): row for row in store.query(_CELLS)}
        counts = _as_planned(store, planned)
        labels = [row["label"] for row in store.query("SELECT label FROM series ORDER BY id")]
        last = [dict(row) for row in store.query(_LAST, (_PACE,))]
        failures = store.failures()
    failed = Counter((key.series, key.problem) for key in failures)
    cells = {}
    for cell in {**planned, **stored}:
        row, plan = stored.get(cell), planned.get(cell)
        done = row["done"] if row is not None else 0
        unplanned = done - counts[cell]
        cells[cell] = {
            "done": done,
            "planned": unplanned + (len(plan.runs) if plan is not None else 0),
            "failed": failed[cell],
            "feasible": row["feasible"] if row is not None else 0,
            "best": row["best"] if row is not None else None,
        }
    left = sum(
        plan.budget * (len(plan.runs) - counts[cell] - failed[cell])
        for cell, plan in planned.items()
    )
    pace = measured_pace(last)
    return {
        "series": _series(labels, cells),
        "groups": _groups(labels, cells),
        "pace": pace,
        "secondsLeft": left / pace["budget"] if pace and left > 0 else None,
        "recent": [_result(row) for row in last[:_RECENT]],
        "failures": [
            {"label": key.series, **_names(key.problem), "run": key.run, "reason": reason}
            for key, reason in list(reversed(failures.items()))[:_FAILURES]
        ],
        "failed": len(failures),
    }


@lru_cache(maxsize=4)
def planned_cells(plans: tuple[str, ...]) -> Mapping[Cell, Planned]:
    """Return what plans (JSON) ask for, cell by cell; equal runs of several plans count once."""
    found: dict[Cell, Planned] = {}
    for plan in map(json.loads, plans):
        runs = frozenset(plan["runs"])
        for problem in map(ProblemKey.from_dict, plan["problems"]):
            budget = checked_budget(plan["max_evals"], problem.dim)
            for series in plan["series"]:
                cell = series["label"], problem
                before = found.get(cell, Planned(frozenset(), budget))
                found[cell] = Planned(before.runs | runs, budget)
    return found


def _as_planned(store: Store, planned: Mapping[Cell, Planned]) -> Counter[Cell]:
    """Return how many of the planned runs are stored: one query per set of runs."""
    counts: Counter[Cell] = Counter()
    for runs in {plan.runs for plan in planned.values()}:
        for row in store.query(_AS_PLANNED, (json.dumps(sorted(runs)),)):
            cell = _cell(row)
            if cell in planned and planned[cell].runs == runs:
                counts[cell] = row["done"]
    return counts


def measured_pace(last: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """Return trials, evaluations and budget per second of the latest results, newest first.

    They end at the last pause of the campaign: while it runs, no two results are much farther
    apart than its longest trial takes.
    """
    times = [row["stored"] for row in last]
    if len(times) < 2 or None in times[:2]:
        return None
    longest = 10.0 + 2.0 * max(row["wall_time"] for row in last)
    count = 1
    while count < len(times) and times[count] is not None:
        if times[count - 1] - times[count] > longest:
            break
        count += 1
    span = times[0] - times[count - 1]
    if count < 2 or span <= 0:
        return None
    work = last[: count - 1]  # what was done since the oldest of them
    return {
        "trials": len(work) / span,
        "evaluations": sum(row["n_evals"] for row in work) / span,
        "budget": sum(row["max_evals"] for row in work) / span,
    }


def _series(labels: Sequence[str], cells: Mapping[Cell, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the series with their sums and colours, in the store's order."""
    styles = looks(labels)
    sums = {label: Counter[str]() for label in labels}
    for (label, _), cell in cells.items():
        sums[label].update({name: cell[name] for name in ("done", "planned", "failed")})
    return [
        {
            "label": label,
            "light": styles[label].light,
            "dark": styles[label].dark,
            **{name: sums[label][name] for name in ("done", "planned", "failed")},
        }
        for label in labels
    ]


def _groups(labels: Sequence[str], cells: Mapping[Cell, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups of problems; a cell is done, planned, failed, feasible and best."""
    return [
        {
            "name": str(group),
            "problems": [key.label for key in keys],
            "titles": [str(key) for key in keys],
            "cells": [
                [list(cells[label, key].values()) if (label, key) in cells else None
                 for label in labels]
                for key in keys
            ],
        }
        for group, keys in grouped(problem for _, problem in cells).items()
    ]  # fmt: skip


def _cell(row: Any) -> Cell:
    return row["label"], problem_key(row["key"])


def _result(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored trial as the page lists it."""
    names = ("label", "run", "min_ev", "lcv", "feasible", "n_evals", "wall_time", "stored")
    return {**_names(problem_key(row["key"])), **{name: row[name] for name in names}}


def _names(problem: ProblemKey) -> dict[str, str]:
    return {"problem": problem.label, "key": str(problem)}
