"""What the two contests define: which basic functions each function is made of, and how.

A function is one part, or several that are mixed by their distances to x (a composition). A part
is one basic function of all coordinates, or several, each of some of them (a hybrid). Every basic
function sees its coordinates times a rate, plus an offset, so that all of them share one box.
"""

from enum import IntEnum
from typing import NamedTuple


class Basic(IntEnum):
    """The basic functions, by the number that compiled code knows them by."""

    SQUARES = 0
    ZAKHAROV = 1
    ROSENBROCK = 2
    RASTRIGIN = 3
    SCHAFFER_7 = 4
    LUNACEK = 5
    LEVY = 6
    SCHWEFEL = 7
    ACKLEY = 8
    WEIERSTRASS = 9
    GRIEWANK = 10
    KATSUURA = 11
    HAPPY_CAT = 12
    HG_BAT = 13
    GRIEWANK_ROSENBROCK = 14
    SCHAFFER_6 = 15


class Piece(NamedTuple):
    """A basic function with the rate and offset of its coordinates."""

    basic: Basic
    rate: float = 1.0
    offset: float = 0.0
    weights: str = ""  # of the squares: "first", "rest" or "rising"


class Part(NamedTuple):
    """One basic function, or a hybrid of several."""

    pieces: tuple[Piece, ...]
    shares: tuple[float, ...] = (1.0,)  # of the coordinates
    scale: float = 1.0  # factor of its value in a composition
    rotated: bool = True


class Definition(NamedTuple):
    """A function of a contest: its parts, and how a composition mixes them."""

    parts: tuple[Part, ...]
    widths: tuple[float, ...] = (1.0,)
    biases: tuple[float, ...] = (0.0,)


BENT_CIGAR = Piece(Basic.SQUARES, weights="rest")
DISCUS = Piece(Basic.SQUARES, weights="first")
ELLIPTIC = Piece(Basic.SQUARES, weights="rising")
ZAKHAROV = Piece(Basic.ZAKHAROV)
ROSENBROCK = Piece(Basic.ROSENBROCK, 2.048 / 100.0, 1.0)
RASTRIGIN = Piece(Basic.RASTRIGIN, 5.12 / 100.0)
SCHAFFER_6 = Piece(Basic.SCHAFFER_6)
SCHAFFER_7 = Piece(Basic.SCHAFFER_7)
LUNACEK = Piece(Basic.LUNACEK, 0.2)
LEVY_2017 = Piece(Basic.LEVY, 1.0, -1.0)  # its optimum is not at the shift
LEVY_2022 = Piece(Basic.LEVY)
SCHWEFEL = Piece(Basic.SCHWEFEL, 10.0, 4.209687462275036e2)
ACKLEY = Piece(Basic.ACKLEY)
WEIERSTRASS = Piece(Basic.WEIERSTRASS, 0.5 / 100.0, 0.5)
GRIEWANK = Piece(Basic.GRIEWANK, 6.0)
KATSUURA = Piece(Basic.KATSUURA, 5.0 / 100.0)
HAPPY_CAT = Piece(Basic.HAPPY_CAT, 5.0 / 100.0, -1.0)
HG_BAT = Piece(Basic.HG_BAT, 5.0 / 100.0, -1.0)
GRIEWANK_ROSENBROCK = Piece(Basic.GRIEWANK_ROSENBROCK, 5.0 / 100.0, 1.0)


def _one(piece: Piece, scale: float = 1.0, rotated: bool = True) -> Part:
    return Part((piece,), scale=scale, rotated=rotated)


def _alone(piece: Piece, rotated: bool = True) -> Definition:
    return Definition((_one(piece, rotated=rotated),))


def _composed(parts: tuple[Part, ...], widths: str, biases: str) -> Definition:
    return Definition(parts, tuple(map(float, widths.split())), tuple(map(float, biases.split())))


_15 = Part((BENT_CIGAR, HG_BAT, RASTRIGIN, ROSENBROCK), (0.2, 0.2, 0.3, 0.3))
_16 = Part((SCHAFFER_6, HG_BAT, ROSENBROCK, SCHWEFEL), (0.2, 0.2, 0.3, 0.3))
_17 = Part((KATSUURA, ACKLEY, GRIEWANK_ROSENBROCK, SCHWEFEL, RASTRIGIN), (0.1, 0.2, 0.2, 0.2, 0.3))
_18 = Part((ELLIPTIC, ACKLEY, RASTRIGIN, HG_BAT, DISCUS), (0.2,) * 5)
_19 = Part((BENT_CIGAR, RASTRIGIN, GRIEWANK_ROSENBROCK, WEIERSTRASS, SCHAFFER_6), (0.2,) * 5)

_HYBRIDS_2017 = {
    11: Part((ZAKHAROV, ROSENBROCK, RASTRIGIN), (0.2, 0.4, 0.4)),
    12: Part((ELLIPTIC, SCHWEFEL, BENT_CIGAR), (0.3, 0.3, 0.4)),
    13: Part((BENT_CIGAR, ROSENBROCK, LUNACEK), (0.3, 0.3, 0.4)),
    14: Part((ELLIPTIC, ACKLEY, SCHAFFER_7, RASTRIGIN), (0.2, 0.2, 0.2, 0.4)),
    15: _15,
    16: _16,
    17: _17,
    18: _18,
    19: _19,
    20: Part(
        (HG_BAT, KATSUURA, ACKLEY, RASTRIGIN, SCHWEFEL, SCHAFFER_7),  # HGBat, by the values
        (0.1, 0.1, 0.2, 0.2, 0.2, 0.2),
    ),
}

