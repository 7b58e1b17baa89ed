"""mLSHADE-RL (D. Chauhan, A. Trivedi, Shivani, CEC 2024): operators, restart and local search.

LSHADE-cnEpSin (two schedules of F, crossover in the eigen basis around the best) with three
operators chosen by success, a restart of members that stagnate, and SQP in the end.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| F, Fw, CR | `f`, `rules.fw f`, `cr` | scale, weighted scale, crossover rate |
| Mfreq | `mfreq` | memory of the second schedule's frequency |
| q | `operators.q` | probabilities of the three operators |
| s_1, s_2 | `Schedules.rate` | recent successes of the two schedules |
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive, append_new, thin
from de2ls.algorithms.lineage.choice import OperatorWeights, by_chance, set_chances
from de2ls.algorithms.lineage.contest import compare, relative
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Run, Search, order_of, replace_rows
from de2ls.algorithms.lineage.memory import (
    TERMINAL,
    LSHADEConfig,
    Memory,
    cell_after,
    learn,
    lehmer,
)
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.algorithms.lineage.restart import RestartConfig, Stagnation, age
from de2ls.algorithms.lineage.schedules import FIRST, NONE, Schedules
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel, routine


@dataclass(frozen=True, kw_only=True)
class MLSHADERLConfig(PolishConfig, RestartConfig, LSHADEConfig):
    """Parameters of mLSHADE-RL."""

    derived: ClassVar[tuple[str, ...]] = ("n0", "g_max")

    ls_first: float = 0.01
    g_max: int | None = parameter(None, "Gmax; None: what the reduction allows", 1)
    mfreq: float = parameter(0.5, "Mfreq: initial memory of the frequency", 0.0, 1.0)
    f_scale: float = parameter(0.1, "scale of the Cauchy distributions of F and frequency", 0.0)
    freq: float = parameter(0.5, "frequency of the first schedule", 0.0, 1.0)
    lp: int = parameter(20, "LP: generations by whose success a schedule is chosen", 1)
    schedule_until: float = parameter(0.5, "progress up to which F is scheduled", 0.0, 1.0)
    fw_1: float = parameter(1.0, "Fw / F up to fw_until_1", 0.0)
    fw_until_1: float = parameter(0.2, "progress up to which fw_1 holds", 0.0, 1.0)
    fw_2: float = parameter(1.0, "Fw / F up to fw_until_2", 0.0)
    fw_until_2: float = parameter(0.4, "progress up to which fw_2 holds", 0.0, 1.0)
    fw_3: float = parameter(1.0, "Fw / F after it", 0.0)
    q_min: float = parameter(0.1, "least q of an operator; the largest is 1 minus it", 0.0, 0.3)
    p_eigen: float = parameter(0.4, "pb: chance of the eigen crossover per generation", 0.0, 1.0)
    eigen_share: float = parameter(0.5, "share of the members nearest to the best", 0.1, 1.0)


def search(space: Any, rng: np.random.Generator, budget: int, config: MLSHADERLConfig) -> Search:
    """Minimise by mLSHADE-RL."""
    run = Run(space, rng, budget, config)
    pop = yield from run.start()
    n0, g = len(pop), 0
    memory, mfreq = Memory(config.h, config.mf, config.mcr), np.full(config.h, config.mfreq)
    archive = Archive(sizes.rounded(config.archive * n0) + n0, run.dim)
    operators, polish = OperatorWeights(3, config.q_min), Polish(run)
    schedules = Schedules(run, config.g_max or sizes.generations(n0, config.n_min, budget))
    stagnation = Stagnation(run, n0)
    while True:
        g, level, n = g + 1, run.level, len(pop)
        rules = Rules.of(run, n, level, *schedules.choose(g))
        drawn = make_donors(
            run.rng,
            run.box,
            pop.x,
            pop.f,
            pop.v,
            archive.x,
            memory.f,
            memory.cr,
            mfreq,
            operators.q,
            rules,
        )
        if rules.eigen:
            near = max(2, sizes.rounded(config.eigen_share * n))
            cross_along_axes(run.rng, run.box, pop.x, drawn, near)
        trials = yield from run.evaluate(drawn.v)
        archive.make_room(archive.n + n)
        archive.n, memory.k, n_won, survived = select(
            run.rng,
            pop.x,
            pop.f,
            pop.v,
            archive.rows,
            archive.n,
            memory.f,
            memory.cr,
            mfreq,
            memory.k,
            operators.q,
            stagnation.ages,
            drawn.v,
            trials.f,
            trials.v,
            drawn,
            rules,
        )
        schedules.note(n_won, n)
        yield from stagnation.restart(pop, survived, level)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if n > plan:
            pop = pop.best(plan, level)
            archive.thin(run.rng, sizes.rounded(config.archive * plan))
        found = yield from polish.try_from(pop)
        if found is not None:
            pop.put([-1], found)
            pop = pop.sorted(level)


class Rules(NamedTuple):
    """What holds for all trials of a generation."""

    f_scale: float
    cr_sigma: float
    fw: float  # Fw / F
    n_elite: int
    eigen: bool  # whether they cross in the eigen basis
    level: float
    capacity: int  # of the archive
    q_min: float
    schedule: int
    phase: float
    swing: float

    @classmethod
    def of(cls, run: Run[MLSHADERLConfig], n: int, level: float, *schedule: Any) -> "Rules":
        """Return the rules at this time; the crossover is drawn."""
        c, r = run.config, run.progress
        fw = c.fw_1 if r <= c.fw_until_1 else c.fw_2 if r <= c.fw_until_2 else c.fw_3
        return cls(
            c.f_scale,
            c.cr_sigma,
            fw,
            max(sizes.rounded(c.p * n), 2),
            run.numpy_rng.random() < c.p_eigen,
            level,
            sizes.rounded(c.archive * n),
            c.q_min,
            *schedule,
        )


class Drawn(NamedTuple):
    """Donors, or trials where these cross as they are made, and what they were made with."""

    v: FloatArray
    f: FloatArray
    cr: FloatArray
    freq: FloatArray
    operator: IntArray
    best: int


@kernel
def make_donors(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    f_x: FloatArray,
    v_x: FloatArray,
    archive: FloatArray,
    mf: FloatArray,
    mcr: FloatArray,
    mfreq: FloatArray,
    q: FloatArray,
    rules: Rules,
) -> Drawn:
    """Return the donors of all members, repaired, and crossed unless that needs the eigen basis.

    1: x + Fw (x_pbest - x + x_r1 - z); 2: x + F (x_pbest - x + x_r1 - x_r3);
    3: x + Fw (x_b - x + x_m - x_w), where b, m, w are two others and a pbest, best first.
    """
    n = x.shape[0]
    order = order_of(f_x, v_x, rules.level)
    v, operator, rank = np.empty_like(x), np.empty(n, np.int64), draws.ranks(order)
    f, cr, freq, chance = np.empty(n), np.empty(n), np.empty(n), np.empty(x.shape[1])
    for i in range(n):
        slot = random.integer(rng, mf.size)
        cr[i] = draws.clipped_normal(rng, mcr[slot], rules.cr_sigma)
        f[i], freq[i] = scale_and_frequency(rng, mf[slot], mfreq[slot], rules)
        operator[i] = by_chance(rng, q)
        fw = rules.fw * f[i]
        pbest = order[random.integer(rng, rules.n_elite)]
        r1, r2, r3 = draws.partners(rng, i, n, n + archive.shape[0])
        if operator[i] == 0:
            z = variation.pooled(x, archive, r2)
            variation.joint_step(v[i], x[i], x[pbest], x[r1], z, fw)
        elif operator[i] == 1:
            variation.joint_step(v[i], x[i], x[pbest], x[r1], x[r3], f[i])
        else:
            b, m, w = draws.best_first(order, rank, r1, r3, pbest)
            variation.joint_step(v[i], x[i], x[b], x[m], x[w], fw)
        variation.midpoint(v[i], x[i], box)
        if not rules.eigen:
            variation.binomial(rng, v[i], x[i], cr[i], True, chance)
    return Drawn(v, f, cr, freq, operator, order[0])


@block
def scale_and_frequency(
    rng: RandomState, mf: float, mfreq: float, rules: Rules
) -> tuple[float, float]:
    """Draw F, or the frequency that is needed as long as F is scheduled."""
    if rules.schedule == NONE:
        return min(1.0, draws.positive_cauchy(rng, mf, rules.f_scale)), 0.0
    freq = min(1.0, draws.positive_cauchy(rng, mfreq, rules.f_scale))
    phase = rules.phase if rules.schedule == FIRST else rules.phase * freq
    return 0.5 * (math.sin(phase) * rules.swing + 1.0), freq


@kernel
def cross_along_axes(
    rng: RandomState, box: FloatArray, x: FloatArray, drawn: Drawn, count: int
) -> None:
    """Cross the donors in the basis of the members nearest to the best, and repair them."""
    axes = variation.basis(nearest(x, drawn.best, count))
    variation.cross_in_basis(rng, drawn.v, x, drawn.cr, axes, True)
    for i in range(x.shape[0]):
        variation.midpoint(drawn.v[i], x[i], box)


@routine
def nearest(x: FloatArray, best: int, count: int) -> FloatArray:
    """Return the members nearest to the best, which is one of them."""
    distance = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            distance[i] += (x[i, j] - x[best, j]) ** 2
    return x[np.argsort(distance)[:count]]


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
    mfreq: FloatArray,
    k: int,
    q: FloatArray,
    ages: IntArray,
    u: FloatArray,
    new_f: FloatArray,
    new_v: FloatArray,
    drawn: Drawn,
    rules: Rules,
) -> tuple[int, int, int, int]:
    """Replace parents by better trials, and learn.

    Returns the archive's size, k, the number of successes and the sum of the survivors' ages.
    """
    gain, by_f, won, weights, n_won = compare(f, v, new_f, new_v, rules.level)
    set_chances(q, relative(gain, by_f, new_f, new_v), drawn.operator, rules.q_min)
    n_archive = append_new(archive, n_archive, x, won)
    n_archive = thin(rng, archive, n_archive, rules.capacity)
    if n_won > 0:
        if rules.schedule != NONE:
            mfreq[k] = cell_after(mfreq[k], lehmer(weights, drawn.freq))
        k = learn(mf, mcr, k, 0.0, TERMINAL, weights, drawn.f, drawn.cr)
    replace_rows(x, f, v, won, u, new_f, new_v)
    return n_archive, k, n_won, age(ages, won)


ALGORITHMS = {
    "mlshade-rl": Algorithm("mlshade-rl", "mLSHADE-RL", MLSHADERLConfig, search=search),
}
