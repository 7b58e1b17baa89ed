"""Parts of EA4eig: draws and donors of CoBiDE and IDEbd, CMA-ES's replacement."""

from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import draws, variation
from de2ls.algorithms.lineage.members import order_of
from de2ls.engine import random
from de2ls.engine.members import write_member
from de2ls.engine.random import RandomState
from de2ls.engine.state import State
from de2ls.jit.kernels import block, routine


@block
def cobide_parameters(rng: RandomState, cfg: Any) -> tuple[float, float]:
    """Draw CoBiDE's F and CR of a member, around one of two centres each."""
    f = -1.0
    while f < 0.0:
        centre = cfg.co_f_1 if random.uniform(rng) < 0.5 else cfg.co_f_2
        f = random.cauchy(rng, centre, cfg.co_scale)
    centre = cfg.co_cr_1 if random.uniform(rng) < 0.5 else cfg.co_cr_2
    cr = random.cauchy(rng, centre, cfg.co_scale)
    return min(1.0, f), min(1.0, max(0.0, cr))


@routine
def cobide_donors(
    rng: RandomState, u: FloatArray, x: FloatArray, box: FloatArray, f: FloatArray
) -> None:
    """Set u to CoBiDE's donors x_r1 + F (x_r2 - x_r3), reflected into the box."""
    n = x.shape[0]
    for i in range(n):
        r1, r2, r3 = draws.partners(rng, i, n, n)
        variation.base_and_difference(u[i], x[r1], x[r2], x[r3], f[i])
        variation.mirror(u[i], box)


@routine
def cross_by_rank(
    rng: RandomState, v: FloatArray, x: FloatArray, box: FloatArray, sigma: float
) -> None:
    """Cross sorted members' donors with IDE's CR, N(rank / n, sigma) in [0, 1], and repair."""
    n, chance = x.shape[0], np.empty(x.shape[1])
    for i in range(n):
        cr = random.normal_in_unit(rng, (i + 1.0) / n, sigma)
        variation.binomial(rng, v[i], x[i], cr, True, chance)
        variation.redraw(rng, v[i], box)


@routine
def ide_donors(
    rng: RandomState,
    u: FloatArray,
    x: FloatArray,
    box: FloatArray,
    ps: float,
    pd: float,
    sigma: float,
    first: bool,
) -> None:
    """Set u to IDE's donors of sorted members: base + F (x_r1 - x_o) + F (x_r2 - x_r3).

    In the first stage o is the member itself, later a random one. One that is not superior (among
    the first ps n) takes a superior r1; F is drawn from N(o / n, sigma). Coordinates of x_r3 are
    disturbed at the rate pd.
    """
    n, dim = x.shape
    superior = int(ps * n)
    for i in range(n):
        o = i if first else random.integer_except(rng, n, i, i, i)
        r1 = random.integer_except(rng, n, i, o, o)
        r2 = random.integer_except(rng, n, i, o, r1)
        r3 = random.integer(rng, n)
        while r3 == i or r3 == o or r3 == r1 or r3 == r2:
            r3 = random.integer(rng, n)
        F = random.normal(rng, (o + 1.0) / n, sigma)
        while not 0.0 < F <= 1.0:
            F = random.normal(rng, (o + 1.0) / n, sigma)
        if o >= superior and r1 >= superior:
            free = min(superior, n) - int(r2 < superior) - int(r3 < superior)
            if i != o and i < superior:
                free -= 1
            r1 = random.integer(rng, max(1, free))
        base = i if not first and random.uniform(rng) < 0.5 else o
        for j in range(dim):
            last = x[r3, j]
            if random.uniform(rng) < pd:
                last = box[0, j] + random.uniform(rng) * (box[1, j] - box[0, j])
            u[i, j] = x[base, j] + F * (x[r1, j] - x[o, j]) + F * (x[r2, j] - last)


@routine
def replace_worst(state: State) -> int:
    """Let each trial in turn replace the worst member if it is better; return how many did."""
    top, front, n = state.top, state.front, state.now[0].n_pop
    f, v = np.empty(2 * n), np.empty(2 * n)
    for i in range(n):
        f[i], v[i], f[n + i], v[n + i] = top[i].f, top[i].v, front[i].f, front[i].v
    rank, successes = draws.ranks(order_of(f, v, state.now[0].eps)), 0
    for k in range(n):
        worst = 0
        for i in range(1, n):
            if rank[i] > rank[worst]:
                worst = i
        if rank[n + k] < rank[worst]:
            rank[worst] = rank[n + k]
            write_member(state, top, worst, state.x[front[k].row], front[k].f, front[k].v)
            successes += 1
    return successes
