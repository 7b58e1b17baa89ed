"""LSHADE-SPACMA (A. W. Mohamed, A. A. Hadi, A. M. Fattouh, K. M. Jambi, CEC 2017).

L-SHADE whose donors come from current-to-pbest/1 (class 1) or from a model of the population by
covariance matrix adaptation (class 2). In the first half F is drawn blindly.

| symbol | here | meaning |
|---|---|---|
| MC | `shares` | memory of the share of class 1 |
| s1, s2 | `gain[first]`, `gain[~first]` | gains of the two classes |
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import cma, draws, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.members import (
    Mask,
    Members,
    Run,
    Search,
    contest,
)
from de2ls.algorithms.lineage.memory import LSHADEConfig, Memory


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
        slot = draws.integers(run.rng, config.h, n)
        cr = draws.clipped_normal(run.rng, memory.cr[slot], config.cr_sigma)
        if run.progress <= config.blind_until:
            f = config.f_blind + config.f_width * rng.random(n)
        else:
            f = draws.positive_cauchy(run.rng, memory.f[slot], config.f_scale, 1.0)
        first = (shares[slot] >= rng.random(n)) | (not model.sound)
        donors = mixed_donors(run, pop, archive, f, first, model)
        u = variation.binomial(run.rng, pop.x, donors, cr, True)
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        won = result.won
        archive.mingle(run.rng, pop.x[won], sizes.rounded(config.archive * n))
        if won.any():
            weights, k = result.weights(won), memory.k
            memory.learn(weights, f[won], cr[won])
            if model.sound:
                share = config.mc_keep * shares[k] + (1.0 - config.mc_keep) * float(
                    weights @ first[won]
                )
                shares[k] = np.clip(share, config.mc_min, 1.0 - config.mc_min)
        pop.replace(won, trials)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if n > plan:
            pop = pop.best(plan, level)
            archive.thin(run.rng, sizes.rounded(config.archive * plan))
        model.follow(run, pop, level)


def mixed_donors(
    run: Run[SPACMAConfig],
    pop: Members,
    archive: Archive,
    f: FloatArray,
    first: Mask,
    model: "Model",
) -> FloatArray:
    """Return x + F (x_pbest - x + x_r1 - z) for class 1, a sample for class 2, repaired."""
    x, n = pop.x, len(pop)
    n_elite = max(sizes.rounded(run.config.p * n), 2)
    pbest = draws.elite(run.rng, pop.order(run.level)[:n_elite], n, False)
    r1, r2, _ = draws.partners(run.rng, n, n + archive.n)
    donors = variation.joint_step(x, archive.x, (pbest, r1, r2), f)
    second = ~first
    if second.any():
        donors[second] = model.cma.sample(run.numpy_rng.standard_normal((second.sum(), run.dim)))
    return variation.midpoint(donors, x, run.box)


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
