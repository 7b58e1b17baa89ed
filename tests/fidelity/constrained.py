"""LSHADE44, LSHADE44-IEpsilon and UDE against their published figures on constrained problems.

    python -m tests.fidelity.constrained NAME [RUNS [PROBLEMS]]

writes ``docs/results/fidelity/lineage/NAME-constrained-D10.csv``: per problem our share of feasible
runs, median and range of the objective, beside the published rate and median; and prints a row of
the table in ``docs/fidelity.md``. Single runs of the authors were not published, so that no test of
distributions is possible.
"""

import csv
import sys
import zlib
from dataclasses import replace

import numpy as np

import de2ls
from tests.fidelity.lineage import FOLDER
from tests.fidelity.rules import SHARED

DIM, EVALS = 10, 200_000
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


def figures(name: str, number: int, runs: int) -> list[float]:
    """Return share of feasible runs, median, least and largest f, median mean violation."""
    problem = replace(de2ls.cec2017(number, DIM), feasible_tol=0.0)  # the programs allow none
    seeds = [zlib.crc32(f"{name} C{number} {DIM} {run}".encode()) for run in range(runs)]
    records = [de2ls.run_trial(name, problem, seed, EVALS) for seed in seeds]
    f = [record.f for record in records]
    violations = [record.violation / problem.n_constraints for record in records]
    feasible = float(np.mean([record.feasible for record in records]))
    return [feasible, float(np.median(f)), min(f), max(f), float(np.median(violations))]


def verdict(row: dict[str, str]) -> str:
    """Say how the range of our objectives lies to the published median.

    The median of equal distributions is within the range of five runs in 94 of 100 cases.
    """
    values = {key: float(value) for key, value in row.items() if key != "problem"}
    if values["median_violation"] > 0.0 or values["published_median_violation"] > 0.0:
        return "infeasible"
    theirs = values["published_median_f"]
    room = max(1e-8, 1e-3 * abs(theirs))  # the published figures carry four or five digits
    if values["largest_f"] < theirs - room:
        return "better"
    return "worse" if values["least_f"] > theirs + room else "within"


def table_row(name: str) -> str:
    """Return an algorithm's verdicts as a row of the table in ``docs/fidelity.md``."""
    with (FOLDER / f"{name}-constrained-D{DIM}.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = {row["problem"]: verdict(row) for row in rows}
    cells = (
        ", ".join(problem for problem in found if found[problem] == kind) or "none"
        for kind in ("better", "worse", "infeasible")
    )
    within = sum(kind == "within" for kind in found.values())
    return f"| `{name}` | {len(rows)} | {within} | {' | '.join(cells)} |"


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
        found = (f"{value:.6g}" for value in (*figures(name, number, runs), *theirs))
        label = f"C{number:02d}"
        rows[label] = dict(zip(COLUMNS, (label, str(runs), "0", *found), strict=True))
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[key] for key in sorted(rows))
    print(table_row(name))


if __name__ == "__main__":
    main()
