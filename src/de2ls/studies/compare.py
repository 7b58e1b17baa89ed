"""Tables of this reproduction beside the published figures."""

from collections.abc import Mapping

import numpy as np

from de2ls.scores import Bootstrap, Column, Estimate, Summary, Table
from de2ls.scores.bootstrap import LEVEL
from de2ls.scores.summary import RULE
from de2ls.scores.tables import Value
from de2ls.scores.uscore import HEADINGS
from de2ls.studies.claims import gain, prediction
from de2ls.studies.published import PublishedMean, PublishedScore

Sums = Mapping[str, Mapping[str, float]]  # part: algorithm: points

_INTERVAL = f"[low, high]: {LEVEL:.0%} bootstrap interval"
_SECOND_DRAW = (
    "the interval of the difference takes the published figure as another draw of as many trials; "
    "* marks a difference that chance would make in fewer than 5 % of the cases"
)
C19_NOTE = (
    "C19 at D = 30: the mean violation 42734.8 in the DE-2LS paper lies below the least possible "
    "sum, 290 (e^5 - 1) = 42749.816; it is a signed sum, in which g2 = -15 was added."
)
MARK = "*"


def totals_table(
    title: str, bootstrap: Bootstrap, published: Sums | None, relative_to: str | None = None
) -> Table:
    """Return accuracy, speed, U-score and rank sum of each algorithm beside the published ones.

    Parameters
    ----------
    title : str
        Of the table.
    bootstrap : Bootstrap
        What was found here.
    published : mapping, optional
        Totals by part and algorithm; None where nothing was published.
    relative_to : str, optional
        Algorithm over which the gains in percent are added.
    """
    sums = bootstrap.score.sums()
    rows: list[tuple[Value, ...]] = []
    for a, name in enumerate(bootstrap.score.algorithms):
        for part in sums:
            here = Estimate(float(sums[part][a]), *map(float, bootstrap.interval(part)[a]))
            past = None if published is None else published.get(part, {}).get(name)
            gains = _gains(bootstrap, published, name, relative_to if part == "total" else None)
            rows.append((name, HEADINGS[part], *beside(here, past), *gains))
    columns = (
        Column("algorithm"),
        Column("quantity"),
        *_columns(),
        Column(f"relative to {relative_to}, %", ".2f", ".2f"),
        Column("published, %", ".2f"),
    )
    notes = (*_notes(published), *bootstrap.warnings)
    return Table(title, columns, tuple(rows), notes=notes).without_empty_columns()


def gains_table(bootstrap: Bootstrap, a: str, b: str, published: Sums | None) -> Table:
    """Return the gains of `a` over `b` in accuracy, speed and U-score."""
    rows: list[tuple[Value, ...]] = []
    sums = bootstrap.score.sums()
    names = bootstrap.score.algorithms
    for part in ("accuracy", "speed", "total"):
        past = None
        if published is not None:
            past = 100 * (published[part][a] / published[part][b] - 1)
        totals = [float(sums[part][names.index(name)]) for name in (a, b)]
        rows.append((HEADINGS[part], *totals, *beside(gain(bootstrap, part, a, b), past)))
    columns = (
        Column("quantity"),
        Column(a),
        Column(b),
        *_columns(f"relative to {b}, %", ".2f", ".2f", ".2f"),
    )
    title = f"Gains of {a}, head to head"
    notes = (*_notes(published), *bootstrap.warnings)
    return Table(title, columns, tuple(rows), notes=notes).without_empty_columns()


def by_problem_table(
    title: str, part: str, problems: Mapping[str, Bootstrap], published: PublishedScore | None
) -> Table:
    """Return one part of the score per problem and algorithm beside the published one."""
    first = next(iter(problems.values()))
    names = first.score.algorithms
    columns = [Column("problem")]
    for name in names:
        columns += [Column(name), Column(f"{name} published"), Column(f"{name} difference")]
    rows: list[tuple[Value, ...]] = []
    for problem, bootstrap in problems.items():
        cells: list[Value] = [problem]
        limits = bootstrap.interval(part)
        values = bootstrap.score.arrays()[part][0]
        for a, name in enumerate(names):
            here = Estimate(float(values[a]), *map(float, limits[a]))
            past = _published_cell(published, part, problem, name)
            cells += [here, past, None if past is None else here.value - past]
        rows.append(tuple(cells))
    totals: list[Value] = ["Total"]
    for name in names:
        a = names.index(name)
        value = sum(float(b.score.arrays()[part][0, a]) for b in problems.values())
        past = None if published is None else published.sums.get(part, {}).get(name)
        totals += [value, past, None if past is None else value - past]
    note = f"[low, high]: {LEVEL:.0%} bootstrap interval of the problem alone"
    found = Table(title, tuple(columns), (*rows, tuple(totals)), notes=(note,))
    return found.without_empty_columns()


