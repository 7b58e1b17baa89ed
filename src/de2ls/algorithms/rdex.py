"""RDEx: success-rate driven DE with two populations and a late exploitation-biased step.

The generation stands in `two_populations`; this module only sets it going. DE-2LS adds a local
search to it (`de2ls`); CL-SRDE is the same generation without its EB step and its perturbation.
"""

from dataclasses import dataclass

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.two_populations.generation import begin_generation, end_generation
from de2ls.algorithms.two_populations.setup import TwoPopulationConfig, start
from de2ls.algorithms.two_populations.trial import ask_trial, family_turn, tell_trial
from de2ls.engine.recorder import observe
from de2ls.engine.state import Candidate, State
from de2ls.jit.kernels import kernel


@dataclass(frozen=True, kw_only=True)
class RDExConfig(TwoPopulationConfig):
    """Parameters of RDEx."""


@kernel
def step(state: State, cand: Candidate, action: int) -> bool:
    """Take the candidate's result, make the next candidate, or do both."""
    return family_turn(
        state, cand, action, observe, tell_trial, end_generation, begin_generation, ask_trial
    )


ALGORITHMS = {"rdex": Algorithm("rdex", "RDEx", RDExConfig, start, step)}
