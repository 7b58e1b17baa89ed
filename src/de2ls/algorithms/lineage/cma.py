"""Covariance matrix adaptation (N. Hansen, A. Ostermeier, 2001), as three programs use it.

It works in units in which the box is [-100, 100]^D: there the programs state their steps.

| symbol | here | meaning |
|---|---|---|
| m, sigma | `mean`, `sigma` | centre and step size of the distribution |
| C = B D^2 B' | `c`, `axes`, `lengths` | its shape, by its eigenvectors and their lengths |
| ps, pc | `ps`, `pc` | paths of the step size and of the shape |
| w, mueff | `weights`, `mueff` | weights of the parents, and their effective number |
"""

import math
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray

HALF_WIDTH = 100.0
MAX_SIGMA = 1e100  # steps beyond it, and below its inverse, would leave the range of numbers


@dataclass(frozen=True)
class Rates:
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
        self.mean, self.sigma, self.rates = mean, sigma, rates
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
        points: FloatArray = self.mean + self.sigma * ((z * self.lengths) @ self.axes.T) * self.unit
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
        r, dim = self.rates, mean.size
        steps = (points - self.mean) / (self.sigma * self.unit)
        step = self.axes @ (((weights @ steps) @ self.axes) / self.lengths)  # C^(-1/2) times it
        self.ps = (1.0 - r.cs) * self.ps + math.sqrt(r.cs * (2.0 - r.cs) * mueff) * step
        size = float(self.ps @ self.ps)
        moving = size / (1.0 - fading) / dim < cautious
        self.pc *= 1.0 - r.cc
        if moving:
            shift = (mean - self.mean) / (self.sigma * self.unit)
            self.pc += math.sqrt(r.cc * (2.0 - r.cc) * mueff) * shift
        stall = r.c1 * r.cc * (2.0 - r.cc) if self.compensated and not moving else 0.0
        self.c = (
            (1.0 - r.c1 - r.cmu + stall) * self.c
            + r.c1 * np.outer(self.pc, self.pc)
            + r.cmu * (steps.T * weights) @ steps
        )
        growth = min(limit, (math.sqrt(size) / self.chi - 1.0) * r.cs / r.damps)
        self.sigma = min(MAX_SIGMA, max(1.0 / MAX_SIGMA, self.sigma * math.exp(min(growth, 100.0))))
        self.mean = mean

    @property
    def is_lost(self) -> bool:
        """Whether the step size has left all bounds."""
        return not 1.0 / MAX_SIGMA < self.sigma < MAX_SIGMA

    def decompose(self) -> bool:
        """Renew axes and lengths from C; False if C is no longer a shape."""
        self.c = (self.c + self.c.T) / 2.0
        if not np.isfinite(self.c).all():
            return False
        squares, axes = np.linalg.eigh(self.c)
        if self.floor > 0.0 and squares[0] < self.floor * squares[-1]:
            squares = np.maximum(squares, self.floor * squares[-1])
            self.c = (axes * squares) @ axes.T
        if not squares[0] > 0.0:
            return False
        self.axes, self.lengths = axes, np.sqrt(squares)
        return True
