"""A case and its drive: CHORUS on a vectorised function, without the package around it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import Answers, Space
from de2ls.algorithms.chorus import ChorusConfig, search


class Case:
    """A problem as a function of many points: ``function(X)`` returns f, g, h."""

    def __init__(
        self,
        function: Callable[[FloatArray], tuple[Any, Any, Any]],
        dim: int,
        n_ineq: int = 0,
        n_eq: int = 0,
        lower: Any = -5.0,
        upper: Any = 5.0,
        eq_tol: float = 1e-4,
        discrete: Any = (),
        snap: Callable[[FloatArray], FloatArray] = np.copy,
    ) -> None:
        self.function, self.dim, self.n_ineq, self.n_eq = function, dim, n_ineq, n_eq
        self.lower, self.upper = np.zeros(dim) + lower, np.zeros(dim) + upper
        self.eq_tol, self.snap = eq_tol, snap
        self.discrete = np.zeros(dim, bool)
        self.discrete[list(discrete)] = True

    def space(self, workers: int = 1, x0: Any = None) -> Space:
        """Return what a search is given."""
        return Space(
            self.lower,
            self.upper,
            self.n_ineq,
            self.n_eq,
            self.eq_tol,
            1e-8,
            False,
            self.discrete,
            np.empty((0, self.dim)) if x0 is None else np.atleast_2d(np.asarray(x0, float)),
            workers=workers,
            snap=self.snap,
        )

    def answers(self, X: FloatArray) -> Answers:
        """Evaluate points."""
        f, g, h = (np.asarray(part, float) for part in self.function(X))
        over = np.abs(h)
        with np.errstate(invalid="ignore"):
            v = np.maximum(g, 0).sum(1) + np.where(over > self.eq_tol, over, 0).sum(1)
        bad = np.isnan(f) | np.isnan(v) | (f == -np.inf)
        return Answers(np.where(bad, np.inf, f), g, h, np.where(bad, np.inf, v))


class Run(NamedTuple):
    """What came of a drive."""

    points: FloatArray
    answers: Answers
    reason: str
    counters: dict[str, float]
    notes: dict[str, Any]
    batches: list[int]
    inside: bool

    @property
    def n_evals(self) -> int:
        """Points evaluated."""
        return len(self.points)

    @property
    def best(self) -> float:
        """Best objective of a feasible point."""
        feasible = self.answers.f[self.answers.v <= 1e-8]
        return float(feasible.min()) if feasible.size else np.inf

    @property
    def least_violation(self) -> float:
        """Least summed violation."""
        return float(self.answers.v.min())

    def evaluations_to(self, f: float) -> float:
        """Evaluations until a feasible point had at most the objective `f`."""
        hit = np.flatnonzero((self.answers.v <= 1e-8) & (self.answers.f <= f))
        return float(hit[0] + 1) if hit.size else np.inf


def drive(
    case: Case, budget: int, seed: int = 1, workers: int = 1, x0: Any = None, **config: Any
) -> Run:
    """Run CHORUS on a case."""
    space = case.space(workers, x0)
    batches = search(space, np.random.default_rng(seed), budget, ChorusConfig(**config))
    points, told, reason = [], [], "budget"
    try:
        X = next(batches)
        while True:
            X = np.array(X)
            points.append(X)
            told.append(case.answers(X))
            X = batches.send(told[-1])
    except StopIteration as end:
        reason = end.value
    everything = np.concatenate(points)
    inside = bool(((everything >= case.lower) & (everything <= case.upper)).all())
    answers = Answers(*(np.concatenate(part) for part in zip(*told, strict=True)))
    sizes = [len(X) for X in points]
    return Run(everything, answers, reason, space.counters, space.notes, sizes, inside)
