"""From finished trials to a claim: competition files, U-scores, intervals and tests."""

from de2ls.scores.assessment import Assessment, score
from de2ls.scores.bootstrap import Bootstrap, bootstrap
from de2ls.scores.collection import Collection, collect
from de2ls.scores.export import write_file, write_records
from de2ls.scores.files import ResultFile, Submission, read_file, read_results
from de2ls.scores.layout import FileFormatError
from de2ls.scores.mixture import MixtureError
from de2ls.scores.rules import Finding
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
    "FileFormatError",
    "Finding",
    "Friedman",
    "MixtureError",
    "Paired",
    "RankSum",
    "ResultFile",
    "Score",
    "Submission",
    "Summary",
    "Table",
    "bootstrap",
    "collect",
    "friedman",
    "paired",
    "rank_sum",
    "read_file",
    "read_results",
    "score",
    "summary",
    "uscore",
    "write_file",
    "write_records",
]
