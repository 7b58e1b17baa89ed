"""LSHADE44 (R. Poláková, CEC 2017), and LSHADE44-IEpsilon (Z. Fan et al., CEC 2018).

Four strategies compete: two donors, each with binomial and exponential crossover, and each with a
memory of its own. IEpsilon orders by a level that is thrown open when all is feasible; its paper
was not at hand, so that `lshade44-iepsilon` is a reconstruction.

| symbol | here | meaning |
|---|---|---|
| h, n_h | `strategy`, `roulette.wins` | strategy of a member, successes of each |
| MF_h, MCR_h | `memories.f[h]`, `memories.cr[h]` | success history of a strategy |
| r_k | `(pop.v <= 0.0).mean()` | share of feasible members |
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import Roulette
from de2ls.algorithms.lineage.contest import contest, shares
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask, Members, Run, Search
from de2ls.algorithms.lineage.memory import TERMINAL, LSHADEConfig, means
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel

STRATEGIES = 4  # to-pbest/bin, to-pbest/exp, randrl/bin, randrl/exp


@dataclass(frozen=True, kw_only=True)
class LSHADE44Config(LSHADEConfig):
    """Parameters of LSHADE44."""

    handling: str = "feasibility"
    h: int = parameter(6, "H: memory cells of each strategy", 1)
    cr_sigma: float = 0.1**0.5
    archive: float = 2.6
    wins: float = parameter(2.0, "n0: successes of each strategy at the start", 0.1)
    least: float = parameter(0.05, "delta: share of successes below which all restart", 0.0, 0.25)


@dataclass(frozen=True, kw_only=True)
class IEpsilonConfig(LSHADE44Config):
    """Parameters of LSHADE44-IEpsilon: those of LSHADE44, and of its level."""

    handling: str = "epsilon"
    theta: float = parameter(0.05, "share of the first population beyond the level", 0.0, 1.0)
    alpha: float = parameter(0.95, "share of feasible members that opens the level", 0.0, 1.0)
    tau: float = parameter(0.1, "decrease of the level, and how far it opens", 0.0, 1.0)


def search(space: Any, rng: np.random.Generator, budget: int, config: LSHADE44Config) -> Search:
    """Minimise by LSHADE44 or LSHADE44-IEpsilon."""
    run = Run(space, rng, budget, config)
    pop = yield from run.start()
    n0 = len(pop)
    improved = ImprovedLevel(config, pop) if isinstance(config, IEpsilonConfig) else None
    memories = Memories.new(STRATEGIES, config)
    roulette = Roulette(STRATEGIES, config.wins, config.least)
    capacity = sizes.rounded(config.archive * n0)
    archive = Archive(capacity, run.dim)
    while True:
        level = improved.level if improved and config.handling == "epsilon" else run.level
        n = len(pop)
        strategy = roulette.draw(run.rng, n)
        u, f, cr = make_trials(
            run.rng,
            run.box,
            pop.x,
            archive.x,
            pop.order(level),
            max(1, sizes.rounded(config.p * n)),
            strategy,
            memories,
            config.f_scale,
            config.cr_sigma,
        )
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        gain = result.gain
        if config.handling == "feasibility":
            gain = by_violation(gain, result.by_f, pop.v)
        held = gain >= 0.0
        learn(memories, roulette.wins, gain, held, strategy, f, cr)
        archive.overwrite(run.rng, pop.x, held, capacity)
        pop.replace(held, trials)
        if improved:
            improved.follow(pop, trials, run.progress)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if n > plan:
            pop = pop.best(plan, level)
            capacity = sizes.rounded(config.archive * plan)
            archive.thin(run.rng, capacity)


class Memories(NamedTuple):
    """The success histories of the strategies, one row each; k: the cells written next."""

    f: FloatArray
    cr: FloatArray
    k: IntArray

    @classmethod
    def new(cls, count: int, c: LSHADE44Config) -> "Memories":
        """Return the memories at the start."""
        size = count, c.h
        return cls(np.full(size, c.mf), np.full(size, c.mcr), np.zeros(count, np.int64))


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    order: IntArray,
    n_elite: int,
    strategy: IntArray,
    memories: Memories,
    f_scale: float,
    cr_sigma: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a trial of each member by its strategy, and its F and CR.

    Two strategies have the donor x + F (x_pbest - x) + F (x_r1 - z), two have x_a + F (x_b - x_c)
    of three members, best first.
    """
    n = x.shape[0]
    u, f, cr, rank = np.empty_like(x), np.empty(n), np.empty(n), draws.ranks(order)
    chance = np.empty(x.shape[1])
    for i in range(n):
        h, slot = strategy[i], random.integer(rng, memories.f.shape[1])
        cr[i] = draws.clipped_normal(rng, memories.cr[h, slot], cr_sigma)
        f[i] = min(1.0, draws.positive_cauchy(rng, memories.f[h, slot], f_scale))
        if h < 2:
            pbest = order[random.integer(rng, n_elite)]
            r1, r2, _ = draws.partners(rng, i, n, n + archive.shape[0])
            z = variation.pooled(x, archive, r2)
            variation.to_pbest(u[i], x[i], x[pbest], x[r1], z, f[i], f[i])
            variation.midpoint(u[i], x[i], box)
        else:
            r1, r2, r3 = draws.partners(rng, i, n, n)
            a, b, c = draws.best_first(order, rank, r1, r2, r3)
            variation.base_and_difference(u[i], x[a], x[b], x[c], f[i])
            variation.mirror(u[i], box)
        if h % 2 == 0:
            variation.binomial(rng, u[i], x[i], cr[i], False, chance)
        else:
            variation.exponential(rng, u[i], x[i], cr[i], True)
    return u, f, cr


