"""`score`: all scores and tests of a set of trials, in one call."""

from collections.abc import Iterable
from dataclasses import dataclass

from de2ls import _checks
from de2ls.scores.bootstrap import MOST_RESAMPLES, RESAMPLES, Bootstrap
from de2ls.scores.bootstrap import bootstrap as resample
from de2ls.scores.collection import Collection, collect
from de2ls.scores.statistics import Friedman, RankSum, friedman, rank_sum
from de2ls.scores.summary import Summary, summary
from de2ls.scores.tables import Table, Tabular
from de2ls.scores.uscore import Score, uscore
from de2ls.trials.record import TrialRecord


@dataclass(frozen=True, eq=False)
class Assessment(Tabular):
    """A score and how certain it is."""

    collection: Collection
    score: Score
    bootstrap: Bootstrap | None  # None where no resamples were asked for
    rank_sum: RankSum
    friedman: Friedman | None  # None with fewer than three algorithms or two problems
    summary: Summary

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before using the figures."""
        return self.score.warnings if self.bootstrap is None else self.bootstrap.warnings

    def table(self) -> Table:
        """Return the totals, with intervals where they were asked for."""
        return (self.score if self.bootstrap is None else self.bootstrap).table()

    def tables(self) -> dict[str, Table]:
        """Return all tables by name, in the order in which they are read."""
        several = len(self.score.algorithms) > 1
        found: dict[str, Table | None] = {
            "totals": self.table(),
            "pairs": self.bootstrap.pairs() if self.bootstrap is not None and several else None,
            "by_problem": self.score.by_problem(),
            "rank_sum": self.rank_sum.table() if several else None,
            "friedman": self.friedman.table() if self.friedman is not None else None,
            "summary": self.summary.compact(),
        }
        return {name: table for name, table in found.items() if table is not None}


def score(
    records: Iterable[TrialRecord] | Collection,
    protocol: str = "cec2026",
    bootstrap: int = RESAMPLES,
    seed: int = 0,
    allow_unequal: bool = False,
) -> Assessment:
    """Score trials, with intervals and tests.

    Parameters
    ----------
    records : iterable of TrialRecord, or Collection
        The trials.
    protocol : {"cec2026", "cec2024"}
        As for `uscore`.
    bootstrap : int
        Number of resamples: 1000 to 100,000, or 0 for none.
    seed : int
        Of the resampling.
    allow_unequal : bool
        As for `collect`; it has no effect on a Collection.

    Returns
    -------
    Assessment
    """
    if bootstrap != 0:
        _checks.integer("bootstrap (or 0 for none)", bootstrap, RESAMPLES, MOST_RESAMPLES)
    collection = records if isinstance(records, Collection) else collect(records, allow_unequal)
    resampled = resample(collection, protocol, bootstrap, seed) if bootstrap else None
    points = uscore(collection, protocol) if resampled is None else resampled.score
    m, n = len(collection.algorithms), len(collection.problems)
    return Assessment(
        collection,
        points,
        resampled,
        rank_sum(collection),
        friedman(points) if m >= 3 and n >= 2 else None,
        summary(collection),
    )
