"""mLSHADE-RL (D. Chauhan, A. Trivedi, Shivani, CEC 2024): operators, restart and local search.

LSHADE-cnEpSin (two schedules of F, crossover in the eigen basis around the best) with three
operators chosen by success, a restart of members that stagnate, and SQP in the end.

| symbol | here | meaning |
|---|---|---|
| g, Gmax | `g`, `g_max` | generations so far, and planned by the reduction |
| F, Fw, CR | `f`, `weight f`, `cr` | scale, weighted scale, crossover rate |
| MF, MCR, Mfreq | rows of `memory` | memories of F, CR and the second schedule's frequency |
| q | `q` | probabilities of the three operators |
| s_1, s_2 | `Schedules.rate` | recent successes of the two schedules |
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage import draws, restart, sizes, variation
from de2ls.algorithms.lineage.archive import thin
from de2ls.algorithms.lineage.choice import by_chance, set_chances
from de2ls.algorithms.lineage.contest import compare, relative
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Members, Run, Search, order_of
from de2ls.algorithms.lineage.memory import TERMINAL, LSHADEConfig, cell_after, learn, lehmer
from de2ls.algorithms.lineage.polish import Polish, PolishConfig
from de2ls.algorithms.lineage.population import (
    Population,
    archived,
    in_use,
    keep_best,
    mingle,
    replace,
)
from de2ls.algorithms.lineage.restart import RestartConfig
from de2ls.algorithms.lineage.schedules import FIRST, NONE, Schedules
from de2ls.engine import random
from de2ls.engine.random import RandomState
from de2ls.engine.state import Records
from de2ls.jit.kernels import block, kernel, ready, records


@dataclass(frozen=True, kw_only=True)
class MLSHADERLConfig(PolishConfig, RestartConfig, LSHADEConfig):
    """Parameters of mLSHADE-RL."""

    derived: ClassVar[tuple[str, ...]] = ("n0", "g_max")

    ls_first: float = 0.01
    g_max: int | None = parameter(None, "Gmax; None: what the reduction allows", 1)
    mfreq: float = parameter(0.5, "Mfreq: initial memory of the frequency", 0.0, 1.0)
    f_scale: float = parameter(0.1, "scale of the Cauchy distributions of F and frequency", 0.0)
    freq: float = parameter(0.5, "frequency of the first schedule", 0.0, 1.0)
    lp: int = parameter(20, "LP: generations by whose success a schedule is chosen", 1)
    schedule_until: float = parameter(0.5, "progress up to which F is scheduled", 0.0, 1.0)
    fw_1: float = parameter(1.0, "Fw / F up to fw_until_1", 0.0)
    fw_until_1: float = parameter(0.2, "progress up to which fw_1 holds", 0.0, 1.0)
    fw_2: float = parameter(1.0, "Fw / F up to fw_until_2", 0.0)
    fw_until_2: float = parameter(0.4, "progress up to which fw_2 holds", 0.0, 1.0)
    fw_3: float = parameter(1.0, "Fw / F after it", 0.0)
    q_min: float = parameter(0.1, "least q of an operator; the largest is 1 minus it", 0.0, 0.3)
    p_eigen: float = parameter(0.4, "pb: chance of the eigen crossover per generation", 0.0, 1.0)
    eigen_share: float = parameter(0.5, "share of the members nearest to the best", 0.1, 1.0)


def search(space: Any, rng: np.random.Generator, budget: int, config: MLSHADERLConfig) -> Search:
    """Minimise by mLSHADE-RL."""
    run = Run(space, rng, budget, config)
    state = State.of(run, (yield from run.start()))
    pop, n0, g, polish = state.pop, len(state.ages), 0, Polish(run)
    schedules = Schedules(run, config.g_max or sizes.generations(n0, config.n_min, budget))
    make = ready(make_trials, state, 0.0, 0.0, True, 0, 0.0, 0.0)
    learn_from = ready(select, state, 0.0, pop.f, pop.v, 0)
    while True:
        g, level = g + 1, run.level
        scheduled = schedules.choose(g)
        u = make(state, level, run.progress, rng.random() < config.p_eigen, *scheduled)
        y = yield u
        run.t += len(u)
        n_won, places = learn_from(state, level, y.f, y.v, scheduled[0])
        schedules.note(n_won, len(u))
        if len(places):
            mixed = yield from run.evaluate(
                restart.mixed(run.rng, run.box, pop.x[: len(u)], places)
            )
            pop.members.put(places, mixed)
            state.ages[places] = 0
        plan = sizes.linear(n0, config.n_min, run.progress)
        if len(u) > plan:
            shrink(state, level, plan)
        found = yield from polish.try_from(pop.members)
        if found is not None:
            pop.take_in(found, level)


class State(NamedTuple):
    """All that compiled code works with."""

    rng: RandomState
    box: FloatArray
    cfg: Records
    pop: Population
    memory: FloatArray  # (3, H): MF, MCR, Mfreq
    q: FloatArray  # probabilities of the operators
    ages: IntArray  # generations without a success at each place; they stay when members move
    f: FloatArray  # of the trials, as what follows
    cr: FloatArray
    freq: FloatArray
    operator: IntArray

    @classmethod
    def of(cls, run: Run[MLSHADERLConfig], first: Members) -> "State":
        """Return the state of a run that begins with these members."""
        c, n0 = run.config, len(first)
        return cls(
            run.rng,
            run.box,
            records(c.as_record()),
            Population.of(first, sizes.rounded(c.archive * n0) + n0),
            np.repeat([[c.mf], [c.mcr], [c.mfreq]], c.h, axis=1),
            np.full(3, 1.0 / 3.0),
            np.zeros(n0, np.int64),
            np.empty(n0),
            np.empty(n0),
            np.empty(n0),
            np.empty(n0, np.int64),
        )


@kernel
def make_trials(
    state: State, level: float, r: float, eigen: bool, schedule: int, phase: float, swing: float
) -> FloatArray:
    """Return a trial of each member, crossed in the eigen basis or not.

    1: x + Fw (x_pbest - x + x_r1 - z); 2: x + F (x_pbest - x + x_r1 - x_r3);
    3: x + Fw (x_b - x + x_m - x_w), where b, m, w are two others and a pbest, best first.
    """
    rng, box, cfg, memory, pop = state.rng, state.box, state.cfg[0], state.memory, state.pop
    (x, f_x, v_x), old, operator = in_use(pop), archived(pop), state.operator
    n, order = f_x.size, order_of(f_x, v_x, level)
    v, rank, chance = pop.u[:n], draws.ranks(order), np.empty(x.shape[1])
    n_elite, weight = max(sizes.rounded(cfg.p * n), 2), weight_at(cfg, r)
    for i in range(n):
        slot = random.integer(rng, memory.shape[1])
        cr = draws.clipped_normal(rng, memory[1, slot], cfg.cr_sigma)
        located = memory[0 if schedule == NONE else 2, slot]
        f = freq = min(1.0, draws.positive_cauchy(rng, located, cfg.f_scale))
        if schedule != NONE:  # F is not drawn, but follows the frequency
            f = 0.5 * (math.sin(phase if schedule == FIRST else phase * freq) * swing + 1.0)
        state.f[i], state.cr[i], state.freq[i] = f, cr, freq
        operator[i] = by_chance(rng, state.q)
        pbest = order[random.integer(rng, n_elite)]
        r1, r2, r3 = draws.partners(rng, i, n, n + old.shape[0])
        if operator[i] == 0:
            z = variation.pooled(x, old, r2)
            variation.joint_step(v[i], x[i], x[pbest], x[r1], z, weight * f)
        elif operator[i] == 1:
            variation.joint_step(v[i], x[i], x[pbest], x[r1], x[r3], f)
        else:
            b, m, w = draws.best_first(order, rank, r1, r3, pbest)
            variation.joint_step(v[i], x[i], x[b], x[m], x[w], weight * f)
        variation.midpoint(v[i], x[i], box)
        if not eigen:
            variation.binomial(rng, v[i], x[i], cr, True, chance)
    if eigen:
        near = max(2, sizes.rounded(cfg.eigen_share * n))
        axes = variation.basis(variation.nearest(x, order[0], near))
        variation.cross_in_basis(rng, v, x, state.cr, axes, True)
        for i in range(n):
            variation.midpoint(v[i], x[i], box)
    return v


@block
def weight_at(cfg: Any, r: float) -> float:
    """Return Fw / F at the progress r."""
    later: float = cfg.fw_2 if r <= cfg.fw_until_2 else cfg.fw_3
    return cfg.fw_1 if r <= cfg.fw_until_1 else later


@kernel
def select(
    state: State, level: float, new_f: FloatArray, new_v: FloatArray, schedule: int
) -> tuple[int, IntArray]:
    """Replace parents by better trials, and learn; return the successes and who shall restart."""
    cfg, memory, pop, now = state.cfg[0], state.memory, state.pop, state.pop.now[0]
    (x, f, v), n = in_use(pop), now.n
    gain, by_f, won, weights, n_won = compare(f, v, new_f, new_v, level)
    set_chances(state.q, relative(gain, by_f, new_f, new_v), state.operator[:n], cfg.q_min)
    mingle(state.rng, pop, won, sizes.rounded(cfg.archive * n))
    if n_won > 0:
        if schedule != NONE:
            memory[2, now.k] = cell_after(memory[2, now.k], lehmer(weights, state.freq[:n]))
        now.k = learn(
            memory[0], memory[1], now.k, 0.0, TERMINAL, weights, state.f[:n], state.cr[:n]
        )
    replace(pop, won, new_f, new_v)
    return n_won, restart.stagnant(cfg, state.box, x, f, v, state.ages[:n], won, level)


@kernel
def shrink(state: State, level: float, plan: int) -> None:
    """Keep as many members as planned, and as many of the archive as they allow."""
    keep_best(state.pop, plan, level)
    now = state.pop.now[0]
    capacity = sizes.rounded(state.cfg[0].archive * plan)
    now.n_archive = thin(state.rng, state.pop.archive, now.n_archive, capacity)


ALGORITHMS = {
    "mlshade-rl": Algorithm("mlshade-rl", "mLSHADE-RL", MLSHADERLConfig, search=search),
}
