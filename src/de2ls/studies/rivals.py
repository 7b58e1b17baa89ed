"""Other people's solvers on our problems, each as its users call it, under one counter.

An evaluation is one point, objective and constraints together. A `Meter` counts it, remembers what
was best after how many, and ends the run when the budget is used up, whatever the solver thinks.
Local solvers work in the unit box, start at random points and start again until the end. Integer
and listed coordinates are continuous to solvers that know no others; the problem rounds them.
"""

import contextlib
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls._extras import extra
from de2ls.problems.problem import Evaluation, Problem

SLACK = 1e-6  # a point counts as feasible if no constraint exceeds its tolerance by more
_UNDEFINED = 1e30  # what solvers that cannot take NaN are told instead; COBYLA hung at 1e100


class EndOfBudgetError(BaseException):
    """No evaluation, or no time, is left; no failure of the function, so that none handles it."""


class Meter:
    """Counts evaluations and remembers the progress of the best point.

    Parameters
    ----------
    problem : Problem
        What is minimised.
    budget : int
        Evaluations until `EndOfBudgetError`.
    max_time : float
        Seconds of CPU until then.
    """

    def __init__(self, problem: Problem, budget: int, max_time: float = np.inf) -> None:
        self.problem = problem
        self.budget = budget
        self.used = 0
        self.history: list[tuple[int, float]] = []  # evaluations and best feasible objective
        self.points: list[FloatArray] = []  # those of the history
        self.strict: list[tuple[int, float]] = []  # the same without the slack
        self.violation = np.inf  # the least so far
        self.ended = ""  # "time" if the time has ended the run
        self._end = time.process_time() + max_time
        self._last: tuple[bytes, Evaluation | None] = (b"", None)

    def __call__(self, x: Any) -> Evaluation:
        """Return f, g, h of a point; asking again for the last point costs nothing."""
        point = np.clip(np.asarray(x, dtype=float), self.problem.lower, self.problem.upper)
        seen, values = self._last
        if values is None or seen != point.tobytes():
            if self.used < self.budget and time.process_time() > self._end:
                self.ended = "time"
            if self.used >= self.budget or self.ended:
                raise EndOfBudgetError
            values = self.problem.evaluate(point)
            self.used += 1
            self._note(point, values)
            self._last = point.tobytes(), values
        return values

    def unit(self, u: Any) -> Evaluation:
        """Return f, g, h of a point of the unit box, huge where they are undefined."""
        width = self.problem.upper - self.problem.lower
        values = self(self.problem.lower + np.asarray(u) * width)
        return Evaluation(*(np.nan_to_num(part, nan=_UNDEFINED) for part in values))

    def metered(self) -> Problem:
        """Return the problem in plain Python, every evaluation of which is counted here."""

        def function(x: FloatArray, out: FloatArray) -> None:
            f, g, h = self(x)
            out[0], out[1 : 1 + g.size], out[1 + g.size :] = f, g, h

        return replace(self.problem, kernel=None, many=None, function=function)

    def _note(self, point: FloatArray, values: Evaluation) -> None:
        excess = np.append(values.g, np.abs(values.h) - self.problem.eq_tol)
        violation = float(np.maximum(excess, 0.0).sum()) if excess.size else 0.0
        self.violation = min(self.violation, violation)
        if not (excess > SLACK).any() and not np.isnan(excess).any():
            if self._improve(self.history, values.f):
                self.points.append(point)
            if self.problem.is_feasible(values.g, values.h):
                self._improve(self.strict, values.f)

    def _improve(self, history: list[tuple[int, float]], f: float) -> bool:
        better = bool(f < (history[-1][1] if history else np.inf))
        if better:
            history.append((self.used, float(f)))
        return better


def by_minimize(meter: Meter, seed: int, **options: Any) -> None:
    """Run `de2ls.minimize`, which knows the budget and the kinds of variables."""
    from de2ls.optimize.minimizer import minimize

    minimize(meter.metered(), max_evals=meter.budget, seed=seed, **options)


