"""From a store to what is scored: `gather` makes a collection of each group of its trials.

Scores, reports and studies all read stores by it, so that a permission or a warning means the same
in each.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from de2ls.algorithms import algorithm_title
from de2ls.campaigns.maintenance import SeriesInfo, StoreInfo
from de2ls.campaigns.rows import split
from de2ls.campaigns.store import Store
from de2ls.problems.key import ProblemKey
from de2ls.problems.selection import chosen
from de2ls.reports.reading import read
from de2ls.reports.views import Views, views
from de2ls.scores import Assessment, Collection, score
from de2ls.scores.bootstrap import RESAMPLES
from de2ls.scores.collection import assembled
from de2ls.scores.groups import Group, grouped
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialSummary

_SHOWN = 6  # cells that a warning names


@dataclass(frozen=True, eq=False)
class Gathered:
    """The trials of one group, where they came from, and what a reader must know of them."""

    source: str  # name of the store's file
    group: Group
    labels: tuple[str, ...]  # of the series
    collection: Collection
    trials: tuple[TrialSummary, ...]  # those of the collection
    info: StoreInfo
    warnings: tuple[str, ...]

    @property
    def series(self) -> tuple[SeriesInfo, ...]:
        """The series, in the order of the collection."""
        by_label = {series.label: series for series in self.info.series}
        return tuple(by_label[label] for label in self.labels)

    @property
    def names(self) -> dict[str, str]:
        """What tables call the series of each label."""
        return dict(zip(self.labels, self.collection.algorithms, strict=True))


@dataclass(frozen=True, eq=False)
class Material(Gathered):
    """What a report is made of: gathered trials with their score."""

    assessment: Assessment

    @cached_property
    def views(self) -> Views:
        """Profiles, running times, leads and effects of the trials, made when first asked for."""
        names = self.collection.algorithms
        configs = {
            name: (algorithm_title(one.algorithm), one.config)
            for name, one in zip(names, self.series, strict=True)
        }
        resampled, protocol = self.assessment.bootstrap, self.assessment.score.protocol
        return views(self.collection, protocol, resampled, configs)


def gather(
    path: str | Path,
    selection: Mapping[str, Any] | None = None,
    allow_unequal: bool = False,
    pool: Executor | None = None,
) -> list[Gathered]:
    """Read the selected trials of a store, each group of problems by itself.

    Parameters
    ----------
    path : str or Path
        The store's file.
    selection : mapping, optional
        Which trials, as for `Store.records`; labels also give the order of the series.
    allow_unequal : bool
        As for `de2ls.scores.collect`.
    pool : Executor, optional
        Whose process reads up to half of many trials; by default all are read here.
    """
    selection = dict(selection or {})
    with Store.open(path, readonly=True) as store:
        store.check_selection(**selection)
        info = store.info()
        planned = _planned(info, selection)
        present = set(store.problems_of(**selection))
        groups = grouped([*(key.problem for key in planned), *present])
        collections: dict[Group, Collection] = {}
        summaries: dict[Group, list[TrialSummary]] = {}
        for group, keys in groups.items():
            if not present.isdisjoint(keys):
                ids = store.ids(**selection, keys=keys)
                found = read(store, ids, pool)
                summaries[group] = found.summaries
                collections[group] = assembled(found.trials, found.blocks, allow_unequal)
    order = split(selection)[0] or []
    gathered = []
    for group, collection in collections.items():
        trials = summaries[group]
        there = [label for label in order if label in collection.algorithms]
        collection = collection.select(there or None)
        shown = set(collection.keys)
        kept = tuple(trial for trial in trials if trial.problem in shown)
        absent = planned - {trial.key for trial in trials}
        missing = _missing([key for key in absent if key.problem in groups[group]])
        warnings = (*missing, *info.warnings)
        facts = {key: known for key, known in _facts(info).items() if key in shown}
        collection = replace(collection, facts=facts)
        names = Path(path).name, group, collection.algorithms
        gathered.append(Gathered(*names, collection, kept, info, warnings))
    return gathered


def load(
    path: str | Path,
    selection: Mapping[str, Any] | None = None,
    protocol: str = "cec2026",
    bootstrap: int = RESAMPLES,
    seed: int = 0,
    allow_unequal: bool = False,
    pool: Executor | None = None,
) -> list[Material]:
    """Read and score a store's trials, each group of problems by itself.

    Parameters
    ----------
    path, selection, allow_unequal
        As for `gather`.
    protocol, bootstrap, seed
        As for `de2ls.scores.score`.
    pool : Executor, optional
        As for `gather`; it is shut down when all is read.

    Returns
    -------
    list of Material
        A series whose label is an algorithm's name is called by the algorithm's title.
    """
    groups = gather(path, selection, allow_unequal, pool)
    if pool is not None:
        pool.shutdown(wait=False)  # it ends while the trials are scored
    found = []
    for gathered in groups:
        collection = gathered.collection.renamed(
            series_titles({one.label: one.algorithm for one in gathered.series})
        )
        assessment = score(collection, protocol, bootstrap, seed)
        fields = vars(gathered) | {"collection": collection}
        found.append(Material(**fields, assessment=assessment))
    return found


def series_titles(algorithms: Mapping[str, str]) -> dict[str, str]:
    """Return what tables call series, given the algorithm of each label.

    One that goes by an algorithm's name has the algorithm's title, where that is unambiguous.
    """
    titles = {
        label: algorithm_title(algorithm) if label == algorithm else label
        for label, algorithm in algorithms.items()
    }
    counts = Counter(titles.values())
    return {label: title if counts[title] == 1 else label for label, title in titles.items()}


def _planned(info: StoreInfo, selection: Mapping[str, Any]) -> set[TrialKey]:
    """Return the trials of a selection that were planned."""
    labels, runs, rest = split(selection)
    return {
        TrialKey(series["label"], problem, run)
        for _, plan in info.plans
        for problem in chosen(map(ProblemKey.from_dict, plan["problems"]), **rest)
        for series in plan["series"]
        if labels is None or series["label"] in labels
        for run in plan["runs"]
        if runs is None or run in runs
    }


def _facts(info: StoreInfo) -> dict[ProblemKey, Mapping[str, Any]]:
    """Return what the plans say of problems whose suites may not be at hand."""
    return {
        ProblemKey.from_dict(json.loads(text)): found
        for _, plan in info.plans
        for text, found in plan.get("facts", {}).items()
    }


def _missing(keys: Sequence[TrialKey]) -> list[str]:
    """Return a warning if trials were planned and never stored."""
    if not keys:
        return []
    counts = Counter((key.series, key.problem.label) for key in keys)
    cells = [f"{label} on {name} ({count})" for (label, name), count in sorted(counts.items())]
    more = f" and {len(cells) - _SHOWN} more cells" if len(cells) > _SHOWN else ""
    return [
        f"{len(keys)} planned trials are missing: {', '.join(cells[:_SHOWN])}{more}; "
        "the campaign's command continues it"
    ]
