"""From one evaluation to the next: the initial points, then the trials of step 5."""

from collections.abc import Callable

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.two_populations.operators import (
    BASE_STEP,
    EB_STEP,
    NEW,
    B,
    base_step,
    cross,
    eb_step,
)
from de2ls.engine import order, random
from de2ls.engine.members import ask_initial, write_member
from de2ls.engine.state import ASK, INITIAL, SEARCH, TELL, Candidate, State
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, routine

Phase = Callable[[State], None]  # the beginning or the end of a generation


@block
def family_turn(
    state: State,
    cand: Candidate,
    action: int,
    observe: Callable[[State, Candidate], tuple[float, float]],
    tell_trial: Callable[[State, Candidate, float, float], bool],
    end_generation: Phase,
    begin_generation: Phase,
    ask_trial: Callable[[State, Candidate], object],
) -> bool:
    """Take the candidate's result, make the next candidate, or do both.

    The parts are the algorithm's own, or the family's where it has none; they are compiled into
    its step, which consists of this call. The last trial of a generation ends it.
    """
    s, c = borrow(state), borrow(cand)
    if action & TELL:
        f, v = observe(s, c)
        if c.info[0].kind == INITIAL:
            if tell_initial(s, c, f, v):
                begin_generation(s)
        elif tell_trial(s, c, f, v):
            end_generation(s)
            begin_generation(s)
    if not action & ASK:
        return True
    if s.now[0].phase == INITIAL:
        return ask_initial(s, c)
    ask_trial(s, c)
    return True


@routine
def tell_initial(state: State, cand: Candidate, f: float, v: float) -> bool:
    """Put an initial point into both populations; True when it was the last one."""
    now = state.now[0]
    i = cand.info[0].slot
    write_member(state, state.top, i, cand.x, f, v)
    write_member(state, state.front, i, cand.x, f, v)
    now.told += 1
    return bool(now.told == now.n0)


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
