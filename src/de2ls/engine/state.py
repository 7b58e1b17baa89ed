"""The state of a trial: one NamedTuple of few arrays, and the candidate that travels with it.

Arrays only, so that a trial can be handed to compiled code, saved to a file and continued. What an
algorithm keeps beyond the common fields it adds to the records `now` (what changes) and `cfg`
(its parameters).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.engine.budget import n_samples, sample_stride
from de2ls.engine.random import RandomState, seed_state
from de2ls.jit.kernels import records
from de2ls.problems.problem import Problem

Records = NDArray[np.void]
Fields = Sequence[tuple[str, str]]  # names and types of a record's fields

TELL, ASK = 1, 2  # what a step does: take a result, make a candidate, or (their sum) both
NONE, INITIAL, SEARCH, LOCAL, RIVAL = 0, 1, 2, 3, 4  # what a candidate was made for

COMMON_FIELDS: Fields = [
    # budget and phase
    ("budget", "i8"),  # T
    ("n", "i8"),  # evaluations told so far
    ("finished", "i8"),  # whether the algorithm has ended before the budget
    ("phase", "i8"),
    ("n0", "i8"),  # initial population size
    ("n_pop", "i8"),  # current population size N
    ("issued", "i8"),  # candidates handed out in this generation
    ("told", "i8"),  # results taken in this generation
    ("eps", "f8"),  # epsilon level
    # how the problem measures violation
    ("n_ineq", "i8"),
    ("n_eq", "i8"),
    ("excess", "i8"),
    ("feasible_tol", "f8"),
    # incumbent
    ("best_f", "f8"),
    ("best_cv", "f8"),  # summed violation
    ("best_v", "f8"),  # mean violation, as the search sees it
    ("best_n", "i8"),  # evaluation that found it; 0 while all are invalid
    ("target", "f8"),  # objective at which a feasible incumbent ends the run
    ("reached", "i8"),  # whether it has done so
    # record
    ("row", "i8"),  # next row of the curve
    ("next_sample", "i8"),  # evaluations at which it is due
    ("least_cv", "f8"),  # LCV: the lowest summed violation so far
    ("stride", "i8"),  # evaluations between samples
    ("n_invalid", "i8"),
    ("watch_box", "i8"),  # whether points outside the box can occur
    ("n_outside", "i8"),
]

MEMBER = np.dtype([("f", "f8"), ("v", "f8"), ("row", "i8")])
CANDIDATE = np.dtype(
    [
        ("kind", "i8"),  # NONE (no candidate yet), INITIAL, SEARCH, LOCAL or RIVAL
        ("slot", "i8"),  # target's position
        ("F", "f8"),
        ("CR", "f8"),
        ("flag", "i8"),  # which operator made it
        ("f_target", "f8"),  # the target as it was when the candidate was made
        ("v_target", "f8"),
        ("call", "i8"),  # number of the local-search call, or of the pair in a race
    ]
)
EMPTY = np.zeros(0, MEMBER)  # for what an algorithm does not keep


class State(NamedTuple):
    """Everything a trial needs to continue."""

    now: Records  # (1,) scalars that change
    cfg: Records  # (1,) the algorithm's parameters
    rng: RandomState  # (4,)
    box: FloatArray  # (2, D) lower and upper bounds
    weight: FloatArray  # (n_constraints,) weights of the constraints in the search's violation
    tol: FloatArray  # (n_constraints,) tolerances of the constraints
    best: FloatArray  # (D + 1 + n_constraints,) incumbent: x, f, g, h
    curve: FloatArray  # (rows, 5) FEs, Min_EV, LCV, N, eps
    x: FloatArray  # (rows, D) vectors of all members
    top: Records  # population P: f, v and row of x
    front: Records  # front Q: f, v and row of x
    slot: Records  # per position: what the algorithm remembers of it
    rank: NDArray[np.int64]  # (k, capacity) orders
    memory: Records  # success history


class Candidate(NamedTuple):
    """A point to be evaluated, and its results."""

    x: FloatArray  # (D,)
    out: FloatArray  # (1 + n_constraints,) f, g, h
    info: Records  # (1,) CANDIDATE


def new_candidate(problem: Problem) -> Candidate:
    """Return an empty candidate for `problem`."""
    return Candidate(
        np.empty(problem.dim), np.empty(1 + problem.n_constraints), records(np.zeros(1, CANDIDATE))
    )


def new_state(
    problem: Problem,
    cfg: Records,
    seed: int,
    budget: int,
    n0: int,
    top: int,
    *,
    fields: Fields = (),
    front: int = 0,
    extra_rows: int = 0,
    slot: Records = EMPTY,
    orders: int = 0,
    memory: Records = EMPTY,
) -> State:
    """Allocate the state of a trial before its first candidate.

    `top` and `front` members, whose vectors are the first rows of x; `extra_rows` more vectors;
    `orders` orders of the larger population's size; `fields` are the algorithm's own in `now`.
    """
    now = np.zeros(1, np.dtype([*COMMON_FIELDS, *fields], align=True))
    fill_common(now[0], problem, budget, n0)
    members = np.zeros(top + front, MEMBER)
    members["row"] = np.arange(top + front)
    members["f"] = members["v"] = np.inf
    return State(
        now=records(now),
        cfg=records(cfg),
        rng=seed_state(seed),
        box=np.array([problem.lower, problem.upper]),
        weight=np.ones(problem.n_constraints),
        tol=problem.tolerances,
        best=np.full(problem.dim + 1 + problem.n_constraints, np.nan),
        curve=np.full((n_samples(problem.dim, budget), 5), np.nan),
        x=np.zeros((top + front + extra_rows, problem.dim)),
        top=records(members[:top].copy()),
        front=records(members[top:].copy()),
        slot=records(slot.copy()),
        rank=np.zeros((orders, max(top, front)), np.int64),
        memory=records(memory.copy()),
    )


def fill_common(now: Any, problem: Problem, budget: int, n0: int) -> None:
    """Set the common fields of `now` for a trial that begins."""
    now["budget"], now["n0"], now["n_pop"] = budget, n0, n0
    now["phase"] = INITIAL
    now["n_ineq"], now["n_eq"] = problem.n_ineq, problem.n_eq
    now["excess"] = problem.excess
    now["feasible_tol"] = problem.feasible_tol
    now["best_f"] = now["best_cv"] = now["best_v"] = now["least_cv"] = np.inf
    now["target"] = -np.inf
    now["stride"] = sample_stride(problem.dim, budget)
    now["next_sample"] = n0
