"""The retreat phase of EBOwithCMAR: a small population by covariance matrix adaptation."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import cma, symmetric, variation
from de2ls.algorithms.lineage.members import (
    Best,
    LineageConfig,
    Members,
    Run,
    Search,
    order_of,
    take_better,
)
from de2ls.algorithms.lineage.population import Population
from de2ls.engine import random
from de2ls.engine.members import copy_vector
from de2ls.engine.random import RandomState
from de2ls.engine.state import Fields
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, kernel, ready, routine

SQRT_PI = math.sqrt(math.pi)
HUGE = 1e25  # a sum of objectives beyond this gives equal weights
FIELDS: Fields = [("sigma", "f8")]  # what P2 has beside it: the step size
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


class State(NamedTuple):
    """All that compiled code works with."""

    rng: RandomState
    box: FloatArray
    pop: Population  # P2, sorted
    best: Best
    shape: cma.Shape
    logs: FloatArray  # weights by the logarithm of the rank
    samples: FloatArray  # (N2, D) trials before their repair


@kernel
def draw(state: State) -> FloatArray:
    """Draw samples, one per member; return them repaired.

    Their steps are, by a coin, all from the bell or all from one arcsine. Outside the box stand the
    members' reflections.
    """
    s = borrow(state)
    rng, box, x, u, y = s.rng, s.box, s.pop.x, s.pop.u, s.samples
    z = np.empty_like(y)
    bells = random.uniform(rng) < 0.5
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            z[i, j] = bell(rng) if bells else SQRT_PI * math.asin(2.0 * random.uniform(rng) - 1.0)
    cma.sample(s.shape, cma.units(box, s.pop.now[0].sigma), z, y)
    for i in range(u.shape[0]):
        copy_vector(y[i], u[i])
        variation.reflect_parent(u[i], x[i], box)
    return state.pop.u


@kernel
def follow(
    state: State,
    rates: cma.Rates,
    lesson: cma.Lesson,
    level: float,
    f: FloatArray,
    v: FloatArray,
    by_f: bool,
    late: bool,
) -> bool:
    """Let the trials be P2, sorted, and learn from its better half; whether the model is sound.

    Late in the run the mean is repaired by the best point.
    """
    s = borrow(state)
    pop, now, box, logs = s.pop, s.pop.now[0], s.box, s.logs
    order = order_of(f, v, level)
    pop.x[:], pop.f[:], pop.v[:] = pop.u[order], f[order], v[order]
    take_better(s.best, pop.x, pop.f, pop.v)
    weights, mean = weights_of(pop.f, logs, by_f), np.empty(pop.x.shape[1])
    steps = s.samples[order[: logs.size]]
    symmetric.combine(mean, weights, steps)
    if late:
        variation.reflect_parent(mean, pop.x[0], box)
    unit = cma.units(box, now.sigma)
    now.sigma = cma.learn(s.shape, now.sigma, unit, rates, mean, steps, weights, lesson)
    return not cma.is_lost(now.sigma) and cma.decompose(s.shape, FLOOR)


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
    first : Members
        P2 at the start, sorted.
    best : Best
        The best of all points, which is kept up to date.
    """

    def __init__(self, run: Run[RetreatConfig], first: Members, best: Best) -> None:
        self.run = run
        dim, n = run.dim, len(first)
        mu = math.ceil(n / 2)
        logs = math.log(max(mu, dim / 2.0) + 0.5) - np.log(np.arange(1, mu + 1))
        logs /= logs.sum()
        self.mueff = mueff = cma.effective(logs)
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
        shape = cma.Shape(*np.empty((4, dim)), *np.empty((2, dim, dim)))
        self.pop = Population.of(first, 0, FIELDS)
        self.state = State(run.rng, run.box, self.pop, best, shape, logs, np.empty((n, dim)))
        self._draw = ready(draw, self.state)
        self._follow = ready(
            follow, self.state, self.rates, self.lesson(1), 0.0, first.f, first.v, True, True
        )
        self.restart(first, run.config.sigma)

    def restart(self, members: Members, sigma: float) -> None:
        """Let members overwrite the first of P2 and start anew from their centre."""
        self.pop.members.put(slice(len(members)), members)
        self.pop.now["sigma"] = sigma
        self.state.shape.mean[:] = self.pop.x.mean(axis=0)
        cma.forget(self.state.shape)

    def best_is_inside(self) -> bool:
        """Whether no coordinate of P2's best stands on a bound."""
        x, (low, high) = self.pop.x[0], self.run.box
        return bool(((x > low) & (x < high)).all())

    def lesson(self, g: int) -> cma.Lesson:
        """Return how the distribution learns in generation g."""
        fading = (1.0 - self.rates.cs) ** (2.0 * g)
        return cma.Lesson(self.mueff, fading, self.cautious, compensated=False, limit=1.0)

    def generation(self, g: int, level: float) -> Search:
        """Sample P2 anew and let the distribution follow its better half."""
        run, c = self.run, self.run.config
        u = self._draw(self.state)
        y = yield u
        run.t += len(u)
        by_f, late = run.space.n_ineq + run.space.n_eq == 0, run.progress >= c.mean_from
        if not self._follow(self.state, self.rates, self.lesson(g), level, y.f, y.v, by_f, late):
            self.restart(self.pop.members, c.sigma)
