"""EA4eig (P. Bujok, P. Kolenovsky, CEC 2022): four algorithms on one population.

CoBiDE, IDEbd, CMA-ES and jSO; a roulette on their successes draws one for each generation. Three of
them may cross in the basis of the best half's eigenvectors.

| symbol | here | meaning |
|---|---|---|
| n_h | `roulette.wins` | successes of the four |
| F_i, CR_i | `own[0]`, `own[1]` | CoBiDE's parameters, which belong to a member |
| g, gmax, gt | `g`, `g_max`, `g_turn` | IDE's generations so far, planned, and of its first stage |
| ps, pd | `ps`, `pd` | IDE's share of superior members, rate of disturbed coordinates |
"""

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import cma, sizes, variation
from de2ls.algorithms.lineage.archive import Archive
from de2ls.algorithms.lineage.choice import Roulette
from de2ls.algorithms.lineage.contest import contest
from de2ls.algorithms.lineage.four import (
    cobide_donors,
    cobide_parameters,
    cross_by_rank,
    ide_donors,
    jso_donors,
    replace_worst,
)
from de2ls.algorithms.lineage.jso import JSOConfig, Limits
from de2ls.algorithms.lineage.members import Members, Run, Search
from de2ls.algorithms.lineage.memory import Memory

Successes = Generator[FloatArray, Any, int]


@dataclass(frozen=True, kw_only=True)
class EA4EigConfig(JSOConfig):
    """Parameters of EA4eig: those of its jSO, and of the others."""

    n0: int | None = parameter(None, "N0: initial population size; None: 100", 10)
    n_min: int = parameter(10, "Nmin: population size at the end of the budget", 6)
    cr_sigma: float = 0.1**0.5
    archive: float = 2.6
    other_until: float = 0.0
    wins: float = parameter(2.0, "n0: successes of each algorithm at the start", 0.1)
    least: float = parameter(0.05, "delta: share of successes below which all restart", 0.0, 0.25)
    p_eigen: float = parameter(0.4, "chance of the eigen crossover per generation", 0.0, 1.0)
    eigen_share: float = parameter(0.5, "share of the best whose covariance is taken", 0.1, 1.0)
    ide_stage: float = parameter(0.5, "share of IDE's generations in its first stage", 0.0, 1.0)
    ide_success: float = parameter(0.0, "success rate that counts as failure there", 0.0, 1.0)
    ide_patience: float = parameter(0.1, "failures that end it, per planned generation", 0.0, 1.0)
    ide_ps: float = parameter(0.1, "ps at the start", 0.0, 1.0)
    ide_pd: float = parameter(0.1, "pd / ps", 0.0, 1.0)
    ide_sigma: float = parameter(0.1, "deviation of IDE's F and CR", 1e-3)
    co_f_1: float = parameter(0.65, "one centre of CoBiDE's F", 0.0, 1.0)
    co_f_2: float = parameter(1.0, "the other centre of CoBiDE's F", 0.0, 1.0)
    co_cr_1: float = parameter(0.1, "one centre of CoBiDE's CR", 0.0, 1.0)
    co_cr_2: float = parameter(0.95, "the other centre of CoBiDE's CR", 0.0, 1.0)
    co_scale: float = parameter(0.1, "scale of CoBiDE's Cauchy distributions", 0.0)

    def default_size(self, dim: int) -> int:
        """Return N0 = 100 for every D."""
        del dim
        return 100


def search(space: Any, rng: np.random.Generator, budget: int, config: EA4EigConfig) -> Search:
    """Minimise by EA4eig."""
    run = Run(space, rng, budget, config)
    four = Four(run, (yield from run.start()))
    n0 = len(four.pop)
    roulette = Roulette(4, config.wins, config.least)
    while True:
        (h,) = roulette.draw(run.rng, 1)
        level = run.level
        component = (four.cobide, four.ide, four.cma_es, four.jso)[h]
        roulette.wins[h] += yield from component(level)
        plan = sizes.linear(n0, config.n_min, run.progress)
        if len(four.pop) > plan:
            four.sort(level, plan)
            four.archive.thin(run.rng, sizes.rounded(config.archive * plan))


