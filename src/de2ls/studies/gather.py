"""From a store to what a reproduction scores: collections under the papers' names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from de2ls.algorithms import get_algorithm
from de2ls.algorithms.late_local_search import COUNTERS
from de2ls.reports.material import Gathered, gather
from de2ls.scores import Bootstrap, Collection, Table, bootstrap
from de2ls.scores.tables import Column, Value
from de2ls.trials.record import TrialSummary


def titles(*names: str) -> dict[str, str]:
    """Return the titles of algorithms by their names."""
    return {name: get_algorithm(name).title for name in names}


def gather_group(
    store: str | Path, selection: Mapping[str, Any], allow_unequal: bool = False
) -> Gathered:
    """Read the selected trials, which are of one group."""
    (gathered,) = gather(store, selection, allow_unequal)
    return gathered


def renamed(collection: Collection, names: Mapping[str, str]) -> Collection:
    """Return the collection of the series in `names`, under the names that the paper uses."""
    return collection.select(list(names)).renamed(names)


def joined(collections: Sequence[Collection]) -> Collection:
    """Return one collection of the problems of several, which have the same series."""
    parts = {
        name: tuple(chain.from_iterable(getattr(c, name) for c in collections))
        for name in ("keys", "cells", "feasible_tols", "grids", "runs", "seeds")
    }
    order = sorted(range(len(parts["keys"])), key=parts["keys"].__getitem__)
    sorted_parts: dict[str, Any] = {
        name: tuple(values[p] for p in order) for name, values in parts.items()
    }
    return replace(collections[0], **sorted_parts)


def each_problem(collection: Collection, resamples: int, seed: int) -> dict[str, Bootstrap]:
    """Return a bootstrap of each problem alone."""
    return {
        name: bootstrap(collection.select(problems=[name]), resamples=resamples, seed=seed)
        for name in collection.problems
    }


def finals_table(trials: Iterable[TrialSummary]) -> Table:
    """Return the final values of every trial: enough for all tables but the U-scores."""
    columns = (
        "series",
        "problem",
        "definition",
        "run",
        "evaluations",
        "Min_EV",
        "LCV",
        "LS calls",
        "LS evaluations",
        "LS improved",
        "LS gain",
    )
    rows: list[tuple[Value, ...]] = [
        (
            end.label,
            end.problem.label,
            end.problem.get("definition"),
            end.run,
            end.n_evals,
            None if np.isnan(end.min_ev) else end.min_ev,
            end.lcv,
            *(end.counters.get(name, 0) for name in COUNTERS),
        )
        for end in sorted(trials, key=lambda end: (end.label, end.problem, end.run))
    ]
    return Table("Final values of every trial", tuple(map(Column, columns)), tuple(rows))
