"""jSO (J. Brest, M. S. Maučec, B. Bošković, CEC 2017), and DISH, which weights by distance.

| symbol | here | meaning |
|---|---|---|
| N, p | `len(pop)`, `n_elite` | population size; the p N best are the elite |
| r | `r` | t / T at the start of the generation |
| F, Fw, CR | `f`, `fw`, `cr` | scale of the second and of the first difference, crossover rate |
| MF, MCR | `memory.f`, `memory.cr` | success history |
| z | `z` | a member of the population or of the archive |

DISH: A. Viktorin, R. Senkerik, M. Pluhacek, T. Kadavy, A. Zamuda, 2019.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import (
    Contest,
    Members,
    Run,
    Search,
    contest,
    shares,
)
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


@dataclass(frozen=True, kw_only=True)
class JSOConfig(MemoryConfig):
    """Parameters of jSO."""

    n0_scale: float = parameter(25.0, "N0 = n0_scale ln(D) sqrt(D)", 1.0)
    h: int = parameter(5, "H: memory cells, of which the last is read as m_last", 1)
    mf: float = 0.3
    mcr: float = 0.8
    archive: float = 1.0
    m_last: float = parameter(0.9, "what the last cell is read as, for F and for CR", 0.0, 1.0)
    keep: float = parameter(0.5, "share of the old value in an updated cell", 0.0, 1.0)
    p_max: float = parameter(0.25, "p: share of the elite at the start", 0.0, 1.0)
    p_min: float = parameter(0.125, "p at the end", 0.0, 1.0)
    cr_floor_1: float = parameter(0.7, "least CR before cr_until_1", 0.0, 1.0)
    cr_until_1: float = parameter(0.25, "progress up to which cr_floor_1 holds", 0.0, 1.0)
    cr_floor_2: float = parameter(0.6, "least CR before cr_until_2", 0.0, 1.0)
    cr_until_2: float = parameter(0.5, "progress up to which cr_floor_2 holds", 0.0, 1.0)
    f_cap: float = parameter(0.7, "largest F before f_until", 0.0, 1.0)
    f_until: float = parameter(0.6, "progress up to which f_cap holds", 0.0, 1.0)
    fw_1: float = parameter(0.7, "Fw / F before fw_until_1", 0.0)
    fw_until_1: float = parameter(0.2, "progress up to which fw_1 holds", 0.0, 1.0)
    fw_2: float = parameter(0.8, "Fw / F before fw_until_2", 0.0)
    fw_until_2: float = parameter(0.4, "progress up to which fw_2 holds", 0.0, 1.0)
    fw_3: float = parameter(1.2, "Fw / F after it", 0.0)
    other_until: float = parameter(0.5, "progress up to which pbest is never i itself", 0.0, 1.0)
    weight: str = parameter(
        "gain", "what weights a success: its gain, or the way it went", options=("gain", "distance")
    )

    def default_size(self, dim: int) -> int:
        """Return N0 = 25 ln(D) sqrt(D)."""
        return sizes.rounded(self.n0_scale * math.log(dim) * math.sqrt(dim))


@dataclass(frozen=True, kw_only=True)
class DISHConfig(JSOConfig):
    """Parameters of DISH: those of jSO, with successes weighted by distance."""

    weight: str = "distance"


def search(space: Any, rng: np.random.Generator, budget: int, config: JSOConfig) -> Search:
    """Minimise by jSO."""
    run = Run(space, rng, budget, config)
    pop = yield from run.start()
    n0 = len(pop)
    memory = Memory(config.h, config.mf, config.mcr, config.keep)
    archive = Archive(int(config.archive * n0), run.dim)
    n_elite = max(2, sizes.rounded(config.p_max * n0))
    while True:
        level = run.level
        f, cr = parameters(run, memory, len(pop))
        donors = to_pbest_w(run, pop, archive, pop.order(level)[:n_elite], f)
        donors = variation.midpoint(donors, pop.x, run.box)
        trials = yield from run.evaluate(variation.binomial(run.rng, pop.x, donors, cr, True))
        result = contest(pop, trials, level)
        won = result.won
        weights = success_weights(result, pop, trials, config.weight)
        archive.overwrite(run.rng, pop.x[won], int(config.archive * len(pop)))
        memory.learn(weights, f[won], cr[won])
        pop.replace(result.held, trials)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if len(pop) > plan:
            pop = pop.best(plan, level)
            archive.cut(int(config.archive * plan))
            share = config.p_max + (config.p_min - config.p_max) * run.progress
            n_elite = max(2, sizes.rounded(share * plan))


def parameters(run: Run[JSOConfig], memory: Memory, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw F and CR of n trials, within the limits of the time."""
    c, r = run.config, run.progress
    floors = ((c.cr_floor_1, c.cr_until_1), (c.cr_floor_2, c.cr_until_2))
    cr_floor = max(floor if r < until else 0.0 for floor, until in floors)
    f_cap = c.f_cap if r < c.f_until else 1.0
    spreads = c.f_scale, c.cr_sigma
    return _parameters(run.rng, n, memory.f, memory.cr, c.m_last, spreads, f_cap, cr_floor)


@kernel
def _parameters(
    rng: RandomState,
    n: int,
    mf: FloatArray,
    mcr: FloatArray,
    m_last: float,
    spreads: tuple[float, float],
    f_cap: float,
    cr_floor: float,
) -> tuple[FloatArray, FloatArray]:
    mean_f, mean_cr = np.full(n, m_last), np.full(n, m_last)
    for i in range(n):
        slot = random.integer(rng, mf.size)
        if slot < mf.size - 1:
            mean_f[i], mean_cr[i] = mf[slot], mcr[slot]
    cr = np.maximum(draws.clipped_normal(rng, mean_cr, spreads[1]), cr_floor)
    return np.minimum(draws.positive_cauchy(rng, mean_f, spreads[0], 1.0), f_cap), cr


def to_pbest_w(
    run: Run[JSOConfig], pop: Members, archive: Archive, elite: IntArray, f: FloatArray
) -> FloatArray:
    """Return donors of current-to-pbest-w/1: x + Fw (x_pbest - x) + F (x_r1 - z)."""
    c, r, x = run.config, run.progress, pop.x
    fw = f * (c.fw_1 if r < c.fw_until_1 else c.fw_2 if r < c.fw_until_2 else c.fw_3)
    pbest = draws.elite(run.rng, elite, len(pop), r < c.other_until)
    r1, r2, _ = draws.partners(run.rng, len(pop), len(pop) + archive.n)
    return variation.to_pbest(x, archive.x, (pbest, r1, r2), fw, f)


def success_weights(result: Contest, pop: Members, trials: Members, by: str) -> FloatArray:
    """Return the weights of the strict successes: their gains, or the distances travelled."""
    won = result.won
    if by == "gain":
        return result.weights(won)
    distance = np.sqrt(((trials.x[won] - pop.x[won]) ** 2).sum(axis=1))
    return shares(distance)


ALGORITHMS = {
    "jso": Algorithm("jso", "jSO", JSOConfig, search=search),
    "dish": Algorithm("dish", "DISH", DISHConfig, search=search),
}
