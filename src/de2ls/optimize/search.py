"""The run behind `minimize`: evaluate, tell, and stop when a rule says so."""

import inspect
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.optimize.checkpoint import Checkpoint
from de2ls.optimize.evaluators import Evaluator, Function
from de2ls.optimize.knowledge import Slopes, final_slopes
from de2ls.optimize.progress import LOG, Bar, say, state
from de2ls.optimize.result import MinimizeResult, Stop, end_of, make_result
from de2ls.problems.compiled import guarded
from de2ls.problems.problem import CompiledKernel
from de2ls.trials.driver import Driver

PATIENCE = 0.005  # seconds between looks at the clock, as far as the evaluations allow
REPORTS = 20  # lines of the log
SHOWN = 20  # coordinates of a point in a message
NUMBERS = {Stop.TARGET: "target", Stop.STALL: "stall", Stop.CONVERGED: "tol"}  # that end a run
SCIPY_TOL = 0.01  # SciPy's default tolerance, to which it relates a callback's `convergence`


class EvaluationError(RuntimeError):
    """A run failed; `result` holds what was found before.

    A user's function failed at `x`, or, with `x` None, the workers or the algorithm did.
    """

    def __init__(self, message: str, x: FloatArray | None = None) -> None:
        super().__init__(message)
        self.x = x
        self.result: MinimizeResult | None = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `result` holds what was found before."""

    def __init__(self, result: MinimizeResult) -> None:
        super().__init__("the result so far is in the attribute `result`")
        self.result = result


def _algorithm_failed(name: str, cause: Exception) -> EvaluationError:
    return EvaluationError(
        f"the algorithm {name} failed with {_told(cause)}; the result so far is in the attribute "
        "`result`"
    )


def _function_failed(x: FloatArray, cause: Exception) -> EvaluationError:
    return EvaluationError(
        f"fun or a constraint failed with {_told(cause)} (at x={_shown(x)}); the result so far is "
        "in the attribute `result`, and on_error='penalize' counts such points as worst and goes "
        "on",
        x,
    )


def _told(cause: Exception) -> str:
    """Return an exception's type, and its text if it has one."""
    return f"{type(cause).__name__}: {cause}".removesuffix(": ")


def _shown(x: FloatArray) -> str:
    """Return a point for a message, shortened if it is long: the attribute `x` has all of it."""
    if x.size <= SHOWN:
        return str(x.tolist())
    first = ", ".join(map(str, x[:SHOWN].tolist()))
    return f"[{first}, ...] of {x.size} coordinates, all in the attribute `x`"


