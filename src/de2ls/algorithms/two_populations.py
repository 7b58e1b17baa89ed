"""The generation that CL-SRDE, RDEx, DE-2LS, RDE26 and RDEx-CASK share.

Two populations: the front Q holds the newest successes and supplies the parents, the top P holds
the best points found. Each algorithm is this generation with other constants and few additions.

| symbol | here | meaning |
|---|---|---|
| D, T, n | | dimension, budget, evaluations so far; p = n / T |
| P, A | `top`, `rank[A]` | top population and its eps-order, fixed for a generation |
| Q, B | `front`, `rank[B]` | front and its eps-order, which follows every replacement |
| N, q | `n_pop`, `pointer` | size of P and Q; slot of Q that the next success overwrites |
| s | `sr` | success rate of the last generation |
| mF | `f_mean` | s^(1/3), centre of the base step's F |
| MCR, MF, k | `memory`, `cursor` | success history and the cell to be written next |
| rho | `eb_rate` | probability of the exploitation-biased (EB) step |
| b_i, t_i, m_i | `slot[i].flag, .last, .start` | last operator and trial objective of slot i; its |
| | | objective at the generation's start |
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.config import Config, parameter
from de2ls.algorithms.operators import (
    BASE_STEP,
    EB_STEP,
    NEW,
    POOL,
    A,
    B,
    base_step,
    cross,
    eb_step,
)
from de2ls.engine import epsilon, memory, order, random
from de2ls.engine.members import write_member
from de2ls.engine.reduction import linear_size
from de2ls.engine.state import SEARCH, Candidate, Fields, State, new_state
from de2ls.jit.kernels import block, routine
from de2ls.problems.problem import Problem

FIELDS = [
    ("pointer", "i8"),
    ("sr", "f8"),
    ("f_mean", "f8"),
    ("n_base", "i8"),  # np1: attractors of the base step
    ("n_eb", "i8"),  # np2: attractors of the EB step
    ("rank_tail", "f8"),  # 1 - exp(-pressure)
    ("eb_rate", "f8"),
    ("cursor", "i8"),
    ("n_success", "i8"),
    ("pool", "i8"),  # members of P and successes at the generation's end
]
SLOT_FIELDS = [
    ("last", "f8"),
    ("start", "f8"),
    ("flag", "i8"),
    # the generation's successes
    ("cr", "f8"),
    ("f", "f8"),
    ("weight", "f8"),
    # room to select and to permute in
    ("work_f", "f8"),
    ("work_v", "f8"),
]
CELL = np.dtype([("cr", "f8"), ("f", "f8")])


@dataclass(frozen=True, kw_only=True)
class TwoPopulationConfig(Config):
    """Parameters of the shared generation; the defaults are RDEx's."""

    derived: ClassVar[tuple[str, ...]] = ("n0",)

    n0: int | None = parameter(None, "initial population size N0; None: n0_per_dim times D", 4)
    n0_per_dim: float = parameter(10.0, "initial population size per dimension", 0.1)
    n_min: int = parameter(4, "population size at the end of the budget", 4)
    h: int = parameter(5, "number of memory cells", 1)
    mcr: float = parameter(1.0, "initial value of the CR memory", 0.0, 1.0)
    mf: float = parameter(0.3, "initial value of the F memory", 0.0, 1.0)
    learning_rate: float = parameter(0.5, "weight of the new mean in a memory cell", 0.0, 1.0)
    sr: float = parameter(0.5, "initial success rate", 0.0, 1.0)
    sr_exponent: float = parameter(1.0 / 3.0, "exponent of the success rate in mF", 0.0)
    f_sigma: float = parameter(0.05, "deviation of the base step's F", 0.0, 1.0)
    cr_sigma: float = parameter(0.1, "deviation of CR", 0.0, 1.0)
    p_base: float = parameter(0.3, "share of P that attracts in the base step", 0.0, 1.0)
    pressure: float = parameter(7.0, "rank pressure in the choice from Q", 1e-3, 30.0)
    eps_factor: float = parameter(0.8, "share of Q within the epsilon level at the start", 0.0, 1.0)
    eps_cutoff: float = parameter(0.8, "progress p beyond which the level is 0", 0.0, 1.0)
    eb_start: float = parameter(0.9, "progress p from which EB steps are made; 2: never", 0.0, 2.0)
    eb_rate: float = parameter(0.7, "EB rate rho while its credit is undecided", 0.0, 1.0)
    p_eb: float = parameter(0.17, "share of P that attracts in the EB step at p = 0", 0.0, 1.0)
    p_eb_slope: float = parameter(0.5, "relative decrease of that share up to p = 1", 0.0, 1.0)
    eb_gamma: float = parameter(0.1, "scale of the EB step's F", 0.0, 1.0)
    eb_f: float = parameter(0.4, "centre of the EB step's F without memory", 0.0, 1.0)
    eb_cr: float = parameter(0.9, "centre of the EB step's CR without memory", 0.0, 1.0)
    perturb_rate: float = parameter(0.2, "probability that a trial is perturbed", 0.0, 1.0)
    perturb_scale: float = parameter(0.1, "scale of the perturbation, in units of x", 0.0)
    bound_mix: float = parameter(0.5, "weight of the bound in bound repair", 0.0, 1.0)
    box: str = parameter(
        "repair",
        "whether perturbed coordinates are repaired, or leave the box as in the published program",
        options=("repair", "published"),
    )

    def initial_size(self, dim: int, budget: int) -> int:
        """Return N0 for a problem of dimension `dim`.

        At least half of the budget is left to the search: a default N0 larger than T / 2 is cut.
        An N0 that was asked for is never changed.
        """
        if self.n0 is not None:
            if self.n0 < self.n_min:
                raise ValueError(f"n0 must be at least n_min={self.n_min}, got {self.n0}")
            if self.n0 > budget:
                raise ValueError(f"n0 must be at most max_evals={budget}, got {self.n0}")
            return self.n0
        if self.n_min > budget:
            raise ValueError(f"n_min must be at most max_evals={budget}, got {self.n_min}")
        return min(max(self.n_min, int(self.n0_per_dim * dim)), max(self.n_min, budget // 2))


def start(
    problem: Problem,
    config: TwoPopulationConfig,
    seed: int,
    budget: int,
    fields: Fields = (),
    slot_fields: Fields = (),
    extra_rows: int = 0,
) -> State:
    """Return the state before the first candidate.

    `fields` are the algorithm's own in `now`, `slot_fields` those of each slot; `extra_rows`
    vectors follow those of P and Q.
    """
    n0 = config.initial_size(problem.dim, budget)
    slot = np.zeros(2 * n0, np.dtype([*SLOT_FIELDS, *slot_fields]))
    slot["last"] = np.inf
    cells = np.zeros(config.h, CELL)
    cells["cr"], cells["f"] = config.mcr, config.mf
    state = new_state(
        problem,
        config.as_record(),
        seed,
        budget,
        n0=n0,
        top=2 * n0,
        front=n0,
        fields=[*FIELDS, *fields],
        extra_rows=extra_rows,
        slot=slot,
        orders=4,
        memory=cells,
    )
    state.rank[:, : 2 * n0] = np.arange(2 * n0)
    now = state.now[0]
    now["sr"], now["eb_rate"] = config.sr, config.eb_rate
    now["rank_tail"] = -math.expm1(-config.pressure)
    now["watch_box"] = config.box == "published"
    return state


# --- the initial population ---------------------------------------------------------------------


@routine
def tell_initial(state: State, cand: Candidate, f: float, v: float) -> bool:
    """Put an initial point into both populations; True when it was the last one."""
    now = state.now[0]
    i = cand.info[0].slot
    write_member(state, state.top, i, cand.x, f, v)
    write_member(state, state.front, i, cand.x, f, v)
    now.told += 1
    return bool(now.told == now.n0)


# --- steps 1 to 4: a generation begins -----------------------------------------------------------


@routine
def begin_generation(state: State) -> None:
    """Fix what holds for the generation: mF, the level, the order of P, the attractors' shares."""
    now, cfg = state.now[0], state.cfg[0]
    n, p = now.n_pop, now.n / now.budget
    now.phase = SEARCH
    now.issued = now.told = now.n_success = 0
    now.pointer %= n
    now.f_mean = now.sr**cfg.sr_exponent
    if p > cfg.eps_cutoff:
        now.eps = 0.0
    else:
        index = epsilon.level_index(n, p, cfg.eps_factor)
        now.eps = epsilon.level(state.front, n, index, state.slot["work_v"])
    for i in range(n):
        state.rank[A, i] = i  # P is sorted under the last level: nearly right
        state.slot[i].start = state.front[i].f
    order.sort(state.top, state.rank[A], n, now.eps)
    order.sort(state.front, state.rank[B], n, now.eps)
    now.n_base = max(2, int(cfg.p_base * n))
    now.n_eb = max(2, int(cfg.p_eb * n * (1.0 - cfg.p_eb_slope * p)))


# --- step 5: one trial ---------------------------------------------------------------------------


@block
def ask_trial(state: State, cand: Candidate) -> float:
    """Make a trial by the base or the EB step (5a to 5d); return the CR that was drawn."""
    c = random.integer(state.rng, state.now[0].n_pop)
    if is_eb_step(state):
        flag = EB_STEP
        toward, plus, minus, F, CR = eb_step(state, c)
    else:
        flag = BASE_STEP
        toward, plus, minus, F, CR = base_step(state, c)
    note_origin(state, cand, c, flag, F)
    cross(state, cand, c, toward, plus, minus, F, F, CR, state.cfg[0].perturb_rate)
    return CR


@block
def is_eb_step(state: State) -> bool:
    """Draw whether the next trial is made by the EB step: late, and with probability rho."""
    now = state.now[0]
    late = now.n / now.budget >= state.cfg[0].eb_start
    return bool(late and random.uniform(state.rng) < now.eb_rate)


@block
def note_origin(state: State, cand: Candidate, c: int, flag: int, F: float) -> None:
    """Write on the candidate whose child it is and which step made it."""
    info = cand.info[0]
    info.kind = SEARCH
    info.slot = c
    info.flag = flag
    info.F = F
    info.f_target = state.front[c].f
    info.v_target = state.front[c].v


@block
def improvement(f: float, v: float, f_old: float, v_old: float, eps: float) -> float:
    """Success test (5f): the weight of the success, or -1 for a failure."""
    u = 0.0 if v <= eps else v
    u_old = 0.0 if v_old <= eps else v_old
    if f <= f_old and (v <= eps or u == u_old):
        return f_old - f if f < f_old else 0.0  # also where both are infinite
    if u < u_old:
        return u_old - u
    return -1.0


@block
def tell_trial(state: State, cand: Candidate, f: float, v: float) -> bool:
    """Take a trial's result (5e, 5f); True when it ended its generation."""
    weight = judge(state, cand, f, v)
    if weight >= 0.0:
        write_success(state, cand, f, v, weight)
    return count_trial(state)


@block
def judge(state: State, cand: Candidate, f: float, v: float) -> float:
    """Note a trial's objective and judge it against its target: its weight, or -1."""
    info = cand.info[0]
    state.slot[info.slot].last = f
    state.slot[info.slot].flag = info.flag
    if f < np.inf or v < np.inf:  # else the point is invalid
        return improvement(f, v, info.f_target, info.v_target, state.now[0].eps)
    return -1.0


@block
def count_trial(state: State) -> bool:
    """Count a trial; True when it was the last one of its generation."""
    state.now[0].told += 1
    return bool(state.now[0].told >= state.now[0].n_pop)


@block
def write_success(state: State, cand: Candidate, f: float, v: float, weight: float) -> None:
    """Append a success to P, write it over the pointer's slot of Q, remember what made it."""
    now, info = state.now[0], cand.info[0]
    n, s, q = now.n_pop, now.n_success, now.pointer
    write_member(state, state.top, n + s, cand.x, f, v)
    order.insert(state.top, state.rank[NEW], s, n + s, now.eps)
    replace_in_front(state, q, cand.x, f, v)
    now.pointer = (q + 1) % n
    state.slot[s].cr = info.CR
    state.slot[s].f = info.F
    state.slot[s].weight = weight
    now.n_success = s + 1


@block
def replace_in_front(state: State, q: int, x: FloatArray, f: float, v: float) -> None:
    """Overwrite slot `q` of Q and move it to its new rank in B."""
    now, n = state.now[0], state.now[0].n_pop
    old = order.rank_in(state.front, state.rank[B], n, q, now.eps)
    write_member(state, state.front, q, x, f, v)
    order.update(state.front, state.rank[B], n, old, now.eps)


# --- steps 6 to 9: a generation ends -------------------------------------------------------------


@routine
def eb_credit(state: State) -> tuple[float, float]:
    """Return the gains of the EB and of the base step over the slots (step 6).

    Gains whose sum overflows cannot be compared and count as none.
    """
    eb, base = 0.0, 0.0
    for i in range(state.now[0].n_pop):
        slot = state.slot[i]
        if slot.last <= slot.start and slot.start < np.inf:
            if slot.flag == EB_STEP:
                eb += slot.start - slot.last
            else:
                base += slot.start - slot.last
    if eb + base == np.inf:
        return 0.0, 0.0
    return eb, base


@routine
def adapt_eb_rate(state: State) -> None:
    """Set rho to the EB step's share of the gains (step 6)."""
    eb, base = eb_credit(state)
    decided = eb != 0.0 and base != 0.0
    state.now[0].eb_rate = eb / (eb + base) if decided else state.cfg[0].eb_rate


@routine
def close_generation(state: State) -> None:
    """Take stock of the generation, shrink the front, learn (steps 7 to 9)."""
    take_stock(state)
    while drop_worst(state) >= 0:
        pass
    learn(state)


@routine
def take_stock(state: State) -> None:
    """Set the success rate (step 7), and order P with the successes before N changes."""
    now, rank = state.now[0], state.rank
    n, s = now.n_pop, now.n_success
    now.sr = s / n
    now.pool = n + s
    order.merge(state.top, rank[A], n, rank[NEW], s, rank[POOL], now.eps)


@routine
def drop_worst(state: State) -> int:
    """Drop the worst of Q if more than the size that is due are left (step 8); return its slot.

    The slots behind it move down by one. -1 says that none was dropped.
    """
    now = state.now[0]
    if now.n_pop <= linear_size(now.n0, state.cfg[0].n_min, now.n, now.budget):
        return -1
    worst = state.rank[B, now.n_pop - 1]
    row = state.front[worst].row
    for i in range(worst, now.n_pop - 1):
        state.front[i].f = state.front[i + 1].f
        state.front[i].v = state.front[i + 1].v
        state.front[i].row = state.front[i + 1].row
    state.front[now.n_pop - 1].row = row
    now.n_pop -= 1
    for i in range(now.n_pop):
        if state.rank[B, i] > worst:
            state.rank[B, i] -= 1
    return int(worst)


@routine
def learn(state: State) -> None:
    """Blend what made the successes into the memory (step 9)."""
    now, rate = state.now[0], state.cfg[0].learning_rate
    if now.n_success > 0:
        now.cursor = memory.learn(state.memory, now.cursor, state.slot, now.n_success, rate)


@routine
def merge(state: State) -> None:
    """P becomes the best N of its survivors and successes, in eps-order (step 11).

    Only the small records move; the vectors stay in their rows, and the rows of dropped members
    are free for the next successes. Without a success P is just cut.
    """
    now, top, slot = state.now[0], state.top, state.slot
    if now.n_success == 0:
        return
    for i in range(now.pool):
        source = top[state.rank[POOL, i]]
        slot[i].work_f = source.f
        slot[i].work_v = source.v
        state.rank[A, i] = source.row
    for i in range(now.pool):
        top[i].f = slot[i].work_f
        top[i].v = slot[i].work_v
        top[i].row = state.rank[A, i]
