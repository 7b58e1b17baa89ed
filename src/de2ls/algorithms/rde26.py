"""RDE26: RDEx retuned, with a race of two trials for the best targets (CEC 2026).

The generation of `two_populations` and its EB step; only the race is new. While the front is mostly
feasible, a target among the best of Q gets two trials: the primary one and a rival. Both are
evaluated; the better is judged against the target, the other is dropped.

| symbol | here | meaning |
|---|---|---|
| phi | `feasible_share` | share of Q with v < delta, fixed for a generation |
| b | `slot` | slot of the target in Q |
| u, y | SEARCH, RIVAL | primary trial and rival of a pair |
| rA, rC, x | | slots of P, P and Q: y = Q_b + w_a F (Q_x - Q_b) + w_d F (P_rA - P_rC) |

The two are asked one after the other. Whichever result comes first waits in its target's slot, so a
target holds at most one race at a time; with one candidate out the primary trial is the first.
"""

from dataclasses import dataclass

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.rdex import RDExConfig
from de2ls.algorithms.two_populations import setup
from de2ls.algorithms.two_populations.generation import begin_generation, end_generation
from de2ls.algorithms.two_populations.operators import B, cross
from de2ls.algorithms.two_populations.trial import (
    ask_trial,
    family_turn,
    improvement,
    note_origin,
    tell_trial,
)
from de2ls.engine import order, random
from de2ls.engine.members import copy_vector
from de2ls.engine.recorder import observe
from de2ls.engine.state import RIVAL, Candidate, State
from de2ls.jit.kernels import block, kernel, routine
from de2ls.problems.problem import Problem

FIELDS = [
    ("feasible_share", "f8"),
    # the primary trial whose rival is asked next
    ("race_slot", "i8"),  # its target, or NOBODY
    ("race_flag", "i8"),
    ("race_f", "f8"),
    ("race_cr", "f8"),
]
SLOT_FIELDS = [
    ("race", "i8"),
    ("first_f", "f8"),  # the result that waits
    ("first_v", "f8"),
    ("first_cr", "f8"),
]
NOBODY = -1
OVER, BOTH_OUT, ONE_BACK = 0, 1, 2  # `race` of a slot


@dataclass(frozen=True, kw_only=True)
class RDE26Config(RDExConfig):
    """Parameters of RDE26: RDEx's, retuned, and those of the race."""

    n0_per_dim: float = 9.98
    h: int = 11
    mcr: float = 0.94
    mf: float = 0.63
    learning_rate: float = 0.35
    sr_exponent: float = 0.4
    cr_sigma: float = 0.09
    p_base: float = 0.5
    pressure: float = 13.98
    eps_cutoff: float = 0.75
    eb_start: float = 0.71
    eb_rate: float = 0.91
    p_eb: float = 0.4
    p_eb_slope: float = 0.35
    eb_gamma: float = 0.14
    eb_f: float = 0.43
    eb_cr: float = 0.63
    perturb_rate: float = 0.55
    perturb_scale: float = 0.3
    bound_mix: float = 0.21
    race_elite: float = parameter(0.08, "share of Q whose trials race", 0.0, 1.0)
    race_end: float = parameter(0.76, "progress p from which there is no race; 0: never", 0.0, 1.0)
    race_phi: float = parameter(0.48, "share phi of Q that must be feasible for a race", 0.0, 1.0)
    race_delta: float = parameter(1e-4, "mean violation below which phi counts a member", 0.0)
    race_cr_low: float = parameter(0.26, "smallest CR of the rival", 0.0, 1.0)
    race_cr_high: float = parameter(0.85, "largest CR of the rival", 0.0, 1.0)
    race_sample: float = parameter(0.27, "share of Q that attracts the rival", 0.0, 1.0)
    race_attraction: float = parameter(0.62, "w_a: factor on F of the rival's attraction", 0.0)
    race_difference: float = parameter(1.16, "w_d: factor on F of the rival's difference", 0.0)
    race_draws: int = parameter(7, "draws of the rival's attractor before rB stands in", 1)


