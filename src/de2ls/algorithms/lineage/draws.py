"""Draws of the lineage: F, CR, partners of a member.

| symbol | meaning |
|---|---|
| C(m, s) | Cauchy with location m and scale s |
| N(m, s) | normal with mean m and deviation s |
| i, r1, r2, r3 | a member and its partners, all different |
"""

import math

import numpy as np
from numpy.typing import NDArray

from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block

IntArray = NDArray[np.int64]


@block
def positive_cauchy(rng: RandomState, location: float, scale: float) -> float:
    """Draw from C(location, scale) given that it is positive.

    The upper tail of the distribution is inverted, so that no location needs many redraws:
    P(C > c) = q at c = location + scale / tan(pi q).
    """
    return tail_cauchy(random.uniform(rng), location, scale, widest(location, scale))


@block
def widest(location: float, scale: float) -> float:
    """Return the angle pi q of c = 0."""
    share = math.atan2(scale, -location) / math.pi  # P(C > 0)
    return math.pi * share


@block
def tail_cauchy(chance: float, location: float, scale: float, angle: float) -> float:
    """Return what a number of U(0, 1) stands for in the upper tail that begins at an angle."""
    return max(1e-300, location + scale / math.tan(angle * (1.0 - chance)))


@block
def clipped_normal(rng: RandomState, mean: float, deviation: float) -> float:
    """Draw from N(mean, deviation), clipped to [0, 1]; 0 where the mean is negative (terminal)."""
    return random.normal_clipped(rng, mean, deviation) if mean >= 0.0 else 0.0


@block
def partners(rng: RandomState, i: int, n: int, n_pool: int) -> tuple[int, int, int]:
    """Draw r1 and r3 among n members, r2 among these and an archive: all other than i."""
    r1 = random.integer_except(rng, n, i, i, i)
    r2 = random.integer_except(rng, n_pool, i, r1, i)
    return r1, r2, random.integer_except(rng, n, i, r1, r2)


@block
def ranks(order: IntArray) -> IntArray:
    """Return the rank of each member, 0 for the best."""
    rank = np.empty(order.size, np.int64)
    for place in range(order.size):
        rank[order[place]] = place
    return rank


@block
def best_first(
    order: IntArray, rank: IntArray, one: int, two: int, three: int
) -> tuple[int, int, int]:
    """Return three members sorted, the best first."""
    a, b, c = rank[one], rank[two], rank[three]
    low, high = min(a, b), max(a, b)
    return order[min(low, c)], order[max(low, min(high, c))], order[max(high, c)]
