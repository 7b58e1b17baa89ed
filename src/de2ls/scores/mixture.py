"""Which trials may be compared in one score; the others are refused by name.

A score compares trials of the same problems under the same rules: the problems are of one group
(see `de2ls.scores.groups`), and on each problem all trials have one budget and one set of samples.
Numbers of trials may differ only when the caller allows it, because a pairwise score has an
expectation over equally large subsets; so may budgets between problems, since a pair of trials
never spans two. The same permission leaves out problems that a series lacks, and lets series
without the sample after the initial population join others.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.scores.groups import grouped
from de2ls.trials.record import Trial

_SHOWN_RUNS = 3
_SHOWN_CELLS = 5
_SHOWN_FAULTS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Sampled(Trial):
    """A trial and the evaluations at its samples."""

    grid: FloatArray

    @classmethod
    def of(cls, trial: Trial, grid: FloatArray) -> Self:
        """Return what a comparison has to know of a trial before its values."""
        return cls(
            key=trial.key,
            algorithm=trial.algorithm,
            config=trial.config,
            seed=trial.seed,
            max_evals=trial.max_evals,
            grid=grid,
        )


@dataclass(frozen=True)
class Fault:
    """One way in which trials do not fit the others, and the trials."""

    aspect: str  # group, budget, trials, samples
    what: str
    trials: tuple[Trial, ...] = ()

    def __str__(self) -> str:
        return f"{self.what}: {name_trials(self.trials)}" if self.trials else self.what


ByProblem = Mapping[ProblemKey, Sequence[Sampled]]


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


def check_mixture(
    trials: Sequence[Sampled], allow_unequal: bool = False
) -> tuple[list[Sampled], tuple[str, ...]]:
    """Return the trials that can be scored together, and warnings about what was accepted.

    Parameters
    ----------
    trials : sequence of Sampled
        All trials of the score.
    allow_unequal : bool
        Accept what the mathematics allows (see the module's text) and warn instead.

    Raises
    ------
    MixtureError
        Naming the trials at fault.
    """
    by_problem: dict[ProblemKey, list[Sampled]] = defaultdict(list)
    for trial in trials:
        by_problem[trial.problem].append(trial)
    never = [*_groups(by_problem), *_repeated(trials)]
    lacking = {} if never else _lacking(trials, by_problem)
    whole = {key: group for key, group in by_problem.items() if key not in lacking}
    missing = [
        Fault("trials", f"{who} has no trial on {key.label}") for key, who in lacking.items()
    ]
    unequal: list[Fault] = []
    for group in whole.values():
        never += _differing("budget", group, [t.max_evals for t in group])
        other_grid, first_missing = _sample_faults(group)
        never += other_grid
        unequal += first_missing
    kept = [trial for trial in trials if trial.problem in whole]
    unequal += _unequal_counts(kept)
    if not never:  # then each problem has one budget
        unequal += _budgets(kept)
    if never or ((missing or unequal) and not allow_unequal) or not kept:
        raise MixtureError([*never, *missing, *unequal], acceptable=not never and bool(kept))
    left_out = [f"{key.label} is left out: no trial of {who}" for key, who in lacking.items()]
    return kept, (*left_out, *(f"unequal trials accepted: {fault}" for fault in unequal))


def name_trials(trials: Sequence[Trial]) -> str:
    """Return the trials' names for a message, grouped by series and problem."""
    cells: dict[tuple[str, str], list[int]] = defaultdict(list)
    for trial in trials:
        cells[trial.label, trial.problem.label].append(trial.run)
    shown = [
        f"{label} on {problem} ({_runs(runs)})"
        for (label, problem), runs in list(cells.items())[:_SHOWN_CELLS]
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


def _runs(runs: Sequence[int]) -> str:
    if len(runs) == 1:
        return f"run {runs[0]}"
    shown = ", ".join(map(str, runs[:_SHOWN_RUNS]))
    return f"{len(runs)} trials, runs {shown}{', ...' if len(runs) > _SHOWN_RUNS else ''}"


def _groups(keys: Iterable[ProblemKey]) -> Iterable[Fault]:
    found = list(map(str, grouped(keys)))
    if len(found) > 1:
        yield Fault("group", f"{len(found)} groups, choose one of them: {'; '.join(found)}")


def _differing(
    aspect: str, trials: Sequence[Sampled], values: Sequence[Hashable]
) -> Iterable[Fault]:
    """Yield a fault for every value beside the most frequent one."""
    counts = Counter(values)
    usual = counts.most_common(1)[0][0]
    for value in counts:
        if value != usual:
            odd = tuple(t for t, v in zip(trials, values, strict=True) if v == value)
            yield Fault(aspect, f"{aspect} {value!r} instead of {usual!r}", odd)


def _budgets(trials: Sequence[Sampled]) -> Iterable[Fault]:
    """Yield a fault if budgets differ between problems other than with their dimensions."""
    if len({t.max_evals / max(1, t.problem.dim) for t in trials}) > 1:
        yield from _differing("budget", trials, [t.max_evals for t in trials])


def _repeated(trials: Sequence[Sampled]) -> Iterable[Fault]:
    counts = Counter(trial.key for trial in trials)
    twice = tuple(trial for trial in trials if counts[trial.key] > 1)
    if twice:
        yield Fault("trials", "the same trial more than once", twice)


def _lacking(trials: Sequence[Sampled], by_problem: ByProblem) -> dict[ProblemKey, str]:
    """Return the problems that some series lack, and these series."""
    labels = dict.fromkeys(trial.label for trial in trials)
    present = {key: {trial.label for trial in group} for key, group in by_problem.items()}
    absent = {key: [a for a in labels if a not in there] for key, there in present.items()}
    return {key: ", ".join(names) for key, names in absent.items() if names}


def _unequal_counts(trials: Sequence[Sampled]) -> Iterable[Fault]:
    counts = Counter((t.label, t.problem) for t in trials)
    sizes = Counter(counts.values())
    usual = sizes.most_common(1)[0][0] if sizes else 0
    for size in sizes:
        if size != usual:
            odd = tuple(t for t in trials if counts[t.label, t.problem] == size)
            yield Fault("trials", f"{size} trials instead of {usual}", odd)


def _sample_faults(trials: Sequence[Sampled]) -> tuple[list[Fault], list[Fault]]:
    """Return the faults of one problem's sampling: never accepted, and a missing first sample."""
    grids: dict[int, list[Sampled]] = defaultdict(list)
    for trial in trials:
        grids[id(trial.grid)].append(trial)  # equal ones are one array
    never: list[Fault] = []
    unequal: list[Fault] = []
    usual, *others = sorted(grids.values(), key=len, reverse=True)
    expected = usual[0].grid
    for group in others:
        grid = group[0].grid
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
