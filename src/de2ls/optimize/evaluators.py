"""How a batch of points is evaluated: one by one, vectorised, or by workers.

An evaluator takes points of the search box and returns, per point, f, g, h or the exception that
kept it from having them.
"""

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems.problem import Problem

Outcome = FloatArray | Exception
Evaluator = Callable[[Sequence[FloatArray]], list[Outcome]]
Function = Callable[[FloatArray, FloatArray], None]


class Task:
    """``task(x)`` returns f, g, h or the exception: what workers run."""

    def __init__(self, function: Function, n_out: int) -> None:
        self.function = function
        self.n_out = n_out

    def __call__(self, x: FloatArray) -> Outcome:
        """Evaluate one point; an exception is returned in a form that survives the way home."""
        out = np.empty(self.n_out)
        try:
            self.function(x, out)
        except Exception as error:
            return _portable(error)
        return out


def _portable(error: Exception) -> Exception:
    """Return `error`, or its text where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own bytes
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def one_by_one(problem: Problem) -> Evaluator:
    """Return an evaluator that calls the problem point by point."""
    work = np.empty(problem.kernel.n_work if problem.kernel else 0)

    def evaluate(points: Sequence[FloatArray]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for x in points:
            out = np.empty(1 + problem.n_constraints)
            try:
                problem.evaluate_into(x, out, work)
            except Exception as error:
                outcomes.append(error)
            else:
                outcomes.append(out)
        return outcomes

    return evaluate


def vectorised(problem: Problem) -> Evaluator:
    """Return an evaluator that hands all points of a batch to the user's functions at once."""
    many = problem.many
    assert many is not None

    def evaluate(points: Sequence[FloatArray]) -> list[Outcome]:
        out = np.empty((len(points), 1 + problem.n_constraints))
        try:
            many(np.array(points), out)
        except Exception as error:
            return [error] * len(points)
        return list(out)

    return evaluate


def mapped(
    task: Task, map_like: Callable[[Task, Iterable[FloatArray]], Iterable[Any]]
) -> Evaluator:
    """Return an evaluator that uses a map-like callable, such as the `map` of a pool."""

    def evaluate(points: Sequence[FloatArray]) -> list[Outcome]:
        return list(map_like(task, points))

    return evaluate


def dask(task: Task, client: Any) -> Evaluator:
    """Return an evaluator that uses a Dask client."""

    def evaluate(points: Sequence[FloatArray]) -> list[Outcome]:
        return list(client.gather(client.map(task, list(points), pure=False)))

    return evaluate


class Processes(AbstractContextManager[Evaluator]):
    """An evaluator with worker processes, which are started on entry and ended on exit."""

    def __init__(self, task: Task, workers: int) -> None:
        self.task = task
        self.workers = workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Evaluator:
        if multiprocessing.get_start_method() != "fork":
            self._check_picklable()
        return self.evaluate

    def __exit__(self, *exc_info: object) -> None:
        self._end()

    def evaluate(self, points: Sequence[FloatArray]) -> list[Outcome]:
        """Evaluate the points, one task each; a worker that dies fails the points it leaves."""
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self.workers, initializer=_start_worker, initargs=(self.task,)
            )
        futures = [self._executor.submit(_run_task, x) for x in points]
        outcomes: list[Outcome] = []
        for future in futures:
            try:
                outcomes.append(future.result())
            except BrokenProcessPool:
                outcomes.append(RuntimeError("a worker process died during the evaluation"))
                self._end()
        return outcomes

    def _end(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    def _check_picklable(self) -> None:
        try:
            pickle.dumps(self.task)
        except Exception as error:
            raise TypeError(
                f"workers={self.workers} needs functions that can be pickled (defined at the top "
                f"level of a module), got {error}"
            ) from error


_task: Task | None = None  # of this worker process


def _start_worker(task: Task) -> None:
    global _task
    _task = task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business


def _run_task(x: FloatArray) -> Outcome:
    assert _task is not None
    return _task(x)


def choose(
    problem: Problem, workers: Any, batch: int | None
) -> tuple[AbstractContextManager[Evaluator], int | None]:
    """Return the evaluator for `workers` and the number of points evaluated together.

    None means one generation: for vectorised functions, and where the number of workers is unknown.
    """
    if batch is not None:
        batch = _checks.integer("batch", batch, 1)
    if problem.many is not None:
        if workers != 1:
            raise ValueError(
                f"workers must be 1 with vectorized=True, got {workers!r}: a vectorised function "
                "gets the whole batch in one call"
            )
        return nullcontext(vectorised(problem)), batch
    if workers == 1 and not callable(workers):
        return nullcontext(one_by_one(problem)), batch or 1
    if problem.function is None:
        raise ValueError(
            f"workers must be 1 for the compiled problem {problem.name}, got {workers!r}"
        )
    task = Task(problem.function, 1 + problem.n_constraints)
    if hasattr(workers, "gather") and hasattr(workers, "map"):
        return nullcontext(dask(task, workers)), batch or sum(workers.nthreads().values())
    if callable(workers):
        return nullcontext(mapped(task, workers)), batch
    number = _checks.integer("workers", workers, -1)
    if number == 0:
        raise ValueError(
            "workers must be -1, a positive integer, a map-like callable or a Dask client, got 0"
        )
    if number == -1:
        number = os.cpu_count() or 1
    return Processes(task, number), batch or number
