"""Choice among operators: by mean relative gain, or by a roulette on counts of successes."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel, routine


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

    def draw(self, rng: RandomState, size: int) -> IntArray:
        """Draw `size` strategies; a restart spares only the first of them."""
        return _spins(rng, self.wins, size, self.first, self.least)


@kernel
def _spins(rng: RandomState, wins: FloatArray, size: int, first: float, least: float) -> IntArray:
    drawn = np.empty(size, np.int64)
    for i in range(size):
        drawn[i] = spin(rng, wins, first, least) if i == 0 else weighted(rng, wins)
    return drawn


@routine
def spin(rng: RandomState, wins: FloatArray, first: float, least: float) -> int:
    """Draw a strategy; then all start again if the share of one is below the least."""
    drawn = weighted(rng, wins)
    if wins.min() / wins.sum() < least:
        wins[:] = first
    return drawn


@block
def weighted(rng: RandomState, weights: FloatArray) -> int:
    """Draw a position with a probability in proportion to its weight."""
    rest = random.uniform(rng) * weights.sum()
    chosen = 0
    while chosen < weights.size - 1 and rest >= weights[chosen]:
        rest -= weights[chosen]
        chosen += 1
    return chosen


@block
def by_chance(rng: RandomState, q: FloatArray) -> int:
    """Draw an operator with probability q; the last gets what the others leave."""
    rest = random.uniform(rng)
    chosen = 0
    while chosen < q.size - 1 and rest > q[chosen]:
        rest -= q[chosen]
        chosen += 1
    return chosen


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
        self.least = least
        self.q = np.full(count, 1.0 / count)

    def learn(self, gains: FloatArray, used: IntArray) -> None:
        """Set q by relative gains, 0 for losers; equal ones unless all operators gained."""
        set_chances(self.q, gains, used, self.least)


@kernel
def set_chances(q: FloatArray, gains: FloatArray, used: IntArray, least: float) -> None:
    """Set q by the mean gain of each operator's users, within [least, 1 - least]."""
    mean, users = np.zeros(q.size), np.zeros(q.size)
    for i in range(used.size):
        mean[used[i]] += gains[i]
        users[used[i]] += 1.0
    mean /= np.maximum(users, 1.0)
    if (mean > 0.0).all():
        q[:] = np.minimum(np.maximum(mean / mean.sum(), least), 1.0 - least)
    else:
        q[:] = 1.0 / q.size