# The parts of compositions, with the factors that bring their values near each other
_ROSENBROCK, _SCHWEFEL, _RASTRIGIN = _one(ROSENBROCK), _one(SCHWEFEL), _one(RASTRIGIN)
_ELLIPTIC, _DISCUS, _BENT_CIGAR = _one(ELLIPTIC, 1e-6), _one(DISCUS, 1e-6), _one(BENT_CIGAR, 1e-26)
_GRIEWANK, _ACKLEY, _HAPPY_CAT = _one(GRIEWANK, 10.0), _one(ACKLEY, 10.0), _one(HAPPY_CAT)
_RASTRIGIN_10, _HG_BAT_10 = _one(RASTRIGIN, 10.0), _one(HG_BAT, 10.0)
_SCHAFFER_6, _SCHWEFEL_2 = _one(SCHAFFER_6, 5e-4), _one(SCHWEFEL, 2.5)

CEC2017: dict[int, Definition] = {
    1: _alone(BENT_CIGAR),
    3: _alone(ZAKHAROV),
    4: _alone(ROSENBROCK),
    5: _alone(RASTRIGIN),
    6: _alone(SCHAFFER_7, rotated=False),
    7: _alone(LUNACEK),
    8: _alone(RASTRIGIN),  # steps are meant, but the organisers' program forgets them
    9: _alone(LEVY_2017),
    10: _alone(SCHWEFEL),
    **{number: Definition((part,)) for number, part in _HYBRIDS_2017.items()},
    21: _composed((_ROSENBROCK, _ELLIPTIC, _RASTRIGIN), "10 20 30", "0 100 200"),
    22: _composed((_RASTRIGIN, _GRIEWANK, _SCHWEFEL), "10 20 30", "0 100 200"),
    23: _composed((_ROSENBROCK, _ACKLEY, _SCHWEFEL, _RASTRIGIN), "10 20 30 40", "0 100 200 300"),
    24: _composed((_ACKLEY, _ELLIPTIC, _GRIEWANK, _RASTRIGIN), "10 20 30 40", "0 100 200 300"),
    25: _composed(
        (_RASTRIGIN_10, _HAPPY_CAT, _ACKLEY, _DISCUS, _ROSENBROCK),
        "10 20 30 40 50",
        "0 100 200 300 400",
    ),
    26: _composed(
        (_SCHAFFER_6, _SCHWEFEL, _GRIEWANK, _ROSENBROCK, _RASTRIGIN_10),
        "10 20 20 30 40",
        "0 100 200 300 400",
    ),
    27: _composed(
        (_HG_BAT_10, _RASTRIGIN_10, _SCHWEFEL_2, _BENT_CIGAR, _ELLIPTIC, _SCHAFFER_6),
        "10 20 30 40 50 60",
        "0 100 200 300 400 500",
    ),
    28: _composed(
        (_ACKLEY, _GRIEWANK, _DISCUS, _ROSENBROCK, _HAPPY_CAT, _SCHAFFER_6),
        "10 20 30 40 50 60",
        "0 100 200 300 400 500",
    ),
    29: _composed((_15, _16, _17), "10 30 50", "0 100 200"),
    30: _composed((_15, _18, _19), "10 30 50", "0 100 200"),
}

CEC2022: dict[int, Definition] = {
    1: _alone(ZAKHAROV),
    2: _alone(ROSENBROCK),
    3: _alone(SCHAFFER_7, rotated=False),
    4: _alone(RASTRIGIN),  # without steps, as F8 of 2017
    5: _alone(LEVY_2022),
    6: Definition((Part((BENT_CIGAR, HG_BAT, RASTRIGIN), (0.4, 0.4, 0.2)),)),
    7: Definition(
        (
            Part(
                (HG_BAT, KATSUURA, ACKLEY, RASTRIGIN, SCHWEFEL, SCHAFFER_7),
                (0.1, 0.2, 0.2, 0.2, 0.1, 0.2),
            ),
        )
    ),
    8: Definition(
        (
            Part(
                (KATSUURA, HAPPY_CAT, GRIEWANK_ROSENBROCK, SCHWEFEL, ACKLEY),
                (0.3, 0.2, 0.2, 0.1, 0.2),
            ),
        )
    ),
    9: _composed(
        (_ROSENBROCK, _ELLIPTIC, _BENT_CIGAR, _DISCUS, _one(ELLIPTIC, 1e-6, rotated=False)),
        "10 20 30 40 50",
        "0 200 300 100 400",
    ),
    10: _composed(
        (_one(SCHWEFEL, rotated=False), _RASTRIGIN, _one(HG_BAT)), "20 10 10", "0 200 100"
    ),
    11: _composed(
        (_SCHAFFER_6, _SCHWEFEL, _GRIEWANK, _ROSENBROCK, _RASTRIGIN_10),
        "20 20 30 30 20",
        "0 200 300 400 200",
    ),
    12: _composed(
        (_HG_BAT_10, _RASTRIGIN_10, _SCHWEFEL_2, _BENT_CIGAR, _ELLIPTIC, _SCHAFFER_6),
        "10 20 30 40 50 60",
        "0 300 500 100 400 200",
    ),
}
