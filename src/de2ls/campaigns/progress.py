"""Showing a campaign: a live display, plain lines, JSON for machines, or nothing."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from de2ls._extras import extra
from de2ls._lists import count
from de2ls.trials.record import TrialRecord

if TYPE_CHECKING:
    from rich.console import Console

    from de2ls.campaigns.campaign import Outcome
    from de2ls.campaigns.plan import Plan, PlannedTrial

_LINE_EVERY = 10.0  # seconds between plain lines


class Progress:
    """What a campaign reports to; this one shows nothing."""

    def start(self, plan: "Plan", missing: "Sequence[PlannedTrial]", where: str) -> None:
        """Begin: `missing` trials of `plan` will run on the workers described by `where`."""

    def finished(self, trial: "PlannedTrial", record: TrialRecord) -> None:
        """Note a trial that has been stored."""

    def failed(self, trial: "PlannedTrial", reason: str) -> None:
        """Note a trial that raised."""

    def note(self, text: str) -> None:
        """Say something."""

    def close(self) -> None:
        """Leave the screen in order; called also when the campaign fails."""

    def end(self, outcome: "Outcome") -> None:
        """Sum up."""


class Tally:
    """The counts behind every display: trials, evaluations, speed and the time that is left.

    The time left follows the evaluations, not the trials: budgets differ between dimensions.
    """

    def __init__(
        self,
        plan: "Plan",
        missing: "Sequence[PlannedTrial]",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._begin = clock()
        self.planned = len(plan)
        self.to_run = len(missing)
        self.done = len(plan) - len(missing)
        self.left = Counter(trial.label for trial in missing)
        self.of_label = {series.label: len(plan) // len(plan.series) for series in plan.series}
        self.evaluations = 0
        self.evaluations_left = sum(trial.max_evals for trial in missing)

    def count(self, trial: "PlannedTrial", record: TrialRecord | None) -> None:
        """Count a trial that ended; one that failed has no record."""
        self.evaluations_left -= trial.max_evals
        if record is not None:
            self.done += 1
            self.left[trial.label] -= 1
            self.evaluations += record.n_evals

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self._clock() - self._begin

    @property
    def speed(self) -> float:
        """Evaluations per second."""
        return self.evaluations / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Time that is left at this speed, once there is one."""
        return self.evaluations_left / self.speed if self.speed > 0 else None


class PlainProgress(Progress):
    """One line now and then, for logs and pipes."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stdout
        self._clock = clock
        self._shown = clock()
        self._tally: Tally | None = None

    def start(self, plan: "Plan", missing: "Sequence[PlannedTrial]", where: str) -> None:
        """Say what will run."""
        self._tally = Tally(plan, missing, self._clock)
        self._shown = self._clock()
        self.note(opening(self._tally, where))

    def finished(self, trial: "PlannedTrial", record: TrialRecord) -> None:
        """Write a line if the last one is old enough."""
        assert self._tally is not None
        self._tally.count(trial, record)
        if self._clock() - self._shown >= _LINE_EVERY:
            self._shown = self._clock()
            self.note(f"{state(self._tally)}; last: {result(trial, record)}")

    def failed(self, trial: "PlannedTrial", reason: str) -> None:
        """Write a line for every failure."""
        assert self._tally is not None
        self._tally.count(trial, None)
        self.note(f"failed: {trial.key}: {reason}")

    def note(self, text: str) -> None:
        """Write a line."""
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def end(self, outcome: "Outcome") -> None:
        """Write the summary."""
        for line in closing(outcome):
            self.note(line)


class JsonProgress(Progress):
    """One JSON object per line: start, trial, failed, note, end."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout

    def _write(self, event: str, **values: Any) -> None:
        self._stream.write(json.dumps({"event": event, **values}) + "\n")
        self._stream.flush()

    def start(self, plan: "Plan", missing: "Sequence[PlannedTrial]", where: str) -> None:
        """Write what will run."""
        evaluations = sum(trial.max_evals for trial in missing)
        self._write(
            "start", planned=len(plan), to_run=len(missing), evaluations=evaluations, workers=where
        )

    def finished(self, trial: "PlannedTrial", record: TrialRecord) -> None:
        """Write a trial's result; an infeasible one has no min_ev."""
        self._write(
            "trial",
            **trial.key.as_dict(),
            feasible=record.feasible,
            min_ev=record.min_ev if record.min_ev == record.min_ev else None,
            lcv=record.lcv,
            evaluations=record.n_evals,
            seconds=round(record.wall_time, 6),
        )

    def failed(self, trial: "PlannedTrial", reason: str) -> None:
        """Write a failure."""
        self._write("failed", **trial.key.as_dict(), reason=reason)

    def note(self, text: str) -> None:
        """Write a message."""
        self._write("note", text=text)

    def end(self, outcome: "Outcome") -> None:
        """Write the summary."""
        self._write(
            "end",
            planned=outcome.planned,
            before=outcome.before,
            stored=outcome.stored,
            failed=len(outcome.failed),
            left=outcome.left,
            interrupted=outcome.interrupted,
            warnings=outcome.warnings,
        )


