"""Claims and their verdicts: holds, does not hold, or cannot be decided."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls._lists import count
from de2ls.scores import Bootstrap, Column, Estimate, Table
from de2ls.scores.bootstrap import LEVEL, estimate
from de2ls.scores.tables import Value

HOLDS = "holds"
DOES_NOT_HOLD = "does not hold"
OPEN = "cannot be decided"


@dataclass(frozen=True)
class Claim:
    """A statement, the figure behind it, and the verdict."""

    statement: str
    here: Estimate
    published: float | None
    verdict: str
    unit: str = "points"
    runs: int | None = None  # where they are not those of the other claims


def exceeds(
    statement: str,
    here: Estimate,
    published: float | None,
    unit: str = "points",
    level: float = 0.0,
    runs: int | None = None,
) -> Claim:
    """Judge that a figure is above a level: by the side of it on which its interval lies."""
    verdict = HOLDS if here.low > level else DOES_NOT_HOLD if here.high < level else OPEN
    return Claim(statement, here, published, verdict, unit, runs)


def amounts(statement: str, here: Estimate, published: float, unit: str = "%") -> Claim:
    """Judge a size that was published: whether another draw here would reach it, and not 0.

    The published figure is itself one draw, so the interval is that of a second draw.
    """
    reach = prediction(here)
    has_published = reach.low <= published <= reach.high
    has_zero = reach.low <= 0 <= reach.high
    verdict = OPEN if has_published and has_zero else HOLDS if has_published else DOES_NOT_HOLD
    return Claim(statement, reach, published, verdict, unit)


def prediction(here: Estimate) -> Estimate:
    """Return the interval in which a second draw of as many trials falls.

    Two independent draws differ with twice the variance of one: the limits move by sqrt(2).
    """
    root = np.sqrt(2.0)
    low = here.value - root * (here.value - here.low)
    return Estimate(here.value, float(low), float(here.value + root * (here.high - here.value)))


def gain(bootstrap: Bootstrap, part: str, a: str, b: str) -> Estimate:
    """Return by how many percent a's part of the score exceeds b's."""
    (x, xs), (y, ys) = _part(bootstrap, part, a), _part(bootstrap, part, b)
    return estimate(100 * (x - y) / y, 100 * (xs - ys) / ys)


def lead(bootstrap: Bootstrap, part: str, name: str, rivals: Sequence[str]) -> Estimate:
    """Return by how many points `name` leads each of its rivals at least; few ranks are good.

    The limits are the least ones of all rivals: the lower one is above 0 if every rival is left
    behind beyond chance, the upper one is below 0 if some rival is ahead beyond chance. Of several
    rivals one is sooner ahead by chance, so the upper limits have a higher level (Bonferroni).
    """
    sign = -1.0 if part == "rank" else 1.0
    x, xs = _part(bootstrap, part, name)
    tail = (1 - LEVEL) / 2
    found = []
    for y, ys in (_part(bootstrap, part, rival) for rival in rivals):
        low, high = np.quantile(sign * (xs - ys), [tail, 1 - tail / len(rivals)])
        found.append((sign * (x - y), low, high))
    return Estimate(*(float(value) + 0.0 for value in np.min(found, axis=0)))  # no -0


def share(successes: int, of: int) -> Estimate:
    """Return a proportion in percent with its exact interval (Clopper and Pearson)."""
    from scipy.stats import binomtest

    if not of:
        return Estimate(float("nan"), 0.0, 100.0)
    interval = binomtest(successes, of).proportion_ci(LEVEL)
    return Estimate(100 * successes / of, 100 * float(interval.low), 100 * float(interval.high))


def claims_table(
    title: str, claims: Sequence[Claim], runs: int, warnings: Sequence[str] = ()
) -> Table:
    """Return the claims with their verdicts."""
    columns = (
        Column("claim"),
        Column("here", ".5g", ".5g"),
        Column("published", ".6g"),
        Column("unit"),
        Column("verdict"),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            claim.statement,
            None if np.isnan(claim.here.value) else claim.here,  # no trials, no share
            claim.published,
            claim.unit,
            _verdict(claim, runs),
        )
        for claim in claims
    )
    notes = (
        f"[low, high]: {LEVEL:.0%} interval. A claim that something is larger holds if the "
        "interval of the difference lies above 0 (of a share: above 50 %), and does not hold if "
        "it lies below.",
        "A claim of a size holds if a second draw of as many trials could reach the published "
        "figure but not 0 (its interval is sqrt(2) times as wide), does not hold if it could not "
        "reach the published figure, and cannot be decided if it could reach both.",
        "Each verdict is separate: of twenty, one may be wrong by chance.",
        *warnings,
    )
    return Table(title, columns, rows, notes=notes).without_empty_columns()


def _verdict(claim: Claim, runs: int) -> str:
    """Return the verdict; one run of each, which has no spread, decides nothing."""
    made = claim.runs or runs
    if claim.verdict == OPEN or made == 1:
        return f"{OPEN} at {count(made, 'run')}"
    return claim.verdict


def _part(bootstrap: Bootstrap, part: str, name: str) -> tuple[float, FloatArray]:
    a = bootstrap.score.algorithms.index(name)
    return float(bootstrap.score.sums()[part][a]), bootstrap.samples[part][:, a]
