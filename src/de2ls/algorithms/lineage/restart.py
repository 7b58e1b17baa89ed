"""The restart of mLSHADE-RL: members that stagnate are mixed anew when the population is small."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage.members import LineageConfig, Mask, Members, Run


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

    def restart(self, pop: Members, won: Mask, level: float) -> Generator[FloatArray, Any, None]:
        """Age the survivors; if the population has shrunk, mix and evaluate the old ones anew."""
        c, ages = self.run.config, self.ages[: len(pop)]
        ages[:] = np.where(won, 0, ages + 1)
        is_wide = self.ratio(pop.x) >= c.restart_volume
        if is_wide or ages[~won].sum() <= c.restart_sum * len(pop):
            return
        old = ages > c.restart_age * self.run.dim
        old[pop.order(level)[0]] = False
        places = np.flatnonzero(old)
        if places.size == 0:
            return
        x = pop.x.copy()
        for i in places:
            self.mix(x, int(i))
        low, high = self.run.box
        outside = (x < low) | (x > high)
        x = np.clip(np.where(outside, (np.clip(x, low, high) + pop.x) / 2.0, x), low, high)
        pop.put(places, (yield from self.run.evaluate(x[places])))
        ages[places] = 0

    def ratio(self, x: FloatArray) -> float:
        """Return the fourth root of the product of relative widths, halved each."""
        width = (x.max(axis=0) - x.min(axis=0)) / 2.0
        with np.errstate(divide="ignore"):
            logs = np.log(width) - np.log(self.run.box[1] - self.run.box[0])
        return float(np.exp(logs.sum() / 4.0))

    def mix(self, x: FloatArray, i: int) -> None:
        """Change row i: crossed with others' rows, or some coordinates with a random member's."""
        rng, (n, dim) = self.run.numpy_rng, x.shape
        if rng.random() > 0.5:
            size = rng.integers(1, n + 1)
            first, second = rng.permutation(n)[:size], rng.permutation(n)[:size]
            for a, b in zip(first, second, strict=True):
                u, w, v = rng.random(dim), rng.random(dim), rng.uniform(-1.0, 1.0, dim)
                x[i] = u * x[a] + (1.0 - w) * x[b] + v * (x[a] - x[b])
        else:
            for j in rng.permutation(dim)[: rng.integers(1, dim + 1)]:
                other = x[rng.integers(n), j]
                x[i, j] = rng.random() * x[i, j] + (1.0 - rng.random()) * other
