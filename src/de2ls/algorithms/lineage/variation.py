"""Repair and crossover of all trials at once."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel

# --- repair ---------------------------------------------------------------------------------------


@kernel
def midpoint(v: FloatArray, x: FloatArray, box: FloatArray) -> FloatArray:
    """Move a coordinate outside the box half-way between its bound and the parent's."""
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            if v[i, j] < box[0, j]:
                v[i, j] = (box[0, j] + x[i, j]) / 2.0
            elif v[i, j] > box[1, j]:
                v[i, j] = (box[1, j] + x[i, j]) / 2.0
    return v


@kernel
def redraw(rng: RandomState, v: FloatArray, box: FloatArray) -> FloatArray:
    """Draw a coordinate outside the box anew, uniformly."""
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            if not box[0, j] <= v[i, j] <= box[1, j]:
                v[i, j] = box[0, j] + random.uniform(rng) * (box[1, j] - box[0, j])
    return v


@kernel
def mirror(v: FloatArray, box: FloatArray) -> FloatArray:
    """Reflect a coordinate at the bounds until it is inside."""
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            low, high = box[0, j], box[1, j]
            if not low <= v[i, j] <= high:
                fold = (v[i, j] - low) % (2.0 * (high - low))
                v[i, j] = min(high, max(low, low + min(fold, 2.0 * (high - low) - fold)))
    return v


def reflected_parent(x: FloatArray, box: FloatArray) -> FloatArray:
    """Return the parents reflected at the lower bound and brought back into the box.

    It is what two programs put in the place of a coordinate on either side of the box. Parents are
    in the box, so that it is the lower bound.
    """
    reflected: FloatArray = np.clip(2.0 * box[0] - x, box[0], box[1])
    return reflected


# --- donors ---------------------------------------------------------------------------------------


@block
def pooled(x: FloatArray, archive: FloatArray, r: int) -> FloatArray:
    """Return member r, or what the archive holds behind the last member."""
    n = x.shape[0]
    row: FloatArray = x[r] if r < n else archive[r - n]
    return row


@kernel
def to_pbest(
    x: FloatArray,
    archive: FloatArray,
    partners: tuple[IntArray, IntArray, IntArray],
    fw: FloatArray,
    f: FloatArray,
) -> FloatArray:
    """Return x + Fw (x_pbest - x) + F (x_r1 - z) of the partners pbest, r1 and r2 (that of z)."""
    pbest, r1, r2 = partners
    v = np.empty_like(x)
    for i in range(x.shape[0]):
        best, first, z = x[pbest[i]], x[r1[i]], pooled(x, archive, r2[i])
        for j in range(x.shape[1]):
            v[i, j] = x[i, j] + fw[i] * (best[j] - x[i, j]) + f[i] * (first[j] - z[j])
    return v


@kernel
def base_and_difference(x: FloatArray, three: IntArray, f: FloatArray) -> FloatArray:
    """Return x_a + F (x_b - x_c) of three members a, b, c for each, one row of `three` each."""
    v = np.empty_like(x)
    for i in range(x.shape[0]):
        a, b, c = x[three[0, i]], x[three[1, i]], x[three[2, i]]
        for j in range(x.shape[1]):
            v[i, j] = a[j] + f[i] * (b[j] - c[j])
    return v


@kernel
def joint_step(
    x: FloatArray, archive: FloatArray, partners: tuple[IntArray, IntArray, IntArray], f: FloatArray
) -> FloatArray:
    """Return x + F (x_a - x + x_b - z) of the partners a, b and r2 (that of z)."""
    a, b, r2 = partners
    v = np.empty_like(x)
    for i in range(x.shape[0]):
        toward, plus, z = x[a[i]], x[b[i]], pooled(x, archive, r2[i])
        for j in range(x.shape[1]):
            v[i, j] = x[i, j] + f[i] * (toward[j] - x[i, j] + plus[j] - z[j])
    return v


# --- crossover ------------------------------------------------------------------------------------


@kernel
def binomial(
    rng: RandomState, x: FloatArray, v: FloatArray, cr: FloatArray, forced: bool
) -> FloatArray:
    """Take coordinates of v with probability CR; one always, or if `forced` is off at least one."""
    n, dim = x.shape
    u = np.empty((n, dim))
    for i in range(n):
        always, taken = random.integer(rng, dim), False
        for j in range(dim):
            take = random.uniform(rng) < cr[i] or (forced and j == always)
            taken = taken or take
            u[i, j] = v[i, j] if take else x[i, j]
        if not taken:
            u[i, always] = v[i, always]
    return u


@kernel
def exponential(
    rng: RandomState, x: FloatArray, v: FloatArray, cr: FloatArray, cyclic: bool
) -> FloatArray:
    """Take a run of coordinates of v; it ends with probability 1 - CR each, or at the last one."""
    n, dim = x.shape
    u = x.copy()
    for i in range(n):
        start = random.integer(rng, dim)
        room = dim if cyclic else dim - start
        length = 1
        while length < room and random.uniform(rng) < cr[i]:
            length += 1
        for k in range(start, start + length):
            u[i, k % dim] = v[i, k % dim]
    return u


def basis(points: FloatArray) -> FloatArray:
    """Return the eigenvectors of the points' covariance, one per column."""
    axes: FloatArray = np.linalg.eigh(np.cov(points, rowvar=False))[1]
    return axes


def eigen_binomial(
    rng: RandomState,
    x: FloatArray,
    v: FloatArray,
    cr: FloatArray,
    axes: FloatArray,
    forced: bool,
) -> FloatArray:
    """Cross binomially in the coordinates along the axes; the result may leave the box."""
    u: FloatArray = binomial(rng, x @ axes, v @ axes, cr, forced) @ axes.T
    return u
