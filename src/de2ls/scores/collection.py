"""`Collection`: the trials of a score, sorted into algorithms and problems."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Self, TypeVar

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.scores.mixture import Fault, MixtureError, Sampled, check_mixture
from de2ls.suites.registry import best_known, record_rule, tags
from de2ls.suites.suite import CEC_TOL
from de2ls.trials.record import TrialRecord

Item = TypeVar("Item")
Cell = tuple[ProblemKey, str]  # a problem and the label of a series
Cells = tuple[tuple[Item, ...], ...]  # [problem][algorithm]


@dataclass(frozen=True, eq=False)
class Collection:
    """Trials that may be scored together, in cells by problem and algorithm.

    Made by `collect` from records or by `Collection.from_curves` from arrays.
    """

    algorithms: tuple[str, ...]
    keys: tuple[ProblemKey, ...]
    cells: Cells[FloatArray]  # (trials, samples, 2): Min_EV, LCV, each a whole block in memory
    feasible_tols: tuple[float, ...]  # LCV up to which a trial of the problem is feasible
    grids: Cells[FloatArray] = ()  # evaluations at the samples; empty where arrays tell none
    runs: Cells[tuple[int, ...]] = ()  # of the trials, in their order
    seeds: Cells[tuple[int, ...]] = ()
    warnings: tuple[str, ...] = ()
    facts: Mapping[ProblemKey, Mapping[str, Any]] = field(default_factory=dict)  # by users' suites

    @property
    def best_known(self) -> list[float | None]:
        """The best known values of the problems, where there are any."""
        return [
            self.facts[key]["best_known"] if key in self.facts else best_known(key)
            for key in self.keys
        ]

    @property
    def groups(self) -> dict[str, list[str]]:
        """The problems of each group that their suites name; one that has all is none."""
        found: dict[str, list[str]] = {}
        for key, problem in zip(self.keys, self.problems, strict=True):
            for name in self.facts[key]["groups"] if key in self.facts else tags(key):
                found.setdefault(name, []).append(problem)
        return {
            name: problems
            for name, problems in found.items()
            if len(problems) < len(self.keys) and name not in self.problems
        }

    @property
    def problems(self) -> tuple[str, ...]:
        """What tables call the problems; where labels repeat, with what tells them apart."""
        counts = Counter(key.label for key in self.keys)
        return tuple(
            key.label if counts[key.label] == 1 else f"{key.label} {key.dim} {dict(key.variant)}"
            for key in self.keys
        )

    @cached_property
    def digests(self) -> Cells[list[bytes]]:
        """A digest of each trial's values; every NaN and every zero counts as the same."""
        with ThreadPoolExecutor(2) as threads:  # hashing needs no interpreter
            return tuple(threads.map(lambda row: tuple(map(_digests, row)), self.cells))

    @classmethod
    def from_curves(
        cls,
        curves: Mapping[str, Any],
        problems: Sequence[str] | None = None,
        allow_unequal: bool = False,
        feasible_tol: float = CEC_TOL,
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
        feasible_tol : float
            LCV up to which a trial is feasible; by default the competition's.
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
            fault = Fault("trials", f"unequal numbers of trials: {text}")
            if not allow_unequal:
                raise MixtureError([fault], acceptable=True)
            warnings = (f"unequal trials accepted: {fault}",)
        cells = tuple(tuple(array[p] for array in arrays.values()) for p in range(len(names)))
        keys = tuple(ProblemKey("", name, 0) for name in names)
        return cls(tuple(arrays), keys, cells, (feasible_tol,) * len(keys), warnings=warnings)

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

        def part(cells: Cells[Item]) -> Cells[Item]:
            return tuple(tuple(cells[p][a] for a in columns) for p in rows) if cells else ()

        return replace(
            self,
            algorithms=tuple(self.algorithms[a] for a in columns),
            keys=tuple(self.keys[p] for p in rows),
            cells=part(self.cells),
            feasible_tols=tuple(self.feasible_tols[p] for p in rows),
            grids=part(self.grids),
            runs=part(self.runs),
            seeds=part(self.seeds),
        )

    def renamed(self, names: Mapping[str, str]) -> "Collection":
        """Return the collection with other names for some of its algorithms."""
        return replace(self, algorithms=tuple(names.get(name, name) for name in self.algorithms))


def collect(records: Iterable[TrialRecord], allow_unequal: bool = False) -> Collection:
    """Sort trial records into a collection, refusing what must not be mixed.

    Parameters
    ----------
    records : iterable of TrialRecord
        Read once, in any order. Algorithms keep the order in which they first appear, problems
        are sorted by number or name, trials by run.
    allow_unequal : bool
        Accept different numbers of trials, different budgets between problems, and series without
        the sample after the initial population (which is then left out of all), and leave out
        problems that a series lacks, each with a warning. Problems of different groups (suite,
        dimension, definition, instance) are never accepted.

    Returns
    -------
    Collection

    Raises
    ------
    MixtureError
        Naming the trials at fault.
    """
    trials, blocks = sorted_in(records, lambda block: block)
    return assembled(trials, blocks, allow_unequal)


def assembled(
    trials: Sequence[Sampled], blocks: Iterable[tuple[Cell, FloatArray]], allow_unequal: bool
) -> Collection:
    """Return the collection of what `sorted_in` has sorted."""
    kept, warnings = check_mixture(trials, allow_unequal)
    values: dict[Cell, list[FloatArray]] = defaultdict(list)
    for cell, block in blocks:
        values[cell].append(block)
    algorithms = tuple(dict.fromkeys(trial.label for trial in kept))
    keys = tuple(sorted({trial.problem for trial in kept}))
    groups: dict[Cell, list[Sampled]] = {(key, label): [] for key in keys for label in algorithms}
    for trial in kept:
        groups[trial.problem, trial.label].append(trial)
    lengths = {
        key: min(len(t.grid) for label in algorithms for t in groups[key, label]) for key in keys
    }

    def cells(item: Callable[[Cell, list[Sampled]], Item]) -> Cells[Item]:
        return tuple(
            tuple(
                item((key, label), sorted(groups[key, label], key=lambda trial: trial.run))
                for label in algorithms
            )
            for key in keys
        )

    def stacked(cell: Cell, _: list[Sampled]) -> FloatArray:
        length = lengths[cell[0]]
        parts = [block[..., -length:] for block in values.pop(cell)]
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        runs = [trial.run for trial in groups[cell]]
        ordered = whole if runs == sorted(runs) else whole[:, np.argsort(runs)]
        return np.moveaxis(ordered, 0, 2)

    return Collection(
        algorithms,
        keys,
        cells(stacked),
        tuple(feasible_tol(key) for key in keys),
        grids=cells(lambda cell, trials: trials[0].grid[-lengths[cell[0]] :]),
        runs=cells(lambda _, trials: tuple(trial.run for trial in trials)),
        seeds=cells(lambda _, trials: tuple(trial.seed for trial in trials)),
        warnings=warnings,
    )


def sorted_in(
    records: Iterable[TrialRecord], keep: Callable[[FloatArray], Item]
) -> tuple[list[Sampled], list[tuple[Cell, Item]]]:
    """Return the trials without their values, and these as `keep` gives them back.

    It takes the values of each cell as a block (2, trials, samples), or as several. Records are let
    go one by one: of many trials only Min_EV and LCV stay in memory, once.
    """
    trials: list[Sampled] = []
    blocks: list[tuple[Cell, Item]] = []
    grids: dict[bytes, FloatArray] = {}
    grid, last = np.empty(0), b""
    block = _Block(1, 0)
    place: tuple[ProblemKey, str, int] | None = None
    for record in records:
        if record.curve.ndim != 2 or record.curve.shape[1] != 3 or not len(record.curve):
            raise ValueError(
                f"the curve of {record.key} must have shape (rows, 3), got {record.curve.shape}"
            )
        here = record.problem, record.label, len(record.curve)
        if here != place:
            if place is not None:
                blocks.append((place[:2], keep(block.values)))
            block = _Block(max(1, block.trials), len(record.curve))  # mostly as many as before
            place = here
        times, curves = record.curve[:, 0], record.curve.T[1:]
        block.append(curves)
        content = times.tobytes()
        if content != last:  # mostly it is that of the trial before
            grid, last = grids.setdefault(content, times.copy()), content
        trials.append(Sampled.of(record, grid))
    if place is None:
        raise ValueError("there is no trial to score")
    blocks.append((place[:2], keep(block.values)))
    return trials, blocks


class _Block:
    """The curves of a cell's trials, copied one by one: just decoded, they are still in the cache.

    Parameters
    ----------
    room : int
        The number of trials that is expected; more of them make it grow.
    samples : int
        Of each trial.
    """

    def __init__(self, room: int, samples: int) -> None:
        self._values = np.empty((2, room, samples))
        self.trials = 0

    def append(self, curves: FloatArray) -> None:
        """Take over Min_EV and LCV (2, samples) of one more trial."""
        if self.trials == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self._values[:, self.trials] = curves
        self.trials += 1

    @property
    def values(self) -> FloatArray:
        """Min_EV and LCV (2, trials, samples), without room to spare."""
        full = self.trials == self._values.shape[1]
        return self._values if full else self._values[:, : self.trials].copy()


def feasible_tol(key: ProblemKey) -> float:
    """Return up to which LCV a trial is feasible: the suite's tolerance, or infinity without one.

    Then the record decides: a trial has a Min_EV only if it knows a point that is feasible by the
    problem's own tolerance.
    """
    tol = record_rule(key).feasible_tol
    return math.inf if tol is None else tol


def _digests(cell: FloatArray) -> list[bytes]:
    values = np.empty(cell.shape)
    for column in range(cell.shape[2]):  # as they lie in memory: faster than all at once
        np.add(cell[..., column], 0.0, out=values[..., column])
    values[np.isnan(values)] = np.nan
    return [sha256(trial.data).digest() for trial in values]


def _curve_array(name: Any, value: Any) -> FloatArray:
    expected = f"curves of {name!r} must have shape (problems, trials, samples, 2)"
    array = _checks.real_array(f"{expected} and hold real numbers", value)
    if array.ndim != 4 or array.shape[3] != 2 or 0 in array.shape:
        raise ValueError(f"{expected}, none of them 0, got {array.shape}")
    return np.asarray(array, dtype=np.float64)
