"""What a run tells of itself while it runs: lines of the log, and a bar."""

import datetime
import importlib
import logging
import shutil
import sys
import time
from types import TracebackType
from typing import Any, Self

from de2ls.trials.driver import Driver

LOG = logging.getLogger("de2ls")
REFRESH = 0.2  # seconds between two states of a bar
REFRESH_FILE = 10.0  # seconds between two lines where stderr is no terminal
CELLS, FEWEST_CELLS = 24, 8  # width of the bar in a terminal


def say(text: str, show: bool) -> None:
    """Log a line at INFO; where no logging shows it, write it to stdout if `show`."""
    if LOG.isEnabledFor(logging.INFO) and LOG.hasHandlers():
        LOG.info(text)
    elif show and sys.stdout is not None:  # a program without a console has none
        sys.stdout.write(f"de2ls: {text}\n")


def state(driver: Driver, budget: int) -> str:
    """Return where a run stands, in a line."""
    n, best = driver.n_evals, driver.incumbent
    done = f"{n:>9d} evaluations {f'({n / budget:.0%})':>6}"
    return f"{done}, f = {best.f:.8g}, violation = {best.violation:.3g}" if n else done


class Bar:
    """A bar with the incumbent, its violation and the time left, in a terminal or a notebook.

    Where stderr is neither, it gets a line now and then.

    Parameters
    ----------
    driver : Driver
        The trial.
    budget : int
        Evaluations of the whole run.
    max_time : float, optional
        Seconds that the run may last.
    """

    def __init__(self, driver: Driver, budget: int, max_time: float | None = None) -> None:
        self.driver, self.budget, self.max_time = driver, budget, max_time
        self.first = driver.n_evals  # of a run that goes on: made before
        self.begin = time.perf_counter()
        self.next = self.begin
        self.cell = _notebook_cell()
        self.terminal = self.cell is None and sys.stderr is not None and sys.stderr.isatty()
        self.pause = REFRESH if self.terminal or self.cell is not None else REFRESH_FILE

    def __enter__(self) -> Self:
        self._show("")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        clock = f"{_clock(time.perf_counter() - self.begin)} in all"
        self._show(clock, whole=kind is None)  # a run that ends by itself is whole
        if self.terminal:
            sys.stderr.write("\n")

    def update(self) -> None:
        """Show the present state, if the last one is old enough."""
        if time.perf_counter() >= self.next:
            self._show(self._time_left())

    def clear(self) -> None:
        """Make room for a line of text: where the bar is, until it is shown again."""
        if self.terminal:
            sys.stderr.write(f"\r{'':<{_width()}}\r")
            sys.stderr.flush()

    def _time_left(self) -> str:
        elapsed = time.perf_counter() - self.begin
        done = (self.driver.n_evals - self.first) / max(1, self.budget - self.first)
        if self.max_time:
            done = max(done, elapsed / self.max_time)
        return f"{_clock(elapsed * (1.0 - done) / done)} left" if 0.0 < done <= 1.0 else ""

    def _show(self, clock: str, whole: bool = False) -> None:
        self.next = time.perf_counter() + self.pause
        share = 1.0 if whole else min(1.0, self.driver.n_evals / self.budget)
        line = f"{' '.join(state(self.driver, self.budget).split())}{clock and ', '}{clock}"
        if self.cell is not None:
            bar = f"<progress value='{share:.3f}' max='1'></progress>"
            self.cell.update({"text/html": f"{bar} {line}", "text/plain": line}, raw=True)
        elif self.terminal:
            sys.stderr.write(f"\r{_in_a_row(line, share)}")
            sys.stderr.flush()
        elif sys.stderr is not None:
            sys.stderr.write(f"{line}\n")


def _in_a_row(line: str, share: float) -> str:
    """Return a bar and a line in the width of the terminal, shortened where it is narrow."""
    width = _width()
    if len(line) + 1 + FEWEST_CELLS > width:
        line = line.replace(" evaluations", "", 1).replace("violation", "viol.", 1)
    cells = min(CELLS, max(FEWEST_CELLS, width - len(line) - 1))
    full = round(cells * share)
    bar = "█" * full + "░" * (cells - full)
    try:
        bar.encode(sys.stderr.encoding or "ascii")
    except UnicodeEncodeError:
        bar = "#" * full + "." * (cells - full)
    return f"{f'{bar} {line}'[:width]:<{width}}"


def _width() -> int:
    return shutil.get_terminal_size().columns - 1


def _clock(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))


def _notebook_cell() -> Any:
    """Return what shows and updates output in a notebook; None elsewhere."""
    ipython: Any = sys.modules.get("IPython")
    if ipython is None or getattr(ipython.get_ipython(), "kernel", None) is None:
        return None
    display = importlib.import_module("IPython.display").display
    return display({"text/plain": ""}, raw=True, display_id=True)
