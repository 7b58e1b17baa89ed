"""Random numbers: xoshiro256** in a uint64[4] array, and the draws that the algorithms need.

| symbol | meaning |
|---|---|
| U(0,1) | uniform on [0, 1) |
| N(m, s) | normal with mean m and deviation s |
| C(m, s) | Cauchy with location m and scale s |
"""

import math

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.jit.kernels import block, routine

RandomState = NDArray[np.uint64]

_TO_UNIT = 2.0**-53


def seed_state(seed: int) -> RandomState:
    """Return the generator's state for an integer seed (any size, not negative)."""
    return np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)


@block
def advanced(
    s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the next 64 bits (Blackman and Vigna's xoshiro256**) and the state after them."""
    five = s1 * np.uint64(5)
    result = ((five << np.uint64(7)) | (five >> np.uint64(57))) * np.uint64(9)
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return result, s0, s1, s2, s3


@block
def next_bits(rng: RandomState) -> np.uint64:
    """Return the next 64 bits."""
    bits, rng[0], rng[1], rng[2], rng[3] = advanced(rng[0], rng[1], rng[2], rng[3])
    return bits


@block
def uniform(rng: RandomState) -> float:
    """Draw from U(0, 1)."""
    return np.float64(next_bits(rng) >> np.uint64(11)) * _TO_UNIT


@block
def uniforms(rng: RandomState, out: FloatArray) -> None:
    """Fill `out` as `uniform` would; it takes half as long, as the state stays in registers."""
    s0, s1, s2, s3 = rng[0], rng[1], rng[2], rng[3]
    for j in range(out.size):
        bits, s0, s1, s2, s3 = advanced(s0, s1, s2, s3)
        out[j] = np.float64(bits >> np.uint64(11)) * _TO_UNIT
    rng[0], rng[1], rng[2], rng[3] = s0, s1, s2, s3


@block
def integer(rng: RandomState, count: int) -> int:
    """Draw an integer from 0..count-1; 53 bits leave a bias below count / 2^53."""
    return int(uniform(rng) * count)


@block
def integer_except(rng: RandomState, count: int, x1: int, x2: int, x3: int) -> int:
    """Draw an integer from 0..count-1 other than three, which may coincide."""
    value = integer(rng, count)
    while value == x1 or value == x2 or value == x3:
        value = integer(rng, count)
    return value


@block
def normal(rng: RandomState, mean: float, deviation: float) -> float:
    """Draw from N(mean, deviation), by Marsaglia's polar method."""
    while True:
        a = 2.0 * uniform(rng) - 1.0
        b = 2.0 * uniform(rng) - 1.0
        square = a * a + b * b
        if 0.0 < square < 1.0:
            return mean + deviation * a * math.sqrt(-2.0 * math.log(square) / square)


@block
def cauchy(rng: RandomState, location: float, scale: float) -> float:
    """Draw from C(location, scale): the slope of a random direction."""
    while True:
        a = 2.0 * uniform(rng) - 1.0
        b = 2.0 * uniform(rng) - 1.0
        if a * a + b * b < 1.0 and a != 0.0:
            return location + scale * b / a


@block
def normal_in_unit(rng: RandomState, mean: float, deviation: float) -> float:
    """Draw from N(mean, deviation), redrawn until in [0, 1]."""
    value = normal(rng, mean, deviation)
    while value < 0.0 or value > 1.0:
        value = normal(rng, mean, deviation)
    return value


@block
def cauchy_in_unit(rng: RandomState, location: float, scale: float) -> float:
    """Draw from C(location, scale), redrawn until in [0, 1]."""
    value = cauchy(rng, location, scale)
    while value < 0.0 or value > 1.0:
        value = cauchy(rng, location, scale)
    return value


@block
def normal_clipped(rng: RandomState, mean: float, deviation: float) -> float:
    """Draw from N(mean, deviation), clipped to [0, 1]."""
    return min(1.0, max(0.0, normal(rng, mean, deviation)))


@block
def exponential_rank(rng: RandomState, pressure: float, tail: float, count: int) -> int:
    """Draw a rank i in 0..count-1 with weight exp(-pressure i / count), by the inverse of its CDF.

    With r = exp(-pressure / count) the CDF is (1 - r^(i+1)) / (1 - r^count); the caller keeps
    ``tail = 1 - exp(-pressure)``, which does not change.
    """
    rank = int(-math.log(1.0 - uniform(rng) * tail) * count / pressure)
    return min(rank, count - 1)


@block
def linear_rank(rng: RandomState, total: int, count: int) -> int:
    """Draw a rank i in 0..count-1 with weight total - i, by the inverse of its CDF.

    The first i + 1 weights sum to (i + 1)(2 total - i) / 2; the rank is the first i whose sum
    exceeds u times the whole sum.
    """
    target = uniform(rng) * count * (2 * total - count + 1)  # twice the partial sum
    b = 2.0 * total + 1.0
    rank = int((b - math.sqrt(b * b - 4.0 * target)) / 2.0)
    if rank > 0 and rank * (2.0 * total - rank + 1.0) > target:  # undo a rounding of the root
        rank -= 1
    elif (rank + 1) * (2.0 * total - rank) <= target:
        rank += 1
    return min(rank, count - 1)


@routine
def uniform_point(rng: RandomState, box: FloatArray, x: FloatArray) -> None:
    """Fill `x` with a uniform point of the box (rows: lower, upper)."""
    for j in range(x.shape[0]):
        x[j] = min(box[1, j], box[0, j] + uniform(rng) * (box[1, j] - box[0, j]))
