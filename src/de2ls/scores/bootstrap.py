"""How far a U-score could have come out otherwise: the stratified bootstrap.

Each resample draws, within every algorithm and problem, as many trials as there are, with
replacement, and scores them anew. The totals' percentiles give the intervals.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._lists import count
from de2ls.scores.collection import Collection
from de2ls.scores.tables import Column, Estimate, Table, Tabular, Value
from de2ls.scores.target import mean_ranks
from de2ls.scores.uscore import Score, score_of, scorers

RESAMPLES = 1000  # the least number that a 95 % interval asks for
MOST_RESAMPLES = 100_000  # more would fill the memory and tell nothing new
LEVEL = 0.95
_FEW_TRIALS = 10  # below this the bootstrap sees too little of the distribution

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Bootstrap(Tabular):
    """Resampled totals of a score, and what follows from them."""

    score: Score
    seed: int
    samples: Mapping[str, FloatArray]  # accuracy, speed, total, rank: (resamples, algorithms)

    @property
    def resamples(self) -> int:
        """How often the trials were drawn anew."""
        return len(self.samples["total"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """The score's warnings, and one where trials are too few to resample."""
        if self.score.n_trials >= _FEW_TRIALS:
            return self.score.warnings
        trials = count(self.score.n_trials, "trial")
        return (*self.score.warnings, f"only {trials} per cell: these intervals are too narrow")

    def interval(self, part: str = "total", level: float = LEVEL) -> FloatArray:
        """Return the percentile intervals of a total, shape (algorithms, 2).

        Parameters
        ----------
        part : {"total", "accuracy", "speed", "rank"}
            Which total.
        level : float
            The share of the resamples inside.
        """
        _checks.choice("part", part, self.samples)
        return percentiles(self.samples[part], self.score.sums()[part], level)

    def difference(self, a: str, b: str, level: float = LEVEL) -> Estimate:
        """Return U_a - U_b with its interval."""
        i, j = self._position(a), self._position(b)
        U, totals = self.samples["total"], self.score.total.sum(axis=0)
        return estimate(totals[i] - totals[j], U[:, i] - U[:, j], level)

    def gain(self, a: str, b: str, level: float = LEVEL) -> Estimate:
        """Return the relative gain of `a` over `b` in percent with its interval."""
        i, j = self._position(a), self._position(b)
        U = self.samples["total"]
        if not U[:, j].all():
            return Estimate(self.score.gain(a, b), float("nan"), float("nan"))
        return estimate(self.score.gain(a, b), (U[:, i] - U[:, j]) / U[:, j] * 100, level)

    def superiority(self) -> FloatArray:
        """Return the share of resamples in which row a's total exceeds column b's."""
        U = self.samples["total"]
        share: FloatArray = np.mean(U[:, :, None] > U[:, None, :], axis=0)
        return share

    def table(self) -> Table:
        """Return the totals with their intervals, one row per algorithm, the best first."""
        main = self.score.table()
        sums = self.score.sums()
        limits = {part: self.interval(part).tolist() for part in sums}
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (
                self.score.algorithms[a],
                *(Estimate(float(sums[part][a]), *limits[part][a]) for part in sums),
            )
            for a in self.score.order()
        )
        note = f"[low, high]: {LEVEL:.0%} interval of {self.resamples} bootstrap resamples"
        return replace(main, rows=rows, notes=(note, *self.warnings))

    def pairs(self) -> Table:
        """Return every pair of algorithms: difference, gain and probability of superiority."""
        names = self.score.algorithms
        above = self.superiority()
        columns = (
            Column("a"),
            Column("b"),
            Column("U(a) - U(b)"),
            Column("gain %", ".2f", ".2f"),
            Column("P(a > b)", ".3f"),
        )
        rows: list[tuple[Value, ...]] = [
            (a, b, self.difference(a, b), self.gain(a, b), float(above[i, j]))
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i < j
        ]
        note = (
            f"[low, high]: {LEVEL:.0%} interval; P(a > b): share of {self.resamples} resamples in "
            "which a's total exceeds b's"
        )
        return Table(
            f"Pairs of algorithms ({self.score.protocol})",
            columns,
            tuple(rows),
            notes=(note, *self.warnings),
        )

    def _position(self, algorithm: str) -> int:
        names = self.score.algorithms
        return names.index(_checks.choice("algorithm", algorithm, names))


