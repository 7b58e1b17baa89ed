"""LSHADE-SPACMA (A. W. Mohamed, A. A. Hadi, A. M. Fattouh, K. M. Jambi, CEC 2017).

L-SHADE whose donors come from current-to-pbest/1 (class 1) or from a model of the population by
covariance matrix adaptation (class 2). In the first half F is drawn blindly.

| symbol | here | meaning |
|---|---|---|
| MC | `shares` | memory of the share of class 1 |
| s1, s2 | `gain[first]`, `gain[~first]` | gains of the two classes |
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import cma, draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.contest import contest
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask, Members, Run, Search
from de2ls.algorithms.lineage.memory import LSHADEConfig, Memory
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


@dataclass(frozen=True, kw_only=True)
class SPACMAConfig(LSHADEConfig):
    """Parameters of LSHADE-SPACMA."""

    mc: float = parameter(0.5, "MC: initial memory of the share of class 1", 0.0, 1.0)
    mc_min: float = parameter(0.2, "least MC; the largest is 1 minus it", 0.0, 0.5)
    mc_keep: float = parameter(0.8, "L: share of the old MC in a new one", 0.0, 1.0)
    f_blind: float = parameter(0.45, "least F up to blind_until", 0.0, 1.0)
    f_width: float = parameter(0.1, "width of F's range up to blind_until", 0.0, 1.0)
    blind_until: float = parameter(0.5, "progress up to which F is drawn blindly", 0.0, 1.0)
    sigma: float = parameter(0.5, "first step size of the model, in a box [-100, 100]", 1e-12)


def search(space: Any, rng: np.random.Generator, budget: int, config: SPACMAConfig) -> Search:
    """Minimise by LSHADE-SPACMA."""
    run = Run(space, rng, budget, config)
    pop = yield from run.start()
    n0 = len(pop)
    memory = Memory(config.h, config.mf, config.mcr)
    shares = np.full(config.h, config.mc)
    archive = Archive(int(config.archive * n0) + n0, run.dim)
    model = Model(run, pop)
    while True:
        level, n = run.level, len(pop)
        blind = run.progress <= config.blind_until
        f, cr, first = parameters(run.rng, n, memory.f, memory.cr, shares, Rules.of(config, blind))
        if not model.sound:
            first[:] = True
        samples = model.cma.sample(rng.standard_normal((n - np.count_nonzero(first), run.dim)))
        elite = pop.order(level)[: max(sizes.rounded(config.p * n), 2)]
        u = make_trials(run.rng, run.box, pop.x, archive.x, elite, f, cr, first, samples)
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        won = result.won
        archive.mingle(run.rng, pop.x, won, sizes.rounded(config.archive * n))
        if result.n_won > 0:
            k = memory.k
            memory.learn(result.weights, f, cr)
            if model.sound:
                by_first = float(result.weights @ first)
                share = config.mc_keep * shares[k] + (1.0 - config.mc_keep) * by_first
                shares[k] = min(1.0 - config.mc_min, max(config.mc_min, share))
        pop.replace(won, trials)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if n > plan:
            pop = pop.best(plan, level)
            archive.thin(run.rng, sizes.rounded(config.archive * plan))
        model.follow(run, pop, level)


class Rules(NamedTuple):
    """How F and CR are drawn in a generation."""

    blind: bool
    f_blind: float
    f_width: float
    f_scale: float
    cr_sigma: float

    @classmethod
    def of(cls, c: SPACMAConfig, blind: bool) -> "Rules":
        """Return the rules, by which F is drawn blindly or not."""
        return cls(blind, c.f_blind, c.f_width, c.f_scale, c.cr_sigma)


@kernel
def parameters(
    rng: RandomState, n: int, mf: FloatArray, mcr: FloatArray, shares: FloatArray, rules: Rules
) -> tuple[FloatArray, FloatArray, Mask]:
    """Draw F, CR and the class of n trials (whether it is class 1), all from one slot each."""
    f, cr, first = np.empty(n), np.empty(n), np.empty(n, np.bool_)
    for i in range(n):
        slot = random.integer(rng, mf.size)
        cr[i] = draws.clipped_normal(rng, mcr[slot], rules.cr_sigma)
        if rules.blind:
            f[i] = min(1.0, rules.f_blind + rules.f_width * random.uniform(rng))
        else:
            f[i] = min(1.0, draws.positive_cauchy(rng, mf[slot], rules.f_scale))
        first[i] = shares[slot] >= random.uniform(rng)
    return f, cr, first


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    archive: FloatArray,
    elite: IntArray,
    f: FloatArray,
    cr: FloatArray,
    first: Mask,
    samples: FloatArray,
) -> FloatArray:
    """Return trials: x + F (x_pbest - x + x_r1 - z) for class 1, a sample for class 2, crossed."""
    n, used = x.shape[0], 0
    u = np.empty_like(x)
    for i in range(n):
        if first[i]:
            pbest = elite[random.integer(rng, elite.size)]
            r1, r2, _ = draws.partners(rng, i, n, n + archive.shape[0])
            z = variation.pooled(x, archive, r2)
            variation.joint_step(u[i], x[i], x[pbest], x[r1], z, f[i])
        else:
            u[i] = samples[used]
            used += 1
        variation.midpoint(u[i], x[i], box)
        variation.binomial(rng, u[i], x[i], cr[i], True)
    return u


class Model:
    """The model of the selected population; unsound when its shape is lost."""

    def __init__(self, run: Run[SPACMAConfig], pop: Members) -> None:
        low, high = run.box
        centre = low + (high - low) * (100.0 + run.numpy_rng.random(run.dim)) / 200.0
        self._n = len(pop)
        self.weights = cma.log_weights(self._n / 2.0)
        rates = cma.Rates.of(run.dim, cma.effective(self.weights))
        self.cma = cma.CMA(run.box, centre, run.config.sigma, rates)
        self.sound, self._decomposed = True, 0

    def follow(self, run: Run[SPACMAConfig], pop: Members, level: float) -> None:
        """Learn from the best half of the population."""
        if not self.sound:
            return
        n, rates = len(pop), self.cma.rates
        if n != self._n:
            self._n, self.weights = n, cma.log_weights(n / 2.0)
        parents = pop.x[pop.order(level)[: self.weights.size]]
        fading = (1.0 - rates.cs) ** (2.0 * run.t / n)
        mueff = cma.effective(self.weights)
        self.cma.learn(
            self.weights @ parents, parents, self.weights, mueff, fading, 2.0 + 4.0 / (run.dim + 1)
        )
        if run.t - self._decomposed > n / (rates.c1 + rates.cmu) / run.dim / 10.0:
            self._decomposed = run.t
            self.sound = self.cma.decompose()


ALGORITHMS = {
    "lshade-spacma": Algorithm("lshade-spacma", "LSHADE-SPACMA", SPACMAConfig, search=search),
}
