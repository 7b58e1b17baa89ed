"""The late local search of DE-2LS: a short coordinate search around the incumbent.

| symbol | field | meaning |
|---|---|---|
| LS_SR | `ls_sr` | progress p from which a stagnating search may call it |
| LS_FSR | `ls_fsr` | progress p from which it is called in any case |
| LS_BR | `ls_br` | evaluations of a call, as a share of the budget |
| LS_MC | `ls_mc` | largest number of calls |
| LS_SG | `ls_sg` | generations without a better incumbent that count as stagnation |
| LS_ISR | `ls_isr` | first step, as a share of the box's width |
| delta | `ls_delta` | mean violation up to which points compare by objective |

A call moves one coordinate at a time, minus then plus; a better point becomes the centre at once
and the scan starts again; a scan without success halves the step.
"""

from de2ls.algorithms.two_populations.operators import POOL, B
from de2ls.algorithms.two_populations.trial import replace_in_front
from de2ls.engine import order
from de2ls.engine.members import copy_vector, write_member
from de2ls.engine.repair import toward_bound
from de2ls.engine.state import LOCAL, Candidate, State
from de2ls.jit.kernels import block, routine

FIELDS = [
    ("ls_counter", "i8"),  # generations since the incumbent was better than the remembered one
    ("ls_seen_f", "f8"),  # the remembered incumbent
    ("ls_seen_v", "f8"),
    ("ls_centre_f", "f8"),  # the centre; between calls: where the last one ended
    ("ls_centre_v", "f8"),
    ("ls_rate", "f8"),  # step as a share of the box's width
    ("ls_cursor", "i8"),  # 2 j for coordinate j minus, 2 j + 1 for plus
    ("ls_left", "i8"),  # evaluations left to the call
    ("ls_moved", "i8"),  # whether the call improved its centre
    ("ls_calls", "i8"),  # how often it was called
    ("ls_evaluations", "i8"),  # what it cost
    ("ls_improved", "i8"),  # calls that moved their centre
    ("ls_gain", "f8"),  # decrease of the feasible incumbent's objective during the calls
]
COUNTERS = ("ls_calls", "ls_evaluations", "ls_improved", "ls_gain")

_EQUAL = 1e-16  # violations this close are equal


@block
def better(f: float, v: float, f_old: float, v_old: float, tol: float) -> bool:
    """Whether (f, v) is better than (f_old, v_old), violations up to `tol` being ignored."""
    if v <= tol and v_old <= tol:
        return f < f_old
    if v <= tol or v_old <= tol:
        return v <= tol
    return v < v_old or (abs(v - v_old) <= _EQUAL and f < f_old)


@routine
def is_due(state: State) -> bool:
    """Count stagnation, then say whether a call is due: once after each generation."""
    now, cfg = state.now[0], state.cfg[0]
    if better(now.best_f, now.best_v, now.ls_seen_f, now.ls_seen_v, cfg.ls_delta):
        now.ls_seen_f, now.ls_seen_v = now.best_f, now.best_v
        now.ls_counter = 0
    else:
        now.ls_counter += 1
    if now.ls_calls >= cfg.ls_mc or now.n == now.budget:
        return False
    p = now.n / now.budget
    stagnates = now.ls_counter >= cfg.ls_sg and now.best_v <= max(cfg.ls_delta, now.eps)
    return bool((p >= cfg.ls_sr and stagnates) or p >= cfg.ls_fsr)


@routine
def begin_call(state: State) -> None:
    """Start a call from the end of the last one if that is better than the incumbent."""
    now, cfg = state.now[0], state.cfg[0]
    dim = state.box.shape[1]
    now.phase = LOCAL
    now.ls_calls += 1
    if not better(now.ls_centre_f, now.ls_centre_v, now.best_f, now.best_v, cfg.ls_delta):
        now.ls_centre_f, now.ls_centre_v = now.best_f, now.best_v
        copy_vector(state.best, centre(state))
    now.ls_left = min(max(int(cfg.ls_br * now.budget), 2 * dim), now.budget - now.n)
    now.ls_rate = cfg.ls_isr
    now.ls_cursor = 0
    now.ls_moved = 0


@routine
def ask_local(state: State, cand: Candidate) -> bool:
    """Hand out the next point of the scan; False when the call is over."""
    now, cfg = state.now[0], state.cfg[0]
    dim = state.box.shape[1]
    if now.ls_cursor == 2 * dim:
        now.ls_rate *= 0.5
        now.ls_cursor = 0
    if now.ls_left == 0 or now.ls_rate <= cfg.ls_min_rate:
        return False
    j = now.ls_cursor >> 1
    low, high = state.box[0, j], state.box[1, j]
    step = now.ls_rate * (high - low)
    copy_vector(centre(state), cand.x)
    old = cand.x[j]
    new = old - step if now.ls_cursor % 2 == 0 else old + step
    cand.x[j] = toward_bound(new, old, low, high, 0.5)
    cand.info[0].kind = LOCAL
    cand.info[0].call = now.ls_calls
    now.ls_cursor += 1
    now.ls_left -= 1
    return True


@routine
def tell_local(state: State, cand: Candidate, f: float, v: float) -> None:
    """Move the centre to a better point; results that come after the call's end change nothing."""
    now = state.now[0]
    now.ls_evaluations += 1
    if now.phase != LOCAL or cand.info[0].call != now.ls_calls:
        return
    if better(f, v, now.ls_centre_f, now.ls_centre_v, state.cfg[0].ls_delta):
        now.ls_centre_f, now.ls_centre_v = f, v
        copy_vector(cand.x, centre(state))
        now.ls_cursor = 0
        if now.ls_moved == 0:
            now.ls_improved += 1
        now.ls_moved = 1


@routine
def inject(state: State) -> None:
    """Let an improved centre replace the worst of Q and the worst of P, where it is better."""
    now = state.now[0]
    if now.ls_moved == 0:
        return
    f, v, x = now.ls_centre_f, now.ls_centre_v, centre(state)
    slot = state.rank[B, now.n_pop - 1]
    if better(f, v, state.front[slot].f, state.front[slot].v, now.eps):
        replace_in_front(state, slot, x, f, v)
    place = state.rank[POOL, now.pool - 1]
    if better(f, v, state.top[place].f, state.top[place].v, now.eps):
        write_member(state, state.top, place, x, f, v)
        order.update(state.top, state.rank[POOL], now.pool, now.pool - 1, now.eps)


@block
def centre(state: State):  # type: ignore[no-untyped-def]
    """Return the vector of the centre: the row behind those of P and Q."""
    return state.x[3 * state.now[0].n0]
