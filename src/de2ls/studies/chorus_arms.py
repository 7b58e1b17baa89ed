"""What each arm of CHORUS is worth: all of them against all but one, run by run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from de2ls._version import __version__
from de2ls.algorithms.chorus import ARMS
from de2ls.problems.key import ProblemKey
from de2ls.scores.hitting import PRECISIONS
from de2ls.scores.statistics import sign_test
from de2ls.scores.tables import Column, Table, Value
from de2ls.studies.optima import COCO, is_known
from de2ls.studies.practitioners import OURS, group, timed
from de2ls.studies.rivals import SLACK, Meter, by_minimize
from de2ls.studies.runs import SOLVED, Case, Run
from de2ls.suites.registry import get_suite

ALL = "all"
LEVEL = 0.05  # of the test
CLOSE = 1e-6  # errors that differ by less, or by less than this share, are equal

Pairs = dict[ProblemKey, list[tuple[Run, Run]]]  # with all arms and without one, by problem


def arm_cases(
    keys: Iterable[ProblemKey], arms: Sequence[str], seeds: int, budget: int
) -> Iterator[Case]:
    """Yield the runs, seed by seed; the setting is the arm that is left out.

    Moves of discrete coordinates are left out where there are some.
    """
    discrete = {key: get_suite(key.suite).load(key).discrete.any() for key in keys}
    for seed in range(1, seeds + 1):
        for key, has_discrete in discrete.items():
            for arm in (ALL, *arms):
                if arm != "neighbours" or has_discrete:
                    yield Case(OURS, key, seed, budget, arm)


def arm_run(case: Case) -> Run:
    """Make one run without an arm, or with all of them."""
    config = {} if case.setting == ALL else {case.setting: False}

    def solve(meter: Meter, seed: int) -> None:
        by_minimize(meter, seed, config=config)

    return timed(case, solve, get_suite(case.key.suite).load(case.key))


def outcome(one: Run, two: Run) -> int:
    """Return 1 if the first run is the better one, -1 if the second is, 0 if neither.

    A solved run is better than an unsolved one and than one solved later by a tenth; else the
    lower error counts, and without a feasible point the lower violation. Where no best value is
    known, nothing counts as solved.
    """
    first, second = one.solved_at, two.solved_at
    if is_known(one.case.key) and (np.isfinite(first) or np.isfinite(second)):
        return _less(first, second, 0.1)
    end = float(one.case.budget * one.case.key.dim)
    errors = one.error(end), two.error(end)
    if np.isfinite(errors).any():
        return _less(*errors, CLOSE)
    return _less(one.violation, two.violation, CLOSE)


def _less(a: float, b: float, share: float) -> int:
    """Return 1 if a < b by more than a share, -1 if b < a, else 0."""
    if np.isfinite(a) and np.isfinite(b) and abs(a - b) <= share * max(abs(a), abs(b)):
        return 0
    return int(a < b) - int(b < a)


def paired(runs: Iterable[Run]) -> dict[tuple[str, int, str], Pairs]:
    """Return the pairs of runs of the same problem and seed, by group, budget and arm."""
    known = {run.case: run for run in runs}
    found: dict[tuple[str, int, str], Pairs] = {}
    for case, run in known.items():
        whole = known.get(case._replace(setting=ALL))
        if case.setting != ALL and whole is not None:
            pairs = found.setdefault((group(case.key), case.budget, case.setting), {})
            pairs.setdefault(case.key, []).append((whole, run))
    return found


def _solved(pairs: Pairs, which: int) -> str | None:
    """Return how many problems half of the seeds or more have solved, of those that can be."""
    shares = [
        float(np.median([np.isfinite(pair[which].solved_at) for pair in mine]))
        for key, mine in pairs.items()
        if is_known(key)
    ]
    return f"{sum(share >= 0.5 for share in shares)} / {len(shares)}" if shares else None


def _targets(pairs: Pairs, which: int) -> float | None:
    """Return the share of COCO's targets in percent."""
    if next(iter(pairs)).suite != COCO:
        return None
    shares = [pair[which].targets(np.inf, PRECISIONS) for mine in pairs.values() for pair in mine]
    return 100.0 * float(np.mean(shares))


