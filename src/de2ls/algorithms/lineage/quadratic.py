"""A small convex quadratic program, by the dual active set of Goldfarb and Idnani (1983).

    minimise d' B d / 2 + g' d   where   C d + c = 0 (the first rows) or >= 0,   low <= d <= high

| symbol | here | meaning |
|---|---|---|
| B = L L' | `inverse` | the inverse of L, with which y = L' d |
| | `y` | the point, where the objective is the distance to -inverse g |
| N = Q' R | `q`, `r` | normals of the active constraints in y: orthonormal rows, triangle |
| u | `u` | their multipliers |
"""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.members import Mask
from de2ls.jit.kernels import routine

ROUNDING = 1e-12  # a constraint is met, or a normal depends on others, up to this part


@routine
def inverse_root(matrix: FloatArray, inverse: FloatArray) -> bool:
    """Set the inverse of L, matrix = L L'; whether the matrix is positive definite."""
    n = matrix.shape[0]
    root = np.zeros((n, n))
    inverse[:, :] = 0.0
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= root[i, k] * root[j, k]
            if j < i:
                root[i, j] = rest / root[j, j]
            elif rest > 0.0:
                root[i, i] = math.sqrt(rest)
            else:
                return False
        inverse[i, i] = 1.0 / root[i, i]
        for k in range(i):
            part = root[i, k] / root[i, i]
            for j in range(k + 1):
                inverse[i, j] -= part * inverse[k, j]
    return True


@routine
def minimum(
    inverse: FloatArray,
    g: FloatArray,
    rows: FloatArray,
    offsets: FloatArray,
    n_eq: int,
    low: FloatArray,
    high: FloatArray,
    d: FloatArray,
    multipliers: FloatArray,
) -> bool:
    """Set the minimiser and the multipliers of the rows; False where nothing meets all of them."""
    n, m = g.size, offsets.size
    y, normals = np.empty(n), np.empty((m + n, n))  # of the rows, then of the coordinates
    for i in range(n):
        y[i] = 0.0
        for j in range(i + 1):
            y[i] -= inverse[i, j] * g[j]
        normals[m + i] = inverse[:, i]
    for k in range(m):
        normals[k] = inverse @ rows[k]
    size = np.sqrt((normals * normals).sum(axis=1))
    active, sign, n_active = np.empty(n, np.int64), np.empty(n), 0
    q, r, u = np.empty((n, n)), np.zeros((n, n)), np.empty(n)
    z, along, change = np.empty(n), np.empty(n), np.empty(n)
    free = np.ones(m + n, np.bool_)
    for _ in range(10 * (n + m)):
        for j in range(n):
            d[j] = 0.0
            for i in range(j, n):
                d[j] += inverse[i, j] * y[i]
        p, side, gap = most_violated(normals, offsets, n_eq, low, high, d, y, size, free)
        if p < 0:
            multipliers[:] = 0.0
            for k in range(n_active):
                if active[k] < m:
                    multipliers[active[k]] = sign[k] * u[k]
            return True
        own = 0.0  # multiplier of p
        while True:
            square = across(q, n_active, normals[p], z, along)
            depends = square <= (ROUNDING * size[p]) ** 2
            back_substitute(r, n_active, along, change)
            least, drop = np.inf, -1
            for k in range(n_active):
                change[k] *= side
                if active[k] >= n_eq and change[k] > 0.0 and u[k] / change[k] < least:
                    least, drop = u[k] / change[k], k
            full = np.inf if depends else gap / square
            step = min(least, full)
            if step == np.inf:
                return False
            for k in range(n_active):
                u[k] -= step * change[k]
            own += step
            if not depends:
                gap -= step * square
                for j in range(n):
                    y[j] += step * side * z[j]
            if full <= least:
                break
            free[active[drop]] = True
            for k in range(drop + 1, n_active):
                active[k - 1], sign[k - 1], u[k - 1] = active[k], sign[k], u[k]
            n_active -= 1
            for k in range(drop, n_active):
                extend(q, r, k, normals[active[k]], sign[k], z, along)
        active[n_active], sign[n_active], u[n_active], free[p] = p, side, own, False
        extend(q, r, n_active, normals[p], side, z, along)
        n_active += 1
    return False


@routine
def most_violated(
    normals: FloatArray,
    offsets: FloatArray,
    n_eq: int,
    low: FloatArray,
    high: FloatArray,
    d: FloatArray,
    y: FloatArray,
    size: FloatArray,
    free: Mask,
) -> tuple[int, float, float]:
    """Return a violated constraint, the side of its normal, and by how much; -1 if there is none.

    Equations come first, then what is farthest away.
    """
    m, length = offsets.size, math.sqrt((y * y).sum())
    found, side, gap, farthest = -1, 1.0, 0.0, 0.0
    for p in range(normals.shape[0]):
        if p == n_eq and found >= 0:
            break
        if not free[p]:
            continue
        if p < m:
            value = offsets[p] + (normals[p] * y).sum()
            scale, where = abs(offsets[p]), 1.0
            if p < n_eq and value > 0.0:
                value, where = -value, -1.0
        elif d[p - m] < low[p - m]:
            value, scale, where = d[p - m] - low[p - m], abs(low[p - m]), 1.0
        else:
            value, scale, where = high[p - m] - d[p - m], abs(high[p - m]), -1.0
        distance = -value / size[p]
        if -value > ROUNDING * (scale + size[p] * length) and distance > farthest:
            found, side, gap, farthest = p, where, -value, distance
    return found, side, gap


@routine
def across(q: FloatArray, count: int, a: FloatArray, z: FloatArray, along: FloatArray) -> float:
    """Split a = z + q' along, z orthogonal to the rows of q; return z' z.

    Done twice, so that z is orthogonal up to rounding.
    """
    z[:] = a
    along[:count] = 0.0
    for _ in range(2):
        for k in range(count):
            part = (q[k] * z).sum()
            along[k] += part
            for j in range(a.size):
                z[j] -= part * q[k, j]
    return float((z * z).sum())


@routine
def back_substitute(r: FloatArray, count: int, b: FloatArray, x: FloatArray) -> None:
    """Set x so that R x = b."""
    for k in range(count - 1, -1, -1):
        rest = b[k]
        for j in range(k + 1, count):
            rest -= r[k, j] * x[j]
        x[k] = rest / r[k, k]


@routine
def extend(
    q: FloatArray,
    r: FloatArray,
    count: int,
    a: FloatArray,
    side: float,
    z: FloatArray,
    along: FloatArray,
) -> None:
    """Add a normal, on its side, to the factors of `count` others."""
    length = math.sqrt(across(q, count, a, z, along))
    for k in range(count):
        r[k, count] = side * along[k]
    r[count, count] = length
    q[count] = side * z / length
