"""Who leads when: the share of U-score points if all runs had ended earlier."""

from dataclasses import dataclass

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.scores.bootstrap import LEVEL, draws
from de2ls.scores.collection import Collection
from de2ls.scores.tables import Column, Estimate, Table, Tabular, Value
from de2ls.scores.uscore import PROTOCOLS

POINTS = 40  # cuts of the budget
_SHOWN = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)  # of the table


@dataclass(frozen=True, eq=False)
class Leads(Tabular):
    """Shares of the points by the end of the runs; arrays have shape (series, cuts)."""

    protocol: str
    series: tuple[str, ...]
    fraction: FloatArray  # (cuts,): of the budget
    share: FloatArray
    low: FloatArray
    high: FloatArray

    def table(self) -> Table:
        """Return the shares at round cuts, in percent, with their bands."""
        places = [int(np.abs(self.fraction - shown).argmin()) for shown in _SHOWN]
        places = list(dict.fromkeys(places))
        rows: list[tuple[Value, ...]] = [
            (name, *(self._estimate(a, i) for i in places)) for a, name in enumerate(self.series)
        ]
        heads = [Column(f"{self.fraction[i]:.0%}", ".1f", ".1f") for i in places]
        note = "percent of all points had the runs ended there; [low, high]: 95% of resamples"
        columns = (Column("algorithm"), *heads)
        return Table(f"Who leads when ({self.protocol})", columns, tuple(rows), notes=(note,))

    def _estimate(self, a: int, i: int) -> Estimate:
        parts = (self.share[a, i], self.low[a, i], self.high[a, i])
        return Estimate(*(100 * float(part) for part in parts))


def leads(
    collection: Collection,
    protocol: str = "cec2026",
    points: int = POINTS,
    resamples: int = 200,
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
        Number of cuts, log-spaced from the first sample to the end.
    resamples, seed : int
        Of the bands.

    Returns
    -------
    Leads
        The shares add up to one at every cut.
    """
    scorer = PROTOCOLS[_checks.choice("protocol", protocol, PROTOCOLS)]
    fraction = _cuts(collection, _checks.integer("points", points, 2))
    drawn = list(draws(collection, _checks.integer("resamples", resamples, 20), seed))
    shape = fraction.size, len(collection.algorithms)
    total, samples = np.zeros(shape), np.zeros((resamples, *shape))
    parts = zip(collection.cells, collection.grids, collection.feasible_tols, drawn, strict=True)
    for row, grids, tol, draw in parts:
        itself = np.arange(draw.shape[1])[None]
        for i, last in enumerate(_last_samples(grids[0], fraction)):
            cut = [cell[:, : last + 1] for cell in row]
            prepared = scorer(cut, collection.n_trials, tol)
            part = prepared.points(np.vstack([itself, draw])).sum(axis=0)
            total[i] += part[0]
            samples[:, i] += part[1:]
    share = total / total.sum(axis=-1, keepdims=True)
    spread = samples / samples.sum(axis=-1, keepdims=True)
    low, high = np.quantile(spread, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return Leads(protocol, tuple(collection.algorithms), fraction, share.T, low.T, high.T)


def _cuts(collection: Collection, points: int) -> FloatArray:
    first = max(grid[0] / grid[-1] for row in collection.grids for grid in row)
    return np.append(np.geomspace(max(first, 1e-4), 1.0, points)[:-1], 1.0)


def _last_samples(grid: FloatArray, fraction: FloatArray) -> list[int]:
    """Return the sample at which runs that end at each share of the budget end."""
    reach = fraction * grid[-1] * (1 + 1e-12)
    return [max(0, int(i) - 1) for i in np.searchsorted(grid, reach, side="right")]
