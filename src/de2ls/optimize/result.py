"""`MinimizeResult`: SciPy's `OptimizeResult` with what a constrained search adds."""

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import EVERY_POINT
from de2ls.optimize.knowledge import (
    Active,
    Alternative,
    Multipliers,
    Slopes,
    alternatives,
    limits_of,
    model_slopes,
    per_constraint,
    trust,
)
from de2ls.problems.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from de2ls.trials.driver import Driver


class Stop(Enum):
    """Why a run ended: its status code and what the message says."""

    BUDGET = 0, "the budget of evaluations is used up"
    TARGET = 1, "the target value is reached"
    CONVERGED = 2, "the population has converged"
    STALL = 3, "the best point has not improved for long enough"
    TIME = 4, "the time is up"
    CALLBACK = 5, "the callback asked to stop"
    INTERRUPTED = 6, "interrupted from the keyboard"
    ERROR = 7, "the user's function failed"
    RUNNING = 8, "the search is under way"
    DONE = 9, "done"
    EXHAUSTED = 10, "every point of the discrete problem is evaluated"

    @property
    def status(self) -> int:
        """The code in a result's `status`."""
        return int(self.value[0])

    @property
    def natural(self) -> bool:
        """Whether the search came to its end, and nobody wants it to stop at once."""
        return self in (Stop.BUDGET, Stop.CONVERGED, Stop.STALL, Stop.DONE)

    @property
    def text(self) -> str:
        """What a result's `message` says."""
        return str(self.value[1])


class History(NamedTuple):
    """What happened over the evaluations: one entry per 10 D of them, and one at the end.

    Of budgets above a million D evaluations there is one entry per 20 D, 30 D, ...
    """

    nfev: FloatArray
    fun: FloatArray  # best objective among feasible points, NaN while there is none
    violation: FloatArray  # lowest summed violation
    population_size: FloatArray
    epsilon: FloatArray  # violation up to which the search ranks points by objective


class MinimizeResult(OptimizeResult):
    """The result of `de2ls.minimize`.

    Attributes
    ----------
    x, fun : ndarray, float
        The best point and its objective: feasible before infeasible, feasible ones by objective,
        infeasible ones by summed violation.
    feasible : bool
        Whether `x` satisfies every constraint within its tolerance.
    success : bool
        Whether it does, and its objective is finite.
    status, message : int, str
        Why the run ended, see `de2ls.optimize.result.Stop`.
    nfev : int
        Points evaluated (objective and constraints together), never more than `max_evals`.
    n_invalid : int
        Evaluations that failed or gave NaN.
    constr : list of ndarray
        Per constraint, by how much each of its values exceeds its limits at `x`.
    constr_violation, maxcv : float
        The largest of these.
    constraint_tol : list of ndarray
        Per constraint, by how much each of its values may exceed its limits.
    active : Active
        Which constraints and bounds `x` is at.
    multipliers : Multipliers
        What relaxing each of them by one unit would bring, estimated; NaN where it is unknown, and
        `multipliers.note` says why.
    alternatives : list of Alternative
        Other local optima that were found, best first.
    trust : int
        How many independent searches ended at the best value; those that began at the best point
        so far count as one together. 0: no local search did, or the algorithm does not know.
    population, population_energies : ndarray
        The final population, best first, and its objective values. Of an algorithm of batches: the
        last batch.
    history : History
        Convergence over the evaluations.
    seed : int
        What repeats the run.
    bounds : list of pairs
        The limits of each coordinate of `x`; of choices the first and the last.
    """

    x: FloatArray
    fun: float
    success: bool
    feasible: bool
    status: int
    message: str
    nfev: int
    n_invalid: int
    constr: list[FloatArray]
    constraint_tol: list[FloatArray]
    constr_violation: float
    maxcv: float
    active: Active
    multipliers: Multipliers
    alternatives: list[Alternative]
    trust: int
    population: FloatArray
    population_energies: FloatArray
    history: History
    seed: int
    bounds: list[tuple[float, float]]
    convergence: float  # in a callback: as SciPy's, above 1 when the population has converged

    def plot(self) -> "Figure":
        """Draw convergence and the final population; a notebook shows the figure it returns.

        It is a Matplotlib figure without pyplot: ``figure.savefig("run.png")`` writes it.
        """
        from de2ls.optimize.plotting import plot_result

        return plot_result(self)

    def to_frame(self, what: str = "history") -> "DataFrame":
        """Return the "history" or the final "population" as a table of pandas.

        Needs the extra `pandas`.
        """
        from de2ls.optimize.views import as_frame

        return as_frame(self, what)

    def to_json(self, indent: int | None = None) -> str:
        """Return everything as JSON; a number that is not finite is null."""
        from de2ls.optimize.views import as_json

        return as_json(self, indent)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from de2ls.optimize.views import as_html

        return as_html(self)


