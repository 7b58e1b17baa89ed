"""Tests beside a score: rank sums per problem, Friedman across problems, pairs by shared seed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.scores.collection import Collection
from de2ls.scores.distributions import chi_square_above, normal_two_sided, studentized_range
from de2ls.scores.pairwise import accuracy_points, ends, speed_points, tie
from de2ls.scores.tables import Column, Table, Tabular, Value
from de2ls.scores.target import mean_ranks
from de2ls.scores.uscore import Score
from de2ls.suites.suite import CEC_TOL

ALPHA = 0.05
WIN, TIE, LOSS = "+", "≈", "-"
_FEW = 8  # trials up to which the exact distribution of a rank sum is near at hand


def quality(trials: FloatArray, tol: float = CEC_TOL) -> NDArray[np.int64]:
    """Return the place of each trial by its end, 0 for the best, equal ends alike.

    Feasible trials come first, by Min_EV, then the others by LCV. Neighbours in that order that tie
    in the score share their place.
    """
    E, C, feasible = ends(trials, tol)
    value = np.where(feasible, E, C)
    order = np.lexsort((value, ~feasible))
    value, feasible = value[order], feasible[order]
    steps = (feasible[1:] != feasible[:-1]) | ~tie(value[1:], value[:-1])
    places = np.empty(len(trials), dtype=np.int64)
    places[order] = np.concatenate([[0], np.cumsum(steps)])
    return places


def holm(p: FloatArray) -> FloatArray:
    """Return p-values corrected for their number by Holm's method."""
    order = np.argsort(p)
    factors = np.arange(p.size, 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return corrected


@dataclass(frozen=True, eq=False)
class RankSum(Tabular):
    """Wilcoxon rank-sum tests of all pairs of algorithms on each problem."""

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    p: FloatArray  # (problems, algorithms, algorithms), corrected; 1 on the diagonal
    effect: FloatArray  # the same shape: share of pairs of trials that row wins, ties as halves
    family: str  # which tests were corrected together: "problem" or "all"

    def marks(self, a: str, b: str, alpha: float = ALPHA) -> list[str]:
        """Return per problem whether `a` wins (+), ties (≈) or loses (-) against `b`."""
        i, j = (
            self.algorithms.index(_checks.choice("algorithm", x, self.algorithms)) for x in (a, b)
        )
        return [
            TIE if p > alpha or effect == 0.5 else WIN if effect > 0.5 else LOSS
            for p, effect in zip(self.p[:, i, j], self.effect[:, i, j], strict=True)
        ]

    def table(self, reference: str | None = None) -> Table:
        """Return the marks and p-values of `reference` (the first algorithm) against the others."""
        name = self.algorithms[0] if reference is None else reference
        i = self.algorithms.index(_checks.choice("reference", name, self.algorithms))
        others = [j for j in range(len(self.algorithms)) if j != i]
        marks = {j: self.marks(name, self.algorithms[j]) for j in others}
        columns = [Column("problem")]
        for j in others:
            columns += [Column(self.algorithms[j]), Column(f"p {self.algorithms[j]}", ".3g")]
        rows: list[tuple[Value, ...]] = []
        for k, problem in enumerate(self.problems):
            cells: list[Value] = [problem]
            for j in others:
                cells += [marks[j][k], float(self.p[k, i, j])]
            rows.append(tuple(cells))
        last: list[Value] = [f"{WIN}/{TIE}/{LOSS}"]
        for j in others:
            counts = Counter(marks[j])
            last += ["/".join(str(counts[mark]) for mark in (WIN, TIE, LOSS)), None]
        what = "the pairs of each problem" if self.family == "problem" else "all tests"
        return Table(
            f"{name} against the others: rank-sum tests",
            tuple(columns),
            (*rows, tuple(last)),
            notes=(
                f"{WIN} {name} wins, {TIE} no significant difference, {LOSS} it loses; "
                f"alpha = {ALPHA:g}, p after Holm's correction over {what}",
            ),
        )


def rank_sum(collection: Collection, family: str = "problem") -> RankSum:
    """Test all pairs of algorithms on each problem with the Wilcoxon rank-sum test.

    Parameters
    ----------
    collection : Collection
        The trials; feasible ones rank first, by Min_EV, then the others by LCV.
    family : {"problem", "all"}
        Which tests Holm's correction takes together: the pairs of algorithms on each problem, or
        all pairs on all problems. With two algorithms the first corrects nothing.
    """
    _checks.choice("family", family, ("problem", "all"))
    m = len(collection.algorithms)
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    raw = np.ones((len(collection.problems), len(pairs)))
    effect = np.full((len(collection.problems), m, m), 0.5)
    for k, (row, tol) in enumerate(zip(collection.cells, collection.feasible_tols, strict=True)):
        sizes = [len(cell) for cell in row]
        last = np.concatenate([cell[:, -1:] for cell in row])
        places = np.split(quality(last, tol), np.cumsum(sizes)[:-1])
        for q, (i, j) in enumerate(pairs):
            x, y = -places[i], -places[j]  # large is good
            if len(np.unique(np.concatenate([x, y]))) > 1:
                U, raw[k, q] = mann_whitney(x, y)
                effect[k, i, j] = U / (x.size * y.size)
                effect[k, j, i] = 1 - effect[k, i, j]
    corrected = (
        holm(raw.ravel()).reshape(raw.shape) if family == "all" else np.array([*map(holm, raw)])
    )
    p = np.ones_like(effect)
    for q, (i, j) in enumerate(pairs):
        p[:, i, j] = p[:, j, i] = corrected[:, q]
    return RankSum(collection.algorithms, collection.problems, p, effect, family)


def mann_whitney(x: NDArray[np.int64], y: NDArray[np.int64]) -> tuple[float, float]:
    """Return how many pairs x wins, ties as halves, and the p of that, two-sided.

    The normal approximation, corrected for ties and continuity; the exact distribution for few
    trials without ties.
    """
    n, m = x.size, y.size
    both = np.concatenate([x, y])
    U = float(mean_ranks(both)[:n].sum()) - n * (n + 1) / 2
    ties = np.unique(both, return_counts=True)[1]
    if min(n, m) <= _FEW and ties.size == n + m:
        from scipy.stats import mannwhitneyu

        return U, float(mannwhitneyu(x, y, method="exact").pvalue)
    bound = float((ties**3 - ties).sum()) / ((n + m) * (n + m - 1))
    deviation = np.sqrt(n * m / 12 * (n + m + 1 - bound))
    return U, normal_two_sided((abs(U - n * m / 2) - 0.5) / deviation)


@dataclass(frozen=True, eq=False)
class Friedman(Tabular):
    """Friedman test of the algorithms across problems, with Nemenyi's critical difference."""

    algorithms: tuple[str, ...]
    n_problems: int
    mean_ranks: FloatArray  # 1 is best
    statistic: float
    p: float
    critical_difference: float  # of mean ranks
    alpha: float

    def groups(self) -> list[tuple[str, ...]]:
        """Return the largest groups, best first, whose mean ranks do not differ significantly."""
        order = np.argsort(self.mean_ranks, kind="stable")
        ranks = self.mean_ranks[order]
        found: list[tuple[int, int]] = []
        for start in range(len(order)):
            stop = int(np.searchsorted(ranks, ranks[start] + self.critical_difference, "right"))
            if not found or stop > found[-1][1]:
                found.append((start, stop))
        return [tuple(self.algorithms[a] for a in order[i:j]) for i, j in found]

    def table(self) -> Table:
        """Return the mean ranks, best first."""
        rows = tuple(
            (self.algorithms[a], float(self.mean_ranks[a]))
            for a in np.argsort(self.mean_ranks, kind="stable")
        )
        groups = "; ".join(", ".join(group) for group in self.groups() if len(group) > 1)
        return Table(
            f"Friedman test over {self.n_problems} problems",
            (Column("algorithm"), Column("mean rank", ".3f")),
            rows,
            notes=(
                f"chi-square = {self.statistic:.4g}, p = {self.p:.3g}; critical difference "
                f"(Nemenyi, alpha = {self.alpha:g}) = {self.critical_difference:.3f}",
                f"not distinguished: {groups or 'none'}",
            ),
        )


def friedman(score: Score, alpha: float = ALPHA) -> Friedman:
    """Test whether the algorithms' U-scores per problem rank alike.

    Parameters
    ----------
    score : Score
        Of at least three algorithms on at least two problems.
    alpha : float
        Level of the critical difference, between 0 and 1.
    """
    n, m = score.total.shape
    if m < 3 or n < 2:
        raise ValueError(
            f"a Friedman test needs at least 3 algorithms and 2 problems, got {m} and {n}; "
            "rank_sum and paired compare two algorithms"
        )
    alpha = _checks.real("alpha", alpha, 1e-6, 1 - 1e-6)
    ranks = mean_ranks(-score.total)
    if (ranks == ranks[0, 0]).all():  # only ties: the statistic would be 0 / 0
        statistic, p = 0.0, 1.0
    else:
        spread = n * m * (m + 1) / 12 * (1 - _tied(ranks) / (n * m * (m * m - 1)))
        statistic = float(((ranks.sum(axis=0) - n * (m + 1) / 2) ** 2).sum() / spread)
        p = chi_square_above(statistic, m - 1)
    q = studentized_range(1 - alpha, m) / np.sqrt(2)
    difference = float(q * np.sqrt(m * (m + 1) / (6 * n)))
    return Friedman(score.algorithms, n, ranks.mean(axis=0), statistic, p, difference, alpha)


def _tied(ranks: FloatArray) -> int:
    """Return the sum of t^3 - t over the ties of each row, t being how many share a rank."""
    counts = np.concatenate([np.unique(row, return_counts=True)[1] for row in ranks])
    return int((counts**3 - counts).sum())


@dataclass(frozen=True, eq=False)
class Paired(Tabular):
    """Two series with shared seeds, trial against trial; arrays have one entry per problem."""

    a: str
    b: str
    problems: tuple[str, ...]
    n_pairs: NDArray[np.int64]
    identical: NDArray[np.int64]  # pairs whose curves coincide throughout
    accuracy: NDArray[np.int64]  # (problems, 3): a wins, ties, loses by the end
    speed: NDArray[np.int64]  # (problems, 3): the same by time of arrival
    p: FloatArray  # sign tests of the ends, Holm over the problems
    p_all: float  # sign test of all pairs
    difference: FloatArray  # median of E*_a - E*_b over pairs with both feasible; NaN if none

    def table(self) -> Table:
        """Return wins, ties and losses per problem, with the sums as last row."""
        outcomes = [f"{part} {mark}" for part in ("accuracy", "speed") for mark in (WIN, TIE, LOSS)]
        columns = ("problem", "pairs", "identical", *outcomes, "p", "median difference")
        formats = (*("d",) * 9, ".3g", ".4g")
        rows: list[tuple[Value, ...]] = [
            (
                name,
                int(self.n_pairs[k]),
                int(self.identical[k]),
                *self.accuracy[k].tolist(),
                *self.speed[k].tolist(),
                float(self.p[k]),
                _or_none(self.difference[k]),
            )
            for k, name in enumerate(self.problems)
        ]
        sums = (*self.accuracy.sum(axis=0).tolist(), *self.speed.sum(axis=0).tolist())
        counts = (int(self.n_pairs.sum()), int(self.identical.sum()))
        rows.append(("Total", *counts, *sums, self.p_all, None))
        return Table(
            f"{self.a} against {self.b}, pairs with shared seeds",
            tuple(map(Column, columns, formats)),
            tuple(rows),
            notes=(
                f"{WIN} {self.a} is better, {TIE} tie, {LOSS} it is worse; p: sign test of the "
                f"ends, Holm's correction over the problems; difference: final Min_EV of {self.a} "
                f"minus that of {self.b}, pairs with both feasible",
            ),
        )


def paired(collection: Collection, a: str, b: str) -> Paired:
    """Compare two series trial by trial where they share seeds.

    Trials of one seed share their random numbers until the algorithms first differ, so that the
    pairs isolate what the difference does. Trials whose seed the other series lacks are left out.

    Parameters
    ----------
    collection : Collection
        With seeds, as `collect` makes it.
    a, b : str
        The two series.
    """
    i, j = collection.index(a), collection.index(b)
    if not collection.seeds:
        raise ValueError("a paired comparison needs seeds: make the collection from records")
    outcomes = []
    for problem, row, seeds in zip(
        collection.problems, collection.cells, collection.seeds, strict=True
    ):
        shared = sorted(set(seeds[i]) & set(seeds[j]))
        if not shared:
            raise ValueError(f"{a} and {b} share no seed on {problem}: run them with paired seeds")
        x = row[i][[seeds[i].index(seed) for seed in shared]]
        y = row[j][[seeds[j].index(seed) for seed in shared]]
        outcomes.append((x, y))
    pairs = list(zip(outcomes, collection.feasible_tols, strict=True))
    accuracy = np.array([_outcomes(accuracy_points, *xy, tol) for xy, tol in pairs])
    speed = np.array([_outcomes(speed_points, *xy, tol) for xy, tol in pairs])
    same = [
        int(((x == y) | (np.isnan(x) & np.isnan(y))).all(axis=(1, 2)).sum()) for x, y in outcomes
    ]
    return Paired(
        a,
        b,
        collection.problems,
        n_pairs=np.array([len(x) for x, _ in outcomes]),
        identical=np.array(same),
        accuracy=accuracy,
        speed=speed,
        p=holm(np.array([sign_test(row) for row in accuracy])),
        p_all=sign_test(accuracy.sum(axis=0)),
        difference=np.array([_median_difference(*xy, tol) for xy, tol in pairs]),
    )


def _outcomes(
    points: Callable[[FloatArray, float], FloatArray], x: FloatArray, y: FloatArray, tol: float
) -> list[int]:
    """Return how often x wins, ties and loses against y, pair by pair."""
    earned = np.array([points(np.stack(pair), tol)[0, 1] for pair in zip(x, y, strict=True)])
    return [int((earned == value).sum()) for value in (1.0, 0.5, 0.0)]


def sign_test(outcomes: Sequence[int] | NDArray[np.int64]) -> float:
    """Return the two-sided p of a sign test of wins, ties and losses; ties do not count."""
    from scipy.stats import binomtest

    wins, _, losses = map(int, outcomes)
    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def _median_difference(x: FloatArray, y: FloatArray, tol: float) -> float:
    ends_x, ends_y = ends(x, tol), ends(y, tol)
    both = ends_x.feasible & ends_y.feasible
    return float(np.median((ends_x.E - ends_y.E)[both])) if both.any() else float("nan")


def _or_none(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
