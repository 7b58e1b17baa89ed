"""From finished trials to a claim: U-scores, intervals and tests."""

from de2ls.scores.assessment import Assessment, score
from de2ls.scores.bootstrap import Bootstrap, bootstrap
from de2ls.scores.collection import Collection, collect
from de2ls.scores.mixture import MixtureError
from de2ls.scores.statistics import Friedman, Paired, RankSum, friedman, paired, rank_sum
from de2ls.scores.summary import Summary, summary
from de2ls.scores.tables import Column, Estimate, Table
from de2ls.scores.uscore import Score, uscore

__all__ = [
    "Assessment",
    "Bootstrap",
    "Collection",
    "Column",
    "Estimate",
    "Friedman",
    "MixtureError",
    "Paired",
    "RankSum",
    "Score",
    "Summary",
    "Table",
    "bootstrap",
    "collect",
    "friedman",
    "paired",
    "rank_sum",
    "score",
    "summary",
    "uscore",
]
