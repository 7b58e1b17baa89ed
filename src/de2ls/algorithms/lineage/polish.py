"""Local search from the best: SQP, with every evaluation counted."""

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from de2ls._checks import FloatArray
from de2ls.algorithms.config import parameter
from de2ls.algorithms.lineage.members import LineageConfig, Members, Run, better_of
from de2ls.algorithms.lineage.sqp import SQP


@dataclass(frozen=True, kw_only=True)
class PolishConfig(LineageConfig):
    """Parameters of the local search, for the algorithms that have one."""

    ls_from: float = parameter(0.85, "progress from which the local search may be called", 0.0, 1.0)
    ls_first: float = parameter(0.1, "p_LS: chance of a call per generation at first", 0.0, 1.0)
    ls_after_success: float = parameter(0.1, "p_LS after a success", 0.0, 1.0)
    ls_after_failure: float = parameter(0.01, "p_LS after a failure", 0.0, 1.0)
    ls_share: float = parameter(0.02, "share of the budget that a call may spend", 0.0, 1.0)
    ls_tol: float = parameter(
        1e-6, "relative step, and slopes beside the first ones, at which it ends", 0.0
    )


class Polish:
    """The late local search, whose chance follows its success."""

    def __init__(self, run: Run[PolishConfig]) -> None:
        self.run = run
        self.chance = run.config.ls_first
        self.counters = run.space.counters
        for name in ("ls_calls", "ls_evaluations", "ls_improved"):
            self.counters[name] = 0

    def try_from(self, pop: Members) -> Generator[FloatArray, Any, Members | None]:
        """Call it by chance from the best member; return a better point, if it found one."""
        run, c = self.run, self.run.config
        if run.progress <= c.ls_from or run.numpy_rng.random() >= self.chance:
            return None
        start = pop[pop.order()[:1]]
        before = run.t
        found = yield from descent(run, start, math.ceil(c.ls_share * run.budget), c.ls_tol)
        self.counters["ls_calls"] += 1
        self.counters["ls_evaluations"] += run.t - before
        improved = found.order()[0] == 1
        self.counters["ls_improved"] += improved
        self.chance = c.ls_after_success if improved else c.ls_after_failure
        return found[1:] if improved else None


def descent(
    run: Run[LineageConfig], start: Members, limit: int, tolerance: float
) -> Generator[FloatArray, Any, Members]:
    """Minimise from `start`, with at most `limit` evaluations; return the start and the best.

    f under the constraints, or the violation while the start is infeasible. Only steps are taken:
    points of differences beside the start are nearly always a little better on one side, which
    says nothing of the search.
    """
    feasible = bool(start.v[0] <= run.space.feasible_tol)
    sqp = SQP(run.space, run.box, start.x[0], feasible, tolerance)
    best, points = start, start.x
    while len(points) and limit > 0:
        points = points[:limit]
        limit -= len(points)
        y = yield points
        run.t += len(points)
        if not sqp.wants_slopes:
            best = better_of(best, Members(points, y.f, y.v))
        if limit > 0:
            points = sqp.advance(y)
    return start.joined(best)
