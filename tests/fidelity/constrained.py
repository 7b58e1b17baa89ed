"""LSHADE44, LSHADE44-IEpsilon and UDE against their published figures on constrained problems.

    python -m tests.fidelity.constrained NAME [--dim 10] [--runs 25] [--problems 3,4,6]

runs what is missing and appends it, run by run, to
``docs/results/fidelity/lineage/NAME-constrained-D10.csv``: f and mean violation at the end of the
run, beside the published rate of feasible runs and the published medians of the problem. Then it
prints the problems and a row of the table in ``docs/fidelity.md``. A command that was stopped goes
on with the next run. Single runs of the authors were not published, but the rank of their median
run among ours has a known distribution if both programs are the same.
"""

import csv
import zlib
from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path

import numpy as np

import de2ls
from tests.fidelity.lineage import FOLDER, LEVEL, rejected
from tests.fidelity.rules import SHARED

EVALS_PER_DIM, THEIRS = 20_000, 25
NAMES = ("lshade44", "lshade44-iepsilon", "ude")
DIMS = (10, 30)
THEIR_COLUMNS = ("published_feasible", "published_median_f", "published_median_violation")
COLUMNS = ("problem", "run", "f", "violation", *THEIR_COLUMNS)

Row = dict[str, str]


@dataclass(frozen=True)
class Sample:
    """Our runs of a problem, (f, mean violation) each, and what was published of the authors'."""

    runs: list[tuple[float, float]]
    rate: float
    median: tuple[float, float]

    @property
    def feasible(self) -> float:
        """Share of our feasible runs."""
        return float(np.mean([violation == 0.0 for _, violation in self.runs]))

    @property
    def sides(self) -> tuple[int, int]:
        """How many of our runs are better, and how many worse, than the authors' median run."""
        found = [side(run, self.median) for run in self.runs]
        return found.count(-1), found.count(1)

    @property
    def p(self) -> float:
        """Two-sided p value; undecided runs speak for neither side."""
        return min(1.0, 2.0 * at_least(max(self.sides), len(self.runs)))


def side(ours: tuple[float, float], theirs: tuple[float, float]) -> int:
    """Return -1 if our run is better than theirs, 1 if worse, 0 if the digits do not tell.

    A run is (f, mean violation). Less violation is better; without any, less f is.
    """
    which = 0 if ours[1] == theirs[1] == 0.0 else 1
    room = max(1e-8, 1e-3 * abs(theirs[which]))  # the published figures carry four or five digits
    difference = ours[which] - theirs[which]
    return 0 if abs(difference) <= room else int(np.sign(difference))


def at_least(count: int, runs: int) -> float:
    """Return the probability that ``count`` or more of our runs are better than their median run.

    If all runs have one distribution, every order of the joint sample is equally likely: ``i`` of
    ours come before the middle one of theirs in C(i + k, k) C(runs - i + k, k) of all
    C(runs + 25, runs) orders, k = 12 being the number of theirs on each side of it.
    """
    k = THEIRS // 2
    ways = (comb(i + k, k) * comb(runs - i + k, k) for i in range(count, runs + 1))
    return sum(ways) / comb(runs + THEIRS, runs)


def published(name: str, dim: int) -> dict[int, tuple[float, float, float]]:
    """Return an algorithm's rate of feasible runs, median f and its violation by problem."""
    with (SHARED / "published" / "lineage" / "constrained_cec2017.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {
        int(row["problem"]): (
            float(row["feasibility_rate_percent"]) / 100.0,
            float(row["median_f"]),
            float(row["median_violation"]),
        )
        for row in rows
        if row["algorithm"] == name and int(row["D"]) == dim
    }


def file_of(name: str, dim: int) -> Path:
    """Return the file with our runs."""
    return FOLDER / f"{name}-constrained-D{dim}.csv"


def stored(path: Path) -> list[Row]:
    """Return the rows of a file, none if there is no file."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def samples(rows: Iterable[Row]) -> dict[str, Sample]:
    """Return our runs and the published figures by problem."""
    found: dict[str, Sample] = {}
    for row in sorted(rows, key=lambda row: (row["problem"], int(row["run"]))):
        rate, *median = (float(row[column]) for column in THEIR_COLUMNS)
        sample = found.setdefault(row["problem"], Sample([], rate, (median[0], median[1])))
        sample.runs.append((float(row["f"]), float(row["violation"])))
    return found


def final(name: str, number: int, dim: int, run: int) -> tuple[float, float]:
    """Return f and the mean violation at the end of a run, which begins with run 0."""
    problem = replace(de2ls.cec2017(number, dim), feasible_tol=0.0)  # the programs allow none
    seed = zlib.crc32(f"{name} C{number} {dim} {run}".encode())
    record = de2ls.run_trial(name, problem, seed, EVALS_PER_DIM * dim)
    return record.f, record.violation / problem.n_constraints


def append(path: Path, row: Iterable[object]) -> None:
    """Append a row to a file, which is begun if there is none."""
    begin = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if begin:
            writer.writerow(COLUMNS)
        writer.writerow(row)


def run_missing(name: str, dim: int, runs: int, numbers: Iterable[int]) -> None:
    """Make the runs that the file does not hold."""
    path, known = file_of(name, dim), published(name, dim)
    done = {(row["problem"], row["run"]) for row in stored(path)}
    for number in numbers or known:
        label = f"C{number:02d}"
        for run in range(1, runs + 1):
            if (label, str(run)) not in done:
                f, violation = final(name, number, dim, run - 1)
                theirs = (f"{value:.6g}" for value in known[number])
                append(path, (label, run, f"{f:.8e}", f"{violation:.8e}", *theirs))


def different(found: dict[str, Sample]) -> tuple[list[str], list[str]]:
    """Return the problems that differ: ours better, ours worse."""
    p = {int(label[1:]): sample.p for label, sample in found.items()}
    labels = [f"C{number:02d}" for number in rejected(p)]
    better = [label for label in labels if found[label].sides[0] > found[label].sides[1]]
    return better, [label for label in labels if label not in better]


def table_row(name: str, dim: int) -> str:
    """Return an algorithm's verdicts as a row of the table in ``docs/fidelity.md``."""
    found = samples(stored(file_of(name, dim)))
    runs = min(len(sample.runs) for sample in found.values())
    below = sum(sample.p < LEVEL for sample in found.values())
    cells = (", ".join(labels) or "none" for labels in different(found))
    return f"| `{name}` | {dim} | {runs} | {len(found)} | {below} | {' | '.join(cells)} |"


def line_of(label: str, sample: Sample) -> str:
    """Return a problem's figures beside the published ones."""
    f, violation = (float(np.median(column)) for column in zip(*sample.runs, strict=True))
    better, worse = sample.sides
    return (
        f"    {label}: p {sample.p:.2g}, {better} better, {worse} worse; "
        f"feasible {sample.feasible:.0%} and {sample.rate:.0%}, median f {f:.6g} and "
        f"{sample.median[0]:.6g}, violation {violation:.6g} and {sample.median[1]:.6g}"
    )


def main() -> None:
    """Make what is missing of an algorithm's runs and print the verdicts."""
    parser = ArgumentParser(description="Constrained problems against published figures.")
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--dim", type=int, default=10, choices=DIMS)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--problems", default="", help="numbers, with commas; all by default")
    args = parser.parse_args()
    numbers = [int(text) for text in args.problems.split(",") if text]
    run_missing(args.name, args.dim, args.runs, numbers)
    for label, sample in samples(stored(file_of(args.name, args.dim))).items():
        print(line_of(label, sample))
    print(table_row(args.name, args.dim))


if __name__ == "__main__":
    main()
