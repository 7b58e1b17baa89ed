"""Compiled functions of both contests: one kernel that follows the numbers in `params`.

`params` holds the optimum and the number of parts, then every part with the same length: its
factor, bias, 2 D width^2 and number of pieces; for `MOST_PIECES` pieces the basic function, the
first and last coordinate and the offset; the shift o; the linear map column by column, where there
is one. The map holds everything that is linear: rotation, shuffling, rates, and the roots of the
weights of squares. `work` holds y, z and the vectors of `cec2017.parts` for one piece.
"""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.jit.kernels import block, kernel, routine
from de2ls.suites.cec2017.parts import (
    N_VECTORS,
    ackley,
    griewank,
    moved,
    own_vector,
    place,
    rastrigin,
    rosenbrock,
    squares,
    turn_waves_of,
    waves_of,
)
from de2ls.suites.cec_bound.definitions import Basic

ZERO = 1e-8  # an error below this counts as 0
MOST_PIECES = 6  # of a part
PIECES = 4  # where they begin in a part
HEAD = PIECES + 4 * MOST_PIECES  # numbers of a part before its shift
AT_SHIFT = 1e99  # the weight of a part at its shift
WORK = 2 + N_VECTORS  # vectors of length D


@routine
def zakharov(z: FloatArray) -> float:
    """Sum of z_i^2, plus s^2 + s^4 with s = sum i z_i / 2."""
    s = 0.0
    for i in range(z.shape[0]):
        s += 0.5 * (i + 1.0) * z[i]
    return squares(z) + s * s + s * s * s * s


@routine
def schaffer_7(z: FloatArray, work: FloatArray) -> float:
    """Square of the mean of sqrt(r) (1 + sin^2(50 r^0.2)), r the lengths of neighbours' pairs."""
    n = len(z) - 1
    angles = own_vector(work, z.shape[0])[:n]
    for i in range(n):
        angles[i] = (z[i] * z[i] + z[i + 1] * z[i + 1]) ** 0.1
    sines, _ = waves_of(angles, 50.0, work)
    total = 0.0
    for i in range(n):
        root = math.sqrt(math.sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]))
        total += root + root * sines[i] * sines[i]
    mean = total / n
    return mean * mean


@routine
def lunacek(u: FloatArray, z: FloatArray, work: FloatArray) -> float:
    """Lunacek's two bowls in u, with the waves of Rastrigin's function in z."""
    n = len(z)
    _, cosines = turn_waves_of(z, 1.0, work)
    s = 1.0 - 1.0 / (2.0 * math.sqrt(n + 20.0) - 8.2)
    way = 2.5 + math.sqrt((2.5 * 2.5 - 1.0) / s)  # from one bowl to the other
    other = 0.0
    for i in range(n):
        other += (u[i] + way) * (u[i] + way)
    waved: float = 10.0 * (n - cosines.sum())
    return min(squares(u), n + s * other) + waved


@routine
def levy(z: FloatArray, work: FloatArray) -> float:
    """Levy's function of w = 1 + z / 4."""
    n = len(z)
    sines, _ = waves_of(z, 0.25 * math.pi, work)  # sin pi w = -sin(pi z / 4)
    total: float = sines[0] * sines[0]
    w = own_vector(work, n)
    for i in range(n):
        w[i] = math.pi * (1.0 + 0.25 * z[i]) + 1.0
    w[n - 1] = 0.5 * math.pi * z[n - 1]  # the sine of 2 pi w
    sines, _ = waves_of(w, 1.0, work)
    for i in range(n):
        steep = (10.0 if i < n - 1 else 1.0) * sines[i] * sines[i]
        total += 0.0625 * z[i] * z[i] * (1.0 + steep)
    return total


@routine
def schwefel(z: FloatArray, work: FloatArray) -> float:
    """Schwefel's function, folded back beyond 500 with a penalty (the contests' variant)."""
    n = len(z)
    roots = own_vector(work, n)
    total = 0.0
    for i in range(n):
        size = abs(z[i])
        if size > 500.0:
            away = (size - 500.0) / 100.0
            total += away * away / n
            size = 500.0 - size % 500.0
        roots[i] = math.sqrt(size)
    sines, _ = waves_of(roots, 1.0, work)
    for i in range(n):
        total -= math.copysign(roots[i] * roots[i], z[i]) * sines[i]
    return total + 4.189828872724338e2 * n


@routine
def weierstrass(z: FloatArray, work: FloatArray) -> float:
    """Sum over k <= 20 of 2^-k cos(2 pi 3^k z_i), plus its depth at z_i = 1/2."""
    total = 0.0
    turns, weight, depth = 1.0, 1.0, 0.0
    for _ in range(21):
        _, cosines = turn_waves_of(z, turns, work)
        total += weight * cosines.sum()
        depth += weight
        turns *= 3.0
        weight *= 0.5
    return total + len(z) * depth


@routine
def katsuura(z: FloatArray, work: FloatArray) -> float:
    """Product of 1 + i times the distances of 2^j z_i, j <= 32, to whole numbers, over 2^j."""
    n = len(z)
    distances = own_vector(work, n)
    distances[:] = 0.0
    power = 2.0
    for _ in range(32):
        for i in range(n):
            scaled = power * z[i]
            distances[i] += abs(scaled - np.floor(scaled + 0.5)) / power
        power *= 2.0
    product = 1.0
    for i in range(n):
        product *= 1.0 + (i + 1.0) * distances[i]
    return (math.pow(product, 10.0 / n**1.2) - 1.0) * 10.0 / (n * n)


