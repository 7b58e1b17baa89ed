"""The lineage against its authors' runs: final errors on bound-constrained functions.

    python -m tests.fidelity.lineage NAME ...

runs what is missing of the named comparisons and prints the verdicts. Our final errors are kept in
``docs/results/fidelity/lineage/NAME.csv``. Those of CEC 2017 and 2022 that were made with values of
minionpy do not repeat exactly: the compiled functions differ in the last digits.
"""

import csv
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import mannwhitneyu

import de2ls
from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.suites.cec_bound import CEC2017_BOUND, CEC2022_BOUND, HALF_WIDTH, BoundSuite
from tests.fidelity.rules import SHARED

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "results" / "fidelity" / "lineage"
RUNS = 25
LEVEL = 0.05  # of Holm's procedure over the functions of a comparison
ZERO = 1e-8


class MinionSuite(BoundSuite):
    """A contest whose functions only minionpy has."""

    def make(self, key: ProblemKey) -> Problem:
        """Make a function by its number."""
        import minionpy

        values = getattr(minionpy, f"CEC{self.year}Functions")(int(key.name), key.dim)
        optimum, width = self.best_known(key), np.full(key.dim, HALF_WIDTH)

        def many(X: FloatArray, out: FloatArray) -> None:
            f = np.array(values(X.tolist()))  # minionpy takes lists faster than arrays
            out[:, 0] = np.where(f - optimum < ZERO, optimum, f)

        def one(x: FloatArray, out: FloatArray) -> None:
            many(x[None], out[None])

        name = f"{self.title} {key.label}"
        return Problem(name, -width, width, 0, 0, function=one, many=many, best_known=optimum)


CEC2020_BOUND = MinionSuite(  # F4 of minionpy differs from the organisers' program
    2020,
    (5, 10, 15, 20),
    {1: 100.0, 2: 1100.0, 3: 700.0, 5: 1700.0, 6: 1600.0, 7: 2100.0, 8: 2200.0, 9: 2400.0,
     10: 2500.0},
    {"all": 10},
)  # fmt: skip
ALL = tuple(CEC2017_BOUND.optima)
THIRTEEN = (1, 3, 4, 5, 7, 9, 10, 12, 15, 20, 21, 25, 29)  # of the reference runs

OTHER_FILE = (18, 19, 29, 30)  # the published runs of L-SRTDE used another function file here

Errors = dict[int, list[float]]


@dataclass(frozen=True)
class Comparison:
    """An algorithm on some functions, and the file with its authors' final errors."""

    algorithm: str
    theirs: str
    dim: int = 10
    suite: BoundSuite = CEC2017_BOUND
    functions: tuple[int, ...] = ALL
    evals_per_dim: int = 10_000
    runs: int = RUNS

    @property
    def label(self) -> str:
        """Name of the comparison and of the file with our errors."""
        return f"{self.algorithm}-{self.suite.name.removesuffix('-bound')}-D{self.dim}"


COMPARISONS = [
    Comparison("jso", "published/lineage/jso_cec2017_raw.csv"),
    Comparison("dish", "reference/lineage/dish_D10.csv", functions=THIRTEEN),
    Comparison("nl-shade-rsp", "reference/lineage/nl-shade-rsp_D10.csv", functions=THIRTEEN),
    Comparison("l-srtde", "reference/lineage/l-srtde_D10.csv"),
    Comparison("lshade-spacma", "published/lineage/lshade-spacma_cec2017_raw.csv"),
    Comparison("ebo-cmar", "published/lineage/ebo-cmar_cec2017_raw.csv"),
    Comparison(
        "ea4eig",
        "published/lineage/ea4eig_cec2022_raw.csv",
        suite=CEC2022_BOUND,
        functions=tuple(CEC2022_BOUND.optima),
        evals_per_dim=20_000,
    ),
    Comparison(
        "imode", "published/lineage/imode_cec2020_raw.csv", 5, CEC2020_BOUND, (1, 2, 3, 5, 8, 9, 10)
    ),
    Comparison(
        "imode",
        "published/lineage/imode_cec2020_raw.csv",
        10,
        CEC2020_BOUND,
        tuple(CEC2020_BOUND.optima),
        evals_per_dim=100_000,
    ),
    Comparison("jso", "published/lineage/jso_cec2017_raw.csv", 30),
    Comparison("lshade-spacma", "published/lineage/lshade-spacma_cec2017_raw.csv", 30),
    Comparison("ebo-cmar", "published/lineage/ebo-cmar_cec2017_raw.csv", 30),
    Comparison(
        "l-srtde",
        "published/lineage/l-srtde_cec2024_raw.csv",
        30,
        functions=tuple(number for number in ALL if number not in OTHER_FILE),
    ),
    Comparison("mlshade-rl", "published/lineage/mlshade-rl_cec2024_raw.csv", 30),
]
BY_LABEL = {comparison.label: comparison for comparison in COMPARISONS}


