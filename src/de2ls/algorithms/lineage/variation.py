"""Donors, repair and crossover of one trial, and of all of them in an eigen basis."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import symmetric
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, routine

# --- donors ---------------------------------------------------------------------------------------


@block
def pooled(x: FloatArray, archive: FloatArray, r: int) -> FloatArray:
    """Return member r, or what the archive holds behind the last member."""
    n = x.shape[0]
    row: FloatArray = x[r] if r < n else archive[r - n]
    return row


@block
def to_pbest(
    v: FloatArray,
    x: FloatArray,
    best: FloatArray,
    plus: FloatArray,
    minus: FloatArray,
    fw: float,
    f: float,
) -> None:
    """Set v = x + Fw (x_pbest - x) + F (x_plus - x_minus)."""
    for j in range(x.size):
        v[j] = x[j] + fw * (best[j] - x[j]) + f * (plus[j] - minus[j])


@block
def joint_step(
    v: FloatArray, x: FloatArray, toward: FloatArray, plus: FloatArray, minus: FloatArray, f: float
) -> None:
    """Set v = x + F (x_toward - x + x_plus - x_minus)."""
    for j in range(x.size):
        v[j] = x[j] + f * (toward[j] - x[j] + plus[j] - minus[j])


@block
def base_and_difference(
    v: FloatArray, base: FloatArray, plus: FloatArray, minus: FloatArray, f: float
) -> None:
    """Set v = x_base + F (x_plus - x_minus)."""
    for j in range(v.size):
        v[j] = base[j] + f * (plus[j] - minus[j])


# --- repair ---------------------------------------------------------------------------------------


@block
def midpoint(v: FloatArray, x: FloatArray, box: FloatArray) -> None:
    """Move a coordinate outside the box half-way between its bound and the parent's."""
    for j in range(v.size):
        if v[j] < box[0, j]:
            v[j] = (box[0, j] + x[j]) / 2.0
        elif v[j] > box[1, j]:
            v[j] = (box[1, j] + x[j]) / 2.0


@block
def redraw(rng: RandomState, v: FloatArray, box: FloatArray) -> None:
    """Draw a coordinate outside the box anew, uniformly."""
    for j in range(v.size):
        if not box[0, j] <= v[j] <= box[1, j]:
            v[j] = min(box[1, j], box[0, j] + random.uniform(rng) * (box[1, j] - box[0, j]))


@block
def mirror(v: FloatArray, box: FloatArray) -> None:
    """Reflect a coordinate at the bounds until it is inside."""
    for j in range(v.size):
        low, high = box[0, j], box[1, j]
        if not low <= v[j] <= high:
            fold = (v[j] - low) % (2.0 * (high - low))
            v[j] = min(high, max(low, low + min(fold, 2.0 * (high - low) - fold)))


@block
def reflect_parent(v: FloatArray, x: FloatArray, box: FloatArray) -> None:
    """Put the parent's reflection at the lower bound, brought back into the box, outside of it.

    It is what two programs put in the place of a coordinate on either side of the box. Parents are
    in the box, so that it is the lower bound.
    """
    for j in range(v.size):
        low, high = box[0, j], box[1, j]
        if not low <= v[j] <= high:
            v[j] = min(high, max(low, 2.0 * low - x[j]))


# --- crossover ------------------------------------------------------------------------------------


@block
def binomial(
    rng: RandomState, v: FloatArray, x: FloatArray, cr: float, forced: bool, chance: FloatArray
) -> None:
    """Keep coordinates of v with probability CR, and x's elsewhere; `chance` is room for D numbers.

    One is always kept; if `forced` is off, only when there would be none.
    """
    always = random.integer(rng, x.size)
    last = v[always]
    random.uniforms(rng, chance)
    for j in range(x.size):
        own, other = v[j], x[j]  # both are read, so that the choice takes no branch
        v[j] = own if chance[j] < cr else other
    if forced or none_below(chance, cr):
        v[always] = last


@block
def none_below(numbers: FloatArray, limit: float) -> bool:
    """Whether no number is below the limit."""
    j = 0
    while j < numbers.size and not numbers[j] < limit:
        j += 1
    return j == numbers.size


@block
def exponential(rng: RandomState, v: FloatArray, x: FloatArray, cr: float, cyclic: bool) -> None:
    """Keep a run of coordinates of v; it ends with probability 1 - CR each, or at the last one."""
    dim = x.size
    start = random.integer(rng, dim)
    room = dim if cyclic else dim - start
    length = 1
    while length < room and random.uniform(rng) < cr:
        length += 1
    for j in range(dim):
        if (j - start if j >= start else j - start + dim) >= length:
            v[j] = x[j]


@routine
def cross_in_basis(
    rng: RandomState, v: FloatArray, x: FloatArray, cr: FloatArray, axes: FloatArray, forced: bool
) -> None:
    """Cross rows binomially along the axes, x + E M E' (v - x); the result may leave the box."""
    n, dim = x.shape
    across, moves, along, chance = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(dim)
    columns = np.ascontiguousarray(axes.T)
    for i in range(n):
        for j in range(dim):
            across[j] = v[i, j] - x[i, j]
        symmetric.combine(along, across, columns)
        symmetric.fill(moves, 0.0)
        binomial(rng, along, moves, cr[i], forced, chance)
        symmetric.combine(moves, along, axes)
        for j in range(dim):
            v[i, j] = x[i, j] + moves[j]


@routine
def nearest(x: FloatArray, best: int, count: int) -> FloatArray:
    """Return the members nearest to the best, which is one of them."""
    distance = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            distance[i] += (x[i, j] - x[best, j]) ** 2
    return x[np.argsort(distance)[:count]]


@routine
def basis(points: FloatArray) -> FloatArray:
    """Return the eigenvectors of the points' covariance, one per row."""
    n, dim = points.shape
    equal, centre, c, axes = np.empty(n), np.empty(dim), np.zeros((dim, dim)), np.eye(dim)
    symmetric.fill(equal, 1.0 / n)
    symmetric.combine(centre, equal, points)
    for i in range(n):
        for j in range(dim):
            points[i, j] -= centre[j]
    symmetric.add_squares(c, 1.0, equal, points)
    symmetric.decompose(c, centre, axes)
    return axes
