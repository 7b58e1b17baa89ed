"""Profiles: the share of (problem, run, target) triples reached against evaluations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.scores.collection import Collection
from de2ls.scores.hitting import PRECISIONS, Targets, all_targets, hitting_times
from de2ls.scores.tables import Column, Estimate, Table, Tabular, Value

POINTS = 121  # of the curves
LEVEL = 0.95  # of the bands
_BUDGETS = (10, 100, 1000, 10_000)  # of the table, in evaluations per dimension


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

    def table(self) -> Table:
        """Return the shares at round budgets and at the end, with their bands."""
        last = float(self.per_dim[-1])
        budgets = [*(b for b in _BUDGETS if self.per_dim[0] <= b < last), last]
        places = np.searchsorted(self.per_dim, budgets, side="right") - 1
        rows: list[tuple[Value, ...]] = [
            (
                name,
                *(
                    Estimate(
                        *(float(100 * part[a, i]) for part in (self.share, self.low, self.high))
                    )
                    for i in places
                ),
            )
            for a, name in enumerate(self.series)
        ]
        heads = [Column(f"{budget:,.0f} D", ".1f", ".1f") for budget in budgets]
        note = "percent of (problem, run, target) triples reached; [low, high]: 95% of resamples"
        return Table(
            self.title, (Column("algorithm"), *heads), tuple(rows), notes=(note, *self.notes)
        )


def profile(
    collection: Collection,
    best_known: Sequence[float | None] | None = None,
    *,
    title: str = "Profile",
    precisions: FloatArray = PRECISIONS,
    relative: bool = True,
    resamples: int = 200,
    seed: int = 0,
) -> Profile:
    """Return the profile of a collection.

    Parameters
    ----------
    collection : Collection
        The runs.
    best_known : sequence of float or None, optional
        Best value of each problem, where a suite knows it. Elsewhere the best of the compared runs
        takes its place, and the profile says so.
    title : str
        What the profile is of.
    precisions : array
        Distances of the objective targets to the best value.
    relative : bool
        Whether they count in units of max(1, |best|).
    resamples : int
        How often the runs are drawn anew for the bands.
    seed : int
        Of the draws.

    Returns
    -------
    Profile
        With `share`, `low` and `high` at `per_dim` evaluations per dimension.
    """
    _checks.integer("resamples", resamples, 20)
    aims = all_targets(collection, best_known, precisions, relative)
    grid = _grid(collection)
    rng = np.random.default_rng(seed)
    shape = len(collection.algorithms), grid.size
    share, low, high = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for a in range(len(collection.algorithms)):
        reached = [_reached(collection, p, a, aims[p], grid) for p in range(len(collection.keys))]
        share[a] = np.mean([runs.mean(axis=0) for runs in reached], axis=0)
        drawn = np.mean([_resampled(runs, resamples, rng) for runs in reached], axis=0)
        low[a], high[a] = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    names = tuple(collection.problems)
    return Profile(
        title, tuple(collection.algorithms), names, grid, share, low, high, _sources(aims, names)
    )


def by_group(
    collection: Collection,
    groups: Mapping[str, Sequence[str]],
    best_known: Sequence[float | None] | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> dict[str, Profile]:
    """Return a profile for each named group of problems that the collection has some of."""
    known = dict(zip(collection.problems, best_known or [None] * len(collection.keys), strict=True))
    found = {}
    for name, labels in groups.items():
        here = [label for label in collection.problems if label in set(labels)]
        if here:
            part = collection.select(problems=here)
            best = [known[label] for label in here]
            found[name] = profile(part, best, title=name, resamples=resamples, seed=seed)
    return found


def _grid(collection: Collection) -> FloatArray:
    """Return evaluations per dimension from the first sample to the last, log-spaced."""
    ends = [
        (grid[0] / key.dim, grid[-1] / key.dim)
        for key, row in zip(collection.keys, collection.grids, strict=True)
        for grid in row
    ]
    first, last = max(1e-3, min(low for low, _ in ends)), max(high for _, high in ends)
    return np.append(np.geomspace(first, last, POINTS)[:-1], last)


def _reached(collection: Collection, p: int, a: int, aims: Targets, grid: FloatArray) -> FloatArray:
    """Return the share of targets that each run has reached at the grid's points."""
    tau = hitting_times(collection.grids[p][a], collection.cells[p][a], aims)
    ordered = np.sort(tau / collection.keys[p].dim, axis=1)
    counts = [run.searchsorted(grid * (1 + 1e-12), side="right") for run in ordered]
    return np.array(counts) / aims.count


def _resampled(runs: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    n = len(runs)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=resamples) / n
    return np.asarray(weights @ runs)


def _sources(aims: Sequence[Targets], names: Sequence[str]) -> tuple[str, ...]:
    """Say on which problems the targets stand on the compared runs alone."""
    own = [name for name, aim in zip(names, aims, strict=True) if not aim.known and aim.least == 0]
    infeasible = [name for name, aim in zip(names, aims, strict=True) if aim.least > 0]
    notes = []
    if own:
        which = "all problems" if len(own) == len(names) else ", ".join(own)
        notes.append(f"targets above the best of the compared runs on {which}")
    if infeasible:
        notes.append(f"violation targets only on {', '.join(infeasible)}: no feasible point known")
    return tuple(notes)
