"""Profiles: the share of (problem, run, target) triples reached against evaluations.

Every problem weighs the same, however many runs and targets it has.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.collection import Collection
from de2ls.scores.hitting import (
    PRECISIONS,
    Targets,
    all_targets,
    hitting_times,
    known_evaluations,
)
from de2ls.scores.tables import Column, Estimate, Table, Tabular, Value

POINTS = 101  # of the curves
RESAMPLES = 200  # of the bands
_BUDGETS = (10, 100, 1000, 10_000)  # of the table, in evaluations per dimension
LIMITS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


@dataclass(frozen=True, eq=False)
class Profile(Tabular):
    """The profile of several series on one set of problems.

    `share`, `low` and `high` have shape (series, points); the band holds 95 % of the shares that
    resampled runs give.
    """

    title: str
    series: tuple[str, ...]
    problems: tuple[str, ...]
    per_dim: FloatArray  # (points,): evaluations / D
    share: FloatArray
    low: FloatArray
    high: FloatArray
    notes: tuple[str, ...] = ()

    def at(self, per_dim: float) -> FloatArray:
        """Return the share of each series after so many evaluations per dimension."""
        place = int(np.searchsorted(self.per_dim, per_dim, side="right")) - 1
        return self.share[:, place] if place >= 0 else np.zeros(len(self.series))

    def order(self) -> list[int]:
        """Return the places of the series, the largest share at the end first."""
        return [int(a) for a in np.argsort(-self.share[:, -1], kind="stable")]

    def table(self) -> Table:
        """Return the shares at round budgets and at the end, with their bands."""
        last = float(self.per_dim[-1])
        budgets = [*(b for b in _BUDGETS if self.per_dim[0] <= b < last), last]
        places = np.searchsorted(self.per_dim, budgets, side="right") - 1
        rows: list[tuple[Value, ...]] = [
            (self.series[a], *(estimate_at(self, (a, int(i)), 100.0) for i in places))
            for a in self.order()
        ]
        heads = [Column(f"{budget:,.10g} D", ".1f", ".1f") for budget in budgets]
        note = (
            "percent of (problem, run, target) triples reached after so many evaluations; "
            f"[low, high]: {LEVEL:.0%} of resamples"
        )
        columns = (Column("algorithm"), *heads)
        return Table(self.title, columns, tuple(rows), notes=(note, *self.notes))


def estimate_at(found: object, place: tuple[int, ...], scale: float = 1.0) -> Estimate:
    """Return one value of the arrays `share`, `low` and `high` of a result."""
    arrays = (getattr(found, name) for name in ("share", "low", "high"))
    return Estimate(*(scale * float(array[place]) for array in arrays))


def profiles(
    collection: Collection,
    sets: Mapping[str, Iterable[str]] | None = None,
    best_known: Sequence[float | None] | None = None,
    *,
    precisions: Sequence[float] | FloatArray = PRECISIONS,
    relative: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Profile]:
    """Return the profiles of sets of problems, each by its name.

    Parameters
    ----------
    collection : Collection
        The runs.
    sets : mapping of title to labels of problems, optional
        By default one set, "all problems". Labels that the collection lacks are passed over, and
        sets of which nothing is left.
    best_known : sequence of float or None, optional
        Best value of each problem, where a suite knows it. Elsewhere the best of the compared runs
        takes its place, and the profile says so.
    precisions : sequence of float
        Distances of the objective targets to the best value.
    relative : bool
        Whether they count in units of max(1, |best|).
    resamples : int
        How often the runs are drawn anew for the bands.
    seed : int
        Of the draws.
    """
    _checks.integer("resamples", resamples, 20)
    names = collection.problems
    chosen = {"all problems": names} if sets is None else sets
    members = {
        title: [p for p, name in enumerate(names) if name in wanted]
        for title, wanted in ((title, set(labels)) for title, labels in chosen.items())
    }
    members = {title: places for title, places in members.items() if places}
    wide = np.sort(np.asarray(precisions, dtype=np.float64))[::-1]
    aims = all_targets(collection, best_known, wide, relative)
    grid = _budgets(collection)
    shape = len(collection.algorithms), grid.size
    share = {title: np.zeros(shape) for title in members}
    limits = {title: np.zeros((2, *shape)) for title in members}
    rng = np.random.default_rng(seed)
    for a in range(len(collection.algorithms)):
        sums = {title: np.zeros((resamples, grid.size)) for title in members}
        for p in range(len(names)):
            reached = _reached(collection, p, a, aims[p], grid)
            drawn = _resampled(reached, resamples, rng)
            for title, places in members.items():
                if p in places:
                    share[title][a] += reached.mean(axis=0) / len(places)
                    sums[title] += drawn
        for title, places in members.items():
            limits[title][:, a] = np.quantile(sums[title] / len(places), LIMITS, axis=0)
    return {
        title: Profile(
            title,
            collection.algorithms,
            tuple(names[p] for p in places),
            grid,
            share[title],
            limits[title][0],
            limits[title][1],
            sources([aims[p] for p in places], [names[p] for p in places]),
        )
        for title, places in members.items()
    }


def _budgets(collection: Collection) -> FloatArray:
    """Return evaluations per dimension from the first sample to the last, log-spaced."""
    grids = [
        known_evaluations(collection, p, a)[[0, -1]] / max(1, key.dim)
        for p, key in enumerate(collection.keys)
        for a in range(len(collection.algorithms))
    ]
    first, last = np.min(grids), np.max(grids)
    return np.append(np.geomspace(max(first, 1e-3), last, POINTS)[:-1], last)


def _reached(collection: Collection, p: int, a: int, aims: Targets, grid: FloatArray) -> FloatArray:
    """Return the share of targets that each run has reached at the grid's points."""
    tau = hitting_times(known_evaluations(collection, p, a), collection.cells[p][a], aims)
    ordered = np.sort(tau / max(1, collection.keys[p].dim), axis=1)
    budgets = grid * (1 + 1e-12)  # the division has rounded
    counts = [run.searchsorted(budgets, side="right") for run in ordered]
    return np.array(counts) / max(1, aims.count)


def _resampled(runs: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    n = len(runs)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=resamples) / n
    with one_thread:
        return np.asarray(weights @ runs)


def sources(aims: Sequence[Targets], names: Sequence[str]) -> tuple[str, ...]:
    """Say on which problems the targets stand on the compared runs alone."""

    def which(chosen: list[str]) -> str:
        return "all problems" if len(chosen) == len(names) else ", ".join(chosen)

    own = [name for name, aim in zip(names, aims, strict=True) if not aim.known and aim.least == 0]
    infeasible = [name for name, aim in zip(names, aims, strict=True) if aim.least > 0]
    notes = []
    if own:
        notes.append(f"targets above the best of the compared runs on {which(own)}")
    if infeasible:
        notes.append(f"targets of violation only on {which(infeasible)}: no feasible point known")
    return tuple(notes)
