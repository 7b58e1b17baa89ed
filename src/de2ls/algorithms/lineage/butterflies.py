"""The butterflies of EBOwithCMAR: a population by two operators of differential evolution.

Each trial has a crossover rate for each coordinate: a profile that decays from a random one.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| MF, MCR | `memory.f`, `memory.cr` | success history |
| MT, Mfreq | `mt`, `mfreq` | memories of the profile's decay and of F's frequency |
| q | `operators.q` | probabilities of the two operators |
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import OperatorWeights, by_chance
from de2ls.algorithms.lineage.contest import contest, relative_gains
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run, Search
from de2ls.algorithms.lineage.memory import Memory, lehmer_mean, terminal_mean
from de2ls.algorithms.lineage.retreat import bell
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel


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
        self.memory = Memory(c.h, c.mf, c.mcr)
        self.mt, self.mfreq = np.full(c.h, c.mt), np.full(c.h, c.mfreq)
        self.archive = Archive(sizes.rounded(c.archive * self.n0) + self.n0, run.dim)
        self.operators = OperatorWeights(2, c.q_min)
        self.g_max = c.g_max or sizes.generations(self.n0, c.n_min, run.budget)

    def generation(self, g: int, level: float) -> Search:
        """Shrink P1, make a trial of each member, select and learn."""
        run, c = self.run, self.run.config
        plan = sizes.linear(self.n0, c.n_min, run.progress)
        capacity = sizes.rounded(c.archive * plan)
        self.archive.thin(run.rng, capacity)
        self.pop = pop = self.pop[:plan]
        n, scales = len(pop), Scales(c.f_scale, c.cr_scale, c.t_scale, c.t_max)
        f, cr, decay, freq = parameters(
            run.rng, n, self.memory.f, self.memory.cr, self.mt, self.mfreq, scales
        )
        if run.progress <= c.schedule_until:
            f = self.scheduled(g, freq)
        n_elite = min(n, max(sizes.rounded(c.p * n), 2))
        u, operator = make_trials(
            run.rng, run.box, pop.x, self.archive.x, f, cr, decay, self.operators.q, n_elite
        )
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        self.archive.mingle(run.rng, pop.x, result.won, capacity)
        self.operators.learn(relative_gains(result, pop), operator)
        pop.replace(result.won, trials)
        self.pop = pop.sorted(level)
        if result.n_won > 0:
            self.memory.learn(result.weights, f, cr)
            k = self.memory.k  # the next cell already: so the program has it
            self.mt[k] = lehmer_mean(result.weights, decay)
            self.mfreq[k] = terminal_mean(self.mfreq[k], result.weights, freq)

    def scheduled(self, g: int, freq: FloatArray) -> FloatArray:
        """Return F by one of two tangent schedules; the first is 1/2 up to rounding."""
        if self.run.numpy_rng.random() < 0.5:
            return np.full(freq.size, 0.5)
        return 0.5 * (np.tan(2.0 * math.pi * freq * g) * g / self.g_max + 1.0)


class Scales(NamedTuple):
    """Scales of the draws."""

    f: float
    cr: float
    t: float
    t_max: float


@kernel
def parameters(
    rng: RandomState,
    n: int,
    mf: FloatArray,
    mcr: FloatArray,
    mt: FloatArray,
    mfreq: FloatArray,
    scales: Scales,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Draw F, CR, the profile's decay and the frequency of n trials, all from one slot each."""
    f, cr, decay, freq = np.empty(n), np.zeros(n), np.empty(n), np.empty(n)
    for i in range(n):
        slot = random.integer(rng, mf.size)
        if mcr[slot] >= 0.0:
            cr[i] = min(1.0, max(0.0, mcr[slot] + scales.cr * bell(rng)))
        f[i] = min(1.0, draws.positive_cauchy(rng, mf[slot], scales.f))
        decay[i] = min(scales.t_max, max(0.0, mt[slot] + scales.t * bell(rng)))
        freq[i] = min(1.0, draws.positive_cauchy(rng, mfreq[slot], scales.f))
    return f, cr, decay, freq


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    f: FloatArray,
    cr: FloatArray,
    decay: FloatArray,
    q: FloatArray,
    n_elite: int,
) -> tuple[FloatArray, IntArray]:
    """Return trials of sorted members: donors x + F (x_r1 - x + x_r3 - z), or towards the best."""
    n, dim = x.shape
    u, operator, rates = np.empty((n, dim)), np.empty(n, np.int64), np.empty((dim + 1) // 2)
    for i in range(n):
        operator[i] = by_chance(rng, q)
        r1, r2, r3 = draws.partners(rng, i, n, n + archive.shape[0])
        if operator[i] == 0:
            z = variation.pooled(x, archive, r2)
            variation.joint_step(u[i], x[i], x[r1], x[r3], z, f[i])
        else:
            phi = random.integer(rng, n_elite) if 2 * dim > n else best_of(rng, dim, n)
            variation.joint_step(u[i], x[i], x[phi], x[r1], x[r3], f[i])
        variation.midpoint(u[i], x[i], box)
        rates[0], factor = cr[i], math.exp(-decay[i] / dim)
        for k in range(1, rates.size):
            rates[k] = rates[k - 1] * factor
        cross_by_profile(rng, u[i], x[i], rates)
    return u, operator


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
def cross_by_profile(rng: RandomState, v: FloatArray, x: FloatArray, rates: FloatArray) -> None:
    """Cross with a rate for each coordinate: highest around a random one, lowest opposite."""
    dim = x.size
    start, always = random.integer(rng, dim), random.integer(rng, dim)
    for j in range(dim):
        k = (j - start) % dim
        if k >= rates.size:
            k = 2 * rates.size - 1 - k
        if random.uniform(rng) > rates[k] and j != always:
            v[j] = x[j]
