"""LSHADE44, LSHADE44-IEpsilon and UDE against their published figures on constrained problems.

    python -m tests.fidelity.constrained NAME [RUNS [PROBLEMS]]

writes ``docs/results/fidelity/lineage/NAME-constrained-D10.csv``: per problem our share of feasible
runs, median and range of the objective, how many of our runs are better and worse than the
published median run, beside the published rate and median; and prints a row of the table in
``docs/fidelity.md``. Single runs of the authors were not published, but the rank of their median
run among ours has a known distribution if both programs are the same.
"""

import csv
import sys
import zlib
from dataclasses import replace
from math import comb

import numpy as np

import de2ls
from tests.fidelity.lineage import FOLDER, LEVEL, rejected
from tests.fidelity.rules import SHARED

DIM, EVALS, THEIRS = 10, 200_000, 25
NAMES = ("lshade44", "lshade44-iepsilon", "ude")
COLUMNS = (
    *(
        "problem",
        "runs",
        "feasible_tol",
        "feasible",
        "median_f",
        "least_f",
        "largest_f",
        "median_violation",
        "better",
        "worse",
    ),
    *("published_feasible", "published_median_f", "published_median_violation"),
)


def published(name: str) -> dict[int, dict[str, float]]:
    """Return the published figures of an algorithm at D = 10 by problem."""
    with (SHARED / "published" / "lineage" / "constrained_cec2017.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {
        int(row["problem"]): {key: float(row[key]) for key in list(row)[3:]}
        for row in rows
        if row["algorithm"] == name and int(row["D"]) == DIM
    }


def figures(name: str, number: int, runs: int, theirs: dict[str, float]) -> list[float]:
    """Return the columns from ``feasible`` to ``worse`` of a problem's row."""
    problem = replace(de2ls.cec2017(number, DIM), feasible_tol=0.0)  # the programs allow none
    seeds = [zlib.crc32(f"{name} C{number} {DIM} {run}".encode()) for run in range(runs)]
    records = [de2ls.run_trial(name, problem, seed, EVALS) for seed in seeds]
    f = [record.f for record in records]
    violations = [record.violation / problem.n_constraints for record in records]
    feasible = float(np.mean([record.feasible for record in records]))
    sides = [
        side((value, violation), (theirs["median_f"], theirs["median_violation"]))
        for value, violation in zip(f, violations, strict=True)
    ]
    return [
        *(feasible, float(np.median(f)), min(f), max(f), float(np.median(violations))),
        *(sides.count(-1), sides.count(1)),
    ]


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


def p_value(row: dict[str, str]) -> float:
    """Return the two-sided p value of a problem's row; undecided runs speak for neither side."""
    runs = int(row["runs"])
    most = max(int(row["better"]), int(row["worse"]))
    return min(1.0, 2.0 * at_least(most, runs))


def table_row(name: str) -> str:
    """Return an algorithm's verdicts as a row of the table in ``docs/fidelity.md``."""
    with (FOLDER / f"{name}-constrained-D{DIM}.csv").open() as file:
        rows = list(csv.DictReader(file))
    p = {k: p_value(row) for k, row in enumerate(rows)}
    found = [rows[k] for k in rejected(p)]
    better = [row["problem"] for row in found if int(row["better"]) > int(row["worse"])]
    worse = [row["problem"] for row in found if row["problem"] not in better]
    below = sum(value < LEVEL for value in p.values())
    cells = (", ".join(problems) or "none" for problems in (better, worse))
    return f"| `{name}` | {rows[0]['runs']} | {len(rows)} | {below} | {' | '.join(cells)} |"


def main() -> None:
    """Run the named problems (or all) of one algorithm; rows of others in the file stay."""
    name, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 25
    known = published(name)
    numbers = [int(text) for text in sys.argv[3].split(",")] if len(sys.argv) > 3 else list(known)
    path = FOLDER / f"{name}-constrained-D{DIM}.csv"
    for number in numbers:
        rows = {row["problem"]: row for row in csv.DictReader(path.open())} if path.exists() else {}
        theirs = (
            known[number]["feasibility_rate_percent"] / 100.0,
            known[number]["median_f"],
            known[number]["median_violation"],
        )
        found = (f"{value:.6g}" for value in (*figures(name, number, runs, known[number]), *theirs))
        label = f"C{number:02d}"
        rows[label] = dict(zip(COLUMNS, (label, str(runs), "0", *found), strict=True))
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[key] for key in sorted(rows))
    print(table_row(name))


if __name__ == "__main__":
    main()
