"""The run behind `minimize`: evaluate, tell, and stop when a rule says so."""

import inspect
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.optimize.evaluators import Evaluator, Function
from de2ls.optimize.result import MinimizeResult, Stop, make_result
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver

PATIENCE = 0.005  # seconds between looks at the clock, as far as the evaluations allow
REPORTS = 20  # lines printed by `disp`
SCIPY_TOL = 0.01  # SciPy's default tolerance, to which it relates a callback's `convergence`


class EvaluationError(RuntimeError):
    """A user's function failed at `x`, or the workers did; `result` holds what was found before."""

    def __init__(self, message: str, x: FloatArray | None = None) -> None:
        super().__init__(message)
        self.x = x
        self.result: MinimizeResult | None = None


def _function_failed(x: FloatArray, cause: Exception) -> EvaluationError:
    return EvaluationError(
        f"fun or a constraint failed with {type(cause).__name__}: {cause} (at x={x.tolist()}); "
        "the result so far is in the attribute `result`, and on_error='penalize' counts such "
        "points as worst and goes on",
        x,
    )


class Penalised:
    """A function that gives NaN where the user's one fails."""

    def __init__(self, function: Function) -> None:
        self.function = function

    def __call__(self, x: FloatArray, out: FloatArray) -> None:
        """Fill `out` with f, g, h, or with NaN."""
        try:
            self.function(x, out)
        except Exception:
            out[:] = np.nan


@dataclass(frozen=True)
class Rules:
    """When to stop before the budget is used up, and whom to tell about it."""

    target: float | None = None
    max_time: float | None = None
    stall: int | None = None
    tol: float | None = None
    callback: Callable[..., Any] | None = None
    disp: bool = False
    forgive: bool = False  # whether failed evaluations count as worst

    def __post_init__(self) -> None:
        if self.target is not None:
            _checks.real("target", self.target)
        if self.max_time is not None:
            _checks.real("max_time", self.max_time, 0.0)
        if self.stall is not None:
            _checks.integer("stall", self.stall, 1)
        if self.tol is not None:
            _checks.real("tol", self.tol, 0.0)
        if self.callback is not None:
            _check_callback(self.callback)
        if not isinstance(self.disp, bool):
            raise TypeError(f"disp must be True or False, got {self.disp!r}")

    @property
    def per_generation(self) -> bool:
        """Whether a rule looks at every generation."""
        return self.tol is not None or self.callback is not None


