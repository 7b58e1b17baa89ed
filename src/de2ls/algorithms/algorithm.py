"""What makes an algorithm: a name, a configuration, and its compiled step."""

from collections.abc import Callable
from dataclasses import dataclass

from de2ls.algorithms.config import Config
from de2ls.engine.state import Candidate, State


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, stated once as reverse communication.

    `start(problem, config, seed, budget)` returns the state before the first candidate.
    ``step(state, cand, action)`` is compiled. With the action TELL it takes the candidate's result,
    with ASK it makes a candidate and says whether there was one to give, with both it turns one
    evaluation into the next: the compiled loop, ask/tell and paused trials all drive it.
    """

    name: str
    title: str  # what tables call it
    config_class: type[Config]
    start: Callable[..., State]
    step: Callable[[State, Candidate, int], bool]
