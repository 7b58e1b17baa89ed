"""The problems G1 to G24 of the CEC 2006 special session on constrained optimization.

Small problems of engineering and of the literature with known optima, without G20 (no feasible
point is known). Definitions and best known values: J. J. Liang et al., Problem definitions and
evaluation criteria for the CEC 2006 special session on constrained real-parameter optimization,
Nanyang Technological University, 2006. Equalities hold within 1e-4, on which the values rely.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from de2ls import _checks
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import CompiledKernel, Problem
from de2ls.suites.suite import Facts, Suite


class Definition(NamedTuple):
    """A problem of the suite: box, numbers of constraints, best known value."""

    title: str
    low: Sequence[float]
    high: Sequence[float]
    n_ineq: int
    n_eq: int
    best_known: float
    params: Sequence[float] = ()
    n_work: int = 0


_G14_ENERGIES = [
    -6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179,
]  # fmt: skip
_G16_LIMITS = [
    213.1, 405.23, 17.505, 1053.6667, 11.275, 35.03, 214.228, 665.585, 7.458, 584.463,
    0.961, 265.916, 1.612, 7.046, 0.146, 0.222, 107.99, 273.366, 922.693, 1286.105,
    926.832, 1444.046, 18.766, 537.141, 1072.163, 3247.039, 8961.448, 26844.086,
    0.063, 0.386, 71084.33, 140000.0, 2802713.0, 12146108.0,
]  # fmt: skip
_G19_DATA = [
    -16, 2, 0, 1, 0, 0, -2, 0, 0.4, 2, -3.5, 0, 2, 0, 0, 0, -2, 0, -4, -1, 0, -9, -2, 1, -2.8,
    2, 0, -4, 0, 0, -1, -1, -1, -1, -1, -1, -2, -3, -2, -1, 1, 2, 3, 4, 5, 1, 1, 1, 1, 1,
    -40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1,
    30, -20, -10, 32, -10, -20, 39, -6, -31, 32, -10, -6, 10, -6, -10,
    32, -31, -6, 39, -20, -10, 32, -10, -20, 30,
    4, 8, 10, 6, 2,
    -15, -27, -36, -18, -12,
]  # fmt: skip

_INSIDE = frozenset({8, 12})  # no inequality is active at the optimum
_ROOMY = frozenset({2, 4, 12, 19, 24})  # more than 1 % of the box is feasible

DEFINITIONS = {
    1: Definition(
        "quadratic, linear inequalities", [0] * 13, [1] * 9 + [100] * 3 + [1], 9, 0, -15.0
    ),
    2: Definition("Keane's bump", [1e-16] * 20, [10] * 20, 2, 0, -0.80361910412559),
    3: Definition("product on a sphere", [0] * 10, [1] * 10, 0, 1, -1.00050010001000),
    4: Definition(
        "Himmelblau's problem", [78, 33, 27, 27, 27], [102] + [45] * 4, 6, 0, -30665.53867178332
    ),
    5: Definition(
        "power flow", [0, 0, -0.55, -0.55], [1200, 1200, 0.55, 0.55], 2, 3, 5126.4967140071
    ),
    6: Definition("cubic in a crescent", [13, 0], [100, 100], 2, 0, -6961.81387558015),
    7: Definition("quadratic, eight inequalities", [-10] * 10, [10] * 10, 8, 0, 24.30620906818),
    8: Definition("oscillating quotient", [1e-5] * 2, [10] * 2, 2, 0, -0.0958250414180359),
    9: Definition("polynomial", [-10] * 7, [10] * 7, 4, 0, 680.630057374402),
    10: Definition(
        "heat exchanger",
        [100, 1000, 1000] + [10] * 5,
        [10000] * 3 + [1000] * 5,
        6,
        0,
        7049.24802052867,
    ),
    11: Definition("point on a parabola", [-1] * 2, [1] * 2, 0, 1, 0.7499),
    12: Definition("729 balls", [0] * 3, [10] * 3, 1, 0, -1.0),
    13: Definition(
        "exponential of a product",
        [-2.3] * 2 + [-3.2] * 3,
        [2.3] * 2 + [3.2] * 3,
        0,
        3,
        0.053941514041898,
    ),
    14: Definition(
        "chemical equilibrium", [1e-6] * 10, [10] * 10, 0, 3, -47.7648884594915, _G14_ENERGIES
    ),
    15: Definition("quadratic on a circle", [0] * 3, [10] * 3, 0, 2, 961.715022289961),
    16: Definition(
        "chemical plant",
        [704.4148, 68.6, 0, 193, 25],
        [906.3855, 288.88, 134.75, 287.0966, 84.1988],
        38,
        0,
        -1.90515525853479,
        _G16_LIMITS,
        17,
    ),
    17: Definition(
        "power flow with jumps",
        [0, 0, 340, 340, -1000, 0],
        [400, 1000, 420, 420, 1000, 0.5236],
        0,
        4,
        8853.53387480648,
    ),
    18: Definition(
        "largest small hexagon", [-10] * 8 + [0], [10] * 8 + [20], 13, 0, -0.866025403784439
    ),
    19: Definition(
        "Colville's dual problem", [0] * 15, [10] * 15, 5, 0, 32.6555929502463, _G19_DATA
    ),
    21: Definition(
        "heat exchanger network",
        [0, 0, 0, 100, 6.3, 5.9, 4.5],
        [1000, 40, 40, 300, 6.7, 6.4, 6.25],
        1,
        5,
        193.724510070035,
    ),
    22: Definition(
        "larger exchanger network",
        [0] * 7 + [100, 100, 100.01, 100, 100, 0, 0, 0, 0.01, 0.01] + [-4.7] * 5,
        [20000, 1e6, 1e6, 1e6, 4e7, 4e7, 4e7, 299.99, 399.99, 300, 400, 600]
        + [500, 500, 500, 300, 400]
        + [6.25] * 5,
        1,
        19,
        236.430975504001,
    ),
    23: Definition(
        "pooling", [0] * 8 + [0.01], [300, 300, 100, 200, 100, 300, 100, 200, 0.03], 2, 4, -400.0551
    ),
    24: Definition("two regions", [0, 0], [3, 4], 2, 0, -5.50801327159536),
}


def cec2006(k: int) -> Problem:
    """Return problem G`k` of the CEC 2006 suite.

    Parameters
    ----------
    k : int
        1 to 24, but not 20.

    Returns
    -------
    Problem
        Its equalities have the tolerance 1e-4, on which the best known values rely.
    """
    _checks.integer("k", k, 1, 24)
    if k not in DEFINITIONS:
        raise ValueError(f"k must not be 20: no feasible point of G20 is known, got {k}")
    from de2ls.suites.cec2006 import functions  # imports Numba, which the table does without

    d = DEFINITIONS[k]
    evaluate = getattr(functions, f"g{k:02d}")
    return Problem(
        name=f"G{k}",
        lower=np.array(d.low, dtype=np.float64),
        upper=np.array(d.high, dtype=np.float64),
        n_ineq=d.n_ineq,
        n_eq=d.n_eq,
        kernel=CompiledKernel(evaluate, np.array(d.params, dtype=float), d.n_work, raises=False),
        best_known=d.best_known,
        key=_key(k),
    )


def _key(k: int) -> ProblemKey:
    return ProblemKey(Cec2006.name, k, len(DEFINITIONS[k].low))


class Cec2006(Suite):
    """G1 to G24 without G20, each with a dimension of its own."""

    name = "cec2006"
    title = "CEC 2006 constrained problems (G suite)"

    def list_keys(self, **settings: Any) -> list[ProblemKey]:
        """Return G1 to G24 without G20."""
        del settings
        return [_key(k) for k in DEFINITIONS]

    def make(self, key: ProblemKey) -> Problem:
        """Make a problem by its number."""
        return cec2006(int(key.name))

    def tags(self, key: ProblemKey) -> list[str]:
        """Return the groups by constraints, by where the optimum lies, and by feasible region."""
        number = int(key.name)
        d = DEFINITIONS[number]
        kind = "with equalities" if d.n_eq else "inequalities only"
        place = "optimum inside" if number in _INSIDE else "optimum on constraints"
        share = "above" if number in _ROOMY else "below"
        return [kind, place, f"{share} 1 % feasible"]

    def best_known(self, key: ProblemKey) -> float:
        """Return the best known value, which relies on the tolerance of the equalities."""
        return DEFINITIONS[int(key.name)].best_known

    def facts(self, key: ProblemKey) -> Facts:
        """Return title and numbers of constraints."""
        d = DEFINITIONS[int(key.name)]
        return Facts(d.title, d.n_ineq, d.n_eq)


CEC2006 = Cec2006()
