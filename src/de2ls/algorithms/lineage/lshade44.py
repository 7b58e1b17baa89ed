"""LSHADE44 (R. Poláková, CEC 2017), and LSHADE44-IEpsilon (Z. Fan et al., CEC 2018).

Four strategies compete: two donors, each with binomial and exponential crossover, and each with a
memory of its own. IEpsilon orders by a level that is thrown open when all is feasible; its paper
was not at hand, so that `lshade44-iepsilon` is a reconstruction.

| symbol | here | meaning |
|---|---|---|
| h, n_h | `strategy`, `roulette.wins` | strategy of a member, successes of each |
| MF_h, MCR_h | `memories[h]` | success history of a strategy |
| r_k | `feasible` | share of feasible members |
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import Roulette
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import (
    Contest,
    Mask,
    Members,
    Run,
    Search,
    contest,
    shares,
)
from de2ls.algorithms.lineage.memory import LSHADEConfig, Memory

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
    memories = [Memory(config.h, config.mf, config.mcr, arithmetic=True) for _ in range(STRATEGIES)]
    roulette = Roulette(STRATEGIES, config.wins, config.least)
    capacity = sizes.rounded(config.archive * n0)
    archive = Archive(capacity, run.dim)
    while True:
        level = improved.level if improved and config.handling == "epsilon" else run.level
        n = len(pop)
        strategy = roulette.draw(rng, n)
        slot = draws.integers(run.rng, config.h, n)
        mean_f = np.array([memory.f for memory in memories])[strategy, slot]
        mean_cr = np.array([memory.cr for memory in memories])[strategy, slot]
        cr = draws.clipped_normal(run.rng, mean_cr, config.cr_sigma)
        f = draws.positive_cauchy(run.rng, mean_f, config.f_scale, 1.0)
        donors = competing_donors(run, pop, archive, pop.order(level), f, strategy < 2)
        trials = yield from run.evaluate(crossed(run, pop.x, donors, cr, strategy % 2 == 0))
        result = contest(pop, trials, level)
        if config.handling == "feasibility":
            result = by_violation(pop, trials, result)
        held = result.held
        for h, memory in enumerate(memories):
            mine = held & (strategy == h)
            memory.learn(shares(result.gain[mine]), f[mine], cr[mine])
            roulette.wins[h] += mine.sum()
        archive.overwrite(run.rng, pop.x[held], capacity)
        pop.replace(held, trials)
        if improved:
            improved.follow(pop, trials, run.progress)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if n > plan:
            pop = pop.best(plan, level)
            capacity = sizes.rounded(config.archive * plan)
            archive.thin(run.rng, capacity)


def competing_donors(
    run: Run[LSHADE44Config],
    pop: Members,
    archive: Archive,
    order: IntArray,
    f: FloatArray,
    to_pbest: Mask,
) -> FloatArray:
    """Return x + F (x_pbest - x) + F (x_r1 - z), or x_a + F (x_b - x_c) of three, best first."""
    x, n = pop.x, len(pop)
    pbest = draws.elite(run.rng, order[: max(1, sizes.rounded(run.config.p * n))], n, False)
    r1, r2, _ = draws.partners(run.rng, n, n + archive.n)
    toward = variation.to_pbest(x, archive.x, (pbest, r1, r2), f, f)
    toward = variation.midpoint(toward, x, run.box)
    three = draws.best_first(order, draws.partners(run.rng, n, n))
    among = variation.mirror(variation.base_and_difference(x, three, f), run.box)
    return np.where(to_pbest[:, None], toward, among)


def crossed(
    run: Run[LSHADE44Config], x: FloatArray, donors: FloatArray, cr: FloatArray, binomial: Mask
) -> FloatArray:
    """Cross each member by its strategy's rule."""
    u, other = np.empty_like(x), ~binomial
    u[binomial] = variation.binomial(run.rng, x[binomial], donors[binomial], cr[binomial], False)
    u[other] = variation.exponential(run.rng, x[other], donors[other], cr[other], True)
    return u


def by_violation(pop: Members, trials: Members, result: Contest) -> Contest:
    """Return the contest by the program's rule: f decides only between two feasible ones."""
    tied = result.by_f & (pop.v > 0.0) & (trials.v < np.inf)
    return Contest(np.where(tied, 0.0, result.gain), result.by_f & ~tied, result.old, result.new)


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
