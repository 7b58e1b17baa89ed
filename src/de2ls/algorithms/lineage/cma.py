"""Covariance matrix adaptation (N. Hansen, A. Ostermeier, 2001), as three programs use it.

It works in units in which the box is [-100, 100]^D: there the programs state their steps.

| symbol | here | meaning |
|---|---|---|
| m, sigma | `mean`, `sigma` | centre and step size of the distribution |
| C = B D^2 B' | `c`, `axes`, `lengths` | its shape, by its eigenvectors (rows) and their lengths |
| ps, pc | `ps`, `pc` | paths of the step size and of the shape |
| w, mueff | `weights`, `mueff` | weights of the parents, and their effective number |
| chi | `chi` | expected length of a standard normal vector |
"""

import math
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import symmetric
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel, routine

HALF_WIDTH = 100.0
MAX_SIGMA = 1e100  # steps beyond it, and below its inverse, would leave the range of numbers


class Rates(NamedTuple):
    """Learning rates: cc and cs of the paths, c1 and cmu of the shape, damping of the step."""

    cc: float
    cs: float
    c1: float
    cmu: float
    damps: float

    @classmethod
    def of(cls, dim: int, mueff: float) -> "Rates":
        """Return the rates of the textbook program, which SPACMA and EA4eig start from."""
        c1 = 2.0 / ((dim + 1.3) ** 2 + mueff)
        cs = (mueff + 2.0) / (dim + mueff + 5.0)
        return cls(
            cc=(4.0 + mueff / dim) / (dim + 4.0 + 2.0 * mueff / dim),
            cs=cs,
            c1=c1,
            cmu=min(1.0 - c1, 2.0 * (mueff - 2.0 + 1.0 / mueff) / ((dim + 2.0) ** 2 + mueff)),
            damps=1.0 + 2.0 * max(0.0, math.sqrt((mueff - 1.0) / (dim + 1.0)) - 1.0) + cs,
        )


@kernel
def log_weights(mu: float) -> FloatArray:
    """Return the weights ln(mu + 1/2) - ln i of the int(mu) best, summing to 1."""
    weights, total = np.empty(int(mu)), 0.0
    for i in range(weights.size):
        weights[i] = math.log(mu + 0.5) - math.log(i + 1.0)
        total += weights[i]
    for i in range(weights.size):
        weights[i] /= total
    return weights


@kernel
def effective(weights: FloatArray) -> float:
    """Return mueff, the effective number of parents, of weights that sum to 1."""
    squares = 0.0
    for weight in weights:
        squares += weight * weight
    return 1.0 / squares


@kernel
def expected(dim: int) -> float:
    """Return chi."""
    return math.sqrt(dim) * (1.0 - 1.0 / (4.0 * dim) + 1.0 / (21.0 * dim * dim))


class Lesson(NamedTuple):
    """How a distribution learns from a generation.

    `fading` is (1 - cs)^(2 generations), what is left of the first ps; the shape's path stalls
    while |ps|^2 / (1 - fading) / D is `cautious` or more. C is kept larger meanwhile if it is
    `compensated`. `limit` bounds ln sigma's growth.
    """

    mueff: float
    fading: float
    cautious: float
    compensated: bool
    limit: float


class Shape(NamedTuple):
    """The arrays of a distribution; learning changes them in place."""

    mean: FloatArray
    lengths: FloatArray
    ps: FloatArray
    pc: FloatArray
    c: FloatArray
    axes: FloatArray


FIELDS = [  # what a state keeps of a model beside its shape
    ("sigma", "f8"),
    ("decomposed", "i8"),  # evaluations at the last decomposition
    *((name, "f8") for name in Rates._fields),
]


def set_rates(now: Any, dim: int, mu: float) -> None:
    """Set the rates of a model with so many parents."""
    for name, rate in Rates.of(dim, effective(log_weights(mu)))._asdict().items():
        now[name] = rate


@kernel
def n_rows(dim: int) -> int:
    """Return how many rows of length D hold a shape."""
    return 4 + 2 * dim


@kernel
def units(box: FloatArray, sigma: float) -> FloatArray:
    """Return what a step of sigma is in each coordinate."""
    unit = np.empty(box.shape[1])
    for j in range(unit.size):
        unit[j] = sigma * (box[1, j] - box[0, j]) / (2.0 * HALF_WIDTH)
    return unit


@block
def shape_in(x: FloatArray, first: int) -> Shape:
    """Return the shape that rows of x hold, from row `first` on."""
    dim, c = x.shape[1], first + 4
    axes = c + dim
    return Shape(
        x[first], x[first + 1], x[first + 2], x[first + 3], x[c:axes], x[axes : axes + dim]
    )


