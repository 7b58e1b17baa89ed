"""How a generation of UDE-III and UDE-IV ends: learning, selection, sorting, stagnation.

The symbols are those of `ude`. All orders here are by the superiority of feasible points; only
selection itself allows violations up to the epsilon level.
"""

import math
from typing import Any

import numpy as np

from de2ls.engine import random
from de2ls.engine.members import write_member
from de2ls.engine.order import Members, Order, superior
from de2ls.engine.state import State
from de2ls.jit.kernels import block, routine

P, A = 0, 1  # rows of `rank`: the population and the archive
REPORT = 1  # option of `top_counting`
OBJECTIVE = 1  # option of `initial_order`
RANDOM = 1  # option of `replaced`


@block
def member_at(state: State, position: int):  # type: ignore[no-untyped-def]
    """Return the record of the member at a position of P."""
    return state.top[state.rank[P, position]]


@block
def vector_at(state: State, position: int):  # type: ignore[no-untyped-def]
    """Return the vector of the member at a position of P."""
    return state.x[state.top[state.rank[P, position]].row]


@routine
def learn(state: State, s: int) -> None:
    """Write the means of what made the successes of top trials into strategy s's memory.

    A trial succeeds against its target by violation if that is infeasible, else by objective; both
    kinds of gain are weights in one sum.
    """
    cfg, memory = state.cfg[0], state.memory
    total, cr, f, f2 = 0.0, 0.0, 0.0, 0.0
    for i in range(cfg.t):
        old, new, trial = member_at(state, i), state.front[3 * i + s], state.slot[3 * i + s]
        gain = 0.0
        if old.v > 0.0:
            gain = max(0.0, old.v - new.v)
        elif new.v == 0.0:
            gain = max(0.0, old.f - new.f)
        total += gain
        cr += gain * trial.cr
        f += gain * trial.f
        f2 += gain * trial.f * trial.f
    if 0.0 < total < np.inf:
        cell = memory[s, memory[s, 0].updates % cfg.h]
        cell.f = f2 / f
        cell.cr = cr / total
        memory[s, 0].updates += 1


@routine
def select(state: State) -> None:
    """Let each trial that passes the epsilon test replace its target; archive the others.

    For a top target only the best of its three trials takes part.
    """
    now, cfg = state.now[0], state.cfg[0]
    for i in range(now.n_pop):
        k = best_of_three(state, i) if i < cfg.t else i + 2 * cfg.t
        trial, target, s = state.front[k], member_at(state, i), state.slot[k].strategy
        history = state.slot[state.rank[P, i]]
        if i < cfg.t:
            count_best(state, s)
        counts = int(i >= cfg.t or cfg.top_counting != REPORT)
        if replaces(trial.f, trial.v, target.f, target.v, now.eps):
            exchange(trial, target)
            history.stag = 0
            count(state, s, counts, 0)
        else:
            history.stag += 1
            count(state, s, 0, counts)
            archive(state, k)


@block
def replaces(f: float, v: float, f_old: float, v_old: float, eps: float) -> bool:
    """Whether a trial replaces its target at level `eps`; a tie keeps the target."""
    if eps > 0.0 and v <= eps and v_old <= eps:
        return f < f_old
    return superior(f, v, f_old, v_old)


@block
def best_of_three(state: State, i: int) -> int:
    """Return the best trial of a top target; on ties the earlier strategy."""
    best = 3 * i
    for k in range(3 * i + 1, 3 * i + 3):
        trial, other = state.front[k], state.front[best]
        if superior(trial.f, trial.v, other.f, other.v):
            best = k
    return best


@block
def count(state: State, s: int, wins: int, losses: int) -> None:
    """Add to the wins and losses of strategy `s` in this generation."""
    cell = state.memory[s, state.now[0].generation % state.cfg[0].lp]
    cell.wins += wins
    cell.losses += losses


@block
def count_best(state: State, best: int) -> None:
    """Count a win for the best strategy of a top target, as "report" losses for the others."""
    count(state, best, 1, 0)
    if state.cfg[0].top_counting == REPORT:
        for s in range(3):
            count(state, s, 0, int(s != best))


@block
def exchange(one: Any, other: Any) -> None:
    """Exchange two members: f, v and row; the vectors stay where they are."""
    one.f, other.f = other.f, one.f
    one.v, other.v = other.v, one.v
    one.row, other.row = other.row, one.row


@routine
def sort_population(state: State, by_objective: bool) -> None:
    """Sort P by the superiority of feasible points or by objective; ties keep their order."""
    order = state.rank[P]
    for i in range(1, state.now[0].n_pop):
        sift(state.top, order, i, order[i], by_objective)


@routine
def archive(state: State, k: int) -> None:
    """Put failed trial `k` into the sorted archive; a full one keeps its best NP."""
    now, order = state.now[0], state.rank[A]
    last = now.n_archive
    if now.n_archive < now.n_pop:
        order[last] = now.n_pop + last
        now.n_archive += 1
    else:
        last = now.n_pop - 1
        trial, worst = state.front[k], state.top[order[last]]
        if not superior(trial.f, trial.v, worst.f, worst.v):
            return
    exchange(state.front[k], state.top[order[last]])
    sift(state.top, order, last, order[last], False)


@block
def sift(members: Members, order: Order, last: int, entry: int, by_objective: bool) -> None:
    """Insert `entry` into the sorted entries before `last`, behind its equals."""
    f, v = members[entry].f, members[entry].v
    j = last
    while j > 0:
        other = members[order[j - 1]]
        if not (f < other.f if by_objective else superior(f, v, other.f, other.v)):
            break
        order[j] = order[j - 1]
        j -= 1
    order[j] = entry


@block
def is_stagnated(state: State, position: int) -> bool:
    """Whether the member at a position failed more than SG times in a row."""
    return bool(state.slot[state.rank[P, position]].stag > state.cfg[0].sg)


@routine
def replace_stagnated(state: State) -> None:
    """If many members stagnate while P is spread, replace one of them from the archive.

    It is the best of them or any. If P was sorted before, it is not sorted again: the newcomer
    keeps the position for a generation.
    """
    now, cfg = state.now[0], state.cfg[0]
    stagnated = 0
    for i in range(now.n_pop):
        stagnated += int(is_stagnated(state, i))
    if stagnated <= cfg.sprop * now.n_pop or (cfg.d_min > 0.0 and spread(state) <= cfg.d_min):
        return
    skipped = random.integer(state.rng, stagnated) if cfg.replaced == RANDOM else 0
    position = 0
    while skipped > 0 or not is_stagnated(state, position):
        skipped -= int(is_stagnated(state, position))
        position += 1
    member = state.rank[P, position]
    source = state.top[state.rank[A, random.integer(state.rng, now.n_archive)]]
    write_member(state, state.top, member, state.x[source.row], source.f, source.v)
    state.slot[member].stag = 0


@routine
def spread(state: State) -> float:
    """Return the members' mean distance to their centroid."""
    n, dim = state.now[0].n_pop, state.box.shape[1]
    centroid = state.x[state.x.shape[0] - 1]  # room for one vector behind all others
    centroid[:] = 0.0
    for i in range(n):
        x = state.x[state.top[i].row]
        for j in range(dim):
            centroid[j] += x[j] / n
    total = 0.0
    for i in range(n):
        x = state.x[state.top[i].row]
        square = 0.0
        for j in range(dim):
            square += (x[j] - centroid[j]) ** 2
        total += math.sqrt(square)
    return float(total / n)