def ours(comparison: Comparison) -> Errors:
    """Return our final errors, run where the file has none."""
    path = FOLDER / f"{comparison.label}.csv"
    found = read(path, comparison.dim) if path.exists() else {}
    for number in comparison.functions:
        errors = found.setdefault(number, [])
        while len(errors) < comparison.runs:
            errors.append(final_error(comparison, number, len(errors)))
            if len(errors) == comparison.runs:
                write(path, comparison.dim, found)
    return {number: found[number][: comparison.runs] for number in comparison.functions}


def final_error(comparison: Comparison, number: int, run: int) -> float:
    """Return f - f* at the end of a run; 0 below 1e-8, as the contests write it."""
    dim = comparison.dim
    problem = comparison.suite.load(ProblemKey(comparison.suite.name, number, dim))
    seed = seed_of(comparison, number, run)
    record = de2ls.run_trial(comparison.algorithm, problem, seed, comparison.evals_per_dim * dim)
    return record.f - comparison.suite.optima[number]


def seed_of(comparison: Comparison, number: int, run: int) -> int:
    """Return the seed of a run."""
    return zlib.crc32(f"{comparison.algorithm} {number} {comparison.dim} {run}".encode())


@cache
def theirs(comparison: Comparison) -> Errors:
    """Return the authors' final errors."""
    return read(SHARED / comparison.theirs, comparison.dim)


def read(path: Path, dim: int) -> Errors:
    """Return the final errors in a file by function, those of one dimension."""
    errors: Errors = {}
    with path.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if int(row.get("D", dim)) == dim:
                errors.setdefault(int(row["function"]), []).append(float(row["final_error"]))
    return errors


def write(path: Path, dim: int, errors: Errors) -> None:
    """Write final errors by function."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["function", "D", "run", "final_error"])
        for number in sorted(errors):
            for run, error in enumerate(errors[number], start=1):
                writer.writerow([number, dim, run, f"{error:.8e}"])


def as_published(errors: Iterable[float]) -> list[float]:
    """Return errors with six digits, 0 below 1e-8: the files of the contests carry no more."""
    return [0.0 if error < ZERO else float(f"{error:.5e}") for error in errors]


def p_value(one: Iterable[float], other: Iterable[float]) -> float:
    """Return Mann and Whitney's p of two samples, both as published."""
    a, b = as_published(one), as_published(other)
    if len({*a, *b}) == 1:
        return 1.0
    return float(mannwhitneyu(a, b, method="asymptotic").pvalue)


def rejected(p: dict[int, float], level: float = LEVEL) -> list[int]:
    """Return the functions that Holm's procedure finds different."""
    found = []
    for place, number in enumerate(sorted(p, key=lambda key: p[key])):
        if p[number] >= level / (len(p) - place):
            break
        found.append(number)
    return sorted(found)


def p_values(comparison: Comparison) -> dict[int, float]:
    """Return p of each function."""
    mine, reference = ours(comparison), theirs(comparison)
    return {number: p_value(mine[number], reference[number]) for number in comparison.functions}


def row(comparison: Comparison) -> str:
    """Return the comparison as a row of the table in ``docs/fidelity.md``."""
    p = p_values(comparison)
    least = min(p, key=lambda number: p[number])
    small = sum(value < LEVEL for value in p.values())
    different = ", ".join(f"F{number}" for number in rejected(p)) or "none"
    return (
        f"| `{comparison.algorithm}` | {comparison.suite.title}, D = {comparison.dim} | "
        f"{comparison.runs} | {len(p)} | {p[least]:.2g} (F{least}) | {small} | {different} |"
    )


def main() -> None:
    """Print the rows of the named comparisons, or of those that are done, and their functions."""
    for comparison in [BY_LABEL[label] for label in sys.argv[1:]] or COMPARISONS:
        print(row(comparison), flush=True)
        mine, reference = ours(comparison), theirs(comparison)
        for number, p in sorted(p_values(comparison).items(), key=lambda item: item[1])[:8]:
            one, other = np.median(mine[number]), np.median(reference[number])
            print(f"    F{number}: p {p:.2g}, medians {one:.6g} and {other:.6g}")


if __name__ == "__main__":
    main()
