"""The butterflies of EBOwithCMAR: a population by two operators of differential evolution.

Each trial has a crossover rate for each coordinate: a profile that decays from a random one.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| MF, MCR | rows of `memory` | success history |
| MT, Mfreq | rows of `memory` | memories of the profile's decay and of F's frequency |
| q | `q` | probabilities of the two operators |
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import archive, draws, sizes, variation
from de2ls.algorithms.lineage.choice import by_chance, set_chances
from de2ls.algorithms.lineage.contest import compare, relative
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import (
    LineageConfig,
    Members,
    Run,
    Search,
    order_of,
    replace_rows,
)
from de2ls.algorithms.lineage.memory import cell_after, lehmer
from de2ls.algorithms.lineage.retreat import bell
from de2ls.algorithms.lineage.sizes import rounded
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel

MF, MCR, MT, MFREQ = 0, 1, 2, 3


@dataclass(frozen=True, kw_only=True)
class ButterflyConfig(LineageConfig):
    """Parameters of the butterflies."""

    n0_per_dim: float = parameter(18.0, "size of P1 at the start, per dimension", 1.0)
    g_max: int | None = parameter(None, "Gmax; None: what the reduction allows", 1)
    h: int = parameter(6, "H: memory cells", 1)
    mf: float = parameter(0.7, "MF: initial memory of F", 0.0, 1.0)
    mcr: float = parameter(0.5, "MCR: initial memory of CR", 0.0, 1.0)
    mt: float = parameter(0.1, "MT: initial memory of the profile's decay", 0.0, 0.5)
    mfreq: float = parameter(0.5, "Mfreq: initial memory of the frequency", 0.0, 1.0)
    f_scale: float = parameter(0.1, "scale of the Cauchy distributions of F and frequency", 0.0)
    cr_scale: float = parameter(0.1, "scale of CR's bell", 0.0)
    t_scale: float = parameter(0.05, "scale of the bell of the profile's decay", 0.0)
    t_max: float = parameter(0.5, "largest decay", 0.0)
    schedule_until: float = parameter(0.5, "progress up to which F follows a tangent", 0.0, 1.0)
    p: float = parameter(0.1, "p: share of the elite when P1 is small", 0.0, 1.0)
    archive: float = parameter(2.6, "archive size per member", 0.0)
    q_min: float = parameter(0.1, "least q of an operator; the largest is 1 minus it", 0.0, 0.5)

    def default_size(self, dim: int) -> int:
        """Return N1 = 18 D."""
        return int(self.n0_per_dim * dim)


class Butterflies:
    """P1: two operators, a crossover rate for each coordinate, and its memories."""

    def __init__(self, run: Run[ButterflyConfig], pop: Members) -> None:
        c = run.config
        self.run, self.pop, self.n0 = run, pop, len(pop)
        self.memory = np.repeat([[c.mf], [c.mcr], [c.mt], [c.mfreq]], c.h, axis=1)
        self.k = 0
        self.archive = np.empty((sizes.rounded(c.archive * self.n0) + self.n0, run.dim))
        self.n_archive = 0
        self.q = np.full(2, 0.5)
        self.g_max = c.g_max or sizes.generations(self.n0, c.n_min, run.budget)

    def generation(self, g: int, level: float) -> Search:
        """Shrink P1, make a trial of each member, select and learn."""
        run, c = self.run, self.run.config
        plan = sizes.linear(self.n0, c.n_min, run.progress)
        capacity = sizes.rounded(c.archive * plan)
        self.n_archive = archive.thin(run.rng, self.archive, self.n_archive, capacity)
        self.pop = pop = self.pop[:plan]
        early = run.progress <= c.schedule_until
        schedule = g / self.g_max if early and run.numpy_rng.random() >= 0.5 else 0.0
        rules = Rules(c.f_scale, c.cr_scale, c.t_scale, c.t_max, early, schedule, g, c.p)
        old = self.archive[: self.n_archive]
        u, drawn, operator = make_trials(run.rng, run.box, pop.x, old, self.memory, self.q, rules)
        trials = yield from run.evaluate(u)
        self.n_archive, self.k = select(
            run.rng,
            (pop.x, pop.f, pop.v, trials.x, trials.f, trials.v),
            level,
            (self.archive, self.n_archive, capacity),
            (self.q, operator, c.q_min),
            (self.memory, self.k, drawn),
        )


class Rules(NamedTuple):
    """What holds for all trials of a generation."""

    f_scale: float
    cr_scale: float
    t_scale: float
    t_max: float
    early: bool  # whether F follows one of two tangent schedules; the first is 1/2 up to rounding,
    schedule: float  # for the other this is g / Gmax, and 0 for the first
    g: int
    p: float


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    old: FloatArray,
    memory: FloatArray,
    q: FloatArray,
    rules: Rules,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return trials of sorted members, what was drawn for them (F, CR, T, freq), and operators.

    Donors: x + F (x_r1 - x + x_r3 - z), or the same towards one of the best.
    """
    n, dim = x.shape
    u, drawn, operator = np.empty((n, dim)), np.empty((4, n)), np.empty(n, np.int64)
    rates, limit, chance = np.empty((dim + 1) // 2), np.empty(dim), np.empty(dim)
    n_elite = min(n, max(rounded(rules.p * n), 2))
    for i in range(n):
        f, cr, decay, freq = parameters(rng, memory, rules)
        drawn[0, i], drawn[1, i], drawn[2, i], drawn[3, i] = f, cr, decay, freq
        operator[i] = by_chance(rng, q)
        r1, r2, r3 = draws.partners(rng, i, n, n + old.shape[0])
        if operator[i] == 0:
            z = variation.pooled(x, old, r2)
            variation.joint_step(u[i], x[i], x[r1], x[r3], z, f)
        else:
            phi = random.integer(rng, n_elite) if 2 * dim > n else best_of(rng, dim, n)
            variation.joint_step(u[i], x[i], x[phi], x[r1], x[r3], f)
        variation.midpoint(u[i], x[i], box)
        rates[0], factor = cr, math.exp(-decay / dim)
        for k in range(1, rates.size):
            rates[k] = rates[k - 1] * factor
        cross_by_profile(rng, u[i], x[i], rates, limit, chance)
    return u, drawn, operator


@block
def parameters(
    rng: RandomState, memory: FloatArray, rules: Rules
) -> tuple[float, float, float, float]:
    """Draw F, CR, the profile's decay and the frequency of a trial, all from one slot."""
    slot, cr = random.integer(rng, memory.shape[1]), 0.0
    if memory[MCR, slot] >= 0.0:
        cr = min(1.0, max(0.0, memory[MCR, slot] + rules.cr_scale * bell(rng)))
    f = min(1.0, draws.positive_cauchy(rng, memory[MF, slot], rules.f_scale))
    decay = min(rules.t_max, max(0.0, memory[MT, slot] + rules.t_scale * bell(rng)))
    freq = min(1.0, draws.positive_cauchy(rng, memory[MFREQ, slot], rules.f_scale))
    if rules.early:
        f = 0.5
        if rules.schedule > 0.0:
            f += 0.5 * math.tan(2.0 * math.pi * freq * rules.g) * rules.schedule
    return f, cr, decay, freq


@kernel
def select(
    rng: RandomState,
    both: tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray],
    level: float,
    kept: tuple[FloatArray, int, int],
    choice: tuple[FloatArray, IntArray, float],
    history: tuple[FloatArray, int, FloatArray],
) -> tuple[int, int]:
    """Let better trials take their parents' places, learn and sort; return archive's size and k."""
    x, f, v, new_x, new_f, new_v = both
    old, n_archive, capacity = kept
    q, operator, q_min = choice
    memory, k, drawn = history
    gain, by_f, won, weights, n_won = compare(f, v, new_f, new_v, level)
    n_archive = archive.append_new(old, n_archive, x, won)
    n_archive = archive.thin(rng, old, n_archive, capacity)
    set_chances(q, relative(gain, by_f, f, v), operator, q_min)
    replace_rows(x, f, v, won, new_x, new_f, new_v)
    order = order_of(f, v, level)
    x[:], f[:], v[:] = x[order], f[order], v[order]
    if n_won > 0:
        memory[MF, k] = lehmer(weights, drawn[MF])
        memory[MCR, k] = cell_after(memory[MCR, k], lehmer(weights, drawn[MCR]))
        k = (k + 1) % memory.shape[1]  # the next cell for the others: so the program has it
        memory[MT, k] = lehmer(weights, drawn[MT])
        memory[MFREQ, k] = cell_after(memory[MFREQ, k], lehmer(weights, drawn[MFREQ]))
    return n_archive, k


@block
def best_of(rng: RandomState, count: int, n: int) -> int:
    """Draw the best of `count` different ranks: P(rank > k) = C(n - k - 1, count) / C(n, count)."""
    left, rank = random.uniform(rng), 0
    beyond = (n - count) / n
    while left < beyond:
        rank += 1
        beyond *= (n - count - rank) / (n - rank)
    return rank


@block
def cross_by_profile(
    rng: RandomState,
    v: FloatArray,
    x: FloatArray,
    rates: FloatArray,
    limit: FloatArray,
    chance: FloatArray,
) -> None:
    """Cross with a rate for each coordinate: highest around a random one, lowest opposite.

    `limit` and `chance` are room for D numbers each.
    """
    dim = x.size
    start, always = random.integer(rng, dim), random.integer(rng, dim)
    last = v[always]
    for j in range(dim):
        k = j - start if j >= start else j - start + dim
        limit[j] = rates[k if k < rates.size else 2 * rates.size - 1 - k]
    random.uniforms(rng, chance)
    for j in range(dim):
        own, other = v[j], x[j]  # both are read, so that the choice takes no branch
        v[j] = own if chance[j] <= limit[j] else other
    v[always] = last
