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
from typing import Any, NamedTuple

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
from de2ls.algorithms.lineage.memory import Memory, MemoryConfig
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel


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
        rules = Rules.of(run, len(pop))
        u, f, cr, operator = make_trials(
            run.rng, run.box, pop.x, archive.x, memory.f, memory.cr, operators.q, rules
        )
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        archive.mingle(run.rng, pop.x, result.won, capacity)
        operators.learn(relative_gains(result, pop), operator)
        if result.n_won > 0:
            memory.learn(result.weights, f, cr)
        else:
            memory.write(config.m_none, config.m_none)
        pop.replace(result.won, trials)
        pop = pop.sorted(level)
        found = yield from polish.try_from(pop)
        if found is not None:
            pop.put([-1], found)
            pop = pop.sorted(level)


class Rules(NamedTuple):
    """What holds for all trials of a generation."""

    f_scale: float
    cr_sigma: float
    n_elite: int  # of operators 1 and 2
    n_wide: int  # of operator 3
    binomial: bool  # which crossover all take
    repair: int  # which rule repairs all
    below: float  # where in the box, 0 to 1, the last rule puts what is below it, and above it
    above: float

    @classmethod
    def of(cls, run: Run[IMODEConfig], n: int) -> "Rules":
        """Draw what one draw decides for all."""
        c = run.config
        binomial, repair, below, above = run.numpy_rng.random(4).tolist()
        return cls(
            c.f_scale,
            c.cr_sigma,
            max(sizes.rounded(c.p * n), 1),
            max(sizes.rounded(c.p_wide * n), 2),
            binomial < c.binomial,
            int(3.0 * repair),
            below,
            above,
        )


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    mf: FloatArray,
    mcr: FloatArray,
    q: FloatArray,
    rules: Rules,
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Return a trial of each of sorted members, its F, CR and operator.

    1: x + F (x_phi - x + x_r1 - z); 2: the same with x_r3 for z; 3: F x_r1 + F (x_phi' - x_r3).
    """
    n = x.shape[0]
    u, f, cr, operator = np.empty_like(x), np.empty(n), np.empty(n), np.empty(n, np.int64)
    chance = np.empty(x.shape[1])
    for i in range(n):
        slot = random.integer(rng, mf.size)
        cr[i] = draws.clipped_normal(rng, mcr[slot], rules.cr_sigma)
        f[i] = min(1.0, draws.positive_cauchy(rng, mf[slot], rules.f_scale))
    cr.sort()  # the best members get the smallest
    for i in range(n):
        operator[i] = by_chance(rng, q)
        r1, r2, r3 = draws.partners(rng, i, n, n + archive.shape[0])
        if operator[i] < 2:
            phi = random.integer(rng, rules.n_elite)
            last = variation.pooled(x, archive, r2 if operator[i] == 0 else r3)
            variation.joint_step(u[i], x[i], x[phi], x[r1], last, f[i])
        else:
            wide = random.integer(rng, rules.n_wide)
            for j in range(x.shape[1]):
                u[i, j] = f[i] * (x[r1, j] + x[wide, j] - x[r3, j])
        repair(u[i], x[i], box, rules)
        if rules.binomial:
            variation.binomial(rng, u[i], x[i], cr[i], True, chance)
        else:
            variation.exponential(rng, u[i], x[i], cr[i], False)
    return u, f, cr, operator


@block
def repair(v: FloatArray, x: FloatArray, box: FloatArray, rules: Rules) -> None:
    """Repair by one of three rules: midpoint, a reflection of the parent, one place for all."""
    if rules.repair == 0:
        variation.midpoint(v, x, box)
    elif rules.repair == 1:
        variation.reflect_parent(v, x, box)
    else:
        for j in range(v.size):
            low, width = box[0, j], box[1, j] - box[0, j]
            if v[j] < low:
                v[j] = min(box[1, j], low + rules.below * width)
            elif v[j] > box[1, j]:
                v[j] = min(box[1, j], low + rules.above * width)


ALGORITHMS = {"imode": Algorithm("imode", "IMODE", IMODEConfig, search=search)}
