"""From a store to what a reproduction scores: collections under the papers' names, final values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.late_local_search import COUNTERS
from de2ls.campaigns.maintenance import StoreInfo
from de2ls.campaigns.store import Store
from de2ls.reports.palette import Look, looks
from de2ls.scores import Bootstrap, Collection, Table, bootstrap, collect
from de2ls.scores.tables import Column, Value
from de2ls.trials.record import TrialRecord


@dataclass(frozen=True)
class Final:
    """What a trial ended with."""

    label: str
    problem: str
    run: int
    n_evals: int
    min_ev: float
    lcv: float
    counters: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Trials of a store that belong in one comparison."""

    collection: Collection
    finals: tuple[Final, ...]
    evaluations: Mapping[str, FloatArray]  # label: FEs of the samples
    info: StoreInfo


def gather(
    store: str | Path, selection: Mapping[str, Any], allow_unequal: bool = False
) -> Gathered:
    """Read the selected trials, each once.

    Parameters
    ----------
    store : str or Path
        The store's file.
    selection : mapping
        As for `Store.records`; the labels also give the order of the series.
    allow_unequal : bool
        As for `de2ls.scores.collect`.
    """
    finals: list[Final] = []
    evaluations: dict[str, FloatArray] = {}
    with Store.open(store, readonly=True) as opened:
        records = _noting(opened.records(**selection), finals, evaluations)
        collection = collect(records, allow_unequal).select(selection["labels"])
        return Gathered(collection, tuple(finals), evaluations, opened.info())


def _noting(
    records: Iterator[TrialRecord],
    finals: list[Final],
    evaluations: dict[str, FloatArray],
) -> Iterator[TrialRecord]:
    for record in records:
        evaluations.setdefault(record.label, record.curve[:, 0].copy())
        name = record.problem.label
        finals.append(
            Final(
                *(record.label, name, record.run, record.n_evals, record.min_ev, record.lcv),
                record.counters,
            )
        )
        yield record


def renamed(collection: Collection, names: Mapping[str, str]) -> Collection:
    """Return the collection of the series in `names`, under the names that the paper uses."""
    chosen = collection.select(list(names))
    return replace(chosen, algorithms=tuple(names.values()))


def looks_of(names: Mapping[str, str]) -> dict[str, Look]:
    """Return the looks of the series in `names`, under the names that the paper uses."""
    found = looks(list(names), list(names))
    return {names[label]: look for label, look in found.items()}


def joined(collections: Sequence[Collection]) -> Collection:
    """Return one collection of the problems of several, which have the same series."""
    first = collections[0]
    pairs = [(name, k, p) for k, c in enumerate(collections) for p, name in enumerate(c.problems)]
    pairs.sort()
    return replace(
        first,
        problems=tuple(name for name, _, _ in pairs),
        cells=tuple(collections[k].cells[p] for _, k, p in pairs),
        keys=tuple(collections[k].keys[p] for _, k, p in pairs),
        seeds=tuple((collections[k].seeds or ())[p] for _, k, p in pairs),
    )


def each_problem(collection: Collection, resamples: int, seed: int) -> dict[str, Bootstrap]:
    """Return a bootstrap of each problem alone."""
    return {
        name: bootstrap(collection.select(problems=[name]), resamples=resamples, seed=seed)
        for name in collection.problems
    }


def finals_table(finals: Sequence[Final]) -> Table:
    """Return the final values of every trial: enough for all tables but the U-scores."""
    columns = (
        *("series", "problem", "run", "evaluations", "Min_EV", "LCV"),
        *("LS calls", "LS evaluations", "LS improved", "LS gain"),
    )
    rows: list[tuple[Value, ...]] = []
    for end in sorted(finals, key=lambda end: (end.label, end.problem, end.run)):
        objective = None if np.isnan(end.min_ev) else end.min_ev
        rows.append(
            (
                *(end.label, end.problem, end.run, end.n_evals, objective, end.lcv),
                *(end.counters.get(name, 0) for name in COUNTERS),
            )
        )
    return Table("Final values of every trial", tuple(map(Column, columns)), tuple(rows))
