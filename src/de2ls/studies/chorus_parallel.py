"""CHORUS with workers: how many rounds of at most k evaluations it needs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls._version import __version__
from de2ls.problems.key import ProblemKey
from de2ls.reports.figures import log_axis, new_figure, save, style
from de2ls.reports.palette import looks
from de2ls.scores.tables import Column, Table
from de2ls.studies.practitioners import OURS, groups, timed
from de2ls.studies.rivals import SLACK, Meter, by_minimize
from de2ls.studies.runs import SOLVED, Case, Run
from de2ls.suites.registry import get_suite


def parallel_cases(
    keys: Iterable[ProblemKey], workers: Sequence[int], seeds: int, budget: int
) -> Iterator[Case]:
    """Yield the runs, seed by seed; the setting is the number of workers."""
    chosen = list(keys)
    for seed in range(1, seeds + 1):
        for key in chosen:
            for k in workers:
                yield Case(OURS, key, seed, budget, str(k))


def parallel_run(case: Case) -> Run:
    """Make one run; its history counts rounds in place of evaluations."""
    ends: list[int] = []  # evaluations at the end of each round

    def solve(meter: Meter, seed: int) -> None:
        def evaluate(function: Callable[..., Any], points: Iterable[FloatArray]) -> list[Any]:
            answers = [function(x) for x in points]
            ends.append(meter.used)
            return answers

        by_minimize(meter, seed, workers=evaluate, batch=int(case.setting))

    def by_rounds(meter: Meter) -> list[tuple[int, float]]:
        return [(int(np.searchsorted(ends, n)) + 1, f) for n, f in meter.history]

    return timed(case, solve, get_suite(case.key.suite).load(case.key), history=by_rounds)


def _rounds(runs: Iterable[Run]) -> dict[tuple[ProblemKey, int], float]:
    """Return the median of the rounds to the target; infinite where most seeds miss it."""
    found: dict[tuple[ProblemKey, int], list[float]] = {}
    for run in runs:
        place = run.case.key, int(run.case.setting)
        found.setdefault(place, []).append(run.solved_at * run.case.key.dim)
    return {place: float(np.sort(values)[len(values) // 2]) for place, values in found.items()}


def _mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(list(values)))))


class Speed(NamedTuple):
    """What a number of workers brings on a group of problems."""

    problems: str
    workers: int
    solved: str
    common: int  # problems solved with each number of workers; the means are theirs
    rounds: float = np.nan
    gain: float = np.nan


def speeds(runs: Sequence[Run]) -> list[Speed]:
    """Return rounds, speed-up and problems solved by group and number of workers."""
    rounds = _rounds(runs)
    workers = sorted({k for _, k in rounds})
    found = []
    for name, keys in groups(runs).items():
        met = [key for key in keys if all((key, k) in rounds for k in workers)]
        common = [key for key in met if all(np.isfinite(rounds[key, k]) for k in workers)]
        for k in workers:
            count = sum(bool(np.isfinite(rounds[key, k])) for key in met)
            speed = Speed(name, k, f"{count} / {len(met)}", len(common))
            if common:
                need = _mean(rounds[key, k] for key in common)
                gain = _mean(rounds[key, workers[0]] for key in common) / need
                speed = speed._replace(rounds=need, gain=gain)
            found.append(speed)
    return found


def parallel_table(found: Sequence[Speed]) -> Table:
    """Return a row per group of problems and number of workers."""
    rows = tuple(
        tuple(None if value != value else value for value in speed)  # NaN: an empty cell
        for speed in found
    )
    columns = (
        Column("problems"),
        Column("workers"),
        Column("solved"),
        Column("solved with each number"),
        Column("rounds", ".1f"),
        Column("speed-up", ".2f"),
    )
    note = (
        "medians of the seeds; rounds and speed-up: geometric means over the problems solved with "
        f"each number of workers; speed-up: rounds with {found[0].workers} over rounds with k"
    )
    return Table(f"Rounds until the error is {SOLVED:g}", columns, rows, notes=(note,))


TEXT = """# CHORUS with workers

`{command}` (de2ls {version}) made or completed the runs in [runs.csv](runs.csv), of which this page
is made: {seeds} seeds at the most, {budget:,} D evaluations.

With k workers `minimize` evaluates rounds of at most k points at the same time. What counts is the
number of rounds until a feasible point (no constraint over its tolerance by more than {slack:g})
has an error (f - f*) / max(1, |f*|) of at most {solved:g}: the time of a run whose evaluations take
long. The scheduler fills idle workers with points of other arms. The same seed and number of
workers give the same run; another number of workers is another run.

{table}

![Speed-up against the number of workers](speedup.png)

*Rounds with the least number of workers over rounds with k; dashed: all workers always of use.*
"""


def write_parallel_page(runs: Sequence[Run], folder: Path, command: str) -> Table:
    """Write the page into a folder; return its table."""
    found = speeds(runs)
    table = parallel_table(found)
    folder.mkdir(parents=True, exist_ok=True)
    draw_speedup(found, folder)
    text = TEXT.format(
        command=command,
        version=__version__,
        seeds=len({run.case.seed for run in runs}),
        budget=max(run.case.budget for run in runs),
        slack=SLACK,
        solved=SOLVED,
        table=table.to_markdown(),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    return table


def draw_speedup(found: Sequence[Speed], folder: Path) -> None:
    """Draw the speed-up of each group against the number of workers."""
    k = sorted({speed.workers for speed in found})
    with style():
        figure = new_figure(4.5, 3.2)
        axes = figure.subplots()
        for name, look in looks(dict.fromkeys(speed.problems for speed in found)).items():
            gain = [speed.gain for speed in found if speed.problems == name]
            axes.plot(k, gain, marker=look.marker, color=look.light, label=name)
        axes.plot(k, [one / k[0] for one in k], color="grey", linestyle="--")
        axes.set(xscale="log", xlabel="workers", ylabel="speed-up")
        axes.set_xticks(k, [str(one) for one in k])
        axes.minorticks_off()
        log_axis(axes.yaxis, 0.8, max(2.0, k[-1] / k[0]))
        axes.legend()
        save(figure, folder, "speedup", formats=("png",))