def end_of(driver: "Driver") -> Stop:
    """Return why a finished trial has ended."""
    if driver.stop in ("budget", "generations"):  # no room for another whole generation
        return Stop.BUDGET
    return Stop.EXHAUSTED if driver.stop == EVERY_POINT else Stop.DONE


def make_result(driver: "Driver", stop: Stop, slopes: Slopes | str | None = None) -> MinimizeResult:
    """Return the result of a trial as it stands; slopes at the best point may be known better."""
    limits = limits_of(driver, model_slopes(driver) if slopes is None else slopes)
    problem, best = driver.problem, driver.incumbent
    constr = violations(problem, best.out)
    worst = max((float(c.max()) for c in constr if c.size), default=0.0)
    population, energies = _population(driver)
    result = MinimizeResult()
    result.update(
        x=problem.decode(best.x).copy(),
        fun=float(best.out[0]),
        success=bool(best.feasible and np.isfinite(best.f)),
        status=stop.status,
        message=_message(driver, stop),
        nfev=driver.n_evals,
        n_invalid=driver.n_invalid,
        constr=constr,
        constraint_tol=per_constraint(problem, problem.tolerances),
        constr_violation=worst,
        maxcv=worst,
        feasible=best.feasible,
        active=limits.active(),
        multipliers=limits.multipliers(),
        alternatives=alternatives(driver),
        trust=trust(driver),
        population=problem.decode(population),
        population_energies=energies,
        bounds=problem.variables.limits,
        history=_history(driver),
        seed=driver.seed,
    )
    return result


def violations(problem: Problem, out: FloatArray) -> list[FloatArray]:
    """Return per constraint by how much its values exceed their limits, from f, g, h."""
    g, h = problem.split(out)
    return per_constraint(problem, np.concatenate([np.maximum(g, 0.0), np.abs(h)]))


def _message(driver: "Driver", stop: Stop) -> str:
    text, best = f"{stop.text[0].upper()}{stop.text[1:]}", driver.incumbent
    if stop is Stop.DONE:
        left = driver.max_evals - driver.n_evals
        text += f": {driver.stop}; {left} of {driver.max_evals} evaluations are left"
    if stop is Stop.BUDGET and driver.n_evals < driver.max_evals:
        text = f"The {driver.max_evals - driver.n_evals} evaluations left do not make a generation"
    if not np.isfinite(best.violation):
        text += "; no valid point was evaluated"
    elif not best.feasible:
        text += (
            f"; no feasible point was found (summed violation {best.violation:.3g} beyond the "
            "tolerances)"
        )
    elif not np.isfinite(best.f):
        text += "; no feasible point had a finite objective"
    if driver.n_invalid:
        many = "evaluation" if driver.n_invalid == 1 else "evaluations"
        text += f"; {driver.n_invalid} {many} failed or gave NaN"
    return f"{text}."


def _population(driver: "Driver") -> tuple[FloatArray, FloatArray]:
    """Return the points that have a value, best first, and their objective."""
    x, f, v = driver.population
    order = np.lexsort((f, v))
    order = order[np.isfinite(f[order])]
    return x[order], f[order]


def _history(driver: "Driver") -> History:
    rows, n = driver.curve, driver.n_evals
    rows = rows[rows[:, 0] <= n]
    if rows.shape[0] == 0 or rows[-1, 0] < n:
        rows = np.vstack([rows, driver.present])
    _, first = np.unique(rows[:, 0], return_index=True)  # a large initial population fills several
    return History(*(column.copy() for column in rows[first].T))
