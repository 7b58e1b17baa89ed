"""The butterflies of EBOwithCMAR: a population by two operators of differential evolution.

`butterfly_trials` draws what a trial needs and crosses it.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| MF, MCR, MT, Mfreq | rows of `memory` | memories of F, CR, the profile's decay, F's frequency |
| q | `q` | probabilities of the two operators |
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, sizes, variation
from de2ls.algorithms.lineage.archive import thin
from de2ls.algorithms.lineage.butterfly_trials import (
    MCR,
    MF,
    MFREQ,
    MT,
    angles_of,
    best_of,
    cross_by_profile,
    parameters,
    scheduled,
    set_profile,
)
from de2ls.algorithms.lineage.choice import by_chance, set_chances
from de2ls.algorithms.lineage.contest import compare, relative
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Best, LineageConfig, Members, Run, Search, take_better
from de2ls.algorithms.lineage.memory import cell_after, lehmer
from de2ls.algorithms.lineage.population import (
    Population,
    archived,
    in_use,
    mingle,
    replace,
    sort,
)
from de2ls.algorithms.lineage.sizes import rounded
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.engine.state import Records
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, kernel, ready, records


@dataclass(frozen=True, kw_only=True)
class ButterflyConfig(LineageConfig):
    """Parameters of the butterflies."""

    n0_per_dim: float = parameter(18.0, "size of P1 at the start, per dimension", 1.0)
    g_max: int | None = parameter(None, "Gmax; None: what the reduction allows", 1)
    h: int = parameter(6, "H: memory cells", 1)
    mf: float = parameter(0.7, "MF: initial memory of F", 0.0, 1.0)
    mcr: float = parameter(0.5, "MCR: initial memory of CR", 0.0, 1.0)
    mt: float = parameter(0.1, "MT: initial memory of the profile's decay", 0.0, 0.5)
    mfreq: float = parameter(0.5, "Mfreq: initial memory of the frequency", 0.0, 1.0)
    f_scale: float = parameter(0.1, "scale of the Cauchy distributions of F and frequency", 0.0)
    cr_scale: float = parameter(0.1, "scale of CR's bell", 0.0)
    t_scale: float = parameter(0.05, "scale of the bell of the profile's decay", 0.0)
    t_max: float = parameter(0.5, "largest decay", 0.0)
    schedule_until: float = parameter(0.5, "progress up to which F follows a tangent", 0.0, 1.0)
    p: float = parameter(0.1, "p: share of the elite when P1 is small", 0.0, 1.0)
    archive: float = parameter(2.6, "archive size per member", 0.0)
    q_min: float = parameter(0.1, "least q of an operator; the largest is 1 minus it", 0.0, 0.5)

    def default_size(self, dim: int) -> int:
        """Return N1 = 18 D."""
        return int(self.n0_per_dim * dim)


class Butterflies:
    """P1: two operators, a crossover rate for each coordinate, and its memories.

    Parameters
    ----------
    run : Run
        The search.
    first : Members
        P1 at the start, sorted.
    best : Best
        The best of all points, which is kept up to date.
    """

    def __init__(self, run: Run[ButterflyConfig], first: Members, best: Best) -> None:
        c = run.config
        self.run, self.state = run, State.of(run, first, best)
        self.pop = self.state.pop
        self.g_max = c.g_max or sizes.generations(len(first), c.n_min, run.budget)
        self._make = ready(make_trials, self.state, 0.0, True, 0.0, 0)
        self._select = ready(select, self.state, 0.0, first.f, first.v, True)

    def generation(self, g: int, level: float) -> Search:
        """Shrink P1, make a trial of each member, select and learn."""
        run, c = self.run, self.run.config
        early = run.progress <= c.schedule_until
        schedule = g / self.g_max if early and run.numpy_rng.random() >= 0.5 else 0.0
        u = self._make(self.state, run.progress, early, schedule, g)
        y = yield u
        run.t += len(u)
        self._select(self.state, level, y.f, y.v, early)


class State(NamedTuple):
    """All that compiled code works with."""

    rng: RandomState
    box: FloatArray
    cfg: Records
    pop: Population  # P1, sorted
    best: Best
    memory: FloatArray  # (4, H): MF, MCR, MT, Mfreq
    q: FloatArray  # probabilities of the operators
    drawn: FloatArray  # (4, N0): F, CR, T, freq of the trials
    operator: IntArray  # of the trials

    @classmethod
    def of(cls, run: Run[ButterflyConfig], first: Members, best: Best) -> "State":
        """Return the state of a run that begins with these members."""
        c, n0 = run.config, len(first)
        return cls(
            run.rng,
            run.box,
            records(c.as_record()),
            Population.of(first, sizes.rounded(c.archive * n0) + n0),
            best,
            np.repeat([[c.mf], [c.mcr], [c.mt], [c.mfreq]], c.h, axis=1),
            np.full(2, 0.5),
            np.empty((4, n0)),
            np.empty(n0, np.int64),
        )


@kernel
def make_trials(state: State, r: float, early: bool, schedule: float, g: int) -> FloatArray:
    """Let the worst leave and return trials of the others.

    Donors: x + F (x_r1 - x + x_r3 - z), or the same towards one of the best.
    """
    s = borrow(state)
    rng, box, cfg, pop, drawn = s.rng, s.box, s.cfg[0], s.pop, s.drawn
    shrink(rng, cfg, pop, r)
    (x, _, _), old, operator = in_use(pop), archived(pop), s.operator
    n, dim = x.shape
    u, profile, chance = pop.u[:n], np.empty(2 * dim), np.empty(dim)
    n_elite, angles = min(n, max(rounded(cfg.p * n), 2)), angles_of(cfg, s.memory, early)
    for i in range(n):
        f, cr, decay = parameters(rng, cfg, s.memory, angles, early)
        freq = f
        if early:  # F is not drawn, but follows the frequency
            f = scheduled(freq, schedule, g)
        drawn[MF, i], drawn[MCR, i], drawn[MT, i], drawn[MFREQ, i] = f, cr, decay, freq
        operator[i] = by_chance(rng, s.q)
        r1, r2, r3 = draws.partners(rng, i, n, n + old.shape[0])
        if operator[i] == 0:
            z = variation.pooled(x, old, r2)
            variation.joint_step(u[i], x[i], x[r1], x[r3], z, f)
        else:
            phi = random.integer(rng, n_elite) if 2 * dim > n else best_of(rng, dim, n)
            variation.joint_step(u[i], x[i], x[phi], x[r1], x[r3], f)
        variation.midpoint(u[i], x[i], box)
        set_profile(profile, cr, math.exp(-decay / dim))
        cross_by_profile(rng, u[i], x[i], profile, chance)
    return state.pop.u[:n]


@block
def shrink(rng: RandomState, cfg: Any, pop: Population, r: float) -> None:
    """Let the last of the sorted members leave, and random ones of the archive."""
    now = pop.now[0]
    now.n = min(now.n, sizes.linear(pop.x.shape[0], cfg.n_min, r))
    now.n_archive = thin(rng, pop.archive, now.n_archive, rounded(cfg.archive * now.n))


@kernel
def select(state: State, level: float, new_f: FloatArray, new_v: FloatArray, early: bool) -> None:
    """Let better trials take their parents' places, learn and sort."""
    s = borrow(state)
    pop, now, cfg = s.pop, s.pop.now[0], s.cfg[0]
    x, f, v = in_use(pop)
    gain, by_f, won, weights, n_won = compare(f, v, new_f, new_v, level)
    mingle(s.rng, pop, won, rounded(cfg.archive * now.n))
    set_chances(s.q, relative(gain, by_f, f, v), s.operator[: now.n], cfg.q_min)
    if n_won > 0:
        learn(s.memory, now, weights, s.drawn, early)
    replace(pop, won, new_f, new_v)
    sort(pop, level)
    take_better(s.best, x, f, v)


@block
def learn(
    memory: FloatArray, now: Any, weights: FloatArray, drawn: FloatArray, early: bool
) -> None:
    """Write F and CR in one cell, and the others in the next: so the program has it.

    The frequency is of use early only.
    """
    k = now.k
    memory[MF, k] = lehmer(weights, drawn[MF])
    memory[MCR, k] = cell_after(memory[MCR, k], lehmer(weights, drawn[MCR]))
    now.k = k = (k + 1) % memory.shape[1]
    memory[MT, k] = lehmer(weights, drawn[MT])
    if early:
        memory[MFREQ, k] = cell_after(memory[MFREQ, k], lehmer(weights, drawn[MFREQ]))
