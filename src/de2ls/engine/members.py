"""Members of a population: small records (f, v, row) that point to a row of vectors."""

from typing import Any

from de2ls._checks import FloatArray
from de2ls.engine import random
from de2ls.engine.state import INITIAL, Candidate, State
from de2ls.jit.kernels import block, routine


@block
def copy_vector(source: FloatArray, target: FloatArray) -> None:
    """Copy `source` into `target`."""
    for j in range(target.shape[0]):
        target[j] = source[j]


@block
def write_member(state: State, members: Any, i: int, x: FloatArray, f: float, v: float) -> None:
    """Write a point into position `i` of a population."""
    members[i].f = f
    members[i].v = v
    copy_vector(x, state.x[members[i].row])


@routine
def ask_initial(state: State, cand: Candidate) -> bool:
    """Hand out the next initial point; False when all are out and not all are back."""
    now = state.now[0]
    if now.issued == now.n0:
        return False
    random.uniform_point(state.rng, state.box, cand.x)
    cand.info[0].kind = INITIAL
    cand.info[0].slot = now.issued
    now.issued += 1
    return True
