"""mLSHADE-RL (D. Chauhan, A. Trivedi, Shivani, CEC 2024): operators, restart and local search.

LSHADE-cnEpSin (two schedules of F, crossover in the eigen basis around the best) with three
operators chosen by success, a restart of members that stagnate, and SQP in the end.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| F, Fw, CR | `f`, `rules.fw f`, `cr` | scale, weighted scale, crossover rate |
| Mfreq | `mfreq` | memory of the second schedule's frequency |
| q | `operators.q` | probabilities of the three operators |
| s_1, s_2 | `Schedules.wins` | recent successes of the two schedules |
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import OperatorWeights, by_chance
from de2ls.algorithms.lineage.contest import contest, relative_gains
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Run, Search
from de2ls.algorithms.lineage.memory import LSHADEConfig, Memory, terminal_mean
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.algorithms.lineage.restart import RestartConfig, Stagnation
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


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
        order = pop.order(level)
        rules = Rules.of(run, n)
        f, cr, freq = parameters(run.rng, n, memory.f, memory.cr, mfreq, rules)
        scheduled = run.progress <= config.schedule_until
        if scheduled:
            f = schedules.values(g, freq)
        donors, operator = three_donors(
            run.rng, run.box, pop.x, archive.x, order, f, operators.q, rules
        )
        trials = yield from run.evaluate(crossed(run, pop.x, donors, cr, order[0]))
        result = contest(pop, trials, level)
        won = result.won
        if scheduled:
            schedules.note(result.n_won, n)
        operators.learn(relative_gains(result, trials), operator)
        archive.mingle(run.rng, pop.x, won, sizes.rounded(config.archive * n))
        if result.n_won > 0:
            k = memory.k
            memory.learn(result.weights, f, cr)
            mfreq[k] = terminal_mean(mfreq[k], result.weights, freq)
        pop.replace(won, trials)
        yield from stagnation.restart(pop, won, level)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if n > plan:
            pop = pop.best(plan, level)
            archive.thin(run.rng, sizes.rounded(config.archive * plan))
        found = yield from polish.try_from(pop)
        if found is not None:
            pop.put([-1], found)
            pop = pop.sorted(level)


class Schedules:
    """The two schedules of F, of which the more successful is used."""

    def __init__(self, run: Run[MLSHADERLConfig], g_max: int) -> None:
        self.run, self.g_max, self.used = run, g_max, 0
        self.wins: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=run.config.lp)

    def values(self, g: int, freq: FloatArray) -> FloatArray:
        """Return F of all members by one schedule."""
        c = self.run.config
        if g <= c.lp:
            self.used = int(self.run.numpy_rng.random() >= 0.5)
        else:
            won, tried = (sum(part) for part in zip(*self.wins, strict=True))
            rates = won / tried
            self.used = 0 if rates[0] > rates[1] else 1
        if self.used == 0:
            wave = math.sin(2.0 * math.pi * c.freq * g + math.pi) * (self.g_max - g) / self.g_max
            return np.full(freq.size, 0.5 * (wave + 1.0))
        return np.asarray(0.5 * (np.sin(2.0 * math.pi * freq * g) * g / self.g_max + 1.0))

    def note(self, successes: int, n: int) -> None:
        """Remember the successes of the schedule used; the other gets one of two."""
        won, tried = np.ones(2), np.full(2, 2.0)
        won[self.used], tried[self.used] = successes, n
        self.wins.append((won, tried))


class Rules(NamedTuple):
    """What holds for all trials of a generation."""

    f_scale: float
    cr_sigma: float
    fw: float  # Fw / F
    n_elite: int

    @classmethod
    def of(cls, run: Run[MLSHADERLConfig], n: int) -> "Rules":
        """Return the rules at this time."""
        c, r = run.config, run.progress
        fw = c.fw_1 if r <= c.fw_until_1 else c.fw_2 if r <= c.fw_until_2 else c.fw_3
        return cls(c.f_scale, c.cr_sigma, fw, max(sizes.rounded(c.p * n), 2))


@kernel
def parameters(
    rng: RandomState, n: int, mf: FloatArray, mcr: FloatArray, mfreq: FloatArray, rules: Rules
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw F, CR and the frequency of n trials, all from one slot each."""
    f, cr, freq = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        slot = random.integer(rng, mf.size)
        cr[i] = draws.clipped_normal(rng, mcr[slot], rules.cr_sigma)
        f[i] = min(1.0, draws.positive_cauchy(rng, mf[slot], rules.f_scale))
        freq[i] = min(1.0, draws.positive_cauchy(rng, mfreq[slot], rules.f_scale))
    return f, cr, freq


@kernel
def three_donors(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    order: IntArray,
    f: FloatArray,
    q: FloatArray,
    rules: Rules,
) -> tuple[FloatArray, IntArray]:
    """Return the donors of all members, repaired, and their operators.

    1: x + Fw (x_pbest - x + x_r1 - z); 2: x + F (x_pbest - x + x_r1 - x_r3);
    3: x + Fw (x_b - x + x_m - x_w), where b, m, w are two others and a pbest, best first.
    """
    n = x.shape[0]
    donors, operator, rank = np.empty_like(x), np.empty(n, np.int64), draws.ranks(order)
    for i in range(n):
        operator[i] = by_chance(rng, q)
        fw = rules.fw * f[i]
        pbest = order[random.integer(rng, rules.n_elite)]
        r1, r2, r3 = draws.partners(rng, i, n, n + archive.shape[0])
        if operator[i] == 0:
            z = variation.pooled(x, archive, r2)
            variation.joint_step(donors[i], x[i], x[pbest], x[r1], z, fw)
        elif operator[i] == 1:
            variation.joint_step(donors[i], x[i], x[pbest], x[r1], x[r3], f[i])
        else:
            b, m, w = draws.best_first(order, rank, r1, r3, pbest)
            variation.joint_step(donors[i], x[i], x[b], x[m], x[w], fw)
        variation.midpoint(donors[i], x[i], box)
    return donors, operator


def crossed(
    run: Run[MLSHADERLConfig], x: FloatArray, donors: FloatArray, cr: FloatArray, best: int
) -> FloatArray:
    """Cross binomially, or in the basis of the members nearest to the best, repaired."""
    c = run.config
    if run.numpy_rng.random() >= c.p_eigen:
        variation.binomial_rows(run.rng, donors, x, cr, True)
        return donors
    steps = x - x[best]
    distance = np.einsum("ij,ij->i", steps, steps)
    nearest = np.argsort(distance)[: max(2, sizes.rounded(c.eigen_share * len(x)))]
    u = variation.eigen_binomial(run.rng, donors, x, cr, variation.basis(x[nearest]), True)
    variation.midpoint_rows(u, x, run.box)
    return u


ALGORITHMS = {
    "mlshade-rl": Algorithm("mlshade-rl", "mLSHADE-RL", MLSHADERLConfig, search=search),
}
