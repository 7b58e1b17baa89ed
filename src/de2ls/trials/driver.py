"""A driver: one trial under way, whichever form its algorithm has.

`CompiledDriver` drives a compiled step, `BatchDriver` a generator of batches; `new_driver` chooses.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.algorithms import get_algorithm
from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.config import Config
from de2ls.engine.budget import checked_budget
from de2ls.problems.problem import Problem

SCHEMA = 2  # of a saved trial


class Incumbent(NamedTuple):
    """The best point evaluated so far."""

    x: FloatArray
    out: FloatArray  # f, g, h as the functions gave them
    f: float  # infinite where the point has no value
    violation: float  # summed
    feasible: bool
    n: int  # the evaluation that found it; 0 while no point has a value


class Population(NamedTuple):
    """The points an algorithm works with at present."""

    x: FloatArray  # (n, D)
    f: FloatArray  # (n,)
    v: FloatArray  # (n,) violation, as the algorithm measures it


class Driver(ABC):
    """A trial under way.

    Parameters
    ----------
    algorithm : str or Algorithm
        What searches.
    problem : Problem
        What is minimised.
    seed : int
        Seed of the trial's random numbers.
    max_evals : int, optional
        The budget T; 20000 D by default.
    config : mapping or Config, optional
        Fields that differ from the algorithm's defaults.
    x0 : ndarray, shape (k, D), optional
        Starting points.
    """

    searching = False  # whether the algorithm is at work: an error is its own, not the problem's

    def __init__(
        self,
        algorithm: str | Algorithm,
        problem: Problem,
        seed: int,
        max_evals: int | None = None,
        config: Mapping[str, Any] | Config | None = None,
        *,
        x0: FloatArray | None = None,
    ) -> None:
        if not isinstance(problem, Problem):
            raise TypeError(
                "problem must be a Problem, as de2ls.cec2017 and de2ls.problem make it, "
                f"got {problem!r}"
            )
        self.algorithm = get_algorithm(algorithm)
        self.problem = problem
        self.seed = _checks.integer("seed", seed, 0)
        self.max_evals = checked_budget(max_evals, problem.dim)
        self.config = self.algorithm.config_class.make(config)
        self.x0 = np.empty((0, problem.dim)) if x0 is None else np.atleast_2d(x0)
        self.work = np.empty(problem.kernel.n_work if problem.kernel else 0)
        self.wall_time = 0.0  # seconds, kept by whoever runs the trial

    # --- what has happened -----------------------------------------------------------------------

    @property
    @abstractmethod
    def n_evals(self) -> int:
        """Evaluations made so far."""

    @property
    @abstractmethod
    def n_invalid(self) -> int:
        """Evaluations that gave NaN."""

    @property
    @abstractmethod
    def n_outside(self) -> int:
        """Evaluated points outside the box."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether the trial is over."""

    @property
    @abstractmethod
    def stop(self) -> str:
        """Why a finished trial ended."""

    @property
    @abstractmethod
    def incumbent(self) -> Incumbent:
        """The best point evaluated so far."""

    @property
    @abstractmethod
    def curve(self) -> FloatArray:
        """Rows of FEs, Min_EV, LCV, population size, epsilon level: what is written so far."""

    @property
    @abstractmethod
    def asked(self) -> int:
        """Candidates handed out so far, and the next one's number."""

    @property
    @abstractmethod
    def pending(self) -> Collection[int]:
        """Numbers of the candidates that are out."""

    @property
    @abstractmethod
    def present(self) -> tuple[float, ...]:
        """What a row of the curve would say now."""

    @property
    @abstractmethod
    def population_size(self) -> int:
        """How many points make a generation at present."""

    @property
    @abstractmethod
    def population(self) -> Population:
        """The points the algorithm works with at present."""

    @property
    @abstractmethod
    def reached(self) -> bool:
        """Whether a feasible point has reached the target."""

    @property
    @abstractmethod
    def evaluating(self) -> FloatArray:
        """The point that `run` evaluates, or has failed to evaluate."""

    @property
    @abstractmethod
    def counters(self) -> dict[str, float]:
        """What the algorithm counted."""

    @property
    def notes(self) -> dict[str, Any]:
        """What the algorithm knows of the solution."""
        return {}

    # --- going on --------------------------------------------------------------------------------

    @abstractmethod
    def aim(self, target: float) -> None:
        """Stop when a feasible point has an objective of at most `target`, in place of another."""

    @abstractmethod
    def observe(self, x: FloatArray, out: FloatArray) -> None:
        """Let the recorder see a point that the algorithm did not ask for."""

    @abstractmethod
    def inject(self, x: FloatArray, out: FloatArray) -> None:
        """Take a point that was evaluated elsewhere; it counts as an evaluation."""

    @abstractmethod
    def run(self, until: int | None = None) -> None:
        """Continue until `until` evaluations are made, or the target, or the end."""

    @abstractmethod
    def ask(self, n: int) -> list[int]:
        """Make up to `n` candidates and return their numbers."""

    @abstractmethod
    def points(self, numbers: Sequence[int]) -> FloatArray:
        """Return the points of candidates that are out, one per row."""

    @abstractmethod
    def tell(self, numbers: Sequence[int], out: Sequence[FloatArray] | FloatArray) -> None:
        """Take f, g, h of candidates that are out, one row each."""

    # --- saving ----------------------------------------------------------------------------------

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what `restore` needs to continue."""

    @abstractmethod
    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go to where `arrays` were taken."""

    def header(self) -> dict[str, Any]:
        """Return what a saved trial is known by, as JSON has it."""
        header: dict[str, Any] = json.loads(
            json.dumps(
                {
                    "schema": SCHEMA,
                    "algorithm": self.algorithm.reference,
                    "config": self.config.as_dict(),
                    "seed": self.seed,
                    "max_evals": self.max_evals,
                    "problem": description(self.problem),
                }
            )
        )
        return header

    def write(self, file: IO[bytes], **extra: NDArray[Any]) -> None:
        """Write the trial, and `extra` arrays; `de2ls.trials.saved.load_driver` continues it."""
        best = self.incumbent
        seen = {  # for readers that only look
            "n_evals": self.n_evals,
            "x": best.x.tolist(),
            "f": best.f,
            "violation": best.violation,
            "feasible": bool(best.feasible),
        }
        header = {**self.header(), "wall_time": self.wall_time, "seen": seen}
        arrays: dict[str, Any] = {**self.arrays(), "history": self.curve[:, :3], **extra}
        np.savez(file, header=np.array(json.dumps(header)), **arrays)

    def save(self, path: str | Path, **extra: NDArray[Any]) -> None:
        """Write the trial, and `extra` arrays, to a file: as a whole or not at all."""
        target = Path(path)
        partial = target.with_name(target.name + ".part")
        with partial.open("wb") as file:
            self.write(file, **extra)
        partial.replace(target)