@kernel
def by_violation(gain: FloatArray, by_f: Mask, v: FloatArray) -> FloatArray:
    """Return the gains by the program's rule: f decides only between two feasible ones."""
    return np.where(by_f & (v > 0.0) & (gain > -np.inf), 0.0, gain)


@kernel
def learn(
    memories: Memories,
    wins: FloatArray,
    gain: FloatArray,
    held: Mask,
    strategy: IntArray,
    f: FloatArray,
    cr: FloatArray,
) -> None:
    """Let each strategy learn from its successes: CR by the arithmetic mean, F by Lehmer's."""
    for h in range(wins.size):
        mine = held & (strategy == h)
        wins[h] += mine.sum()
        total, mean_f, mean_cr = means(shares(gain, mine), f, cr, True)
        if total > 0.0:
            k = memories.k[h]
            stays = memories.cr[h, k] == TERMINAL or mean_cr == 0.0
            memories.f[h, k], memories.cr[h, k] = mean_f, TERMINAL if stays else mean_cr
            memories.k[h] = (k + 1) % memories.f.shape[1]


class ImprovedLevel:
    """IEpsilon: the level falls while members are infeasible, and opens when nearly none is."""

    def __init__(self, config: IEpsilonConfig, pop: Members) -> None:
        self.config = config
        v = np.sort(pop.v[np.isfinite(pop.v)])[::-1]
        self.largest = float(v[0]) if v.size else 0.0
        self.level = float(v[min(int(config.theta * len(pop)), v.size - 1)]) if v.size else 0.0

    def follow(self, pop: Members, trials: Members, progress: float) -> None:
        """Set the level for the next generation."""
        c, v = self.config, trials.v[np.isfinite(trials.v)]
        self.largest = max(self.largest, float(v.max(initial=0.0)))
        if progress >= c.eps_end:
            self.level = 0.0
        elif (pop.v <= 0.0).mean() < c.alpha:
            self.level *= 1.0 - c.tau
        else:
            self.level = (1.0 + c.tau) * self.largest


ALGORITHMS = {
    "lshade44": Algorithm("lshade44", "LSHADE44", LSHADE44Config, search=search),
    "lshade44-iepsilon": Algorithm(
        "lshade44-iepsilon", "LSHADE44-IEpsilon", IEpsilonConfig, search=search
    ),
}
