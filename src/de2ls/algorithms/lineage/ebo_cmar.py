"""EBOwithCMAR (A. Kumar, R. K. Misra, D. Singh, CEC 2017): a butterfly optimizer and a CMA-ES.

Two populations work side by side: P1 by two operators of differential evolution, P2 by covariance
matrix adaptation ("retreat"). Every 2 CS generations the better one is favoured for a while, then
they exchange members. From three quarters of the budget on SQP polishes the best.

| symbol | here | meaning |
|---|---|---|
| P1, P2 | `pop`, `retreat.pop` | the two populations, sorted |
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| MT, Mfreq | `mt`, `mfreq` | memories of the profile's decay and of F's frequency |
| Pr | `chance` | probabilities of the two phases |
| q | `operators.q` | probabilities of the two operators |
"""

import math
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
from de2ls.algorithms.lineage.members import Mask, Members, Run, Search, contest
from de2ls.algorithms.lineage.memory import Memory, lehmer, terminal_mean
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.algorithms.lineage.retreat import Retreat, RetreatConfig, bell


@dataclass(frozen=True, kw_only=True)
class EBOConfig(PolishConfig, RetreatConfig):
    """Parameters of EBOwithCMAR."""

    derived: ClassVar[tuple[str, ...]] = ("n0", "n2", "cycle", "g_max")

    ls_from: float = 0.75
    n0_per_dim: float = parameter(18.0, "size of P1 at the start, per dimension", 1.0)
    cycle: int | None = parameter(None, "CS: generations of half a cycle; None: 50, 100, 150", 1)
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
    chance_min: float = parameter(0.1, "least chance of a phase; the largest 1 minus it", 0.0, 0.5)

    def default_size(self, dim: int) -> int:
        """Return N1 = 18 D."""
        return int(self.n0_per_dim * dim)


def search(space: Any, rng: np.random.Generator, budget: int, config: EBOConfig) -> Search:
    """Minimise by EBOwithCMAR."""
    run = Run(space, rng, budget, config)
    pop = (yield from run.start()).sorted(run.level)
    n2 = config.n2 or 4 + int(3.0 * math.log(run.dim))
    second = yield from run.evaluate(space.sample(rng, n2))
    ebo, retreat = Butterflies(run, pop), Retreat(run, second.sorted(run.level))
    polish, favoured = Polish(run), 0
    cycle = config.cycle or (50 if run.dim <= 10 else 100 if run.dim <= 30 else 150)
    chance, g, at = np.ones(2), 0, 0
    best = ebo.pop[:1]  # of all points: P2 is sampled anew, and forgets what it has found
    while True:
        g, at, level = g + 1, at + 1, run.level
        if at == cycle + 1:
            chance = phase_chances(run, ebo.pop, retreat.pop, level)
            favoured = int(chance[1] > chance[0]) if chance[0] != chance[1] else 2
        elif at == 2 * cycle:
            if favoured == 0:
                some = rng.permutation(len(ebo.pop))[:n2]
                retreat.restart(ebo.pop[some], config.sigma * (1.0 - run.progress))
            elif retreat.best_is_inside():
                ebo.pop.put([-1], retreat.pop[:1])
                ebo.pop = ebo.pop.sorted(level)
            at, chance = 1, np.ones(2)
        if rng.random() < chance[0]:
            yield from ebo.generation(g, level)
        if rng.random() < chance[1]:
            yield from retreat.generation(g, level)
        everyone = best.joined(ebo.pop).joined(retreat.pop)
        best = everyone[everyone.order()[:1]]
        found = yield from polish.try_from(best)
        if found is not None:
            ebo.pop.put([-1], found)
            ebo.pop = ebo.pop.sorted(level)
            copies = ebo.pop[np.zeros(n2, np.int64)]
            retreat.pop = copies
            retreat.restart(copies, config.sigma_polished)


def phase_chances(run: Run[EBOConfig], first: Members, second: Members, level: float) -> FloatArray:
    """Return the chances of the two phases by quality and diversity.

    Quality is 1 - f / sum f of the two bests; where objectives do not allow that (constraints, or a
    sign) it is their rank.
    """
    both = first[:1].joined(second[:1])
    if run.space.n_ineq + run.space.n_eq == 0 and (both.f > 0.0).all():
        quality = 1.0 - both.f / both.f.sum()
    else:
        gain = contest(both[:1], both[1:], level).gain[0]
        quality = np.array([0.5, 0.5]) if gain == 0.0 else np.array([gain < 0.0, gain > 0.0]) * 1.0
    spread = np.array(
        [np.sqrt(((p.x[1:] - p.x[0]) ** 2).sum(axis=1)).mean() for p in (first, second)]
    )
    total = quality + spread / max(float(spread.sum()), 1e-300)
    least = run.config.chance_min
    chances: FloatArray = np.clip(total / total.sum(), least, 1.0 - least)
    return chances