@kernel
def forget(shape: Shape) -> None:
    """Make the shape round and its paths empty."""
    for j in range(shape.mean.size):
        shape.ps[j] = shape.pc[j] = 0.0
        shape.lengths[j] = 1.0
        for k in range(shape.mean.size):
            shape.c[j, k] = shape.axes[j, k] = 1.0 if j == k else 0.0


@block
def draw(rng: RandomState, z: FloatArray) -> None:
    """Fill a row with standard normal numbers, by pairs of the polar method."""
    for j in range(0, z.size, 2):
        square, a, b = 0.0, 0.0, 0.0
        while not 0.0 < square < 1.0:
            a, b = 2.0 * random.uniform(rng) - 1.0, 2.0 * random.uniform(rng) - 1.0
            square = a * a + b * b
        factor = math.sqrt(-2.0 * math.log(square) / square)
        z[j] = factor * a
        if j + 1 < z.size:
            z[j + 1] = factor * b


@kernel
def sample(shape: Shape, unit: FloatArray, z: FloatArray, y: FloatArray) -> None:
    """Set rows y = m + sigma B D z, D z in the place of z; `unit`: of a step, sigma in it."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            z[i, k] *= shape.lengths[k]
        symmetric.combine(y[i], z[i], shape.axes)
        for j in range(y.shape[1]):
            y[i, j] = shape.mean[j] + unit[j] * y[i, j]


@kernel
def learn(
    shape: Shape,
    sigma: float,
    unit: FloatArray,
    r: Rates,
    mean: FloatArray,
    points: FloatArray,
    weights: FloatArray,
    lesson: Lesson,
) -> float:
    """Move to `mean`, learn from points as steps from the old mean; return the new step size.

    `unit` is that of a step, sigma in it. The points become these steps.
    """
    dim, steps = shape.mean.size, points
    for i in range(weights.size):
        for j in range(dim):
            steps[i, j] = (points[i, j] - shape.mean[j]) / unit[j]
    turned = whitened(shape, weights, steps)
    pull, size = math.sqrt(r.cs * (2.0 - r.cs) * lesson.mueff), 0.0
    for j in range(dim):
        shape.ps[j] = (1.0 - r.cs) * shape.ps[j] + pull * turned[j]
        size += shape.ps[j] * shape.ps[j]
    moving = size / (1.0 - lesson.fading) / dim < lesson.cautious
    pull = math.sqrt(r.cc * (2.0 - r.cc) * lesson.mueff) if moving else 0.0
    for j in range(dim):
        shape.pc[j] = (1.0 - r.cc) * shape.pc[j] + pull * (mean[j] - shape.mean[j]) / unit[j]
        shape.mean[j] = mean[j]
    stall = r.c1 * r.cc * (2.0 - r.cc) if lesson.compensated and not moving else 0.0
    symmetric.scale(shape.c, 1.0 - r.c1 - r.cmu + stall)
    symmetric.add_square(shape.c, r.c1, shape.pc)
    symmetric.add_squares(shape.c, r.cmu, weights, steps)
    growth = min(lesson.limit, (math.sqrt(size) / expected(dim) - 1.0) * r.cs / r.damps)
    return min(MAX_SIGMA, max(1.0 / MAX_SIGMA, sigma * math.exp(growth)))


@routine
def whitened(shape: Shape, weights: FloatArray, steps: FloatArray) -> FloatArray:
    """Return C^(-1/2) times the weighted mean of the steps."""
    dim = steps.shape[1]
    step, turned = np.empty(dim), np.zeros(dim)
    symmetric.combine(step, weights, steps)
    for k in range(step.size):
        along = 0.0
        for j in range(step.size):
            along += shape.axes[k, j] * step[j]
        along /= shape.lengths[k]
        for j in range(step.size):
            turned[j] += along * shape.axes[k, j]
    return turned


@kernel
def decompose(shape: Shape, floor: float) -> bool:
    """Renew axes and lengths from C; False if C is no longer a shape.

    With a floor, squares of lengths are at least this part of the largest.
    """
    squares = np.empty(shape.lengths.size)
    if not symmetric.decompose(shape.c, squares, shape.axes):
        return False
    least = floor * squares.max()
    if floor > 0.0 and squares.min() < least:
        for k in range(squares.size):
            squares[k] = max(squares[k], least)
        symmetric.scale(shape.c, 0.0)
        symmetric.add_squares(shape.c, 1.0, squares, shape.axes)
    if not squares.min() > 0.0:
        return False
    for k in range(squares.size):
        shape.lengths[k] = math.sqrt(squares[k])
    return True


@block
def is_lost(sigma: float) -> bool:
    """Whether the step size has left all bounds."""
    return not 1.0 / MAX_SIGMA < sigma < MAX_SIGMA
