"""The turn of a compiled algorithm: from one evaluation to the next."""

from collections.abc import Callable

from de2ls.engine.state import ASK, TELL, Candidate, State
from de2ls.jit.borrow import borrow
from de2ls.jit.kernels import block


@block
def turn(
    state: State,
    cand: Candidate,
    action: int,
    ask: Callable[[State, Candidate], bool],
    tell: Callable[[State, Candidate], None],
) -> bool:
    """Take the candidate's result, make the next candidate, or do both.

    The algorithm's `ask` and `tell` are compiled into its step, which consists of this call.
    """
    s, c = borrow(state), borrow(cand)
    if action & TELL:
        tell(s, c)
    return ask(s, c) if action & ASK else True
