"""Where trials run: threads, processes or a Dask cluster, behind one small interface.

All three are executors of `concurrent.futures`, so that one loop drives them: `finished` keeps the
workers busy and yields trials as they end.
"""

import dataclasses
import multiprocessing
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent import futures
from dataclasses import dataclass
from itertools import islice
from typing import Any

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls._processes import begin_worker
from de2ls.algorithms import get_algorithm
from de2ls.campaigns.plan import PlannedTrial
from de2ls.problems.file import no_exit
from de2ls.problems.problem import Problem
from de2ls.trials.record import TrialRecord
from de2ls.trials.run import PausedTrial, run_trial

KINDS = ("auto", "threads", "processes")
_SAFE = "the trials stored so far are safe; the same command continues from them"
LOST_CLUSTER = f"the connection to the Dask cluster is lost: {_SAFE}"
LOST_PROCESS = f"a worker process died (killed, or out of memory?): {_SAFE}"
_PATIENCE = 0.2  # seconds between looks at the stop signal


@dataclass(frozen=True)
class Workers:
    """Workers that take trials; `close(wait)` ends them, with or without their running trials."""

    executor: futures.Executor
    count: Callable[[], int]
    close: Callable[[bool], None]
    description: str


def run_planned(trial: PlannedTrial) -> TrialRecord:
    """Run one planned trial; this is what travels to the workers."""
    with no_exit(f"the problem {trial.problem.label}"):
        return run_trial(
            trial.place,
            trial.load(),
            trial.seed,
            trial.max_evals,
            trial.config,
            label=trial.label,
            run=trial.run,
        )


def finished(
    workers: Workers, trials: Iterable[PlannedTrial], stopping: Callable[[], bool]
) -> Iterator[tuple[PlannedTrial, "futures.Future[TrialRecord]"]]:
    """Run trials and yield each with its future when it has ended.

    Twice as many trials as there are workers are under way, so that none waits while results are
    stored. Once `stopping` says so no trial is started, and those that run are still awaited.
    """
    waiting = iter(trials)
    running: dict[futures.Future[TrialRecord], PlannedTrial] = {}
    while True:
        if stopping():
            waiting = iter(())
            for future in [future for future in running if future.cancel()]:
                del running[future]
        for trial in islice(waiting, max(0, 2 * workers.count() - len(running))):
            running[workers.executor.submit(run_planned, trial)] = trial
        if not running:
            return
        done, _ = futures.wait(running, _PATIENCE, futures.FIRST_COMPLETED)
        for future in done:
            yield running.pop(future), future


def open_workers(
    kind: str, count: int | None, dask: str | None, trials: Collection[PlannedTrial]
) -> Workers:
    """Start the workers that suit a campaign.

    Parameters
    ----------
    kind : {"auto", "threads", "processes"}
        Threads suit compiled algorithms on compiled problems, whose trials run without the
        interpreter; plain Python needs processes. By default the trials decide.
    count : int, optional
        Number of workers; one per core by default.
    dask : str, optional
        Address of a Dask scheduler, or ``local`` for a cluster on this machine.
    trials : iterable of PlannedTrial
        What will run.
    """
    size = check_workers(kind, count)
    searches = {trial.place: get_algorithm(trial.place) for trial in trials}
    alone = [found.name for found in searches.values() if found.digest and not found.source]
    if alone and (dask is not None or kind == "processes"):
        raise ValueError(
            f"executor must be threads for the algorithm {alone[0]}: it is in no file or module "
            "from which other processes could load it"
        )
    if dask is not None:
        from de2ls.campaigns.dask_executor import dask_workers

        return dask_workers(dask, size)
    compiled = all(trial.load().kernel is not None for trial in trials) and all(
        found.search is None for found in searches.values()
    )
    if kind == "processes" or (kind == "auto" and not compiled and not alone):
        return processes(size)
    return threads(size)


def check_workers(kind: str, count: int | None) -> int:
    """Return the number of workers; refuse a kind or a number that cannot be."""
    _checks.choice("executor", kind, KINDS)
    return worker_count(count)


def worker_count(wanted: int | None) -> int:
    """Return the number of workers: what is wanted, or one per core that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return _checks.integer("workers", cores if wanted is None else wanted, 1)


def threads(count: int) -> Workers:
    """Return worker threads: compiled trials release the interpreter and run at once."""
    pool = futures.ThreadPoolExecutor(count, thread_name_prefix="trial")
    return Workers(pool, lambda: count, _closer(pool), _several(count, "thread"))


def processes(count: int) -> Workers:
    """Return worker processes, each with an interpreter of its own."""
    pool = futures.ProcessPoolExecutor(
        count, mp_context=multiprocessing.get_context("spawn"), initializer=begin_worker
    )
    return Workers(pool, lambda: count, _closer(pool), _several(count, "process", "es"))


def compile_kernels(trials: Iterable[PlannedTrial]) -> None:
    """Compile, in this process, all that the trials need.

    Several processes that write the cache of compiled code at once disturb each other; after this
    they only read it.
    """
    seen: set[Any] = set()
    for trial in trials:
        problem = _without_function(trial.load())
        needs = {trial.problem, (trial.algorithm, problem.kernel is not None)}
        if not needs <= seen:
            seen |= needs
            PausedTrial(trial.place, problem, trial.seed, trial.max_evals, trial.config).run(1)


def _without_function(problem: Problem) -> Problem:
    """Return the problem; a plain Python one with zeros in place of the user's functions.

    They need no compilation, and only the workers run them: they may end their process.
    """
    if problem.kernel is not None:
        return problem

    def zeros(x: FloatArray, out: FloatArray) -> None:
        del x
        out[:] = 0.0

    return dataclasses.replace(problem, function=zeros, many=None)


def _closer(pool: futures.Executor) -> Callable[[bool], None]:
    return lambda wait: pool.shutdown(wait=wait, cancel_futures=True)


def _several(count: int, name: str, plural: str = "s") -> str:
    return f"{count} {name}{'' if count == 1 else plural}"