def bootstrap(
    collection: Collection,
    protocol: str = "cec2026",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Bootstrap:
    """Score a collection and resample it.

    Parameters
    ----------
    collection : Collection
        The trials.
    protocol : {"cec2026", "cec2024"}
        As for `uscore`.
    resamples : int
        1000 to 100,000.
    seed : int
        Of the draws; the same seed gives the same intervals.

    Returns
    -------
    Bootstrap
        Its `score` is the score of the trials themselves.
    """
    resamples = _checks.integer("resamples", resamples, RESAMPLES, MOST_RESAMPLES)
    seed = _checks.integer("seed", seed, 0)
    found = _one_ahead(scorers(collection, protocol))
    shape = (resamples, len(collection.algorithms))
    totals, ranks = np.zeros(shape), np.zeros(shape)
    parts: dict[str, FloatArray] = {}
    by_problem = []
    for scorer, drawn in zip(found, draws(collection, resamples, seed), strict=True):
        points = scorer.points(drawn)
        by_problem.append(points[:, 0])
        for part, values in zip(scorer.parts, points[:, 1:], strict=True):
            parts[part] = parts.get(part, 0.0) + values
        U = points[:, 1:].sum(axis=0)
        totals += U
        ranks += mean_ranks(-U)
    score = score_of(collection, protocol, by_problem)
    return Bootstrap(score, seed, {**parts, "total": totals, "rank": ranks})


def _one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, the next one made in another thread: good where NumPy does the work of both."""
    source = iter(items)
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, source, None)
        while (item := following.result()) is not None:
            following = thread.submit(next, source, None)
            yield item


def draws(collection: Collection, resamples: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield for each problem the trials (1 + resamples, trials), stratified by algorithm.

    The first row has the trials themselves, the others have drawn ones. Names and order have no
    part in it: trials are drawn in the order of their values, and the random numbers follow from
    the values and the seed.
    """
    digests = collection.digests
    series = [tuple(chain.from_iterable(column)) for column in zip(*digests, strict=True)]
    seen: Counter[bytes] = Counter()
    for row in digests:
        order = sorted(range(len(row)), key=lambda a: (sorted(row[a]), sorted(series[a])))
        content = sha256(b"".join(b"".join(sorted(row[a])) for a in order)).digest()
        rng = np.random.default_rng([seed, seen[content], int.from_bytes(content)])
        seen[content] += 1  # a problem with the same values as another has draws of its own
        starts = np.cumsum([0, *map(len, row)])
        drawn = np.empty((1 + resamples, starts[-1]), np.intp)
        drawn[0] = np.arange(starts[-1])
        for a in order:
            by_value = starts[a] + np.array(sorted(range(len(row[a])), key=row[a].__getitem__))
            places = rng.integers(0, len(row[a]), (resamples, len(row[a])))
            drawn[1:, starts[a] : starts[a + 1]] = by_value[places]
        yield drawn


def percentiles(values: FloatArray, estimate: ArrayLike, level: float = LEVEL) -> FloatArray:
    """Return the percentile interval of resampled values, widened where it misses the estimate.

    Resamples of few trials have fewer ties than the trials themselves, which can move a rank sum
    so far that its own figure lies outside.
    """
    level = _checks.real("level", level, 0.0, 1.0)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.stack([np.minimum(low, estimate), np.maximum(high, estimate)], axis=-1)


def estimate(value: float, samples: FloatArray, level: float = LEVEL) -> Estimate:
    """Return a figure with the interval of its resampled values."""
    return Estimate(float(value), *percentiles(samples, value, level).tolist())
