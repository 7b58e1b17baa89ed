"""`de2ls.profiles`: how much of what was asked the runs have reached, against evaluations."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from de2ls import _checks
from de2ls.reports.material import gather, series_titles
from de2ls.reports.views import ALL
from de2ls.scores.collection import Collection, collect
from de2ls.scores.hitting import PRECISIONS
from de2ls.scores.profiles import RESAMPLES, Profile
from de2ls.scores.profiles import profiles as profiles_of_sets
from de2ls.trials.record import TrialRecord

BY = ("suite", "group", "problem")


def profiles(
    source: str | Path | Collection | Iterable[TrialRecord],
    by: str = "suite",
    *,
    selection: Mapping[str, Any] | None = None,
    allow_unequal: bool = False,
    precisions: Sequence[float] = tuple(PRECISIONS),
    relative: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Profile]:
    """Return profiles: the share of (problem, run, target) triples reached against evaluations.

    A target is an objective above the best known value of a problem, the suite's own or, where it
    has none or a run is better, the best of the compared runs; the profile's notes say which. While
    a run has no feasible point it reaches targets of violation instead.

    Parameters
    ----------
    source : str, Path, Collection or iterable of TrialRecord
        A store's file, or the runs themselves.
    by : {"suite", "group", "problem"}
        One profile of all problems, one of each group that the suite names, or of each problem.
    selection : mapping, optional
        Which trials of a store, as for `Store.records`.
    allow_unequal : bool
        As for `de2ls.scores.collect`.
    precisions : sequence of float
        Distances of the targets to the best value; by default 51 from 100 down to 1e-8.
    relative : bool
        Whether distances count in units of max(1, abs(best)); COCO's do not.
    resamples, seed : int
        Of the bands.

    Returns
    -------
    dict of Profile
        By the name of the set of problems. Groups of a store that are not compared with each other
        (other suites, dimensions, instances) come before it, as in ``cec2017, D = 30: rotated``.

    Examples
    --------
    >>> import de2ls
    >>> problem = de2ls.problem(lambda x: x @ x, [(-1, 1)] * 2, best_known=0.0, name="sphere")
    >>> run = de2ls.run_trial("de-rand-1-bin", problem, seed=1, max_evals=400)
    >>> found = de2ls.profiles([run])
    >>> found["all problems"].share.shape
    (1, 101)
    """
    _checks.choice("by", by, BY)
    if isinstance(source, str | Path):
        gathered = gather(source, selection, allow_unequal)
        collections = {
            f"{one.group}: " if len(gathered) > 1 else "": one.collection.renamed(
                series_titles({series.label: series.algorithm for series in one.series})
            )
            for one in gathered
        }
    else:
        runs = source if isinstance(source, Collection) else collect(source, allow_unequal)
        collections = {"": runs}
    return {
        f"{place}{title}": profile
        for place, runs in collections.items()
        for title, profile in profiles_of_sets(
            runs,
            _sets(runs, by),
            runs.best_known,
            precisions=precisions,
            relative=relative,
            resamples=resamples,
            seed=seed,
        ).items()
    }


def _sets(runs: Collection, by: str) -> Mapping[str, Sequence[str]]:
    if by == "problem":
        return {name: [name] for name in runs.problems}
    return runs.groups if by == "group" else {ALL: runs.problems}
