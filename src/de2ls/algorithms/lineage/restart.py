"""The restart of mLSHADE-RL: members that stagnate are mixed anew when the population is small."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import variation
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import LineageConfig, Mask, better
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel, routine


@dataclass(frozen=True, kw_only=True)
class RestartConfig(LineageConfig):
    """Parameters of the restart."""

    restart_volume: float = parameter(1e-3, "relative volume below which members restart", 0.0)
    restart_age: float = parameter(
        2.0, "generations per dimension that such a member survived", 0.0
    )
    restart_sum: float = parameter(2.0, "generations per member that all survivors need", 0.0)


@routine
def stagnant(
    cfg: Any,
    box: FloatArray,
    x: FloatArray,
    f: FloatArray,
    v: FloatArray,
    ages: IntArray,
    won: Mask,
    level: float,
) -> IntArray:
    """Let the survivors grow older; return who shall be mixed anew.

    If the population has shrunk and is old in all, these are its old members but the best.
    """
    n, total, best = won.size, 0, 0
    for i in range(n):
        ages[i] = 0 if won[i] else ages[i] + 1
        total += ages[i]
        if better(f[i], v[i], f[best], v[best], level):
            best = i
    places, count = np.empty(n, np.int64), 0
    if total > cfg.restart_sum * n and relative_volume(x, box) < cfg.restart_volume:
        for i in range(n):
            if i != best and ages[i] > cfg.restart_age * x.shape[1]:
                places[count] = i
                count += 1
    return places[:count]


@routine
def relative_volume(x: FloatArray, box: FloatArray) -> float:
    """Return the fourth root of the product of relative widths, halved each."""
    logs = 0.0
    for j in range(x.shape[1]):
        low, high = x[0, j], x[0, j]
        for i in range(1, x.shape[0]):
            low, high = min(low, x[i, j]), max(high, x[i, j])
        logs += np.log((high - low) / 2.0) - np.log(box[1, j] - box[0, j])
    return float(np.exp(logs / 4.0))


@kernel
def mixed(rng: RandomState, box: FloatArray, parents: FloatArray, places: IntArray) -> FloatArray:
    """Return members of some places, mixed one after the other and repaired."""
    x = parents.copy()
    for i in places:
        if random.uniform(rng) > 0.5:
            mix_members(rng, x, i)
        else:
            mix_coordinates(rng, x, i)
    u = x[places]
    for k in range(places.size):
        variation.midpoint(u[k], parents[places[k]], box)
    return u


@routine
def mix_members(rng: RandomState, x: FloatArray, i: int) -> None:
    """Set x_i = U x_a + (1 - U') x_b + V (x_a - x_b), U and U' in [0, 1), V in [-1, 1).

    The program does so for the first members a, b of two permutations, as many as it draws from
    1..n. Each overwrites the last, unless a or b is i itself: at most two are, so that three tell.
    """
    n, dim = x.shape
    a, b = np.empty(3, np.int64), np.empty(3, np.int64)
    for some in (a, b):
        some[0] = random.integer(rng, n)
        some[1] = random.integer_except(rng, n, some[0], some[0], some[0])
        some[2] = random.integer_except(rng, n, some[0], some[1], some[1])
    for s in range(min(3, 1 + random.integer(rng, n))):
        for j in range(dim):
            one, two = x[a[s], j], x[b[s], j]
            back = 1.0 - random.uniform(rng)
            across = 2.0 * random.uniform(rng) - 1.0
            x[i, j] = random.uniform(rng) * one + back * two + across * (one - two)


@routine
def mix_coordinates(rng: RandomState, x: FloatArray, i: int) -> None:
    """Set some coordinates, 1..D of them, to U x_ij + (1 - U') x_mj of random members m."""
    n, dim = x.shape
    left = 1 + random.integer(rng, dim)
    for j in range(dim):
        if random.uniform(rng) * (dim - j) < left:  # so that any subset is as likely
            left -= 1
            other = x[random.integer(rng, n), j]
            x[i, j] = random.uniform(rng) * x[i, j] + (1.0 - random.uniform(rng)) * other
