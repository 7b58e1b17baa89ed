"""NL-SHADE-RSP (V. Stanovov, S. Akhmedova, E. Semenkin, CEC 2021).

Non-linear reduction, rank-based pressure on the last partner, adaptive use of the archive.

| symbol | here | meaning |
|---|---|---|
| N, r | `len(pop)`, `run.progress` | population size; t / T |
| pn | `rules.n_elite` | size of the elite, N (p_start + p_rise r) |
| pA | `p_archive` | probability that the last partner comes from the archive |
| F_last | `f_last` | the last member's F before it is cut at 1 |
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.contest import contest, relative_gains
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask, Run, Search
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel


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
        rules = Rules.of(run, n, p_archive)
        u, f, f_last, cr, from_archive = make_trials(
            run.rng, run.box, pop.x, archive.x, pop.order(level), memory.f, memory.cr, rules
        )
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        held = result.held
        p_archive = archive_probability(
            relative_gains(result, pop), held & from_archive, config.p_archive, config.p_archive_min
        )
        if result.n_won > 0:
            remembered = f if config.remember_f == "own" else np.full(n, f_last)
            memory.learn(result.weights, remembered, cr)
        else:
            memory.write(config.m_none, config.m_none)
        archive.overwrite(run.rng, pop.x, held, capacity)
        pop.replace(held, trials)
        plan = sizes.power(n0, config.n_min, run.progress)
        if plan < n:
            pop = pop.best(plan, level)
        capacity = max(config.n_min, int(config.archive * plan))
        archive.cut(capacity)


class Rules(NamedTuple):
    """What holds for all trials of a generation."""

    f_scale: float
    cr_sigma: float
    n_elite: int
    p_archive: float
    pressure: float
    exponential: bool  # which crossover all take
    rate: float  # of binomial crossover at the first trial: 2 (t / T - cr_from)
    rate_step: float  # what each further trial adds

    @classmethod
    def of(cls, run: Run[NLSHADERSPConfig], n: int, p_archive: float) -> "Rules":
        """Return the rules at this time; the crossover is drawn."""
        c, r = run.config, run.progress
        return cls(
            c.f_scale,
            c.cr_sigma,
            min(n, max(2, int(n * (c.p_rise * r + c.p_start)))),
            p_archive,
            c.pressure,
            run.numpy_rng.random() < c.exponential,
            2.0 * (r - c.cr_from),
            2.0 / run.budget,
        )


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    order: IntArray,
    mf: FloatArray,
    mcr: FloatArray,
    rules: Rules,
) -> tuple[FloatArray, FloatArray, float, FloatArray, Mask]:
    """Return a trial of each member, its F, the last F uncut, CR, and who used the archive."""
    n, tail = x.shape[0], 1.0 - np.exp(-rules.pressure)
    u, f, cr, used = np.empty_like(x), np.empty(n), np.empty(n), np.empty(n, np.bool_)
    f_last = 0.0
    for i in range(n):
        slot = random.integer(rng, mf.size)
        f_last = draws.positive_cauchy(rng, mf[slot], rules.f_scale)
        f[i] = min(1.0, f_last)
        cr[i] = draws.clipped_normal(rng, mcr[slot], rules.cr_sigma)
    cr = np.sort(cr)[draws.ranks(order)]  # the best member gets the smallest
    for i in range(n):
        pbest, r1, r2 = ranked_partners(rng, i, order, archive.shape[0], tail, rules)
        z, used[i] = variation.pooled(x, archive, r2), r2 >= n
        variation.to_pbest(u[i], x[i], x[pbest], x[r1], z, f[i], f[i])
        variation.redraw(rng, u[i], box)
        if rules.exponential:
            variation.exponential(rng, u[i], x[i], cr[i], False)
        else:
            variation.binomial(rng, u[i], x[i], rules.rate + i * rules.rate_step, True)
    return u, f, f_last, cr, used


@block
def ranked_partners(
    rng: RandomState, i: int, order: IntArray, n_archive: int, tail: float, rules: Rules
) -> tuple[int, int, int]:
    """Draw pbest from the elite, r1 uniformly, r2 from the archive or by rank."""
    n = order.size
    pbest = order[random.integer(rng, rules.n_elite)]
    while pbest == i:
        pbest = order[random.integer(rng, rules.n_elite)]
    r1 = random.integer_except(rng, n, pbest, pbest, pbest)
    if n_archive > 0 and random.uniform(rng) <= rules.p_archive:
        return pbest, r1, n + random.integer(rng, n_archive)
    r2 = order[random.exponential_rank(rng, rules.pressure, tail, n)]
    while r2 == i or r2 == pbest or r2 == r1:
        r2 = order[random.exponential_rank(rng, rules.pressure, tail, n)]
    return pbest, r1, r2


@kernel
def archive_probability(gains: FloatArray, used: Mask, neutral: float, least: float) -> float:
    """Return pA: the archive's share of the mean relative gains, or a neutral one.

    `gains` are 0 for losers; `used`: who succeeded with the archive.
    """
    n_used, a, b = 0, 0.0, 0.0
    for i in range(used.size):
        if used[i]:
            n_used += 1
            a += gains[i]
        else:
            b += gains[i]
    if a == 0.0:
        return neutral
    a, b = a / n_used, b / max(1, used.size - n_used)
    return min(1.0 - least, max(least, a / (a + b)))


ALGORITHMS = {
    "nl-shade-rsp": Algorithm("nl-shade-rsp", "NL-SHADE-RSP", NLSHADERSPConfig, search=search),
}
