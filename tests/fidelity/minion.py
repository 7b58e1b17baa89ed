"""Another writer's programs on the same functions: IMODE and L-SRTDE of minionpy.

    python -m tests.fidelity.minion [LABEL ...]

makes the runs of a sample again and compares them with the file of that name in
``docs/results/fidelity/lineage/``, or writes it if there is none; LABEL is
`imode-minionpy-cec2020-D5`, `imode-minionpy-cec2020-D10` or `l-srtde-minionpy-cec2017-D30`.
Then it prints p against ours and against the authors' runs.
"""

import sys
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from tests.fidelity.lineage import (
    BY_LABEL,
    FOLDER,
    Comparison,
    Errors,
    as_published,
    ours,
    p_value,
    read,
    theirs,
    write,
)

FIRST_SEED = 1000


@dataclass(frozen=True)
class Sample:
    """Runs of a program of minionpy, those of a comparison."""

    program: str
    comparison: Comparison
    functions: tuple[int, ...]
    runs: int = 25


SAMPLES = {
    "imode-minionpy-cec2020-D5": Sample("IMODE", BY_LABEL["imode-cec2020-D5"], (9, 10), 150),
    "imode-minionpy-cec2020-D10": Sample(
        "IMODE", BY_LABEL["imode-cec2020-D10"], (3, 5, 6, 7, 8, 9)
    ),
    "l-srtde-minionpy-cec2017-D30": Sample("LSRTDE", BY_LABEL["l-srtde-cec2017-D30"], (11, 15, 17)),
}


def final_error(sample: Sample, number: int, run: int) -> float:
    """Return f - f* at the end of a run."""
    import minionpy

    c = sample.comparison
    problem = c.suite.load(ProblemKey(c.suite.name, number, c.dim))
    work = np.empty(problem.kernel.n_work if problem.kernel else 0)

    def values(points: FloatArray) -> list[float]:
        out = np.empty((len(points), 1))
        for x, row in zip(np.array(points), out, strict=True):
            problem.evaluate_into(x, row, work)
        return [float(f) for f in out[:, 0]]

    box = list(zip(problem.lower.tolist(), problem.upper.tolist(), strict=True))
    found = minionpy.Minimizer(
        values,
        box,
        algo=sample.program,
        maxevals=c.evals_per_dim * c.dim,
        seed=FIRST_SEED + run,
    ).optimize()
    return float(found.fun) - c.suite.optima[number]


def make(sample: Sample) -> Errors:
    """Return the final errors of all runs."""
    return {
        k: [final_error(sample, k, run) for run in range(sample.runs)] for k in sample.functions
    }


def main() -> None:
    """Make the named samples, or all, and compare them."""
    for label in sys.argv[1:] or SAMPLES:
        sample, path = SAMPLES[label], FOLDER / f"{label}.csv"
        made, dim = make(sample), sample.comparison.dim
        if not path.exists():
            write(path, dim, made)
        kept = read(path, dim)
        mine, reference = ours(sample.comparison), theirs(sample.comparison)
        for k, errors in made.items():
            same = sum(
                a == b for a, b in zip(as_published(errors), as_published(kept[k]), strict=True)
            )
            print(
                f"{label} F{k}: {same} of {len(errors)} as kept; median {np.median(errors):.6g}; "
                f"p {p_value(errors, mine[k]):.2g} against ours, "
                f"{p_value(errors, reference[k]):.2g} against the authors'"
            )


if __name__ == "__main__":
    main()
