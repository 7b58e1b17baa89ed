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
from de2ls.algorithms.lineage.archive import Archive, overwrite
from de2ls.algorithms.lineage.contest import compare, relative
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask, Run, Search, order_of, replace_rows
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig, learn, write
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
    memory = Memory(config.h_per_dim * run.dim, config.mf, config.mcr)
    capacity = int(config.archive * n0)
    archive = Archive(capacity, run.dim)
    while True:
        level = run.level
        rules = Rules.of(run, len(pop), p_archive, capacity, level)
        trials = make_trials(
            run.rng, run.box, pop.x, pop.f, pop.v, archive.x, memory.f, memory.cr, rules
        )
        y = yield from run.evaluate(trials[0])
        p_archive, archive.n, memory.k = select(
            run.rng,
            pop.x,
            pop.f,
            pop.v,
            archive.rows,
            archive.n,
            memory.f,
            memory.cr,
            memory.k,
            y.f,
            y.v,
            trials,
            rules,
        )
        plan = sizes.power(n0, config.n_min, run.progress)
        if plan < len(pop):
            pop = pop.best(plan, level)
        capacity = max(config.n_min, int(config.archive * plan))
        archive.make_room(capacity)
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
    level: float
    capacity: int  # of the archive
    p_archive_first: float  # where pA cannot be learned
    p_archive_min: float
    m_none: float
    own_f: bool  # whether a success leaves its own F

    @classmethod
    def of(
        cls, run: Run[NLSHADERSPConfig], n: int, p_archive: float, capacity: int, level: float
    ) -> "Rules":
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
            level,
            capacity,
            c.p_archive,
            c.p_archive_min,
            c.m_none,
            c.remember_f == "own",
        )


Trials = tuple[FloatArray, FloatArray, FloatArray, Mask]  # u, F, CR, whether the archive was used


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    f_x: FloatArray,
    v_x: FloatArray,
    archive: FloatArray,
    mf: FloatArray,
    mcr: FloatArray,
    rules: Rules,
) -> Trials:
    """Return a trial of each member, what is remembered of its F, CR, and who used the archive."""
    order = order_of(f_x, v_x, rules.level)
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
    if not rules.own_f:
        f[:] = f_last
    return u, f, cr, used


@kernel
def select(
    rng: RandomState,
    x: FloatArray,
    f: FloatArray,
    v: FloatArray,
    archive: FloatArray,
    n_archive: int,
    mf: FloatArray,
    mcr: FloatArray,
    k: int,
    new_f: FloatArray,
    new_v: FloatArray,
    trials: Trials,
    rules: Rules,
) -> tuple[float, int, int]:
    """Replace parents by trials that are not worse, and learn; return pA, archive's size and k."""
    u, scales, cr, used = trials
    gain, by_f, _, weights, n_won = compare(f, v, new_f, new_v, rules.level)
    held = gain >= 0.0
    p_archive = archive_probability(
        relative(gain, by_f, f, v), held & used, rules.p_archive_first, rules.p_archive_min
    )
    if n_won > 0:
        k = learn(mf, mcr, k, 0.0, rules.m_none, weights, scales, cr)
    else:
        write(mf, mcr, k, 0.0, rules.m_none, rules.m_none)
    n_archive = overwrite(rng, archive, n_archive, x, held, rules.capacity)
    replace_rows(x, f, v, held, u, new_f, new_v)
    return p_archive, n_archive, k


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