def start(problem: Problem, config: RDE26Config, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    n0 = config.initial_size(problem.dim, budget)
    state = setup.start(problem, config, seed, budget, FIELDS, SLOT_FIELDS, extra_rows=n0)
    state.now[0]["race_slot"] = NOBODY
    return state


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return family_turn(state, cand, action, observe, tell_raced, end_generation, begin, ask_raced)


@routine
def begin(state: State) -> None:
    """Begin a generation; count the feasible members of Q."""
    begin_generation(state)
    now, feasible = state.now[0], 0
    for i in range(now.n_pop):
        if state.front[i].v < state.cfg[0].race_delta:
            feasible += 1
    now.feasible_share = feasible / now.n_pop


# --- the race ------------------------------------------------------------------------------------


@block
def ask_raced(state: State, cand: Candidate) -> None:
    """Make the rival of the last trial if that one races, else the next trial."""
    now, info = state.now[0], cand.info[0]
    if now.race_slot != NOBODY:
        ask_rival(state, cand)
        return
    CR = ask_trial(state, cand)
    info.call = 0
    if is_raced(state, info.slot):
        info.call = info.slot + 1
        state.slot[info.slot].race = BOTH_OUT
        now.race_slot, now.race_flag = info.slot, info.flag
        now.race_f, now.race_cr = info.F, CR


@block
def tell_raced(state: State, cand: Candidate, f: float, v: float) -> bool:
    """Take a trial's result, that of a pair when it is complete; True ends the generation."""
    pair = cand.info[0].call - 1
    if pair >= 0:
        if state.slot[pair].race == BOTH_OUT:
            keep_first(state, cand, f, v)
            return False
        f, v = settle(state, cand, f, v)
    return tell_trial(state, cand, f, v)


@block
def is_raced(state: State, b: int) -> bool:
    """Whether a trial of slot `b` gets a rival."""
    now, cfg = state.now[0], state.cfg[0]
    if now.n / now.budget >= cfg.race_end or now.feasible_share <= cfg.race_phi:
        return False
    if now.n + 1 >= now.budget or state.slot[b].race != OVER:
        return False
    elite = max(1, int(cfg.race_elite * now.n_pop + 0.5))
    return order.rank_in(state.front, state.rank[B], now.n_pop, b, now.eps) < elite


@routine
def ask_rival(state: State, cand: Candidate) -> None:
    """Make the rival y of the last primary trial, with its F, and its CR within limits.

    rA, rB, rC differ from b and from each other; slot numbers are compared, whichever population
    they index.
    """
    now, cfg, rng = state.now[0], state.cfg[0], state.rng
    n = now.n_pop
    b = min(now.race_slot, n - 1)  # the front may have shrunk if other candidates are out
    rA = random.integer_except(rng, n, b, b, b)
    rB = random.integer_except(rng, n, b, rA, b)
    rC = random.integer_except(rng, n, b, rA, rB)
    x = rival_attractor(state, b, rB)
    F, CR = now.race_f, min(cfg.race_cr_high, max(cfg.race_cr_low, now.race_cr))
    note_origin(state, cand, b, now.race_flag, F)
    cand.info[0].kind = RIVAL
    cand.info[0].call = now.race_slot + 1
    toward, plus, minus = state.front[x].row, state.top[rA].row, state.top[rC].row
    F1, F2 = cfg.race_attraction * F, cfg.race_difference * F
    cross(state, cand, b, toward, plus, minus, F1, F2, CR, 0.0)
    now.race_slot = NOBODY


@block
def rival_attractor(state: State, b: int, substitute: int) -> int:
    """Draw x from the best of Q; `substitute` if no draw of a few differs from `b`."""
    now, cfg = state.now[0], state.cfg[0]
    sample = min(now.n_pop, max(1, int(cfg.race_sample * now.n_pop + 0.5)))
    for _ in range(cfg.race_draws):
        x = state.rank[B, random.integer(state.rng, sample)]
        if x != b:
            return int(x)
    return substitute


@routine
def keep_first(state: State, cand: Candidate, f: float, v: float) -> None:
    """Let the first result of a pair wait for the other."""
    pair = cand.info[0].call - 1
    slot = state.slot[pair]
    slot.race = ONE_BACK
    slot.first_f, slot.first_v, slot.first_cr = f, v, cand.info[0].CR
    copy_vector(cand.x, waiting(state, pair))


@routine
def settle(state: State, cand: Candidate, f: float, v: float) -> tuple[float, float]:
    """Leave the better of a pair in `cand` and return its f and v; ties go to the rival."""
    info = cand.info[0]
    pair = info.call - 1
    slot, eps = state.slot[pair], state.now[0].eps
    slot.race = OVER
    if info.kind == RIVAL:
        wins = improvement(f, v, slot.first_f, slot.first_v, eps) >= 0.0
    else:
        wins = not improvement(slot.first_f, slot.first_v, f, v, eps) >= 0.0
    if wins:
        return f, v
    info.CR = slot.first_cr
    copy_vector(waiting(state, pair), cand.x)
    return slot.first_f, slot.first_v


@block
def waiting(state: State, pair: int):  # type: ignore[no-untyped-def]
    """Return the vector of a pair's first result: the rows behind those of P and Q."""
    return state.x[3 * state.now[0].n0 + pair]


ALGORITHMS = {"rde26": Algorithm("rde26", "RDE26", RDE26Config, start, step)}