def means_table(
    title: str, summary: Summary, published: Mapping[tuple[str, str], PublishedMean], runs: int
) -> Table:
    """Return mean and deviation of every cell beside the published ones."""
    columns = (
        Column("problem"),
        Column("algorithm"),
        Column("mean", ".3E"),
        Column("deviation", ".3E"),
        Column("feasible %", ".3g"),
        Column("mean CV", ".6g"),
        Column("published mean", ".3E"),
        Column("published deviation", ".3E"),
        Column("published feasible %", ".3g"),
        Column("published mean CV", ".6g"),
        Column("difference", ".3E", ".3E"),
        Column("beyond chance"),
    )
    rows: list[tuple[Value, ...]] = []
    for p, problem in enumerate(summary.problems):
        for a, name in enumerate(summary.algorithms):
            here = PublishedMean(
                _or_none(summary.mean[p, a]),
                _or_none(summary.deviation[p, a]),
                float(summary.feasible[p, a]),
                _or_none(summary.violation[p, a]),
            )
            past = published.get((problem, name))
            difference = None if past is None else _difference(here, past, runs)
            rows.append((problem, name, *_four(here), *_four(past), difference, _mark(difference)))
    note = (
        "difference of the means with its 95 % interval (Welch's standard error from both "
        "deviations, and the rounding of the published mean to four digits), where both have a "
        "mean; * marks an interval without 0"
    )
    notes = (RULE, note, C19_NOTE) if published else (RULE,)
    return Table(title, columns, tuple(rows), notes=notes).without_empty_columns()


def beside(here: Estimate, past: float | None) -> tuple[Value, ...]:
    """Return the cells for a figure, the published one, and the difference with its interval."""
    if past is None:
        return here, None, None, None
    reach = prediction(here)
    difference = Estimate(here.value - past, reach.low - past, reach.high - past)
    return here, past, difference, _mark(difference)


def _columns(
    here: str = "here", spec: str = ".7g", limits: str = ".0f", past: str = ".10g"
) -> tuple[Column, ...]:
    return (
        Column(here, spec, limits),
        Column("published", past),
        Column("difference", spec, limits),
        Column("beyond chance"),
    )


def _mark(difference: Estimate | None) -> str | None:
    if difference is None:
        return None
    return MARK if difference.low > 0 or difference.high < 0 else ""


def _gains(
    bootstrap: Bootstrap, published: Sums | None, a: str, b: str | None
) -> tuple[Value, Value]:
    """Return the gain of `a` over `b` in percent, here and as published."""
    if b is None or a == b:
        return None, None
    past = None if published is None else 100 * (published["total"][a] / published["total"][b] - 1)
    return gain(bootstrap, "total", a, b), past


def _notes(published: Sums | None) -> tuple[str, ...]:
    return (_INTERVAL,) if published is None else (_INTERVAL, _SECOND_DRAW)


def _published_cell(
    published: PublishedScore | None, part: str, problem: str, name: str
) -> float | None:
    if published is None or part not in published.arrays or problem not in published.problems:
        return None
    place = published.problems.index(problem), published.algorithms.index(name)
    return float(published.arrays[part][place])


def _four(cell: PublishedMean | None) -> tuple[Value, ...]:
    if cell is None:
        return None, None, None, None
    return cell.mean, cell.deviation, 100 * cell.feasible, cell.violation


def _difference(here: PublishedMean, past: PublishedMean, runs: int) -> Estimate | None:
    """Return the difference of two means of `runs` trials each, with its interval."""
    from scipy.stats import t

    if here.mean is None or past.mean is None:
        return None
    value, reach = here.mean - past.mean, _rounding(past.mean)
    variances = np.array([here.deviation or 0.0, past.deviation or 0.0]) ** 2 / runs
    if variances.sum() > 0:
        freedom = variances.sum() ** 2 / (variances**2 / (runs - 1)).sum()
        reach += float(t.ppf((1 + LEVEL) / 2, freedom) * np.sqrt(variances.sum()))
    return Estimate(value, value - reach, value + reach)


def _rounding(printed: float) -> float:
    """Return how far a mean may lie from its printed form, which has four digits."""
    return float(0.5 * 10.0 ** (np.floor(np.log10(abs(printed))) - 3)) if printed else 0.0


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