def arm_table(runs: Sequence[Run]) -> Table:
    """Return what the runs lose without each arm, a row per group and arm."""
    found = paired(runs)
    order = {arm: i for i, arm in enumerate(ARMS)}
    rows: list[tuple[Value, ...]] = []
    for place in sorted(found, key=lambda place: (*place[:2], order[place[2]])):
        (name, budget, arm), pairs = place, found[place]
        net = {key: sum(outcome(*pair) for pair in mine) for key, mine in pairs.items()}
        better = sum(value > 0 for value in net.values())
        worse = sum(value < 0 for value in net.values())
        p = sign_test((better, len(net) - better - worse, worse))
        verdict = "undecided" if p >= LEVEL else "helps" if better > worse else "hurts"
        solved = (_solved(pairs, which) for which in (0, 1))
        targets = (_targets(pairs, which) for which in (0, 1))
        rows.append((name, f"{budget:,} D", arm, *solved, *targets, better, worse, p, verdict))
    columns = (
        Column("problems"),
        Column("budget"),
        Column("arm"),
        Column("solved with"),
        Column("without"),
        Column("targets % with", ".1f"),
        Column("targets % without", ".1f"),
        Column("better with"),
        Column("worse with"),
        Column("p", ".3f"),
        Column("verdict"),
    )
    note = (
        "solved: by half of the seeds or more, of the problems with a known best value; better "
        "with, worse with: problems on which the runs with the arm win more pairs of equal seed "
        "than they lose, or lose more; p: sign test over these problems, two-sided; verdict at "
        f"{LEVEL:g}, for each row alone"
    )
    return Table("All arms against all but one", columns, tuple(rows), notes=(note,))


def needed_table(verdicts: Mapping[str, Sequence[str]]) -> Table:
    """Return in how many groups of problems each arm helps, hurts or neither."""
    kinds = ("helps", "undecided", "hurts")
    rows: list[tuple[Value, ...]] = [
        (arm, *(list(found).count(kind) for kind in kinds)) for arm, found in verdicts.items()
    ]
    columns = (Column("arm"), *(Column(f"{kind}, groups") for kind in kinds))
    return Table("Arms that are needed", columns, tuple(rows))


TEXT = """# The arms of CHORUS

`{command}` (de2ls {version}) made or completed the runs in [runs.csv](runs.csv), of which this page
is made: {seeds} seeds at the most, {budgets} evaluations per dimension.

Each arm is left out once, and the runs are compared with those of all arms, pair by pair of the
same problem and seed. A run that solves its problem, to a relative error of {solved:g} with no
constraint over its tolerance by more than {slack:g}, is better than one that does not, and than one
that needs over a ninth more evaluations for it. Where neither does, or no best value is known, the
lower final value counts; where neither is feasible, the lower violation.

{tables}
"""


def write_arms_page(runs: Sequence[Run], folder: Path, command: str) -> Table:
    """Write the page into a folder; return which arms are needed."""
    table = arm_table(runs)
    verdicts: dict[str, list[str]] = {}
    for row in table.to_dicts():
        verdicts.setdefault(str(row["arm"]), []).append(str(row["verdict"]))
    needed = needed_table(verdicts)
    text = TEXT.format(
        command=command,
        version=__version__,
        seeds=len({run.case.seed for run in runs}),
        budgets=", ".join(f"{b:,}" for b in sorted({run.case.budget for run in runs})),
        solved=SOLVED,
        slack=SLACK,
        tables="\n".join(one.to_markdown() for one in (needed, table)),
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(text, encoding="utf-8")
    return needed
