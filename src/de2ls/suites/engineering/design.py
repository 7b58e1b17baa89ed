"""`Design`: what a problem of the engineering suite is, beside its function."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from de2ls._checks import FloatArray
from de2ls.problems.problem import Problem
from de2ls.problems.wrap import problem

FEASIBLE_TOL = 1e-8  # summed violation
EQ_TOL = 1e-6

Values = tuple[float, Sequence[float] | FloatArray, Sequence[float] | FloatArray]  # f, g, h


@dataclasses.dataclass(frozen=True, eq=False)
class Design:
    """A design problem with its best known solution.

    Parameters
    ----------
    fun : callable
        ``fun(x)`` returns f, g, h of a design; the first line of its docstring is the title.
    bounds : sequence
        A pair or `de2ls.choices` for each variable.
    n_ineq, n_eq : int
        Numbers of inequalities g <= 0 and equalities h = 0.
    best : sequence of float
        The best known design; its objective is the best known value.
    integers : sequence of int
        Which variables are integers.
    tags : sequence of str
        Groups it belongs to, beside those that follow from its variables and constraints.
    variant : str
        What tells it apart from another problem with the same function.
    """

    fun: Callable[[FloatArray], Values]
    bounds: Sequence[Any]
    n_ineq: int
    best: Sequence[float]
    n_eq: int = 0
    integers: Sequence[int] = ()
    tags: Sequence[str] = ()
    variant: str = ""

    @property
    def name(self) -> str:
        """What keys and tables call it, such as welded-beam."""
        return self.fun.__name__.replace("_", "-") + self.variant

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return str(self.fun.__doc__).partition("\n")[0].rstrip(".") + self.variant.replace(
            "-", ", "
        )

    @property
    def dim(self) -> int:
        """Number of variables."""
        return len(self.bounds)

    @property
    def groups(self) -> list[str]:
        """The groups it belongs to: kind of variables, equalities, and its own tags."""
        discrete = len(self.integers) + sum(not isinstance(b, tuple) for b in self.bounds)
        kind = "mixed" if 0 < discrete < self.dim else "discrete" if discrete else "continuous"
        return [kind, *(["equalities"] if self.n_eq else []), *self.tags]

    def problem(self) -> Problem:
        """Return it as a `Problem`."""
        made = problem(
            self.fun,
            self.bounds,
            n_ineq=self.n_ineq,
            n_eq=self.n_eq,
            integrality=[j in self.integers for j in range(self.dim)],
            constraint_tol=(0.0, EQ_TOL),
            name=self.name,
        )
        best_known = made.evaluate(made.encode(self.best)).f
        return dataclasses.replace(
            made, best_known=best_known, feasible_tol=FEASIBLE_TOL, excess=False
        )
