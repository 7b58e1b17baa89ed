"""`TrialKey`: what identifies a trial."""

from dataclasses import dataclass
from typing import Any

from de2ls import _checks
from de2ls.problems.key import ProblemKey


@dataclass(frozen=True)
class TrialKey:
    """The identity of a trial: its series, its problem and the number of its run."""

    series: str  # label of the series; the algorithm's name by default
    problem: ProblemKey
    run: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.series, str) or not self.series:
            raise TypeError(f"the label of a series must be a text, got {self.series!r}")
        if not isinstance(self.problem, ProblemKey):
            raise TypeError(f"problem must be a ProblemKey, got {self.problem!r}")
        _checks.integer("run", self.run, 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the key as JSON data."""
        return {"label": self.series, "problem": self.problem.as_dict(), "run": self.run}

    def __str__(self) -> str:
        return f"{self.series} on {self.problem}, run {self.run}"
