"""NL-SHADE-RSP (V. Stanovov, S. Akhmedova, E. Semenkin, CEC 2021).

Non-linear reduction, rank-based pressure on the last partner, adaptive use of the archive.

| symbol | here | meaning |
|---|---|---|
| N, r | `len(pop)`, `run.progress` | population size; t / T |
| pn | `n_elite` | size of the elite, N (p_start + p_rise r) |
| pA | `p_archive` | probability that the last partner comes from the archive |
| F_last | `raw_f[-1]` | the last member's F before it is cut at 1 |
"""

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
    Mask,
    Members,
    Run,
    Search,
    contest,
)
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


@dataclass(frozen=True, kw_only=True)
class NLSHADERSPConfig(MemoryConfig):
    """Parameters of NL-SHADE-RSP."""

    n0_per_dim: float = parameter(30.0, "N0 / D", 1.0)
    mf: float = 0.2
    mcr: float = 0.2
    archive: float = 2.1
    h_per_dim: int = parameter(20, "H / D: memory cells per dimension", 1)
    m_none: float = parameter(0.5, "what a generation without success writes", 0.0, 1.0)
    p_start: float = parameter(0.2, "p: share of the elite at the start", 0.0, 1.0)
    p_rise: float = parameter(0.2, "rise of p until the end", 0.0, 1.0)
    p_archive: float = parameter(0.5, "pA at the start, and where it cannot be learned", 0.0, 1.0)
    p_archive_min: float = parameter(0.1, "least pA; the largest is 1 minus it", 0.0, 0.5)
    exponential: float = parameter(0.5, "chance of exponential crossover per generation", 0.0, 1.0)
    cr_from: float = parameter(0.5, "progress up to which binomial crossover takes one", 0.0, 1.0)
    pressure: float = parameter(1.0, "rank pressure: weight exp(-pressure j / N)", 1e-3)
    remember_f: str = parameter(
        "program", "which F a success leaves: F_last, or its own", options=("program", "own")
    )

    def default_size(self, dim: int) -> int:
        """Return N0 = 30 D."""
        return int(self.n0_per_dim * dim)


def search(space: Any, rng: np.random.Generator, budget: int, config: NLSHADERSPConfig) -> Search:
    """Minimise by NL-SHADE-RSP."""
    run = Run(space, rng, budget, config)
    pop = yield from run.start()
    n0, p_archive = len(pop), config.p_archive
    memory = Memory(config.h_per_dim * run.dim, config.mf, config.mcr, empty=config.m_none)
    capacity = int(config.archive * n0)
    archive = Archive(capacity, run.dim)
    while True:
        level, n = run.level, len(pop)
        order = pop.order(level)
        slot = draws.integers(run.rng, memory.f.size, n)
        raw_f = draws.positive_cauchy(run.rng, memory.f[slot], config.f_scale, np.inf)
        f = np.minimum(raw_f, 1.0)
        cr = np.empty(n)  # the best member gets the smallest
        cr[order] = np.sort(draws.clipped_normal(run.rng, memory.cr[slot], config.cr_sigma))
        donors, from_archive = to_pbest_rsp(run, pop, archive, order, f, p_archive)
        trials = yield from run.evaluate(crossed(run, pop.x, donors, cr))
        result = contest(pop, trials, level)
        won, held = result.won, result.held
        p_archive = archive_probability(result, held, from_archive, config)
        if won.any():
            remembered = f if config.remember_f == "own" else np.full(n, raw_f[-1])
            memory.learn(result.weights(won), remembered[won], cr[won])
        else:
            memory.write(config.m_none, config.m_none)
        archive.overwrite(run.rng, pop.x[held], capacity)
        pop.replace(held, trials)
        plan = sizes.power(n0, config.n_min, run.progress)
        if plan < n:
            pop = pop.best(plan, level)
        capacity = max(config.n_min, int(config.archive * plan))
        archive.cut(capacity)


def to_pbest_rsp(
    run: Run[NLSHADERSPConfig],
    pop: Members,
    archive: Archive,
    order: IntArray,
    f: FloatArray,
    p_archive: float,
) -> tuple[FloatArray, Mask]:
    """Return donors x + F (x_pbest - x) + F (x_r1 - z), and who took z from the archive."""
    c, x, n = run.config, pop.x, len(pop)
    n_elite = max(2, int(n * (c.p_rise * run.progress + c.p_start)))
    found = ranked_partners(run.rng, order, n_elite, archive.n, p_archive, c.pressure)
    return variation.to_pbest(x, archive.x, found, f, f), found[2] >= n


@kernel
def ranked_partners(
    rng: RandomState,
    order: IntArray,
    n_elite: int,
    n_archive: int,
    p_archive: float,
    pressure: float,
) -> tuple[IntArray, IntArray, IntArray]:
    """Draw pbest from the elite, r1 uniformly, r2 from the archive or by rank."""
    n = order.size
    tail = 1.0 - np.exp(-pressure)
    pbest, r1, r2 = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        pbest[i] = order[random.integer(rng, n_elite)]
        while pbest[i] == i:
            pbest[i] = order[random.integer(rng, n_elite)]
        r1[i] = random.integer_except(rng, n, pbest[i], pbest[i], pbest[i])
        if n_archive == 0 or random.uniform(rng) > p_archive:
            r2[i] = order[random.exponential_rank(rng, pressure, tail, n)]
            while r2[i] == i or r2[i] == pbest[i] or r2[i] == r1[i]:
                r2[i] = order[random.exponential_rank(rng, pressure, tail, n)]
        else:
            r2[i] = n + random.integer(rng, n_archive)
    return pbest, r1, r2


def crossed(
    run: Run[NLSHADERSPConfig], x: FloatArray, donors: FloatArray, cr: FloatArray
) -> FloatArray:
    """Cross all by one rule: exponential with CR, or binomial with a rate that follows the time."""
    c = run.config
    donors = variation.redraw(run.rng, donors, run.box)
    if run.numpy_rng.random() < c.exponential:
        return variation.exponential(run.rng, x, donors, cr, False)
    progress = (run.t + np.arange(len(x))) / run.budget
    rate = np.where(progress <= c.cr_from, 0.0, 2.0 * (progress - c.cr_from))
    return variation.binomial(run.rng, x, donors, rate, True)


def archive_probability(
    result: Contest, held: Mask, from_archive: Mask, c: NLSHADERSPConfig
) -> float:
    """Return pA: the share of the archive's mean relative gain."""
    relative = result.relative(result.old)
    used = held & from_archive
    n_used = int(used.sum())
    if n_used == 0:
        return c.p_archive
    a = relative[used].sum() / n_used
    b = relative[held & ~used].sum() / max(1, held.size - n_used)
    if a == 0.0:
        return c.p_archive
    return float(np.clip(a / (a + b), c.p_archive_min, 1.0 - c.p_archive_min))


ALGORITHMS = {
    "nl-shade-rsp": Algorithm("nl-shade-rsp", "NL-SHADE-RSP", NLSHADERSPConfig, search=search),
}
