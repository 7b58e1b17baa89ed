"""Who leads when: the share of U-score points if all runs had ended earlier."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.scores.bootstrap import LEVEL, draws
from de2ls.scores.collection import Collection
from de2ls.scores.hitting import known_evaluations
from de2ls.scores.profiles import LIMITS, RESAMPLES, estimate_at
from de2ls.scores.tables import Column, Table, Tabular, Value
from de2ls.scores.uscore import PROTOCOLS, Scorer

POINTS = 12  # cuts of the budget beside the round ones
_ROUND = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)  # of the table


@dataclass(frozen=True, eq=False)
class Leads(Tabular):
    """Shares of the points by the end of the runs; arrays have shape (series, cuts)."""

    protocol: str
    series: tuple[str, ...]
    fraction: FloatArray  # (cuts,): of the budget
    share: FloatArray
    low: FloatArray
    high: FloatArray

    def order(self) -> list[int]:
        """Return the places of the series, the largest share at the end first."""
        return [int(a) for a in np.argsort(-self.share[:, -1], kind="stable")]

    def table(self) -> Table:
        """Return the shares at round cuts, in percent, with their bands."""
        places = [int(np.abs(self.fraction - shown).argmin()) for shown in _ROUND]
        places = list(dict.fromkeys(places))
        rows: list[tuple[Value, ...]] = [
            (self.series[a], *(estimate_at(self, (a, i), 100.0) for i in places))
            for a in self.order()
        ]
        heads = [Column(f"{100 * self.fraction[i]:.3g} %", ".1f", ".1f") for i in places]
        note = (
            "percent of all points had the runs ended at this share of the budget; "
            f"[low, high]: {LEVEL:.0%} of resamples"
        )
        columns = (Column("algorithm"), *heads)
        return Table(f"Who leads when ({self.protocol})", columns, tuple(rows), notes=(note,))


def leads(
    collection: Collection,
    protocol: str = "cec2026",
    points: int = POINTS,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Leads:
    """Score the runs as if they had ended at every share of their budget.

    Parameters
    ----------
    collection : Collection
        The runs.
    protocol : {"cec2026", "cec2024"}
        As for `uscore`.
    points : int
        Number of cuts, log-spaced from the first sample to the end. Round shares come to them, and
        cuts at which nothing changes are left out.
    resamples, seed : int
        Of the bands.

    Returns
    -------
    Leads
        The shares add up to one at every cut.
    """
    scorer = PROTOCOLS[_checks.choice("protocol", protocol, PROTOCOLS)]
    cuts = _cuts(collection, _checks.integer("points", points, 2))
    resamples = _checks.integer("resamples", resamples, 20)
    shape = cuts.size, len(collection.algorithms)
    total, samples = np.zeros(shape), np.zeros((resamples, *shape))
    drawn = draws(collection, resamples, seed)
    n = collection.n_trials
    rows = zip(collection.cells, collection.feasible_tols, drawn, strict=True)
    for p, (row, tol, draw) in enumerate(rows):
        at_cuts: Iterator[Scorer] = scorer.ended(row, n, tol, _last_samples(collection, p, cuts))
        for i, ended in enumerate(at_cuts):
            points_of_cut = ended.totals(draw)
            total[i] += points_of_cut[0]
            samples[:, i] += points_of_cut[1:]
    share = total / total.sum(axis=-1, keepdims=True)
    low, high = np.quantile(samples / samples.sum(axis=-1, keepdims=True), LIMITS, axis=0)
    return Leads(protocol, collection.algorithms, cuts, share.T, low.T, high.T)


def _cuts(collection: Collection, points: int) -> FloatArray:
    """Return shares of the budget at which all problems have samples of their own."""
    grids = [known_evaluations(collection, p, 0) for p in range(len(collection.keys))]
    first = max(grid[0] / grid[-1] for grid in grids)
    cuts = np.union1d(
        np.geomspace(first, 1.0, points)[:-1], [cut for cut in _ROUND if cut >= first]
    )
    ended = np.array([_last_samples(collection, p, cuts) for p in range(len(grids))])
    new = np.append(True, (np.diff(ended, axis=1) > 0).any(axis=0))
    return np.asarray(cuts[new])


def _last_samples(collection: Collection, p: int, cuts: FloatArray) -> list[int]:
    """Return the sample at which runs that end at each share of the budget end."""
    grid = known_evaluations(collection, p, 0)
    reach = cuts * grid[-1] * (1 + 1e-12)
    return [int(i) - 1 for i in np.searchsorted(grid, reach, side="right")]
