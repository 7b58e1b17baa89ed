"""Covariance matrix adaptation (N. Hansen, A. Ostermeier, 2001), as three programs use it.

It works in units in which the box is [-100, 100]^D: there the programs state their steps.

| symbol | here | meaning |
|---|---|---|
| m, sigma | `mean`, `sigma` | centre and step size of the distribution |
| C = B D^2 B' | `c`, `axes`, `lengths` | its shape, by its eigenvectors and their lengths |
| ps, pc | `ps`, `pc` | paths of the step size and of the shape |
| w, mueff | `weights`, `mueff` | weights of the parents, and their effective number |
| chi | `chi` | expected length of a standard normal vector |
"""

import math
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls._threads import one_thread
from de2ls.jit.kernels import kernel

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


def log_weights(mu: float, count: int | None = None) -> FloatArray:
    """Return the weights ln(mu + 1/2) - ln i of the `count` (or mu) best, summing to 1."""
    number = int(mu) if count is None else count
    weights = math.log(mu + 0.5) - np.log(np.arange(1, number + 1))
    return np.asarray(weights / weights.sum())


def effective(weights: FloatArray) -> float:
    """Return mueff, the effective number of parents."""
    return float(weights.sum() ** 2 / (weights @ weights))


class Shape(NamedTuple):
    """The arrays of a distribution; learning changes them in place."""

    mean: FloatArray
    c: FloatArray
    axes: FloatArray
    lengths: FloatArray
    ps: FloatArray
    pc: FloatArray


class Lesson(NamedTuple):
    """What is learned from: see `CMA.learn`."""

    mean: FloatArray
    points: FloatArray
    weights: FloatArray
    mueff: float
    fading: float
    cautious: float


class CMA:
    """A normal distribution that follows the successful steps.

    Parameters
    ----------
    box : ndarray, shape (2, D)
        Lower and upper bounds.
    mean : ndarray, shape (D,)
        Where it starts.
    sigma : float
        First step size, in a box [-100, 100]^D.
    rates : Rates
        How fast it learns.
    compensated : bool
        Whether C is kept larger while its path stalls.
    floor : float
        Least square of a length, relative to the largest; without it a lost shape is reported.
    """

    def __init__(
        self,
        box: FloatArray,
        mean: FloatArray,
        sigma: float,
        rates: Rates,
        *,
        compensated: bool = True,
        floor: float = 0.0,
    ) -> None:
        self.unit = (box[1] - box[0]) / (2.0 * HALF_WIDTH)
        dim = mean.size
        self.mean, self.sigma, self.rates = mean.copy(), sigma, rates
        self.compensated, self.floor = compensated, floor
        self.forget()
        self.chi = math.sqrt(dim) * (1.0 - 1.0 / (4.0 * dim) + 1.0 / (21.0 * dim * dim))

    def forget(self) -> None:
        """Start again with a round shape and without paths."""
        dim = self.mean.size
        self.c, self.axes, self.lengths = np.eye(dim), np.eye(dim), np.ones(dim)
        self.ps, self.pc = np.zeros(dim), np.zeros(dim)

    def sample(self, z: FloatArray) -> FloatArray:
        """Return points m + sigma B D z of standard normal rows z."""
        with one_thread:
            steps = (z * self.lengths) @ self.axes.T
        points: FloatArray = self.mean + self.sigma * steps * self.unit
        return points

    def learn(
        self,
        mean: FloatArray,
        points: FloatArray,
        weights: FloatArray,
        mueff: float,
        fading: float,
        cautious: float,
        limit: float = math.inf,
    ) -> None:
        """Move to `mean` and learn from the best points, weighted, as steps from the old mean.

        `fading` is (1 - cs)^(2 generations), what is left of the first ps; the shape's path stalls
        while |ps|^2 / (1 - fading) / D is `cautious` or more. `limit` bounds ln sigma's growth.
        """
        with one_thread:
            self.sigma = _learn(
                Shape(self.mean, self.c, self.axes, self.lengths, self.ps, self.pc),
                self.sigma * self.unit,
                self.rates,
                Lesson(mean, points, weights, mueff, fading, cautious),
                self.compensated,
                self.sigma,
                self.chi,
                min(limit, 100.0),
            )

    @property
    def is_lost(self) -> bool:
        """Whether the step size has left all bounds."""
        return not 1.0 / MAX_SIGMA < self.sigma < MAX_SIGMA

    def decompose(self) -> bool:
        """Renew axes and lengths from C; False if C is no longer a shape."""
        self.c = (self.c + self.c.T) / 2.0
        if not np.isfinite(self.c).all():
            return False
        with one_thread:
            squares, axes = np.linalg.eigh(self.c)
        if self.floor > 0.0 and squares[0] < self.floor * squares[-1]:
            squares = np.maximum(squares, self.floor * squares[-1])
            self.c = (axes * squares) @ axes.T
        if not squares[0] > 0.0:
            return False
        self.axes, self.lengths = axes, np.sqrt(squares)
        return True


@kernel
def _learn(
    shape: Shape,
    unit: FloatArray,
    r: Rates,
    lesson: Lesson,
    compensated: bool,
    sigma: float,
    chi: float,
    limit: float,
) -> float:
    """Change the distribution and return its new step size; `unit`: that of a step."""
    dim, mueff = shape.mean.size, lesson.mueff
    steps = (lesson.points - shape.mean) / unit
    weighted = steps * lesson.weights.reshape(-1, 1)
    turned = (weighted.sum(axis=0) @ shape.axes) / shape.lengths
    step = shape.axes @ turned  # C^(-1/2) times the mean step
    shape.ps[:] = (1.0 - r.cs) * shape.ps + math.sqrt(r.cs * (2.0 - r.cs) * mueff) * step
    size = shape.ps @ shape.ps
    moving = size / (1.0 - lesson.fading) / dim < lesson.cautious
    shape.pc[:] *= 1.0 - r.cc
    if moving:
        pull = math.sqrt(r.cc * (2.0 - r.cc) * mueff)
        shape.pc[:] += pull * (lesson.mean - shape.mean) / unit
    stall = r.c1 * r.cc * (2.0 - r.cc) if compensated and not moving else 0.0
    shape.c[:] *= 1.0 - r.c1 - r.cmu + stall
    shape.c[:] += r.cmu * (steps.T @ weighted)
    for j in range(dim):
        for k in range(dim):
            shape.c[j, k] += r.c1 * shape.pc[j] * shape.pc[k]
    shape.mean[:] = lesson.mean
    growth = min(limit, (math.sqrt(size) / chi - 1.0) * r.cs / r.damps)
    return min(MAX_SIGMA, max(1.0 / MAX_SIGMA, sigma * math.exp(growth)))
