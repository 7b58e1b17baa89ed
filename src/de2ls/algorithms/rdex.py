"""RDEx: success-rate driven DE with two populations and a late exploitation-biased step.

The generation stands in `two_populations`; this module only sets it going. DE-2LS adds a local
search to it (`de2ls`); CL-SRDE is the same generation without its EB step and its perturbation.
"""

from dataclasses import dataclass

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.two_populations import (
    TwoPopulationConfig,
    adapt_eb_rate,
    ask_trial,
    begin_generation,
    close_generation,
    merge,
    start,
    tell_initial,
    tell_trial,
)
from de2ls.engine.members import ask_initial
from de2ls.engine.recorder import observe
from de2ls.engine.state import ASK, INITIAL, TELL, Candidate, State
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block, kernel


@dataclass(frozen=True, kw_only=True)
class RDExConfig(TwoPopulationConfig):
    """Parameters of RDEx."""


@block
def ask(state: State, cand: Candidate) -> bool:
    """Make the next candidate; False while all initial points are out."""
    if state.now[0].phase == INITIAL:
        return ask_initial(state, cand)
    ask_trial(state, cand)
    return True


@block
def tell(state: State, cand: Candidate) -> None:
    """Take a candidate's result; the last one of a generation ends it."""
    f, v = observe(state, cand)
    if cand.info[0].kind == INITIAL:
        if tell_initial(state, cand, f, v):
            begin_generation(state)
    elif tell_trial(state, cand, f, v):
        adapt_eb_rate(state)
        close_generation(state)
        merge(state)
        begin_generation(state)


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    s, c = borrow(state), borrow(cand)
    if action & TELL:
        tell(s, c)
    return ask(s, c) if action & ASK else True


ALGORITHMS = {"rdex": Algorithm("rdex", "RDEx", RDExConfig, start, step)}