class LiveProgress(Progress):
    """A display that renews itself: a bar for all trials and one per series, pace, last result."""

    def __init__(self, console: "Console | None" = None) -> None:
        with extra("cli"):
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as Bars

        self.bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[news]}", markup=False),
            console=console,
            transient=True,
        )

    def start(self, plan: "Plan", missing: "Sequence[PlannedTrial]", where: str) -> None:
        """Open the display."""
        self._tally = Tally(plan, missing)
        self.note(opening(self._tally, where))
        self._all = self.bars.add_task(
            "all trials", total=len(plan), completed=self._tally.done, news=""
        )
        self._tasks = {
            label: self.bars.add_task(
                label, total=planned, completed=planned - self._tally.left[label], news=""
            )
            for label, planned in self._tally.of_label.items()
        }
        self.bars.start()

    def finished(self, trial: "PlannedTrial", record: TrialRecord) -> None:
        """Move the bars on."""
        self._tally.count(trial, record)
        news = f"{trial.problem}, run {trial.run}: {value(record)} ({duration(record.wall_time)})"
        self.bars.update(self._tasks[trial.label], advance=1, news=news)
        self.bars.update(self._all, advance=1, news=pace(self._tally))

    def failed(self, trial: "PlannedTrial", reason: str) -> None:
        """Show the failure above the display, where it stays."""
        self._tally.count(trial, None)
        self.note(f"failed: {trial.key}: {reason}")

    def note(self, text: str) -> None:
        """Write a line above the display."""
        self.bars.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Take the display away and give the cursor back."""
        self.bars.stop()

    def end(self, outcome: "Outcome") -> None:
        """Write the summary."""
        for line in closing(outcome):
            self.note(line)


def make_progress(as_json: bool, quiet: bool) -> Progress:
    """Return the display that suits: live on a terminal, plain lines elsewhere."""
    if as_json:
        return JsonProgress()
    if quiet:
        return Progress()
    return LiveProgress() if sys.stdout.isatty() else PlainProgress()


def opening(tally: Tally, where: str) -> str:
    """Return the first line of a campaign."""
    there = f", {tally.done} already stored" if tally.done else ""
    return f"{count(tally.planned, 'trial')} planned{there}: running {tally.to_run} on {where}"


def state(tally: Tally) -> str:
    """Return the counts and the pace in one line."""
    share = 100 * tally.done / tally.planned
    return f"{tally.done}/{tally.planned} trials ({share:.0f} %), {pace(tally)}"


def pace(tally: Tally) -> str:
    """Return time, speed and time left."""
    left = tally.seconds_left
    ahead = "" if left is None else f", about {duration(left)} left"
    return f"{duration(tally.seconds)} gone{ahead}, {tally.speed:,.0f} evaluations/s"


def closing(outcome: "Outcome") -> list[str]:
    """Return the last lines of a campaign."""
    lines = [f"warning: {warning}" for warning in outcome.warnings]
    if outcome.failed:
        lines.append(f"{count(len(outcome.failed), 'trial')} failed; the same command tries again")
    stored = f"{count(outcome.stored, 'trial')} stored"
    if outcome.left:
        stopped = "interrupted: " if outcome.interrupted else ""
        left = f"{outcome.left} of {outcome.planned} left"
        lines.append(f"{stopped}{stored}, {left}; the same command continues")
    else:
        lines.append(f"complete: {stored}, {outcome.planned} in the store")
    return lines


def result(trial: "PlannedTrial", record: TrialRecord) -> str:
    """Return a trial's result in a line."""
    return f"{trial.key}: {value(record)} ({record.wall_time:.2f} s)"


def value(record: TrialRecord) -> str:
    """Return what a trial reached."""
    return f"Min_EV {record.min_ev:.6g}" if record.feasible else f"violation {record.lcv:.6g}"


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 99.5:
        return f"{seconds:.0f} s" if seconds >= 9.95 else f"{seconds:.1f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
