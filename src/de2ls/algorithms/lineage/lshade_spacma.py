"""LSHADE-SPACMA (A. W. Mohamed, A. A. Hadi, A. M. Fattouh, K. M. Jambi, CEC 2017).

L-SHADE whose donors come from current-to-pbest/1 (class 1) or from a model of the population by
covariance matrix adaptation (class 2). In the first half F is drawn blindly.

| symbol | here | meaning |
|---|---|---|
| MF, MCR | `memory.f`, `memory.cr` | success history |
| MC | `memory.share` | memory of the share of class 1 |
| A | rows from `archive_row` on | archive |
| m, sigma, C | `model`, `now.sigma` | the model; unsound when its shape is lost |
"""

from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import archive, cma, draws, generations, symmetric, variation
from de2ls.algorithms.lineage.generations import archived, members, model, trials
from de2ls.algorithms.lineage.memory import LSHADEConfig, cell_after, means
from de2ls.algorithms.lineage.sizes import linear, rounded
from de2ls.engine import random
from de2ls.engine.state import Candidate, State
from de2ls.jit.kernels import kernel, routine
from de2ls.problems.problem import Problem

FIELDS = [("sound", "i8")]  # whether the model has a shape
CELL = np.dtype([*generations.CELL, ("share", "f8")])
SLOT = [("first", "i8")]  # whether the trial is of class 1


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


def start(problem: Problem, config: SPACMAConfig, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    cells = np.zeros(config.h, CELL)
    cells["f"], cells["cr"], cells["share"] = config.mf, config.mcr, config.mc
    state = generations.start(
        problem,
        config,
        seed,
        budget,
        cells,
        fields=FIELDS,
        slot=SLOT,
        sigma=config.sigma,
    )
    now = state.now[0]
    now["sound"] = 1
    cma.set_rates(now, problem.dim, now["n0"] / 2.0)
    return state


@routine
def first(state: State) -> None:
    """Let the model start near the box's centre."""
    shape, box = model(state), state.box
    cma.forget(shape)
    for j in range(shape.mean.size):
        part = (100.0 + random.uniform(state.rng)) / 200.0
        shape.mean[j] = box[0, j] + (box[1, j] - box[0, j]) * part


@routine
def vary(state: State) -> None:
    """Make trials: x + F (x_pbest - x + x_r1 - z) for class 1, a sample for class 2, crossed."""
    now, cfg, rng, box = state.now[0], state.cfg[0], state.rng, state.box
    x, u, n = members(state), trials(state), now.n_pop
    old, shape = archived(state)[: now.n_archive], model(state)
    elite = generations.ordered(state)[: max(rounded(cfg.p * n), 2)]
    unit, z, chance = cma.units(box, now.sigma), np.empty((1, x.shape[1])), np.empty(x.shape[1])
    blind = now.n <= cfg.blind_until * now.budget
    for i in range(n):
        cell, trial = state.memory[random.integer(rng, cfg.h)], state.slot[i]
        trial.cr = draws.clipped_normal(rng, cell.cr, cfg.cr_sigma)
        if blind:
            trial.f = min(1.0, cfg.f_blind + cfg.f_width * random.uniform(rng))
        else:
            trial.f = min(1.0, draws.positive_cauchy(rng, cell.f, cfg.f_scale))
        trial.first = not now.sound or cell.share >= random.uniform(rng)
        if trial.first:
            pbest = elite[random.integer(rng, elite.size)]
            r1, r2, _ = draws.partners(rng, i, n, n + now.n_archive)
            last = variation.pooled(x, old, r2)
            variation.joint_step(u[i], x[i], x[pbest], x[r1], last, trial.f)
        else:
            cma.draw(rng, z[0])
            cma.sample(shape, unit, z, u[i : i + 1])
        variation.midpoint(u[i], x[i], box)
        variation.binomial(rng, u[i], x[i], trial.cr, True, chance)


@routine
def select(state: State) -> None:
    """Let better trials take their parents' places; learn from them, shrink, renew the model."""
    now, cfg, rng = state.now[0], state.cfg[0], state.rng
    n = now.n_pop
    _, _, won, weights, n_won = generations.contest(state)
    old = archived(state)
    now.n_archive = archive.append_new(old, now.n_archive, members(state), won)
    now.n_archive = archive.thin(rng, old, now.n_archive, rounded(cfg.archive * n))
    if n_won > 0:
        learn(state, weights)
    generations.replace(state, won)
    plan = linear(now.n0, cfg.n_min, now.n / now.budget)
    if n > plan:
        generations.keep_best(state, plan)
        now.n_archive = archive.thin(rng, old, now.n_archive, rounded(cfg.archive * plan))
    if now.sound:
        follow(state)


@routine
def learn(state: State, weights: FloatArray) -> None:
    """Write the means of the successes' F and CR, and the part that class 1 has of the gains."""
    now, cfg, slot = state.now[0], state.cfg[0], state.slot[: weights.size]
    total, f, cr = means(weights, slot["f"], slot["cr"], False)
    if total == 0.0:
        return
    cell = state.memory[now.k]
    cell.f, cell.cr = f, cell_after(cell.cr, cr)
    if now.sound:
        by_first = 0.0
        for i in range(weights.size):
            by_first += weights[i] * slot[i].first
        share = cfg.mc_keep * cell.share + (1.0 - cfg.mc_keep) * by_first
        cell.share = min(1.0 - cfg.mc_min, max(cfg.mc_min, share))
    now.k = (now.k + 1) % cfg.h


@routine
def follow(state: State) -> None:
    """Let the model learn from the best half of the population."""
    now, shape = state.now[0], model(state)
    n, dim = now.n_pop, state.x.shape[1]
    rates = cma.Rates(now.cc, now.cs, now.c1, now.cmu, now.damps)
    weights = cma.log_weights(n / 2.0)
    order = generations.ordered(state)[: weights.size]
    parents = generations.gathered(state.x, order)
    fading = (1.0 - rates.cs) ** (2.0 * now.n / n)
    lesson = cma.Lesson(cma.effective(weights), fading, 2.0 + 4.0 / (dim + 1), True, 100.0)
    mean = np.empty(dim)
    symmetric.combine(mean, weights, parents)
    unit = cma.units(state.box, now.sigma)
    now.sigma = cma.learn(shape, now.sigma, unit, rates, mean, parents, weights, lesson)
    if now.n - now.decomposed > n / (rates.c1 + rates.cmu) / dim / 10.0:
        now.decomposed = now.n
        now.sound = cma.decompose(shape, 0.0)


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return generations.generation_turn(state, cand, action, first, select, vary)


ALGORITHMS = {
    "lshade-spacma": Algorithm("lshade-spacma", "LSHADE-SPACMA", SPACMAConfig, start, step),
}
