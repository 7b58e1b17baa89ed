"""What makes an algorithm: a name, a configuration and three compiled functions."""

from collections.abc import Callable
from dataclasses import dataclass

from de2ls.algorithms.config import Config
from de2ls.engine.state import Candidate, State


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, stated once as reverse communication.

    `start(problem, config, seed, budget)` returns the state before the first candidate. `ask` fills
    a candidate and says whether there was one to give; `tell` takes its result; `advance` does both
    in one call, result in and next candidate out.
    """

    name: str
    title: str  # what tables call it
    config_class: type[Config]
    start: Callable[..., State]
    ask: Callable[[State, Candidate], bool]
    tell: Callable[[State, Candidate], None]
    advance: Callable[[State, Candidate], None]
