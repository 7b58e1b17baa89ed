"""mLSHADE-RL (D. Chauhan, A. Trivedi, Shivani, CEC 2024): operators, restart and local search.

LSHADE-cnEpSin (two schedules of F, crossover in the eigen basis around the best) with three
operators chosen by success, a restart of members that stagnate, and SQP in the end.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| F, Fw, CR | `f`, `fw`, `cr` | scale, weighted scale, crossover rate |
| Mfreq | `mfreq` | memory of the second schedule's frequency |
| q | `operators.q` | probabilities of the three operators |
| s_1, s_2 | `Schedules.wins` | recent successes of the two schedules |
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import OperatorWeights
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Members, Run, Search, contest
from de2ls.algorithms.lineage.memory import LSHADEConfig, Memory, terminal_mean
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.algorithms.lineage.restart import RestartConfig, Stagnation


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
    fw_1: float = parameter(0.7, "Fw / F up to fw_until_1", 0.0)
    fw_until_1: float = parameter(0.2, "progress up to which fw_1 holds", 0.0, 1.0)
    fw_2: float = parameter(0.8, "Fw / F up to fw_until_2", 0.0)
    fw_until_2: float = parameter(0.4, "progress up to which fw_2 holds", 0.0, 1.0)
    fw_3: float = parameter(1.2, "Fw / F after it", 0.0)
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
        slot = draws.integers(run.rng, config.h, n)
        cr = draws.clipped_normal(run.rng, memory.cr[slot], config.cr_sigma)
        f = draws.positive_cauchy(run.rng, memory.f[slot], config.f_scale, 1.0)
        freq = draws.positive_cauchy(run.rng, mfreq[slot], config.f_scale, 1.0)
        scheduled = run.progress <= config.schedule_until
        if scheduled:
            f = schedules.values(g, freq)
        operator = operators.draw(rng, n)
        donors = variation.midpoint(
            three_donors(run, pop, archive, order, f, operator), pop.x, run.box
        )
        trials = yield from run.evaluate(crossed(run, pop.x, donors, cr, order[0]))
        result = contest(pop, trials, level)
        won = result.won
        if scheduled:
            schedules.note(int(won.sum()), n)
        operators.learn(result, operator, result.new)
        archive.mingle(run.rng, pop.x[won], sizes.rounded(config.archive * n))
        if won.any():
            weights, k = result.weights(won), memory.k
            memory.learn(weights, f[won], cr[won])
            mfreq[k] = terminal_mean(mfreq[k], weights, freq[won])
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


def three_donors(
    run: Run[MLSHADERLConfig],
    pop: Members,
    archive: Archive,
    order: IntArray,
    f: FloatArray,
    operator: IntArray,
) -> FloatArray:
    """Return the donors of all members by their operators.

    1: x + Fw (x_pbest - x + x_r1 - z); 2: x + F (x_pbest - x + x_r1 - x_r3);
    3: x + Fw (x_b - x + x_m - x_w), where b, m, w are two others and a pbest, best first.
    """
    c, x, n, r = run.config, pop.x, len(pop), run.progress
    fw = f * (c.fw_1 if r <= c.fw_until_1 else c.fw_2 if r <= c.fw_until_2 else c.fw_3)
    elite = order[: max(sizes.rounded(c.p * n), 2)]
    pbest = draws.elite(run.rng, elite, n, False)
    r1, r2, r3 = draws.partners(run.rng, n, n + archive.n)
    a1, a2, _ = draws.partners(run.rng, n, n)
    b, m, w = draws.best_first(order, (a1, a2, draws.elite(run.rng, elite, n, False)))
    ordered = operator == 2
    first, plus = np.where(ordered, (b, m), (pbest, r1))
    last = np.where(ordered, w, np.where(operator == 0, r2, r3))
    return variation.joint_step(x, archive.x, (first, plus, last), np.where(operator == 1, f, fw))


def crossed(
    run: Run[MLSHADERLConfig], x: FloatArray, donors: FloatArray, cr: FloatArray, best: int
) -> FloatArray:
    """Cross binomially, or in the basis of the members nearest to the best, repaired."""
    c = run.config
    if run.numpy_rng.random() >= c.p_eigen:
        return variation.binomial(run.rng, x, donors, cr, True)
    distance = ((x - x[best]) ** 2).sum(axis=1)
    nearest = np.argsort(distance)[: max(2, sizes.rounded(c.eigen_share * len(x)))]
    axes = variation.basis(x[nearest])
    u = variation.eigen_binomial(run.rng, x, donors, cr, axes, True)
    return variation.midpoint(u, x, run.box)


ALGORITHMS = {
    "mlshade-rl": Algorithm("mlshade-rl", "mLSHADE-RL", MLSHADERLConfig, search=search),
}
