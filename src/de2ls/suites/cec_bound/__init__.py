"""The bound-constrained suites of CEC 2017 and CEC 2022: shifted, rotated, hybrid, composed.

The functions are compiled (`functions`), by their published definitions (`definitions`), with the
organisers' data (`data`), which the package `minionpy` (extra ``lineage``) carries. Where the
organisers' programs differ from the reports, the programs count. An objective within 1e-8 of its
optimum is the optimum: the contests count such an error as 0.

CEC 2017: N. H. Awad et al., Problem definitions and evaluation criteria for the CEC 2017 special
session on single objective bound constrained real-parameter numerical optimization, 2016.
CEC 2022: A. Kumar et al., the same for the CEC 2022 special session, 2021.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import CompiledKernel, Problem
from de2ls.suites.cec_bound import data
from de2ls.suites.suite import Suite

HALF_WIDTH = 100.0  # the box is [-100, 100]^D


class BoundSuite(Suite):
    """The functions of one contest.

    Parameters
    ----------
    year : int
        Of the contest, 2017 or 2022.
    dims : sequence of int
        Dimensions for which they are defined.
    optima : mapping
        Number and optimum of each function.
    kinds : mapping
        Names of groups, with the last number that belongs to each, ascending.
    """

    def __init__(
        self, year: int, dims: Sequence[int], optima: Mapping[int, float], kinds: Mapping[str, int]
    ) -> None:
        self.name, self.title = f"cec{year}-bound", f"CEC {year}, bound-constrained"
        self.settings = MappingProxyType({"dim": 30 if 30 in dims else dims[-1]})
        self.year, self.dims, self.optima, self.kinds = year, tuple(dims), dict(optima), dict(kinds)

    def list_keys(self, **settings: Any) -> list[ProblemKey]:
        """Return all functions in one dimension."""
        dim = self._dimension(settings["dim"])
        return [ProblemKey(self.name, number, dim) for number in self.optima]

    def make(self, key: ProblemKey) -> Problem:
        """Make a function by its number."""
        if key.name not in self.optima:
            known = f"{min(self.optima)} to {max(self.optima)}"
            raise ValueError(f"number must be one of {known} of {self.name}, got {key.name!r}")
        optimum, dim = self.best_known(key), self._dimension(key.dim)
        width = np.full(dim, HALF_WIDTH)
        return Problem(
            f"{self.title} {key.label}",
            -width,
            width,
            0,
            0,
            kernel=_kernel(self.year, int(key.name), dim, optimum),
            best_known=optimum,
        )

    def best_known(self, key: ProblemKey) -> float:
        """Return the optimum of a function."""
        return self.optima[int(key.name)]

    def tags(self, key: ProblemKey) -> list[str]:
        """Return the kind of a function: unimodal, multimodal, hybrid or composed."""
        return [next(kind for kind, last in self.kinds.items() if int(key.name) <= last)]

    def _dimension(self, dim: int) -> int:
        if dim not in self.dims:
            known = ", ".join(map(str, self.dims))
            raise ValueError(f"dim must be one of {known} for the suite {self.name}, got {dim}")
        return dim


def _kernel(year: int, number: int, dim: int, optimum: float) -> CompiledKernel:
    params = data.numbers(year, number, dim, optimum)
    from de2ls.suites.cec_bound import functions  # imports Numba, which the table does without

    lunacek = (year, number) == (2017, 7)
    evaluate = functions.turned_lunacek if lunacek else functions.mixed
    return CompiledKernel(evaluate, params, n_work=functions.WORK * dim, raises=False)


CEC2017_BOUND = BoundSuite(
    2017,
    (10, 30, 50, 100),
    {number: 100.0 * number for number in range(1, 31) if number != 2},  # F2 is unstable
    {"unimodal": 3, "multimodal": 10, "hybrid": 20, "composed": 30},
)
CEC2022_BOUND = BoundSuite(
    2022,
    (10, 20),
    dict(enumerate((300.0, 400.0, 600.0, 800.0, 900.0, 1800.0, 2000.0, 2200.0, 2300.0, 2400.0,
                    2600.0, 2700.0), start=1)),
    {"unimodal": 1, "multimodal": 5, "hybrid": 8, "composed": 12},
)  # fmt: skip
