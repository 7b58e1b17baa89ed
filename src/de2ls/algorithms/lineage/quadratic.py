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
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, routine

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


class ActiveSet(NamedTuple):
    """Constraints that hold as equations; so many first places of the arrays are in use."""

    n_active: IntArray  # (1,)
    which: IntArray
    side: FloatArray  # of their normals
    u: FloatArray
    q: FloatArray
    r: FloatArray
    free: Mask  # which of all constraints are not active
    z: FloatArray  # step direction of y
    change: FloatArray  # step direction of u, downward
    along: FloatArray  # room for what `across` finds


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
    y, normals = unconstrained(inverse, g), normals_of(inverse, rows)
    size = np.sqrt((normals * normals).sum(axis=1))
    active = empty_set(g.size, size.size)
    for _ in range(10 * size.size):
        set_point(inverse, y, d)
        p, side, gap = most_violated(normals, offsets, n_eq, low, high, d, y, size, active.free)
        if p < 0:
            set_multipliers(active, multipliers)
            return True
        if not activate(active, normals, n_eq, p, side, gap, ROUNDING * size[p], y):
            return False
    return False


@block
def unconstrained(inverse: FloatArray, g: FloatArray) -> FloatArray:
    """Return y of the minimiser without constraints."""
    y = np.zeros(g.size)
    for i in range(g.size):
        for j in range(i + 1):
            y[i] -= inverse[i, j] * g[j]
    return y


@block
def normals_of(inverse: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the normals of the rows, then of the coordinates."""
    m, n = rows.shape
    normals = np.empty((m + n, n))
    for k in range(m):
        normals[k] = inverse @ rows[k]
    for i in range(n):
        normals[m + i] = inverse[:, i]
    return normals


@block
def empty_set(n: int, n_all: int) -> ActiveSet:
    """Return an active set without constraints."""
    return ActiveSet(
        np.zeros(1, np.int64),
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n),
        np.empty((n, n)),
        np.zeros((n, n)),
        np.ones(n_all, np.bool_),
        np.empty(n),
        np.empty(n),
        np.empty(n),
    )


@block
def set_point(inverse: FloatArray, y: FloatArray, d: FloatArray) -> None:
    """Set d of y = L' d."""
    for j in range(y.size):
        d[j] = 0.0
        for i in range(j, y.size):
            d[j] += inverse[i, j] * y[i]


@block
def set_multipliers(active: ActiveSet, multipliers: FloatArray) -> None:
    """Set the multipliers of the rows, 0 where they are not active."""
    multipliers[:] = 0.0
    for k in range(active.n_active[0]):
        if active.which[k] < multipliers.size:
            multipliers[active.which[k]] = active.side[k] * active.u[k]


@block
def activate(
    active: ActiveSet,
    normals: FloatArray,
    n_eq: int,
    p: int,
    side: float,
    gap: float,
    rounding: float,
    y: FloatArray,
) -> bool:
    """Step until constraint p holds, dropping others that hinder, and add it; False if none can."""
    active, normals, y = borrow(active), borrow(normals), borrow(y)
    own = 0.0  # multiplier of p
    while True:
        square = set_directions(active, normals[p], side)
        depends = square <= rounding**2
        partial, hinders = partial_step(active, n_eq)
        full = np.inf if depends else gap / square
        step = min(partial, full)
        if step == np.inf:
            return False
        for k in range(active.n_active[0]):
            active.u[k] -= step * active.change[k]
        own += step
        if not depends:
            gap -= step * square
            for j in range(y.size):
                y[j] += step * side * active.z[j]
        if full <= partial:
            add(active, normals[p], p, side, own)
            return True
        drop(active, normals, hinders)


@block
def set_directions(active: ActiveSet, normal: FloatArray, side: float) -> float:
    """Set the step directions of y, but for the side, and of u; return z' z."""
    square = across(active.q, active.n_active[0], normal, active.z, active.along)
    back_substitute(active.r, active.n_active[0], active.along, active.change)
    for k in range(active.n_active[0]):
        active.change[k] *= side
    return square


@block
def partial_step(active: ActiveSet, n_eq: int) -> tuple[float, int]:
    """Return the length at which the first multiplier of an inequality is 0, and whose it is."""
    least, first = np.inf, -1
    for k in range(active.n_active[0]):
        change = active.change[k]
        if active.which[k] >= n_eq and change > 0.0 and active.u[k] / change < least:
            least, first = active.u[k] / change, k
    return least, first


@block
def add(active: ActiveSet, normal: FloatArray, p: int, side: float, u: float) -> None:
    """Add constraint p to the active set."""
    count = active.n_active[0]
    active.which[count], active.side[count], active.u[count] = p, side, u
    active.free[p] = False
    extend(active.q, active.r, count, normal, side, active.z, active.along)
    active.n_active[0] += 1


@block
def drop(active: ActiveSet, normals: FloatArray, place: int) -> None:
    """Drop a constraint from the active set."""
    which, side, u = active.which, active.side, active.u
    active.free[which[place]] = True
    active.n_active[0] -= 1
    for k in range(place, active.n_active[0]):
        which[k], side[k], u[k] = which[k + 1], side[k + 1], u[k + 1]
        extend(active.q, active.r, k, normals[which[k]], side[k], active.z, active.along)


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