def new_driver(
    algorithm: str | Algorithm,
    problem: Problem,
    seed: int,
    max_evals: int | None = None,
    config: Mapping[str, Any] | Config | None = None,
    *,
    x0: FloatArray | None = None,
    weigh: bool = False,
    workers: int = 1,
    saveable: bool = True,
) -> Driver:
    """Return the driver that suits the algorithm's form.

    Parameters
    ----------
    algorithm, problem, seed, max_evals, config, x0
        As for `Driver`.
    weigh : bool
        Whether a compiled search measures violation by weighted constraints. A generator sees the
        constraints themselves.
    workers : int
        How many points are evaluated at once: told to a generator.
    saveable : bool
        Whether a generator's answers are kept, so that the trial can be saved.
    """
    chosen = get_algorithm(algorithm)
    if chosen.search is not None:
        from de2ls.trials.batch_driver import BatchDriver

        return BatchDriver(
            chosen,
            problem,
            seed,
            max_evals,
            config,
            x0=x0,
            workers=workers,
            saveable=saveable,
        )
    from de2ls.trials.compiled import CompiledDriver

    return CompiledDriver(chosen, problem, seed, max_evals, config, x0=x0, weigh=weigh)


def description(problem: Problem) -> dict[str, Any]:
    """Return what a saved trial needs to know its problem again."""
    return {
        "name": problem.name,
        "dim": problem.dim,
        "lower": problem.lower.tolist(),
        "upper": problem.upper.tolist(),
        "n_ineq": problem.n_ineq,
        "n_eq": problem.n_eq,
        "tolerances": problem.tolerances.tolist(),
        "excess": problem.excess,
        "feasible_tol": problem.feasible_tol,
        **problem.key.as_dict(),
    }
