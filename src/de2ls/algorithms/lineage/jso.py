"""jSO (J. Brest, M. S. Maučec, B. Bošković, CEC 2017), and DISH, which weights by distance.

| symbol | here | meaning |
|---|---|---|
| N, p | `len(pop)`, `n_elite` | population size; the p N best are the elite |
| r | `run.progress` | t / T at the start of the generation |
| F, Fw, CR | `f`, `fw f`, `cr` | scale of the second and of the first difference, crossover rate |
| MF, MCR | `memory.f`, `memory.cr` | success history |
| z | `z` | a member of the population or of the archive |

DISH: A. Viktorin, R. Senkerik, M. Pluhacek, T. Kadavy, A. Zamuda, 2019.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.contest import contest, shares
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Run, Search
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel


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
        elite = pop.order(level)[:n_elite]
        limits = limits_at(config, run.progress)
        u, f, cr = make_trials(
            run.rng, run.box, pop.x, archive.x, elite, memory.f, memory.cr, limits
        )
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        weights = result.weights
        if config.weight == "distance":
            weights = shares(distances(pop.x, trials.x), result.won)
        archive.overwrite(run.rng, pop.x, result.won, int(config.archive * len(pop)))
        memory.learn(weights, f, cr)
        pop.replace(result.held, trials)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if len(pop) > plan:
            pop = pop.best(plan, level)
            archive.cut(int(config.archive * plan))
            share = config.p_max + (config.p_min - config.p_max) * run.progress
            n_elite = max(2, sizes.rounded(share * plan))


class Limits(NamedTuple):
    """What holds for all trials of a generation."""

    m_last: float
    f_scale: float
    cr_sigma: float
    f_cap: float
    cr_floor: float
    fw: float  # Fw / F
    other: bool  # whether pbest is never i itself


def limits_at(c: JSOConfig, r: float) -> Limits:
    """Return the limits at the progress r; EA4eig compiles this."""
    floor_1 = c.cr_floor_1 if r < c.cr_until_1 else 0.0
    floor_2 = c.cr_floor_2 if r < c.cr_until_2 else 0.0
    return Limits(
        c.m_last,
        c.f_scale,
        c.cr_sigma,
        c.f_cap if r < c.f_until else 1.0,
        max(floor_1, floor_2),
        c.fw_1 if r < c.fw_until_1 else c.fw_2 if r < c.fw_until_2 else c.fw_3,
        r < c.other_until,
    )


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    elite: IntArray,
    mf: FloatArray,
    mcr: FloatArray,
    limits: Limits,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a trial of each member, and its F and CR."""
    n = x.shape[0]
    u, f, cr, chance = np.empty_like(x), np.empty(n), np.empty(n), np.empty(x.shape[1])
    for i in range(n):
        f[i], cr[i] = parameters(rng, mf, mcr, limits)
        to_pbest_w(rng, u[i], i, x, archive, elite, f[i], limits)
        variation.midpoint(u[i], x[i], box)
        variation.binomial(rng, u[i], x[i], cr[i], True, chance)
    return u, f, cr


@block
def parameters(
    rng: RandomState, mf: FloatArray, mcr: FloatArray, limits: Limits
) -> tuple[float, float]:
    """Draw F and CR of a trial, within the limits of the time."""
    slot = random.integer(rng, mf.size)
    mean_f, mean_cr = mf[slot], mcr[slot]
    if slot == mf.size - 1:
        mean_f = mean_cr = limits.m_last
    cr = draws.clipped_normal(rng, mean_cr, limits.cr_sigma)
    f = draws.positive_cauchy(rng, mean_f, limits.f_scale)
    return min(f, limits.f_cap), max(cr, limits.cr_floor)


@block
def to_pbest_w(
    rng: RandomState,
    v: FloatArray,
    i: int,
    x: FloatArray,
    archive: FloatArray,
    elite: IntArray,
    f: float,
    limits: Limits,
) -> None:
    """Set v to a donor of current-to-pbest-w/1: x + Fw (x_pbest - x) + F (x_r1 - z)."""
    pbest = elite[random.integer(rng, elite.size)]
    while limits.other and elite.size > 1 and pbest == i:
        pbest = elite[random.integer(rng, elite.size)]
    n = x.shape[0]
    r1, r2, _ = draws.partners(rng, i, n, n + archive.shape[0])
    z = variation.pooled(x, archive, r2)
    variation.to_pbest(v, x[i], x[pbest], x[r1], z, limits.fw * f, f)


@kernel
def distances(x: FloatArray, u: FloatArray) -> FloatArray:
    """Return how far each trial is from its parent: what weights a success of DISH."""
    found: FloatArray = np.sqrt(((u - x) ** 2).sum(axis=1))
    return found


ALGORITHMS = {
    "jso": Algorithm("jso", "jSO", JSOConfig, search=search),
    "dish": Algorithm("dish", "DISH", DISHConfig, search=search),
}
