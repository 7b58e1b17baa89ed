"""Which trials may be compared in one score; the others are refused by name.

A score compares trials of the same problems under the same rules. Definition and instance are one
throughout a suite; with own data each problem has one digest of its own. Dimension and budget are
one within each problem; between problems they may differ only when the caller allows unequal
trials, since a pair of trials never spans two problems. The same permission lets numbers of trials
differ, because a pairwise score has an expectation over equally large subsets, and lets series
without the sample after the initial population join others.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey

_SHOWN_SEEDS = 3
_SHOWN_CELLS = 5
_SHOWN_FAULTS = 5


class Trial(NamedTuple):
    """What a score needs of one trial."""

    label: str  # the series
    problem: str  # the problem's name
    key: ProblemKey
    run: int
    seed: int
    max_evals: int
    evaluations: FloatArray  # of the samples; trials on one grid share the array
    samples: FloatArray  # (samples, 2): Min_EV, LCV


@dataclass(frozen=True)
class Fault:
    """One way in which trials do not fit the others, and the trials."""

    aspect: str  # definition, excess, instance, dimension, budget, trials, seeds, samples
    what: str
    trials: tuple[Trial, ...]

    def __str__(self) -> str:
        return f"{self.what}: {name_trials(self.trials)}" if self.trials else self.what


class MixtureError(ValueError):
    """Trials that do not belong in one score; `faults` names them all.

    Parameters
    ----------
    faults : sequence of Fault
        What is wrong.
    acceptable : bool
        Whether `allow_unequal` would accept all of it.
    """

    def __init__(self, faults: Sequence[Fault], acceptable: bool = False) -> None:
        self.faults = tuple(faults)
        hint = " (allow_unequal accepts that, with a warning)" if acceptable else ""
        shown = "; ".join(map(str, faults[:_SHOWN_FAULTS]))
        more = f"; and {len(faults) - _SHOWN_FAULTS} more" if len(faults) > _SHOWN_FAULTS else ""
        super().__init__(f"trials that do not belong together: {shown}{more}{hint}")


def check_mixture(trials: Sequence[Trial], allow_unequal: bool = False) -> tuple[str, ...]:
    """Refuse trials that do not belong in one score.

    Parameters
    ----------
    trials : sequence of Trial
        All trials of the score.
    allow_unequal : bool
        Accept what can still be scored (see the module's text) and warn instead.

    Returns
    -------
    tuple of str
        Warnings about what was accepted.

    Raises
    ------
    MixtureError
        Naming the trials at fault.
    """
    by_suite: dict[Hashable, list[Trial]] = defaultdict(list)
    by_problem: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_suite[trial.key.suite].append(trial)
        by_problem[trial.problem].append(trial)

    never: list[Fault] = []
    unequal: list[Fault] = []
    for group in by_suite.values():
        never += _differing("definition", group, [t.key.get("definition") for t in group])
        never += _differing("excess", group, [t.key.get("excess", False) for t in group])
        instances = [t.key.get("instance") for t in group]
        kinds = ["own data" if isinstance(name, str) else name for name in instances]
        never += _differing("instance", group, kinds)
    for group in by_problem.values():
        instances = [t.key.get("instance") for t in group]
        digests = [name if isinstance(name, str) else None for name in instances]
        never += _differing("instance", group, digests)
        never += _differing("dimension", group, [t.key.dim or None for t in group])
        never += _differing("budget", group, [t.max_evals for t in group])
        other_grid, first_missing = _sample_faults(group)
        never += other_grid
        unequal += first_missing
    never += _repeated(trials)
    never += _missing(trials, by_problem)
    unequal += _unequal_counts(trials)
    if not never:  # then each problem has one dimension and one budget
        unequal += _differing("dimension", trials, [t.key.dim or None for t in trials])
        unequal += _differing("budget", trials, [t.max_evals for t in trials])
    if never or (unequal and not allow_unequal):
        raise MixtureError([*never, *unequal], acceptable=not never)
    return tuple(f"unequal trials accepted: {fault}" for fault in unequal)


def name_trials(trials: Sequence[Trial]) -> str:
    """Return the trials' names for a message, grouped by series and problem."""
    cells: dict[tuple[str, str], list[int]] = defaultdict(list)
    for trial in trials:
        cells[trial.label, trial.problem].append(trial.seed)
    shown = [
        f"{label} on {problem} ({_seeds(seeds)})"
        for (label, problem), seeds in list(cells.items())[:_SHOWN_CELLS]
    ]
    if len(cells) > _SHOWN_CELLS:
        shown.append(f"and {len(cells) - _SHOWN_CELLS} more cells")
    return ", ".join(shown)


def same_grid(a: FloatArray, b: FloatArray) -> bool:
    """Whether two series were sampled at the same evaluations.

    Until the larger of the two initial populations is evaluated the numbers may differ: row k
    stands for max(N0, 10 D k) evaluations. Unknown numbers (NaN) fit anything.
    """
    if a.shape != b.shape:
        return False
    start = np.fmax(a[0], b[0])
    equal = np.fmax(a, start) == np.fmax(b, start)
    return bool((equal | np.isnan(a) | np.isnan(b)).all())


def _seeds(seeds: Sequence[int]) -> str:
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    shown = ", ".join(str(seed) for seed in seeds[:_SHOWN_SEEDS])
    more = ", ..." if len(seeds) > _SHOWN_SEEDS else ""
    return f"{len(seeds)} trials, seeds {shown}{more}"


def _differing(aspect: str, trials: Sequence[Trial], values: Sequence[Hashable]) -> Iterable[Fault]:
    """Yield a fault for every value beside the most frequent one; None is no value."""
    counts = Counter(value for value in values if value is not None)
    if len(counts) < 2:
        return
    usual = counts.most_common(1)[0][0]
    for value in counts:
        if value != usual:
            odd = tuple(t for t, v in zip(trials, values, strict=True) if v == value)
            yield Fault(aspect, f"{aspect} {value!r} instead of {usual!r}", odd)


def _repeated(trials: Sequence[Trial]) -> Iterable[Fault]:
    counts = Counter((t.label, t.problem, t.seed) for t in trials)
    twice = tuple(t for t in trials if counts[t.label, t.problem, t.seed] > 1)
    if twice:
        yield Fault("seeds", "the same trial more than once", twice)


def _missing(trials: Sequence[Trial], by_problem: Mapping[str, Sequence[Trial]]) -> Iterable[Fault]:
    labels = {t.label: None for t in trials}
    for problem, group in by_problem.items():
        present = {t.label for t in group}
        for label in labels:
            if label not in present:
                yield Fault("trials", f"{label} has no trial on {problem}", ())


def _unequal_counts(trials: Sequence[Trial]) -> Iterable[Fault]:
    counts = Counter((t.label, t.problem) for t in trials)
    sizes = Counter(counts.values())
    usual = sizes.most_common(1)[0][0] if sizes else 0
    for size in sizes:
        if size != usual:
            odd = tuple(t for t in trials if counts[t.label, t.problem] == size)
            yield Fault("trials", f"{size} trials instead of {usual}", odd)


def _sample_faults(trials: Sequence[Trial]) -> tuple[list[Fault], list[Fault]]:
    """Return the faults of one problem's sampling: never accepted, and a missing first sample."""
    grids: dict[int, list[Trial]] = defaultdict(list)
    for trial in trials:
        grids[id(trial.evaluations)].append(trial)
    never: list[Fault] = []
    unequal: list[Fault] = []
    usual, *others = sorted(grids.values(), key=len, reverse=True)
    expected = usual[0].evaluations
    for group in others:
        grid = group[0].evaluations
        if same_grid(grid, expected):
            continue
        shorter, longer = sorted((grid, expected), key=len)
        first_missing = shorter.size == longer.size - 1 and same_grid(longer[1:], shorter)
        what = (
            f"{grid.size} samples instead of {expected.size}"
            if grid.size != expected.size
            else "sampled at other evaluations"
        )
        (unequal if first_missing else never).append(Fault("samples", what, tuple(group)))
    return never, unequal
