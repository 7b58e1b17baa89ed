"""`TrialKey`: what identifies a trial."""

from dataclasses import dataclass

from de2ls.problems.key import ProblemKey


@dataclass(frozen=True)
class TrialKey:
    """The identity of a trial: its series, its problem and the number of its run."""

    series: str  # label of the series; the algorithm's name by default
    problem: ProblemKey
    run: int = 1

    def __str__(self) -> str:
        return f"{self.series} on {self.problem.label}, run {self.run}"
