"""Trusses of least weight: the areas of the bars are the variables."""

import math

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.variables import choices
from de2ls.suites.engineering.design import Design, Values
from de2ls.suites.engineering.elements import Truss

DENSITY = 0.1  # lb / in^3, of aluminium
MODULUS = 1e7  # psi

TEN_BARS = Truss(
    [(720, 360), (720, 0), (360, 360), (360, 0), (0, 360), (0, 0)],
    [(5, 3), (3, 1), (6, 4), (4, 2), (4, 3), (2, 1), (5, 4), (6, 3), (3, 2), (4, 1)],
    supports=[5, 6],
    modulus=MODULUS,
)
_TEN_LOADS = TEN_BARS.loads({2: (0, -1e5), 4: (0, -1e5)})

_TOWER_GROUPS = [
    [(1, 2)],
    [(1, 4), (2, 3), (1, 5), (2, 6)],
    [(2, 5), (2, 4), (1, 3), (1, 6)],
    [(3, 6), (4, 5)],
    [(3, 4), (5, 6)],
    [(3, 10), (6, 7), (4, 9), (5, 8)],
    [(3, 8), (4, 7), (6, 9), (5, 10)],
    [(3, 7), (4, 8), (5, 9), (6, 10)],
]
_GROUP = np.repeat(np.arange(8), [len(group) for group in _TOWER_GROUPS])
_TOWER_JOINTS = [
    (-37.5, 0, 200), (37.5, 0, 200),
    (-37.5, 37.5, 100), (37.5, 37.5, 100), (37.5, -37.5, 100), (-37.5, -37.5, 100),
    (-100, 100, 0), (100, 100, 0), (100, -100, 0), (-100, -100, 0),
]  # fmt: skip
TOWER = Truss(
    _TOWER_JOINTS,
    [bar for group in _TOWER_GROUPS for bar in group],
    supports=[7, 8, 9, 10],
    modulus=MODULUS,
)
_TOWER_LOADS = TOWER.loads(
    {1: (1e3, 1e4, -5e3), 2: (0, 1e4, -5e3), 3: (500, 0, 0), 6: (500, 0, 0)},
    {1: (0, 2e4, -5e3), 2: (0, -2e4, -5e3)},
)
_TOWER_LOAD = TOWER.loads(
    {1: (1e3, -1e4, -1e4), 2: (0, -1e4, -1e4), 3: (500, 0, 0), 6: (600, 0, 0)}
)
_BUCKLING = np.array([35092, 11590, 17305, 35092, 35092, 6759, 6959, 11082])[_GROUP]  # psi
_TOP = np.array([0, 1, 3, 4])  # horizontal displacements of joints 1 and 2


def three_bar_truss(x: FloatArray) -> Values:
    """Three-bar truss.

    Volume (cm^3) of a truss of three bars of 1 m height under 2 kN, areas of the outer bars and of
    the middle bar in cm^2; stress at most 2 kN/cm^2.

    H. Nowacki, in: Computer Applications in the Automation of Shipyard Operation and Ship Design,
    1973, as in T. Ray and K. M. Liew, IEEE Trans. Evol. Comput. 7 (2003) 386-396. Published:
    263.895843.
    """
    outer, middle = x.tolist()
    P, limit, root = 2.0, 2.0, math.sqrt(2.0)
    both = root * outer**2 + 2.0 * outer * middle
    g = (
        (root * outer + middle) / both * P - limit,
        middle / both * P - limit,
        P / (root * middle + outer) - limit,
    )
    return 100.0 * (2.0 * root * outer + middle), g, ()


def ten_bar_truss(x: FloatArray) -> Values:
    """Ten-bar truss.

    Weight (lb) of a plane cantilever truss of ten bars with areas in square inches, 100,000 lb at
    each lower joint; stress at most 25,000 psi, displacements at most 2 in.

    L. A. Schmit and B. Farshi, AIAA J. 12 (1974) 692-699, first load case. Published: 5060.85 with
    continuous areas. With the 42 sections of S. Rajeev and C. S. Krishnamoorthy, J. Struct. Eng.
    118 (1992) 1233-1250: 5490.74 (L. J. Li, Z. B. Huang and F. Liu, Comput. Struct. 87 (2009)
    435-443).
    """
    displacements, stresses = TEN_BARS.solve(x, _TEN_LOADS)
    g = np.concatenate([np.abs(stresses[0]) / 25e3, np.abs(displacements[0]) / 2.0]) - 1.0
    return DENSITY * float(TEN_BARS.lengths @ x), g, ()