class Butterflies:
    """P1: two operators, a crossover rate for each coordinate, and its memories."""

    def __init__(self, run: Run[EBOConfig], pop: Members) -> None:
        c = run.config
        self.run, self.pop, self.n0 = run, pop, len(pop)
        self.memory = Memory(c.h, c.mf, c.mcr)
        self.mt, self.mfreq = np.full(c.h, c.mt), np.full(c.h, c.mfreq)
        self.archive = Archive(sizes.rounded(c.archive * self.n0) + self.n0, run.dim)
        self.operators = OperatorWeights(2, c.q_min)
        self.g_max = c.g_max or sizes.generations(self.n0, c.n_min, run.budget)

    def generation(self, g: int, level: float) -> Search:
        """Shrink P1, make a trial of each member, select and learn."""
        run, c, rng = self.run, self.run.config, self.run.numpy_rng
        plan = sizes.linear(self.n0, c.n_min, run.progress)
        capacity = sizes.rounded(c.archive * plan)
        self.archive.thin(run.rng, capacity)
        self.pop = pop = self.pop[:plan]
        n = len(pop)
        slot = draws.integers(run.rng, c.h, n)
        mcr = self.memory.cr[slot]
        cr = np.where(mcr < 0.0, 0.0, np.clip(mcr + c.cr_scale * bell(rng, n), 0.0, 1.0))
        f = draws.positive_cauchy(run.rng, self.memory.f[slot], c.f_scale, 1.0)
        decay = np.clip(self.mt[slot] + c.t_scale * bell(rng, n), 0.0, c.t_max)
        freq = draws.positive_cauchy(run.rng, self.mfreq[slot], c.f_scale, 1.0)
        if run.progress <= c.schedule_until:
            f = self.scheduled(g, freq)
        operator = self.operators.draw(rng, n)
        donors = variation.midpoint(self.donors(f, operator == 0), pop.x, run.box)
        take = rng.random((n, run.dim)) <= self.rates(cr, decay)
        take[np.arange(n), rng.integers(run.dim, size=n)] = True
        trials = yield from run.evaluate(np.where(take, donors, pop.x))
        result = contest(pop, trials, level)
        won = result.won
        self.archive.mingle(run.rng, pop.x[won], capacity)
        self.operators.learn(result, operator, result.old)
        pop.replace(won, trials)
        self.pop = pop.sorted(level)
        if won.any():
            weights = result.weights(won)
            self.memory.learn(weights, f[won], cr[won])
            k = self.memory.k  # the next cell already: so the program has it
            self.mt[k] = lehmer(weights, decay[won])
            self.mfreq[k] = terminal_mean(self.mfreq[k], weights, freq[won])

    def scheduled(self, g: int, freq: FloatArray) -> FloatArray:
        """Return F by one of two tangent schedules; the first is 1/2 up to rounding."""
        if self.run.numpy_rng.random() < 0.5:
            return np.full(freq.size, 0.5)
        return 0.5 * (np.tan(2.0 * math.pi * freq * g) * g / self.g_max + 1.0)

    def donors(self, f: FloatArray, crisscross: Mask) -> FloatArray:
        """Return x + F (x_r1 - x + x_r3 - z), or x + F (x_phi - x + x_r1 - x_r3)."""
        run, x, n = self.run, self.pop.x, len(self.pop)
        r1, r2, r3 = draws.partners(run.rng, n, n + self.archive.n)
        if 2 * run.dim > n:
            n_elite = min(n, max(sizes.rounded(run.config.p * n), 2))
            phi = draws.integers(run.rng, n_elite, n)
        else:
            phi = self.best_of_dim(n)
        first, plus = np.where(crisscross, (r1, r3), (phi, r1))
        return variation.joint_step(
            x, self.archive.x, (first, plus, np.where(crisscross, r2, r3)), f
        )

    def best_of_dim(self, n: int) -> IntArray:
        """Draw n times the best of D different ranks: P(rank >= k) = C(n - k, D) / C(n, D)."""
        k = np.arange(n - self.run.dim)
        beyond = np.cumprod((n - self.run.dim - k) / (n - k))  # P(rank > k)
        drawn: IntArray = np.searchsorted(-beyond, -self.run.numpy_rng.random(n))
        return drawn

    def rates(self, cr: FloatArray, decay: FloatArray) -> FloatArray:
        """Return CR of each coordinate: highest around a random one, decaying to the opposite."""
        dim, n = self.run.dim, cr.size
        half = np.arange((dim + 1) // 2)
        k = np.concatenate((half, half[::-1]))[:dim]
        start = self.run.numpy_rng.integers(dim, size=(n, 1))
        distance = k[(np.arange(dim) - start) % dim]
        rates: FloatArray = cr[:, None] * np.exp(-decay[:, None] / dim * distance)
        return rates


ALGORITHMS = {"ebo-cmar": Algorithm("ebo-cmar", "EBOwithCMAR", EBOConfig, search=search)}
