"""Provisional scores: what the totals are on the trials that all series have so far."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from de2ls.campaigns.store import Store
from de2ls.problems.key import ProblemKey
from de2ls.reports.material import series_titles
from de2ls.scores.groups import grouped

MOST_TRIALS = 1000  # that one provisional score reads: it is a look, not the result


@dataclass(frozen=True)
class Block:
    """The largest balanced part of a group: the same number of runs of all series and problems."""

    labels: tuple[str, ...]
    trials: Mapping[ProblemKey, tuple[int, ...]]  # the runs that count, by problem
    problems: int  # of the group
    is_sample: bool  # whether there are more trials of that kind


Stored = Mapping[tuple[str, ProblemKey], Mapping[int, int]]  # runs and ids of the trials


def provisional(path: Path) -> dict[str, Any]:
    """Return the totals of each group of problems, and the titles of the series, as JSON data.

    Parameters
    ----------
    path : Path
        The store's file; it is only read.
    """
    with Store.open(path, readonly=True) as store:
        stored = _stored(store)
        series = {row["label"]: row["algorithm"] for row in store.query(
            "SELECT label, algorithm FROM series ORDER BY id")}  # fmt: skip
        groups = [
            {"name": str(group), **_totals(store, stored, keys)}
            for group, keys in grouped(problem for _, problem in stored).items()
        ]
    return {"titles": series_titles(series), "groups": groups}


def _stored(store: Store) -> Stored:
    """Return the ids of all trials by series, problem and run."""
    found: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for number, series, problem, run in store.query(
        "SELECT id, series_id, problem_id, run FROM trials ORDER BY series_id, problem_id, run"
    ):
        found[series, problem][run] = number
    # after the trials: a campaign that writes may have added the first of a series or problem
    problems = {number: key for key, number in store.problems().items()}
    labels = {row["id"]: row["label"] for row in store.query("SELECT id, label FROM series")}
    return {(labels[s], problems[p]): runs for (s, p), runs in found.items()}


def balanced(stored: Stored, keys: Iterable[ProblemKey], most: int = MOST_TRIALS) -> Block | None:
    """Choose the trials of a score: n runs of each problem, as many trials as possible.

    Parameters
    ----------
    stored : mapping
        The trials by series and problem.
    keys : iterable of ProblemKey
        The problems of the group.
    most : int
        The largest number of trials.
    """
    keys = sorted(keys)
    labels = tuple(dict.fromkeys(label for label, key in stored if key in set(keys)))
    common = {
        key: sorted(set.intersection(*(set(stored.get((label, key), ())) for label in labels)))
        for key in keys
    }
    counts = sorted((len(runs) for runs in common.values() if runs), reverse=True)
    if not counts:
        return None
    largest = max((count * place, count) for place, count in enumerate(counts, 1))[1]
    there = [key for key in keys if len(common[key]) >= largest]
    chosen = _spread(there, max(1, most // len(labels)))
    n = max(1, min(largest, most // (len(labels) * len(chosen))))
    trials = {key: tuple(common[key][:n]) for key in chosen}
    return Block(labels, trials, len(keys), n < largest or len(chosen) < len(there))


def _spread(keys: Sequence[ProblemKey], most: int) -> list[ProblemKey]:
    """Return at most so many keys, evenly spread."""
    if len(keys) <= most:
        return list(keys)
    return [keys[i * len(keys) // most] for i in range(most)]


def _totals(store: Store, stored: Stored, keys: Sequence[ProblemKey]) -> dict[str, Any]:
    """Return the totals of one group, or why there are none."""
    block = balanced(stored, keys)
    if block is None:
        return {"reason": "There is no run yet that all series have made.", "rows": []}
    if len(block.labels) < 2:
        return {"reason": "A score needs at least two series with results.", "rows": []}
    return _scored(store, stored, block)


def _scored(store: Store, stored: Stored, block: Block) -> dict[str, Any]:
    from de2ls.scores import MixtureError, bootstrap, collect, uscore
    from de2ls.scores.bootstrap import RESAMPLES

    runs = len(next(iter(block.trials.values())))
    records = [
        store.read(stored[label, key][run])
        for label in block.labels
        for key, chosen in block.trials.items()
        for run in chosen
    ]
    try:
        collection = collect(records)
    except MixtureError as error:
        return {"reason": str(error), "rows": []}
    resampled = bootstrap(collection, "cec2026", RESAMPLES) if runs > 1 else None
    score = uscore(collection) if resampled is None else resampled.score
    limits = None if resampled is None else resampled.interval()
    total, ranks = score.total.sum(axis=0), score.ranks.mean(axis=0)
    names = score.algorithms
    rows = [
        {
            "label": names[a],
            "total": float(total[a]),
            "rank": float(ranks[a]),
            "limits": None if limits is None else limits[a].tolist(),
        }
        for a in score.order()
    ]
    return {
        "rows": rows,
        "runs": runs,
        "problems": len(block.trials),
        "ofProblems": block.problems,
        "isSample": block.is_sample,
    }
