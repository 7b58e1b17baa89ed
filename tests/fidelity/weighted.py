"""mLSHADE-RL with F weighted by 0.7, 0.8 and 1.2, as its description reads, and without weight.

    python -m tests.fidelity.weighted

makes the runs with weights on both differences of operators 1 and 3 that the file
``docs/results/fidelity/lineage/mlshade-rl-weighted-cec2017-D30.csv`` lacks, and prints p of both
rules against the authors' runs. Only these two are settings; other rules need another program.
"""

import numpy as np

import de2ls
from de2ls.problems.key import ProblemKey
from tests.fidelity.lineage import (
    BY_LABEL,
    FOLDER,
    Errors,
    ours,
    p_value,
    read,
    seed_of,
    theirs,
    write,
)

COMPARISON = BY_LABEL["mlshade-rl-cec2017-D30"]
FUNCTIONS = COMPARISON.functions
WEIGHTS = {"fw_1": 0.7, "fw_2": 0.8, "fw_3": 1.2}
FILE = FOLDER / "mlshade-rl-weighted-cec2017-D30.csv"


def final_error(number: int, run: int) -> float:
    """Return f - f* at the end of a run."""
    suite, dim = COMPARISON.suite, COMPARISON.dim
    problem, seed = (
        suite.load(ProblemKey(suite.name, number, dim)),
        seed_of(COMPARISON, number, run),
    )
    budget = COMPARISON.evals_per_dim * dim
    record = de2ls.run_trial(COMPARISON.algorithm, problem, seed, budget, config=WEIGHTS)
    return record.f - suite.optima[number]


def weighted() -> Errors:
    """Return the final errors with weights, run where the file has none."""
    found = read(FILE, COMPARISON.dim) if FILE.exists() else {}
    for number in FUNCTIONS:
        if number not in found:
            found[number] = [final_error(number, run) for run in range(COMPARISON.runs)]
            write(FILE, COMPARISON.dim, found)
    return found


def main() -> None:
    """Print p and medians of both rules."""
    samples, plain, reference = weighted(), ours(COMPARISON), theirs(COMPARISON)
    for number in FUNCTIONS:
        with_weights, none, authors = samples[number], plain[number], reference[number]
        print(
            f"F{number}: p {p_value(with_weights, authors):.2g} with weights, "
            f"{p_value(none, authors):.2g} without; medians {np.median(with_weights):.6g}, "
            f"{np.median(none):.6g} and {np.median(authors):.6g} of the authors'"
        )


if __name__ == "__main__":
    main()
