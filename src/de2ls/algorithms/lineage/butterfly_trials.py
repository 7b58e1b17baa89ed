"""What a trial of EBOwithCMAR's butterflies is made of: F, CR, a partner, and the crossover.

Each trial has a crossover rate for each coordinate: a profile that decays from a random one.

| symbol | here | meaning |
|---|---|---|
| MF, MCR | rows of `memory` | success history |
| MT, Mfreq | rows of `memory` | memories of the profile's decay and of F's frequency |
"""

import math
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import draws
from de2ls.algorithms.lineage.retreat import bell
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block

MF, MCR, MT, MFREQ = 0, 1, 2, 3


@block
def angles_of(cfg: Any, memory: FloatArray, early: bool) -> FloatArray:
    """Return what the draws of F, or early of the frequency, from each slot have in common."""
    angles = np.empty(memory.shape[1])
    for slot in range(angles.size):
        angles[slot] = draws.widest(memory[MFREQ if early else MF, slot], cfg.f_scale)
    return angles


@block
def parameters(
    rng: RandomState, cfg: Any, memory: FloatArray, angles: FloatArray, early: bool
) -> tuple[float, float, float]:
    """Draw F, or early the frequency, CR and the profile's decay of a trial, all from one slot.

    A number is drawn for the frequency and for F, as in the program; one of them is used.
    """
    slot, cr = random.integer(rng, memory.shape[1]), 0.0
    if memory[MCR, slot] >= 0.0:
        cr = min(1.0, max(0.0, memory[MCR, slot] + cfg.cr_scale * bell(rng)))
    for_f = random.uniform(rng)
    decay = min(cfg.t_max, max(0.0, memory[MT, slot] + cfg.t_scale * bell(rng)))
    for_freq = random.uniform(rng)
    chance, location = (for_freq, memory[MFREQ, slot]) if early else (for_f, memory[MF, slot])
    return min(1.0, draws.tail_cauchy(chance, location, cfg.f_scale, angles[slot])), cr, decay


@block
def scheduled(freq: float, schedule: float, g: int) -> float:
    """Return F by the second schedule, or by the first, 1/2 up to rounding, if `schedule` is 0."""
    if schedule == 0.0:
        return 0.5
    return 0.5 + 0.5 * math.tan(2.0 * math.pi * freq * g) * schedule


@block
def best_of(rng: RandomState, count: int, n: int) -> int:
    """Draw the best of `count` different ranks: P(rank > k) = C(n - k - 1, count) / C(n, count)."""
    left, rank = random.uniform(rng), 0
    beyond = (n - count) / n
    while left < beyond:
        rank += 1
        beyond *= (n - count - rank) / (n - rank)
    return rank


@block
def set_profile(profile: FloatArray, rate: float, factor: float) -> None:
    """Set D rates, twice over: they fall by a factor, then rise again as they fell."""
    dim = profile.size // 2
    last = (dim + 1) // 2 * 2 - 1
    for k in range((dim + 1) // 2):
        profile[k] = profile[last - k] = rate
        rate *= factor
    for k in range(dim):
        profile[dim + k] = profile[k]


@block
def cross_by_profile(
    rng: RandomState, v: FloatArray, x: FloatArray, profile: FloatArray, chance: FloatArray
) -> None:
    """Cross with a rate for each coordinate: highest around a random one, lowest opposite.

    `chance` is room for D numbers.
    """
    dim = x.size
    start, always = random.integer(rng, dim), random.integer(rng, dim)
    last, rates = v[always], profile[dim - start :]
    random.uniforms(rng, chance)
    for j in range(dim):
        own, other = v[j], x[j]  # both are read, so that the choice takes no branch
        v[j] = own if chance[j] <= rates[j] else other
    v[always] = last