def twenty_five_bar_truss(x: FloatArray) -> Values:
    """Twenty-five-bar tower.

    Weight (lb) of a transmission tower of 25 bars in eight groups, areas in square inches, under
    two load cases; tension at most 40,000 psi, compression by the groups' buckling limits,
    displacements of all joints at most 0.35 in.

    L. A. Schmit and H. Miura, NASA CR-2552, 1976. Published: 545.2 (545.16 to 545.22; lower values,
    such as 544.38, exceed the displacement limit by about 0.1 %).
    """
    areas = x[_GROUP]
    displacements, stresses = TOWER.solve(areas, _TOWER_LOADS)
    stress = np.where(stresses > 0.0, stresses / 40e3, -stresses / _BUCKLING)
    g = np.concatenate([stress.ravel(), np.abs(displacements).ravel() / 0.35]) - 1.0
    return DENSITY * float(TOWER.lengths @ areas), g, ()


def twenty_five_bar_sections(x: FloatArray) -> Values:
    """Twenty-five-bar tower from a list of sections.

    As the tower with continuous areas, under one load case; stress at most 40,000 psi, horizontal
    displacements of the two top joints at most 0.35 in.

    S. Rajeev and C. S. Krishnamoorthy, J. Struct. Eng. 118 (1992) 1233-1250. Published: 484.85
    (L. J. Li, Z. B. Huang and F. Liu, Comput. Struct. 87 (2009) 435-443).
    """
    areas = x[_GROUP]
    displacements, stresses = TOWER.solve(areas, _TOWER_LOAD)
    top = displacements[0, _TOP]
    g = np.concatenate([np.abs(stresses[0]) / 40e3, np.abs(top) / 0.35]) - 1.0
    return DENSITY * float(TOWER.lengths @ areas), g, ()


_SECTIONS = choices([
    1.62, 1.80, 1.99, 2.13, 2.38, 2.62, 2.63, 2.88, 2.93, 3.09, 3.13, 3.38, 3.47, 3.55,
    3.63, 3.84, 3.87, 3.88, 4.18, 4.22, 4.49, 4.59, 4.80, 4.97, 5.12, 5.74, 7.22, 7.97,
    11.5, 13.5, 13.9, 14.2, 15.5, 16.0, 16.9, 18.8, 19.9, 22.0, 22.9, 26.5, 30.0, 33.5,
])  # fmt: skip
_TOWER_SECTIONS = choices([*(k / 10 for k in range(1, 27)), 2.8, 3.0, 3.2, 3.4])
_TEN_BEST = [
    30.5218066696295, 0.1, 23.1998879193735, 15.2229071105413, 0.1,
    0.551355594262592, 7.45720030059339, 21.036427894294, 21.528441720874, 0.1,
]  # fmt: skip
_TOWER_BEST = [
    0.01, 1.98704330996574, 2.99348012506904, 0.01,
    0.01, 0.683961971025426, 1.67689102619955, 2.66214076076433,
]  # fmt: skip

DESIGNS = (
    Design(
        three_bar_truss,
        [(0.001, 1.0)] * 2,
        n_ineq=3,
        best=[0.788675135071494, 0.408248289118603],
        tags=["trusses"],
    ),
    Design(
        ten_bar_truss,
        [(0.1, 35.0)] * 10,
        n_ineq=18,
        best=_TEN_BEST,
        tags=["trusses"],
    ),
    Design(
        ten_bar_truss,
        [_SECTIONS] * 10,
        n_ineq=18,
        best=[33.5, 1.62, 22.9, 14.2, 1.62, 1.62, 7.97, 22.9, 22.0, 1.62],
        tags=["trusses"],
        variant="-discrete",
    ),
    Design(
        twenty_five_bar_truss,
        [(0.01, 3.4)] * 8,
        n_ineq=86,
        best=_TOWER_BEST,
        tags=["trusses"],
    ),
    Design(
        twenty_five_bar_sections,
        [_TOWER_SECTIONS] * 8,
        n_ineq=29,
        best=[0.1, 0.3, 3.4, 0.1, 2.1, 1.0, 0.5, 3.4],
        tags=["trusses"],
    ),
)