def by_slsqp(meter: Meter, seed: int) -> None:
    """Run SciPy's SLSQP with its own differences."""
    _restart(meter, seed, "SLSQP", {"maxiter": 1000, "ftol": 1e-12})


def by_cobyqa(meter: Meter, seed: int) -> None:
    """Run SciPy's COBYQA; a start ends when its steps are down to 1e-8 of the box."""
    options = {
        "initial_tr_radius": 0.2,
        "final_tr_radius": 1e-8,
        "maxfev": meter.budget,
        "feasibility_tol": SLACK,
    }
    _restart(meter, seed, "COBYQA", options)


def _restart(meter: Meter, seed: int, method: Any, options: Any) -> None:
    from scipy.optimize import Bounds, NonlinearConstraint, minimize

    p, rng = meter.problem, np.random.default_rng(seed)
    constraints = []
    if p.n_ineq:
        constraints.append(NonlinearConstraint(lambda u: meter.unit(u).g, -np.inf, 0.0))
    if p.n_eq:
        constraints.append(NonlinearConstraint(lambda u: meter.unit(u).h, 0.0, 0.0))

    def objective(u: FloatArray) -> float:
        return float(meter.unit(u).f)

    while True:
        with contextlib.suppress(ValueError, np.linalg.LinAlgError):
            minimize(
                objective,
                rng.random(p.dim),
                method=method,
                bounds=Bounds(np.zeros(p.dim), np.ones(p.dim)),
                constraints=constraints,
                options=options,
            )


def by_scipy_de(meter: Meter, seed: int) -> None:
    """Run SciPy's differential evolution with its defaults, as often as the budget lasts."""
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    p = meter.problem
    band = np.append(np.zeros(p.n_ineq), np.full(p.n_eq, p.eq_tol))
    low = np.append(np.full(p.n_ineq, -np.inf), -band[p.n_ineq :])
    limits = NonlinearConstraint(lambda x: np.append(meter(x).g, meter(x).h), low, band)
    rng = np.random.default_rng(seed)

    def objective(x: FloatArray) -> float:
        return float(np.nan_to_num(meter(x).f, nan=_UNDEFINED))

    while True:
        differential_evolution(
            objective,
            Bounds(p.lower, p.upper),
            constraints=limits if p.n_constraints else (),
            maxiter=meter.budget,
            rng=rng,
        )


