"""EA4eig as its program has it: the eigen crossover of its jSO is not repaired.

    python -m tests.fidelity.outside

evaluates and records points outside the box, compares the final errors with the authors' and writes
``docs/results/fidelity/lineage/ea4eig-outside-cec2022-D10.csv``: whether the box rule explains the
difference.
"""

from typing import Any
from unittest.mock import patch

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.lineage import ea4eig, variation
from de2ls.trials.batch_driver import BatchDriver
from tests.fidelity.lineage import BY_LABEL, FOLDER, final_error, p_value, theirs, write

FUNCTIONS = (4, 9, 12)


class Unrepaired(ea4eig.Four):
    """The four algorithms, of which jSO may leave the box."""

    may_leave = False

    def jso(self, level: float) -> ea4eig.Successes:
        """Make a generation whose crossover is not repaired."""
        self.may_leave = True
        return (yield from super().jso(level))

    def crossed(self, donors: FloatArray, cr: FloatArray, axes: FloatArray | None) -> FloatArray:
        """Cross as the four do; in the basis, and for jSO, without repair."""
        may_leave, self.may_leave = self.may_leave, False
        if axes is None or not may_leave:
            return super().crossed(donors, cr, axes)
        return variation.eigen_binomial(self.run.rng, donors, self.pop.x, self.own[1], axes, False)


def unchecked(driver: BatchDriver, points: Any) -> FloatArray:
    """Return the points, wherever they lie."""
    del driver
    return np.array(points, dtype=np.float64, order="C")


def main() -> None:
    """Run the functions and print p against the authors' runs."""
    comparison = BY_LABEL["ea4eig-cec2022-D10"]
    with (
        patch.object(ea4eig, "Four", Unrepaired),
        patch.object(BatchDriver, "_checked", unchecked),
    ):
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
