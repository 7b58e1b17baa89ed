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
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import LineageConfig, Mask, Members, Run, Search, contest
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel

STRATEGIES = 3  # rand/1/bin, current-to-rand/1, current-to-pbest/1/bin


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
    top = np.repeat(np.arange(STRATEGIES), n_top)  # strategies of the top targets' trials
    target = np.concatenate((np.tile(np.arange(n_top), STRATEGIES), np.arange(n_top, n)))
    rest = np.arange(STRATEGIES * n_top, target.size + 1)  # trials of the others, and of the best
    share = np.full(STRATEGIES, 1.0 / STRATEGIES)
    wins, trials_of = np.zeros(STRATEGIES), 0
    generation = 0
    while True:
        generation += 1
        level = run.level
        pop = pop.sorted(level)
        bottom = np.searchsorted(np.cumsum(share)[:-1], rng.random(n - n_top))
        strategy = np.concatenate((top, bottom))
        x = np.concatenate((trials_by(run, pop.x, target, strategy), around_best(run, pop.x)))
        trials = penalised((yield from run.evaluate(x)), config)
        best, won = top_candidates(pop, trials, n_top, level)
        wins += np.bincount(strategy[best[won]], minlength=STRATEGIES)
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


def trials_by(
    run: Run[UDEConfig], x: FloatArray, target: IntArray, strategy: IntArray
) -> FloatArray:
    """Return one trial per target by its strategy, with one of the two settings, repaired."""
    c, n = run.config, len(target)
    second = run.numpy_rng.random(n) < 0.5
    f, cr = np.where(second, c.f_2, c.f_1), np.where(second, c.cr_2, c.cr_1)
    cr[strategy == 1] = 1.0  # current-to-rand/1 takes all coordinates
    elite = np.array([max(1.0, c.p_min * len(x)), max(1.0, c.p_max * len(x))])
    donors = variation.redraw(run.rng, _donors(run.rng, x, target, strategy, f, elite), run.box)
    return variation.binomial(run.rng, x[target], donors, cr, True)


@kernel
def _donors(
    rng: RandomState,
    x: FloatArray,
    target: IntArray,
    strategy: IntArray,
    f: FloatArray,
    elite: FloatArray,
) -> FloatArray:
    donors = np.empty((target.size, x.shape[1]))
    for k in range(target.size):
        i, F = target[k], f[k]
        r1 = _by_rank(rng, x.shape[0], i, i)
        r2 = _by_rank(rng, x.shape[0], i, r1)
        r3 = random.integer_except(rng, x.shape[0], i, r1, r2)
        if strategy[k] == 0:
            donors[k] = x[r1] + F * (x[r2] - x[r3])
        elif strategy[k] == 1:
            donors[k] = x[i] + random.uniform(rng) * (x[r1] - x[i]) + F * (x[r2] - x[r3])
        else:
            least = int(elite[0])
            size = least + random.integer(rng, int(elite[1]) - least + 1)
            donors[k] = x[i] + F * (x[random.integer(rng, size)] - x[i]) + F * (x[r1] - x[r2])
    return donors


@block
def _by_rank(rng: RandomState, n: int, x1: int, x2: int) -> int:
    """Draw a rank other than two; the i-th best is taken with probability (n - i) / n."""
    drawn = random.integer_except(rng, n, x1, x2, x2)
    while random.uniform(rng) >= (n - 1.0 - drawn) / n:
        drawn = random.integer_except(rng, n, x1, x2, x2)
    return drawn


def around_best(run: Run[UDEConfig], x: FloatArray) -> FloatArray:
    """Return the local search's trial, x_best + F (x_r1 - x_r2) + F (x_r3 - x_r4)."""
    r1, r2, r3, r4 = 1 + run.numpy_rng.permutation(len(x) - 1)[:4]
    trial = x[:1] + run.config.f_2 * (x[r1] - x[r2] + x[r3] - x[r4])
    return variation.redraw(run.rng, trial, run.box)


def top_candidates(
    pop: Members, trials: Members, n_top: int, level: float
) -> tuple[IntArray, Mask]:
    """Return the best trial of each target of the top, and whether it is better than the target."""
    order = trials[: STRATEGIES * n_top].order(level)
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    best = rank.reshape(STRATEGIES, n_top).argmin(axis=0) * n_top + np.arange(n_top)
    return best, contest(pop[:n_top], trials[best], level).won


ALGORITHMS = {
    "ude": Algorithm("ude", "UDE", UDEConfig, search=search),
}
