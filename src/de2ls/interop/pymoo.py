"""pymoo: our algorithms for `pymoo.optimize.minimize`, and its problems as ours."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._extras import extra
from de2ls.engine.budget import EVALS_PER_DIM
from de2ls.optimize.optimizer import Candidate, Optimizer
from de2ls.problems.problem import Problem
from de2ls.problems.wrap import problem as make_problem

with extra("pymoo"):
    from pymoo.core.algorithm import Algorithm
    from pymoo.core.population import Population
    from pymoo.util.display.single import SingleObjectiveOutput


TOLERANCES = (0.0, 1e-4)  # pymoo's own, for inequalities and equalities


class DE2LS(Algorithm):  # type: ignore[misc]
    """A single-objective algorithm for `pymoo.optimize.minimize`.

    Parameters
    ----------
    algorithm : str
        Registered name, see `de2ls.algorithm_names`.
    config : mapping, optional
        Parameters that differ from the algorithm's defaults.
    max_evals : int, optional
        The budget, to which the search adapts. By default that of the termination
        ``("n_eval", ...)``, or 20000 per variable.
    batch : int, optional
        Points evaluated together; one generation by default. 1 is the algorithm itself, more is
        its variant with deferred updating.
    **kwargs
        Further arguments of pymoo's `Algorithm`.

    Examples
    --------
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> from de2ls.interop.pymoo import DE2LS
    >>> res = minimize(get_problem("g1"), DE2LS(), ("n_eval", 20000), seed=1)
    >>> round(float(res.F[0]), 3)
    -15.0
    """

    def __init__(
        self,
        algorithm: str = "de2ls",
        config: Mapping[str, Any] | None = None,
        max_evals: int | None = None,
        batch: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(output=kwargs.pop("output", SingleObjectiveOutput()), **kwargs)
        self.algorithm = algorithm
        self.config = config
        self.max_evals = max_evals
        self.batch = None if batch is None else _checks.integer("batch", batch, 1)
        self.optimizer: Optimizer | None = None
        self._out: list[Candidate] = []

    def _setup(self, problem: Any, **kwargs: Any) -> None:
        del kwargs
        budget = self.max_evals or _evaluations(self.termination) or EVALS_PER_DIM * problem.n_var
        self.optimizer = Optimizer(
            _bounds(problem),
            problem.n_ieq_constr,
            problem.n_eq_constr,
            algorithm=self.algorithm,
            config=self.config,
            max_evals=budget,
            seed=self.random_state,
            integrality=_integers(problem),
            constraint_tol=TOLERANCES,
        )

    def _initialize_infill(self) -> Population:
        return self._asked(self.batch)

    def _infill(self) -> Population:
        return self._asked(self.batch)

    def _asked(self, n: int | None) -> Population:
        assert self.optimizer is not None
        self._out = self.optimizer.ask(n or self.optimizer.population_size)
        return Population.new("X", np.array([candidate.x for candidate in self._out]))

    def _initialize_advance(self, infills: Any = None, **kwargs: Any) -> None:
        self._advance(infills, **kwargs)

    def _advance(self, infills: Any = None, **kwargs: Any) -> None:
        del kwargs
        assert self.optimizer is not None
        F, G, H = infills.get("F", "G", "H")
        for candidate, f, g, h in zip(self._out, F, G, H, strict=True):
            self.optimizer.tell(candidate, f, g, h)
        # the best point so far stays in pymoo's population, from which it takes the optimum
        self.pop = infills if self.opt is None else Population.merge(infills, self.opt)
        if self.optimizer.finished:
            self.termination.terminate()


def _evaluations(termination: Any) -> int | None:
    """Return the budget of pymoo's terminations that have one."""
    inner = getattr(termination, "max_evals", termination)
    limit = getattr(inner, "n_max_evals", None)
    return int(limit) if limit is not None and np.isfinite(limit) else None


def _bounds(problem: Any) -> FloatArray:
    if problem.n_obj != 1:
        raise ValueError(f"problem must have one objective, got {problem.n_obj}")
    if isinstance(problem.xl, Mapping):
        raise ValueError(
            f"problem must have a vector of variables (xl, xu, vtype), got vars={problem.vars}"
        )
    if problem.xl is None or problem.xu is None:
        raise ValueError("problem must have lower and upper limits xl and xu")
    return np.transpose([problem.xl, problem.xu]).astype(np.float64)


def _integers(problem: Any) -> bool | None:
    return True if getattr(problem, "vtype", None) in (int, bool) else None


def from_pymoo(problem: Any, vectorized: bool = False) -> Problem:
    """Return a single-objective problem of pymoo as a `Problem`.

    Parameters
    ----------
    problem : pymoo.core.problem.Problem
        Its ``G <= 0`` and ``H = 0`` become g and h, with pymoo's tolerances 0 and 1e-4.
    vectorized : bool
        Whether whole batches are evaluated at once, by default one generation.
    """

    def many(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        values = problem.evaluate(x.T, return_as_dictionary=True)
        nothing = np.empty((x.shape[1], 0))
        return values["F"][:, 0], values.get("G", nothing).T, values.get("H", nothing).T

    def one(x: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        f, g, h = many(x[:, np.newaxis])
        return float(f[0]), g[:, 0], h[:, 0]

    return make_problem(
        many if vectorized else one,
        _bounds(problem),
        n_ineq=problem.n_ieq_constr,
        n_eq=problem.n_eq_constr,
        integrality=_integers(problem),
        vectorized=vectorized,
        constraint_tol=TOLERANCES,
        name=type(problem).__name__,
    )
