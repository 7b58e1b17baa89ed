"""DE-2LS: RDEx plus a guarded late local search.

A call of the local search may come between the end of a generation and the merge of its successes
(`late_local_search`). With ``ls_mc=0`` this is RDEx, bit by bit.
"""

from dataclasses import dataclass, replace

import numpy as np

from de2ls.algorithms import late_local_search
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import parameter
from de2ls.algorithms.late_local_search import (
    COUNTERS,
    ask_local,
    begin_call,
    inject,
    is_due,
    tell_local,
)
from de2ls.algorithms.rdex import RDExConfig
from de2ls.algorithms.two_populations import setup
from de2ls.algorithms.two_populations.generation import (
    adapt_eb_rate,
    begin_generation,
    close_generation,
    merge,
)
from de2ls.algorithms.two_populations.trial import ask_trial, tell_initial, tell_trial
from de2ls.engine.members import ask_initial
from de2ls.engine.recorder import observe
from de2ls.engine.state import INITIAL, LOCAL, Candidate, State
from de2ls.engine.step import turn
from de2ls.jit.kernels import block, kernel
from de2ls.problems.problem import Problem


@dataclass(frozen=True, kw_only=True)
class DE2LSConfig(RDExConfig):
    """Parameters of DE-2LS: those of RDEx and of the late local search."""

    ls_sr: float = parameter(0.85, "LS_SR: progress from which stagnation calls it", 0.0, 1.0)
    ls_fsr: float = parameter(0.95, "LS_FSR: progress from which it is called anyway", 0.0, 1.0)
    ls_br: float = parameter(0.005, "LS_BR: a call's share of the budget", 0.0, 1.0)
    ls_mc: int = parameter(2, "LS_MC: largest number of calls; 0 switches it off", 0)
    ls_sg: int = parameter(8, "LS_SG: generations without improvement that are stagnation", 0)
    ls_isr: float = parameter(0.015, "LS_ISR: first step, as a share of the box's width", 0.0, 1.0)
    ls_min_rate: float = parameter(1e-8, "smallest step, as a share of the box's width", 0.0, 1.0)
    ls_delta: float = parameter(1e-4, "mean violation up to which objectives decide", 0.0)


def start(problem: Problem, config: DE2LSConfig, seed: int, budget: int) -> State:
    """Return the state before the first candidate."""
    state = setup.start(problem, config, seed, budget, late_local_search.FIELDS, extra_rows=1)
    for field in ("ls_seen_f", "ls_seen_v", "ls_centre_f", "ls_centre_v"):
        state.now[0][field] = np.inf
    return state


@block
def ask(state: State, cand: Candidate) -> bool:
    """Make the next candidate; False while all initial points are out."""
    now = state.now[0]
    if now.phase == INITIAL:
        return ask_initial(state, cand)
    if now.phase == LOCAL:
        if ask_local(state, cand):
            return True
        inject(state)
        merge(state)
        begin_generation(state)
    ask_trial(state, cand)
    return True


@block
def tell(state: State, cand: Candidate) -> None:
    """Take a candidate's result; the last one of a generation ends it."""
    now = state.now[0]
    kind = cand.info[0].kind
    feasible, f_best = now.best_cv <= now.feasible_tol, now.best_f
    f, v = observe(state, cand)
    if kind == INITIAL:
        if tell_initial(state, cand, f, v):
            begin_generation(state)
    elif kind == LOCAL:
        if feasible:
            now.ls_gain += f_best - now.best_f
        tell_local(state, cand, f, v)
    elif now.phase == LOCAL:
        return  # a trial that was out when the call began: seen by the recorder, no more
    elif tell_trial(state, cand, f, v):
        adapt_eb_rate(state)
        close_generation(state)
        if is_due(state):
            begin_call(state)
        else:
            merge(state)
            begin_generation(state)


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return turn(state, cand, action, ask, tell)


def variants() -> dict[str, DE2LSConfig]:
    """Return the paper's variants: one change each from the final setting, RDEx without search."""
    final = DE2LSConfig()
    return {
        "DE-2LS": final,
        "DE-2LS-BR01": replace(final, ls_br=0.01),
        "DE-2LS-BR015": replace(final, ls_br=0.015),
        "DE-2LS-SR80": replace(final, ls_sr=0.80),
        "DE-2LS-SR90": replace(final, ls_sr=0.90),
        "DE-2LS-SR80SG12": replace(final, ls_sr=0.80, ls_sg=12),
        "DE-2LS-MC1": replace(final, ls_mc=1),
        "DE-2LS-BR005MC3": replace(final, ls_br=0.005, ls_mc=3),
        "DE-2LS-ISR012": replace(final, ls_isr=0.012),
        "DE-2LS-ISR020": replace(final, ls_isr=0.020),
        "RDEx": replace(final, ls_mc=0),
    }


ALGORITHMS = {"de2ls": Algorithm("de2ls", "DE-2LS", DE2LSConfig, start, step, COUNTERS)}
