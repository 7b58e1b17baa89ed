"""UDE-III and UDE-IV beside their published figures.

    python docs/studies/ude_published.py

Runs 25 trials of each at D = 30 with the published rule of the result: a point is feasible if its
violation is exactly 0. (The competition's rule, which all other records follow, allows 1e-8.)

Two sources give figures of 25 runs at D = 30: the report of UDE-IV (``ude_published.csv``; it holds
both algorithms) and the DE-2LS paper (UDE-III). They differ from each other in places. A difference
of means is given in standard errors, from both samples and beyond the rounding of the printed mean.
Where both deviations are below 1e-8 the means must agree to 1e-6. Problems that the parameters of
UDE-III were calibrated on stand apart.
"""

import argparse
import csv
import math
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from scipy import stats

import de2ls
from de2ls._checks import FloatArray
from de2ls.problems import Problem
from de2ls.scores import Column, Table

TITLES = {"ude3": "UDE-III", "ude4": "UDE-IV"}
TUNED = ("C04", "C06", "C07", "C27")
RUNS = 25  # behind every published figure
WORKERS = 2  # threads
LIMIT = 4.0  # standard errors that call for an explanation
LEVELS = {  # mixtures: (objective, runs of 25 that end there), read from mean and deviation
    "UDE-III": {
        "C04": (13.573, 12),
        "C05": (3.987, 1),
        "C13": (3.987, 3),
        "C18": (37.218, 1),
        "C25": (2 * math.pi, 1),
    },
    "UDE-IV": {"C04": (13.573, 19)},
}


@dataclass(frozen=True)
class Figure:
    """What is printed of one problem: means with half a unit of their last digit."""

    mean: float | None
    half_unit: float
    deviation: float | None
    feasible: float  # share of the runs
    violation: float | None = None  # summed over the constraints
    violation_half_unit: float = 0.0


@dataclass(frozen=True, eq=False)
class Ours:
    """The final values of our runs of one problem."""

    min_ev: FloatArray  # of the feasible runs
    lcv: FloatArray  # of all runs

    @property
    def feasible(self) -> float:
        """Share of feasible runs."""
        return len(self.min_ev) / len(self.lcv)


def report_figures(name: str) -> dict[str, Figure]:
    """Return the figures of UDE-IV's report; violations there are means over the constraints."""
    found = {}
    with (Path(__file__).parent / "ude_published.csv").open() as file:
        for row in csv.DictReader(file):
            problem = row["problem"]
            count = de2ls.cec2017(int(problem[1:]), 30, instance=1).n_constraints
            violation = row[f"{name}_violation_per_constraint"]
            found[problem] = Figure(
                _number(row[f"{name}_mean"]) if not violation else None,
                _half_unit(row[f"{name}_mean"]),
                _number(row[f"{name}_std"]),
                float(row[f"{name}_feasible_percent"]) / 100,
                None if not violation else count * float(violation),
                count * _half_unit(violation),
            )
    return found


def paper_figures() -> dict[str, Figure]:
    """Return UDE-III's figures in the DE-2LS paper."""
    found = {}
    with (files("de2ls.studies") / "tables" / "mean_std.csv").open() as file:
        for row in csv.DictReader(file):
            mean, violation = row["UDE-III_mean"], row["UDE-III_mean_cv"]
            found[row["problem"]] = Figure(
                _number(mean),
                _half_unit(mean),
                _number(row["UDE-III_std"]),
                float(row["UDE-III_feasible_percent"]) / 100,
                _number(violation),
                _half_unit(violation),
            )
    return found


def _number(text: str) -> float | None:
    return float(text) if text else None


def _half_unit(text: str) -> float:
    """Return half a unit of the last printed digit."""
    return 0.5 * 10.0 ** int(Decimal(text).as_tuple().exponent) if text else 0.0


def difference(ours: Ours, figure: Figure) -> float | None:
    """Return our mean minus the published one in standard errors; None without a mean.

    A published violation comes without deviation: ours stands for both.
    """
    if figure.violation is not None:
        values, mean, half_unit = ours.lcv, figure.violation, figure.violation_half_unit
        variance = float(values.var(ddof=1)) * (1 / len(values) + 1 / RUNS)
    elif figure.mean is not None and figure.deviation is not None and len(ours.min_ev) > 1:
        values, mean, half_unit = ours.min_ev, figure.mean, figure.half_unit
        variance = float(values.var(ddof=1)) / len(values) + figure.deviation**2 / RUNS
    else:
        return None
    apart = float(values.mean()) - mean
    beyond = math.copysign(max(0.0, abs(apart) - half_unit), apart)
    if variance <= 2 * 1e-16 / RUNS:  # both deviations below 1e-8
        return 0.0 if abs(beyond) <= 1e-6 else math.copysign(math.inf, beyond)
    return beyond / math.sqrt(variance)


