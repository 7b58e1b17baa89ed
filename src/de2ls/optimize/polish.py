"""Polishing: SciPy's SLSQP from the best point, inside the box and the constraints.

Every evaluated point competes for the result by the rule of the search, so that polishing never
makes it worse. Equalities may use their tolerance, as the search's points do.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.optimize.result import Stop
from de2ls.problems.problem import Problem
from de2ls.trials.driver import Driver

SHARE = 10  # a tenth of the budget is kept for polishing,
STEPS = 30  # at least as much as this many steps of SLSQP need, each about D + 2 evaluations,
LARGEST_SHARE = 4  # but no more than a quarter of the budget
EVALS_PER_COORDINATE = 200  # and at most this many evaluations for each coordinate and one more
STEP = 1e-8  # of the differences, in units of the box's width; forward ones err by half of it
MARGIN = 1e-12  # distance kept from a constraint, in the same unit: inequalities have no slack


class _Enough(Exception):  # noqa: N818 -- a signal, not an error
    """No evaluation is left, one failed, or a rule of the run says `stop`."""

    def __init__(self, stop: Stop | None = None) -> None:
        super().__init__()
        self.stop = stop


def polish_budget(problem: Problem, budget: int) -> int:
    """Return the evaluations that are kept for polishing, none if all variables are discrete."""
    free = int(np.count_nonzero(~problem.discrete))
    if free == 0:
        return 0
    wanted = max(budget // SHARE, STEPS * (free + 2))
    return min(wanted, budget // LARGEST_SHARE, EVALS_PER_COORDINATE * (free + 1))


def polish(driver: Driver, max_evals: int, time_is_up: Callable[[], bool]) -> Stop | None:
    """Improve the incumbent; return the rule that ends the run meanwhile, if any."""
    try:
        _Polisher(driver, max_evals, time_is_up).run()
    except _Enough as enough:
        return enough.stop
    return None


class _Polisher:
    """SLSQP in the free coordinates u of the unit box; discrete ones stay as they are."""

    def __init__(self, driver: Driver, max_evals: int, time_is_up: Callable[[], bool]) -> None:
        self.driver = driver
        self.time_is_up = time_is_up
        self.target_is_ahead = not driver.reached
        self.problem = problem = driver.problem
        self.left = max_evals
        self.start, self.out = driver.incumbent[:2]
        self.free = np.flatnonzero(~problem.discrete)
        self.low = problem.lower[self.free]
        self.width = problem.upper[self.free] - self.low
        self._seen: dict[bytes, FloatArray] = {}
        self._slopes: dict[bytes, FloatArray] = {}

    def run(self) -> None:
        """Minimise from the best point; the best of all evaluated points is kept."""
        from scipy import optimize

        if self.free.size == 0 or not np.isfinite(self.out).all():
            return
        u0 = (self.start[self.free] - self.low) / self.width
        size = np.maximum(np.linalg.norm(self.slopes(u0), axis=1), 1e-12)
        constraints: list[dict[str, Any]] = []
        if self.problem.n_constraints:
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda u: self._room(self.values(u)[1:], size[1:]),
                    "jac": lambda u: self._room_slopes(self.slopes(u)[1:] / size[1:, np.newaxis]),
                }
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SLSQP warns where it clips to the box; we clip too
            slsqp: Any = optimize.minimize
            slsqp(
                lambda u: self.values(u)[0] / size[0],
                u0,
                jac=lambda u: self.slopes(u)[0] / size[0],
                method="SLSQP",
                bounds=[(0.0, 1.0)] * self.free.size,
                constraints=constraints,
                options={"maxiter": self.left, "ftol": 1e-15},
            )

    def _room(self, constraints: FloatArray, size: FloatArray) -> FloatArray:
        """Return how far each inequality, and each side of an equality, is from its limit."""
        g, h = np.split(constraints, [self.problem.n_ineq])
        slack, tol = self.problem.ineq_tol, self.problem.eq_tol
        g_size, h_size = np.split(size, [self.problem.n_ineq])
        return (
            np.concatenate([(slack - g) / g_size, (tol - h) / h_size, (tol + h) / h_size]) - MARGIN
        )

    def _room_slopes(self, slopes: FloatArray) -> FloatArray:
        g, h = np.split(slopes, [self.problem.n_ineq])
        return np.concatenate([-g, -h, h])

    def values(self, u: FloatArray) -> FloatArray:
        """Return f, g, h at u, evaluated once."""
        key = u.tobytes()
        if key not in self._seen:
            x = self.start.copy()
            x[self.free] = self.low + u * self.width
            self._seen[key] = self._evaluate(np.clip(x, self.problem.lower, self.problem.upper))
        return self._seen[key]

    def slopes(self, u: FloatArray) -> FloatArray:
        """Return the differences of f, g, h by u: forward, or backward at the end of the box."""
        key = u.tobytes()
        if key not in self._slopes:
            here = self.values(u)
            columns = []
            for j in range(u.size):
                there = u.copy()
                there[j] += STEP if u[j] + STEP <= 1.0 else -STEP
                columns.append((self.values(there) - here) / (there[j] - u[j]))
            self._slopes = {key: np.array(columns).T}
        return self._slopes[key]

    def _evaluate(self, x: FloatArray) -> FloatArray:
        """Evaluate a point and let the recorder see it."""
        if self.left == 0:
            raise _Enough
        self.left -= 1
        out = np.empty(1 + self.problem.n_constraints)
        try:
            self.problem.evaluate_into(x, out, self.driver.work)
        except Exception as error:
            raise _Enough from error
        self.driver.observe(x, out)
        if self.target_is_ahead and self.driver.reached:
            raise _Enough(Stop.TARGET)
        if self.time_is_up():
            raise _Enough(Stop.TIME)
        if not np.isfinite(out).all():
            raise _Enough
        return out
