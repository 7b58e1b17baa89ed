"""Choice among operators: by mean relative gain, or by a roulette on counts of successes."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Contest


class Roulette:
    """Strategies drawn in proportion to their successes, which start and restart at `first`.

    Parameters
    ----------
    count : int
        Number of strategies.
    first : float
        What each has won at the start.
    least : float
        When a strategy's share falls below this, all start again.
    """

    def __init__(self, count: int, first: float, least: float) -> None:
        self.first, self.least = first, least
        self.wins = np.full(count, first)

    def draw(self, rng: np.random.Generator, size: int) -> IntArray:
        """Draw `size` strategies; a restart spares only the first of them."""
        drawn = self._spin(rng, size)
        if self.wins.min() / self.wins.sum() < self.least:
            self.wins[:] = self.first
            drawn[1:] = self._spin(rng, size - 1)
        return drawn

    def _spin(self, rng: np.random.Generator, size: int) -> IntArray:
        steps: FloatArray = np.cumsum(self.wins)
        drawn: IntArray = np.searchsorted(steps[:-1], rng.random(size) * steps[-1], side="right")
        return drawn


class OperatorWeights:
    """Probabilities q of operators, by the mean relative gain of those who used them.

    Parameters
    ----------
    count : int
        Number of operators.
    least : float
        Smallest probability; the largest is 1 minus it.
    """

    def __init__(self, count: int, least: float) -> None:
        self.count, self.least = count, least
        self.q = np.full(count, 1.0 / count)

    def draw(self, rng: np.random.Generator, size: int) -> IntArray:
        """Draw operators; the last gets what the others leave."""
        return np.searchsorted(np.cumsum(self.q[:-1]), rng.random(size))

    def learn(self, result: Contest, used: IntArray, of: FloatArray) -> None:
        """Set q by gains relative to the values `of`; equal ones unless all operators gained."""
        relative = result.relative(of)
        users = np.bincount(used, minlength=self.count)
        mean = np.bincount(used, relative, self.count) / np.maximum(users, 1)
        if (mean > 0.0).all():
            self.q = np.clip(mean / mean.sum(), self.least, 1.0 - self.least)
        else:
            self.q = np.full(self.count, 1.0 / self.count)