class Search:
    """A run of `minimize`.

    Parameters
    ----------
    driver : Driver
        The trial, before its first candidate.
    rules : Rules
        When to stop.
    evaluate : callable
        Evaluates a batch of points.
    batch : int, optional
        Size of a batch, at most one generation; None: one generation.
    direct : bool
        Whether the driver itself evaluates, point by point, after the initial population.
    guess : ndarray, optional
        Takes the place of the first initial point.
    """

    def __init__(
        self,
        driver: Driver,
        rules: Rules,
        evaluate: Evaluator,
        batch: int | None,
        direct: bool,
        guess: FloatArray | None = None,
    ) -> None:
        self.driver = driver
        self.rules = rules
        self.evaluate = evaluate
        self.batch = batch
        self.direct = direct
        self.guess = guess
        self.ask_tell = driver
        if rules.target is not None:
            driver.now["target"] = rules.target
        self.begin = time.perf_counter()
        self.next_look = 0  # evaluations at which the next generation has ended
        self.next_report = 0

    def run(self) -> Stop:
        """Search until a rule says stop; Ctrl-C is one of them."""
        try:
            return self._initial() or (self._directly() if self.direct else self._in_batches())
        except KeyboardInterrupt:
            return Stop.INTERRUPTED
        except EvaluationError as error:
            if self.driver.n_evals > 0:
                error.result = make_result(self.driver, Stop.ERROR)
            raise

    # --- evaluating ------------------------------------------------------------------------------

    def _initial(self) -> Stop | None:
        """Evaluate the initial population; tell it when its violations have set the weights."""
        problem = self.driver.problem
        numbers = self.ask_tell.ask(int(self.driver.now["n0"]))
        if self.guess is not None:
            self.ask_tell.pending[numbers[0]].x[:] = self.guess
        size = self.batch or len(numbers)
        results: dict[int, FloatArray] = {}
        try:
            for first in range(0, len(numbers), size):
                reached = False
                for number, out in self._evaluated(numbers[first : first + size]):
                    results[number] = out
                    violation = problem.violation(*problem.split(out))
                    reached = reached or self._is_target(float(out[0]), violation)
                if reached or self.time_is_up():
                    break
        finally:
            self.driver.state.weight[:] = constraint_weights(problem, list(results.values()))
            for number, out in results.items():
                self.ask_tell.tell([number], out[np.newaxis])
        return self._stop()

    def _directly(self) -> Stop:
        """Let the driver evaluate, looking up as often as the rules need."""
        now, rules, step = self.driver.now, self.rules, 1
        while True:
            until = int(now["n"]) + step
            if rules.stall is not None:
                until = min(until, int(now["best_n"]) + rules.stall)
            if rules.per_generation:
                until = min(until, self.next_look)
            if rules.disp:
                until = min(until, self.next_report)
            begin = time.perf_counter()
            try:
                self.driver.run(until)
            except Exception as error:
                x = self.driver.problem.decode(self.driver.cand.x.copy())
                raise _function_failed(x, error) from error
            elapsed = time.perf_counter() - begin
            step = 2 * step if elapsed < PATIENCE else max(1, step // 2)
            if (stop := self._stop()) is not None:
                return stop

    def _in_batches(self) -> Stop:
        """Evaluate batches of at most one generation."""
        while not self.driver.finished:
            size = int(self.driver.now["n_pop"])
            for number, out in self._evaluated(self.ask_tell.ask(min(self.batch or size, size))):
                self.ask_tell.tell([number], out[np.newaxis])
            if (stop := self._stop()) is not None:
                return stop
        return Stop.BUDGET

    def _evaluated(self, numbers: Sequence[int]) -> Iterator[tuple[int, FloatArray]]:
        """Evaluate candidates; a failure counts as NaN, or ends the run after the others.

        Where the workers themselves fail, the run ends: nothing says that they would work again.
        """
        points = list(self.ask_tell.points(numbers))
        try:
            outcomes = self.evaluate(points)
        except Exception as error:
            raise EvaluationError(
                f"workers failed with {type(error).__name__}: {error}; the result so far is in the "
                "attribute `result`"
            ) from error
        failed = None
        for number, x, outcome in zip(numbers, points, outcomes, strict=True):
            if not isinstance(outcome, Exception):
                yield number, outcome
            elif self.rules.forgive:
                yield number, np.full(1 + self.driver.problem.n_constraints, np.nan)
            elif failed is None:
                failed = _function_failed(self.driver.problem.decode(x), outcome)
                failed.__cause__ = outcome
        if failed is not None:
            raise failed

    # --- stopping --------------------------------------------------------------------------------

    def _stop(self) -> Stop | None:
        """Return the rule that ends the run now, if any."""
        now, rules = self.driver.now, self.rules
        n = int(now["n"])
        if now["reached"]:
            return Stop.TARGET
        if self.driver.finished:
            return Stop.BUDGET
        if rules.stall is not None and n - now["best_n"] >= rules.stall:
            return Stop.STALL
        if self.time_is_up():
            return Stop.TIME
        if rules.disp and n >= self.next_report:
            self._report(n)
        if rules.per_generation and n >= self.next_look:
            self.next_look = n + int(now["n_pop"])
            return self._look()
        return None

    def _look(self) -> Stop | None:
        """Apply the rules that look at a whole generation."""
        rules = self.rules
        spread = population_spread(self.driver)
        if rules.tol is not None and spread <= rules.tol:
            return Stop.CONVERGED
        if rules.callback is None:
            return None
        result = make_result(self.driver, Stop.RUNNING)
        result.convergence = (rules.tol or SCIPY_TOL) / spread if spread > 0.0 else math.inf
        try:
            halt = call_back(rules.callback, result)
        except StopIteration:
            halt = True
        return Stop.CALLBACK if halt else None

    def time_is_up(self) -> bool:
        """Whether the run has lasted `max_time`."""
        limit = self.rules.max_time
        return limit is not None and time.perf_counter() - self.begin >= limit

    def _is_target(self, f: float, violation: float) -> bool:
        target = self.rules.target
        feasible = violation <= self.driver.problem.feasible_tol
        return target is not None and feasible and f <= target

    def _report(self, n: int) -> None:
        now, budget = self.driver.now, self.driver.max_evals
        self.next_report = budget * (n * REPORTS // budget + 1) // REPORTS
        sys.stdout.write(
            f"de2ls: {n:>9d} evaluations ({n / budget:4.0%}), f = {now['best_f']:.8g}, "
            f"violation = {now['best_cv']:.3g}\n"
        )


def _check_callback(callback: Any) -> None:
    """Refuse a callback that cannot be called in either of SciPy's two ways, before the search."""
    expected = "callback must take (intermediate_result) or (x, convergence)"
    if not callable(callback):
        raise TypeError(f"{expected}, got {callback!r}")
    try:
        signature = inspect.signature(callback)
        if _takes_result(callback):
            signature.bind(intermediate_result=None)
        else:
            signature.bind(None, None)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{expected}, got {callback!r}: {error}") from None


def _takes_result(callback: Callable[..., Any]) -> bool:
    return "intermediate_result" in inspect.signature(callback).parameters


def call_back(callback: Callable[..., Any], result: MinimizeResult) -> bool:
    """Call a callback in either of SciPy's two ways; return whether it asks to stop."""
    if _takes_result(callback):
        return bool(callback(intermediate_result=result))
    return bool(callback(result.x.copy(), result.convergence))


def population_spread(driver: Driver) -> float:
    """Return the relative deviation of the population's objective; infinite unless all feasible."""
    members = driver.state.top[: driver.now["n_pop"]]
    f = members["f"]
    if not np.isfinite(f).all() or (members["v"] > 0.0).any():
        return math.inf
    deviation, size = float(np.std(f)), abs(float(np.mean(f)))
    if deviation == 0.0:
        return 0.0
    return deviation / size if size > 0.0 else math.inf


def constraint_weights(problem: Problem, results: Sequence[FloatArray]) -> FloatArray:
    """Return weights that give all violated constraints the same size, their geometric mean.

    The size of a constraint is its median violation among the points that violate it. Where fewer
    than two constraints are violated nothing is weighted; one that no point violates has weight 1.
    """
    sizes = np.full(problem.n_constraints, np.nan)
    if not results:
        return np.ones_like(sizes)
    values = np.array(results)[:, 1:]
    terms = np.hstack([values[:, : problem.n_ineq], np.abs(values[:, problem.n_ineq :])])
    limits = np.repeat([0.0, problem.eq_tol], [problem.n_ineq, problem.n_eq])
    for k, limit in enumerate(limits):
        violated = terms[:, k][(terms[:, k] > limit) & np.isfinite(terms[:, k])]
        if violated.size:
            sizes[k] = np.median(violated)
    known = ~np.isnan(sizes)
    if known.sum() < 2:
        return np.ones_like(sizes)
    common = np.exp(np.mean(np.log(sizes[known])))
    return np.where(known, common / sizes, 1.0)