@routine
def happy_cat(z: FloatArray) -> float:
    """HappyCat: |Q - n|^(1/4) + (Q / 2 + s) / n + 1/2, s the sum, Q that of squares."""
    n, Q = len(z), squares(z)
    s: float = z.sum()
    return math.sqrt(math.sqrt(abs(Q - n))) + (0.5 * Q + s) / n + 0.5


@routine
def hg_bat(z: FloatArray) -> float:
    """HGBat: |Q^2 - s^2|^(1/2) + (Q / 2 + s) / n + 1/2, s the sum, Q that of squares."""
    n, Q = len(z), squares(z)
    s: float = z.sum()
    return math.sqrt(abs(Q * Q - s * s)) + (0.5 * Q + s) / n + 0.5


@routine
def griewank_rosenbrock(z: FloatArray, work: FloatArray) -> float:
    """Griewank's function of Rosenbrock's, summed over the ring of neighbours."""
    n = len(z)
    valleys = own_vector(work, n)
    for i in range(n):
        valley, away = z[i] * z[i] - z[i + 1 - n], z[i] - 1.0
        valleys[i] = 100.0 * valley * valley + away * away
    _, cosines = waves_of(valleys, 1.0, work)
    waved: float = n - cosines.sum()
    return squares(valleys) / 4000.0 + waved


@routine
def schaffer_6(z: FloatArray, work: FloatArray) -> float:
    """Schaffer's function of two variables, summed over the ring of neighbours."""
    n = len(z)
    radii = own_vector(work, n)
    for i in range(n):
        radii[i] = math.sqrt(z[i] * z[i] + z[i + 1 - n] * z[i + 1 - n])
    sines, _ = waves_of(radii, 1.0, work)
    total = 0.0
    for i in range(n):
        damping = 1.0 + 0.001 * radii[i] * radii[i]
        total += 0.5 + (sines[i] * sines[i] - 0.5) / (damping * damping)
    return total


@routine
def basic(kind: int, z: FloatArray, work: FloatArray) -> float:
    """Return the value of a basic function."""
    if kind == Basic.SQUARES:
        return squares(z)
    if kind == Basic.ZAKHAROV:
        return zakharov(z)
    if kind == Basic.ROSENBROCK:
        return rosenbrock(z)
    if kind == Basic.RASTRIGIN:
        _, cosines = turn_waves_of(z, 1.0, work)
        return rastrigin(z, cosines)
    if kind == Basic.SCHAFFER_7:
        return schaffer_7(z, work)
    if kind == Basic.LUNACEK:
        return lunacek(z, z, work)
    if kind == Basic.LEVY:
        return levy(z, work)
    if kind == Basic.SCHWEFEL:
        return schwefel(z, work)
    if kind == Basic.ACKLEY:
        _, cosines = turn_waves_of(z, 1.0, work)
        return ackley(z, cosines)
    if kind == Basic.WEIERSTRASS:
        return weierstrass(z, work)
    if kind == Basic.GRIEWANK:
        return griewank(z, work)
    if kind == Basic.KATSUURA:
        return katsuura(z, work)
    if kind == Basic.HAPPY_CAT:
        return happy_cat(z)
    if kind == Basic.HG_BAT:
        return hg_bat(z)
    if kind == Basic.GRIEWANK_ROSENBROCK:
        return griewank_rosenbrock(z, work)
    return schaffer_6(z, work)


@routine
def value(part: FloatArray, x: FloatArray, work: FloatArray) -> float:
    """Return the sum of a part's pieces; y = x - o stays at the front of `work`."""
    D = x.shape[0]
    z = moved(x, part[HEAD:], work)
    total = 0.0
    for k in range(int(part[3])):
        piece = part[PIECES + 4 * k : PIECES + 4 * (k + 1)]
        coordinates = z[int(piece[1]) : int(piece[2])]
        for i in range(coordinates.shape[0]):
            coordinates[i] += piece[3]
        total += basic(int(piece[0]), coordinates, work[2 * D :])
    return total


@block
def nearness(Q: float, spread: float) -> float:
    """Return the weight of a part at the squared distance Q."""
    return math.exp(-Q / spread) / math.sqrt(Q) if Q > 0.0 else AT_SHIFT


@block
def with_optimum(error: float, optimum: float) -> float:
    """Return the objective; an error below 1e-8 counts as 0."""
    f = error + optimum
    return optimum if f - optimum < ZERO else f


@kernel
def mixed(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """Mean of the parts, weighted by their distances to x; one part counts by itself."""
    D, n_parts = x.shape[0], int(params[1])
    length = (params.shape[0] - 2) // n_parts
    values, weighted, weights = 0.0, 0.0, 0.0
    for k in range(n_parts):
        part = params[2 + k * length : 2 + (k + 1) * length]
        f = part[0] * value(part, x, work) + part[1]
        values += f
        if n_parts > 1:
            weight = nearness(squares(place(work, D, 0)), part[2])
            weighted += weight * f
            weights += weight
    error = weighted / weights if weights > 0.0 else values / n_parts
    out[0] = with_optimum(error, params[0])


@kernel
def turned_lunacek(x: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray) -> None:
    """F7 of 2017: the bowls are not rotated, the waves are."""
    D, o = x.shape[0], params[2 + HEAD : 2 + HEAD + x.shape[0]]
    z = moved(x, params[2 + HEAD :], work)
    u = place(work, D, 0)
    for i in range(D):
        u[i] *= -0.2 if o[i] < 0.0 else 0.2
    out[0] = with_optimum(lunacek(u, z, work[2 * D :]), params[0])
