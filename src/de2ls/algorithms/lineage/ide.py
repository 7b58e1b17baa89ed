"""Draws and donors of the individual-dependent algorithms in EA4eig: CoBiDE and IDEbd."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import kernel


@kernel
def cobide_parameters(rng: RandomState, n: int, centres: FloatArray, scale: float) -> FloatArray:
    """Draw CoBiDE's F and CR of n members, one row each, around one of two centres each."""
    own = np.empty((n, 2))
    for i in range(n):
        f = -1.0
        while f < 0.0:
            f = random.cauchy(rng, centres[random.integer(rng, 2)], scale)
        cr = random.cauchy(rng, centres[2 + random.integer(rng, 2)], scale)
        own[i, 0], own[i, 1] = min(1.0, f), min(1.0, max(0.0, cr))
    return own


@kernel
def rank_rates(rng: RandomState, n: int, sigma: float) -> FloatArray:
    """Draw IDE's CR of n sorted members: N(rank / n, sigma) in [0, 1]."""
    rates = np.empty(n)
    for i in range(n):
        rates[i] = random.normal_in_unit(rng, (i + 1.0) / n, sigma)
    return rates


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
