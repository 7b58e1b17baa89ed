"""What a generator of batches works with: the space it searches and the answers it gets.

A search is a generator function ``search(space, rng, budget, config)``. It yields batches of
points, one per row, and each ``yield`` gives their `Answers`. It never calls the objective, so that
everything that drives an algorithm can drive it.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.problems.problem import Problem

EVERY_POINT = "every point is evaluated"  # the reason of a search that has none left to try


def as_good(f: float, best: float, size: float) -> bool:
    """Whether an objective is the best one, up to rounding and the ends of local searches.

    Parameters
    ----------
    f, best : float
        The objective and the best one.
    size : float
        The typical size of the objective's changes across the box.
    """
    return f - best <= 1e-6 * abs(best) + 1e-8 * size


class Answers(NamedTuple):
    """The results of a batch, one row per point, in the order of the batch.

    A point without a value (NaN in the objective or a constraint, or an objective of minus
    infinity) has ``f = v = inf``, so that it loses every comparison; its g and h are as given.
    """

    f: FloatArray  # (n,) objective
    g: FloatArray  # (n, n_ineq) inequalities, satisfied iff g <= ineq_tol
    h: FloatArray  # (n, n_eq) equalities, satisfied iff abs(h) <= eq_tol
    v: FloatArray  # (n,) summed violation; a point is feasible iff v <= space.feasible_tol


Search = Callable[
    ["Space", np.random.Generator, int, Any], Generator[FloatArray, Answers, str | None]
]


@dataclass(frozen=True, eq=False)
class Space:
    """The box, what is known of the constraints, and what the search may tell of itself.

    Parameters
    ----------
    lower, upper : ndarray, shape (D,)
        The box; every point of a batch lies in it. A discrete coordinate is continuous here: each
        of its values has an interval of the same width, see `round`.
    n_ineq, n_eq : int
        Numbers of inequalities g <= 0 and equalities h = 0.
    eq_tol : float or ndarray
        An equality is violated iff ``abs(h) > eq_tol``.
    ineq_tol : float or ndarray
        An inequality is violated iff ``g > ineq_tol``.
    feasible_tol : float
        A point is feasible iff its summed violation is at most this.
    excess : bool
        Whether a violated equality counts with ``abs(h) - eq_tol`` instead of ``abs(h)``.
    discrete : ndarray of bool, shape (D,)
        Which coordinates take discrete values.
    x0 : ndarray, shape (k, D)
        The user's starting points, possibly none.
    workers : int
        How many points are evaluated at once: a batch of fewer leaves workers idle.
    counters : dict
        The search may count here what it does (names and numbers); the record keeps it.
    notes : dict
        The search may leave here what it knows of the solution; `de2ls.minimize` reads it.
    injected : list
        Points that were evaluated elsewhere, (n, D), and their answers; the search may take them
        from here whenever it goes on.
    """

    lower: FloatArray
    upper: FloatArray
    n_ineq: int
    n_eq: int
    eq_tol: Any
    feasible_tol: float
    excess: bool
    discrete: NDArray[np.bool_]
    x0: FloatArray
    workers: int = 1
    ineq_tol: Any = 0.0
    snap: Callable[[FloatArray], FloatArray] = field(default=np.copy, repr=False)
    counters: dict[str, float] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    injected: list[tuple[FloatArray, Answers]] = field(default_factory=list)

    @classmethod
    def of(cls, problem: Problem, x0: FloatArray | None = None, workers: int = 1) -> Self:
        """Return the space of a problem."""
        return cls(
            lower=problem.lower,
            upper=problem.upper,
            n_ineq=problem.n_ineq,
            n_eq=problem.n_eq,
            eq_tol=problem.eq_tol,
            feasible_tol=problem.feasible_tol,
            excess=problem.excess,
            discrete=problem.discrete,
            x0=np.empty((0, problem.dim)) if x0 is None else np.atleast_2d(x0),
            workers=workers,
            ineq_tol=problem.ineq_tol,
            snap=problem.round,
        )

    @property
    def dim(self) -> int:
        """Number of coordinates D."""
        return self.lower.size

    def sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Return `n` points drawn uniformly from the box."""
        drawn = self.lower + rng.random((n, self.dim)) * (self.upper - self.lower)
        return np.minimum(drawn, self.upper)  # rounding can lead out of the box by one bit

    def clip(self, X: FloatArray) -> FloatArray:
        """Return the points with each coordinate moved to the bound that it exceeds."""
        return np.clip(X, self.lower, self.upper)

    def round(self, X: FloatArray) -> FloatArray:
        """Return the points with discrete coordinates on a step.

        Points that round to the same one have the same results.
        """
        return self.snap(np.asarray(X, dtype=np.float64))

    def order(self, f: FloatArray, v: FloatArray) -> NDArray[np.intp]:
        """Return the positions from best to worst, by the rule that decides "best" everywhere.

        Feasible before infeasible, feasible ones by objective, infeasible ones by violation; equal
        ones in the order given.
        """
        infeasible = ~(v <= self.feasible_tol)
        return np.lexsort((np.where(infeasible, v, f), infeasible))
