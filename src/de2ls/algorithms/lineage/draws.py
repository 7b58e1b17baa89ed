"""Draws of the lineage, for all members at once: F, CR, partners.

| symbol | meaning |
|---|---|
| C(m, s) | Cauchy with location m and scale s |
| N(m, s) | normal with mean m and deviation s |
| i, r1, r2, r3 | a member and its partners, all different |
"""

import math

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel

IntArray = NDArray[np.int64]


@kernel
def integers(rng: RandomState, count: int, size: int) -> IntArray:
    """Draw `size` integers from 0..count-1."""
    drawn = np.empty(size, np.int64)
    for i in range(size):
        drawn[i] = random.integer(rng, count)
    return drawn


@kernel
def positive_cauchy(rng: RandomState, location: FloatArray, scale: float, cap: float) -> FloatArray:
    """Draw from C(location, scale) given that it is positive, cut at `cap`.

    The upper tail of the distribution is inverted, so that no location needs many redraws:
    P(C > c) = q at c = location + scale / tan(pi q).
    """
    drawn = np.empty(location.size)
    for i in range(location.size):
        share = math.atan2(scale, -location[i]) / math.pi  # P(C > 0)
        angle = math.pi * share * (1.0 - random.uniform(rng))
        drawn[i] = min(cap, max(1e-300, location[i] + scale / math.tan(angle)))
    return drawn


@kernel
def clipped_normal(rng: RandomState, mean: FloatArray, deviation: float) -> FloatArray:
    """Draw from N(mean, deviation), clipped to [0, 1]; 0 where the mean is negative (terminal)."""
    drawn = np.zeros(mean.size)
    for i in range(mean.size):
        if mean[i] >= 0.0:
            drawn[i] = random.normal_clipped(rng, mean[i], deviation)
    return drawn


@kernel
def partners(rng: RandomState, n: int, n_pool: int) -> tuple[IntArray, IntArray, IntArray]:
    """Draw r1 and r3 among n members, r2 among these and an archive: all other than i."""
    r1, r2, r3 = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        r1[i] = random.integer_except(rng, n, i, i, i)
        r2[i] = random.integer_except(rng, n_pool, i, r1[i], i)
        r3[i] = random.integer_except(rng, n, i, r1[i], r2[i])
    return r1, r2, r3


@kernel
def elite(rng: RandomState, best: IntArray, n: int, other: bool) -> IntArray:
    """Draw for each of n members one of the best; `other`: not the member itself."""
    drawn = np.empty(n, np.int64)
    for i in range(n):
        drawn[i] = best[random.integer(rng, best.size)]
        while other and best.size > 1 and drawn[i] == i:
            drawn[i] = best[random.integer(rng, best.size)]
    return drawn


@kernel
def best_first(order: IntArray, three: tuple[IntArray, IntArray, IntArray]) -> IntArray:
    """Return three members for each, sorted: the best in row 0, the worst in row 2."""
    n = order.size
    rank = np.empty(n, np.int64)
    for place in range(n):
        rank[order[place]] = place
    found = np.empty((3, n), np.int64)
    for i in range(n):
        a, b, c = rank[three[0][i]], rank[three[1][i]], rank[three[2][i]]
        low, high = min(a, b), max(a, b)
        found[0, i] = order[min(low, c)]
        found[1, i] = order[max(low, min(high, c))]
        found[2, i] = order[max(high, c)]
    return found