def by_pymoo_de(meter: Meter, seed: int) -> None:
    """Run pymoo's differential evolution with its defaults."""
    with extra("pymoo"):
        from pymoo.algorithms.soo.nonconvex.de import DE
        from pymoo.core.problem import ElementwiseProblem
        from pymoo.optimize import minimize

    p = meter.problem

    class Form(ElementwiseProblem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(
                n_var=p.dim,
                n_obj=1,
                n_ieq_constr=p.n_ineq,
                n_eq_constr=p.n_eq,
                xl=p.lower,
                xu=p.upper,
            )

        def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            del args, kwargs
            out["F"], out["G"], out["H"] = meter(x)

    while True:
        minimize(Form(), DE(), ("n_eval", meter.budget), seed=seed)
        seed += 1


def by_cobyla(meter: Meter, seed: int) -> None:
    """Run NLopt's COBYLA; a start ends when its steps are down to 1e-8 of the box."""
    nlopt = _nlopt()
    dim, rng = meter.problem.dim, np.random.default_rng(seed)
    while True:
        solver = _nlopt_solver(meter, nlopt.LN_COBYLA)
        solver.set_initial_step(0.2)
        solver.set_xtol_abs(1e-8)
        with contextlib.suppress(nlopt.RoundoffLimited, ValueError):
            solver.optimize(rng.random(dim))


def by_isres(meter: Meter, seed: int) -> None:
    """Run NLopt's ISRES with its defaults."""
    nlopt = _nlopt()
    nlopt.srand(seed)
    solver = _nlopt_solver(meter, nlopt.GN_ISRES)
    solver.set_maxeval(meter.budget + 1)
    solver.optimize(np.random.default_rng(seed).random(meter.problem.dim))


def _nlopt() -> Any:
    with extra("studies"):
        import nlopt
    return nlopt


def _nlopt_solver(meter: Meter, method: int) -> Any:
    """Return an NLopt solver of the problem in the unit box."""
    nlopt, p = _nlopt(), meter.problem

    def objective(u: FloatArray, gradient: FloatArray) -> float:
        del gradient
        return float(meter.unit(u).f)

    def inequalities(result: FloatArray, u: FloatArray, gradient: FloatArray) -> None:
        del gradient
        result[:] = meter.unit(u).g

    def equalities(result: FloatArray, u: FloatArray, gradient: FloatArray) -> None:
        del gradient
        result[:] = meter.unit(u).h

    solver = nlopt.opt(method, p.dim)
    solver.set_lower_bounds(np.zeros(p.dim))
    solver.set_upper_bounds(np.ones(p.dim))
    solver.set_min_objective(objective)
    if p.n_ineq:
        solver.add_inequality_mconstraint(inequalities, np.zeros(p.n_ineq))
    if p.n_eq:
        solver.add_equality_mconstraint(equalities, np.full(p.n_eq, p.eq_tol))
    return solver


def by_cma(meter: Meter, seed: int) -> None:
    """Run pycma's augmented Lagrangian, equalities as pairs of inequalities."""
    with extra("studies"):
        import cma

    p, rng = meter.problem, np.random.default_rng(seed)

    def constraints(u: Any) -> list[float]:
        _, g, h = meter.unit(u)
        return [*g, *(h - p.eq_tol), *(-h - p.eq_tol)] or [-1.0]  # it cannot do without any

    while True:
        cma.fmin_con2(
            lambda u: float(meter.unit(u).f),
            rng.random(max(p.dim, 2))[: p.dim],
            0.3,
            constraints=constraints,
            options={
                "bounds": [0, 1],
                "seed": int(rng.integers(1, 2**31)),
                "verbose": -9,
                "maxfevals": meter.budget,
            },
        )


@dataclass(frozen=True)
class Solver:
    """A solver of the comparison."""

    title: str
    solve: Callable[..., None]  # (meter, seed)
    knows_budget: bool = False  # whether it plans its run by it: then each budget needs a run


SOLVERS = {
    "chorus": Solver("minimize", by_minimize, knows_budget=True),
    "de2ls": Solver(
        "DE-2LS",
        lambda meter, seed: by_minimize(meter, seed, algorithm="de2ls"),
        knows_budget=True,
    ),
    "polish": Solver(
        "DE-2LS, polish=True",
        lambda meter, seed: by_minimize(meter, seed, algorithm="de2ls", polish=True),
        knows_budget=True,
    ),
    "cobyla": Solver("COBYLA multi-start", by_cobyla),
    "slsqp": Solver("SLSQP multi-start", by_slsqp),
    "cobyqa": Solver("COBYQA multi-start", by_cobyqa),
    "cma-al": Solver("cma, augmented Lagrangian", by_cma),
    "scipy-de": Solver("SciPy DE", by_scipy_de),
    "pymoo-de": Solver("pymoo DE", by_pymoo_de),
    "isres": Solver("NLopt ISRES", by_isres),
}


def measure(
    solve: Callable[..., None], problem: Problem, seed: int, budget: int, max_time: float = np.inf
) -> Meter:
    """Run one solver on one problem until its budget, its time or its own end is reached."""
    meter = Meter(problem, budget, max_time)
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.suppress(EndOfBudgetError),
    ):
        warnings.simplefilter("ignore")
        solve(meter, seed)
    return meter
