"""States of a generation made by hand, for tests of single steps."""

from typing import Any

import numpy as np

from de2ls.algorithms import de2ls
from de2ls.algorithms.de2ls import DE2LSConfig
from de2ls.algorithms.two_populations import generation
from de2ls.algorithms.two_populations.operators import A, B
from de2ls.engine.state import Candidate, State, new_candidate
from de2ls.problems.problem import Problem
from tests.helpers import compiled

Points = list[tuple[float, float]]  # f and v of members


def box_problem(dim: int, low: float = -10.0, high: float = 10.0) -> Problem:
    """Return a problem with one inequality; its values never matter here."""
    return Problem(
        "box", np.full(dim, low), np.full(dim, high), 1, 0, function=lambda x, out: out.fill(0.0)
    )


def make_state(
    front: Points,
    top: Points | None = None,
    *,
    n: int = 500,
    T: int = 1000,
    N0: int | None = None,
    problem: Problem | None = None,
    **config: Any,
) -> tuple[State, Candidate]:
    """Return a trial at n of T evaluations whose populations have the given f and v.

    The coordinates of the member in position i are 10 + i in P and 20 + i in Q; as always, the
    members of P stand in the order in which they were truncated.
    """
    problem = problem or box_problem(2, -100.0, 100.0)
    N0 = N0 or len(front)
    state = de2ls.start(problem, DE2LSConfig(n0=N0, **config), 1, T)
    now = state.now[0]
    now["n"], now["n_pop"] = n, len(front)
    for members, points, offset in ((state.top, top or front, 10.0), (state.front, front, 20.0)):
        for i, (f, v) in enumerate(points):
            members[i]["f"], members[i]["v"] = f, v
            state.x[members[i]["row"]] = offset + i
    return state, new_candidate(problem)


def begun(*arguments: Any, eps: float | None = None, **options: Any) -> tuple[State, Candidate]:
    """Return such a trial whose generation has begun, at a level of choice."""
    state, cand = make_state(*arguments, **options)
    compiled(generation.begin_generation)(state)
    if eps is not None:
        state.now[0]["eps"] = eps
        n = state.now[0]["n_pop"]
        for row, members in ((A, state.top), (B, state.front)):
            state.rank[row, :n] = eps_order(points_of(members, n), eps)
    return state, cand


def points_of(members: np.ndarray, count: int) -> Points:
    return [(float(m["f"]), float(m["v"])) for m in members[:count]]


def vectors_of(state: State, members: np.ndarray, count: int) -> list[float]:
    """Return the first coordinate of each member, which tells who it is."""
    return [float(state.x[m["row"], 0]) for m in members[:count]]


def eps_order(points: Points, eps: float) -> list[int]:
    """Positions, best first: v <= eps by f, then the others by v; ties: higher position first."""

    def key(i: int) -> tuple[bool, float, int]:
        f, v = points[i]
        return (v > eps, v if v > eps else f, -i)

    return sorted(range(len(points)), key=key)
