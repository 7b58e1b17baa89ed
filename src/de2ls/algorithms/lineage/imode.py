"""IMODE (K. M. Sallam, S. M. Elsayed, R. K. Chakrabortty, M. J. Ryan, CEC 2020).

Three operators share the population by their success, one of two crossovers and one of three
repairs is drawn for each generation, and SQP polishes the best in the end.

| symbol | here | meaning |
|---|---|---|
| q | `operators.q` | probabilities of the three operators |
| phi, phi' | `phi`, `wide` | members of the best 25 % and of the best 50 % |
| MF, MCR | `memory.f`, `memory.cr` | success history |
| p_LS | `polish.chance` | chance of a local search per generation |
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import OperatorWeights
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Run, Search, contest
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig
from de2ls.algorithms.lineage.polish import Polish, PolishConfig


@dataclass(frozen=True, kw_only=True)
class IMODEConfig(PolishConfig, MemoryConfig):
    """Parameters of IMODE."""

    n0_per_dim2: float = parameter(6.0, "N0 / D^2", 0.1)
    mf: float = 0.2
    mcr: float = 0.2
    archive: float = 2.6
    h_per_dim: int = parameter(20, "H / D: memory cells per dimension", 1)
    m_none: float = parameter(0.5, "what a generation without success writes", 0.0, 1.0)
    p: float = parameter(0.25, "p: share of the elite of operators 1 and 2", 0.0, 1.0)
    p_wide: float = parameter(0.5, "p: share of the elite of operator 3", 0.0, 1.0)
    q_min: float = parameter(0.1, "least q of an operator; the largest is 1 minus it", 0.0, 0.3)
    binomial: float = parameter(0.4, "chance of binomial crossover per generation", 0.0, 1.0)

    def default_size(self, dim: int) -> int:
        """Return N0 = 6 D^2."""
        return int(self.n0_per_dim2 * dim * dim)


def search(space: Any, rng: np.random.Generator, budget: int, config: IMODEConfig) -> Search:
    """Minimise by IMODE."""
    run = Run(space, rng, budget, config)
    pop = yield from run.start()
    n0 = len(pop)
    memory = Memory(config.h_per_dim * run.dim, config.mf, config.mcr)
    archive = Archive(sizes.rounded(config.archive * n0) + n0, run.dim)
    operators, polish = OperatorWeights(3, config.q_min), Polish(run)
    while True:
        level = run.level
        plan = sizes.linear(n0, config.n_min, run.progress)
        capacity = sizes.rounded(config.archive * plan)
        archive.thin(run.rng, capacity)
        pop = pop[:plan].sorted(level)
        n = len(pop)
        slot = draws.integers(run.rng, memory.f.size, n)
        cr = np.sort(draws.clipped_normal(run.rng, memory.cr[slot], config.cr_sigma))
        f = draws.positive_cauchy(run.rng, memory.f[slot], config.f_scale, 1.0)
        operator = operators.draw(rng, n)
        donors = repaired(run, three_donors(run, pop.x, archive, f, operator), pop.x)
        if rng.random() < config.binomial:
            u = variation.binomial(run.rng, pop.x, donors, cr, True)
        else:
            u = variation.exponential(run.rng, pop.x, donors, cr, False)
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        won = result.won
        archive.mingle(run.rng, pop.x[won], capacity)
        operators.learn(result, operator, result.old)
        if won.any():
            memory.learn(result.weights(won), f[won], cr[won])
        else:
            memory.write(config.m_none, config.m_none)
        pop.replace(won, trials)
        pop = pop.sorted(level)
        found = yield from polish.try_from(pop)
        if found is not None:
            pop.put([-1], found)
            pop = pop.sorted(level)


def three_donors(
    run: Run[IMODEConfig], x: FloatArray, archive: Archive, f: FloatArray, operator: IntArray
) -> FloatArray:
    """Return the donors of sorted members by their operators.

    1: x + F (x_phi - x + x_r1 - z); 2: the same with x_r3 for z; 3: F x_r1 + F (x_phi' - x_r3).
    """
    c, n = run.config, len(x)
    phi = draws.integers(run.rng, max(sizes.rounded(c.p * n), 1), n)
    wide = draws.integers(run.rng, max(sizes.rounded(c.p_wide * n), 2), n)
    r1, r2, r3 = draws.partners(run.rng, n, n + archive.n)
    last = np.where(operator == 0, r2, r3)
    donors = variation.joint_step(x, archive.x, (phi, r1, last), f)
    third = operator == 2
    donors[third] = f[third, None] * (x[r1[third]] + x[wide[third]] - x[r3[third]])
    return donors


def repaired(run: Run[IMODEConfig], v: FloatArray, x: FloatArray) -> FloatArray:
    """Repair all by one of three rules: midpoint, a reflection of the parent, one uniform draw."""
    low, high = run.box
    rule = run.numpy_rng.integers(3)
    if rule == 0:
        return variation.midpoint(v, x, run.box)
    if rule == 1:
        below = above = variation.reflected_parent(x, run.box)
    else:
        below = low + run.numpy_rng.random() * (high - low)
        above = low + run.numpy_rng.random() * (high - low)
    return np.where(v < low, below, np.where(v > high, above, v))


ALGORITHMS = {"imode": Algorithm("imode", "IMODE", IMODEConfig, search=search)}
