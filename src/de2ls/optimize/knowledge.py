"""What a run knows of its solution: limits that hold it back, what they cost, other optima.

At a smooth optimum the slopes of objective, active constraints and active bounds balance,

    grad f + sum_j lambda_j grad c_j - z_lower + z_upper = 0,   lambda, z >= 0 for inequalities,

and lambda_j is what relaxing limit j by one unit would bring. The slopes come from the search's own
model, or from a few further evaluations.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import as_good
from de2ls.problems.problem import Problem

if TYPE_CHECKING:
    from de2ls.trials.driver import Driver

Evaluate = Callable[[Sequence[FloatArray]], list[Any]]
NO_MODEL = "the search has no local model of the best point"
NEAR = 1e-5  # of the box: what is nearer to a limit than this is at the limit
STEP = 1e-5  # of the box: for differences
SLOPES_SHARE = 50  # evaluations for differences are at most a fiftieth of the budget
APART = 1e-3  # of the box: optima that are nearer than this are one,
FLAT_APART = 1e-2  # or than this, if they are equally good: ends of searches in one flat valley
DEPENDENT = 1e-6  # least singular value of independent active limits
FLAT = 1e-4  # slope across the box, of the objective's changes there, that counts as none
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
    problem, best = driver.problem, driver.incumbent
    if not best.feasible:
        return "no feasible point was found"
    if problem.discrete.all():
        return "all coordinates are discrete"
    if _noise(driver).any():
        return "the results are noisy"
    for optimum in driver.notes.get("optima", []):
        if optimum["slopes"] is not None and not _apart(problem, optimum["x"], best.x, NEAR):
            return _noted_slopes(problem, optimum)
    return NO_MODEL


def _noted_slopes(problem: Problem, optimum: Mapping[str, Any]) -> Slopes:
    width = (problem.upper - problem.lower)[~problem.discrete]
    return Slopes(optimum["slopes"] * width, "from the local model of the search")


def _apart(problem: Problem, x: FloatArray, y: FloatArray, distance: float) -> bool:
    return bool((np.abs(x - y) > distance * (problem.upper - problem.lower)).any())


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
    if wants_slopes(driver):
        return _estimated_slopes(driver, evaluate, left)
    return model_slopes(driver)


def wants_slopes(driver: "Driver") -> bool:
    """Whether there are limits at the best point, and no model knows the slopes there."""
    if model_slopes(driver) != NO_MODEL:
        return False
    limits = limits_of(driver, NO_MODEL)
    return bool(driver.problem.n_constraints or limits.lower.any() or limits.upper.any())


def slopes_budget(problem: Problem, budget: int) -> int:
    """Return the evaluations that slopes at the best point need, 0 where that is too much."""
    needed = 2 * int(np.count_nonzero(~problem.discrete))
    return needed if needed * SLOPES_SHARE <= budget else 0


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
    """The limits of a problem at a point.

    Parameters
    ----------
    problem : Problem
        The problem.
    x : ndarray
        A point of its box.
    unit : float
        The size of the objective's changes across the box.
    room : ndarray
        How far each inequality is from its limit there; of equalities anything.
    slopes : Slopes or str
        The slopes there, or why there are none.
    """

    def __init__(
        self, problem: Problem, x: FloatArray, unit: float, room: FloatArray, slopes: Slopes | str
    ) -> None:
        self.problem, self.slopes, self.unit = problem, slopes, unit
        self.free = np.flatnonzero(~problem.discrete)
        u = (x - problem.lower) / (problem.upper - problem.lower)
        edge = np.where(problem.discrete, 0.5 / (problem.upper - problem.lower), 0.0) + NEAR
        self.lower, self.upper = u <= edge, 1.0 - u <= edge
        size = np.ones(room.size)
        if isinstance(slopes, Slopes):
            size = np.linalg.norm(slopes.rows[1:], axis=1)
        with np.errstate(invalid="ignore"):  # NaN where no point has a value
            self.constraints = room <= NEAR * np.where(size > 0.0, size, 1.0)
        self.constraints[problem.n_ineq :] = True  # an equality always holds the point

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
        """Return the multipliers, or why they are unknown."""
        problem, at = self.problem, np.flatnonzero(self.constraints)
        values = np.zeros(problem.n_constraints)
        lower, upper = np.zeros(problem.dim), np.zeros(problem.dim)
        unit, size = self._columns(slopes)
        if size.size == 0:
            return values, lower, upper, slopes.note
        if size.size > self.free.size or np.linalg.svd(unit, compute_uv=False)[-1] < DEPENDENT:
            return "the active limits depend on each other, so that the multipliers are not unique"
        if self.unbalanced(slopes):
            return "the slopes do not balance: x is no smooth optimum, or not near enough to one"
        solution = self._solved(slopes)[0] / size
        low, high = (self.free[side[self.free]] for side in (self.lower, self.upper))
        values[at], z_low, z_high = np.split(solution, [at.size, at.size + low.size])
        width = problem.upper - problem.lower
        lower[low], upper[high] = z_low / width[low], z_high / width[high]
        return values, lower, upper, slopes.note

    def _columns(self, slopes: Slopes) -> tuple[FloatArray, FloatArray]:
        """Return the directions of the active limits' slopes as columns, and their sizes."""
        low, high = self.lower[self.free], self.upper[self.free]
        eye = np.eye(self.free.size)
        columns = np.hstack([slopes.rows[1:][self.constraints].T, -eye[:, low], eye[:, high]])
        size = np.linalg.norm(columns, axis=0)
        size[size == 0.0] = 1.0
        return columns / size, size

    def _solved(self, slopes: Slopes) -> tuple[FloatArray, float]:
        """Return the columns' weights that balance the objective's slope, and what remains."""
        from scipy.optimize import nnls

        unit, size = self._columns(slopes)
        if size.size == 0:
            return size, float(np.linalg.norm(slopes.rows[0]))
        at = np.flatnonzero(self.constraints)
        both = np.flatnonzero(at >= self.problem.n_ineq)  # equalities pull both ways
        solution, rest = nnls(np.hstack([unit, -unit[:, both]]), -slopes.rows[0])
        solution[both] -= solution[size.size :]
        return solution[: size.size], float(rest)

    def unbalanced(self, slopes: Slopes) -> bool:
        """Whether the limits do not explain the objective's slope."""
        rest = self.left(slopes)
        norm = float(np.linalg.norm(slopes.rows[0]))
        return rest > UNBALANCED * norm and rest > FLAT * self.unit

    def left(self, slopes: Slopes) -> float:
        """Return how much of the objective's slope the limits do not explain."""
        return self._solved(slopes)[1]


