"""`Collection`: the trials of a score, sorted into algorithms and problems."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.scores.mixture import Fault, MixtureError, Trial, check_mixture

Seeds = tuple[tuple[tuple[int, ...], ...], ...]


class Recorded(Protocol):
    """What a score reads of a `TrialRecord`."""

    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def algorithm(self) -> str: ...  # noqa: D102
    @property
    def problem(self) -> ProblemKey: ...  # noqa: D102
    @property
    def run(self) -> int: ...  # noqa: D102
    @property
    def seed(self) -> int: ...  # noqa: D102
    @property
    def max_evals(self) -> int: ...  # noqa: D102
    @property
    def curve(self) -> FloatArray: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Collection:
    """Trials that may be scored together.

    Made by `collect` from records or by `Collection.from_curves` from arrays.
    """

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    cells: tuple[tuple[FloatArray, ...], ...]  # [problem][algorithm]: (trials, samples, 2)
    keys: tuple[ProblemKey, ...] = ()  # of the problems, where records told them
    seeds: Seeds | None = None  # [problem][algorithm], in the order of the trials
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_curves(
        cls,
        curves: Mapping[str, Any],
        problems: Sequence[str] | None = None,
        allow_unequal: bool = False,
    ) -> Self:
        """Sort arrays into a collection.

        Parameters
        ----------
        curves : mapping of name to array_like, shape (problems, trials, samples, 2)
            Min_EV and LCV at the samples.
        problems : sequence of str, optional
            Names of the problems; by default their numbers from 1 on.
        allow_unequal : bool
            Accept different numbers of trials, with a warning.
        """
        arrays = {str(name): _curve_array(name, value) for name, value in curves.items()}
        if not arrays:
            raise ValueError("curves must hold at least one algorithm, got an empty mapping")
        first_name, first = next(iter(arrays.items()))
        for name, array in arrays.items():
            if (array.shape[0], array.shape[2]) != (first.shape[0], first.shape[2]):
                raise ValueError(
                    f"curves of {name!r} have {array.shape[0]} problems and {array.shape[2]} "
                    f"samples, those of {first_name!r} {first.shape[0]} and {first.shape[2]}; "
                    "they must agree"
                )
        names = tuple(map(str, range(1, len(first) + 1) if problems is None else problems))
        if len(names) != len(first):
            raise ValueError(f"problems must name {len(first)} problems, got {len(names)}")
        sizes = {name: array.shape[1] for name, array in arrays.items()}
        warnings: tuple[str, ...] = ()
        if len(set(sizes.values())) > 1:
            text = ", ".join(f"{size} of {name}" for name, size in sizes.items())
            fault = Fault("trials", f"unequal numbers of trials: {text}", ())
            if not allow_unequal:
                raise MixtureError([fault], acceptable=True)
            warnings = (f"unequal trials accepted: {fault}",)
        cells = tuple(tuple(array[p] for array in arrays.values()) for p in range(len(names)))
        return cls(tuple(arrays), names, cells, warnings=warnings)

    @property
    def n_trials(self) -> int:
        """The number n of trials per cell, or the smallest where cells differ."""
        return min(len(cell) for row in self.cells for cell in row)

    @property
    def equal(self) -> bool:
        """Whether all cells hold the same number of trials."""
        return all(len(cell) == self.n_trials for row in self.cells for cell in row)

    def curves(self) -> dict[str, FloatArray]:
        """Return the arrays (problems, trials, samples, 2) of the algorithms by name."""
        if len({cell.shape for row in self.cells for cell in row}) > 1:
            raise ValueError("cells of different sizes do not fit one array; read `cells` instead")
        return {
            name: np.stack([row[a] for row in self.cells]) for a, name in enumerate(self.algorithms)
        }

    def index(self, algorithm: str) -> int:
        """Return the position of an algorithm."""
        return self.algorithms.index(_checks.choice("algorithm", algorithm, self.algorithms))

    def select(
        self, algorithms: Sequence[str] | None = None, problems: Sequence[str] | None = None
    ) -> "Collection":
        """Return the collection of some algorithms and problems, in the order given."""
        columns = [
            self.index(name) for name in (self.algorithms if algorithms is None else algorithms)
        ]
        rows = [
            self.problems.index(_checks.choice("problem", name, self.problems))
            for name in (self.problems if problems is None else problems)
        ]
        if not columns or not rows:
            raise ValueError("select needs at least one algorithm and one problem")
        for what, chosen in (("algorithms", algorithms), ("problems", problems)):
            twice = [name for name, count in Counter(chosen or ()).items() if count > 1]
            if twice:
                raise ValueError(f"{what} must name each once, got {twice[0]!r} again")
        return replace(
            self,
            algorithms=tuple(self.algorithms[a] for a in columns),
            problems=tuple(self.problems[p] for p in rows),
            cells=tuple(tuple(self.cells[p][a] for a in columns) for p in rows),
            keys=tuple(self.keys[p] for p in rows) if self.keys else (),
            seeds=self.seeds and tuple(tuple(self.seeds[p][a] for a in columns) for p in rows),
        )


def collect(records: Iterable[Recorded], allow_unequal: bool = False) -> Collection:
    """Sort trial records into a collection, refusing what must not be mixed.

    Parameters
    ----------
    records : iterable of TrialRecord
        Read once, in any order. Algorithms keep the order in which they first appear, problems
        are sorted by number or name, trials by seed.
    allow_unequal : bool
        Accept different numbers of trials, problems of different dimension or budget, and series
        without the sample after the initial population (which is then left out of all), each with
        a warning. Different definitions or instances are never accepted.

    Returns
    -------
    Collection

    Raises
    ------
    MixtureError
        Naming the trials at fault.
    """
    trials = as_trials(records)
    if not trials:
        raise ValueError("there is no trial to score")
    warnings = check_mixture(trials, allow_unequal)
    algorithms = tuple(dict.fromkeys(trial.label for trial in trials))
    keys = {trial.problem: trial.key for trial in trials}
    problems = tuple(sorted(keys, key=keys.__getitem__))
    groups: dict[tuple[str, str], list[Trial]] = {(p, a): [] for p in problems for a in algorithms}
    for trial in sorted(trials, key=lambda trial: trial.seed):
        groups[trial.problem, trial.label].append(trial)
    cells = []
    for problem in problems:
        rows = [groups[problem, algorithm] for algorithm in algorithms]
        n_samples = min(len(trial.samples) for row in rows for trial in row)
        cells.append(tuple(np.stack([t.samples[-n_samples:] for t in row]) for row in rows))
    return Collection(
        algorithms,
        problems,
        tuple(cells),
        keys=tuple(keys[problem] for problem in problems),
        seeds=tuple(
            tuple(tuple(t.seed for t in groups[p, a]) for a in algorithms) for p in problems
        ),
        warnings=warnings,
    )


def as_trials(records: Iterable[Recorded]) -> list[Trial]:
    """Read the records; equal columns of evaluations become one array."""
    grids: dict[bytes, FloatArray] = {}
    trials = []
    for record in records:
        name, label = record.problem.label, record.label
        curve = np.asarray(record.curve, dtype=np.float64)
        if curve.ndim != 2 or curve.shape[1] != 3 or not len(curve):
            raise ValueError(
                f"the curve of {label} on {name} (seed {record.seed}) must have shape (rows, 3), "
                f"got {curve.shape}"
            )
        evaluations = np.ascontiguousarray(curve[:, 0])
        grid = grids.setdefault(evaluations.tobytes(), evaluations)
        samples = np.ascontiguousarray(curve[:, 1:])
        trials.append(
            Trial(
                label,
                name,
                record.problem,
                record.run,
                record.seed,
                record.max_evals,
                grid,
                samples,
            )
        )
    return trials


def _curve_array(name: Any, value: Any) -> FloatArray:
    expected = f"curves of {name!r} must have shape (problems, trials, samples, 2)"
    array = _checks.real_array(f"{expected} and hold real numbers", value)
    if array.ndim != 4 or array.shape[3] != 2 or 0 in array.shape:
        raise ValueError(f"{expected}, none of them 0, got {array.shape}")
    return np.asarray(array, dtype=np.float64)
