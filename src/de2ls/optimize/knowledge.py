"""What a run knows of its solution: limits that hold it back, what they cost, other optima.

At a smooth optimum the slopes of objective, active constraints and active bounds balance,

    grad f + sum_j lambda_j grad c_j - z_lower + z_upper = 0,   lambda, z >= 0 for inequalities,

and lambda_j is what relaxing limit j by one unit would bring. The slopes come from the search's own
model, or from a few further evaluations.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.problems.problem import Problem

if TYPE_CHECKING:
    from de2ls.trials.driver import Driver

Evaluate = Callable[[Sequence[FloatArray]], list[Any]]
NO_MODEL = "the search has no local model of the best point"
NEAR = 1e-5  # of the box: what is nearer to a limit than this is at the limit
STEP = 1e-5  # of the box: for differences
APART = 1e-3  # of the box: optima that are nearer than this are one
DEPENDENT = 1e-6  # least singular value of independent active limits
UNBALANCED = 0.01  # part of the slopes that may remain at a stationary point


class Active(NamedTuple):
    """Which limits `x` is at, as truth values."""

    constraints: list[NDArray[np.bool_]]  # per constraint, one for each of its values
    lower: NDArray[np.bool_]  # per coordinate
    upper: NDArray[np.bool_]


class Multipliers(NamedTuple):
    """By how much the objective would fall if a limit were relaxed by one unit; NaN: unknown.

    A lower limit is relaxed downwards, an upper one upwards. An equality's right-hand side is moved
    up: a negative number says that moving it down would help.
    """

    constraints: list[FloatArray]  # per constraint, one for each of its values
    lower: FloatArray  # per coordinate
    upper: FloatArray
    note: str  # where they come from, or why they are unknown


class Alternative(NamedTuple):
    """Another local optimum that was found."""

    x: FloatArray
    fun: float
    searches: int  # independent searches that ended there


class Slopes(NamedTuple):
    """Slopes at the best point, by the continuous coordinates of the unit box."""

    rows: FloatArray  # of f, g, h: (1 + n_constraints, k)
    note: str


def per_constraint(problem: Problem, values: FloatArray) -> list[FloatArray]:
    """Return numbers per g and h as numbers per value of the user's constraints."""
    of_user = getattr(problem.function, "per_constraint", None)
    if of_user is not None:
        parts: list[FloatArray] = of_user(np.append(0.0, values))
        return parts
    return [values] if problem.n_constraints else []


def model_slopes(driver: "Driver") -> Slopes | str:
    """Return the slopes in the search's model at the best point, or why there are none."""
    problem, best, model = driver.problem, driver.incumbent, driver.notes.get("model")
    if not best.feasible:
        return "no feasible point was found"
    if problem.discrete.all():
        return "all coordinates are discrete"
    if np.any(driver.notes.get("noise", 0.0)):
        return "the results are noisy"
    width = problem.upper - problem.lower
    if model is None or (np.abs(model["x"] - best.x) > NEAR * width).any():
        return NO_MODEL
    free = ~problem.discrete
    rows = np.vstack([model["gradient"], model["jacobian"]]) * width[free]
    return Slopes(rows, "from the local model of the search")


def final_slopes(driver: "Driver", evaluate: Evaluate, left: int) -> Slopes | str:
    """Return the slopes at the best point; a few evaluations are spent where no model knows them.

    Parameters
    ----------
    driver : Driver
        A trial that is over.
    evaluate : callable
        Evaluates a batch of points.
    left : int
        Evaluations of the budget that are left.
    """
    slopes = model_slopes(driver)
    if slopes != NO_MODEL:
        return slopes
    limits = Limits(driver, NO_MODEL)
    held = driver.problem.n_constraints or limits.lower.any() or limits.upper.any()
    return _estimated_slopes(driver, evaluate, left) if held else NO_MODEL


def _estimated_slopes(driver: "Driver", evaluate: Evaluate, left: int) -> Slopes | str:
    """Return slopes at the best point from central differences, or why there are none."""
    problem, best = driver.problem, driver.incumbent
    free, width = np.flatnonzero(~problem.discrete), problem.upper - problem.lower
    if 2 * free.size > left:
        return f"differences need {2 * free.size} evaluations, and {left} are left"
    less, more = (np.repeat(best.x[np.newaxis], free.size, axis=0) for _ in range(2))
    rows = np.arange(free.size)
    less[rows, free] = np.maximum(best.x[free] - STEP * width[free], problem.lower[free])
    more[rows, free] = np.minimum(best.x[free] + STEP * width[free], problem.upper[free])
    points = [*less, *more]
    out = np.array([np.full(best.out.size, np.nan) if isinstance(o, Exception) else o
                    for o in evaluate(points)])  # fmt: skip
    for x, values in zip(points, out, strict=True):
        driver.observe(x, values)
    if not np.isfinite(out).all():
        return "a point beside the best one has no value"
    moved = (more - less)[rows, free] / width[free]
    slopes = (out[free.size :] - out[: free.size]).T / moved
    return Slopes(slopes, f"from {len(points)} evaluations beside the best point")