def alternatives(driver: "Driver") -> list[Alternative]:
    """Return the other distinct local optima that the search has met, best first."""
    problem, kept = driver.problem, [(driver.incumbent.x, driver.incumbent.f)]
    found: list[Alternative] = []
    # each discrete point is its own neighbourhood; noise scatters the ends of one optimum
    if problem.discrete.all() or _noise(driver).any():
        return found
    for optimum in driver.notes.get("optima", []):
        apart = all(_distinct(driver, optimum, x, f) for x, f in kept)
        feasible = optimum["violation"] <= problem.feasible_tol
        if apart and feasible and _is_optimum(driver, optimum):
            kept.append((optimum["x"], optimum["f"]))
            x = problem.decode(optimum["x"]).copy()
            found.append(Alternative(x, float(optimum["f"]), int(optimum["searches"])))
    return found


def _noise(driver: "Driver") -> FloatArray:
    """Return the noise that the search has found, that of the objective first."""
    return np.atleast_1d(np.asarray(driver.notes.get("noise", 0.0), float))


def _distinct(driver: "Driver", optimum: Mapping[str, Any], x: FloatArray, f: float) -> bool:
    """Whether an optimum is another one than the better one at `x`."""
    equal = as_good(optimum["f"], f, driver.notes["size"][0])
    return _apart(driver.problem, optimum["x"], x, FLAT_APART if equal else APART)


def trust(driver: "Driver") -> int:
    """Return how many independent searches ended at the best value; others count as one."""
    problem, best, notes = driver.problem, driver.incumbent, driver.notes
    # the least of N normal draws lies about sqrt(2 ln N) deviations below their mean, and a probe
    # of eight values finds half of the deviation at times
    bias = 2.0 * math.sqrt(2.0 * math.log(max(2, driver.n_evals))) * _noise(driver)[0]
    least = best.f + bias
    there = [
        optimum["searches"]
        for optimum in notes.get("optima", [])
        if best.feasible
        and optimum["violation"] <= problem.feasible_tol
        and as_good(optimum["f"], least, notes["size"][0])
    ]
    return max(1, sum(there)) if there else 0


def _is_optimum(driver: "Driver", optimum: Mapping[str, Any]) -> bool:
    """Whether slopes, where they are known, do not speak against it: a search may end too early."""
    if optimum["slopes"] is None:
        return True
    slopes = _noted_slopes(driver.problem, optimum)
    unit = float(driver.notes["size"][0])
    limits = Limits(driver.problem, optimum["x"], unit, optimum["room"], slopes)
    return not limits.unbalanced(slopes) and not _leads_on(driver, optimum, limits, slopes)


def _leads_on(driver: "Driver", optimum: Mapping[str, Any], limits: Limits, slopes: Slopes) -> bool:
    """Whether the slope that is left there explains how much better the best point is."""
    best, problem = driver.incumbent, driver.problem
    way = (best.x - optimum["x"]) / (problem.upper - problem.lower)
    if (np.abs(way[problem.discrete]) > NEAR).any():
        return False  # no slope leads to other discrete values
    explained = limits.left(slopes) * float(np.linalg.norm(way)) >= optimum["f"] - best.f
    return explained and not as_good(optimum["f"], best.f, limits.unit)


def limits_of(driver: "Driver", slopes: Slopes | str) -> Limits:
    """Return the limits at the best point of a trial."""
    problem, best = driver.problem, driver.incumbent
    unit = float(driver.notes["size"][0]) if "size" in driver.notes else abs(best.f)
    return Limits(problem, best.x, unit, problem.tolerances - best.out[1:], slopes)
