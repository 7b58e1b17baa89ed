"""Draws, donors and replacement of EA4eig's four algorithms: CoBiDE, IDEbd, CMA-ES and jSO."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import draws, variation
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.jso import Limits, parameters, to_pbest_w
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


@kernel
def cobide_parameters(rng: RandomState, n: int, centres: FloatArray, scale: float) -> FloatArray:
    """Draw CoBiDE's F and CR of n members, one row each, around one of two centres each."""
    own = np.empty((2, n))
    for i in range(n):
        f = -1.0
        while f < 0.0:
            f = random.cauchy(rng, centres[random.integer(rng, 2)], scale)
        cr = random.cauchy(rng, centres[2 + random.integer(rng, 2)], scale)
        own[0, i], own[1, i] = min(1.0, f), min(1.0, max(0.0, cr))
    return own


@kernel
def cobide_donors(rng: RandomState, x: FloatArray, box: FloatArray, f: FloatArray) -> FloatArray:
    """Return CoBiDE's donors x_r1 + F (x_r2 - x_r3), reflected into the box."""
    n = x.shape[0]
    donors = np.empty_like(x)
    for i in range(n):
        r1, r2, r3 = draws.partners(rng, i, n, n)
        variation.base_and_difference(donors[i], x[r1], x[r2], x[r3], f[i])
        variation.mirror(donors[i], box)
    return donors


@kernel
def cross_by_rank(
    rng: RandomState, v: FloatArray, x: FloatArray, box: FloatArray, sigma: float
) -> None:
    """Cross sorted members' donors with IDE's CR, N(rank / n, sigma) in [0, 1], and repair."""
    n = x.shape[0]
    for i in range(n):
        variation.binomial(rng, v[i], x[i], random.normal_in_unit(rng, (i + 1.0) / n, sigma), True)
        variation.redraw(rng, v[i], box)


@kernel
def ide_donors(
    rng: RandomState,
    x: FloatArray,
    box: FloatArray,
    ps: float,
    pd: float,
    sigma: float,
    first: bool,
) -> FloatArray:
    """Return IDE's donors of sorted members: base + F (x_r1 - x_o) + F (x_r2 - x_r3).

    In the first stage o is the member itself, later a random one. One that is not superior (among
    the first ps n) takes a superior r1; F is drawn from N(o / n, sigma). Coordinates of x_r3 are
    disturbed at the rate pd.
    """
    n, dim = x.shape
    superior = int(ps * n)
    donors = np.empty((n, dim))
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
            donors[i, j] = x[base, j] + F * (x[r1, j] - x[o, j]) + F * (x[r2, j] - last)
    return donors


@kernel
def jso_donors(
    rng: RandomState,
    x: FloatArray,
    archive: FloatArray,
    elite: IntArray,
    mf: FloatArray,
    mcr: FloatArray,
    limits: Limits,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return jSO's donors, F and CR; the donors may leave the box."""
    n = x.shape[0]
    donors, f, cr = np.empty_like(x), np.empty(n), np.empty(n)
    for i in range(n):
        f[i], cr[i] = parameters(rng, mf, mcr, limits)
        to_pbest_w(rng, donors[i], i, x, archive, elite, f[i], limits)
    return donors, f, cr


@kernel
def replace_worst(
    x: FloatArray,
    f: FloatArray,
    v: FloatArray,
    new_x: FloatArray,
    new_f: FloatArray,
    new_v: FloatArray,
    order: IntArray,
) -> int:
    """Let each trial in turn replace the worst member if it is better; return how many did.

    `order` is that of members and trials together.
    """
    n, rank, successes = f.size, draws.ranks(order), 0
    worst = np.argmax(rank[:n])
    for k in range(new_f.size):
        if rank[n + k] < rank[worst]:
            x[worst], f[worst], v[worst] = new_x[k], new_f[k], new_v[k]
            rank[worst] = rank[n + k]
            worst = np.argmax(rank[:n])
            successes += 1
    return successes
