"""One generation of each of EA4eig's four algorithms, on one population.

Behind the trials stand the archive, the samples of the last CMA-ES generation, and the model; the
symbols are those of `ea4eig`.
"""

import math
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import cma, generations, individual, jso, symmetric, variation
from de2ls.algorithms.lineage.archive import overwrite, thin
from de2ls.algorithms.lineage.choice import spin
from de2ls.algorithms.lineage.generations import archived, members, model, trials
from de2ls.algorithms.lineage.members import Mask, order_of
from de2ls.algorithms.lineage.memory import TERMINAL, means
from de2ls.algorithms.lineage.sizes import linear, rounded
from de2ls.engine import random
from de2ls.engine.members import copy_vector
from de2ls.engine.state import State
from de2ls.jit.kernels import block, routine

COBIDE, IDE, CMA_ES, JSO = 0, 1, 2, 3
PUBLISHED = 1  # option of `box`

limits_at: Any = block(jso.limits_at)


@block
def samples(state: State) -> FloatArray:
    """Return the rows of the last generation of the CMA-ES, which stand before the model."""
    now = state.now[0]
    first = state.x.shape[0] - cma.n_rows(state.x.shape[1]) - now.n0
    rows: FloatArray = state.x[first : first + now.n_pop]
    return rows


@routine
def first(state: State) -> None:
    """Draw CoBiDE's parameters, and let the CMA-ES begin with the first population."""
    for i in range(state.now[0].n_pop):
        own = state.slot[i]
        own.own_f, own.own_cr = individual.cobide_parameters(state.rng, state.cfg[0])
        copy_vector(members(state)[i], samples(state)[i])
    cma.forget(model(state))


@routine
def sort(state: State, count: int) -> None:
    """Sort the population, CoBiDE's parameters with it, and keep the best."""
    order, slot = generations.ordered(state)[:count], state.slot
    own = np.empty((state.now[0].n_pop, 2))
    for i in range(own.shape[0]):
        own[i, 0], own[i, 1] = slot[i].own_f, slot[i].own_cr
    for place in range(order.size):
        slot[place].own_f, slot[place].own_cr = own[order[place], 0], own[order[place], 1]
    generations.rearrange(state, order)


# --- trials ---------------------------------------------------------------------------------------


@routine
def vary(state: State) -> None:
    """Draw one of the four and make its trials."""
    now, cfg = state.now[0], state.cfg[0]
    now.h = spin(state.rng, state.memory["wins"][:4], cfg.wins, cfg.least)
    if now.h == CMA_ES:
        sort(state, now.n_pop)
        draw_samples(state)
        return
    x, u, rng = members(state), trials(state), state.rng
    if now.h == COBIDE:
        individual.cobide_donors(rng, u, x, state.box, state.slot["own_f"])
    elif now.h == IDE:
        sort(state, now.n_pop)
        ps = cfg.ide_ps + (1.0 - cfg.ide_ps) * 10.0 ** (5.0 * (now.g / now.g_max - 1.0))
        early = now.g <= now.g_turn
        individual.ide_donors(rng, u, x, state.box, ps, cfg.ide_pd * ps, cfg.ide_sigma, early)
    else:
        jso_donors(state)
    cross(state)


@routine
def jso_donors(state: State) -> None:
    """Set the trials to jSO's donors, which may leave the box."""
    now, cfg, x, u = state.now[0], state.cfg[0], members(state), trials(state)
    mf, mcr, old = state.memory["f"][: cfg.h], state.memory["cr"][: cfg.h], archived(state)
    r = now.n / now.budget
    limits, share = limits_at(cfg, r), cfg.p_max + (cfg.p_min - cfg.p_max) * r
    elite = generations.ordered(state)[: max(2, math.ceil(share * now.n_pop))]
    for i in range(now.n_pop):
        f, cr = jso.parameters(state.rng, mf, mcr, limits)
        state.slot[i].f, state.slot[i].cr = f, cr
        jso.to_pbest_w(state.rng, u[i], i, x, old[: now.n_archive], elite, f, limits)


@routine
def cross(state: State) -> None:
    """Cross the donors, by chance in the basis with the members' own CR, and repair them."""
    now, cfg, rng, box = state.now[0], state.cfg[0], state.rng, state.box
    x, u, slot = members(state), trials(state), state.slot
    if random.uniform(rng) < cfg.p_eigen:
        size = max(2, rounded(cfg.eigen_share * now.n_pop))
        axes = variation.basis(generations.gathered(x, generations.ordered(state)[:size]))
        variation.cross_in_basis(rng, u, x, slot["own_cr"], axes, False)
        if now.h == JSO and cfg.box == PUBLISHED:
            return
    elif now.h == IDE:
        individual.cross_by_rank(rng, u, x, box, cfg.ide_sigma)
    else:
        chance = np.empty(x.shape[1])
        for i in range(now.n_pop):
            cr = slot[i].cr if now.h == JSO else slot[i].own_cr
            variation.binomial(rng, u[i], x[i], cr, False, chance)
    for i in range(now.n_pop):
        variation.mirror(u[i], box)


