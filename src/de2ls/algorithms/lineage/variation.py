"""Donors, repair and crossover of one trial; rows of the population and of the box."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel

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
def binomial(rng: RandomState, v: FloatArray, x: FloatArray, cr: float, forced: bool) -> None:
    """Keep coordinates of v with probability CR, and x's elsewhere.

    One is always kept; if `forced` is off, only when there would be none.
    """
    always, taken = random.integer(rng, x.size), False
    last = v[always]
    for j in range(x.size):
        take = random.uniform(rng) < cr or (forced and j == always)
        taken = taken or take
        v[j] = v[j] if take else x[j]
    if not taken:
        v[always] = last


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


def basis(points: FloatArray) -> FloatArray:
    """Return the eigenvectors of the points' covariance, one per column."""
    steps = points - points.sum(axis=0) / len(points)
    with one_thread:
        axes: FloatArray = np.linalg.eigh(steps.T @ steps)[1]  # a factor changes none of them
    return axes


def eigen_binomial(
    rng: RandomState,
    v: FloatArray,
    x: FloatArray,
    cr: FloatArray,
    axes: FloatArray,
    forced: bool,
) -> FloatArray:
    """Return rows crossed binomially along the axes; the result may leave the box."""
    with one_thread:
        turned = (v - x) @ axes
        binomial_rows(rng, turned, np.zeros_like(x), cr, forced)
        u: FloatArray = x + turned @ axes.T
    return u


# --- all rows at once, for trials that are made in several steps ----------------------------------


@kernel
def binomial_rows(
    rng: RandomState, v: FloatArray, x: FloatArray, cr: FloatArray, forced: bool
) -> None:
    """Cross each row of v with the same row of x."""
    for i in range(x.shape[0]):
        binomial(rng, v[i], x[i], cr[i], forced)


@kernel
def midpoint_rows(v: FloatArray, x: FloatArray, box: FloatArray) -> None:
    """Repair each row of v by the same row of x."""
    for i in range(x.shape[0]):
        midpoint(v[i], x[i], box)
