"""NL-SHADE-RSP (V. Stanovov, S. Akhmedova, E. Semenkin, CEC 2021).

Non-linear reduction, rank-based pressure on the last partner, adaptive use of the archive.

| symbol | here | meaning |
|---|---|---|
| N, r | `now.n`, `r` | population size; t / T |
| pn | `elite_size` | size of the elite, N (p_start + p_rise r) |
| pA | `now.p_archive` | probability that the last partner comes from the archive |
| F_last | `f_last` | the last member's F before it is cut at 1 |
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import overwrite
from de2ls.algorithms.lineage.contest import compare, relative
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask, Run, Search, order_of
from de2ls.algorithms.lineage.memory import MemoryConfig, learn, write
from de2ls.algorithms.lineage.population import (
    Population,
    archived,
    in_use,
    keep_best,
    replace,
)
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.engine.state import Fields, Records
from de2ls.jit.kernels import block, kernel, ready, records

FIELDS: Fields = [("p_archive", "f8"), ("capacity", "i8")]  # capacity: of the archive
PROGRAM = 0  # the first option of `remember_f`


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
    pressure: float = parameter(1.0, "rank pressure: weight exp(-pressure j / N)", 1e-3, 10.0)
    remember_f: str = parameter(
        "program", "which F a success leaves: F_last, or its own", options=("program", "own")
    )

    def default_size(self, dim: int) -> int:
        """Return N0 = 30 D."""
        return int(self.n0_per_dim * dim)


def search(space: Any, rng: np.random.Generator, budget: int, config: NLSHADERSPConfig) -> Search:
    """Minimise by NL-SHADE-RSP."""
    run = Run(space, rng, budget, config)
    first = yield from run.start()
    n0, cfg = len(first), records(config.as_record())
    memory = np.repeat([[config.mf], [config.mcr]], config.h_per_dim * run.dim, axis=1)
    most = max(config.n_min, int(config.archive * max(n0, config.n_min)))
    pop = Population.of(first, most, FIELDS)
    pop.now["p_archive"], pop.now["capacity"] = config.p_archive, int(config.archive * n0)
    drawn = np.empty(n0), np.empty(n0), np.empty(n0, np.bool_)
    state = State(run.rng, run.box, cfg, pop, memory, *drawn)
    make = ready(make_trials, state, 0.0, 0.0, True, 0)
    learn_from = ready(select, state, 0.0, pop.f, pop.v, 0)
    while True:
        level = run.level
        u = make(state, level, run.progress, rng.random() < config.exponential, budget)
        y = yield u
        run.t += len(u)
        learn_from(state, level, y.f, y.v, sizes.power(n0, config.n_min, run.progress))


class State(NamedTuple):
    """All that compiled code works with."""

    rng: RandomState
    box: FloatArray
    cfg: Records
    pop: Population
    memory: FloatArray  # (2, H): MF, MCR
    f: FloatArray  # what a success leaves of a trial's F
    cr: FloatArray
    used: Mask  # whether a trial took the archive


@kernel
def make_trials(state: State, level: float, r: float, exponential: bool, budget: int) -> FloatArray:
    """Return a trial of each member; all cross by one rule."""
    rng, box, cfg, memory, pop = state.rng, state.box, state.cfg[0], state.memory, state.pop
    (x, f_x, v_x), old = in_use(pop), archived(pop)
    n, tail = f_x.size, 1.0 - np.exp(-cfg.pressure)
    u, order, n_elite = pop.u[:n], order_of(f_x, v_x, level), elite_size(cfg, n, r)
    f, cr, f_last, chance = state.f[:n], state.cr[:n], 0.0, np.empty(x.shape[1])
    for i in range(n):
        slot = random.integer(rng, memory.shape[1])
        f_last = draws.positive_cauchy(rng, memory[0, slot], cfg.f_scale)
        f[i] = min(1.0, f_last)
        cr[i] = draws.clipped_normal(rng, memory[1, slot], cfg.cr_sigma)
    cr[:] = np.sort(cr)[draws.ranks(order)]  # the best member gets the smallest
    rate, rate_step = 2.0 * (r - cfg.cr_from), 2.0 / budget
    for i in range(n):
        pbest, r1, r2 = ranked_partners(rng, i, order, n_elite, pop.now[0], cfg.pressure, tail)
        z, state.used[i] = variation.pooled(x, old, r2), r2 >= n
        variation.to_pbest(u[i], x[i], x[pbest], x[r1], z, f[i], f[i])
        variation.redraw(rng, u[i], box)
        if exponential:
            variation.exponential(rng, u[i], x[i], cr[i], False)
        else:
            variation.binomial(rng, u[i], x[i], rate + i * rate_step, True, chance)
    if cfg.remember_f == PROGRAM:
        f[:] = f_last
    return u


@block
def elite_size(cfg: Any, n: int, r: float) -> int:
    """Return pn."""
    return min(n, max(2, int(n * (cfg.p_rise * r + cfg.p_start))))


@kernel
def select(state: State, level: float, new_f: FloatArray, new_v: FloatArray, plan: int) -> None:
    """Replace parents by trials that are not worse, learn, and shrink."""
    pop, now, cfg = state.pop, state.pop.now[0], state.cfg[0]
    (x, f, v), mf, mcr, none = in_use(pop), state.memory[0], state.memory[1], cfg.m_none
    gain, by_f, _, weights, n_won = compare(f, v, new_f, new_v, level)
    held = gain >= 0.0
    now.p_archive = archive_probability(
        relative(gain, by_f, f, v), held & state.used[: now.n], cfg.p_archive, cfg.p_archive_min
    )
    if n_won > 0:
        now.k = learn(mf, mcr, now.k, 0.0, none, weights, state.f[: now.n], state.cr[: now.n])
    else:
        write(mf, mcr, now.k, 0.0, none, none)
    now.n_archive = overwrite(state.rng, pop.archive, now.n_archive, x, held, now.capacity)
    replace(pop, held, new_f, new_v)
    keep_best(pop, min(now.n, plan), level)
    now.capacity = max(cfg.n_min, int(cfg.archive * plan))
    now.n_archive = min(now.n_archive, now.capacity)


@block
def ranked_partners(
    rng: RandomState, i: int, order: IntArray, n_elite: int, now: Any, pressure: float, tail: float
) -> tuple[int, int, int]:
    """Draw pbest from the elite, r1 uniformly, r2 from the archive or by rank."""
    n = order.size
    pbest = order[random.integer(rng, n_elite)]
    while pbest == i:
        pbest = order[random.integer(rng, n_elite)]
    r1 = random.integer_except(rng, n, pbest, pbest, pbest)
    if now.n_archive > 0 and random.uniform(rng) <= now.p_archive:
        return pbest, r1, n + random.integer(rng, now.n_archive)
    r2 = order[random.exponential_rank(rng, pressure, tail, n)]
    while r2 == i or r2 == pbest or r2 == r1:
        r2 = order[random.exponential_rank(rng, pressure, tail, n)]
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