@routine
def draw_samples(state: State) -> None:
    """Set the trials to samples around the weighted mean of the best half."""
    now, shape, u = state.now[0], model(state), trials(state)
    weights, z = cma.log_weights(now.n_pop // 2), np.empty(u.shape)
    symmetric.combine(shape.mean, weights, members(state))
    for i in range(now.n_pop):
        cma.draw(state.rng, z[i])
    cma.sample(shape, cma.units(state.box, now.sigma), z, u)
    for i in range(now.n_pop):
        variation.midpoint(u[i], samples(state)[i], state.box)


# --- selection ------------------------------------------------------------------------------------


@routine
def select(state: State) -> None:
    """Let the trials take members' places by the rules of the one that made them; shrink."""
    now, cfg = state.now[0], state.cfg[0]
    if now.h == CMA_ES:
        successes = adapt(state)
    else:
        gain, _, won, weights, successes = generations.contest(state)
        held = gain >= 0.0
        if now.h == JSO:
            remember(state, won, weights)
        generations.replace(state, held)
        if now.h != JSO:
            successes = int(np.count_nonzero(held))
        if now.h == COBIDE:
            for i in range(now.n_pop):
                if not held[i]:
                    own = state.slot[i]
                    own.own_f, own.own_cr = individual.cobide_parameters(state.rng, cfg)
        elif now.h == IDE:
            end_ide(state, successes)
    state.memory[now.h].wins += successes
    plan = linear(now.n0, cfg.n_min, now.n / now.budget)
    if now.n_pop > plan:
        sort(state, plan)
        capacity = rounded(cfg.archive * plan)
        now.n_archive = thin(state.rng, archived(state), now.n_archive, capacity)


@routine
def end_ide(state: State, successes: int) -> None:
    """End a generation of IDEbd, whose first stage ends early when all trials fail for long."""
    now, cfg = state.now[0], state.cfg[0]
    if now.g < now.g_turn:
        now.fails = now.fails + 1 if successes <= cfg.ide_success * now.n_pop else 0
        if now.fails >= cfg.ide_patience * now.g_max:
            now.g_turn = now.g
    sort(state, now.n_pop)
    now.g += 1


@routine
def adapt(state: State) -> int:
    """Let samples replace the worst and the model learn from the best half; return successes."""
    now, shape = state.now[0], model(state)
    n, dim = now.n_pop, state.x.shape[1]
    u, (f, v) = trials(state), generations.values(state.front, n)
    successes = individual.replace_worst(state)
    for i in range(n):
        copy_vector(u[i], samples(state)[i])
    weights, mean = cma.log_weights(n // 2), np.empty(dim)
    parents = generations.gathered(u, order_of(f, v, now.eps)[: weights.size])
    symmetric.combine(mean, weights, parents)
    rates = cma.Rates(now.cc, now.cs, now.c1, now.cmu, now.damps)
    fading = (1.0 - rates.cs) ** (2.0 * now.n / n)
    lesson = cma.Lesson(cma.effective(weights), fading, 2.0 + 4.0 / (dim + 1), True, 100.0)
    unit = cma.units(state.box, now.sigma)
    now.sigma = cma.learn(shape, now.sigma, unit, rates, mean, parents, weights, lesson)
    if cma.is_lost(now.sigma):
        now.sigma = cma.HALF_WIDTH
    if now.n - now.decomposed > n / (rates.c1 + rates.cmu) / dim / 10.0:
        now.decomposed = now.n
        if not cma.decompose(shape, 0.0):
            cma.forget(shape)
    return successes


@routine
def remember(state: State, won: Mask, weights: FloatArray) -> None:
    """Archive the parents of jSO's successes and learn from these; the last cell is fixed."""
    now, cfg, n = state.now[0], state.cfg[0], state.now[0].n_pop
    capacity = rounded(cfg.archive * n)
    now.n_archive = overwrite(
        state.rng, archived(state), now.n_archive, members(state), won, capacity
    )
    total, f, cr = means(weights, state.slot["f"][:n], state.slot["cr"][:n], False)
    if total > 0.0:
        cell = state.memory[now.k]
        cell.f += (1.0 - cfg.keep) * (f - cell.f)
        cell.cr += (1.0 - cfg.keep) * ((cr if cr != 0.0 else TERMINAL) - cell.cr)
        now.k = (now.k + 1) % max(1, cfg.h - 1)