class Limits:
    """The limits of a problem at the best point of a trial.

    Parameters
    ----------
    driver : Driver
        The trial.
    slopes : Slopes or str
        The slopes at its best point, or why there are none.
    """

    def __init__(self, driver: "Driver", slopes: Slopes | str) -> None:
        self.problem, best = driver.problem, driver.incumbent
        problem = self.problem
        self.slopes, self.f = slopes, best.f
        self.free = np.flatnonzero(~problem.discrete)
        u = (best.x - problem.lower) / (problem.upper - problem.lower)
        edge = np.where(problem.discrete, 0.5 / (problem.upper - problem.lower), 0.0) + NEAR
        self.lower, self.upper = u <= edge, 1.0 - u <= edge
        room = problem.tolerances - best.out[1:]
        room[problem.n_ineq :] = 0.0  # an equality always holds the point
        unit = np.ones(room.size)
        if isinstance(slopes, Slopes):
            unit = np.linalg.norm(slopes.rows[1:], axis=1)
        with np.errstate(invalid="ignore"):  # NaN where no point has a value
            self.constraints = room <= NEAR * np.where(unit > 0.0, unit, 1.0)

    def active(self) -> Active:
        """Return which limits the point is at."""
        return Active(
            [part > 0.0 for part in per_constraint(self.problem, self.constraints.astype(float))],
            self._design(self.lower, True),
            self._design(self.upper, True),
        )

    def multipliers(self) -> Multipliers:
        """Return what relaxing each limit would bring."""
        problem = self.problem
        found = self.slopes if isinstance(self.slopes, str) else self._balance(self.slopes)
        if isinstance(found, str):
            held = (self.constraints, self.lower, self.upper)
            values, lower, upper = (np.where(mask, np.nan, 0.0) for mask in held)
            note = found
        else:
            values, lower, upper, note = found
        lower[problem.discrete] = upper[problem.discrete] = np.nan
        return Multipliers(
            per_constraint(problem, values),
            self._design(lower, np.nan),
            self._design(upper, np.nan),
            note,
        )

    def _design(self, values: Any, fixed: Any) -> Any:
        """Return values per coordinate of the box as values per coordinate of the design."""
        variables = self.problem.variables
        design = np.full(variables.size, fixed, dtype=values.dtype)
        design[variables.free] = values
        return design

    def _balance(self, slopes: Slopes) -> tuple[FloatArray, FloatArray, FloatArray, str] | str:
        """Solve for the multipliers; returns them, or why they are unknown."""
        from scipy.optimize import nnls

        problem, k = self.problem, self.free.size
        width = (problem.upper - problem.lower)[self.free]
        low, high = np.flatnonzero(self.lower[self.free]), np.flatnonzero(self.upper[self.free])
        at = np.flatnonzero(self.constraints)
        values = np.zeros(problem.n_constraints)
        lower, upper = np.zeros(problem.dim), np.zeros(problem.dim)
        gradient, eye = slopes.rows[0], np.eye(k)
        columns = np.hstack([slopes.rows[1 + at].T, -eye[:, low], eye[:, high]])
        if columns.shape[1] == 0:
            return values, lower, upper, slopes.note
        size = np.linalg.norm(columns, axis=0)
        unit = columns / np.where(size > 0.0, size, 1.0)
        if columns.shape[1] > k or np.linalg.svd(unit, compute_uv=False)[-1] < DEPENDENT:
            return "the active limits depend on each other, so that the multipliers are not unique"
        free_sign = np.flatnonzero(at >= problem.n_ineq)
        solution, rest = nnls(np.hstack([unit, -unit[:, free_sign]]), -gradient)
        norm = float(np.linalg.norm(gradient))
        if rest > UNBALANCED * norm and norm > 1e-6 * (1e-6 + abs(self.f)):
            return f"the slopes do not balance ({rest / norm:.0%} remain): no smooth optimum"
        solution[free_sign] -= solution[columns.shape[1] :]
        solution = solution[: columns.shape[1]] / size
        values[at], z_low, z_high = np.split(solution, [at.size, at.size + low.size])
        lower[self.free[low]], upper[self.free[high]] = z_low / width[low], z_high / width[high]
        return values, lower, upper, slopes.note


def alternatives(driver: "Driver") -> list[Alternative]:
    """Return the other distinct local optima that the search has met, best first."""
    problem, kept = driver.problem, [driver.incumbent.x]
    if problem.discrete.all():  # each point is its own neighbourhood there
        return []
    width, found = problem.upper - problem.lower, []
    for optimum in driver.notes.get("optima", []):
        apart = all((np.abs(optimum["x"] - x) > APART * width).any() for x in kept)
        if apart and optimum["violation"] <= problem.feasible_tol:
            kept.append(optimum["x"])
            x = problem.decode(optimum["x"]).copy()
            found.append(Alternative(x, float(optimum["f"]), int(optimum["searches"])))
    return found
