"""UDE (A. Trivedi, K. Sanyal, P. Verma, D. Srinivasan, CEC 2017): a reconstruction.

The best half gets a trial by each of three strategies, the rest one by a strategy drawn in
proportion to success in the best half; a static penalty orders them all. The paper's text was not
at hand: its abstract and later papers say what stands here, and the factor of the penalty follows
from its published results.

| symbol | here | meaning |
|---|---|---|
| phi | `members.f` | f + R V, with the summed violation V |
| T1 | `n_top` | size of the top sub-population |
| (F, CR) | `settings` | two settings, drawn for each trial |
| P_s | `share` | probability of strategy s in the bottom sub-population |
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import variation
from de2ls.algorithms.lineage.choice import weighted
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run, Search, better
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel

STRATEGIES = 3
RAND, CURRENT_TO_RAND = 0, 1  # rand/1/bin, current-to-rand/1; the third is current-to-pbest/1/bin


@dataclass(frozen=True, kw_only=True)
class UDEConfig(LineageConfig):
    """Parameters of UDE."""

    n0: int | None = parameter(None, "NP: population size; None: 100", 8)
    n_min: int = parameter(8, "least NP under a small budget", 8)
    handling: str = parameter(
        "penalty",
        "order of infeasible members: the penalty, a falling epsilon level, the feasibility rule",
        options=("penalty", "epsilon", "feasibility"),
    )
    penalty: float = parameter(100.0, "R: factor of the summed violation", 0.0)
    top: float = parameter(0.5, "T1 / NP: share of the top sub-population", 0.1, 1.0)
    f_1: float = parameter(0.9, "F of the first setting", 0.0, 2.0)
    cr_1: float = parameter(0.9, "CR of the first setting", 0.0, 1.0)
    f_2: float = parameter(0.5, "F of the second setting, and of the local search", 0.0, 2.0)
    cr_2: float = parameter(0.5, "CR of the second setting", 0.0, 1.0)
    p_min: float = parameter(0.05, "least share of the elite, drawn at each use", 0.0, 1.0)
    p_max: float = parameter(0.2, "largest share of the elite", 0.0, 1.0)
    lp: int = parameter(25, "LP: generations between two adaptations", 1)
    floor: float = parameter(0.01, "what is added to each strategy's rate of wins", 1e-6)

    def default_size(self, dim: int) -> int:
        """Return NP = 100 for every D."""
        del dim
        return 100


def search(space: Any, rng: np.random.Generator, budget: int, config: UDEConfig) -> Search:
    """Minimise by UDE."""
    run = Run(space, rng, budget, config)
    pop = penalised((yield from run.start()), config)
    n, n_top = len(pop), max(4, int(config.top * len(pop)))
    rest = np.arange(STRATEGIES * n_top, (STRATEGIES - 1) * n_top + n + 1)  # others', best's
    settings = np.array([[config.f_1, config.cr_1], [config.f_2, config.cr_2]])
    elite = np.array([max(1, int(config.p_min * n)), max(1, int(config.p_max * n))])
    share = np.full(STRATEGIES, 1.0 / STRATEGIES)
    wins, trials_of = np.zeros(STRATEGIES), 0
    generation = 0
    while True:
        generation += 1
        level = run.level
        pop = pop.sorted(level)
        u = make_trials(run.rng, run.box, pop.x, n_top, share, settings, elite)
        trials = penalised((yield from run.evaluate(u)), config)
        best = top_candidates(pop.f, pop.v, trials.f, trials.v, n_top, level, wins)
        trials_of += n_top
        pool = pop.joined(trials[np.concatenate((best, rest))])
        pop = pool[pool.order(level)[:n]]
        if generation % config.lp == 0:
            rate = wins / trials_of + config.floor
            share, wins, trials_of = rate / rate.sum(), np.zeros(STRATEGIES), 0


def penalised(members: Members, config: UDEConfig) -> Members:
    """Return the members with phi = f + R V in the place of f, if the penalty orders them."""
    if config.handling != "penalty":
        return members
    return Members(members.x, members.f + config.penalty * members.v, np.zeros(len(members)))


@kernel
def make_trials(
    rng: RandomState,
    box: FloatArray,
    x: FloatArray,
    n_top: int,
    share: FloatArray,
    settings: FloatArray,
    elite: IntArray,
) -> FloatArray:
    """Return the trials of sorted members, each with one of the two settings.

    First those of the top by each strategy in turn, then one of each other member by a strategy
    drawn by `share`, then one around the best.
    """
    n, dim = x.shape
    u, chance = np.empty(((STRATEGIES - 1) * n_top + n + 1, dim)), np.empty(dim)
    for k in range(u.shape[0] - 1):
        if k < STRATEGIES * n_top:
            i, strategy = k % n_top, k // n_top
        else:
            i, strategy = k - (STRATEGIES - 1) * n_top, weighted(rng, share)
        F, CR = settings[random.integer(rng, 2)]
        donor(rng, u[k], x, i, strategy, F, elite)
        variation.redraw(rng, u[k], box)
        if strategy != CURRENT_TO_RAND:  # that one takes all coordinates
            variation.binomial(rng, u[k], x[i], CR, True, chance)
    around_best(rng, u[-1], x, settings[1, 0])
    variation.redraw(rng, u[-1], box)
    return u


@block
def donor(
    rng: RandomState, v: FloatArray, x: FloatArray, i: int, strategy: int, F: float, elite: IntArray
) -> None:
    """Set v to the donor of member i by a strategy; better members are partners more often."""
    n = x.shape[0]
    r1 = by_rank(rng, n, i, i)
    r2 = by_rank(rng, n, i, r1)
    r3 = random.integer_except(rng, n, i, r1, r2)
    if strategy == RAND:
        variation.base_and_difference(v, x[r1], x[r2], x[r3], F)
    elif strategy == CURRENT_TO_RAND:
        variation.to_pbest(v, x[i], x[r1], x[r2], x[r3], random.uniform(rng), F)
    else:
        size = elite[0] + random.integer(rng, elite[1] - elite[0] + 1)
        variation.to_pbest(v, x[i], x[random.integer(rng, size)], x[r1], x[r2], F, F)


@block
def by_rank(rng: RandomState, n: int, x1: int, x2: int) -> int:
    """Draw a rank other than two; the i-th best is taken with probability (n - i) / n."""
    drawn = random.integer_except(rng, n, x1, x2, x2)
    while random.uniform(rng) >= (n - 1.0 - drawn) / n:
        drawn = random.integer_except(rng, n, x1, x2, x2)
    return drawn


@block
def around_best(rng: RandomState, v: FloatArray, x: FloatArray, F: float) -> None:
    """Set v to the local search's trial, x_best + F (x_r1 - x_r2) + F (x_r3 - x_r4)."""
    n = x.shape[0]
    r1 = random.integer_except(rng, n, 0, 0, 0)
    r2 = random.integer_except(rng, n, 0, r1, r1)
    r3 = random.integer_except(rng, n, 0, r1, r2)
    r4 = random.integer_except(rng, n, 0, r1, r2)
    while r4 == r3:
        r4 = random.integer_except(rng, n, 0, r1, r2)
    for j in range(v.size):
        v[j] = x[0, j] + F * (x[r1, j] - x[r2, j] + x[r3, j] - x[r4, j])


@kernel
def top_candidates(
    f: FloatArray,
    v: FloatArray,
    new_f: FloatArray,
    new_v: FloatArray,
    n_top: int,
    level: float,
    wins: FloatArray,
) -> IntArray:
    """Return the best trial of each target of the top; count those better than their targets."""
    best = np.arange(n_top)
    for i in range(n_top):
        for k in range(n_top + i, STRATEGIES * n_top, n_top):
            if better(new_f[k], new_v[k], new_f[best[i]], new_v[best[i]], level):
                best[i] = k
        if better(new_f[best[i]], new_v[best[i]], f[i], v[i], level):
            wins[best[i] // n_top] += 1.0
    return best


ALGORITHMS = {
    "ude": Algorithm("ude", "UDE", UDEConfig, search=search),
}
