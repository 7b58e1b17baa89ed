"""How a generation begins (steps 1 to 4) and ends (steps 6 to 11)."""

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.algorithms.two_populations.operators import EB_STEP, NEW, POOL, A, B
from de2ls.engine import order
from de2ls.engine.order import Members
from de2ls.engine.state import SEARCH, State
from de2ls.jit.kernels import block, routine

Successes = NDArray[np.void]  # records with fields cr, f, weight
Memory = NDArray[np.void]  # records with fields cr, f

_NO_WEIGHT = 1e-8  # a denominator up to this gives no mean


@routine
def begin_generation(state: State) -> None:
    """Fix what holds for the generation: the level, mF, the order of P, the attractors' shares."""
    set_level(state)
    fix(state)


@routine
def set_level(state: State) -> None:
    """Set the level: a violation in Q at a place that falls, 0 late."""
    now, cfg = state.now[0], state.cfg[0]
    n, p = now.n_pop, now.n / now.budget
    if p > cfg.eps_cutoff:
        now.eps = 0.0
    else:
        index = level_index(n, p, cfg.eps_factor)
        now.eps = level(state.front, n, index, state.slot["work_v"])


@routine
def fix(state: State) -> None:
    """Fix what else holds for the generation: mF, the order of P, the attractors' shares."""
    now, cfg = state.now[0], state.cfg[0]
    n, p = now.n_pop, now.n / now.budget
    now.phase = SEARCH
    now.issued = now.told = now.n_success = 0
    now.pointer %= n
    now.f_mean = now.sr**cfg.sr_exponent
    for i in range(n):
        state.rank[A, i] = i  # P is sorted under the last level: nearly right
        state.slot[i].start = state.front[i].f
    order.sort(state.top, state.rank[A], n, now.eps)
    order.sort(state.front, state.rank[B], n, now.eps)
    now.n_base = max(2, int(cfg.p_base * n))
    now.n_eb = max(2, int(cfg.p_eb * n * (1.0 - cfg.p_eb_slope * p)))


@block
def level_index(n: int, progress: float, factor: float) -> int:
    """Return e = trunc(factor N (1 - p)^2): the level's index among the sorted violations."""
    return int(factor * n * (1.0 - progress) * (1.0 - progress))


@routine
def level(members: Members, n: int, index: int, scratch: FloatArray) -> float:
    """Return the violation with the 0-based rank `index` among the first `n` members."""
    for i in range(n):
        scratch[i] = members[i].v
    return select(scratch, n, index)


@routine
def select(values: FloatArray, n: int, k: int) -> float:
    """Return the k-th smallest (0-based) of the first `n` values, which are reordered (Hoare)."""
    low, high = 0, n - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


@routine
def end_generation(state: State) -> None:
    """End a generation as RDEx does (steps 6 to 9 and 11)."""
    adapt_eb_rate(state)
    close_generation(state)
    merge(state)


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


@block
def linear_size(n0: int, n_min: int, n: int, budget: int) -> int:
    """Return trunc(N0 + (Nmin - N0) n / T), never below `n_min`."""
    return max(n_min, int(n0 + (n_min - n0) * n / budget))


@routine
def learn(state: State) -> None:
    """Blend what made the successes into the memory (step 9)."""
    now, rate = state.now[0], state.cfg[0].learning_rate
    if now.n_success > 0:
        now.cursor = blend(state.memory, now.cursor, state.slot, now.n_success, rate)


@routine
def blend(memory: Memory, cursor: int, successes: Successes, count: int, rate: float) -> int:
    """Blend the successes' means into the cell at the cursor; return the next cursor.

    They are weighted Lehmer means, sum w x^2 / sum w x, where the weights w are the improvements,
    normalised to sum 1. The mean is 1 when all weights are 0 or its denominator vanishes.
    Weights that are not finite (a member without a valid value was replaced) are left out.
    """
    total = 0.0
    for i in range(count):
        if np.isfinite(successes[i].weight):
            total += successes[i].weight
    cr, cr2, f, f2 = 0.0, 0.0, 0.0, 0.0
    if total > 0.0:
        for i in range(count):
            if np.isfinite(successes[i].weight):
                w = successes[i].weight / total
                cr += w * successes[i].cr
                cr2 += w * successes[i].cr * successes[i].cr
                f += w * successes[i].f
                f2 += w * successes[i].f * successes[i].f
    mean_cr = cr2 / cr if cr > _NO_WEIGHT else 1.0
    mean_f = f2 / f if f > _NO_WEIGHT else 1.0
    memory[cursor].cr = (1.0 - rate) * memory[cursor].cr + rate * mean_cr
    memory[cursor].f = (1.0 - rate) * memory[cursor].f + rate * mean_f
    return int((cursor + 1) % memory.shape[0])


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
