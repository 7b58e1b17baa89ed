"""The restart of mLSHADE-RL: members that stagnate are mixed anew when the population is small."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import variation
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import LineageConfig, Mask, Members, Run
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


class Stagnation:
    """Counts for each place how long its member has survived.

    Parameters
    ----------
    run : Run
        The search.
    n : int
        N0.
    """

    def __init__(self, run: Run[RestartConfig], n: int) -> None:
        self.run = run
        self.ages = np.zeros(n, np.int64)

    def restart(
        self, pop: Members, survived: int, level: float
    ) -> Generator[FloatArray, Any, None]:
        """If the population has shrunk and is old in all, mix and evaluate the old ones anew."""
        c, ages = self.run.config, self.ages[: len(pop)]
        if survived <= c.restart_sum * len(pop):
            return
        if relative_volume(pop.x, self.run.box) >= c.restart_volume:
            return
        old = ages > c.restart_age * self.run.dim
        old[pop.order(level)[0]] = False
        places = np.flatnonzero(old)
        if places.size == 0:
            return
        x = mixed(self.run.rng, self.run.box, pop.x, places)
        pop.put(places, (yield from self.run.evaluate(x)))
        ages[places] = 0


@kernel
def age(ages: IntArray, won: Mask) -> int:
    """Let the survivors grow older; return the sum of their ages."""
    total = 0
    for i in range(won.size):
        ages[i] = 0 if won[i] else ages[i] + 1
        total += ages[i]
    return total


@kernel
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
