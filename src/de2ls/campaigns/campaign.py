"""Running a plan into a store: what is missing is run, each finished trial is stored at once."""

import signal
import threading
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from de2ls.campaigns.errors import CampaignError, ConflictError
from de2ls.campaigns.executors import (
    LOST_CLUSTER,
    LOST_PROCESS,
    Workers,
    check_workers,
    compile_kernels,
    finished,
    open_workers,
)
from de2ls.campaigns.plan import Plan, PlannedTrial
from de2ls.campaigns.progress import Progress
from de2ls.campaigns.store import Store
from de2ls.suites.registry import load

if TYPE_CHECKING:
    from de2ls.trials.record import TrialRecord, TrialSummary


@dataclass
class Outcome:
    """What a campaign did."""

    planned: int
    before: int  # in the store when it began
    stored: int = 0  # by this campaign
    failed: list[tuple[PlannedTrial, str]] = field(default_factory=list)
    interrupted: bool = False
    abandoned: bool = False  # interrupted again: running trials were given up
    warnings: list[str] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Trials of the plan that the store still lacks."""
        return self.planned - self.before - self.stored


def run_campaign(
    plan: Plan,
    store: str | Path,
    workers: int | None = None,
    executor: str = "auto",
    dask: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run what a store lacks of a plan.

    The same call continues a campaign that ended early, however it ended. Ctrl-C (or SIGTERM) lets
    the running trials finish; a second one abandons them. A trial that raises is reported and left
    out; the others go on.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : str or Path
        The store's file; created if it is missing.
    workers : int, optional
        Number of workers; one per core by default.
    executor : {"auto", "threads", "processes"}
        By default threads, and processes if a problem is plain Python.
    dask : str, optional
        Address of a Dask scheduler, or ``local``.
    progress : Progress, optional
        What shows the campaign; nothing by default.

    Returns
    -------
    Outcome
        What was run and what is left.

    Raises
    ------
    ConflictError
        If a label of the plan stands for other trials in the store.
    """
    progress = progress or Progress()
    check_workers(executor, workers)
    if not Path(store).exists():  # what cannot be run leaves no empty store behind
        for problem in plan.problems:
            load(problem, plan.sources.get(problem, ""))
    with Store.open(store) as opened:
        missing = missing_trials(plan, opened)
        opened.add_plan(plan.as_dict())
        outcome = Outcome(planned=len(plan), before=len(plan) - len(missing))
        if missing:
            compile_kernels(missing)
            team = open_workers(executor, workers, dask, missing)
            try:
                progress.start(plan, missing, team.description)
                _execute(missing, opened, team, progress, outcome)
            finally:
                progress.close()
        outcome.warnings = opened.info().warnings
        progress.end(outcome)
    return outcome


def missing_trials(plan: Plan, store: Store) -> list[PlannedTrial]:
    """Return the trials of a plan that a store lacks; refuse a plan that contradicts it."""
    for series in plan.series:
        store.check_series(series.label, str(series.algorithm), series.config)
    labels = [series.label for series in plan.series]
    here = {trial.key: trial for trial in store.trials(labels=labels)}
    missing = []
    for trial in plan.trials():
        stored = here.get(trial.key)
        if stored is None:
            missing.append(trial)
        elif (stored.seed, stored.max_evals) != (trial.seed, trial.max_evals):
            raise ConflictError(
                f"{store.path} holds {trial.key} from another campaign: "
                f"{_difference(stored, trial)}; choose another label or another store"
            )
    return missing


def _difference(stored: "TrialSummary", planned: PlannedTrial) -> str:
    """Return in what a stored trial differs from the one that is planned."""
    found = []
    if stored.max_evals != planned.max_evals:
        found.append(f"max_evals was {stored.max_evals} and would be {planned.max_evals}")
    if stored.seed != planned.seed:
        found.append(
            f"the trial's seed was {stored.seed} and would be {planned.seed} (it depends on the "
            "campaign's seed and on paired)"
        )
    return ", ".join(found)


def _execute(
    missing: list[PlannedTrial], store: Store, team: Workers, progress: Progress, outcome: Outcome
) -> None:
    """Run the trials and store each as it ends; an interruption is noted in the outcome."""
    at_ease = False  # whether the workers may be awaited
    try:
        with _Interruption(progress) as interruption:
            for trial, future in finished(team, missing, interruption.requested):
                _take(trial, future, store, progress, outcome)
            outcome.interrupted = interruption.requested()
            at_ease = True
    except KeyboardInterrupt:
        outcome.interrupted = outcome.abandoned = True
    finally:
        team.close(at_ease)


def _take(
    trial: PlannedTrial,
    future: "Future[TrialRecord]",
    store: Store,
    progress: Progress,
    outcome: Outcome,
) -> None:
    """Store a trial that has ended, or note why it failed."""
    try:
        record = future.result()
    except BrokenExecutor as error:
        raise CampaignError(LOST_PROCESS) from error
    except CancelledError as error:
        raise CampaignError(LOST_CLUSTER) from error
    except Exception as error:  # a user's function may raise anything
        reason = f"{type(error).__name__}: {error}"
        outcome.failed.append((trial, reason))
        store.add_failure(trial.key, reason)
        progress.failed(trial, reason)
    else:
        store.add(record)
        outcome.stored += 1
        progress.finished(trial, record)


class _Interruption:
    """The first Ctrl-C or SIGTERM is a request to stop, the second raises KeyboardInterrupt.

    Signals reach the main thread only; elsewhere this does nothing.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._seen = threading.Event()
        self._told = False
        self._previous: dict[signal.Signals, Any] = {}

    def requested(self) -> bool:
        """Whether to stop; says so once, outside of the signal handler."""
        if self._seen.is_set() and not self._told:
            self._told = True
            self._progress.note("stopping after the running trials; Ctrl-C again abandons them")
        return self._seen.is_set()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._seen.is_set():
            raise KeyboardInterrupt
        self._seen.set()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in (signal.SIGINT, signal.SIGTERM):
                self._previous[name] = signal.signal(name, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for name, handler in self._previous.items():
            signal.signal(name, handler)