class Four:
    """The population, and one generation of each of the four."""

    def __init__(self, run: Run[EA4EigConfig], pop: Members) -> None:
        self.run, self.pop = run, pop
        c, n = run.config, len(pop)
        self.own = self.new_parameters(n)
        self.archive = Archive(sizes.rounded(c.archive * n), run.dim)
        self.memory = Memory(c.h, c.mf, c.mcr, c.keep)
        self.g, self.g_max, self.fails = 0, max(1, sizes.rounded(run.budget / n)), 0
        self.g_turn = int(c.ide_stage * self.g_max)
        rates = cma.Rates.of(run.dim, cma.effective(cma.log_weights(n // 2)))
        self.cma = cma.CMA(run.box, pop.x.mean(axis=0), cma.HALF_WIDTH, rates)
        self.samples, self._decomposed = pop.x.copy(), 0

    def new_parameters(self, n: int) -> FloatArray:
        """Draw CoBiDE's F and CR of n members."""
        c = self.run.config
        centres = np.array([c.co_f_1, c.co_f_2, c.co_cr_1, c.co_cr_2])
        return cobide_parameters(self.run.rng, n, centres, c.co_scale)

    def sort(self, level: float, count: int | None = None) -> None:
        """Sort the population, CoBiDE's parameters with it, and keep the best."""
        order = self.pop.order(level)[:count]
        self.pop, self.own = self.pop[order], self.own.take(order, axis=1)

    def axes(self, level: float) -> FloatArray | None:
        """Return the basis of the eigen crossover if this generation uses it."""
        c = self.run.config
        if self.run.numpy_rng.random() >= c.p_eigen:
            return None
        best = self.pop.order(level)[: max(2, sizes.rounded(c.eigen_share * len(self.pop)))]
        return variation.basis(self.pop.x[best])

    def crossed(self, donors: FloatArray, cr: FloatArray, axes: FloatArray | None) -> FloatArray:
        """Cross with rates CR, or in the basis with the members' own; reflect into the box."""
        rng, x = self.run.rng, self.pop.x
        if axes is None:
            variation.binomial_rows(rng, donors, x, cr, False)
        else:
            donors = variation.eigen_binomial(rng, donors, x, self.own[1], axes, False)
        variation.mirror_rows(donors, self.run.box)
        return donors

    def cobide(self, level: float) -> Successes:
        """Return the successes of a generation of x_r1 + F_i (x_r2 - x_r3)."""
        run, x = self.run, self.pop.x
        donors = cobide_donors(run.rng, x, run.box, self.own[0])
        u = self.crossed(donors, self.own[1], self.axes(level))
        trials = yield from run.evaluate(u)
        held = contest(self.pop, trials, level).held
        self.pop.replace(held, trials)
        successes = int(np.count_nonzero(held))
        self.own[:, ~held] = self.new_parameters(held.size - successes)
        return successes

    def ide(self, level: float) -> Successes:
        """Return the successes of a generation of IDEbd, whose F and CR follow the rank."""
        run, c = self.run, self.run.config
        self.sort(level)
        n = len(self.pop)
        ps = c.ide_ps + (1.0 - c.ide_ps) * 10.0 ** (5.0 * (self.g / self.g_max - 1.0))
        first = self.g <= self.g_turn
        donors = ide_donors(run.rng, self.pop.x, run.box, ps, c.ide_pd * ps, c.ide_sigma, first)
        axes = self.axes(level)
        if axes is None:
            cross_by_rank(run.rng, donors, self.pop.x, run.box, c.ide_sigma)
        else:
            donors = self.crossed(donors, self.own[1], axes)
        trials = yield from run.evaluate(donors)
        held = contest(self.pop, trials, level).held
        self.pop.replace(held, trials)
        successes = int(np.count_nonzero(held))
        if self.g < self.g_turn:
            self.fails = self.fails + 1 if successes <= c.ide_success * n else 0
            if self.fails >= c.ide_patience * self.g_max:
                self.g_turn = self.g
        self.sort(level)
        self.g += 1
        return successes

    def cma_es(self, level: float) -> Successes:
        """Return how many samples around the best half beat the worst member of the moment."""
        run, model, dim = self.run, self.cma, self.run.dim
        self.sort(level)
        n = len(self.pop)
        weights = cma.log_weights(n // 2)
        model.mean = weights @ self.pop.x[: weights.size]
        y = model.sample(run.numpy_rng.standard_normal((n, dim)))
        variation.midpoint_rows(y, self.samples[:n], run.box)
        trials = yield from run.evaluate(y)
        order = self.pop.joined(trials).order(level)
        successes = replace_worst(
            self.pop.x, self.pop.f, self.pop.v, trials.x, trials.f, trials.v, order
        )
        parents = trials.x[trials.order(level)[: weights.size]]
        fading = (1.0 - model.rates.cs) ** (2.0 * run.t / n)
        cautious = 2.0 + 4.0 / (dim + 1)
        mueff = cma.effective(weights)
        model.learn(weights @ parents, parents, weights, mueff, fading, cautious)
        if model.is_lost:
            model.sigma = cma.HALF_WIDTH
        if run.t - self._decomposed > n / (model.rates.c1 + model.rates.cmu) / dim / 10.0:
            self._decomposed = run.t
            if not model.decompose():
                model.forget()
        self.samples = y
        return successes

    def jso(self, level: float) -> Successes:
        """Return the strict successes of a generation of jSO."""
        run, c, pop = self.run, self.run.config, self.pop
        n = len(pop)
        share = c.p_max + (c.p_min - c.p_max) * run.progress
        elite = pop.order(level)[: max(2, math.ceil(share * n))]
        donors, f, cr = jso_donors(
            run.rng, pop.x, self.archive.x, elite, self.memory.f, self.memory.cr, Limits.of(run)
        )
        u = self.crossed(donors, cr, self.axes(level))
        trials = yield from run.evaluate(u)
        result = contest(pop, trials, level)
        self.archive.overwrite(run.rng, pop.x, result.won, sizes.rounded(c.archive * n))
        self.memory.learn(result.weights, f, cr)
        self.memory.k %= max(1, c.h - 1)  # the last cell is fixed
        pop.replace(result.held, trials)
        return result.n_won


ALGORITHMS = {"ea4eig": Algorithm("ea4eig", "EA4eig", EA4EigConfig, search=search)}