class Penalised:
    """A function that gives NaN where the user's function fails."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.per_constraint = getattr(function, "per_constraint", None)

    def kernel(self) -> CompiledKernel | None:
        """Return the compiled form of the function, which gives NaN where it fails."""
        form: CompiledKernel | None = getattr(self.function, "kernel", lambda: None)()
        return None if form is None else guarded(form)

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
        The trial, before its first evaluation.
    rules : Rules
        When to stop.
    evaluate : callable
        Evaluates a batch of points.
    batch : int, optional
        Size of a batch, at most one generation; None: one generation.
    direct : bool
        Whether the driver itself evaluates, point by point.
    begin : float
        When the run began, by `time.perf_counter`.
    bar : Bar, optional
        What shows the progress.
    file : Checkpoint, optional
        Where the run is kept.
    noted : mapping, optional
        What `note` gave when the run was kept, if it goes on.
    """

    def __init__(
        self,
        driver: Driver,
        rules: Rules,
        evaluate: Evaluator,
        batch: int | None,
        direct: bool,
        begin: float,
        bar: Bar | None = None,
        file: Checkpoint | None = None,
        noted: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.driver = driver
        self.rules = rules
        self.evaluate = evaluate
        self.batch = batch
        self.direct = direct
        self.bar = bar
        self.file = file
        self.over = Stop[noted["over"]] if noted.get("over") else None  # why the search is over
        self.judge = self.over is not None and not self._stands(noted.get("rule"))
        self.polished = bool(noted.get("polished"))
        self.slopes: Any = noted.get("slopes")  # evaluated at the end: rows and note, or why none
        self.logs = rules.disp or LOG.isEnabledFor(logging.INFO)
        driver.aim(-math.inf if rules.target is None else rules.target)
        self.begin = begin
        # evaluations at which the next generation has ended
        self.next_look = int(noted.get("next_look", driver.population_size))
        self.next_report = driver.n_evals + driver.population_size
        self.limit = driver.max_evals
        self._step = 1  # evaluations between looks at the clock

    def run(self, limit: int) -> Stop | None:
        """Search until a rule says stop; None where it has not after `limit` evaluations."""
        self.limit = limit
        try:
            if self.judge:
                self._judge()
            while self.over is None and self.driver.n_evals < limit:
                self.slopes = None  # they were of an end that is none any more
                if self.direct:
                    self._directly()
                else:
                    self._batch()
                stop = self._stop()
                if stop is Stop.TIME:
                    self.save()
                    return stop
                self.over = stop
                if self.file is not None and self.file.is_due():
                    self.save()
        except EvaluationError as error:
            self.save()
            if self.driver.n_evals > 0:
                error.result = make_result(self.driver, Stop.ERROR)
            raise
        self.save()
        return self.over

    def save(self) -> None:
        """Keep the run as it stands, if it is to be kept.

        Not after Ctrl-C, which may come in the middle of anything: then the last state stands.
        """
        if self.file is not None:
            over = self.over and self.over.name
            note = {"over": over, "rule": self._rule(), "next_look": self.next_look}
            about = {**note, "polished": self.polished, "slopes": self.slopes}
            self.file.write(self.driver, about)

    def final_slopes(self, budget: int) -> Slopes | str:
        """Return the slopes at the best point; what was evaluated for them is kept."""
        if self.slopes is None:
            before = self.driver.n_evals
            slopes = final_slopes(self.driver, self.evaluate, budget - before)
            if self.driver.n_evals > before:
                self.slopes = slopes if isinstance(slopes, str) else [slopes[0].tolist(), slopes[1]]
                self.save()
            return slopes
        if isinstance(self.slopes, str):
            return self.slopes
        rows, note = self.slopes
        return Slopes(np.array(rows), note)

    # --- evaluating ------------------------------------------------------------------------------

    def _directly(self) -> None:
        """Let the driver evaluate, checking the rules as often as they need."""
        driver, rules = self.driver, self.rules
        until = min(driver.n_evals + self._step, self.limit)
        if rules.stall is not None:
            until = min(until, max(driver.incumbent.n + rules.stall, driver.n_evals + 1))
        if rules.per_generation:
            until = min(until, max(self.next_look, driver.n_evals + 1))
        if self.logs:
            until = min(until, max(self.next_report, driver.n_evals + 1))
        begin = time.perf_counter()
        try:
            driver.run(until)
        except Exception as error:
            if driver.searching:
                raise _algorithm_failed(driver.algorithm.name, error) from error
            raise _function_failed(driver.problem.decode(driver.evaluating), error) from error
        elapsed = time.perf_counter() - begin
        self._step = 2 * self._step if elapsed < PATIENCE else max(1, self._step // 2)

    def _batch(self) -> None:
        """Evaluate a batch of at most one generation.

        A failure counts as NaN, or ends the run after the others are told. Where the workers
        themselves fail, the run ends: they may not work again.
        """
        driver = self.driver
        size = driver.population_size
        room = min(self.batch or size, size, self.limit - driver.n_evals)
        numbers = sorted(driver.pending) or driver.ask(room)  # some may have failed before
        if not numbers:
            return
        points = list(driver.points(numbers))
        try:
            outcomes = self.evaluate(points)
        except Exception as error:
            raise EvaluationError(
                f"workers failed with {_told(error)}; the result so far is in the attribute "
                "`result`"
            ) from error
        failed = None
        told, results = [], []
        for number, x, outcome in zip(numbers, points, outcomes, strict=True):
            if isinstance(outcome, Exception) and not self.rules.forgive:
                failed = failed or (x, outcome)
                continue
            told.append(number)
            results.append(np.nan if isinstance(outcome, Exception) else outcome)
        out = np.empty((len(told), 1 + driver.problem.n_constraints))
        for values, result in zip(out, results, strict=True):
            values[:] = result
        try:
            driver.tell(told, out)
        except Exception as error:
            raise _algorithm_failed(driver.algorithm.name, error) from error
        if failed is not None:
            x, cause = failed
            raise _function_failed(driver.problem.decode(x), cause) from cause

    # --- stopping --------------------------------------------------------------------------------

    def _stop(self) -> Stop | None:
        """Return the rule that ends the run now, if any."""
        driver, rules = self.driver, self.rules
        n = driver.n_evals
        if driver.reached:
            return Stop.TARGET
        if driver.finished:
            return end_of(driver)
        if rules.stall is not None and n - driver.incumbent.n >= rules.stall:
            return Stop.STALL
        if self.time_is_up():
            return Stop.TIME
        if self.logs and n >= self.next_report:
            self._report(n)
        if self.bar is not None:
            self.bar.update()
        if rules.per_generation and n >= self.next_look:
            self.next_look = n + driver.population_size
            return self._look()
        return None

    def _rule(self) -> float | None:
        """Return the number among the rules that has ended the run, if one has."""
        value = getattr(self.rules, NUMBERS[self.over]) if self.over in NUMBERS else None
        return None if value is None else float(value)

    def _stands(self, rule: float | None) -> bool:
        """Whether the end of a kept run, by the number `rule`, is that of this call too."""
        if self.over in NUMBERS:
            return rule is not None and rule == self._rule()
        return self.over is not Stop.CALLBACK  # functions cannot be compared: it is asked again

    def _judge(self) -> None:
        """Let the rules of this call decide over a kept run that rules of another call had ended.

        They look at its last generation at once. A run that goes on is as if it had not ended.
        """
        next_look, self.judge = self.next_look, False
        self.next_look = self.driver.n_evals
        stop = self._stop()
        self.over = None if stop is Stop.TIME else stop
        if stop is None:
            self.next_look = next_look

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

    def _report(self, n: int) -> None:
        budget = self.driver.max_evals
        self.next_report = budget * (n * REPORTS // budget + 1) // REPORTS
        if self.bar is not None:
            self.bar.clear()
        say(state(self.driver, budget), self.rules.disp)


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
    _, f, v = driver.population
    if driver.algorithm.search is not None:  # a batch is no population: it may lie close together
        return math.inf
    if not f.size or not np.isfinite(f).all() or (v > 0.0).any():
        return math.inf
    deviation, size = float(np.std(f)), abs(float(np.mean(f)))
    if deviation == 0.0:
        return 0.0
    return deviation / size if size > 0.0 else math.inf
