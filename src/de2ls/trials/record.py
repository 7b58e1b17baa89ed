"""A trial and what is kept of it: `Trial`, `TrialSummary` and `TrialRecord`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.trials.key import TrialKey


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A trial, planned or finished: its key and what its result depends on."""

    key: TrialKey
    algorithm: str  # registered name
    config: Mapping[str, Any]  # every parameter of the algorithm, defaults included
    seed: int
    max_evals: int  # the budget T

    @property
    def label(self) -> str:
        """The series."""
        return self.key.series

    @property
    def problem(self) -> ProblemKey:
        """The problem."""
        return self.key.problem

    @property
    def run(self) -> int:
        """The number of the run."""
        return self.key.run


@dataclass(frozen=True, kw_only=True)
class TrialSummary(Trial):
    """A finished trial without its arrays."""

    n_evals: int  # evaluations made, never more than T
    f: float  # objective of the incumbent
    violation: float  # summed violation of the incumbent
    feasible: bool
    min_ev: float  # final Min_EV; NaN without a feasible point
    lcv: float  # final LCV
    stop: str  # why it ended
    counters: Mapping[str, float] = field(default_factory=dict)  # what the algorithm counted
    n_invalid: int = 0  # evaluations that gave NaN
    n_outside: int = 0  # evaluated points outside the box: 0 unless asked for
    version: str = ""  # of de2ls
    environment: Mapping[str, str] = field(default_factory=dict)  # CPU and library versions
    wall_time: float = 0.0  # seconds


@dataclass(frozen=True, kw_only=True, eq=False)
class TrialRecord(TrialSummary):
    """The record of one trial by the competition's rules.

    `curve` has one row per sample: evaluations so far, Min_EV (the best objective among feasible
    points, NaN while there is none) and LCV (the lowest summed violation so far).
    """

    min_ev: float = field(init=False)
    lcv: float = field(init=False)
    curve: FloatArray  # (rows, 3): FEs, Min_EV, LCV
    x: FloatArray  # the incumbent
    g: FloatArray
    h: FloatArray
    trace: FloatArray | None = None  # (rows, 2): population size and epsilon level at the samples

    def __post_init__(self) -> None:
        for name, column in (("min_ev", 1), ("lcv", 2)):
            object.__setattr__(self, name, float(self.curve[-1, column]))

    def summary(self) -> TrialSummary:
        """Return the trial without its arrays."""
        return TrialSummary(**{name: getattr(self, name) for name in _SUMMARY})


_SUMMARY = tuple(one.name for one in fields(TrialSummary))
