"""Whole generations as a compiled step: trials are made at once, selected when all are back.

| symbol | here | meaning |
|---|---|---|
| N, N0 | `n_pop`, `n0` | population size, at the start |
| x | `top`, rows 0..N of `x` | members |
| u | `front`, rows N0..N0 + N of `x` | their trials |
| eps | `eps` | the level; eps0 = `first_level` |

Behind the trials stand the archive and, at the end, the model of a CMA-ES. An algorithm is three
functions of the state: `first` begins when the first population is evaluated, `vary` makes the
trials of a generation, and `select` takes their results.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import cma, draws
from de2ls.algorithms.lineage.contest import compare
from de2ls.algorithms.lineage.draws import IntArray
from de2ls.algorithms.lineage.members import Mask, initial_size, order_of
from de2ls.algorithms.lineage.memory import MemoryConfig
from de2ls.engine.members import ask_initial, copy_vector, write_member
from de2ls.engine.recorder import observe
from de2ls.engine.state import (
    ASK,
    INITIAL,
    SEARCH,
    TELL,
    Candidate,
    Fields,
    Records,
    State,
    new_state,
)
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, routine
from de2ls.problems.problem import Problem

EPSILON = 0  # the first option of `handling`
FIELDS: Fields = [("first_level", "f8"), ("n_archive", "i8"), ("k", "i8")]
CELL: Fields = [("f", "f8"), ("cr", "f8")]  # of the memory, whose cell k is written next
SLOT: Fields = [("f", "f8"), ("cr", "f8")]  # of a trial


def start(
    problem: Problem,
    config: MemoryConfig,
    seed: int,
    budget: int,
    memory: Records,
    *,
    fields: Fields,
    slot: Fields,
    sigma: float,
) -> State:
    """Return the state before the first candidate; sigma: the model's first step size.

    Beyond the archive's rows there is room for as many as the first population has.
    """
    n0 = initial_size(config, problem.dim, budget)
    state = new_state(
        problem,
        config.as_record(),
        seed,
        budget,
        n0=n0,
        top=n0,
        front=n0,
        fields=[*FIELDS, *cma.FIELDS, *fields],
        extra_rows=(int(config.archive) + 2) * n0 + cma.n_rows(problem.dim),
        slot=np.zeros(n0, np.dtype([*SLOT, *slot])),
        memory=memory,
    )
    state.now[0]["sigma"] = sigma
    return state


@block
def generation_turn(
    state: State,
    cand: Candidate,
    action: int,
    first: Callable[[State], None],
    select: Callable[[State], None],
    vary: Callable[[State], None],
) -> bool:
    """Take the candidate's result, hand out the next trial, or do both."""
    s, c = borrow(state), borrow(cand)
    now = s.now[0]
    if action & TELL and take(s, c):
        if now.phase == INITIAL:
            set_first_level(s)
            first(s)
            now.phase = SEARCH
        else:
            select(s)
        now.issued = now.told = 0
        set_level(s)
        vary(s)
    return hand_out(s, c) if action & ASK else True


@block
def take(state: State, cand: Candidate) -> bool:
    """Take a result; say whether it was the last of its generation."""
    f, v = observe(state, cand)
    now, info = state.now[0], cand.info[0]
    if info.kind == INITIAL:
        write_member(state, state.top, info.slot, cand.x, f, v)
    else:
        write_member(state, state.front, info.slot, cand.x, f, v)
    now.told += 1
    return bool(now.told == now.n_pop)


@block
def hand_out(state: State, cand: Candidate) -> bool:
    """Hand out the next trial; False while all of a generation are out."""
    now, info = state.now[0], cand.info[0]
    if now.phase == INITIAL:
        return ask_initial(state, cand)
    if now.issued == now.n_pop:
        return False
    copy_vector(state.x[now.n0 + now.issued], cand.x)
    info.kind, info.slot = SEARCH, now.issued
    now.issued += 1
    return True


@routine
def set_first_level(state: State) -> None:
    """Set eps0, the violation at the place eps_share N0 of the first population."""
    now, cfg = state.now[0], state.cfg[0]
    if cfg.handling == EPSILON:
        _, v = values(state.top, now.n_pop)
        order, place = order_of(v, v, np.inf), int(cfg.eps_share * now.n_pop)
        while place > 0 and (place == order.size or v[order[place]] == np.inf):
            place -= 1
        now.first_level = v[order[place]] if v[order[place]] < np.inf else 0.0


@routine
def set_level(state: State) -> None:
    """Set the level of a generation, eps0 (1 - t / Tc)^cp before Tc and 0 after."""
    now, cfg = state.now[0], state.cfg[0]
    end, now.eps = cfg.eps_end * now.budget, 0.0
    if now.n < end:
        now.eps = now.first_level * (1.0 - now.n / end) ** cfg.eps_power


@routine
def ordered(state: State) -> IntArray:
    """Return the members' positions in eps-order, best first."""
    f, v = values(state.top, state.now[0].n_pop)
    return order_of(f, v, state.now[0].eps)


@routine
def values(some: Any, n: int) -> tuple[FloatArray, FloatArray]:
    """Return f and v of the first n members or trials, as the family's blocks take them."""
    f, v = np.empty(n), np.empty(n)
    for i in range(n):
        f[i], v[i] = some[i].f, some[i].v
    return f, v


@routine
def gathered(rows: FloatArray, order: IntArray) -> FloatArray:
    """Return some rows, in this order."""
    found = np.empty((order.size, rows.shape[1]))
    for place in range(order.size):
        copy_vector(rows[order[place]], found[place])
    return found


@routine
def rearrange(state: State, order: IntArray) -> None:
    """Let the members stand in this order; those that are not in it leave."""
    x = gathered(state.x, order)
    f, v = values(state.top, state.now[0].n_pop)
    for place in range(order.size):
        write_member(state, state.top, place, x[place], f[order[place]], v[order[place]])
    state.now[0].n_pop = order.size


@routine
def keep_best(state: State, count: int) -> None:
    """Keep the best members, in the order in which they stand."""
    rank, kept, n = draws.ranks(ordered(state)), np.empty(count, np.int64), 0
    for i in range(rank.size):
        if rank[i] < count:
            kept[n] = i
            n += 1
    rearrange(state, kept)


@routine
def contest(state: State) -> tuple[FloatArray, Mask, Mask, FloatArray, int]:
    """Compare each trial with its parent; return the fields of a `Contest`."""
    f, v = values(state.top, state.now[0].n_pop)
    new_f, new_v = values(state.front, state.now[0].n_pop)
    return compare(f, v, new_f, new_v, state.now[0].eps)


@routine
def replace(state: State, which: Mask) -> None:
    """Let the marked trials take their parents' places."""
    top, front = state.top, state.front
    for i in range(which.size):
        if which[i]:
            write_member(state, top, i, state.x[front[i].row], front[i].f, front[i].v)


@block
def members(state: State) -> FloatArray:
    """Return the members' vectors."""
    rows: FloatArray = state.x[: state.now[0].n_pop]
    return rows


@block
def trials(state: State) -> FloatArray:
    """Return the trials' vectors."""
    now = state.now[0]
    rows: FloatArray = state.x[now.n0 : now.n0 + now.n_pop]
    return rows


@block
def archived(state: State) -> FloatArray:
    """Return the rows of the archive, of which `n_archive` are filled."""
    rows: FloatArray = state.x[2 * state.now[0].n0 :]
    return rows


@block
def model(state: State) -> cma.Shape:
    """Return the model's arrays, the last rows of x."""
    return cma.shape_in(state.x, state.x.shape[0] - cma.n_rows(state.x.shape[1]))
