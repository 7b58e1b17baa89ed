"""From finished trials to a claim: competition files, U-scores, intervals and tests."""

from de2ls.scores.collection import Collection, collect
from de2ls.scores.mixture import MixtureError
from de2ls.scores.tables import Column, Table
from de2ls.scores.uscore import Score, uscore

__all__ = ["Collection", "Column", "MixtureError", "Score", "Table", "collect", "uscore"]