def feasibility_p(ours: Ours, figure: Figure) -> float:
    """Return Fisher's p-value of equal feasibility rates."""
    theirs = round(figure.feasible * RUNS)
    table = [[len(ours.min_ev), len(ours.lcv) - len(ours.min_ev)], [theirs, RUNS - theirs]]
    return float(stats.fisher_exact(table).pvalue)


def comparison(
    title: str,
    ours: Mapping[str, Ours],
    sources: Mapping[str, Mapping[str, Figure]],
    problems: Sequence[str],
) -> Table:
    """Return our figures beside every source's; what needs an explanation is bold."""
    names = [
        Column("problem"),
        Column("mean", ".4g"),
        Column("std", ".3g"),
        Column("feasible", ".0%"),
    ]
    for source in sources:
        names += [
            Column(f"{source}: mean", ".4g"),
            Column(f"{source}: std", ".3g"),
            Column(f"{source}: feasible", ".0%"),
            Column(f"{source}: difference", "+.1f"),
        ]
    rows, bold = [], set()
    for i, problem in enumerate(problems):
        run = ours[problem]
        values = run.min_ev if len(run.min_ev) else run.lcv
        row: list[str | float | None] = [
            problem,
            float(values.mean()),
            spread(values),
            run.feasible,
        ]
        for figures in sources.values():
            figure = figures[problem]
            apart = difference(run, figure)
            mean = figure.mean if figure.violation is None else figure.violation
            if (apart is not None and abs(apart) > LIMIT) or feasibility_p(run, figure) < 1e-4:
                bold.add((i, len(row) + 3))
            row += [mean, figure.deviation if figure.violation is None else None]
            row += [figure.feasible, apart]
        rows.append(tuple(row))
    notes = (
        "Mean and deviation of the objective over feasible runs; of the summed violation where no "
        f"run is feasible. Differences in standard errors; those beyond {LIMIT:g}, and rates of "
        "feasible runs that differ with p < 1e-4, are bold.",
    )
    return Table(title, tuple(names), tuple(rows), frozenset(bold), notes)


def spread(values: FloatArray) -> float:
    """Return the sample deviation; 0 of a single value."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def level_table(name: str, ours: Mapping[str, Ours]) -> Table:
    """Return how many runs end at the levels behind the published mixtures."""
    rows = []
    for problem, (level, theirs) in LEVELS[name].items():
        values = ours[problem].min_ev
        here = int((np.abs(values - level) < 2e-3).sum())
        table = [[here, len(values) - here], [theirs, RUNS - theirs]]
        p = float(stats.fisher_exact(table).pvalue)
        rows.append((problem, level, f"{here} of {len(values)}", f"{theirs} of {RUNS}", p))
    columns = (
        Column("problem"),
        Column("level", ".4g"),
        Column("runs here"),
        Column("published"),
        Column("p", ".2g"),
    )
    return Table(f"{name}: runs that end at a level", columns, tuple(rows))


def published_rule(problem: Problem) -> Problem:
    """Return the problem with points feasible only if they violate nothing at all."""
    return replace(problem, feasible_tol=0.0)


def final_values(
    algorithm: str,
    problem: Problem,
    runs: int,
    max_evals: int | None = None,
    config: Mapping[str, Any] | None = None,
) -> Ours:
    """Return the final values of runs with the seeds 1, 2, ..."""
    strict = published_rule(problem)

    def run(seed: int) -> de2ls.TrialRecord:
        return de2ls.run_trial(algorithm, strict, seed, max_evals, config)

    with ThreadPoolExecutor(WORKERS) as pool:
        records = list(pool.map(run, range(1, runs + 1)))
    return Ours(
        np.array([record.min_ev for record in records if record.feasible]),
        np.array([record.lcv for record in records]),
    )


def tables(label: str, ours: Mapping[str, Ours]) -> list[Table]:
    """Return all tables of one algorithm."""
    name = TITLES[label]
    sources = {"report": report_figures(name)}
    if name == "UDE-III":
        sources["paper"] = paper_figures()
    apart = TUNED if name == "UDE-III" else ()
    rest = [problem for problem in ours if problem not in apart]
    found = [comparison(f"{name} beside the published figures", ours, sources, rest)]
    if apart:
        found.append(comparison(f"{name}: problems tuned on", ours, sources, apart))
    found.append(level_table(name, ours))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the trials and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--algorithms", default="ude3,ude4")
    parser.add_argument("--runs", type=int, default=RUNS, help="per problem")
    parser.add_argument("--instance", type=int, default=0, help="0: the official data")
    parser.add_argument("--max-evals", type=int, help="published: 600,000")
    given = parser.parse_args(arguments)
    bar = Console(stderr=True)
    for algorithm in given.algorithms.split(","):
        ours = {}
        for k in track(range(1, 29), f"{TITLES[algorithm]}, {given.runs} runs", console=bar):
            problem = de2ls.cec2017(k, 30, instance=given.instance)
            ours[f"C{k:02d}"] = final_values(algorithm, problem, given.runs, given.max_evals)
        for table in tables(algorithm, ours):
            sys.stdout.write(table.to_markdown() + "\n")


if __name__ == "__main__":
    main()
