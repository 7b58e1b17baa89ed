"""`Material`: what a report is made of, read from a store in one pass over its curves."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from de2ls._checks import FloatArray
from de2ls.campaigns.maintenance import SeriesInfo, StoreInfo
from de2ls.campaigns.rows import split
from de2ls.campaigns.store import Store
from de2ls.problems.key import ProblemKey
from de2ls.problems.selection import chosen
from de2ls.scores import Assessment, Collection, collect, score
from de2ls.scores.bootstrap import RESAMPLES
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord, TrialSummary

_SHOWN = 6  # cells that a warning names


@dataclass(frozen=True, eq=False)
class Material:
    """Trials with their score, where they came from, and what a reader must know of them."""

    source: str  # name of the store's file
    assessment: Assessment
    trials: tuple[TrialSummary, ...]  # those that were scored
    evaluations: Mapping[tuple[str, str], FloatArray]  # (problem, series): FEs of the samples
    info: StoreInfo
    warnings: tuple[str, ...]

    @property
    def collection(self) -> Collection:
        """The trials as they were scored."""
        return self.assessment.collection

    @property
    def series(self) -> tuple[SeriesInfo, ...]:
        """The scored series, in the order of the score."""
        by_label = {series.label: series for series in self.info.series}
        return tuple(by_label[label] for label in self.collection.algorithms)


def load(
    path: str | Path,
    selection: Mapping[str, Any] | None = None,
    protocol: str = "cec2026",
    bootstrap: int = RESAMPLES,
    seed: int = 0,
    allow_unequal: bool = False,
) -> Material:
    """Read and score a store's trials.

    Parameters
    ----------
    path : str or Path
        The store's file.
    selection : mapping, optional
        Which trials, as for `Store.curves`; labels also give the order of the series.
    protocol, bootstrap, seed
        As for `de2ls.scores.score`.
    allow_unequal : bool
        Accept unequal numbers of trials and leave out problems that a series lacks, each with a
        warning; without it they are refused.
    """
    selection = dict(selection or {})
    with Store.open(path, readonly=True) as store:
        store.check_selection(**selection)
        info = store.info()
        trials = tuple(store.trials(**selection))
        whole, warnings = _whole_problems(trials) if allow_unequal else (None, [])
        evaluations: dict[tuple[str, str], FloatArray] = {}
        curves = _noting(store.records(**selection), whole, evaluations)
        collection = collect(curves, allow_unequal)
    if selection.get("labels") is not None:
        collection = collection.select(selection["labels"])
    scored = tuple(trial for trial in trials if _kept(trial, whole))
    return Material(
        source=Path(path).name,
        assessment=score(collection, protocol, bootstrap, seed),
        trials=scored,
        evaluations=_aligned(evaluations, collection),
        info=info,
        warnings=(*warnings, *missing_from_plans(info, trials, selection), *info.warnings),
    )


def missing_from_plans(
    info: StoreInfo, trials: Iterable[TrialSummary], selection: Mapping[str, Any]
) -> list[str]:
    """Return a warning if trials of the selection were planned and never stored."""
    labels, runs, rest = split(selection)
    stored = {trial.key for trial in trials}
    planned = {
        TrialKey(series["label"], problem, run)
        for _, plan in info.plans
        for problem in chosen(map(ProblemKey.from_dict, plan["problems"]), **rest)
        for series in plan["series"]
        if labels is None or series["label"] in labels
        for run in plan["runs"]
        if runs is None or run in runs
    }
    missing = Counter((key.series, key.problem.label) for key in planned - stored)
    if not missing:
        return []
    cells = [f"{label} on {name} ({count})" for (label, name), count in sorted(missing.items())]
    more = f" and {len(cells) - _SHOWN} more cells" if len(cells) > _SHOWN else ""
    return [
        f"{missing.total()} planned trials are missing: {', '.join(cells[:_SHOWN])}{more}; "
        "the campaign's command continues it"
    ]


def _whole_problems(trials: Sequence[TrialSummary]) -> tuple[set[str], list[str]]:
    """Return the problems on which every series has a trial, and a warning for each other one."""
    present: dict[str, set[str]] = defaultdict(set)
    for trial in trials:
        present[trial.problem.label].add(trial.label)
    labels = dict.fromkeys(trial.label for trial in trials)
    lacking = {name: [a for a in labels if a not in there] for name, there in present.items()}
    warnings = [
        f"{name} is left out: no trial of {', '.join(absent)}"
        for name, absent in lacking.items()
        if absent
    ]
    return {name for name, absent in lacking.items() if not absent}, warnings


def _kept(trial: TrialSummary, whole: set[str] | None) -> bool:
    return whole is None or trial.problem.label in whole


def _noting(
    curves: Iterable[TrialRecord],
    whole: set[str] | None,
    evaluations: dict[tuple[str, str], FloatArray],
) -> Iterator[TrialRecord]:
    """Pass the curves of whole problems on, noting where each series was sampled."""
    for trial in curves:
        if _kept(trial, whole):
            place = trial.problem.label, trial.label
            evaluations.setdefault(place, trial.curve[:, 0].copy())
            yield trial


def _aligned(
    evaluations: Mapping[tuple[str, str], FloatArray], collection: Collection
) -> dict[tuple[str, str], FloatArray]:
    """Cut the first sample where the score did, because some series lacks it."""
    lengths = {
        name: row[0].shape[1]
        for name, row in zip(collection.problems, collection.cells, strict=True)
    }
    return {place: grid[-lengths[place[0]] :] for place, grid in evaluations.items()}
