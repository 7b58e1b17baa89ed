"""How large a reproduction is, its campaigns, and how they are run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from de2ls import _checks
from de2ls.campaigns.campaign import Outcome, run_campaign
from de2ls.campaigns.plan import Plan, Series
from de2ls.campaigns.progress import Progress
from de2ls.engine.budget import EVALS_PER_DIM
from de2ls.problems.key import ProblemKey

ALL_PROBLEMS = tuple(range(1, 29))


class StoppedError(Exception):
    """The campaigns were stopped; the same command continues them."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(f"{outcome.left} trials are left; the same command continues")


@dataclass(frozen=True)
class Scale:
    """The size of a reproduction; the defaults are the paper's."""

    dim: int = 30
    runs: int = 25
    numbers: tuple[int, ...] = ALL_PROBLEMS
    instance: int = 0  # 0: the official data
    seed: int = 1
    whole: bool = True  # whether the ablation and the late local search are part of it

    def __post_init__(self) -> None:
        _checks.integer("runs", self.runs, 1)
        for number in self.numbers:
            _checks.integer("problems", number, 1, len(ALL_PROBLEMS))

    @property
    def is_published(self) -> bool:
        """Whether the published figures were made at this size."""
        return self == Scale(seed=self.seed)

    @property
    def budget(self) -> int:
        """Evaluations of a trial."""
        return EVALS_PER_DIM * self.dim

    @property
    def run_numbers(self) -> range:
        """The runs; a store may hold more of them."""
        return range(1, self.runs + 1)

    def problems(self, definition: str = "report") -> tuple[ProblemKey, ...]:
        """Return the problems."""
        return tuple(
            ProblemKey.make(
                "cec2017", number, self.dim, definition=definition, instance=self.instance
            )
            for number in self.numbers
        )

    def plan(self, series: Sequence[Series], definition: str = "report") -> Plan:
        """Return the campaign of some series, each with random numbers of its own."""
        return Plan(tuple(series), self.problems(definition), tuple(self.run_numbers), self.seed)

    def selection(self, labels: Sequence[str], definition: str = "report") -> dict[str, object]:
        """Return how a store is asked for the trials of these series."""
        return {
            "labels": list(labels),
            "suites": "cec2017",
            "problems": list(self.numbers),
            "dims": self.dim,
            "definition": definition,
            "instance": self.instance,
            "runs": list(self.run_numbers),
        }


QUICK = Scale(dim=10, runs=5)


@dataclass(frozen=True)
class Runner:
    """Runs campaigns into one store; what it holds already is not run again."""

    store: Path
    workers: int | None = None
    progress: Progress | None = None

    def run(self, plan: Plan) -> None:
        """Run a campaign to its end.

        Raises
        ------
        StoppedError
            If it was stopped.
        RuntimeError
            If trials failed.
        """
        outcome = run_campaign(plan, self.store, self.workers, progress=self.progress)
        if outcome.interrupted:
            raise StoppedError(outcome)
        if outcome.failed:
            trial, reason = outcome.failed[0]
            raise RuntimeError(
                f"{len(outcome.failed)} trials failed, the first of them {trial.label} on problem "
                f"{trial.problem.number}, run {trial.run}: {reason}"
            )
