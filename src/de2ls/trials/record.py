"""`TrialRecord`: everything that is kept of one finished trial."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from de2ls._checks import FloatArray

MIN_EV_ZERO = 1e-8  # |Min_EV| and LCV below this are written as 0


@dataclass(frozen=True)
class LocalSearchLog:
    """What the late local search did in one trial."""

    calls: int = 0  # how often it was called
    evaluations: int = 0  # what it cost
    improved: int = 0  # calls that moved their centre
    gain: float = 0.0  # decrease of the feasible incumbent's objective during the calls


@dataclass(frozen=True, eq=False)
class TrialRecord:
    """The record of one trial by the competition's rules.

    `curve` has one row per sample: evaluations so far, Min_EV (the best objective among feasible
    points, NaN while there is none) and LCV (the lowest summed violation so far).
    """

    algorithm: str  # registered name
    config: Mapping[str, Any]  # every parameter of the algorithm, defaults included
    problem: Mapping[str, Any]  # Problem.key, or its name for a problem without one
    seed: int
    max_evals: int  # the budget T
    n_evals: int  # evaluations made, never more than T
    curve: FloatArray  # (rows, 3): FEs, Min_EV, LCV
    x: FloatArray  # the incumbent
    f: float
    g: FloatArray
    h: FloatArray
    violation: float  # summed violation of the incumbent
    feasible: bool
    stop: str  # why it ended
    label: str = ""  # name of the series in a campaign; the algorithm's name by default
    trace: FloatArray | None = None  # (rows, 2): population size and epsilon level at the samples
    local_search: LocalSearchLog = field(default_factory=LocalSearchLog)
    n_invalid: int = 0  # evaluations that gave NaN
    version: str = ""  # of de2ls
    environment: Mapping[str, str] = field(default_factory=dict)  # CPU and library versions
    wall_time: float = 0.0  # seconds
    n_outside: int = 0  # evaluated points outside the box: 0 unless asked for

    @property
    def min_ev(self) -> float:
        """Final Min_EV; NaN without a feasible point."""
        return float(self.curve[-1, 1])

    @property
    def lcv(self) -> float:
        """Final LCV."""
        return float(self.curve[-1, 2])
