"""The retreat phase of EBOwithCMAR: a small population by covariance matrix adaptation."""

import math
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import cma, symmetric, variation
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run, Search, order_of
from de2ls.engine import random
from de2ls.engine.members import copy_vector
from de2ls.engine.random import RandomState
from de2ls.jit.kernels import block, kernel, routine

SQRT_PI = math.sqrt(math.pi)
HUGE = 1e25  # a sum of objectives beyond this gives equal weights
FLOOR = 1e-14  # least square of a length, relative to the largest


@dataclass(frozen=True, kw_only=True)
class RetreatConfig(LineageConfig):
    """Parameters of the retreat."""

    n2: int | None = parameter(None, "N2: size of P2; None: 4 + 3 ln D", 3)
    mean_from: float = parameter(
        0.5, "progress from which the retreat's mean is repaired", 0.0, 1.0
    )
    sigma: float = parameter(0.3, "first step size of the retreat, in a box [-100, 100]", 1e-12)
    sigma_polished: float = parameter(1e-5, "its step size after a local search", 1e-15)


@block
def bell(rng: RandomState) -> float:
    """Draw from a symmetric bell on (-2.8, 2.8): the difference of two arcsines."""
    return SQRT_PI * (math.asin(random.uniform(rng)) - math.asin(random.uniform(rng)))


@kernel
def draw(
    rng: RandomState, shape: cma.Shape, sigma: float, parents: FloatArray, box: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return samples, one per parent, and the same repaired.

    Their steps are, by a coin, all from the bell or all from one arcsine. Outside the box stand the
    parents' reflections.
    """
    n, dim = parents.shape
    z, y, inside = np.empty((n, dim)), np.empty((n, dim)), np.empty((n, dim))
    bells = random.uniform(rng) < 0.5
    for i in range(n):
        for j in range(dim):
            z[i, j] = bell(rng) if bells else SQRT_PI * math.asin(2.0 * random.uniform(rng) - 1.0)
    cma.sample(shape, cma.units(box, sigma), z, y)
    for i in range(n):
        copy_vector(y[i], inside[i])
        variation.reflect_parent(inside[i], parents[i], box)
    return y, inside


@kernel
def follow(
    shape: cma.Shape,
    sigma: float,
    box: FloatArray,
    rates: cma.Rates,
    lesson: cma.Lesson,
    samples: FloatArray,
    trials: tuple[FloatArray, FloatArray, FloatArray],
    level: float,
    logs: FloatArray,
    by_f: bool,
    late: bool,
) -> tuple[FloatArray, FloatArray, FloatArray, float, bool]:
    """Sort the trials and learn from their better half.

    Returns x, f, v of P2, the step size, and whether the model is sound. Late in the run the mean
    is repaired by the best point.
    """
    order = order_of(trials[1], trials[2], level)
    x, f, v = trials[0][order], trials[1][order], trials[2][order]
    weights, mean = weights_of(f, logs, by_f), np.empty(x.shape[1])
    steps = samples[order[: logs.size]]
    symmetric.combine(mean, weights, steps)
    if late:
        variation.reflect_parent(mean, x[0], box)
    unit = cma.units(box, sigma)
    sigma = cma.learn(shape, sigma, unit, rates, mean, steps, weights, lesson)
    return x, f, v, sigma, not cma.is_lost(sigma) and cma.decompose(shape, FLOOR)


@routine
def weights_of(f: FloatArray, logs: FloatArray, by_f: bool) -> FloatArray:
    """Return the weights of the better half: the objectives themselves, as in the program.

    Under constraints, and where an objective is not positive, they are logarithms of the rank.
    """
    total, positive = 0.0, by_f
    for i in range(logs.size):
        total += f[i]
        positive = positive and f[i] > 0.0
    if not positive:
        return logs
    weights = np.empty(logs.size)
    for i in range(logs.size):
        weights[i] = f[i] / total if total <= HUGE else 1.0 / logs.size
    return weights


class Retreat:
    """P2, sorted, and the distribution that it follows.

    Parameters
    ----------
    run : Run
        The search.
    pop : Members
        P2 at the start.
    """

    def __init__(self, run: Run[RetreatConfig], pop: Members) -> None:
        self.run, self.pop = run, pop
        dim, n = run.dim, len(pop)
        mu = math.ceil(n / 2)
        logs = math.log(max(mu, dim / 2.0) + 0.5) - np.log(np.arange(1, mu + 1))
        self.logs: FloatArray = logs / logs.sum()
        self.mueff = mueff = cma.effective(self.logs)
        self.cautious = ((1.4 + 2.0 / (dim + 1.0)) * cma.expected(dim)) ** 2 / dim
        cs = (mueff + 2.0) / (dim + mueff + 3.0)
        self.rates = cma.Rates(
            cc=(4.0 + mueff / dim) / (dim + 4.0 + 2.0 * mueff / dim),
            cs=cs,
            c1=2.0 / ((dim + 1.3) ** 2 + mueff),
            cmu=2.0 * (mueff - 2.0 + 1.0 / mueff) / ((dim + 2.0) ** 2 + mueff),
            damps=0.5
            + 0.5 * min(1.0, (0.27 * n / mueff - 1.0) ** 2)
            + 2.0 * max(0.0, math.sqrt((mueff - 1.0) / (dim + 1.0)) - 1.0)
            + cs,
        )
        self.restart(pop, run.config.sigma)

    def restart(self, members: Members, sigma: float) -> None:
        """Let members overwrite the first of P2 and start anew from their centre."""
        self.pop.put(slice(len(members)), members)
        dim = self.run.dim
        lengths, ps, pc = np.empty((3, dim))
        c, axes = np.empty((2, dim, dim))
        self.shape = cma.Shape(self.pop.x.mean(axis=0), lengths, ps, pc, c, axes)
        self.sigma = sigma
        cma.forget(self.shape)

    def best_is_inside(self) -> bool:
        """Whether no coordinate of P2's best stands on a bound."""
        x, (low, high) = self.pop.x[0], self.run.box
        return bool(((x > low) & (x < high)).all())

    def generation(self, g: int, level: float) -> Search:
        """Sample P2 anew and let the distribution follow its better half."""
        run, box = self.run, self.run.box
        y, inside = draw(run.rng, self.shape, self.sigma, self.pop.x, box)
        trials = yield from run.evaluate(inside)
        late = run.progress >= run.config.mean_from
        fading = (1.0 - self.rates.cs) ** (2.0 * g)
        *sorted_trials, self.sigma, sound = follow(
            self.shape,
            self.sigma,
            box,
            self.rates,
            cma.Lesson(self.mueff, fading, self.cautious, compensated=False, limit=1.0),
            y,
            (trials.x, trials.f, trials.v),
            level,
            self.logs,
            run.space.n_ineq + run.space.n_eq == 0,
            late,
        )
        self.pop = Members(*sorted_trials)
        if not sound:
            self.restart(self.pop, run.config.sigma)
