"""EA4eig as its program has it: the eigen crossover of its jSO is not repaired.

    python -m tests.fidelity.outside

evaluates and records points outside the box, compares the final errors with the authors' and writes
``docs/results/fidelity/lineage/ea4eig-outside-cec2022-D10.csv``: whether the box rule explains the
difference.
"""

import numpy as np

from de2ls.problems.key import ProblemKey
from de2ls.trials.compiled import CompiledDriver
from tests.fidelity.lineage import BY_LABEL, FOLDER, Comparison, p_value, seed_of, theirs, write

FUNCTIONS = (2, 4, 6, 9, 12)


def final_error(comparison: Comparison, number: int, run: int) -> float:
    """Return f - f* of the best point, wherever it lies."""
    suite, dim = comparison.suite, comparison.dim
    driver = CompiledDriver(
        comparison.algorithm,
        suite.load(ProblemKey(suite.name, number, dim)),
        seed_of(comparison, number, run),
        comparison.evals_per_dim * dim,
        {"box": "published"},
    )
    driver.now["watch_box"] = 0
    driver.run()
    return driver.incumbent.f - suite.optima[number]


def main() -> None:
    """Run the functions and print p against the authors' runs."""
    comparison = BY_LABEL["ea4eig-cec2022-D10"]
    errors = {
        number: [final_error(comparison, number, run) for run in range(comparison.runs)]
        for number in FUNCTIONS
    }
    write(FOLDER / "ea4eig-outside-cec2022-D10.csv", comparison.dim, errors)
    for number in FUNCTIONS:
        one, other = errors[number], theirs(comparison)[number]
        print(f"F{number}: p {p_value(one, other):.2g}, medians {np.median(one):.6g} and "
              f"{np.median(other):.6g}")  # fmt: skip


if __name__ == "__main__":
    main()
