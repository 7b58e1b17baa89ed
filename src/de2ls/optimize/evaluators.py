"""How a batch of points is evaluated: one by one, vectorised, or by workers.

An evaluator takes points of the search box and returns, per point, f, g, h or the exception that
kept it from having them.
"""

import multiprocessing
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._processes import begin_worker, uninterrupted
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
        """Evaluate one point; an exception is returned in a form that can be sent back."""
        out = np.empty(self.n_out)
        try:
            self.function(x, out)
        except Exception as error:
            return _portable(error)
        return out


def _portable(error: Exception) -> Exception:
    """Return `error`, or its text where it cannot be pickled, with its traceback as a note.

    The traceback itself stays behind in the worker.
    """
    frames = "".join(traceback.format_tb(error.__traceback__)[1:])  # without our own `Task`
    note = f"in a worker:\n{frames}"
    try:
        error.add_note(note)
        pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own bytes
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
        error.add_note(note)
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
        outcomes = list(map_like(task, points))
        if len(outcomes) != len(points) or not all(map(_is_outcome, outcomes)):
            raise TypeError(
                "workers must be map-like: workers(task, points) gives task(point) of each point "
                f"in turn, got {len(outcomes)} results of {len(points)} points, "
                f"types {sorted({type(outcome).__name__ for outcome in outcomes})}"
            )
        return outcomes

    return evaluate


def _is_outcome(value: Any) -> bool:
    return isinstance(value, np.ndarray | Exception)


def dask(task: Task, client: Any) -> Evaluator:
    """Return an evaluator that uses a Dask client.

    Dask evaluates the points of a worker that dies elsewhere; one that ends several workers fails.
    """

    def outcome(future: Any) -> Outcome:
        try:
            value: Outcome = future.result()
        except Exception as error:
            if client.status != "running":
                raise
            return error
        return value

    def evaluate(points: Sequence[FloatArray]) -> list[Outcome]:
        futures = client.map(task, list(points), pure=False)
        try:
            return list(client.gather(futures))
        except Exception:
            return [outcome(future) for future in futures]

    return evaluate


class Processes(AbstractContextManager[Evaluator]):
    """An evaluator with worker processes, which are started on entry and ended on exit."""

    def __init__(self, task: Task, workers: int) -> None:
        self.task = task
        self.workers = workers
        self._executor: ProcessPoolExecutor | None = None
        self._started: set[BaseProcess] = set()

    def __enter__(self) -> Evaluator:
        if multiprocessing.get_start_method() != "fork":
            self._check_picklable()
        return self.evaluate

    def __exit__(self, kind: type[BaseException] | None, *others: object) -> None:
        with uninterrupted():
            started = self._started
            self._end()
            if kind is not None:  # they are in the middle of evaluations, which may be long
                for worker in started:
                    worker.kill()

    def evaluate(self, points: Sequence[FloatArray]) -> list[Outcome]:
        """Evaluate the points, one task each; a worker that dies fails the points it leaves."""
        with uninterrupted():
            futures = self._handed_out(points)
        return [self._outcome(future) for future in futures]

    def _handed_out(self, points: Sequence[FloatArray]) -> "list[Future[Outcome]]":
        """Hand out the points, and note which processes that started."""
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self.workers, initializer=_start_worker, initargs=(self.task,)
            )
        others = set(multiprocessing.active_children())
        try:
            return [self._submitted(self._executor, x) for x in points]
        finally:
            self._started |= set(multiprocessing.active_children()) - others

    def _submitted(self, executor: ProcessPoolExecutor, x: FloatArray) -> "Future[Outcome]":
        """Return the future of a point; a worker may have died while others were handed out."""
        try:
            return executor.submit(_run_task, x)
        except BrokenProcessPool as error:
            failed: Future[Outcome] = Future()
            failed.set_exception(error)
            return failed

    def _outcome(self, future: "Future[Outcome]") -> Outcome:
        try:
            return future.result()
        except BrokenProcessPool:
            self._end()
            return RuntimeError("a worker process died during the evaluation")

    def _end(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None
            self._started = set()

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
    begin_worker()


def _run_task(x: FloatArray) -> Outcome:
    assert _task is not None
    return _task(x)


class Memory:
    """An evaluator that evaluates no point twice, for problems of discrete coordinates only."""

    def __init__(self, problem: Problem, evaluate: Evaluator) -> None:
        self.problem, self.evaluate = problem, evaluate
        self.known: dict[bytes, Outcome] = {}
        self.repeats = 0  # points that were answered from memory

    def __call__(self, points: Sequence[FloatArray]) -> list[Outcome]:
        """Return the outcomes of all points; new ones are evaluated, failures are not kept."""
        keys = [self.problem.round(x).tobytes() for x in points]
        new = {key: x for key, x in zip(keys, points, strict=True) if key not in self.known}
        found = dict(zip(new, self.evaluate(list(new.values())) if new else [], strict=True))
        self.known |= {key: out for key, out in found.items() if not isinstance(out, Exception)}
        self.repeats += len(points) - len(new)
        return [found[key] if key in found else self.known[key] for key in keys]


def is_one(workers: Any) -> bool:
    """Whether `workers` asks for no workers at all."""
    return isinstance(workers, int | np.integer) and workers is not True and workers == 1


def choose(
    problem: Problem, workers: Any, batch: int | None
) -> tuple[AbstractContextManager[Evaluator], int | None]:
    """Return the evaluator for `workers` and the number of points evaluated together.

    None means one generation: for vectorised functions, and where the number of workers is unknown.
    """
    if batch is not None:
        batch = _checks.integer("batch", batch, 1)
    alone = is_one(workers)
    if problem.many is not None:
        if not alone:
            raise ValueError(
                f"workers must be 1 with vectorized=True, got {workers!r}: a vectorised function "
                "gets the whole batch in one call"
            )
        return nullcontext(vectorised(problem)), batch
    if alone:
        return nullcontext(one_by_one(problem)), batch or 1
    if problem.function is None:
        raise ValueError(
            f"workers must be 1 for the compiled problem {problem.name}, got {workers!r}"
        )
    task = Task(problem.function, 1 + problem.n_constraints)
    if hasattr(workers, "gather") and hasattr(workers, "map"):
        threads = _threads(workers)
        return nullcontext(dask(task, workers)), batch or threads
    if callable(workers):
        return nullcontext(mapped(task, workers)), batch
    try:
        number = _checks.integer("workers", workers, -1)
    except (TypeError, ValueError) as error:
        raise type(error)(_bad_workers(workers)) from None
    if number == 0:
        raise ValueError(_bad_workers(0))
    if number == -1:
        number = os.cpu_count() or 1
    return Processes(task, number), batch or number


def _threads(client: Any) -> int:
    """Return how many threads a Dask cluster has."""
    try:
        return sum(client.nthreads().values())
    except Exception as error:
        raise ValueError(
            "workers must be a Dask client that is connected and not asynchronous, got "
            f"{client!r}: {error}"
        ) from error


def _bad_workers(workers: Any) -> str:
    return (
        "workers must be -1, a positive integer, a map-like callable or a Dask client, "
        f"got {workers!r}"
    )
